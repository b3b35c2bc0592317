/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that print phases of a root file system beside the thread of 2009. */
#ifndef BP_TEXT_MMAP_H
#define BP_TEXT_MMAP_H

#include "verify/report/text_stats.h"

#define THREAD_KERNELS 3

struct mmap_row {
	const char *title;
	int decimals;
	bool (*get)(const struct phase_info *p, const struct phase_figures *f, double *v);
	double thread[THREAD_KERNELS]; /* 0: the thread has no such figure */
};

enum {
	ROW_MAJFAULT,
	ROW_FAULT,
	ROW_FLAGS,
	ROW_UNUSED,
	ROW_MMAP_IOS,
	ROW_MMAP_SIZE,
	ROW_IOS,
	ROW_IO_SIZE,
	ROW_NFS_READS,
	ROW_NFS_SIZE,
	ROWS
};
extern const struct mmap_row mmap_rows[ROWS];

/* Over the boots of @kernel that can say it; n is 0 if none can. */
struct figure row_figure(const struct analysis *a, const char *kernel, const char *phase,
			 const struct mmap_row *row);

/* Per boot of @kernel: mmap IOs of @cause, and their mean size in *@pages. */
double cause_mean(const struct analysis *a, const char *kernel, const char *phase,
		  enum ra_cause cause, double *pages);

/* Which of the thread's kernels, from 0, has the name that the experiment gives ours; -1: none. */
int thread_kernel(const char *kernel);

/*
 * Readahead by cause, of the first boot of each kernel; with @thread the thread's
 * own, in the same columns.
 */
void text_mmap_statistics(struct out *o, const struct summary *s, const char *phase, bool thread);

/* Each difference from the thread, with what the traces say about it. */
void text_mmap_notes(struct out *o, const struct summary *s, const char *phase);

#endif
