// SPDX-License-Identifier: GPL-2.0-only
/* What of the guest's block replay needs no guest: the device's counters, and lines read ahead. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "guest/block_feed.h"
#include "guest/block_queue.h"

static void test_counts(void **state __unused_arg)
{
	struct block_counts c;

	/* Linux 7.3: 17 fields */
	assert_int_equal(block_counts_parse("      10        1     2304       50       21        4"
					    "      168       20        0       70       80"
					    "       32        2     4096        5       43        6",
					    &c), 0);
	assert_int_equal(c.reads, 10);
	assert_int_equal(c.writes, 21);
	assert_int_equal(c.discards, 32);
	assert_int_equal(c.flushes, 43);
	/* before 4.18 and 5.5: fewer */
	assert_int_equal(block_counts_parse("10 1 2304 50 21 4 168 20 0 70 80", &c), 0);
	assert_int_equal(c.writes, 21);
	assert_int_equal(c.flushes, 0);
	assert_int_equal(block_counts_parse("10 1 2304", &c), -EINVAL);
	assert_int_equal(block_counts_parse("", &c), -EINVAL);
}

/* A plan of @n requests; with @end 0 it is cut off. */
static void make_plan(const char *path, unsigned int n, bool end)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f,
		"blkproof-plan 1 block\nsource x\naction D\nsector-size 512\nsectors 1048576\n"
		"requests %u reads %u writes 0 fua 0 preflush 0 flushes 0 discards 0 write-zeroes 0\n"
		"largest 4096\nduration %u\nfolded 0\ndependencies no\nbegin\n",
		n, n, n);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "R %u %u 8\n", i, 8 * (i % 1000));
	if (end)
		fprintf(f, "end %u\n", n);
	fclose(f);
}

/* Requests that come out of the feed before it ends; @ret: how that ended. */
static unsigned int feed(const char *path, unsigned int stop, int *ret, struct err *e)
{
	struct block_plan p;
	struct plan_reader r;
	struct block_feed f;
	struct block_line l;
	unsigned int n = 0;

	assert_int_equal(plan_open(&r, path, false, e), 0);
	assert_int_equal(block_plan_header(&r, &p, e), 0);
	assert_int_equal(block_feed_start(&f, &r, &p, e), 0);
	while (n < stop && block_feed_next(&f, &l)) {
		assert_int_equal(l.ns, n);
		n++;
	}
	if (n < stop)
		assert_false(block_feed_next(&f, &l));
	*ret = block_feed_end(&f, e);
	plan_close(&r);
	block_plan_free(&p);
	return n;
}

static void test_feed(void **state __unused_arg)
{
	static const unsigned int sizes[] = {1, FEED_LINES - 1, FEED_LINES, FEED_LINES + 1,
					     FEED_LINES * FEED_BATCHES,
					     FEED_LINES * FEED_BATCHES + 1,
					     3 * FEED_LINES * FEED_BATCHES + 7};
	char path[] = "/tmp/test_feed.XXXXXX";
	struct err e = {.msg = ""};
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		make_plan(path, sizes[i], true);
		assert_int_equal(feed(path, UINT32_MAX, &ret, &e), sizes[i]);
		assert_int_equal(ret, 0);
		/* left early: the thread ends, whatever it waits for */
		assert_int_equal(feed(path, sizes[i] / 2, &ret, &e), sizes[i] / 2);
		assert_int_equal(ret, 0);
	}
	make_plan(path, 1000, false);
	assert_int_equal(feed(path, UINT32_MAX, &ret, &e), 1000);
	assert_int_equal(ret, -EBADMSG);
	assert_non_null(strstr(e.msg, "cut off"));
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_feed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
