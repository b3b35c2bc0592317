// SPDX-License-Identifier: GPL-2.0-only
/* What must not change between the kernels: what is judged, and what differs besides. */
#include <string.h>

#include "verify/checks/check.h"
#include "verify/report/report.h"

#define FINDINGS_SHOWN 3

static bool must_not_change(const struct analysis *a, const char *phase)
{
	const struct experiment *exp = a->run->exp;

	for (unsigned int i = 0; exp && i < exp->n_phases; i++)
		if (!strcmp(exp->phases[i].name, phase))
			return exp->phases[i].unaffected;
	return false;
}

/* No check judges them, but a reader who is told that nothing changed must see them. */
static void differences(struct out *o, const struct summary *s, unsigned int phase,
			unsigned int kernel)
{
	char *list = xstrdup("");

	for (unsigned int m = 0; m < METRICS; m++) {
		unsigned int ref = summary_reference(s, kernel);
		char from[NUMBER_TEXT_MAX], to[NUMBER_TEXT_MAX];
		char *old __cleanup_free = NULL;

		if (!summary_differs(s, m, phase, kernel))
			continue;
		old = list;
		list = xasprintf(
			"%s%s%s (%s, was %s)", old, *old ? "; " : "", metrics[m].title,
			number_text(summary_figure(s, m, phase, kernel), metrics[m].decimals, to),
			number_text(summary_figure(s, m, phase, ref), metrics[m].decimals, from));
	}
	if (*list)
		out_line(o, 4, "  not judged, but different by more than noise, %s on %s: %s",
			 phase_label(s->phases[phase]), kernel_head(s->kernels[kernel]), list);
	free(list);
}

/* Results of patterns that must stay as they are, or of checks against a reference kernel. */
static void run_results(struct out *o, const struct analysis *a, const char *head, bool reference)
{
	bool any = false;

	for (unsigned int i = 0; i < a->n_run_results; i++) {
		const struct result *r = &a->run_results[i];
		enum verdict v = result_verdict(r);
		enum outcome outcome = result_outcome(r);
		char *why __cleanup_free = v == VERDICT_INCONCLUSIVE ? why_text(r) : NULL;

		if (r->check->against_reference != reference)
			continue;
		if (!any) {
			out_line(o, 0, "%s", "");
			out_line(o, 2, "%s", head);
		}
		any = true;
		out_line(o, 4, "  %s %s%s%s: %s%s%s", v == VERDICT_NA ? "n/a" : verdict_name(v),
			 reference ? r->check->name : "", reference ? " " : "",
			 r->phase[0] ? r->phase : r->check->name, why ? why : r->detail,
			 outcome == OUTCOME_VIOLATED || outcome == OUTCOME_NOT_SHOWN
				 ? " (UNEXPECTED)"
				 : "",
			 reference && r->expected == EXPECT_ANY ? " (nothing is expected)" : "");
		if (v != VERDICT_FAIL)
			continue;
		for (unsigned int j = 0; j < MIN(r->n_findings, (unsigned int)FINDINGS_SHOWN); j++)
			text_finding(o, &r->findings[j]);
	}
}

void text_between_kernels(struct out *o, const struct summary *s)
{
	const struct analysis *a = s->a;

	run_results(o, a, "What must not change between the kernels", false);
	for (unsigned int p = 0; p < s->n_phases; p++)
		if (must_not_change(a, s->phases[p]))
			for (unsigned int k = 0; k < s->n_kernels; k++)
				differences(o, s, p, k);
	run_results(o, a, "Kernels against a reference kernel", true);
}
