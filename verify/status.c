// SPDX-License-Identifier: GPL-2.0-only
#include "verify/status.h"

#include <string.h>

#include "verify/checks/check.h"

enum outcome outcome_of(enum verdict verdict, enum expectation expected)
{
	/*
	 * With EXPECT_ANY either answer is fine, so that not knowing it hides
	 * nothing; it is not counted as something examined, though.
	 */
	static const enum outcome table[][3] = {
		/*			   HOLDS	      VIOLATED		 ANY */
		[VERDICT_PASS] = {OUTCOME_MET, OUTCOME_NOT_SHOWN, OUTCOME_REPORTED},
		[VERDICT_FAIL] = {OUTCOME_VIOLATED, OUTCOME_MET, OUTCOME_REPORTED},
		[VERDICT_INCONCLUSIVE] = {OUTCOME_UNDECIDED, OUTCOME_UNDECIDED, OUTCOME_NONE},
		[VERDICT_NA] = {OUTCOME_NONE, OUTCOME_NONE, OUTCOME_NONE},
	};

	/* a value that is none of ours is a bug; the safe side of it is "don't know" */
	if ((unsigned int)verdict >= ARRAY_SIZE(table) || (unsigned int)expected > EXPECT_ANY)
		return OUTCOME_UNDECIDED;
	return table[verdict][expected];
}

enum verify_status status_of(const struct tally *t)
{
	if (t->of[OUTCOME_VIOLATED])
		return STATUS_VIOLATED;
	if (t->of[OUTCOME_UNDECIDED] || t->of[OUTCOME_NOT_SHOWN] || t->unlike)
		return STATUS_UNDECIDED;
	/* neither what was not looked at nor what nobody expected proves anything */
	if (!t->of[OUTCOME_MET])
		return STATUS_UNDECIDED;
	return STATUS_MET;
}

enum verify_status status_worse(enum verify_status a, enum verify_status b)
{
	static const enum verify_status order[] = {STATUS_ERROR, STATUS_VIOLATED, STATUS_UNDECIDED};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return STATUS_MET;
}

int status_bisect(enum verify_status s)
{
	return s == STATUS_MET || s == STATUS_VIOLATED ? (int)s : STATUS_BISECT_SKIP;
}

enum verdict result_verdict(const struct result *r)
{
	return r->verdict == VERDICT_PASS && !r->examined ? VERDICT_INCONCLUSIVE : r->verdict;
}

enum reason result_reason(const struct result *r)
{
	return r->verdict == VERDICT_PASS && !r->examined ? WHY_NOTHING_TO_CHECK : r->reason;
}

enum outcome result_outcome(const struct result *r)
{
	return outcome_of(result_verdict(r), r->expected);
}

bool result_never_applied(const struct result *results, unsigned int n, const struct result *r)
{
	if (r->expected != EXPECT_VIOLATED || r->verdict != VERDICT_NA)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		const struct result *other = &results[i];

		if (other->check != r->check)
			continue;
		if (other->verdict != VERDICT_NA || (other < r && other->expected == r->expected))
			return false;
	}
	return true;
}

void tally_results(struct tally *t, const struct result *results, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		t->of[result_outcome(&results[i])]++;
		if (result_never_applied(results, n, &results[i]))
			t->of[OUTCOME_NOT_SHOWN]++;
	}
}

void tally_analysis(struct tally *t, const struct analysis *a)
{
	for (unsigned int i = 0; i < a->n_captures; i++)
		tally_results(t, a->captures[i].results, a->captures[i].n_results);
	tally_results(t, a->run_results, a->n_run_results);
	/* of two inputs side by side, the report lists the differences */
	for (unsigned int i = 1; i < a->n_captures && a->run->has_json && !a->pairs; i++)
		t->unlike += !capture_is_like(a->captures[0].capture, a->captures[i].capture);
}

static void add_words(char *buf, size_t size, unsigned int n, const char *one, const char *many)
{
	size_t len = strlen(buf);

	if (n)
		snprintf(buf + len, size - len, "%s%u %s", len ? "; " : "", n, n == 1 ? one : many);
}

char *status_words(const struct tally *t, char *buf, size_t size)
{
	buf[0] = '\0';
	add_words(buf, size, t->of[OUTCOME_VIOLATED], "check that should hold is violated",
		  "checks that should hold are violated");
	add_words(buf, size, t->of[OUTCOME_NOT_SHOWN],
		  "check that should be violated is not: the problem is not shown",
		  "checks that should be violated are not: the problem is not shown");
	add_words(buf, size, t->of[OUTCOME_UNDECIDED], "verdict is inconclusive",
		  "verdicts are inconclusive");
	add_words(buf, size, t->unlike, "capture has other settings than the first",
		  "captures have other settings than the first");
	if (!buf[0] && t->of[OUTCOME_MET])
		snprintf(buf, size, "every expectation is met");
	else if (!buf[0])
		snprintf(buf, size, "%s",
			 t->of[OUTCOME_REPORTED] ? "nothing was expected, so nothing is proved"
						 : "nothing was checked");
	return buf;
}
