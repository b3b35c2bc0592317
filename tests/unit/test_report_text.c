// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text and KTAP reports, compared with tests/golden/.  After a change that
 * is meant: UPDATE_GOLDEN=1 build/unit/test_report_text, and read the diff.
 *
 * The kernel's own parser reads the KTAP ones; by hand, in a kernel tree:
 * tools/testing/kunit/kunit.py parse .../tests/golden/run.ktap
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fileio.h"
#include "tests/unit/golden.h"
#include "tests/unit/sample.h"
#include "verify/checks/check.h"

static const struct {
	const char *name;
	struct sample_options opt;
	int status;
} runs[] = {
	{"run", {.kernels = 2, .repeats = 1}, 0},
	{"repeats", {.kernels = 2, .repeats = 3}, 0},
	{"patched-fails", {.kernels = 2, .repeats = 1, .patched_fails = true}, 1},
	{"undecided", {.kernels = 2, .repeats = 1, .undecided = true}, 3},
	{"not-shown", {.kernels = 2, .repeats = 1, .base_is_fine = true}, 3},
	{"ceph", {.kernels = 2, .repeats = 3, .ceph = true}, 0},
	{"nothing", {.kernels = 2, .repeats = 1, .nothing_applies = true}, 3},
	{"ugly", {.kernels = 4, .repeats = 2, .ugly = true, .patched_fails = true}, 1},
};

/* Every line: at most 72 columns, printable ASCII, no tab, no blank at its end. */
static void check_lines(const char *name, const char *text, unsigned int width)
{
	unsigned int line = 1;

	for (const char *p = text; *p; line++) {
		size_t n = strcspn(p, "\n");

		if (n > width)
			fail_msg("%s: line %u has %zu columns: %.*s", name, line, n, (int)n, p);
		for (size_t i = 0; i < n; i++)
			if (p[i] < ' ' || p[i] > '~')
				fail_msg("%s: line %u: byte %#x", name, line, p[i] & 0xff);
		if (n && p[n - 1] == ' ')
			fail_msg("%s: line %u ends in a blank", name, line);
		p += n;
		assert_int_equal(*p, '\n');
		p++;
	}
}

static void check_text(const char *name, const struct verified *v, int status)
{
	struct out o = {.width = REPORT_WIDTH};
	char last[64];

	assert_int_equal(REPORT_WIDTH, 72);
	report_text(&o, v, 1, status, NULL);
	check_lines(name, o.text, REPORT_WIDTH);
	check_golden(name, "txt", &o);
	/* the last line is what people look at first */
	snprintf(last, sizeof(last), "status %d)\n", status);
	assert_non_null(strstr(o.text, "\nverdict: "));
	assert_string_equal(o.text + o.len - strlen(last), last);
	out_free(&o);
}

static void check_ktap(const char *name, const struct verified *v)
{
	struct out o = {0};

	report_ktap(&o, v, 1);
	check_lines(name, o.text, 4096);
	check_golden(name, "ktap", &o);
	out_free(&o);
}

static void test_runs(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		struct verified *v = sample_run(&runs[i].opt);

		if ((int)v->status != runs[i].status)
			fail_msg("%s: status %d", runs[i].name, v->status);
		check_text(runs[i].name, v, runs[i].status);
		check_ktap(runs[i].name, v);
		sample_free(v);
	}
}

/* A sweep of a run that is as it should be, one that is not, and one that can't be read. */
static void test_sweep(void **state __unused_arg)
{
	static const char *const values[] = {"128", "8192", "16384"};
	struct verified *each[] = {
		sample_run(&(struct sample_options){
			.kernels = 2, .repeats = 1, .patched_fails = true}),
		sample_run(&(struct sample_options){.kernels = 2, .repeats = 3}),
		sample_error(),
	};
	struct out o = {.width = REPORT_WIDTH};
	struct verified v[3];

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		v[i] = *each[i];
		v[i].sweep_key = "read_ahead_kb";
		v[i].sweep_value = values[i];
	}
	report_sweep(&o, v, ARRAY_SIZE(v), 2);
	check_lines("sweep", o.text, REPORT_WIDTH);
	check_golden("sweep", "txt", &o);
	out_free(&o);
	/* and if none can be read, there still is a report */
	report_sweep(&o, &v[2], 1, 2);
	assert_non_null(strstr(o.text, "16384: traces/gone"));
	out_free(&o);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		sample_free(each[i]);
}

static void test_trace(void **state __unused_arg)
{
	struct verified *v = sample_trace();

	check_text("trace", v, 3);
	check_ktap("trace", v);
	sample_free(v);
}

static void test_stats(void **state __unused_arg)
{
	static const struct options opt = {.stats = true, .by = STATS_BY_FILE | STATS_BY_TASK};
	struct verified *v[] = {sample_trace(),
				sample_run(&(struct sample_options){.kernels = 1, .repeats = 1})};
	static const char *const names[] = {"stats-trace", "stats"};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct out o = {.width = REPORT_WIDTH};

		sample_add_figures(v[i]);
		for (unsigned int g = 0; !i && g < FIG_GROUPS; g++)
			snprintf(v[i]->analysis->captures[0].phases[0].figures->why[g], 120,
				 "group %u was not recorded", g);
		report_text(&o, v[i], 1, 3, &opt);
		check_lines(names[i], o.text, REPORT_WIDTH);
		check_golden(names[i], "txt", &o);
		out_free(&o);
		sample_free(v[i]);
	}
}

static void test_error(void **state __unused_arg)
{
	struct verified *v = sample_error();

	check_text("error", v, 2);
	check_ktap("error", v);
	sample_free(v);
}

/* KTAP: an inconclusive verdict never stands on an "ok" line. */
static void test_ktap_inconclusive(void **state __unused_arg)
{
	struct verified *v =
		sample_run(&(struct sample_options){.kernels = 2, .repeats = 1, .undecided = true});
	struct out o = {0};
	unsigned int seen = 0;

	report_ktap(&o, v, 1);
	for (char *save, *line = strtok_r(o.text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strstr(line, "INCONCLUSIVE"))
			continue;
		seen++;
		assert_non_null(str_after(line + strspn(line, " "), "not ok "));
		assert_non_null(strstr(line, " # SKIP "));
	}
	assert_int_equal(seen, 1);
	out_free(&o);
	sample_free(v);
}

static void test_several(void **state __unused_arg)
{
	struct verified *run = sample_run(&(struct sample_options){.kernels = 2, .repeats = 1});
	struct verified *error = sample_error();
	struct verified both[2] = {*run, *error};
	struct out o = {.width = REPORT_WIDTH};

	report_text(&o, both, 2, 2, NULL);
	check_lines("several", o.text, REPORT_WIDTH);
	assert_non_null(strstr(o.text, "verdict: every expectation is met (exit status 0)\n"));
	assert_non_null(
		strstr(o.text, "verdict of all 2 inputs: the worst counts (exit status 2)\n"));
	out_free(&o);
	sample_free(run);
	sample_free(error);
}

/* The command that is printed works: of a phase that there is a program for, or none. */
static void test_reproduce(void **state __unused_arg)
{
	struct verified *v = sample_run(&(struct sample_options){.kernels = 2, .repeats = 1});
	struct experiment *exp = v->run->exp;

	for (unsigned int i = 0; i <= exp->n_phases; i++) {
		struct out o = {.width = REPORT_WIDTH};
		const char *line;

		text_reproduce(&o, v->analysis);
		line = strstr(o.text, "--reproducer ");
		if (i == exp->n_phases)
			assert_null(line);
		else
			assert_non_null(
				str_after(str_after(line, "--reproducer "), exp->phases[i].name));
		out_free(&o);
		if (i < exp->n_phases)
			snprintf(exp->phases[i].pattern, sizeof(exp->phases[i].pattern), "%s",
				 i ? "replay-access" : "replay-block");
	}
	sample_free(v);
}

static void test_printable(void **state __unused_arg)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"", ""},
		{"plain # text", "plain # text"},
		{"\x1b[2J", "\\x1b[2J"},
		{"a\tb\nc\x7f", "a\\x09b\\x0ac\\x7f"},
		{"\xc3\xa9\x9b", "\\xc3\\xa9\\x9b"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *p __cleanup_free = printable(cases[i].in);

		assert_string_equal(p, cases[i].out);
	}
}

static void test_wrap(void **state __unused_arg)
{
	static const struct {
		const char *in, *out;
		unsigned int hang;
	} cases[] = {
		{"", "\n", 0},
		{"  0123456789", "  01234567\n    89\n", 4},
		{"one two three four", "one two\n  three\n  four\n", 2},
		{"exactly 10", "exactly 10\n", 2},
		{"exactly 10 ", "exactly 10\n", 2},
		{"exactly 10 x", "exactly 10\n  x\n", 2},
		{"0123456789abcdefghij", "0123456789\n  abcdefgh\n  ij\n", 2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out o = {.width = 10};

		out_line(&o, cases[i].hang, "%s", cases[i].in);
		assert_string_equal(o.text, cases[i].out);
		out_free(&o);
	}
}

static void test_shortened(void **state __unused_arg)
{
	static const struct {
		const char *in;
		size_t width;
		const char *out;
	} cases[] = {
		{"short", 10, "short"},
		{"0123456789", 10, "0123456789"},
		{"0123456789a", 10, "0123..789a"},
		{"0123456789a", 9, "0123..89a"},
		{"0123456789a", 3, "012"},
		{"\x1b", 4, "\\x1b"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *p __cleanup_free = shortened(cases[i].in, cases[i].width);

		assert_string_equal(p, cases[i].out);
	}
}

static void test_explain(void **state __unused_arg)
{
	static const struct check c = {
		.name = "sample-check",
		.summary = "a sample holds",
		.explain = "A paragraph that is broken\nin the source only.\n\n"
			   "A list:\n- a point that goes on\n  in a second line;\n- another.\n"
			   "And on.\n",
		.needs = EV_BIT(EV_RA_ASYNC),
		.caps = CAP_FOLIO_ORDER,
		.needs_host = true,
		.limits = {{"max", 1.5, "bytes per byte"}},
	};
	struct out o = {.width = REPORT_WIDTH};

	report_explain(&o, &c);
	assert_string_equal(o.text, "sample-check: a sample holds\n"
				    "\n"
				    "  A paragraph that is broken in the source only.\n"
				    "\n"
				    "  A list:\n"
				    "  - a point that goes on in a second line;\n"
				    "  - another.\n"
				    "  And on.\n"
				    "\n"
				    "Limits (--set sample-check.NAME=VALUE)\n"
				    "  max = 1.5: bytes per byte\n"
				    "\n"
				    "Needs; without them it can't be judged\n"
				    "  readahead:page_cache_async_ra\n"
				    "  the field order of mm_filemap_add_to_page_cache\n"
				    "  the host's request log (virtio-blk.blktrace.0)\n");
	out_free(&o);
}

/* What --explain and --list-checks print of every real check fits, and says something. */
static void test_all_checks(void **state __unused_arg)
{
	struct out list = {.width = REPORT_WIDTH};

	assert_true(n_all_checks > 0);
	report_list_checks(&list);
	check_lines("--list-checks", list.text, REPORT_WIDTH);
	for (unsigned int i = 0; i < n_all_checks; i++) {
		struct out o = {.width = REPORT_WIDTH};

		assert_true(strlen(all_checks[i]->summary) <= 60);
		assert_true(strlen(all_checks[i]->explain) > 200);
		assert_non_null(strstr(list.text, all_checks[i]->name));
		report_explain(&o, all_checks[i]);
		check_lines(all_checks[i]->name, o.text, REPORT_WIDTH);
		out_free(&o);
	}
	out_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),	   cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_trace),	   cmocka_unit_test(test_stats),
		cmocka_unit_test(test_error),	   cmocka_unit_test(test_ktap_inconclusive),
		cmocka_unit_test(test_several),	   cmocka_unit_test(test_reproduce),
		cmocka_unit_test(test_printable),  cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_shortened),  cmocka_unit_test(test_explain),
		cmocka_unit_test(test_all_checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
