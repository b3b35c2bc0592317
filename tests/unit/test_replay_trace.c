// SPDX-License-Identifier: GPL-2.0-only
/* From a trace.dat to accesses: which events become which lines, and what is said of others. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fileio.h"
#include "replay/access.h"
#include "tests/unit/make_trace.h"

#define INO 12
#define PAGE 4096ull

static char in[64], out[80];

static int setup(void **state __unused_arg)
{
	int fd;

	strcpy(in, "/tmp/test_replay_trace.XXXXXX");
	fd = mkstemp(in);
	snprintf(out, sizeof(out), "%s.plan", in);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state __unused_arg)
{
	unlink(out);
	return unlink(in);
}

/* The plan of what @tb has, or NULL and a line in @e; @ret as of level.make(). */
static char *plan_of(struct trace_builder *tb, bool partial, int *ret, struct err *e)
{
	const struct replay_options o = {.output = out, .partial = partial};
	struct source s;
	char *plan = NULL;

	if (tb)
		tb_write(tb, in);
	unlink(out);
	*ret = source_open(&s, in, e);
	if (!*ret)
		*ret = level_access.possible(&s, e) ? level_access.make(&s, &o, e) : -ENODATA;
	source_close(&s);
	if (!*ret)
		assert_int_equal(file_read(out, 1 << 20, &plan, NULL, e), 0);
	return plan;
}

static void touches(struct trace_builder *tb)
{
	/* a fault that waits, comes twice, and is mapped around after the I/O */
	tb_fault(tb, 0, 1000, 42, INO, 1023);
	tb_add_folio(tb, 0, 1500, 42, INO, 1023, 0);
	tb_fault(tb, 0, 2000, 42, INO, 1023);
	tb_map_pages(tb, 0, 2500, 42, INO, 1008, 1023);
	/* fault-around finds its pages, but not the touched one, which has the marker */
	tb_map_pages(tb, 0, 3000, 42, INO, 0, 15);
	tb_fault(tb, 0, 3500, 42, INO, 7);
	/* and one that is mapped without a fault */
	tb_map_pages(tb, 0, 4000, 42, INO, 16, 31);
	/* the same page of another task, and of another file */
	tb_fault(tb, 1, 4500, 43, INO, 7);
	tb_fault(tb, 1, 5000, 43, INO + 1, 7);
}

static void reads(struct trace_builder *tb)
{
	/* one call of 4 pages in two batches, then one more */
	tb_get_pages(tb, 0, 1000, 42, INO, 0, 3);
	tb_get_pages(tb, 0, 2000, 42, INO, 2, 3);
	tb_get_pages(tb, 0, 3000, 42, INO, 4, 4);
	/* the same page again is another call */
	tb_get_pages(tb, 0, 4000, 42, INO, 4, 4);
}

static void calls(struct trace_builder *tb)
{
	struct tb_ra ra = {.index = 16, .req_count = 8};

	tb_ra_order(tb, 0, 990, 42, INO, (struct tb_ra){.size = 8, .ra_pages = 32});
	tb_call(tb, 0, 1000, 42, "read", 3, 0, 5000, 0);
	tb_get_pages(tb, 0, 1100, 42, INO, 0, 1);
	tb_get_pages(tb, 0, 1200, 42, INO, 1, 1);
	tb_call_exit(tb, 0, 1300, 42, "read", 5000);
	/* from where the one before ended */
	tb_call(tb, 0, 2000, 42, "read", 3, 0, 100, 0);
	tb_get_pages(tb, 0, 2100, 42, INO, 1, 1);
	tb_call_exit(tb, 0, 2200, 42, "read", 100);
	tb_call(tb, 0, 3000, 42, "pread64", 3, 10000, 7, 0);
	tb_get_pages(tb, 0, 3100, 42, INO, 2, 2);
	tb_call_exit(tb, 0, 3200, 42, "pread64", 7);
	/* the descriptor's file is known from its reads */
	tb_call(tb, 0, 4000, 42, "fadvise64", 3, 0, 0, 2);
	tb_call_exit(tb, 0, 4100, 42, "fadvise64", 0);
	/* which doubles the window that readahead shows of it */
	tb_ra_order(tb, 0, 4200, 42, INO, (struct tb_ra){.size = 8, .ra_pages = 64});
	/* or from what the call reads ahead */
	tb_call(tb, 0, 5000, 42, "readahead", 9, 4096, 65536, 0);
	tb_ra_unbounded(tb, 0, 5100, 42, INO + 1, ra);
	tb_call_exit(tb, 0, 5200, 42, "readahead", 0);
	tb_call(tb, 0, 6000, 42, "madvise", 0, 0, 32768, 3);
	tb_ra_unbounded(tb, 0, 6100, 42, INO, ra);
	tb_call_exit(tb, 0, 6200, 42, "madvise", 0);
	/* opened anew, it may be any file; a pipe is none */
	tb_call(tb, 0, 7000, 42, "openat", 0, 0, 0, 0);
	tb_call_exit(tb, 0, 7100, 42, "openat", 3);
	tb_call(tb, 0, 8000, 42, "fadvise64", 3, 0, 0, 1);
	tb_call_exit(tb, 0, 8100, 42, "fadvise64", 0);
	tb_call(tb, 0, 8500, 42, "mmap", 3, 0, 8192, 0);
	tb_call_exit(tb, 0, 8600, 42, "mmap", 0x7f0000000000);
	tb_call(tb, 0, 9000, 42, "read", 0, 0, 5000, 0);
	tb_call_exit(tb, 0, 9100, 42, "read", 5);
}

static void phases(struct trace_builder *tb)
{
	tb_marker(tb, 0, 1000, 1, "blkproof: phase begin one");
	tb_fault(tb, 0, 1500, 42, INO, 1);
	tb_marker(tb, 0, 2000, 1, "blkproof: phase end one");
	tb_fault(tb, 0, 2500, 42, INO, 2);
	tb_marker(tb, 0, 3000, 1, "blkproof: phase begin one");
	tb_fault(tb, 0, 3001, 43, INO, 3);
	tb_marker(tb, 0, 4000, 1, "blkproof: phase begin a/b");
	tb_fault(tb, 0, 4002, 44, INO, 4);
}

static void lost(struct trace_builder *tb)
{
	tb_fault(tb, 0, 1000, 42, INO, 1);
	tb_missed(tb, 0, 3);
	tb_fault(tb, 0, 2000, 42, INO, 9);
}

static void sizes(struct trace_builder *tb)
{
	struct tb_ra ra = {.index = 0, .req_count = 4, .size = 32, .ra_pages = 2048};

	tb_ra_order(tb, 0, 900, 42, INO, ra);
	/* folios say more than the access; the end of a read beyond the file says nothing */
	tb_add_folio(tb, 0, 950, 42, INO, 8, 3);
	tb_get_pages(tb, 0, 1000, 42, INO, 0, 1000);
}

static void huge(struct trace_builder *tb)
{
	tb_fault(tb, 0, 1000, 42, INO, UINT64_MAX);
	tb_fault(tb, 0, 2000, 42, INO, 1ull << 40);
	tb_get_pages(tb, 0, 3000, 42, INO, 3, UINT64_MAX);
	tb_get_pages(tb, 0, 4000, 42, INO, 5, 4);
	tb_map_pages(tb, 0, 5000, 42, INO, 9, 8);
}

static const struct {
	void (*make)(struct trace_builder *tb);
	unsigned int flags;
	const char *body, *says[4];
} cases[] = {
	{touches, 0,
	 "phase replay\n"
	 "0 0 touch 0 4128768 65536 4190208\n"
	 "2000 0 touch 0 0 65536 28672\n"
	 "3000 0 touch 0 65536 65536\n"
	 "3500 1 touch 0 28672 4096 28672\n"
	 "4000 1 touch 1 28672 4096 28672\n"
	 "end 6\n",
	 {"note touches: 1 of 5 have only the range", "file 0 4194304 least 254:0 12\n",
	  "phase replay 5 2 4000 0\n"}},
	{reads, 0,
	 "phase replay\n0 0 read 0 0 16384\n2000 0 read 0 16384 4096\n"
	 "3000 0 read 0 16384 4096\nend 4\n",
	 {"reads: whole pages; where in them 3 reads", "file 0 20480 least", "0 16384\n"}},
	{calls, 0,
	 "phase replay\n0 0 read 0 0 5000\n1000 0 read 0 5000 100\n2000 0 read 0 10000 7\n"
	 "3000 0 sequential 0 0 0\n4100 0 readahead 1 4096 65536\n5100 0 willneed 0 65536 32768\n"
	 "end 7\n",
	 {"note reads: 3 as their system calls say", "left out: 1 calls of advice",
	  "note touches: 1 calls of mmap(2) are no access", "read_ahead_kb 128\n"}},
	{phases, 0,
	 "phase one\n500 0 touch 0 4096 4096 4096\nphase phase.2\n1 0 touch 0 12288 4096 12288\n"
	 "phase phase.3\n2 0 touch 0 16384 4096 16384\nend 6\n",
	 {"left out: 1 accesses outside of the phases", "phase one 1 1 500 0\n",
	  "phase phase.3 1 1 2 0\n"}},
	{lost, 0,
	 "phase replay\n0 0 touch 0 4096 4096 4096\n1000 0 touch 0 36864 4096 36864\nend 3\n",
	 {"lost events: 1 holes", "sizes: the source", "phase replay"}},
	{sizes, 0, "phase replay\n0 0 read 0 0 4100096\nend 2\n",
	 {"file 0 65536 least", "read_ahead_kb 8192\n", "4100096\n"}},
	{huge, 0, "phase replay\n2000 0 read 0 12288 17592186032128\nend 2\n",
	 {"left out: 2 accesses beyond 16 TiB", "file 0 40960 least", "phase replay 1 1"}},
	/* other layouts of the same events */
	{reads, TB_V6 | TB_BIG_ENDIAN | TB_LONG32,
	 "phase replay\n0 0 read 0 0 16384\n2000 0 read 0 16384 4096\n"
	 "3000 0 read 0 16384 4096\nend 4\n",
	 {"source trace.dat v6", "page_size 4096", "phase"}},
	{reads, TB_PAGE_64K,
	 "phase replay\n0 0 read 0 0 262144\n2000 0 read 0 262144 65536\n"
	 "3000 0 read 0 262144 65536\nend 4\n",
	 {"page_size 65536\n", "source", "phase"}},
};

static void test_events(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_builder *tb = tb_new(cases[i].flags);
		struct err e = {.msg = ""};
		char *plan __cleanup_free = NULL;
		const char *body;
		int ret;

		tb_comm(tb, 42, "secret");
		cases[i].make(tb);
		plan = plan_of(tb, false, &ret, &e);
		if (!plan)
			fail_msg("%zu: %s", i, e.msg);
		body = strstr(plan, "\nbegin\n");
		assert_non_null(body);
		if (strcmp(body + 7, cases[i].body))
			fail_msg("%zu: %s", i, plan);
		for (size_t k = 0; k < ARRAY_SIZE(cases[i].says) && cases[i].says[k]; k++)
			if (!strstr(plan, cases[i].says[k]))
				fail_msg("%zu: no '%s' in %s", i, cases[i].says[k], plan);
		assert_null(strstr(plan, "secret"));
		tb_free(tb);
	}
}

static void test_nothing(void **state __unused_arg)
{
	struct trace_builder *tb = tb_new(0);
	struct err e = {.msg = ""};
	int ret;

	tb_rq_issue(tb, 0, 1000, 42, 2048, 4096, "R");
	assert_null(plan_of(tb, false, &ret, &e));
	assert_int_equal(ret, -ENODATA);
	assert_non_null(strstr(e.msg, "none of its events is an access of a file"));
	tb_free(tb);
}

/* Every cut is an error, or a plan that says where it ends; never one that looks whole. */
static void test_cuts(void **state __unused_arg)
{
	struct trace_builder *tb = tb_new(TB_V6);
	char *data;
	size_t len;

	touches(tb);
	tb_write(tb, in);
	tb_free(tb);
	assert_int_equal(file_read(in, 1 << 20, &data, &len, &(struct err){.msg = ""}), 0);
	for (size_t n = 0; n < len; n += n + 97 < len ? 97 : 1) {
		struct err e = {.msg = ""};
		char *plan, *partial;
		int ret;

		assert_int_equal(file_write_atomic(in, data, n, &e), 0);
		plan = plan_of(NULL, false, &ret, &e);
		if (plan || !*e.msg)
			fail_msg("cut at %zu: %s", n, plan ? plan : "no message");
		partial = plan_of(NULL, true, &ret, &e);
		if (partial && !strstr(partial, "note damaged"))
			fail_msg("cut at %zu: %s", n, partial);
		free(partial);
	}
	free(data);
}

/* More tasks and files than a plan has: the rest is left out, and counted. */
static void test_too_many(void **state __unused_arg)
{
	struct trace_builder *tb = tb_new(0);
	struct err e = {.msg = ""};
	char *plan __cleanup_free = NULL;
	int ret;

	for (u32 i = 0; i < ACCESS_TASKS_MAX + 5; i++)
		tb_fault(tb, 0, 1000 + i, 100 + (int)i, INO, i);
	for (u32 i = 0; i < ACCESS_FILES_MAX + 7; i++)
		tb_fault(tb, 0, 10000 + i, 100, 1000 + i, 0);
	plan = plan_of(tb, false, &ret, &e);
	if (!plan)
		fail_msg("%s", e.msg);
	assert_non_null(strstr(plan, "left out: 5 accesses of tasks after the first 1024"));
	/* the first file is INO */
	assert_non_null(strstr(plan, "left out: 8 accesses of files after the first 4096"));
	tb_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
