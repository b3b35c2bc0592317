// SPDX-License-Identifier: GPL-2.0-only
/*
 * From traces to plans of block requests: what becomes a request, where it
 * lies, what is left out and said, and what is refused.  The traces are
 * blkparse's text, which the readers treat as they do blktrace's files.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fileio.h"
#include "replay/block_trace.h"

static char dir[32], in[64], out[64];

static int setup(void **state __unused_arg)
{
	strcpy(dir, "/tmp/test_block.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(in, sizeof(in), "%s/in", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	return 0;
}

static int teardown(void **state __unused_arg)
{
	return remove_tree(dir);
}

/* Makes a plan of @text; its text, or NULL and @e. */
static char *make(const char *text, bool iolog, const struct block_options *o, int *ret,
		  struct err *e)
{
	struct block_plan p;
	struct plan_writer w;
	char *plan;
	size_t len;

	e->msg[0] = '\0';
	assert_int_equal(file_write_atomic(in, text, strlen(text), e), 0);
	assert_int_equal(plan_create(&w, out, PLAN_BLOCK, e), 0);
	*ret = iolog ? block_plan_of_iolog(in, o, &w, &p, e)
		     : block_plan_of_trace(in, false, o, &w, &p, e);
	if (*ret) {
		plan_abandon(&w);
		block_plan_free(&p);
		return NULL;
	}
	block_plan_put_header(&w, &p);
	block_plan_free(&p);
	assert_int_equal(plan_finish(&w, e), 0);
	assert_int_equal(file_read(out, 1 << 20, &plan, &len, e), 0);
	return plan;
}

/* The same plan, read back: every line is one that a reader takes. */
static void reads_back(void)
{
	struct block_cursor c = {0};
	struct block_line l;
	struct plan_reader r;
	struct block_plan p;
	struct err e = {.msg = ""};
	int ret = plan_open(&r, out, false, &e);

	if (!ret)
		ret = block_plan_header(&r, &p, &e);
	while (!ret && (ret = block_plan_next(&r, &p, &c, &l, &e)) == 1)
		ret = 0;
	assert_string_equal(e.msg, "");
	assert_int_equal(ret, 0);
	plan_close(&r);
	block_plan_free(&p);
}

/* "CPU SEQ TIME PID ACTION ..." of device 8,0; T is in ns */
#define L(seq, t, rest) "8,0 0 " #seq " 0.00000" #t " 7 " rest "\n"
#define L1(seq, t, rest) "8,16 1 " #seq " 0.00000" #t " 7 " rest "\n"

static const struct {
	const char *what, *text;
	struct block_options o;
	const char *want[8]; /* lines of the plan, in order; or with NULL first: the error */
	const char *error;
} cases[] = {
	{ "reads and writes as issued; times from the first",
	  L(1, 1000, "D R 8 + 8 [a]") L(2, 1500, "D WS 16 + 16 [a]") L(3, 2000, "C R 8 + 8 [0]"),
	  { 0 }, { "action D", "requests 2 reads 1 writes 1 fua 0", "\nbegin\nR 0 8 8\nW 500 16 16\nend 2\n" }, 0 },
	{ "every operation and flag",
	  L(1, 1000, "D WFS 8 + 8 [a]") L(2, 1001, "D FN [a]") L(3, 1002, "D DS 0 + 64 [a]")
	  L(4, 1003, "D WZS 8 + 8 [a]") L(5, 1004, "D FWFS 16 + 8 [a]") L(6, 1005, "D FWS 24 + 8 [a]"),
	  { 0 }, { "requests 6 reads 0 writes 3 fua 2 preflush 2 flushes 1 discards 1 write-zeroes 1",
	  "\nbegin\nWF 0 8 8\nF 1\nD 2 0 64\nZ 3 8 8\nFWF 4 16 8\nFW 5 24 8\nend 6\n" }, 0 },
	{ "operations on zones are named",
	  L(1, 1000, "D R 8 + 8 [a]") L(2, 1001, "D ZR 0 + 0 [a]") L(3, 1002, "D ZAS 64 + 8 [a]")
	  L(4, 1003, "D ZF 0 + 524288 [a]"),
	  { 0 }, { "note 3 operations on zones (append, reset, finish, open, close)",
	  "\nbegin\nR 0 8 8\nend 1\n" }, 0 },
	{ "as submitted, merges and remaps not taken",
	  L(1, 1000, "A R 108 + 8 <- (8,1) 8") L(2, 1001, "Q R 108 + 8 [a]") L(3, 1002, "G R 108 + 8 [a]")
	  L(4, 1003, "A R 116 + 8 <- (8,1) 16") L(5, 1004, "Q R 116 + 8 [a]") L(6, 1005, "M R 116 + 8 [a]")
	  L(7, 1006, "D R 108 + 16 [a]") L(8, 2000, "C R 108 + 16 [0]"),
	  { .action = ACTION_Q }, { "action Q", "note 2 remaps (A)", "note 1 merges (M, F)",
	  "\nbegin\nR 0 108 8\nR 3 116 8\nend 2\n" }, 0 },
	{ "the same as issued: merged",
	  L(1, 1000, "A R 108 + 8 <- (8,1) 8") L(2, 1001, "Q R 108 + 8 [a]") L(3, 1002, "G R 108 + 8 [a]")
	  L(4, 1003, "A R 116 + 8 <- (8,1) 16") L(5, 1004, "Q R 116 + 8 [a]") L(6, 1005, "M R 116 + 8 [a]")
	  L(7, 1006, "D R 108 + 16 [a]") L(8, 2000, "C R 108 + 16 [0]"),
	  { 0 }, { "\nbegin\nR 0 108 16\nend 1\n" }, 0 },
	{ "dependencies: a merged completion is that of all it was merged of",
	  L(1, 1000, "Q R 108 + 8 [a]") L(2, 1001, "Q R 116 + 8 [a]") L(3, 1002, "Q W 500 + 8 [a]")
	  L(4, 1003, "C R 108 + 16 [0]") L(5, 1004, "Q R 8 + 8 [a]"),
	  { .dependencies = true }, { "dependencies yes",
	  "\nbegin\nR 0 108 8\nR 1 116 8\nW 2 500 8\nC 3 0\nC 3 1\nR 4 8 8\nend 6\n" }, 0 },
	{ "dependencies: a completion in two parts is one when both are done",
	  L(1, 1000, "D R 0 + 16 [a]") L(2, 1001, "C R 0 + 8 [0]") L(3, 1002, "D R 64 + 8 [a]")
	  L(4, 1003, "C R 8 + 8 [0]"),
	  { .dependencies = true }, { "\nbegin\nR 0 0 16\nR 2 64 8\nC 3 0\nend 3\n" }, 0 },
	{ "dependencies: equal requests complete one by one, the oldest first",
	  L(1, 1000, "D R 0 + 8 [a]") L(2, 1001, "R R 0 + 8 [0]") L(3, 1002, "D R 0 + 8 [a]")
	  L(4, 1003, "D R 0 + 8 [a]") L(5, 1004, "C R 0 + 8 [0]") L(6, 1005, "C R 0 + 8 [0]"),
	  { .dependencies = true }, { "note 1 D events of a request that was issued before",
	  "\nbegin\nR 0 0 8\nR 3 0 8\nC 4 0\nC 5 1\nend 4\n" }, 0 },
	{ "D and C alone: a request that is under way twice was issued again",
	  L(1, 1000, "D W 0 + 8 [a]") L(2, 1001, "D W 0 + 8 [a]") L(3, 1002, "C W 0 + 8 [0]")
	  L(4, 1003, "D W 0 + 8 [a]"),
	  { 0 }, { "note 1 D events of a request that was issued before",
	  "\nbegin\nW 0 0 8\nW 3 0 8\nend 2\n" }, 0 },
	{ "where more is traced, a request that is under way twice is two",
	  L(1, 1000, "Q R 0 + 8 [a]") L(2, 1000, "D R 0 + 8 [a]") L(3, 1001, "D R 0 + 8 [a]"),
	  { 0 }, { "\nbegin\nR 0 0 8\nR 1 0 8\nend 2\n" }, 0 },
	{ "completions without an issue",
	  L(1, 1000, "C R 800 + 8 [0]") L(2, 1001, "D R 8 + 8 [a]") L(3, 1002, "C R 8 + 8 [-5]"),
	  { 0 }, { "note 1 completions of requests that the trace has no issue of",
	  "note 1 requests that failed in the source", "\nbegin\nR 0 8 8\nend 1\n" }, 0 },
	{ "events without bytes that are no flush, and passthrough",
	  L(1, 1000, "D W 8 + 0 [a]") L(2, 1001, "D R 8 + 8 [a]") L(3, 1002, "D N 16 (12 00 ..) [a]")
	  L(4, 1003, "D R 0 + 0 [a]"),
	  { 0 }, { "note 1 requests that come from no file system", "note 2 events without an operation",
	  "\nbegin\nR 0 8 8\nend 1\n" }, 0 },
	{ "missing numbers are said",
	  L(1, 1000, "D R 8 + 8 [a]") L(4, 1001, "D R 16 + 8 [a]"),
	  { 0 }, { "note 1 places where events are missing", "\nbegin\nR 0 8 8\nR 1 16 8\nend 2\n" }, 0 },
	{ "times that go backwards a little are sorted",
	  L(2, 1100, "D R 16 + 8 [a]") L(1, 1000, "D R 8 + 8 [a]"), { 0 },
	  { "\nbegin\nR 0 8 8\nR 100 16 8\nend 2\n" }, 0 },
	{ "several devices are not mixed unasked",
	  L(1, 1000, "D R 8 + 8 [a]") L1(1, 1001, "D R 16 + 8 [a]") L(2, 1002, "D R 24 + 8 [a]"), { 0 },
	  { NULL }, "requests of several devices: 8,0 (2), 8,16 (1); --device NAME takes one" },
	{ "one of them",
	  L(1, 1000, "D R 8 + 8 [a]") L1(1, 1001, "D R 16 + 8 [a]") L(2, 1002, "D R 8 + 8 [a]"),
	  { .device = "8,16" }, { "device 8,16 base 0 sectors 24 requests 1",
	  "note 2 requests of devices that were not asked for", "\nbegin\nR 0 16 8\nend 1\n" }, 0 },
	{ "none of them",
	  L(1, 1000, "D R 8 + 8 [a]"), { .device = "8,32" }, { NULL },
	  "no requests of device 8,32, 1 of others" },
	{ "end to end, in order of time",
	  L(1, 1000, "D R 8 + 8 [a]") L1(1, 1001, "D R 16 + 8 [a]") L(2, 1002, "D R 4096 + 8 [a]"),
	  { .end_to_end = true }, { "sectors 8192\n", "device 8,0 base 0 sectors 4104 requests 2",
	  "device 8,16 base 6144 sectors 24 requests 1",
	  "\nbegin\nR 0 8 8\nR 1 6160 8\nR 2 4096 8\nend 3\n" }, 0 },
	{ "beyond the device", L(1, 1000, "D R 2044 + 8 [a]"), { .device_size = 1 << 20 }, { NULL },
	  "event 1: read of 4096 bytes at sector 2044 of 8,0: beyond the device of 2048 sectors" },
	{ "folded", L(1, 1000, "D R 2044 + 8 [a]") L(2, 1001, "D R 4100 + 8 [a]") L(3, 1002, "D R 8 + 8 [a]"),
	  { .device_size = 1 << 20, .fold = true }, { "sectors 2048\n", "folded 2\n",
	  "\nbegin\nR 0 2040 8\nR 1 4 8\nR 2 8 8\nend 3\n" }, 0 },
	{ "too large to fold", L(1, 1000, "D D 0 + 4096 [a]"), { .device_size = 1 << 20, .fold = true },
	  { NULL }, "discard of 2097152 bytes at sector 0 of 8,0: larger than the device" },
	{ "sectors of 4096 bytes", L(1, 1000, "D R 16 + 8 [a]"), { .sector_size = 4096 },
	  { "sector-size 4096\n", "\nbegin\nR 0 16 8\nend 1\n" }, 0 },
	{ "sectors of 4096 bytes, and one that is not",
	  L(1, 1000, "D R 16 + 8 [a]") L(2, 1001, "D R 17 + 8 [a]"), { .sector_size = 4096 }, { NULL },
	  "event 2: read of 4096 bytes at sector 17 of 8,0: no multiple of the device's sectors of 4096" },
	{ "more than one submission can have", L(1, 1000, "D R 16 + 131080 [a]"), { 0 }, { NULL },
	  "more than the 67108864 bytes that one submission can have" },
	{ "no end of sectors", L(1, 1000, "D R 18446744073709551608 + 8 [a]"), { 0 }, { NULL },
	  "beyond what a device can hold" },
	{ "no Q events", L(1, 1000, "D R 16 + 8 [a]"), { .action = ACTION_Q }, { NULL },
	  "no Q events (requests as submitted); it has D events: --action D" },
	{ "no D events", L(1, 1000, "Q R 16 + 8 [a]"), { .action = ACTION_D }, { NULL },
	  "no D events (requests as issued); it has Q events: --action Q" },
	{ "Q where there is nothing else", L(1, 1000, "Q R 16 + 8 [a]"), { 0 }, { "action Q" }, 0 },
	{ "only completions", L(1, 1000, "C R 16 + 8 [0]"), { 0 }, { NULL },
	  "no D events (requests as issued), and no Q events either" },
	{ "only requests that can't be replayed", L(1, 1000, "D N 16 (12 00 ..) [a]"), { 0 }, { NULL },
	  "no requests that could be replayed" },
	{ "a cut line", L(1, 1000, "D R 16 + 8 [a]") "8,0 0 2 0.0000", { 0 }, { NULL },
	  ": at byte 37: expected a line that ends with a newline" },
};

static void check(const char *what, const char *text, bool iolog, const struct block_options *o,
		  const char *const *want, const char *error)
{
	char *plan __cleanup_free = NULL;
	const char *at;
	struct err e;
	int ret;

	plan = make(text, iolog, o, &ret, &e);
	if (error) {
		if (!ret || !strstr(e.msg, error))
			fail_msg("%s: %d, '%s'", what, ret, e.msg);
		return;
	}
	if (ret)
		fail_msg("%s: %d, '%s'", what, ret, e.msg);
	at = plan;
	for (unsigned int i = 0; i < 8 && want[i]; i++) {
		at = strstr(at, want[i]);
		if (!at)
			fail_msg("%s: no '%s' (in its place) in\n%s", what, want[i], plan);
	}
	reads_back();
}

static void test_traces(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(cases[i].what, cases[i].text, false, &cases[i].o, cases[i].want,
		      cases[i].error);
}

#define V2 "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n"
#define V3 "fio version 3 iolog\n"

static const struct {
	const char *what, *text;
	struct block_options o;
	const char *want[8];
	const char *error;
} logs[] = {
	{ "version 2 with waits",
	  V2 "/dev/sda read 4096 8192\n/dev/sda wait 100 0\n/dev/sda write 0 512\n/dev/sda sync 0 0\n"
	  "/dev/sda datasync 0 0\n/dev/sda trim 8192 4096\n/dev/sda close\n", { 0 },
	  { "source fio iolog version 2", "action log", "device file-0 base 0",
	    "\nbegin\nR 0 8 16\nW 100000 0 1\nF 100000\nF 100000\nD 100000 16 8\nend 5\n" }, 0 },
	{ "version 3 has times", V3 "5 a add\n7 a read 0 512\n9 a write 512 512\n", { 0 },
	  { "\nbegin\nR 0 0 1\nW 2000 1 1\nend 2\n" }, 0 },
	{ "two files", V3 "7 a read 0 512\n9 b write 512 512\n", { 0 }, { NULL },
	  "several devices: file-0 (1), file-1 (1)" },
	{ "two files end to end", V3 "7 a read 0 512\n9 b write 512 512\n", { .end_to_end = true },
	  { "\nbegin\nR 0 0 1\nW 2000 2049 1\nend 2\n" }, 0 },
	{ "times that go backwards", V3 "7 a read 0 512\n6 a read 0 512\n", { 0 }, { NULL },
	  ":3: 6 us is before the line above: times go backwards" },
	{ "another version", "fio version 4 iolog\n", { 0 }, { NULL },
	  ":1: expected \"fio version 2 iolog\" or 3, found 'fio version 4 iolog'" },
	{ "an unknown action", V3 "7 a reed 0 512\n", { 0 }, { NULL }, "found 'reed'" },
	{ "no offset", V3 "7 a read\n", { 0 }, { NULL }, "expected an offset in bytes, found ''" },
	{ "a torn offset", V3 "7 a read 7 512\n", { 0 }, { NULL }, "offset 7 is no multiple of a sector" },
	{ "a torn length", V3 "7 a read 0 700\n", { 0 }, { NULL },
	  "line 2: read of 700 bytes at sector 0 of file-0: no multiple" },
	{ "no bytes", V3 "7 a read 0 0\n7 a read 0 512\n", { 0 }, { "note 1 events without" }, 0 },
	{ "cut", V3 "7 a read 0 512\n8 a re", { 0 }, { NULL }, ":3: expected a line of fewer than" },
	{ "nothing", V3, { 0 }, { NULL }, "no requests that could be replayed" },
	{ "actions of traces", V3 "7 a read 0 512\n", { .action = ACTION_Q }, { NULL },
	  "--action: a fio iolog has neither" },
	{ "completions", V3 "7 a read 0 512\n", { .dependencies = true }, { NULL },
	  "--dependencies: a fio iolog does not tell" },
	{ "a long wait", V2 "a wait 4611686018427387 0\na wait 4611686018427387 0\n", { 0 }, { NULL },
	  "waits of less than 146 years" },
};

static void test_iologs(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++)
		check(logs[i].what, logs[i].text, true, &logs[i].o, logs[i].want, logs[i].error);
}

/* More requests in flight than are remembered: memory does not grow, and that is said. */
static void test_flight(void **state __unused_arg)
{
	const struct block_options o = {.dependencies = true};
	char *plan __cleanup_free = NULL, *text = NULL;
	size_t len;
	struct err e;
	int ret;
	FILE *f = open_memstream(&text, &len);

	for (unsigned int i = 1; i <= BLOCK_FLIGHT_MAX + 10; i++)
		fprintf(f, "8,0 0 %u 0.%09u 7 D R %u + 8 [a]\n", i, i, 8 * i);
	/* the oldest is forgotten, the youngest is not */
	fprintf(f, "8,0 0 %u 1.000000000 7 C R 8 + 8 [0]\n", BLOCK_FLIGHT_MAX + 11);
	fprintf(f, "8,0 0 %u 1.000000001 7 C R %u + 8 [0]\n", BLOCK_FLIGHT_MAX + 12,
		8 * (BLOCK_FLIGHT_MAX + 10));
	fclose(f);
	assert_int_equal(file_write_atomic(in, text, len, &e), 0);
	plan = NULL;
	{
		struct block_plan p;
		struct plan_writer w;

		assert_int_equal(plan_create(&w, out, PLAN_BLOCK, &e), 0);
		ret = block_plan_of_trace(in, false, &o, &w, &p, &e);
		assert_int_equal(ret, 0);
		assert_int_equal(p.requests, BLOCK_FLIGHT_MAX + 10);
		assert_int_equal(p.n_notes, 2);
		assert_non_null(strstr(p.notes[0], "1 completions of requests"));
		assert_non_null(strstr(p.notes[1], "10 requests that never completed"));
		block_plan_put_header(&w, &p);
		assert_int_equal(plan_finish(&w, &e), 0);
		block_plan_free(&p);
	}
	reads_back();
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_iologs),
		cmocka_unit_test(test_flight),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
