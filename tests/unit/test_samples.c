// SPDX-License-Identifier: GPL-2.0-only
/*
 * Real traces from public repositories, where the machine has them: in
 * $BLKPROOF_SAMPLES, or in shared/samples beside the checkout.  They are not
 * part of the project.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "replay/block_trace.h"
#include "tests/unit/trace_text.h"
#include "verify/input/dump.h"

static const char *samples(void)
{
	const char *dir = getenv("BLKPROOF_SAMPLES");

	if (dir)
		return dir;
	return access("../shared/samples/README.md", R_OK) ? NULL : "../shared/samples";
}

#define V7 "v7-zstd-8cpu-lost-entries.trace.dat"

static const struct {
	const char *file;
	const char *lines[10]; /* that the dump has */
	const char *error;    /* what the message says behind the file's name */
} cases[] = {
	{ V7,
	  { "format: trace.dat v7 zstd\n", "folio order: not measurable",
	    "loss: cpu 0: overrun 0, commit overrun 0, dropped 0, unread 3628, absent 53\n",
	    "loss: cpu 4: overrun 0, commit overrun 0, dropped 0, unread 548, absent 0\n",
	    "events: folio_add: 9\n", "events: rq_issue: 2\n", "events: other: 7112\n",
	    "events: call: 74\n", "events: call_exit: 76\n", "events: lost: 1\n" }, NULL },
	{ "v6-32bit-long.trace.dat",
	  { "format: trace.dat v6 32-bit\n", "events: other: 525\n", "events: rq_issue: 0\n",
	    "clock: local\n", "cpus: 8\n" }, NULL },
	{ "truncated-v6.trace.dat", { NULL },
	  ": at byte 468322: expected 2004831 bytes of kallsyms, the file ends at byte 600000 (truncated?)" },
	{ "truncated-v7.trace.dat", { NULL },
	  ": at byte 852998: expected 8 bytes of a section's size, the file ends at byte 853000 (truncated?)" },
	{ "order0-readahead.blktrace.0",
	  { "format: blktrace v7\n", "events: rq_queue: 963\n", "events: rq_remap: 963\n",
	    "events: rq_get: 963\n", "events: rq_other: 1926\n", "events: rq_issue: 963\n",
	    "events: rq_complete: 963\n" }, NULL },
	{ "order0-readahead-bigendian.blktrace.0",
	  { "format: blktrace v7 big-endian\n", "events: rq_issue: 963\n" }, NULL },
	{ "order0-readahead-v8-synthetic.blktrace.0",
	  { "format: blktrace v8\n", "events: rq_issue: 963\n" }, NULL },
	{ "issue-complete-only",
	  { "events: rq_issue: 1192\n", "events: rq_complete: 1206\n", "cpus: 8\n" }, NULL },
};

static void test_samples(void **state)
{
	(void)state;
	if (!samples()) {
		print_message("skipped: needs the sample traces (BLKPROOF_SAMPLES=DIR)\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path = xasprintf("%s/%s", samples(), cases[i].file);
		char *want, *text;
		struct err e;
		int ret;

		print_message("  %s\n", cases[i].file);
		text = trace_text(path, DUMP_COUNTS, &ret, &e);
		want = xasprintf("%s%s", path, cases[i].error ? cases[i].error : "");
		assert_int_equal(!ret, !cases[i].error);
		assert_string_equal(e.msg, cases[i].error ? want : "");
		for (size_t k = 0; k < ARRAY_SIZE(cases[i].lines) && cases[i].lines[k]; k++)
			assert_non_null(strstr(text, cases[i].lines[k]));
		free(want);
		free(text);
		free(path);
	}
}

/* The three files of one trace say the same, event by event. */
static void test_same(void **state)
{
	char *first = NULL;

	(void)state;
	if (!samples())
		skip();
	for (size_t i = 4; i < 7; i++) {
		char *path = xasprintf("%s/%s", samples(), cases[i].file);
		struct err e;
		int ret;
		char *text = trace_text(path, DUMP_EVENTS, &ret, &e);

		assert_int_equal(ret, 0);
		assert_int_equal(lines_with(text, " RA "), 4 * 963 + 963);
		assert_int_equal(lines_with(text, " lost "), 0);
		if (first)
			assert_string_equal(text, first);
		free(first);
		first = text;
		free(path);
	}
	free(first);
}

/* What a plan of each has: a line of its header. */
static const struct {
	const char *file, *line;
} plans[] = {
	{ "order0-readahead.blktrace.0",
	  "requests 963 reads 963 writes 0 fua 0 preflush 0 flushes 0 discards 0 write-zeroes 0\n" },
	{ "order0-readahead-bigendian.blktrace.0", "requests 963 reads 963" },
	{ "order0-readahead-v8-synthetic.blktrace.0", "requests 963 reads 963" },
	/* 1158 writes, 10 discards, of which 5 each were given back by a busy driver; 24 flushes */
	{ "issue-complete-only",
	  "requests 1182 reads 0 writes 1153 fua 0 preflush 0 flushes 24 discards 5 write-zeroes 0\n" },
	{ "issue-complete-only", "note 10 D events of a request that was issued before" },
};

static void test_plans(void **state)
{
	(void)state;
	if (!samples())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		char *path = xasprintf("%s/%s", samples(), plans[i].file), *text;
		const struct block_options o = { 0 };
		struct block_plan p;
		struct plan_writer w;
		struct err e;

		assert_int_equal(plan_create(&w, "/dev/null", PLAN_BLOCK, &e), 0);
		assert_int_equal(block_plan_of_trace(path, false, &o, &w, &p, &e), 0);
		block_plan_put_header(&w, &p);
		fflush(w.header);
		text = xstrdup(w.header_text);
		if (!strstr(text, plans[i].line))
			fail_msg("no '%s' in\n%s", plans[i].line, text);
		assert_int_equal(plan_finish(&w, &e), 0);
		block_plan_free(&p);
		free(text);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples),
					    cmocka_unit_test(test_same),
					    cmocka_unit_test(test_plans) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
