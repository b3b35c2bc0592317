// SPDX-License-Identifier: GPL-2.0-only
#include "verify/checks/kernel_mean.h"

enum { LIMIT_REFERENCE, LIMIT_TOLERANCE };

static void io_count_judge(struct run_judge *r, struct result *res, unsigned int phase,
			   const char *kernel, const char *reference)
{
	judge_not_above(r, res, phase, kernel, reference, mmap_ios, "mmap IOs",
			r->limit[LIMIT_TOLERANCE]);
}

static void io_count_not_above_run(struct run_judge *r)
{
	kernels_against_reference(r, (unsigned int)r->limit[LIMIT_REFERENCE], io_count_judge);
}

static const struct run_check_ops io_count_not_above_ops = {
	.run = io_count_not_above_run,
};

const struct check check_io_count_not_above = {
	.name = "io-count-not-above",
	.summary = "no more mmap IOs than the reference kernel has",
	.explain =
		"Few large IOs are better than many small ones.  An mmap IO is a readahead window\n"
		"that added at least one page and whose decision came right after mm_filemap_fault\n"
		"on the same file by the same task, as the mmap readahead series of 2009 counted\n"
		"it.  In each phase whose list of checks names this one, their number, as a mean\n"
		"over the kernel's boots, is compared with that of the reference kernel: kernel\n"
		"number 'reference' of the experiment, from 1.  It may be above by 'tolerance' per\n"
		"cent.\n"
		"\n"
		"Windows are those of the test file; in a phase of a root file system, of all its\n"
		"files.  Lost events or a warm cache make the comparison INCONCLUSIVE.\n"
		"\n"
		"Look further: verify --stats, 'readahead by cause', column mmap.\n",
	.needs = EV_BIT(EV_FAULT) | EV_BIT(EV_RA_ORDER) | EV_BIT(EV_FOLIO_ADD),
	.needs_json = true,
	.needs_cold = true,
	.needs_figures = true,
	.limits = {[LIMIT_REFERENCE] = {"reference", 1, "the kernel to compare with, from 1"},
		   [LIMIT_TOLERANCE] = {"tolerance", 1, "more that is no difference, per cent"}},
	.against_reference = true,
	.run_ops = &io_count_not_above_ops,
};
