// SPDX-License-Identifier: GPL-2.0-only
/* The checks that hold one kernel's figure against another's, on figures made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "verify/checks/list.h"
#include "verify/model/judge.h"

#define KERNELS 3
#define BOOTS 2
#define CAPTURES (KERNELS * BOOTS)

/* One phase "boot" of A, B and C, two boots each. */
struct boots {
	struct experiment exp;
	struct phase phase;
	struct kernel_spec kernels[KERNELS];
	struct capture captures[CAPTURES], *list[CAPTURES];
	struct phase_info infos[CAPTURES];
	struct phase_stats stats[CAPTURES];
	struct phase_figures figures[CAPTURES];
	struct phase_facts facts[CAPTURES];
	struct run run;
	struct run_judge judge;
};

static void boots_init(struct boots *b, const struct check *check)
{
	static const char *const names[] = {"A", "B", "C"};

	memset(b, 0, sizeof(*b));
	strcpy(b->phase.name, "boot");
	snprintf(b->phase.checks[0], NAME_LEN, "%s", check->name);
	b->phase.n_checks = 1;
	for (unsigned int k = 0; k < KERNELS; k++)
		strcpy(b->kernels[k].name, names[k]);
	b->exp = (struct experiment){.kernels = b->kernels,
				     .n_kernels = KERNELS,
				     .phases = &b->phase,
				     .n_phases = 1};
	for (unsigned int i = 0; i < CAPTURES; i++) {
		struct phase_facts *f = &b->facts[i];

		strcpy(b->captures[i].kernel, names[i / BOOTS]);
		b->captures[i].phases = &b->infos[i];
		b->captures[i].n_phases = 1;
		b->list[i] = &b->captures[i];
		strcpy(b->infos[i].name, "boot");
		b->infos[i].pgmajfault = 100;
		b->infos[i].lru_file = 1000;
		b->infos[i].lru_unreferenced = 300;
		strcpy(b->stats[i].name, "boot");
		b->stats[i].figures = &b->figures[i];
		b->figures[i].rows[RA_READAROUND].mmap = 50;
		b->figures[i].usage = (struct page_usage){.pages = 1000, .used = 800};
		*f = (struct phase_facts){
			.capture = &b->captures[i], .stats = &b->stats[i], .usable = true};
	}
	b->run = (struct run){.exp = &b->exp, .captures = b->list, .n_captures = CAPTURES};
	b->judge = (struct run_judge){
		.check = check, .run = &b->run, .facts = b->facts, .n_phases = 1};
	check_limits(check, &b->exp, NULL, b->judge.limit);
}

/* The result of @kernel, which is the only one with it in front of its detail. */
static const struct result *result_of(const struct boots *b, const char *kernel)
{
	size_t n = strlen(kernel);

	for (unsigned int i = 0; i < b->judge.n_results; i++)
		if (!strncmp(b->judge.results[i].detail, kernel, n) &&
		    b->judge.results[i].detail[n] == ' ')
			return &b->judge.results[i];
	fail_msg("no result of %s", kernel);
	return NULL;
}

static void expect(struct boots *b, const char *kernel, enum verdict verdict, enum reason reason,
		   const char *says)
{
	const struct result *r = result_of(b, kernel);

	if (r->verdict != verdict || r->reason != reason || !strstr(r->detail, says))
		fail_msg("%s: %s (%s): %s", kernel, verdict_name(r->verdict), reason_id(r->reason),
			 r->detail);
	assert_int_equal(r->violations > 0, verdict == VERDICT_FAIL);
	if (verdict == VERDICT_PASS)
		assert_true(r->examined > 0);
}

static void run(struct boots *b)
{
	b->judge.check->run_ops->run(&b->judge);
}

static void boots_free(struct boots *b)
{
	free(b->judge.results);
}

static void test_major_faults(void **state __unused_arg)
{
	static struct boots b;

	boots_init(&b, &check_major_faults_not_above);
	/* B: means of 101 are within 1 %; C: 102 are not */
	b.infos[2].pgmajfault = 99;
	b.infos[3].pgmajfault = 103;
	b.infos[4].pgmajfault = b.infos[5].pgmajfault = 102;
	run(&b);
	assert_int_equal(b.judge.n_results, 2);
	expect(&b, "B", VERDICT_PASS, WHY_NONE, "101.0 major faults, 100.0 there, n 2, 2");
	expect(&b, "C", VERDICT_FAIL, WHY_NONE, "102.0 major faults");
	assert_non_null(strstr(result_of(&b, "C")->findings[0].text, "2.0 more than A"));
	boots_free(&b);

	boots_init(&b, &check_major_faults_not_above);
	b.facts[3].usable = false;
	b.facts[3].reason = WHY_EVENTS_LOST;
	run(&b);
	expect(&b, "B", VERDICT_INCONCLUSIVE, WHY_EVENTS_LOST, "events lost");
	expect(&b, "C", VERDICT_PASS, WHY_NONE, "100.0 there");
	boots_free(&b);

	/* nothing faulted: nothing was shown */
	boots_init(&b, &check_major_faults_not_above);
	for (int i = 0; i < CAPTURES; i++)
		b.infos[i].pgmajfault = 0;
	run(&b);
	expect(&b, "B", VERDICT_INCONCLUSIVE, WHY_NOTHING_TO_CHECK, "neither has major faults");
	boots_free(&b);
}

static void test_io_count(void **state __unused_arg)
{
	static struct boots b;

	boots_init(&b, &check_io_count_not_above);
	b.judge.limit[0] = 2; /* reference: B */
	b.figures[2].rows[RA_MARKER].mmap = b.figures[3].rows[RA_MARKER].mmap = 10;
	b.figures[0].rows[RA_MARKER].mmap = b.figures[1].rows[RA_MARKER].mmap = 11;
	run(&b);
	assert_int_equal(b.judge.n_results, 2);
	expect(&b, "C", VERDICT_PASS, WHY_NONE, "50.0 mmap IOs, 60.0 there");
	expect(&b, "A", VERDICT_FAIL, WHY_NONE, "61.0 mmap IOs, 60.0 there");
	boots_free(&b);

	boots_init(&b, &check_io_count_not_above);
	strcpy(b.figures[5].why[FIG_MMAP], "no mm_filemap_fault events in this trace");
	run(&b);
	expect(&b, "C", VERDICT_INCONCLUSIVE, WHY_NOT_MEASURABLE, "not measurable");
	boots_free(&b);

	boots_init(&b, &check_io_count_not_above);
	b.judge.limit[0] = 4;
	run(&b);
	assert_int_equal(b.judge.results[0].verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(b.judge.results[0].detail, "no kernel number 4"));
	boots_free(&b);
}

static void test_miss_ratio(void **state __unused_arg)
{
	static struct boots b;

	boots_init(&b, &check_miss_ratio_near);
	/* B: 3 points more by flags, which is near; C: 3.1 points more in the trace */
	b.infos[2].lru_unreferenced = b.infos[3].lru_unreferenced = 330;
	b.figures[4].usage.used = b.figures[5].usage.used = 769;
	run(&b);
	expect(&b, "B", VERDICT_PASS, WHY_NONE, "page flags 33.0 % (30.0 there)");
	expect(&b, "C", VERDICT_FAIL, WHY_NONE, "in the trace 23.1 % (20.0 there)");
	assert_non_null(strstr(result_of(&b, "C")->findings[0].text, "never seen used"));
	boots_free(&b);

	boots_init(&b, &check_miss_ratio_near);
	b.infos[4].lru_unreferenced = b.infos[5].lru_unreferenced = 200;
	b.infos[3].lru_file = b.infos[3].lru_unreferenced = 0; /* no page flags */
	run(&b);
	expect(&b, "B", VERDICT_INCONCLUSIVE, WHY_NOT_MEASURABLE, "not measurable");
	expect(&b, "C", VERDICT_FAIL, WHY_NONE, "page flags 20.0 %");
	boots_free(&b);
}

/* Where no phase names them, experiments that know nothing of them stay as they were. */
static void test_named_only(void **state __unused_arg)
{
	static const struct check *const checks[] = {
		&check_major_faults_not_above, &check_io_count_not_above, &check_miss_ratio_near};
	static struct boots b;

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		boots_init(&b, checks[i]);
		b.phase.n_checks = 0;
		run(&b);
		assert_int_equal(b.judge.n_results, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_major_faults),
		cmocka_unit_test(test_io_count),
		cmocka_unit_test(test_miss_ratio),
		cmocka_unit_test(test_named_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
