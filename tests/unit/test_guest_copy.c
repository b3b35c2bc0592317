// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which the copy loops touch their source, seen by page faults:
 * pages start without access, and the handler notes each and opens it.
 */
#include "guest/copy.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define PAGES 8
#define PAGE 4096u

static u8 *source;
static int touched[PAGES + 1];
static volatile sig_atomic_t n_touched;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	size_t page = (size_t)((u8 *)info->si_addr - source) / PAGE;

	(void)context;
	if (page >= PAGES || n_touched > PAGES) {
		signal(sig, SIG_DFL);
		return;
	}
	touched[n_touched++] = (int)page;
	mprotect(source + page * PAGE, PAGE, PROT_READ);
}

static void test_order(void **state)
{
	static const struct {
		enum copy_order order;
		int pages[PAGES];
	} cases[] = {
		{ORDER_FORWARD, {0, 1, 2, 3, 4, 5, 6, 7}},
		{ORDER_TAIL_FIRST, {7, 0, 1, 2, 3, 4, 5, 6}},
		{ORDER_BACKWARD, {7, 6, 5, 4, 3, 2, 1, 0}},
	};
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, old;
	static u8 copy[PAGES * PAGE];
	size_t i, k;

	(void)state;
	source = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	assert_ptr_not_equal(source, MAP_FAILED);
	for (i = 0; i < PAGES * PAGE; i++)
		source[i] = (u8)(i * 31 + (i >> 8));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		n_touched = 0;
		memset(copy, 0, sizeof(copy));
		assert_int_equal(mprotect(source, PAGES * PAGE, PROT_NONE), 0);
		sigaction(SIGSEGV, &sa, &old);
		copy_ordered(copy, source, PAGES * PAGE, cases[i].order);
		sigaction(SIGSEGV, &old, NULL);
		assert_int_equal(n_touched, PAGES);
		for (k = 0; k < PAGES; k++)
			if (touched[k] != cases[i].pages[k])
				fail_msg("%s: touch %zu is of page %d, expected %d",
					 copy_order_names[cases[i].order], k, touched[k],
					 cases[i].pages[k]);
		assert_memory_equal(copy, source, PAGES * PAGE);
	}
	munmap(source, PAGES * PAGE);
}

/* Every length and alignment around the loops' steps, and nothing beyond the end. */
static void test_lengths(void **state)
{
	u8 src[160], dst[160], expected[160];
	size_t len, shift, i;
	int order;

	(void)state;
	for (i = 0; i < sizeof(src); i++)
		src[i] = (u8)(i + 1);
	for (order = ORDER_FORWARD; order <= ORDER_MEMCPY; order++)
		for (shift = 0; shift < 9; shift++)
			for (len = 0; len <= 140; len++) {
				memset(dst, 0xee, sizeof(dst));
				memset(expected, 0xee, sizeof(expected));
				memcpy(expected + shift, src + 8 - shift, len);
				copy_ordered(dst + shift, src + 8 - shift, len,
					     (enum copy_order)order);
				assert_memory_equal(dst, expected, sizeof(dst));
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
