// SPDX-License-Identifier: GPL-2.0-only
/* Names in their order, and the grouping of verdicts. */
#include <string.h>

#include "verify/checks/check.h"
#include "verify/model/judge.h"
#include "verify/report/report.h"

const char *expectation_name(enum expectation e)
{
	static const char *const names[] = {"holds", "violated", "any"};

	return (unsigned int)e < ARRAY_SIZE(names) ? names[e] : "?";
}

const char *outcome_name(enum outcome o)
{
	static const char *const names[OUTCOMES] = {
		[OUTCOME_NONE] = "none",
		[OUTCOME_REPORTED] = "reported",
		[OUTCOME_MET] = "met",
		[OUTCOME_VIOLATED] = "violated",
		[OUTCOME_UNDECIDED] = "undecided",
		[OUTCOME_NOT_SHOWN] = "not-shown",
	};

	return (unsigned int)o < OUTCOMES ? names[o] : "?";
}

static bool add_name(const char ***names, unsigned int *n, const char *name)
{
	for (unsigned int i = 0; i < *n; i++)
		if (!strcmp((*names)[i], name))
			return false;
	*names = xrealloc(*names, *n + 1, sizeof(**names));
	(*names)[(*n)++] = name;
	return true;
}

unsigned int analysis_kernels(const struct analysis *a, const char ***names)
{
	unsigned int n = 0;

	*names = NULL;
	for (unsigned int i = 0; i < a->n_captures; i++)
		add_name(names, &n, a->captures[i].capture->kernel);
	return n;
}

unsigned int analysis_phases(const struct analysis *a, const char ***names)
{
	unsigned int n = 0;

	*names = NULL;
	for (unsigned int i = 0; i < a->n_captures; i++)
		for (unsigned int j = 0; j < a->captures[i].n_phases; j++)
			add_name(names, &n, a->captures[i].phases[j].name);
	return n;
}

unsigned int analysis_checks(const struct analysis *a, const struct check ***checks)
{
	unsigned int n = 0;

	*checks = NULL;
	for (unsigned int i = 0; i < a->n_captures; i++) {
		for (unsigned int j = 0; j < a->captures[i].n_results; j++) {
			const struct check *c = a->captures[i].results[j].check;
			unsigned int k = 0;

			while (k < n && (*checks)[k] != c)
				k++;
			if (k < n)
				continue;
			*checks = xrealloc(*checks, n + 1, sizeof(**checks));
			(*checks)[n++] = c;
		}
	}
	return n;
}

unsigned int analysis_limits(const struct analysis *a, struct changed_limit **limits)
{
	unsigned int n = 0;

	*limits = NULL;
	for (unsigned int i = 0; i < n_all_checks; i++) {
		const struct check *c = all_checks[i];
		double value[CHECK_LIMITS_MAX];

		if (!check_selected(c, a->opt))
			continue;
		check_limits(c, a->run->exp, a->opt, value);
		for (unsigned int k = 0; k < CHECK_LIMITS_MAX && c->limits[k].name; k++) {
			if (value[k] == c->limits[k].value)
				continue;
			*limits = xrealloc(*limits, n + 1, sizeof(**limits));
			(*limits)[n++] = (struct changed_limit){c, &c->limits[k], value[k]};
		}
	}
	return n;
}

struct cell cell_of(const struct analysis *a, const char *kernel, const struct check *check)
{
	struct cell cell = {0};

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];

		if (strcmp(c->capture->kernel, kernel))
			continue;
		for (unsigned int j = 0; j < c->n_results; j++) {
			if (c->results[j].check != check)
				continue;
			cell.verdicts[result_verdict(&c->results[j])]++;
			cell.outcomes[result_outcome(&c->results[j])]++;
			if (result_never_applied(c->results, c->n_results, &c->results[j]))
				cell.outcomes[OUTCOME_NOT_SHOWN]++;
		}
	}
	return cell;
}
