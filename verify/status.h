/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From verdicts and expectations to the exit status.  The table stands in
 * docs/verify.1; every row of it is a case in tests/unit/test_status.c.
 */
#ifndef BP_VERIFY_STATUS_H
#define BP_VERIFY_STATUS_H

#include "verify/result.h"

enum verify_status {
	STATUS_MET = 0,		  /* every expectation is met */
	STATUS_VIOLATED = 1,	  /* a check that should hold is violated */
	STATUS_ERROR = 2,	  /* usage error, or an input that can't be read */
	STATUS_UNDECIDED = 3,	  /* no violation, but not every expectation is met either */
	STATUS_BISECT_SKIP = 125, /* what git bisect run takes as "can't be tested" */
};

/* What one verdict means, given what was expected. */
enum outcome {
	OUTCOME_NONE,	  /* does not apply here; counts for nothing */
	OUTCOME_REPORTED, /* nothing was expected of it */
	OUTCOME_MET,
	OUTCOME_VIOLATED,  /* should hold, does not */
	OUTCOME_UNDECIDED, /* inconclusive, and something was expected */
	OUTCOME_NOT_SHOWN, /* should be violated (on base), and is not */
	OUTCOMES
};

/* How many verdicts had which outcome. */
struct tally {
	unsigned int of[OUTCOMES];
	/* captures of a run with another file, readahead or CPUs than its first one: what
	 * differs between kernels there may come from that */
	unsigned int unlike;
};

enum outcome outcome_of(enum verdict verdict, enum expectation expected);

/* The status that a tally amounts to: 0, 1 or 3.  Nothing examined is never 0. */
enum verify_status status_of(const struct tally *t);

/* Of two inputs' statuses, the one to exit with: 2 before 1 before 3 before 0. */
enum verify_status status_worse(enum verify_status a, enum verify_status b);

/* What to exit with under --bisect: 0 and 1 as they are, 125 for all else. */
int status_bisect(enum verify_status s);

/*
 * The verdict to judge and print: a PASS for which nothing was examined is
 * INCONCLUSIVE (nothing to check), whoever made it.
 */
enum verdict result_verdict(const struct result *r);
enum reason result_reason(const struct result *r);
enum outcome result_outcome(const struct result *r);

/*
 * Is @r the first of those results of one check that expect a violation where
 * the check applied in no phase at all?  "Not applicable" proves no problem,
 * so that this counts as one NOT_SHOWN.
 */
bool result_never_applied(const struct result *results, unsigned int n, const struct result *r);

/* Adds the outcomes of a capture's results, those that never applied included. */
void tally_results(struct tally *t, const struct result *results, unsigned int n);

/* All verdicts of an analysis. */
void tally_analysis(struct tally *t, const struct analysis *a);

/* The last line of a report, without the exit status: "every expectation is met".
 * @buf is returned. */
char *status_words(const struct tally *t, char *buf, size_t size);

#endif
