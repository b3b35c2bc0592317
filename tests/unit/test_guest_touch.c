// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <linux/kernel-page-flags.h>

#include "guest/knobs.h"
#include "guest/lru.h"
#include "guest/touch.h"

#define BIT(n) (1ull << (n))

static void test_lru(void **state __unused_arg)
{
	static const struct {
		u64 flags, file, unreferenced;
	} tests[] = {
		{0, 0, 0},
		{BIT(KPF_LRU), 1, 1},
		{BIT(KPF_LRU) | BIT(KPF_UPTODATE), 1, 1},
		{BIT(KPF_LRU) | BIT(KPF_MMAP), 1, 1}, /* mapped is not yet referenced */
		{BIT(KPF_LRU) | BIT(KPF_REFERENCED), 1, 0},
		{BIT(KPF_LRU) | BIT(KPF_ACTIVE), 1, 0},
		{BIT(KPF_REFERENCED) | BIT(KPF_ACTIVE), 0, 0},
		{BIT(KPF_LRU) | BIT(KPF_ANON), 0, 0},
		{BIT(KPF_LRU) | BIT(KPF_SWAPBACKED), 0, 0}, /* shmem */
		{BIT(KPF_LRU) | BIT(KPF_UNEVICTABLE), 0, 0},
		{BIT(KPF_NOPAGE), 0, 0},
		{BIT(KPF_SLAB), 0, 0},
	};
	struct lru_pages all = {0};
	u64 file = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		struct lru_pages l = {0};

		lru_count(&l, &tests[i].flags, 1);
		lru_count(&all, &tests[i].flags, 1);
		file += tests[i].file;
		if (l.file != tests[i].file || l.unreferenced != tests[i].unreferenced)
			fail_msg("%zu: %llu %llu", i, (unsigned long long)l.file,
				 (unsigned long long)l.unreferenced);
	}
	assert_int_equal(all.file, file);
}

static void test_selected(void **state __unused_arg)
{
	static const struct {
		const char *text, *selected;
	} tests[] = {
		{"always madvise [never]", "never"},
		{"[always] madvise never", "always"},
		{"240", "240"},
		{"", ""},
		{"[never", "[never"},
	};
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		strcpy(text, tests[i].text);
		knob_selected(text);
		assert_string_equal(text, tests[i].selected);
	}
}

static void test_range(void **state __unused_arg)
{
	static const struct {
		u64 size, start;
		unsigned int threads, index;
		u64 pages, off, len;
		int ret;
	} tests[] = {
		{1 << 20, 0, 1, 0, 256, 0, 1 << 20, 0},
		{1 << 20, 0, 1, 0, 257, 0, 1 << 20, -ERANGE},
		{1 << 20, 0, 4, 3, 64, 3 << 18, 1 << 18, 0},
		{1 << 20, 5000, 1, 0, 1, 4096, (1 << 20) - 4096, 0}, /* whole pages only */
		{(1 << 20) + 100, 0, 1, 0, 1, 0, 1 << 20, 0},
		{8192, 0, 3, 0, 1, 0, 0, -ERANGE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		const struct phase p = {.threads = tests[i].threads};
		const struct workload w = {
			.phase = &p, .file_size = tests[i].size, .start = tests[i].start};
		u64 off, len;

		if (touch_range(&w, tests[i].index, tests[i].pages, &off, &len) != tests[i].ret ||
		    off != tests[i].off || len != tests[i].len)
			fail_msg("%zu: %llu %llu", i, (unsigned long long)off,
				 (unsigned long long)len);
	}
}

static void test_random(void **state __unused_arg)
{
	unsigned int seen[7] = {0};

	for (u64 k = 0; k < 7000; k++) {
		u64 r = touch_random(1, k, 7);

		assert_true(r < 7);
		assert_true(r == touch_random(1, k, 7));
		seen[r]++;
	}
	for (int i = 0; i < 7; i++)
		assert_in_range(seen[i], 800, 1200);
	assert_int_equal(touch_random(9, 3, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lru),
		cmocka_unit_test(test_selected),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
