// SPDX-License-Identifier: GPL-2.0-only
#include "lib/layout.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define M (1ull << 20)
#define G (1ull << 30)

struct layout_case {
	u64 file_size, start, piece, chunk;
	unsigned int threads;
	int ret;
	u64 bytes, pieces; /* of all threads */
	u64 end;	   /* everything from start to here is copied once */
};

static const struct layout_case layout_cases[] = {
	/* ranges */
	{G, G / 8, 8 * M, 0, 1, 0, 896 * M, 112, G},
	{G, 0, 8 * M, 0, 8, 0, G, 128, G},
	{G, 0, 8 * M, 0, 32, 0, G, 128, G},
	{100 * M, 0, 8 * M, 0, 3, 0, 96 * M, 12, 96 * M},
	{100, 10, 7, 0, 2, 0, 84, 12, 94},
	/* chunks, the last one short, pieces that do not divide them */
	{256 * M, 0, 7 * M, 7 * M, 8, 0, 256 * M, 37, 256 * M},
	{100, 0, 4, 10, 3, 0, 100, 30, 100},
	{100, 1, 4, 10, 3, 0, 99, 30, 100},
	{100, 0, 20, 10, 10, 0, 100, 10, 100},
	{101, 0, 10, 10, 11, 0, 101, 11, 101},
	/* nothing to do */
	{100, 0, 0, 0, 1, -EINVAL, 0, 0, 0},
	{100, 0, 8, 0, 0, -EINVAL, 0, 0, 0},
	{100, 100, 8, 0, 1, -EINVAL, 0, 0, 0},
	{100, 0, 101, 0, 1, -ERANGE, 0, 0, 0},
	{100, 0, 10, 0, 11, -ERANGE, 0, 0, 0},
	{100, 0, 10, 10, 11, -ERANGE, 0, 0, 0},
};

/* Who has copied each unit of the file; unit: a common divisor of all sizes of the case. */
static u64 unit_of(const struct layout_case *c)
{
	return c->file_size % M ? 1 : M;
}

static void check_case(size_t number, const struct layout_case *c)
{
	u64 unit = unit_of(c), off, len, bytes = 0, pieces = 0, i;
	u8 *seen = xcalloc(c->file_size / unit, 1);
	struct layout l;
	unsigned int t;

	if (layout_init(&l, c->file_size, c->start, c->piece, c->chunk, c->threads))
		fail_msg("case %zu is refused", number);
	for (t = 0; t < c->threads; t++) {
		struct cursor cur = {0};
		u64 first = UINT64_MAX, last = 0, s_off, s_len;

		while (layout_next(&l, t, &cur, &off, &len)) {
			assert_true(len && len <= c->piece);
			assert_true(range_ok(off, len, c->file_size));
			for (i = off; i < off + len; i += unit)
				seen[i / unit]++;
			bytes += len;
			pieces++;
			first = MIN(first, off);
			last = MAX(last, off + len);
		}
		layout_stream(&l, t, &s_off, &s_len);
		if (s_off != first || s_off + s_len != last)
			fail_msg("case %zu thread %u: stream %llu+%llu, copied %llu to %llu",
				 number, t, (unsigned long long)s_off, (unsigned long long)s_len,
				 (unsigned long long)first, (unsigned long long)last);
	}
	for (i = 0; i < c->file_size; i += unit)
		if (seen[i / unit] != (i >= c->start && i < c->end))
			fail_msg("case %zu: byte %llu is copied %d times", number,
				 (unsigned long long)i, seen[i / unit]);
	free(seen);
	assert_int_equal(bytes, c->bytes);
	assert_int_equal(layout_bytes(&l), c->bytes);
	assert_int_equal(pieces, c->pieces);
}

static void test_layout(void **state)
{
	struct layout l;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(layout_cases); i++) {
		const struct layout_case *c = &layout_cases[i];

		if (!c->ret)
			check_case(i, c);
		else if (layout_init(&l, c->file_size, c->start, c->piece, c->chunk, c->threads) !=
			 c->ret)
			fail_msg("case %zu is not refused with %d", i, c->ret);
	}
}

static void test_turns(void **state)
{
	/* thread 1 of 3 has chunks 1, 4 and 7; two pieces and a short one each */
	static const u64 expected[][2] = {
		{10, 4}, {14, 4}, {18, 2}, {40, 4}, {44, 4}, {48, 2}, {70, 4}, {74, 1},
	};
	struct cursor c = {0};
	struct layout l;
	u64 off, len;
	size_t i;

	(void)state;
	assert_int_equal(layout_init(&l, 75, 0, 4, 10, 3), 0);
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_true(layout_next(&l, 1, &c, &off, &len));
		assert_int_equal(off, expected[i][0]);
		assert_int_equal(len, expected[i][1]);
	}
	assert_false(layout_next(&l, 1, &c, &off, &len));
	assert_false(layout_next(&l, 1, &c, &off, &len));
}

static void test_touches(void **state)
{
	/* SplitMix64 seeded with 1234567: its published first outputs, folded into
	 * a range that leaves them as they are but for the multiple of 8 */
	static const u64 splitmix[] = {6457827717110365317ull, 3203168211198807973ull};
	u64 k, off;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(splitmix); k++) {
		off = touch_offset(1234567, k, 0, 8 * 1000003ull, 8);
		assert_int_equal(off, splitmix[k] % 1000003 * 8);
	}
	for (k = 0; k < 10000; k++) {
		off = touch_offset(1, k, 64, 4096, 24);
		assert_true(off >= 64 && off + 24 <= 4096 && !(off & 7));
	}
	/* only one place is left */
	assert_int_equal(touch_offset(7, 3, 4088, 4096, 8), 4088);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_touches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
