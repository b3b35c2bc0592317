// SPDX-License-Identifier: GPL-2.0-only
/* The trace.dat reader on files of every layout, whole and damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_trace.h"
#include "tests/unit/trace_text.h"
#include "verify/input/dump.h"

static const unsigned int layouts[] = {
	TB_V7, TB_V7 | TB_ZSTD, TB_V7 | TB_ZLIB, TB_V7 | TB_BIG_ENDIAN, TB_V7 | TB_LONG32,
	TB_V7 | TB_BIG_ENDIAN | TB_LONG32 | TB_ZSTD, TB_V7 | TB_PAGE_64K,
	TB_V7 | TB_ZSTD | TB_SHORT_SIZES, TB_V7 | TB_BIG_ENDIAN | TB_ZLIB | TB_SHORT_SIZES,
	TB_V7 | TB_PAGE_64K | TB_ZLIB, TB_V7 | TB_LONG_INO, TB_V6, TB_V6 | TB_BIG_ENDIAN,
	TB_V6 | TB_LONG32, TB_V6 | TB_LONG32 | TB_BIG_ENDIAN | TB_LONG_INO, TB_V6 | TB_PAGE_64K,
};

/* One of each event, on two CPUs; 300 folios, so that there is more than one page. */
static struct trace_builder *example(unsigned int flags)
{
	struct trace_builder *tb = tb_new(flags);
	struct tb_ra ra = { .index = 8, .req_count = 3, .order = 2, .size = 64, .async_size = 16,
			    .ra_pages = 2048, .mmap_miss = 5 };

	tb_comm(tb, 42, "cat");
	tb_comm(tb, 7, "kworker/0:1H");
	tb_marker(tb, 0, 1000, 42, "blkproof: phase begin one");
	tb_marker(tb, 0, 1001, 42, "not ours");
	tb_other(tb, 1, 1002, 43);
	tb_map_pages(tb, 0, 1003, 42, 12, 8, 23);
	tb_fault(tb, 0, 1004, 42, 12, 8);
	tb_get_pages(tb, 1, 1004, 43, 13, 1, 2);
	tb_ra_sync(tb, 0, 1005, 42, 12, ra);
	tb_ra_order(tb, 0, 1006, 42, 12, ra);
	tb_ra_async(tb, 1, 1007, 43, 13, ra);
	tb_ra_unbounded(tb, 1, 1008, 43, 13, ra);
	tb_rq_insert(tb, 0, 1009, 42, 2048, 262144, "RA");
	tb_rq_issue(tb, 0, 1010, 7, 2048, 262144, "RA");
	for (unsigned int i = 0; i < 300; i++)
		tb_add_folio(tb, 1, 2000 + i, 43, 13, 100 + i, 3);
	tb_discarded(tb, 0, 2500);
	/* more than 27 bits of ns later */
	tb_rq_complete(tb, 0, 5000000000, 0, 2048, 262144, "RA", -5);
	tb_absolute(tb, 1, 5000000001);
	tb_delete_folio(tb, 1, 5000000002, 43, 13, 100, 3);
	return tb;
}

static const char begins[] =
	"1 0.000001000 [000] cat-42 marker phase begin one\n"
	"2 0.000001001 [000] cat-42 other \n"
	"3 0.000001002 [001] <...>-43 other \n"
	"4 0.000001003 [000] cat-42 map_pages dev=254,0 ino=12 index=8-23\n"
	/* the same time: the lower CPU comes first */
	"5 0.000001004 [000] cat-42 fault dev=254,0 ino=12 index=8-8\n"
	"6 0.000001004 [001] <...>-43 get_pages dev=254,0 ino=13 index=1-2\n"
	"7 0.000001005 [000] cat-42 ra_sync dev=254,0 ino=12 index=8 req_count=3 order=2 size=64 async_size=16 ra_pages=2048 mmap_miss=5\n"
	"8 0.000001006 [000] cat-42 ra_order dev=254,0 ino=12 index=8 req_count=0 order=2 size=64 async_size=16 ra_pages=2048 mmap_miss=0\n"
	"9 0.000001007 [001] <...>-43 ra_async dev=254,0 ino=13 index=8 req_count=3 order=2 size=64 async_size=16 ra_pages=2048 mmap_miss=5\n"
	"10 0.000001008 [001] <...>-43 ra_unbounded dev=254,0 ino=13 index=8 req_count=3 order=-1 size=0 async_size=16 ra_pages=0 mmap_miss=0\n"
	"11 0.000001009 [000] cat-42 rq_insert dev=254,0 sector=2048 bytes=262144 RA error=0 sequence=0\n"
	"12 0.000001010 [000] kworker/0:1H-7 rq_issue dev=254,0 sector=2048 bytes=262144 RA error=0 sequence=0\n"
	"13 0.000002000 [001] <...>-43 folio_add dev=254,0 ino=13 index=100 pfn=4196 order=3\n";
static const char ends[] =
	"312 0.000002299 [001] <...>-43 folio_add dev=254,0 ino=13 index=399 pfn=4495 order=3\n"
	"313 5.000000000 [000] <idle>-0 rq_complete dev=254,0 sector=2048 bytes=262144 RA error=-5 sequence=0\n"
	"314 5.000000002 [001] <...>-43 folio_delete dev=254,0 ino=13 index=100 pfn=4196 order=3\n";

static void test_layouts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct trace_builder *tb = example(layouts[i]);
		char *text;
		struct err e;
		int ret;

		print_message("  0x%x\n", layouts[i]);
		tb_write(tb, "t.dat");
		tb_free(tb);
		text = trace_text("t.dat", DUMP_EVENTS, &ret, &e);
		assert_string_equal(e.msg, "");
		assert_int_equal(ret, 0);
		assert_true(strlen(text) > sizeof(begins) + sizeof(ends));
		assert_memory_equal(text, begins, sizeof(begins) - 1);
		assert_string_equal(text + strlen(text) - strlen(ends), ends);
		free(text);
	}
}

static const struct {
	unsigned int flags;
	const char *format;
	bool order, readahead;
} infos[] = {
	{ TB_V6, "trace.dat v6", true, true },
	{ TB_V6 | TB_LONG32 | TB_NO_RA, "trace.dat v6 32-bit", true, false },
	{ TB_V7 | TB_ZSTD | TB_BIG_ENDIAN, "trace.dat v7 zstd big-endian", true, true },
	{ TB_V7 | TB_ZLIB | TB_NO_ORDER, "trace.dat v7 zlib", false, true },
};

static void test_info(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(infos); i++) {
		struct trace_builder *tb = example(infos[i].flags);
		const struct trace_info *info;
		struct trace *t;
		struct err e;

		tb_clock(tb, "boot");
		tb_cpus(tb, 4);
		tb_write(tb, "t.dat");
		tb_free(tb);
		assert_int_equal(trace_open(&t, "t.dat", 0, &e), 0);
		info = trace_info(t);
		assert_string_equal(info->format, infos[i].format);
		assert_int_equal(info->kind, KIND_TRACE_DAT);
		assert_string_equal(info->clock, "boot");
		assert_string_equal(info->uname, "Linux test");
		assert_int_equal(info->page_size, 4096);
		assert_int_equal(info->cpus, 4);
		assert_int_equal(info->n_loss, 0);
		assert_null(info->damage);
		assert_int_equal(!!(info->caps & CAP_FOLIO_ORDER), infos[i].order);
		assert_int_equal(info->event_types >> EV_RA_ORDER & 1, infos[i].readahead);
		assert_int_equal(info->event_types >> EV_FAULT & 1, 1);
		assert_int_equal(info->event_types >> EV_RQ_QUEUE & 1, 0);
		assert_string_equal(trace_comm(t, 42), "cat");
		assert_string_equal(trace_comm(t, 0), "<idle>");
		assert_string_equal(trace_comm(t, 4711), "<...>");
		trace_close(t);
	}
}

static void test_losses(void **state)
{
	static const char want[] =
		"1 0.000001000 [001] <...>-42 fault dev=254,0 ino=12 index=1-1\n"
		"0 0.000002000 [001] --1 lost from=1000 count=9\n"
		"2 0.000002000 [001] <...>-42 fault dev=254,0 ino=12 index=2-2\n"
		"0 0.000003000 [001] --1 lost from=2000 count=0\n"
		"3 0.000003000 [001] <...>-42 fault dev=254,0 ino=12 index=3-3\n"
		"4 0.000004000 [000] <...>-42 fault dev=254,0 ino=12 index=4-4\n"
		/* what was left in the ring buffer for good */
		"0 0.000004000 [001] --1 lost from=0 count=7\n"
		/* three events that no page's flag tells where */
		"0 0.000004000 [002] --1 lost from=0 count=3\n"
		"loss: cpu 1: overrun 9, commit overrun 0, dropped 0, unread 7, absent 7\n"
		"loss: cpu 2: overrun 0, commit overrun 1, dropped 2, unread 0, absent 0\n"
		"events: lost: 4\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct trace_builder *tb = tb_new(layouts[i]);
		char *text, *out, *line, *save = NULL;
		struct err e;
		int ret;

		tb_fault(tb, 1, 1000, 42, 12, 1);
		tb_missed(tb, 1, 9);
		tb_fault(tb, 1, 2000, 42, 12, 2);
		tb_missed(tb, 1, 0);
		tb_fault(tb, 1, 3000, 42, 12, 3);
		tb_fault(tb, 0, 4000, 42, 12, 4);
		tb_stats(tb, 1, 7, 9, 0, 0);
		tb_stats(tb, 2, 0, 0, 1, 2);
		tb_write(tb, "t.dat");
		tb_free(tb);
		text = trace_text("t.dat", DUMP_EVENTS | DUMP_COUNTS, &ret, &e);
		assert_int_equal(ret, 0);
		/* events and losses only */
		out = xmalloc(strlen(text) + 1);
		*out = '\0';
		for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			if (strchr("0123456789", *line) || str_after(line, "loss") ||
			    str_after(line, "events: lost"))
				strcat(strcat(out, line), "\n");
		}
		assert_string_equal(out, want);
		free(out);
		free(text);
	}
}

/* Overrun that no page has a flag for happened anywhere. */
static void test_overrun_without_flag(void **state)
{
	struct trace_builder *tb = tb_new(TB_V7);
	char *text;
	struct err e;
	int ret;

	(void)state;
	tb_fault(tb, 0, 1000, 42, 12, 1);
	tb_stats(tb, 0, 0, 5, 0, 0);
	tb_write(tb, "t.dat");
	tb_free(tb);
	text = trace_text("t.dat", DUMP_EVENTS, &ret, &e);
	assert_int_equal(ret, 0);
	assert_string_equal(text,
			    "1 0.000001000 [000] <...>-42 fault dev=254,0 ino=12 index=1-1\n"
			    "0 0.000001000 [000] --1 lost from=0 count=5\n");
	free(text);
}

/*
 * Counters that were read before the recorders had emptied the buffers: what the
 * file has is not lost.  A kernel that does not count what was read leaves no choice.
 */
static void test_early_counters(void **state)
{
	static const char other[] = "\nBuffer: other\n\n";
	static const char of_other[] = "CPU: 0\nentries: 1\noverrun: 0\nread events: 3\n";
	static const char old[] = "CPU: 3\nentries: 2\noverrun: 0\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct trace_builder *tb = tb_new(layouts[i]);
		char *text;
		struct err e;
		int ret;

		tb_fault(tb, 0, 1000, 42, 12, 1);
		tb_fault(tb, 0, 2000, 42, 12, 2);
		tb_fault(tb, 1, 3000, 42, 12, 3);
		tb_fault(tb, 3, 4000, 42, 12, 3);
		tb_stats_early(tb, 0, 2);
		tb_stats_early(tb, 1, 1);
		tb_stats(tb, 2, 0, 0, 0, 0);
		/* of four that the instance's CPU had, one is in the file */
		tb_instance(tb, "other");
		tb_fault(tb, 0, 1500, 42, 12, 2);
		tb_option(tb, 2, old, sizeof(old));
		tb_option(tb, 2, other, sizeof(other));
		tb_option(tb, 2, of_other, sizeof(of_other));
		tb_write(tb, "t.dat");
		tb_free(tb);
		text = trace_text("t.dat", DUMP_EVENTS | DUMP_COUNTS, &ret, &e);
		assert_int_equal(ret, 0);
		assert_non_null(strstr(text, "\n0 0.000004000 [000] --1 lost from=0 count=3\n"));
		assert_non_null(strstr(text, "loss: cpu 0: overrun 0, commit overrun 0, dropped 0, "
					     "unread 3, absent 3\n"));
		assert_non_null(strstr(text, "loss: cpu 1: overrun 0, commit overrun 0, dropped 0, "
					     "unread 1, absent 0\n"));
		assert_non_null(strstr(text, "events: lost: 2\n"));
		free(text);
	}
}

/* Instances: all buffers are merged; of equal times the top buffer comes first. */
static void test_instances(void **state)
{
	static const unsigned int flags[] = { TB_V6, TB_V7, TB_V7 | TB_ZSTD };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct trace_builder *tb = tb_new(flags[i]);
		char *text;
		struct err e;
		int ret;

		tb_instance(tb, "blkproof");
		tb_fault(tb, 0, 1000, 42, 12, 2);
		tb_fault(tb, 1, 1500, 42, 12, 3);
		tb_instance(tb, NULL);
		tb_fault(tb, 1, 1000, 42, 12, 1);
		tb_instance(tb, "other");
		tb_fault(tb, 0, 1600, 42, 12, 4);
		tb_write(tb, "t.dat");
		tb_free(tb);
		text = trace_text("t.dat", DUMP_EVENTS, &ret, &e);
		assert_string_equal(e.msg, "");
		assert_string_equal(text,
				    "1 0.000001000 [001] <...>-42 fault dev=254,0 ino=12 index=1-1\n"
				    "2 0.000001000 [000] <...>-42 fault dev=254,0 ino=12 index=2-2\n"
				    "3 0.000001500 [001] <...>-42 fault dev=254,0 ino=12 index=3-3\n"
				    "4 0.000001600 [000] <...>-42 fault dev=254,0 ino=12 index=4-4\n");
		free(text);
	}
}

/* ---- options that change time; little-endian files ---- */

static const struct {
	const char *name;
	unsigned int id;
	const char *data;
	size_t len;
	u64 ts; /* of an event at 1000 on CPU 0 */
} times[] = {
	{ "DATE is in us", 1, "0x10", 5, 17000 },
	{ "OFFSET", 7, "500", 4, 1500 },
	{ "a negative OFFSET", 7, "-500", 5, 500 },
	{ "TSC2NSEC: times 3, shifted by 1", 14, "\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 16, 1500 },
	{ "TIME_SHIFT of one sample", 12,
	  "\1\0\0\0\0\0\0\0" "\0\0\0\0" "\1\0\0\0" /* peer, flags, CPUs */
	  "\1\0\0\0"				   /* samples */
	  "\0\0\0\0\0\0\0\0"			   /* time */
	  "\x18\xfc\xff\xff\xff\xff\xff\xff"	   /* offset -1000 */
	  "\1\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0",   /* scaling, fraction */
	  52, 0 },
	{ "TIME_SHIFT interpolated between 0 and 2000", 12,
	  "\1\0\0\0\0\0\0\0" "\1\0\0\0" "\1\0\0\0"
	  "\2\0\0\0"
	  "\0\0\0\0\0\0\0\0" "\xd0\x07\0\0\0\0\0\0"
	  "\0\0\0\0\0\0\0\0" "\x64\0\0\0\0\0\0\0" /* offsets 0 and 100 */
	  "\1\0\0\0\0\0\0\0" "\1\0\0\0\0\0\0\0"
	  "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0",
	  84, 1050 },
	{ "GUEST changes nothing", 13, "vm\0\1\0\0\0\0\0\0\0\0\0\0\0", 15, 1000 },
	{ "an unknown option changes nothing", 4711, "xyz", 3, 1000 },
};

static void test_times(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(times); i++) {
		const unsigned int k = (unsigned int)i / 2;
		struct trace_builder *tb = tb_new(i & 1 ? TB_V6 : TB_V7);
		struct trace *t;
		struct event ev;
		struct err e;

		print_message("  %s\n", times[k].name);
		tb_fault(tb, 0, 1000, 42, 12, 1);
		tb_option(tb, times[k].id, times[k].data, times[k].len);
		tb_write(tb, "t.dat");
		tb_free(tb);
		assert_int_equal(trace_open(&t, "t.dat", 0, &e), 0);
		assert_int_equal(trace_next(t, &ev, &e), 1);
		assert_int_equal(ev.ts, times[k].ts);
		assert_int_equal(trace_next(t, &ev, &e), 0);
		trace_close(t);
	}
}

/* A TIME_SHIFT that makes no sense is damage, and changes nothing with --partial. */
static void test_bad_time_shift(void **state)
{
	static const char shift[] = "\1\0\0\0\0\0\0\0" "\0\0\0\0" "\1\0\0\0" "\1\0\0\0"
				    "\0\0\0\0\0\0\0\0" "\1\0\0\0\0\0\0\0"
				    "\1\0\0\0\0\0\0\0" "\x40\0\0\0\0\0\0"; /* a fraction of 64 */
	struct trace_builder *tb = tb_new(TB_V7);
	char *text;
	struct err e;
	int ret;

	(void)state;
	tb_fault(tb, 0, 1000, 42, 12, 1);
	tb_option(tb, 12, shift, sizeof(shift));
	tb_write(tb, "t.dat");
	tb_free(tb);
	free(trace_text("t.dat", 0, &ret, &e));
	assert_int_equal(ret, -EBADMSG);
	assert_non_null(strstr(e.msg, "expected a fraction of TIME_SHIFT of at most 63 bits"));
	text = trace_text("t.dat", DUMP_EVENTS | DUMP_PARTIAL, &ret, &e);
	assert_int_equal(ret, 0);
	assert_non_null(str_after(text, "1 0.000001000 "));
	free(text);
}

/* A clock that counts cycles has times only if the file says how long a cycle is. */
static void test_clock_counts(void **state)
{
	static const struct {
		const char *clock;
		bool tsc2nsec, counts;
	} clocks[] = { { "mono", false, false }, { "x86-tsc", false, true },
		       { "x86-tsc", true, false }, { "counter", false, true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct trace_builder *tb = tb_new(TB_V7);
		struct trace *t;
		struct err e;

		tb_clock(tb, clocks[i].clock);
		tb_fault(tb, 0, 1000, 42, 12, 1);
		if (clocks[i].tsc2nsec)
			tb_option(tb, 14, "\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 16);
		tb_write(tb, "t.dat");
		tb_free(tb);
		assert_int_equal(trace_open(&t, "t.dat", 0, &e), 0);
		assert_int_equal(trace_info(t)->clock_counts, clocks[i].counts);
		trace_close(t);
	}
}

/* ---- damage ---- */

/* Changes one number of a good version 7 file without compression. */
static const struct {
	const char *name;
	const char *find; /* bytes after the last of these ... */
	size_t find_len;
	int skip; /* ... and this many more */
	const char *bytes;
	size_t n;
	const char *message; /* after "t.dat: at byte N: " */
} damages[] = {
	{ "magic", "\x17\x08", 2, 3, "X", 1, NULL },
	{ "version", "tracing", 7, 0, "5", 1, "expected version 6 or 7, found \"5\"" },
	{ "byte order", "tracing7", 9, 0, "\2", 1, "expected byte order 0 (little) or 1 (big), found 2" },
	{ "long", "tracing7", 9, 1, "\3", 1, "expected longs of 4 or 8 bytes, found 3" },
	{ "page size", "tracing7", 9, 2, "\1\0\0\0", 4, "expected a page size between 64 and 4194304, found 1" },
	{ "compression", "tracing7", 9, 6, "nony", 4, "expected compression \"none\", \"zstd\" or \"zlib\", found \"nony\"" },
	{ "a section's size", "tracing7", 9, 6 + 5 + 4 + 8 + 8, "\xff\xff\xff\xff\xff\xff\xff\xff", 8,
	  "expected 18446744073709551615 bytes of section 16, the file ends" },
	{ "header_page", "header_pag", 10, 0, "x", 1, "expected \"header_page\"" },
	{ "a format", "name: mm_filemap_faul", 21, 0, "\n", 1,
	  "expected an event format (\"name: ...\", \"ID: ...\") of system filemap" },
};

static void test_damage(void **state)
{
	struct trace_builder *tb = example(TB_V7);
	u8 *good, *bad;
	size_t len;

	(void)state;
	tb_build(tb, &good, &len);
	tb_free(tb);
	bad = xmalloc(len);
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		u8 *at;
		char *text, *message;
		struct err e;
		int ret;

		print_message("  %s\n", damages[i].name);
		memcpy(bad, good, len);
		at = memmem(bad, len, damages[i].find, damages[i].find_len);
		assert_non_null(at);
		memcpy(at + damages[i].find_len + damages[i].skip, damages[i].bytes, damages[i].n);
		put_file("t.dat", bad, len);
		text = trace_text("t.dat", 0, &ret, &e);
		assert_int_not_equal(ret, 0);
		assert_memory_equal(e.msg, "t.dat: at byte ", 15);
		message = strstr(e.msg + 15, ": ");
		assert_non_null(message);
		if (damages[i].message && !str_after(message + 2, damages[i].message))
			fail_msg("%s", e.msg);
		free(text);
	}
	free(bad);
	free(good);
}

/* Where a damaged page is, and that --partial has what stands before it. */
static void test_page_damage(void **state)
{
	struct trace_builder *tb = example(TB_V7);
	char *text, want[256];
	const u64 *b;
	struct err e;
	unsigned int n;
	size_t len;
	u64 page = 0;
	u8 *data;
	int ret;

	(void)state;
	tb_build(tb, &data, &len);
	b = tb_boundaries(tb, &n);
	for (unsigned int i = 0; i < n; i++) { /* CPU 0 has one page; then come CPU 1's */
		if (b[i] && b[i] % 4096 == 0 && !page)
			page = b[i] + 4096;
	}
	assert_true(page && page + 2 * 4096 < len);
	data[page + 4096 + 9] = 0xff; /* the second page's commit: 0xff.. */
	put_file("t.dat", data, len);
	text = trace_text("t.dat", DUMP_EVENTS, &ret, &e);
	assert_int_equal(ret, -EBADMSG);
	snprintf(want, sizeof(want),
		 "t.dat: at byte %ju: CPU 1: expected records that fit into the page (byte 8 of a page)",
		 (uintmax_t)(page + 4096 + 8));
	assert_string_equal(e.msg, want);
	free(text);
	text = trace_text("t.dat", DUMP_EVENTS | DUMP_COUNTS | DUMP_PARTIAL, &ret, &e);
	assert_int_equal(ret, 0);
	assert_non_null(strstr(text, want));
	/* CPU 0 is whole, CPU 1 has its first page */
	assert_int_equal(lines_with(text, " rq_complete "), 1);
	assert_true(lines_with(text, " folio_add ") > 50 && lines_with(text, " folio_add ") < 200);
	free(text);
	free(data);
	tb_free(tb);
}

static const struct {
	const char *name, *content;
	size_t len;
	const char *message;
} others[] = {
	{ "empty", "", 0, "empty: at byte 0: expected a trace, the file is empty" },
	{ "noise", "\1\2\3\4\5\6\7\10", 8,
	  "noise: at byte 0: expected a trace.dat, blktrace or blkparse file, found neither" },
	{ "magic", "\x17\x08\x44", 3,
	  "magic: at byte 0: expected 10 bytes of the magic of a trace.dat, the file ends at byte 3 (truncated?)" },
};

static void test_other_files(void **state)
{
	struct err e;
	int ret;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		put_file(others[i].name, others[i].content, others[i].len);
		free(trace_text(others[i].name, 0, &ret, &e));
		assert_true(ret < 0);
		assert_string_equal(e.msg, others[i].message);
		free(trace_text(others[i].name, DUMP_PARTIAL, &ret, &e));
		assert_true(ret < 0);
	}
	free(trace_text("/dev/null", 0, &ret, &e));
	assert_string_equal(e.msg, "/dev/null: not a regular file");
}

/* ---- truncation ---- */

static u64 random_state = 1;

static u64 random_below(u64 n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % n;
}

static void cut(const u8 *data, size_t len, unsigned int all_events)
{
	char *text;
	struct err e;
	int ret;

	put_file("cut.dat", data, len);
	text = trace_text("cut.dat", DUMP_EVENTS, &ret, &e);
	if (ret >= 0 || !str_after(e.msg, "cut.dat: at byte "))
		fail_msg("cut at %zu: returned %d, \"%s\"", len, ret, e.msg);
	free(text);
	text = trace_text("cut.dat", DUMP_EVENTS | DUMP_COUNTS | DUMP_PARTIAL, &ret, &e);
	if (!ret && !strstr(text, "\ndamage: cut.dat: at byte "))
		fail_msg("cut at %zu: --partial says nothing of the damage", len);
	assert_true(lines_with(text, " [0") <= all_events);
	free(text);
}

static void test_truncation(void **state)
{
	static const unsigned int cuts[] = { TB_V6, TB_V6 | TB_LONG32 | TB_BIG_ENDIAN, TB_V7,
					     TB_V7 | TB_ZSTD, TB_V7 | TB_ZLIB | TB_BIG_ENDIAN };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		struct trace_builder *tb = example(cuts[i]);
		unsigned int n;
		const u64 *b;
		size_t len;
		u8 *data;

		tb_build(tb, &data, &len);
		b = tb_boundaries(tb, &n);
		assert_true(n > 10);
		for (unsigned int k = 0; k + 1 < n; k++) {
			cut(data, b[k], 314);
			cut(data, b[k] + 1, 314);
			cut(data, b[k + 1] - 1, 314);
		}
		for (unsigned int k = 0; k < 200; k++)
			cut(data, random_below(len), 314);
		free(data);
		tb_free(tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),	 cmocka_unit_test(test_info),
		cmocka_unit_test(test_losses),	 cmocka_unit_test(test_overrun_without_flag),
		cmocka_unit_test(test_early_counters), cmocka_unit_test(test_clock_counts),
		cmocka_unit_test(test_instances), cmocka_unit_test(test_times),
		cmocka_unit_test(test_bad_time_shift),
		cmocka_unit_test(test_damage),	 cmocka_unit_test(test_page_damage),
		cmocka_unit_test(test_other_files), cmocka_unit_test(test_truncation),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
