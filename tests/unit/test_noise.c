// SPDX-License-Identifier: GPL-2.0-only
/* When a difference is one: against printed tables of t, and on figures whose answer is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/sample.h"

/* Two-sided critical values of Student's t, from the tables of textbooks (3 decimals). */
static void test_student(void **state __unused_arg)
{
	static const struct {
		double t, df, p;
	} rows[] = {
		{12.706, 1, 0.05}, {63.657, 1, 0.01}, {4.303, 2, 0.05},	  {9.925, 2, 0.01},
		{2.776, 4, 0.05},  {4.604, 4, 0.01},  {8.610, 4, 0.001},  {2.228, 10, 0.05},
		{2.086, 20, 0.05}, {2.042, 30, 0.05}, {1.984, 100, 0.05}, {0.816, 2, 0.5},
		{0, 7, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double p = student_two_sided(rows[i].t, rows[i].df);

		if (fabs(p - rows[i].p) > 0.0005 * (rows[i].p > 0.1 ? 2 : rows[i].p * 20 + 0.05))
			fail_msg("t %g, df %g: %g, not %g", rows[i].t, rows[i].df, p, rows[i].p);
		assert_true(student_two_sided(-rows[i].t, rows[i].df) == p);
	}
	assert_true(student_two_sided(1e300, 3) < 1e-9);
	/* one degree of freedom is Cauchy's distribution, two have a closed form */
	for (double t = 0.1; t < 1000; t *= 1.7) {
		assert_true(fabs(student_two_sided(t, 1) - (1 - 2 / M_PI * atan(t))) < 1e-12);
		assert_true(fabs(student_two_sided(t, 2) - (1 - t / sqrt(2 + t * t))) < 1e-12);
	}
}

static struct figure of(const double *v, unsigned int n)
{
	return figure_from(v, n);
}

static void test_welch(void **state __unused_arg)
{
	/* the hours of sleep of Student's paper of 1908; R's manual prints p-value = 0.07939 */
	static const double a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
	static const double b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
	static const double counts[][3] = {{97, 97, 97}, {98, 98, 98}, {3, 3, 3}};
	struct figure fa = of(a, ARRAY_SIZE(a)), fb = of(b, ARRAY_SIZE(b));
	struct figure c97 = of(counts[0], 3), c98 = of(counts[1], 3), c3 = of(counts[2], 3);
	struct figure one = of(counts[0], 1), none = of(counts[0], 0);

	assert_true(fabs(fa.mean - 0.75) < 1e-9 && fabs(fb.mean - 2.33) < 1e-9);
	assert_true(fabs(welch_p(&fa, &fb, 0) - 0.07939) < 0.000005);
	assert_true(welch_p(&fa, &fb, 0) == welch_p(&fb, &fa, 0));
	assert_true(fabs(welch_p(&fa, &fa, 0) - 1) < 1e-12);
	/* never from one boot, whatever the figures */
	assert_true(isnan(welch_p(&one, &c3, 1)));
	assert_true(isnan(welch_p(&c3, &one, 1)));
	assert_true(isnan(welch_p(&none, &c3, 1)));
	/* counts that never vary: 97 and 98 may be rounding, 97 and 3 are not */
	assert_true(welch_p(&c97, &c98, 1) > 0.01);
	assert_true(welch_p(&c97, &c3, 1) < 1e-6);
	assert_true(welch_p(&c97, &c97, 1) == 1);
	assert_true(welch_p(&c97, &c98, 0) == 0);
}

/* Rounding of a sum must not make a difference of figures that never vary. */
static void test_equal_values(void **state __unused_arg)
{
	double v[40];

	for (unsigned int num = 1; num < 300; num++) {
		struct figure few, many;

		for (unsigned int i = 0; i < ARRAY_SIZE(v); i++)
			v[i] = 100.0 * num / 307;
		few = figure_from(v, 10);
		many = figure_from(v, ARRAY_SIZE(v));
		assert_true(few.mean == v[0] && few.stdev == 0);
		assert_true(many.mean == v[0] && many.stdev == 0);
		assert_true(welch_p(&few, &many, 0) == 1);
	}
}

static void test_holm(void **state __unused_arg)
{
	/* Holm's own way: smallest times 4, next times 3, never below the one before */
	double p[] = {0.04, NAN, 0.01, 0.03, 0.02}, none[] = {NAN}, one[] = {0.7};

	holm_correct(p, ARRAY_SIZE(p));
	assert_true(fabs(p[2] - 0.04) < 1e-12);
	assert_true(fabs(p[4] - 0.06) < 1e-12);
	assert_true(fabs(p[3] - 0.06) < 1e-12);
	assert_true(fabs(p[0] - 0.06) < 1e-12);
	assert_true(isnan(p[1]));
	holm_correct(none, 1);
	assert_true(isnan(none[0]));
	holm_correct(one, 1);
	assert_true(one[0] == 0.7);
	holm_correct(NULL, 0);
}

/* With one boot of each kernel no figure ever differs, however far apart they are. */
static void test_one_boot(void **state __unused_arg)
{
	struct verified *v = sample_run(&(struct sample_options){.kernels = 2, .repeats = 1});
	struct summary *s = summary_new(v->analysis);

	assert_int_equal(s->n_tests, 0);
	for (unsigned int m = 0; m < METRICS; m++)
		for (unsigned int p = 0; p < s->n_phases; p++)
			for (unsigned int k = 0; k < s->n_kernels; k++)
				assert_false(summary_differs(s, m, p, k));
	summary_free(s);
	sample_free(v);
}

static void test_repeats(void **state __unused_arg)
{
	struct verified *v = sample_run(&(struct sample_options){.kernels = 2, .repeats = 3});
	struct summary *s = summary_new(v->analysis);
	const struct figure *f = summary_figure(s, METRIC_MAJOR_FAULTS, 0, 0);

	/* 97, 98 and 99 */
	assert_int_equal(f->n, 3);
	assert_true(f->mean == 98 && f->stdev == 1);
	assert_true(summary_differs(s, METRIC_MAJOR_FAULTS, 0, 1));
	assert_false(summary_differs(s, METRIC_MAJOR_FAULTS, 0, 0));
	/* random-touch: the same on both */
	assert_false(summary_differs(s, METRIC_MAJOR_FAULTS, 2, 1));
	summary_free(s);
	sample_free(v);
}

/* Of events that were lost, no difference is claimed; of counters, it still is. */
static void test_lossy(void **state __unused_arg)
{
	struct verified *v = sample_run(&(struct sample_options){.kernels = 2, .repeats = 3});
	struct phase_figures *lost = xcalloc(1, sizeof(*lost));
	struct out o = {.width = REPORT_WIDTH};
	struct summary *s = summary_new(v->analysis);
	unsigned int tests = s->n_tests;

	assert_true(summary_differs(s, METRIC_MARKER_IDLE, 0, 1));
	assert_false(summary_lossy(s, METRIC_MARKER_IDLE, 0, 1));
	summary_free(s);
	/* one of three boots of the second kernel is enough */
	snprintf(lost->lost, sizeof(lost->lost), "events lost");
	v->analysis->captures[4].phases[0].figures = lost;
	s = summary_new(v->analysis);
	assert_true(summary_lossy(s, METRIC_MARKER_IDLE, 0, 1));
	assert_true(summary_lossy(s, METRIC_LARGEST_ORDER, 0, 1));
	assert_true(isnan(summary_p(s, METRIC_MARKER_IDLE, 0, 1)));
	assert_false(summary_differs(s, METRIC_MARKER_IDLE, 0, 1));
	assert_false(summary_lossy(s, METRIC_MARKER_IDLE, 1, 1));
	assert_true(s->n_tests < tests);
	/* counters and the device's log miss nothing */
	assert_true(summary_differs(s, METRIC_MAJOR_FAULTS, 0, 1));
	assert_false(summary_lossy(s, METRIC_READ_REQUESTS, 0, 1));
	text_figures(&o, s);
	assert_non_null(strstr(o.text, "? of those events that were recorded"));
	assert_non_null(strstr(o.text, " ?\n"));
	out_free(&o);
	summary_free(s);
	sample_free(v);
}

/* A log of the device that is another boot's, or has holes, tells nothing: not zeros. */
static void test_host_unknown(void **state __unused_arg)
{
	struct verified *v = sample_run(&(struct sample_options){.kernels = 2, .repeats = 3});
	struct summary *s;

	v->analysis->captures[0].phases[0].host_known = false;
	v->analysis->captures[0].phases[0].host_requests = 0;
	v->analysis->captures[0].phases[0].host_bytes = 0;
	s = summary_new(v->analysis);
	for (size_t i = 0; i < 3; i++) {
		static const enum metric_id m[] = {METRIC_READ_REQUESTS, METRIC_DEVICE_RATIO,
						   METRIC_EXTRA};
		const struct figure *f = summary_figure(s, m[i], 0, 0);

		assert_int_equal(f->n, 2);
		assert_true(f->stdev < f->mean / 10);
		assert_int_equal(summary_figure(s, m[i], 1, 0)->n, 3);
	}
	summary_free(s);
	sample_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student),	     cmocka_unit_test(test_welch),
		cmocka_unit_test(test_equal_values), cmocka_unit_test(test_holm),
		cmocka_unit_test(test_lossy),	     cmocka_unit_test(test_host_unknown),
		cmocka_unit_test(test_one_boot),     cmocka_unit_test(test_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
