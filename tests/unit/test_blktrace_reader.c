// SPDX-License-Identifier: GPL-2.0-only
/* blktrace files, one and many, whole and damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/make_blktrace.h"
#include "tests/unit/trace_text.h"
#include "verify/input/dump.h"

#define DEVICE (259u << 20 | 3)

static const unsigned int layouts[] = { 0, BB_V8, BB_BIG_ENDIAN, BB_V8 | BB_BIG_ENDIAN };

/* One request from queue to completion, and the notes around it. */
static struct blktrace_builder *example(unsigned int flags)
{
	static const u8 remap[16];
	struct blktrace_builder *bb = bb_new(flags);
	u32 cat = BB_READ | BB_AHEAD;

	bb_add(bb, (struct bb_record){ .time = 900, .category = BB_NOTIFY, .act = 1,
				       .device = DEVICE, .cpu = 1, .pdu = "12345678", .pdu_len = 8 });
	bb_process(bb, 950, 42, "cat");
	bb_add(bb, (struct bb_record){ 1000, 2048, 4096, cat | BB_QUEUE, 15, 42, DEVICE, 1, 0, 0, 0,
				       remap, 16 });
	bb_add(bb, (struct bb_record){ 1001, 2048, 4096, cat | BB_QUEUE, 1, 42, DEVICE, 1, 0, 0,
				       0x1234, NULL, 0 });
	bb_add(bb, (struct bb_record){ 1002, 2048, 4096, cat | BB_QUEUE, 4, 42, DEVICE, 1, 0, 0, 0,
				       NULL, 0 });
	bb_add(bb, (struct bb_record){ 1003, 0, 0, BB_QUEUE, 9, 42, DEVICE, 1, 0, 0, 0, NULL, 0 });
	bb_add(bb, (struct bb_record){ .time = 1004, .category = BB_NOTIFY, .act = 2,
				       .pid = 42, .device = DEVICE, .cpu = 1, .pdu = "hi",
				       .pdu_len = 2 });
	bb_add(bb, (struct bb_record){ 1005, 2048, 4096, cat | BB_ISSUE, 7, 42, DEVICE, 1, 0, 0, 0,
				       NULL, 0 });
	bb_add(bb, (struct bb_record){ 2000, 2048, 4096, cat | BB_COMPLETE, 8, 0, DEVICE, 1, 0, -5,
				       0, NULL, 0 });
	bb_add(bb, (struct bb_record){ 2001, 0, 0, BB_READ | BB_FLUSH | BB_SYNC | BB_ISSUE, 7, 42,
				       DEVICE, 1, 0, 0, 0, NULL, 0 });
	bb_add(bb, (struct bb_record){ 2002, 8, 512, BB_WRITE | BB_DISCARD | BB_QUEUE, 12, 42,
				       DEVICE, 1, 0, 0, 0, NULL, 0 });
	return bb;
}

static const char want[] =
	"1 0.000001000 [001] cat-42 rq_remap dev=259,3 sector=2048 bytes=4096 RA error=0 sequence=1\n"
	"2 0.000001001 [001] cat-42 rq_queue dev=259,3 sector=2048 bytes=4096 RA error=0 sequence=2\n"
	"3 0.000001002 [001] cat-42 rq_get dev=259,3 sector=2048 bytes=4096 RA error=0 sequence=3\n"
	"4 0.000001003 [001] cat-42 rq_other dev=259,3 sector=0 bytes=0 N error=0 sequence=4\n"
	"5 0.000001004 [001] cat-42 rq_other dev=259,3 sector=0 bytes=0 N error=0 sequence=0\n"
	"6 0.000001005 [001] cat-42 rq_issue dev=259,3 sector=2048 bytes=4096 RA error=0 sequence=5\n"
	"7 0.000002000 [001] <idle>-0 rq_complete dev=259,3 sector=2048 bytes=4096 RA error=-5 sequence=6\n"
	"8 0.000002001 [001] cat-42 rq_issue dev=259,3 sector=0 bytes=0 FS error=0 sequence=7\n"
	"9 0.000002002 [001] cat-42 rq_insert dev=259,3 sector=8 bytes=512 D error=0 sequence=8\n";

static void test_layouts(void **state)
{
	static const char *const formats[] = { "format: blktrace v7\n", "format: blktrace v8\n",
					       "format: blktrace v7 big-endian\n",
					       "format: blktrace v8 big-endian\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct blktrace_builder *bb = example(layouts[i]);
		struct err e;
		char *text;
		int ret;

		bb_write(bb, "x.blktrace.0");
		bb_free(bb);
		text = trace_text("x.blktrace.0", DUMP_EVENTS | DUMP_COUNTS, &ret, &e);
		assert_int_equal(ret, 0);
		assert_memory_equal(text, want, sizeof(want) - 1);
		assert_non_null(strstr(text, formats[i]));
		assert_non_null(strstr(text, "events: rq_queue: 1\n"));
		assert_null(strstr(text, "events: rq_merge"));
		free(text);
	}
}

static void issue(struct blktrace_builder *bb, u64 time, u32 cpu, u32 device, u32 sequence)
{
	bb_add(bb, (struct bb_record){ time, time, 512, BB_READ | BB_ISSUE, 7, 1, device, cpu,
				       sequence, 0, 0, NULL, 0 });
}

/* A set of two CPUs, by each of its names; CPU 10 sorts behind CPU 2. */
static void test_sets(void **state)
{
	static const struct {
		const char *path;
		unsigned int events;
		const char *error;
	} paths[] = {
		{ "set/a", 3, NULL },
		{ "set/a.blktrace.2", 2, NULL },
		{ "set", 4, NULL },
		{ "set/b", 1, NULL },
		{ "set/c", 0, "set/c: no such file, and no set/c.blktrace.N either" },
		{ "none", 0, "none: expected a directory with files NAME.blktrace.N, found none" },
		{ "nowhere/a", 0, "nowhere: No such file or directory" },
	};
	struct blktrace_builder *a2 = bb_new(0), *a10 = bb_new(0), *b = bb_new(BB_V8);
	struct err e;
	int ret;

	(void)state;
	mkdir("set", 0777);
	mkdir("none", 0777);
	issue(a2, 1000, 2, DEVICE, 0);
	issue(a2, 3000, 2, DEVICE, 0);
	issue(a10, 2000, 10, DEVICE, 0);
	issue(b, 1500, 0, DEVICE + 1, 0);
	bb_write(a2, "set/a.blktrace.2");
	bb_write(a10, "set/a.blktrace.10");
	bb_write(b, "set/b.blktrace.0");
	put_file("set/a.blktrace.3", "", 0); /* a CPU without a record */
	put_file("set/a.blktrace.x", "?", 1);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		char *text = trace_text(paths[i].path, DUMP_EVENTS, &ret, &e);

		print_message("  %s\n", paths[i].path);
		assert_int_equal(!ret, !paths[i].error);
		assert_int_equal(lines_with(text, "rq_issue"), paths[i].events);
		assert_int_equal(lines_with(text, "lost"), 0);
		if (paths[i].error)
			assert_string_equal(e.msg, paths[i].error);
		if (paths[i].events == 3) {
			assert_true(strstr(text, "1 0.000001000 [002]") &&
				    strstr(text, "2 0.000002000 [010]") &&
				    strstr(text, "3 0.000003000 [002]"));
		}
		free(text);
	}
	bb_free(a2);
	bb_free(a10);
	bb_free(b);
}

/* Numbers are counted for each device on each CPU; every gap is a loss. */
static void test_gaps(void **state)
{
	struct blktrace_builder *bb = bb_new(0);
	struct err e;
	char *text;
	int ret;

	(void)state;
	issue(bb, 1000, 0, 1, 1);
	issue(bb, 1001, 1, 1, 3); /* 1 and 2 are missing */
	issue(bb, 1002, 0, 2, 1);
	issue(bb, 1003, 0, 1, 2);
	issue(bb, 1004, 0, 1, 7); /* 3 to 6 */
	issue(bb, 1005, 0, 2, 2);
	issue(bb, 1006, 0, 2, 2); /* who knows */
	bb_write(bb, "x.blktrace.0");
	bb_free(bb);
	text = trace_text("x.blktrace.0", DUMP_EVENTS, &ret, &e);
	assert_int_equal(ret, 0);
	assert_int_equal(lines_with(text, "rq_issue"), 7);
	assert_int_equal(lines_with(text, "lost"), 3);
	assert_non_null(strstr(text, "0 0.000001001 [001] --1 lost from=0 count=2\n2 "));
	assert_non_null(strstr(text, "0 0.000001004 [000] --1 lost from=1003 count=4\n5 "));
	assert_non_null(strstr(text, "0 0.000001006 [000] --1 lost from=1005 count=0\n7 "));
	free(text);
}

/* Notes with the next number count; with any other, as from old kernels, they do not. */
static void test_numbered_notes(void **state)
{
	struct blktrace_builder *bb = bb_new(0);
	struct err e;
	char *text;
	int ret;

	(void)state;
	bb_add(bb, (struct bb_record){ .time = 999, .category = BB_NOTIFY, .device = 1,
				       .sequence = 1, .pdu = "cat", .pdu_len = 3 });
	issue(bb, 1000, 0, 1, 2);
	bb_add(bb, (struct bb_record){ .time = 1001, .category = BB_NOTIFY, .device = 1,
				       .sequence = 17, .pdu = "cat", .pdu_len = 3 });
	issue(bb, 1002, 0, 1, 3);
	bb_write(bb, "x.blktrace.0");
	bb_free(bb);
	text = trace_text("x.blktrace.0", DUMP_EVENTS, &ret, &e);
	assert_int_equal(ret, 0);
	assert_int_equal(lines_with(text, "rq_issue"), 2);
	assert_int_equal(lines_with(text, "lost"), 0);
	free(text);
}

/* Pieces of several CPUs in one file, as over a pipe: sorted, within limits. */
static void test_order(void **state)
{
	struct blktrace_builder *bb = bb_new(0);
	struct trace *t;
	struct event ev;
	struct err e;
	u64 last = 0, n = 0;

	(void)state;
	for (u32 piece = 0; piece < 20; piece++) {
		for (u32 i = 0; i < 500; i++)
			issue(bb, 1000 + (piece / 4) * 5000 + i * 10 + piece % 4, piece % 4, DEVICE,
			      (piece / 4) * 500 + i + 1);
	}
	bb_write(bb, "x.blktrace.0");
	assert_int_equal(trace_open(&t, "x.blktrace.0", 0, &e), 0);
	while (trace_next(t, &ev, &e) == 1) {
		assert_int_equal(ev.type, EV_RQ_ISSUE);
		assert_true(ev.ts > last);
		assert_int_equal(ev.seq, ++n);
		last = ev.ts;
	}
	assert_int_equal(n, 10000);
	trace_close(t);
	/* a record that is older than what was read ahead has room for */
	for (u32 i = 0; i < 70000; i++)
		issue(bb, 100000 + i, 0, DEVICE + 1, i + 1);
	issue(bb, 500, 1, DEVICE + 1, 1);
	bb_write(bb, "x.blktrace.0");
	bb_free(bb);
	assert_int_equal(trace_open(&t, "x.blktrace.0", 0, &e), 0);
	while ((n = (u64)trace_next(t, &ev, &e)) == 1)
		;
	assert_int_equal((int)n, -EBADMSG);
	assert_non_null(strstr(e.msg, "expected a record that is at most 65536 records away"));
	trace_close(t);
}

static const struct {
	const char *name;
	u32 at; /* within the second record */
	u32 value;
	u32 size;
	const char *message;
} damages[] = {
	{ "magic", 0, 0x12345678, 4, "expected a record's magic 0x656174, found 0x12345678" },
	{ "version", 0, 0x65617406, 4, "expected a record of version 7 or 8, found 6" },
	{ "cpu", 40, 8192, 4, "expected a record of a CPU below 8192, found 8192" },
	{ "byte order", 0, 0x07746165, 4, "expected a record of the file's byte order" },
	{ "data", 46, 0xffff, 2, "expected 65535 bytes of a record's data, the file ends" },
};

static void test_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		struct blktrace_builder *bb = bb_new(0);
		u8 copy[200];
		struct err e;
		size_t len;
		char *text;
		int ret;

		print_message("  %s\n", damages[i].name);
		issue(bb, 1, 0, 1, 0);
		issue(bb, 2, 0, 1, 0);
		issue(bb, 3, 0, 1, 0);
		memcpy(copy, bb_data(bb, &len), 144);
		bb_free(bb);
		assert_int_equal(len, 144);
		for (u32 k = 0; k < damages[i].size; k++) /* the builder's order is little */
			copy[48 + damages[i].at + k] = (u8)(damages[i].value >> 8 * k);
		put_file("x", copy, len);
		free(trace_text("x", 0, &ret, &e));
		assert_int_equal(ret, -EBADMSG);
		assert_non_null(str_after(e.msg, "x: at byte "));
		assert_non_null(strstr(e.msg, damages[i].message));
		text = trace_text("x", DUMP_EVENTS | DUMP_COUNTS | DUMP_PARTIAL, &ret, &e);
		assert_int_equal(ret, 0);
		assert_int_equal(lines_with(text, " rq_issue dev"), 1);
		assert_int_equal(lines_with(text, damages[i].message), 1);
		free(text);
	}
}

/*
 * Cut anywhere.  Between two records nothing in the file tells that there
 * were more; then only the count differs.
 */
static void test_truncation(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct blktrace_builder *bb = example(layouts[i]);
		unsigned int n, whole = 0;
		size_t len;
		const u8 *data = bb_data(bb, &len);
		const u64 *ends = bb_ends(bb, &n);

		for (size_t k = 1; k < len; k++) {
			bool boundary = k == ends[whole];
			struct err e;
			char *text;
			int ret;

			put_file("x.blktrace.0", data, k);
			text = trace_text("x.blktrace.0", DUMP_EVENTS, &ret, &e);
			if (boundary) {
				whole++;
				assert_int_equal(ret, 0);
				assert_true(lines_with(text, " [001] ") < 9);
			} else {
				assert_true(ret < 0);
				assert_non_null(str_after(e.msg, "x.blktrace.0: at byte "));
			}
			free(text);
			text = trace_text("x.blktrace.0", DUMP_COUNTS | DUMP_PARTIAL, &ret, &e);
			assert_int_equal(!ret && !strstr(text, "\ndamage: "), boundary);
			free(text);
		}
		assert_int_equal(whole, n - 1);
		bb_free(bb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts), cmocka_unit_test(test_sets),
		cmocka_unit_test(test_gaps),	cmocka_unit_test(test_numbered_notes),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_damage),	cmocka_unit_test(test_truncation),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
