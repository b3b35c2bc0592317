// SPDX-License-Identifier: GPL-2.0-only
/* blkparse's text, as blkparse 1.2.0 prints it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/trace_text.h"
#include "verify/input/dump.h"

static const struct {
	const char *line, *want;
} lines[] = {
	{ "  8,52   3        1     0.000843237   276  A  RA 2348060440 + 8 <- (259,1) 2348058392\n",
	  "1 0.000843237 [003] <...>-276 rq_remap dev=8,52 sector=2348060440 bytes=4096 RA error=0 sequence=1\n" },
	{ "  8,52   3        1     0.000843237   276  Q  RA 2048 + 8 [cat]\n",
	  "1 0.000843237 [003] cat-276 rq_queue dev=8,52 sector=2048 bytes=4096 RA error=0 sequence=1\n" },
	{ "  8,52   3        1     0.000843237   276  M FWFSM 2048 + 8 [a [b] c]\n",
	  "1 0.000843237 [003] a [b] c-276 rq_merge dev=8,52 sector=2048 bytes=4096 FWFSM error=0 sequence=1\n" },
	{ "259,3    1        1     9.000000001 12345  C   W 2048 + 1024 [0]\n",
	  "1 9.000000001 [001] <...>-12345 rq_complete dev=259,3 sector=2048 bytes=524288 W error=0 sequence=1\n" },
	{ "259,3    1        1     9.000000001     0  C   R 2048 + 8 [65531]\n",
	  "1 9.000000001 [001] <idle>-0 rq_complete dev=259,3 sector=2048 bytes=4096 R error=-5 sequence=1\n" },
	{ "259,3    1        1     9.000000001     0  C  FN 0 [0]\n",
	  "1 9.000000001 [001] <idle>-0 rq_complete dev=259,3 sector=0 bytes=0 F error=0 sequence=1\n" },
	{ "  8,0    1        1     0.000000000   276  D   R 36 (12 00 00 00 24 00 ..) [sg_inq]\n",
	  "1 0.000000000 [001] sg_inq-276 rq_issue dev=8,0 sector=0 bytes=36 R error=0 sequence=1\n" },
	{ "  8,0    1        1     0.000000000   276  P   N [cat]\n",
	  "1 0.000000000 [001] cat-276 rq_other dev=8,0 sector=0 bytes=0 N error=0 sequence=1\n" },
	{ "  8,0    1        1     0.000000000   276  U   N [cat] 1\n",
	  "1 0.000000000 [001] cat-276 rq_other dev=8,0 sector=0 bytes=0 N error=0 sequence=1\n" },
	{ "  8,0    1        1     0.000000000   276  X   R 2048 / 2056 [cat]\n",
	  "1 0.000000000 [001] cat-276 rq_other dev=8,0 sector=2048 bytes=0 R error=0 sequence=1\n" },
	{ "  8,0    1        0     0.000000000   276  m   N cfq workload slice:100\n",
	  "1 0.000000000 [001] <...>-276 rq_other dev=8,0 sector=0 bytes=0 N error=0 sequence=0\n" },
	{ "  8,0    1        1     0.000000000   276  D   D 2048 + 8 [fstrim]\n",
	  "1 0.000000000 [001] fstrim-276 rq_issue dev=8,0 sector=2048 bytes=4096 D error=0 sequence=1\n" },
	/* a name is whatever somebody chose: a terminal must not obey it */
	{ "  8,0    1        1     0.000000000   276  Q   R 2048 + 8 [\x1b[2J%n\xc3\xa9]\n",
	  "1 0.000000000 [001] \\x1b[2J%n\\xc3\\xa9-276 rq_queue dev=8,0 sector=2048 bytes=4096 R error=0 sequence=1\n" },
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct err e;
		char *text;
		int ret;

		put_file("t.txt", lines[i].line, strlen(lines[i].line));
		text = trace_text("t.txt", DUMP_EVENTS, &ret, &e);
		assert_string_equal(e.msg, "");
		assert_int_equal(ret, 0);
		assert_string_equal(text, lines[i].want);
		free(text);
	}
}

#define D(sequence, time) \
	"  8,0    1 " sequence "     0.00000" time "   276  D   R 2048 + 8 [cat]\n"

static const struct {
	const char *name, *text;
	unsigned int events, lost;
	const char *has;   /* in the dump */
	const char *error; /* NULL: none */
} files[] = {
	{ "with a summary",
	  D("1", "0001") D("2", "0002")
	  "CPU1 (sda):\n Reads Queued:           0,        0KiB\t Writes Queued:           0,        0KiB\n"
	  "\nThroughput (R/W): 0KiB/s / 0KiB/s\nEvents (sda): 2 entries\n"
	  "Skips: 0 forward (0 -   0.0%)\n", 2, 0, "events: rq_issue: 2\n", NULL },
	{ "events that blkparse skipped",
	  D("1", "0001") "Throughput (R/W): 0KiB/s / 0KiB/s\nSkips: 1 forward (17 -   9.0%)\n", 1, 1,
	  "lost from=0 count=17\nformat", NULL },
	{ "a gap", D("1", "0001") D("5", "0002"), 2, 1, "lost from=1 count=3\n", NULL },
	{ "live output is not quite in order", D("1", "0001") D("3", "0003") D("2", "0002"), 3, 2,
	  "", NULL },
	{ "an unknown line", D("1", "0001") "hello\n" D("2", "0002"), 0, 0, "",
	  "t.txt: at byte 57: expected a line of blkparse, found \"hello\"" },
	{ "an unknown action", D("1", "0001") "  8,0    1  2     0.000000002   276  q   R 2048 + 8 [cat]\n",
	  0, 0, "", "t.txt: at byte 57: expected a line of blkparse, found \"  8,0    1  2     0.000000002   276  q   R 2048 + 8 [cat]\"" },
	{ "cut within a line", D("1", "0001") "  8,0    1  2", 0, 0, "",
	  "t.txt: at byte 57: expected a line that ends with a newline, the file ends at byte 70 (truncated?)" },
	{ "a number that is too large", D("99999999999", "0001"), 0, 0, "",
	  "t.txt: at byte 0: expected a trace.dat, blktrace or blkparse file, found neither" },
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct err e;
		char *text;
		int ret;

		print_message("  %s\n", files[i].name);
		put_file("t.txt", files[i].text, strlen(files[i].text));
		text = trace_text("t.txt", DUMP_EVENTS | DUMP_COUNTS, &ret, &e);
		assert_string_equal(e.msg, files[i].error ? files[i].error : "");
		assert_int_equal(!ret, !files[i].error);
		assert_int_equal(lines_with(text, " rq_issue dev"), files[i].events);
		assert_int_equal(lines_with(text, " lost from"), files[i].lost);
		assert_non_null(strstr(text, files[i].has));
		free(text);
		text = trace_text("t.txt", DUMP_EVENTS | DUMP_COUNTS | DUMP_PARTIAL, &ret, &e);
		if (!ret && files[i].error) {
			assert_non_null(strstr(text, files[i].error));
			assert_int_equal(lines_with(text, " rq_issue dev"), 1);
		}
		free(text);
	}
}

/* Many lines: more than one window of text, and longer than any line may be. */
static void test_long(void **state)
{
	size_t len = 0, size = 1 << 20;
	char *text = xmalloc(size), *out;
	struct err e;
	int ret;

	(void)state;
	for (unsigned int i = 1; i <= 5000; i++)
		len += (size_t)snprintf(text + len, size - len,
					"  8,0    1 %u     1.%09u   276  D   R %u + 8 [cat]\n", i, i, i);
	put_file("t.txt", text, len);
	out = trace_text("t.txt", DUMP_EVENTS, &ret, &e);
	assert_int_equal(ret, 0);
	assert_int_equal(lines_with(out, "rq_issue"), 5000);
	free(out);
	memset(text + len, 'x', 5000);
	text[len + 5000] = '\n';
	put_file("t.txt", text, len + 5001);
	free(trace_text("t.txt", 0, &ret, &e));
	assert_int_equal(ret, -EBADMSG);
	assert_non_null(strstr(e.msg, "expected a line of fewer than 4096 characters"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),
					   cmocka_unit_test(test_files),
					   cmocka_unit_test(test_long)};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
