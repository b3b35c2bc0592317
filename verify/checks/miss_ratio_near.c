// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "verify/checks/kernel_mean.h"

enum { LIMIT_REFERENCE, LIMIT_POINTS };

/* By page flags: of files' pages on the LRU lists, those that nobody referenced, per cent. */
static bool flag_ratio(const struct phase_facts *f, double *value)
{
	const struct phase_info *info = facts_info(f);

	if (!info || !info->lru_file)
		return false;
	*value = 100.0 * (double)info->lru_unreferenced / (double)info->lru_file;
	return true;
}

/* From the trace: of pages that readahead added, those that no event shows used, per cent. */
static bool unused_ratio(const struct phase_facts *f, double *value)
{
	const struct phase_figures *pf = f->stats->figures;

	if (!pf || pf->why[FIG_UNUSED][0] || !pf->usage.pages)
		return false;
	*value = 100.0 * (double)usage_unused(&pf->usage) / (double)pf->usage.pages;
	return true;
}

static void compare(struct run_judge *r, struct result *res, const char *kernel, const char *what,
		    const struct kernel_mean *k, const struct kernel_mean *b)
{
	struct finding *f;

	if (fabs(k->mean - b->mean) <= r->limit[LIMIT_POINTS])
		return;
	res->violations++;
	f = &res->findings[res->n_findings++];
	f->weight = fabs(k->mean - b->mean);
	snprintf(f->text, sizeof(f->text), "%s: %.1f %% of pages %s, %.1f %% on the reference",
		 kernel, k->mean, what, b->mean);
}

static void miss_ratio_judge(struct run_judge *r, struct result *res, unsigned int phase,
			     const char *kernel, const char *reference)
{
	struct kernel_mean kf = kernel_mean(r, kernel, phase, flag_ratio);
	struct kernel_mean bf = kernel_mean(r, reference, phase, flag_ratio);
	struct kernel_mean ku = kernel_mean(r, kernel, phase, unused_ratio);
	struct kernel_mean bu = kernel_mean(r, reference, phase, unused_ratio);
	enum reason why = kf.reason   ? kf.reason
			  : bf.reason ? bf.reason
			  : ku.reason ? ku.reason
				      : bu.reason;

	if (why) {
		res->verdict = VERDICT_INCONCLUSIVE;
		res->reason = why;
		snprintf(res->detail, sizeof(res->detail), "%s against %s: %s", kernel, reference,
			 reason_text(why));
		return;
	}
	res->examined = kf.n + bf.n;
	snprintf(res->detail, sizeof(res->detail),
		 "%s against %s: unreferenced by page flags %.1f %% (%.1f there), never seen used "
		 "in the trace %.1f %% (%.1f there), n %u, %u",
		 kernel, reference, kf.mean, bf.mean, ku.mean, bu.mean, kf.n, bf.n);
	compare(r, res, kernel, "unreferenced by their flags", &kf, &bf);
	compare(r, res, kernel, "never seen used in the trace", &ku, &bu);
	res->verdict = res->violations ? VERDICT_FAIL : VERDICT_PASS;
}

static void miss_ratio_near_run(struct run_judge *r)
{
	kernels_against_reference(r, (unsigned int)r->limit[LIMIT_REFERENCE], miss_ratio_judge);
}

static const struct run_check_ops miss_ratio_near_ops = {
	.run = miss_ratio_near_run,
};

const struct check check_miss_ratio_near = {
	.name = "miss-ratio-near",
	.summary = "readahead misses as often as on the reference kernel",
	.explain =
		"Readahead that reads what nobody wants costs IO and memory.  There are two ways\n"
		"to count it, and both are compared with the reference kernel (number 'reference'\n"
		"of the experiment, from 1); they may differ by 'points' percentage points.\n"
		"\n"
		"By page flags, as the mmap readahead series of 2009 did: pages of files on the\n"
		"LRU lists that are neither referenced nor active (/proc/kpageflags after the\n"
		"phase), of all pages of files there.  A page that only stays mapped counts as\n"
		"unreferenced, and what fault-around maps is marked young on x86, so\n"
		"fault_around_bytes decides this figure as much as readahead does.\n"
		"\n"
		"From the trace: pages that a readahead window added and that no fault, read or\n"
		"mapping touched until the end, of all that windows added.\n"
		"\n"
		"Judged in phases whose list of checks names it.  Lost events or a warm cache make\n"
		"the comparison INCONCLUSIVE, and so does a kernel without /proc/kpageflags.\n",
	.needs = EV_BIT(EV_FAULT) | EV_BIT(EV_RA_ORDER) | EV_BIT(EV_FOLIO_ADD),
	.needs_json = true,
	.needs_cold = true,
	.needs_figures = true,
	.limits = {[LIMIT_REFERENCE] = {"reference", 1, "the kernel to compare with, from 1"},
		   [LIMIT_POINTS] = {"points", 3, "difference, percentage points"}},
	.against_reference = true,
	.run_ops = &miss_ratio_near_ops,
};
