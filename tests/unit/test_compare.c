// SPDX-License-Identifier: GPL-2.0-only
/* verify --compare: golden reports, and what becomes of each pair of verdicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fileio.h"
#include "tests/unit/golden.h"
#include "tests/unit/sample.h"
#include "verify/report/compare.h"

static const struct {
	const char *golden; /* or NULL */
	struct sample_options a, b;
	int status;
	unsigned int of[CHANGE_NONE + 1];
} cases[] = {
	{"compare-same",
	 {.kernels = 2, .repeats = 1},
	 {.kernels = 2, .repeats = 1},
	 0,
	 {0, 0, 0, 20}},
	{"compare-repeats",
	 {.kernels = 2, .repeats = 3},
	 {.kernels = 2, .repeats = 4},
	 0,
	 {0, 0, 0, 20}},
	/* no-sync-readaround in two phases: it held, and does no more; and the other way round */
	{"compare-worse",
	 {.kernels = 2, .repeats = 2},
	 {.kernels = 2, .repeats = 2, .patched_fails = true},
	 1,
	 {2, 0, 0, 18}},
	{NULL,
	 {.kernels = 2, .repeats = 1, .patched_fails = true},
	 {.kernels = 2, .repeats = 1},
	 0,
	 {0, 2, 0, 18}},
	{"compare-undecided",
	 {.kernels = 2, .repeats = 1},
	 {.kernels = 2, .repeats = 1, .undecided = true},
	 3,
	 {0, 0, 1, 19}},
	/* worse counts before undecided */
	{NULL,
	 {.kernels = 2, .repeats = 1},
	 {.kernels = 2, .repeats = 1, .undecided = true, .patched_fails = true},
	 1,
	 {2, 0, 1, 17}},
	/* nothing applies: nothing was compared, which is no success */
	{NULL,
	 {.kernels = 2, .repeats = 1, .nothing_applies = true},
	 {.kernels = 2, .repeats = 1, .nothing_applies = true},
	 3,
	 {0, 0, 0, 0}},
	{"compare-ugly",
	 {.kernels = 3, .repeats = 2, .ugly = true},
	 {.kernels = 3, .repeats = 2, .ugly = true, .patched_fails = true},
	 1,
	 {4, 0, 0, 26}},
};

static void check_lines(const char *name, const char *text, unsigned int width)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");

		if (n > width || memchr(p, '\t', n) || (n && p[n - 1] == ' '))
			fail_msg("%s: %.*s", name, (int)n, p);
		for (size_t i = 0; i < n; i++)
			assert_true(p[i] >= ' ' && p[i] <= '~');
		p += n + 1;
	}
}

static void check_reports(const char *golden, const struct comparison *c, int status)
{
	struct out text = {.width = REPORT_WIDTH}, ktap = {0};

	report_compare_text(&text, c, status);
	check_lines(golden, text.text, REPORT_WIDTH);
	check_golden(golden, "txt", &text);
	report_compare_ktap(&ktap, c);
	check_lines(golden, ktap.text, 4096);
	check_golden(golden, "ktap", &ktap);
	out_free(&text);
	out_free(&ktap);
}

static void test_cases(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verified *a = sample_run(&cases[i].a), *b = sample_run(&cases[i].b);
		struct comparison c;
		struct err e;

		a->path = "traces/run001";
		b->path = "traces/run002";
		if (comparison_make(&c, a, b, &e))
			fail_msg("case %zu: %s", i, e.msg);
		for (unsigned int k = 0; k <= CHANGE_NONE; k++)
			if (c.of[k] != cases[i].of[k])
				fail_msg("case %zu: %u verdicts are %s, not %u", i, c.of[k],
					 change_name(k), cases[i].of[k]);
		if ((int)comparison_status(&c) != cases[i].status)
			fail_msg("case %zu: status %d", i, comparison_status(&c));
		if (cases[i].golden)
			check_reports(cases[i].golden, &c, cases[i].status);
		comparison_free(&c);
		sample_free(a);
		sample_free(b);
	}
}

/* What has nothing in common is an error that says what either has. */
static void test_nothing_in_common(void **state __unused_arg)
{
	struct verified *run = sample_run(&(struct sample_options){.kernels = 2, .repeats = 1});
	struct verified *trace = sample_trace();
	struct verified *other = sample_run(&(struct sample_options){.kernels = 2, .repeats = 1});
	struct comparison c;
	struct err e;

	assert_true(comparison_make(&c, run, trace, &e) < 0);
	assert_non_null(strstr(e.msg, "no phase in common"));
	assert_non_null(strstr(e.msg, "one-thread"));
	for (unsigned int i = 0; i < 2; i++)
		snprintf(other->run->captures[i]->kernel, NAME_LEN, "%c", 'x' + (int)i);
	assert_true(comparison_make(&c, run, other, &e) < 0);
	assert_non_null(strstr(e.msg, "no kernel in common"));
	/* of one kernel that both have, the other is left out, and said to be */
	snprintf(other->run->captures[0]->kernel, NAME_LEN, "base");
	assert_int_equal(comparison_make(&c, run, other, &e), 0);
	assert_string_equal(c.left_out, "kernels only in A: patched; kernels only in B: y");
	assert_int_equal(c.v.analysis->n_captures, 2);
	comparison_free(&c);
	sample_free(run);
	sample_free(trace);
	sample_free(other);
}

/* Two bare traces: one phase, no names, and the pair is the files. */
static void test_traces(void **state __unused_arg)
{
	struct verified *a = sample_trace(), *b = sample_trace();
	struct comparison c;
	struct out o = {.width = REPORT_WIDTH};
	struct err e;

	b->analysis->captures[0].guest.cpus = 4;
	assert_int_equal(comparison_make(&c, a, b, &e), 0);
	assert_int_equal(c.n_settings, 1);
	assert_string_equal(c.settings[0].name, "CPUs");
	report_compare_text(&o, &c, 3);
	check_lines("traces", o.text, REPORT_WIDTH);
	assert_non_null(strstr(o.text, "CPUs: 16 in A, 4 in B"));
	/* lost events on both sides: there is nothing that could be the same */
	assert_int_equal(comparison_status(&c), 3);
	out_free(&o);
	comparison_free(&c);
	sample_free(a);
	sample_free(b);
}

static const struct setting *setting_of(const struct comparison *c, const char *name)
{
	for (unsigned int i = 0; i < c->n_settings; i++)
		if (!strcmp(c->settings[i].name, name))
			return &c->settings[i];
	fail_msg("%s is the same, it seems", name);
	return NULL;
}

/* Readahead that is off is said to be, and so is who counted what. */
static void test_settings(void **state __unused_arg)
{
	struct verified *a = sample_run(&(struct sample_options){.kernels = 1, .repeats = 1});
	struct verified *b = sample_run(&(struct sample_options){.kernels = 1, .repeats = 1});
	struct out o = {.width = REPORT_WIDTH};
	const struct setting *s;
	struct comparison c;
	struct err e;

	b->run->captures[0]->read_ahead_kb = 0;
	free(b->run->captures[0]->blktrace);
	b->run->captures[0]->blktrace = NULL;
	assert_int_equal(comparison_make(&c, a, b, &e), 0);
	assert_string_equal(setting_of(&c, "read_ahead_kb")->b, "0");
	s = setting_of(&c, "requests and bytes are those of");
	assert_string_equal(s->a, "the device, as QEMU saw them");
	assert_string_equal(s->b, "the guest");
	report_compare_text(&o, &c, 3);
	check_lines("settings", o.text, REPORT_WIDTH);
	assert_non_null(strstr(o.text, "not those of one witness"));
	assert_null(strstr(o.text, "requests and bytes are those of the device, as QEMU saw them\n"));
	out_free(&o);
	comparison_free(&c);
	sample_free(a);
	sample_free(b);
}

/* Boots of A and B: a difference needs the test, and one boot never has it. */
static void test_differences(void **state __unused_arg)
{
	struct verified *a = sample_run(&(struct sample_options){.kernels = 1, .repeats = 4});
	struct verified *b = sample_run(&(struct sample_options){.kernels = 1, .repeats = 4});
	struct comparison c;
	struct summary *s;
	struct err e;

	for (unsigned int i = 0; i < 4; i++)
		b->run->captures[i]->phases[0].pgmajfault += 500;
	assert_int_equal(comparison_make(&c, a, b, &e), 0);
	s = summary_new(c.v.analysis);
	assert_int_equal(s->n_kernels, 2);
	assert_true(summary_differs(s, METRIC_MAJOR_FAULTS, 0, 1));
	assert_false(summary_differs(s, METRIC_MAJOR_FAULTS, 1, 1));
	summary_free(s);
	comparison_free(&c);
	sample_free(a);
	sample_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_nothing_in_common),
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
