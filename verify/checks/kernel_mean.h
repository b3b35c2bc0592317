/* SPDX-License-Identifier: GPL-2.0-only */
/* What the checks that hold one kernel's figure against another's share. */
#ifndef BP_KERNEL_MEAN_H
#define BP_KERNEL_MEAN_H

#include "verify/model/judge.h"

/* A figure of one phase of one capture; false: it was not measured there. */
typedef bool (*kernel_figure)(const struct phase_facts *f, double *value);

/* Over all captures of a kernel. */
struct kernel_mean {
	unsigned int n;
	double mean;
	enum reason reason; /* WHY_NONE, or why a capture of it can't be used */
};
struct kernel_mean kernel_mean(const struct run_judge *r, const char *kernel, unsigned int phase,
			       kernel_figure figure) __must_check;

/* capture.json's element for the phase; NULL if there is none. */
const struct phase_info *facts_info(const struct phase_facts *f);

/* Windows that a fault led to and that added a page; false: not measured. */
bool mmap_ios(const struct phase_facts *f, double *value);

/*
 * For each phase whose list of checks names this one, and each kernel but the
 * one that limit @reference numbers (from 1, in the experiment's order): calls
 * @judge with a result whose phase and expectation are set.
 */
void kernels_against_reference(struct run_judge *r, unsigned int reference,
			       void (*judge)(struct run_judge *r, struct result *res,
					     unsigned int phase, const char *kernel,
					     const char *reference));

/*
 * The kernel's mean of @figure (called @what) is at most the reference's, and
 * @percent more: the verdict, the detail, and the finding.
 */
void judge_not_above(struct run_judge *r, struct result *res, unsigned int phase,
		     const char *kernel, const char *reference, kernel_figure figure,
		     const char *what, double percent);

#endif
