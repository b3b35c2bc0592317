// SPDX-License-Identifier: GPL-2.0-only
#include "verify/checks/kernel_mean.h"

enum { LIMIT_REFERENCE, LIMIT_TOLERANCE };

static bool major_faults(const struct phase_facts *f, double *value)
{
	const struct phase_info *info = facts_info(f);

	*value = info ? (double)info->pgmajfault : 0;
	return info;
}

static void major_faults_judge(struct run_judge *r, struct result *res, unsigned int phase,
			       const char *kernel, const char *reference)
{
	judge_not_above(r, res, phase, kernel, reference, major_faults, "major faults",
			r->limit[LIMIT_TOLERANCE]);
}

static void major_faults_not_above_run(struct run_judge *r)
{
	kernels_against_reference(r, (unsigned int)r->limit[LIMIT_REFERENCE], major_faults_judge);
}

static const struct run_check_ops major_faults_not_above_ops = {
	.run = major_faults_not_above_run,
};

const struct check check_major_faults_not_above = {
	.name = "major-faults-not-above",
	.summary = "no more major faults than the reference kernel has",
	.explain =
		"Readahead for a mapping is there to keep tasks from waiting: what it saves is\n"
		"major faults.  In each phase whose list of checks names this one, the kernel's\n"
		"pgmajfault (/proc/vmstat, the whole guest), as a mean over its boots, is compared\n"
		"with that of the reference kernel: kernel number 'reference' of the experiment,\n"
		"from 1.  It may be above by 'tolerance' per cent, which is for what differs\n"
		"between two boots of one kernel; REPEAT= and the report's table say how much that\n"
		"is.\n"
		"\n"
		"A capture with lost events or a warm cache makes the comparison INCONCLUSIVE, and\n"
		"so does a kernel without any usable capture.\n"
		"\n"
		"Look further: verify --stats, 'readahead by cause': the windows whose 'sync' is\n"
		"counted are those that a task waited for.\n",
	.needs_json = true,
	.needs_cold = true,
	.limits = {[LIMIT_REFERENCE] = {"reference", 1, "the kernel to compare with, from 1"},
		   [LIMIT_TOLERANCE] = {"tolerance", 1, "more that is no difference, per cent"}},
	.against_reference = true,
	.run_ops = &major_faults_not_above_ops,
};
