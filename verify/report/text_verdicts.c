// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts by check and kernel. */
#include "verify/checks/check.h"
#include "verify/report/report.h"

/* "FAIL 3/3 expected": the worst verdict, in how many of the phases and boots */
static void verdict_cell(struct table *t, unsigned int row, unsigned int col, const struct cell *c,
			 bool experiment)
{
	unsigned int judged = c->verdicts[VERDICT_PASS] + c->verdicts[VERDICT_FAIL] +
			      c->verdicts[VERDICT_INCONCLUSIVE];
	enum verdict worst = c->verdicts[VERDICT_FAIL]		 ? VERDICT_FAIL
			     : c->verdicts[VERDICT_INCONCLUSIVE] ? VERDICT_INCONCLUSIVE
								 : VERDICT_PASS;
	const char *expected = "";

	if (!judged) {
		table_cell(t, row, col, "n/a%s",
			   c->outcomes[OUTCOME_NOT_SHOWN] ? " UNEXPECTED" : "");
		return;
	}
	if (experiment && (c->outcomes[OUTCOME_VIOLATED] || c->outcomes[OUTCOME_NOT_SHOWN]))
		expected = " UNEXPECTED";
	else if (experiment && worst == VERDICT_FAIL && c->outcomes[OUTCOME_MET])
		expected = " expected";
	table_cell(t, row, col, "%s %u/%u%s", verdict_name(worst), c->verdicts[worst], judged,
		   expected);
}

void text_matrix(struct out *o, const struct analysis *a)
{
	const char **kernels __cleanup_free;
	const struct check **checks __cleanup_free;
	unsigned int n_kernels = analysis_kernels(a, &kernels);
	unsigned int n_checks = analysis_checks(a, &checks);
	unsigned int rows = 0;
	struct table t;

	out_line(o, 0, "%s", "");
	out_line(o, 0, "Verdicts (m/n: in m of the n phases and boots that were judged)");
	table_init(&t, "", n_checks, n_kernels);
	for (unsigned int k = 0; k < n_kernels; k++)
		table_head(&t, k, kernel_head(kernels[k]));
	for (unsigned int i = 0; i < n_checks; i++) {
		unsigned int na = 0, all = 0;

		for (unsigned int k = 0; k < n_kernels; k++) {
			struct cell c = cell_of(a, kernels[k], checks[i]);

			verdict_cell(&t, rows, k, &c, a->run->has_json);
			na += c.verdicts[VERDICT_NA] -
			      (c.outcomes[OUTCOME_NOT_SHOWN] && c.verdicts[VERDICT_NA]);
			for (unsigned int v = 0; v <= VERDICT_NA; v++)
				all += c.verdicts[v];
		}
		/* what applies nowhere is listed with its reason further down */
		if (na < all)
			table_label(&t, rows++, checks[i]->name);
	}
	if (rows) {
		unsigned int made = t.n_rows;

		t.n_rows = rows;
		table_print(o, &t);
		t.n_rows = made;
	} else {
		out_line(o, 2, "  nothing was checked");
	}
	table_free(&t);
}
