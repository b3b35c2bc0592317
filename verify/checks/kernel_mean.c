// SPDX-License-Identifier: GPL-2.0-only
#include "verify/checks/kernel_mean.h"

#include <string.h>

const struct phase_info *facts_info(const struct phase_facts *f)
{
	for (unsigned int i = 0; f->stats && i < f->capture->n_phases; i++)
		if (!strcmp(f->capture->phases[i].name, f->stats->name))
			return &f->capture->phases[i];
	return NULL;
}

struct kernel_mean kernel_mean(const struct run_judge *r, const char *kernel, unsigned int phase,
			       kernel_figure figure)
{
	struct kernel_mean m = {.reason = WHY_NONE};
	double value;

	for (unsigned int i = 0; i < r->run->n_captures; i++) {
		const struct phase_facts *f = &r->facts[i * r->n_phases + phase];

		if (strcmp(r->run->captures[i]->kernel, kernel))
			continue;
		if (!f->stats || !f->usable) {
			m.reason = f->reason;
			continue;
		}
		if (!figure(f, &value)) {
			m.reason = WHY_NOT_MEASURABLE;
			continue;
		}
		m.n++;
		m.mean += value;
	}
	if (m.n)
		m.mean /= m.n;
	else if (!m.reason)
		m.reason = WHY_NOTHING_TO_CHECK;
	return m;
}

bool mmap_ios(const struct phase_facts *f, double *value)
{
	const struct phase_figures *pf = f->stats->figures;

	if (!pf || pf->why[FIG_MMAP][0])
		return false;
	*value = (double)ra_total(pf).mmap;
	return true;
}

static bool names_check(const struct phase *p, const char *check)
{
	return p->n_checks && phase_judges(p, check);
}

void kernels_against_reference(struct run_judge *r, unsigned int reference,
			       void (*judge)(struct run_judge *r, struct result *res,
					     unsigned int phase, const char *kernel,
					     const char *reference))
{
	const struct experiment *exp = r->run->exp;

	for (unsigned int i = 0; i < exp->n_phases; i++) {
		if (!names_check(&exp->phases[i], r->check->name))
			continue;
		for (unsigned int k = 0; k < exp->n_kernels; k++) {
			struct result *res;

			if (k + 1 == reference)
				continue;
			res = run_judge_result(r, exp->phases[i].name);
			res->expected = experiment_expects(exp, exp->kernels[k].name, res->phase,
							   r->check->name);
			if (!reference || reference > exp->n_kernels) {
				res->verdict = VERDICT_INCONCLUSIVE;
				res->reason = WHY_NOTHING_TO_CHECK;
				snprintf(res->detail, sizeof(res->detail),
					 "limit reference: there is no kernel number %u",
					 reference);
				continue;
			}
			judge(r, res, i, exp->kernels[k].name, exp->kernels[reference - 1].name);
		}
	}
}

void judge_not_above(struct run_judge *r, struct result *res, unsigned int phase,
		     const char *kernel, const char *reference, kernel_figure figure,
		     const char *what, double percent)
{
	struct kernel_mean k = kernel_mean(r, kernel, phase, figure);
	struct kernel_mean b = kernel_mean(r, reference, phase, figure);
	struct finding *f;

	if (k.reason || b.reason) {
		res->verdict = VERDICT_INCONCLUSIVE;
		res->reason = k.reason ? k.reason : b.reason;
		snprintf(res->detail, sizeof(res->detail), "%s against %s: %s", kernel, reference,
			 reason_text(res->reason));
		return;
	}
	if (!k.mean && !b.mean) {
		res->verdict = VERDICT_INCONCLUSIVE;
		res->reason = WHY_NOTHING_TO_CHECK;
		snprintf(res->detail, sizeof(res->detail), "%s against %s: neither has %s", kernel,
			 reference, what);
		return;
	}
	res->examined = k.n + b.n;
	snprintf(res->detail, sizeof(res->detail), "%s against %s: %.1f %s, %.1f there, n %u, %u",
		 kernel, reference, k.mean, what, b.mean, k.n, b.n);
	res->verdict = VERDICT_PASS;
	if (k.mean <= b.mean * (1 + percent / 100))
		return;
	res->verdict = VERDICT_FAIL;
	res->violations = 1;
	f = &res->findings[res->n_findings++];
	f->weight = k.mean - b.mean;
	snprintf(f->text, sizeof(f->text), "%s has %.1f %s, %.1f more than %s; %g %% are allowed",
		 kernel, k.mean, what, k.mean - b.mean, reference, percent);
}
