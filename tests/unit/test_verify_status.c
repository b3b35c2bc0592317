// SPDX-License-Identifier: GPL-2.0-only
/* The exit status table of docs/verify.1, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/sample.h"
#include "verify/checks/check.h"

static void test_outcomes(void **state __unused_arg)
{
	static const struct {
		enum verdict verdict;
		enum expectation expected;
		enum outcome outcome;
	} cases[] = {
		{VERDICT_PASS, EXPECT_HOLDS, OUTCOME_MET},
		{VERDICT_PASS, EXPECT_VIOLATED, OUTCOME_NOT_SHOWN},
		{VERDICT_PASS, EXPECT_ANY, OUTCOME_REPORTED},
		{VERDICT_FAIL, EXPECT_HOLDS, OUTCOME_VIOLATED},
		{VERDICT_FAIL, EXPECT_VIOLATED, OUTCOME_MET},
		{VERDICT_FAIL, EXPECT_ANY, OUTCOME_REPORTED},
		{VERDICT_INCONCLUSIVE, EXPECT_HOLDS, OUTCOME_UNDECIDED},
		{VERDICT_INCONCLUSIVE, EXPECT_VIOLATED, OUTCOME_UNDECIDED},
		{VERDICT_INCONCLUSIVE, EXPECT_ANY, OUTCOME_NONE},
		{VERDICT_NA, EXPECT_HOLDS, OUTCOME_NONE},
		{VERDICT_NA, EXPECT_VIOLATED, OUTCOME_NONE},
		{VERDICT_NA, EXPECT_ANY, OUTCOME_NONE},
		/* what can't be: never a success */
		{(enum verdict)99, EXPECT_HOLDS, OUTCOME_UNDECIDED},
		{VERDICT_PASS, (enum expectation)99, OUTCOME_UNDECIDED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (outcome_of(cases[i].verdict, cases[i].expected) != cases[i].outcome)
			fail_msg("row %zu", i);
}

static void test_status(void **state __unused_arg)
{
	static const struct {
		unsigned int met, reported, violated, undecided, not_shown, none, unlike;
		int status, bisect;
		const char *words;
	} cases[] = {
		{.met = 1, .status = 0, .bisect = 0, .words = "every expectation is met"},
		{.met = 9,
		 .none = 3,
		 .status = 0,
		 .bisect = 0,
		 .words = "every expectation is met"},
		{.reported = 1,
		 .status = 3,
		 .bisect = 125,
		 .words = "nothing was expected, so nothing is proved"},
		{.reported = 1,
		 .met = 1,
		 .status = 0,
		 .bisect = 0,
		 .words = "every expectation is met"},
		{.violated = 1,
		 .met = 9,
		 .status = 1,
		 .bisect = 1,
		 .words = "1 check that should hold is violated"},
		{.violated = 2,
		 .undecided = 1,
		 .not_shown = 1,
		 .status = 1,
		 .bisect = 1,
		 .words = "2 checks that should hold are violated; 1 check that should be "
			  "violated is not: the problem is not shown; 1 verdict is inconclusive"},
		{.undecided = 2,
		 .met = 9,
		 .status = 3,
		 .bisect = 125,
		 .words = "2 verdicts are inconclusive"},
		{.not_shown = 1,
		 .met = 9,
		 .status = 3,
		 .bisect = 125,
		 .words = "1 check that should be violated is not: the problem is not shown"},
		{.met = 9,
		 .unlike = 1,
		 .status = 3,
		 .bisect = 125,
		 .words = "1 capture has other settings than the first"},
		{.violated = 1,
		 .unlike = 2,
		 .status = 1,
		 .bisect = 1,
		 .words = "1 check that should hold is violated; 2 captures have other settings "
			  "than the first"},
		{.status = 3, .bisect = 125, .words = "nothing was checked"},
		{.none = 12, .status = 3, .bisect = 125, .words = "nothing was checked"},
	};
	char words[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct tally t = {.unlike = cases[i].unlike,
					.of = {[OUTCOME_NONE] = cases[i].none,
					       [OUTCOME_REPORTED] = cases[i].reported,
					       [OUTCOME_MET] = cases[i].met,
					       [OUTCOME_VIOLATED] = cases[i].violated,
					       [OUTCOME_UNDECIDED] = cases[i].undecided,
					       [OUTCOME_NOT_SHOWN] = cases[i].not_shown}};

		if ((int)status_of(&t) != cases[i].status ||
		    status_bisect(status_of(&t)) != cases[i].bisect)
			fail_msg("row %zu: status %d", i, status_of(&t));
		assert_string_equal(status_words(&t, words, sizeof(words)), cases[i].words);
	}
	assert_int_equal(status_bisect(STATUS_ERROR), 125);
}

/* 2 before 1 before 3 before 0, whatever comes first */
static void test_worse(void **state __unused_arg)
{
	static const enum verify_status order[] = {STATUS_MET, STATUS_UNDECIDED, STATUS_VIOLATED,
						   STATUS_ERROR};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t j = 0; j < ARRAY_SIZE(order); j++)
			assert_int_equal(status_worse(order[i], order[j]), order[MAX(i, j)]);
}

static void test_pass_of_nothing(void **state __unused_arg)
{
	struct result r = {.verdict = VERDICT_PASS, .expected = EXPECT_HOLDS};

	assert_int_equal(result_verdict(&r), VERDICT_INCONCLUSIVE);
	assert_int_equal(result_reason(&r), WHY_NOTHING_TO_CHECK);
	assert_int_equal(result_outcome(&r), OUTCOME_UNDECIDED);
	r.examined = 1;
	assert_int_equal(result_outcome(&r), OUTCOME_MET);
}

/* A check that base should violate, and that applies to none of its phases, shows nothing. */
static void test_never_applied(void **state __unused_arg)
{
	static const struct check a = {.name = "a"}, b = {.name = "b"};
	static const struct {
		enum verdict first, second;
		unsigned int not_shown;
	} cases[] = {
		{VERDICT_NA, VERDICT_NA, 1},
		{VERDICT_NA, VERDICT_FAIL, 0},
		{VERDICT_FAIL, VERDICT_NA, 0},
		{VERDICT_NA, VERDICT_PASS, 1}, /* the PASS itself */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct result r[] = {
			{.check = &b, .verdict = VERDICT_FAIL, .expected = EXPECT_VIOLATED},
			{.check = &a, .verdict = cases[i].first, .expected = EXPECT_VIOLATED},
			{.check = &a, .verdict = cases[i].second, .expected = EXPECT_VIOLATED},
		};
		struct tally t = {0};

		r[1].examined = r[2].examined = 1;
		tally_results(&t, r, ARRAY_SIZE(r));
		if (t.of[OUTCOME_NOT_SHOWN] != cases[i].not_shown)
			fail_msg("row %zu: %u", i, t.of[OUTCOME_NOT_SHOWN]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes),      cmocka_unit_test(test_status),
		cmocka_unit_test(test_worse),	      cmocka_unit_test(test_pass_of_nothing),
		cmocka_unit_test(test_never_applied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
