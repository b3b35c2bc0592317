/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that print phases of a root file system beside the thread of 2009. */
#ifndef BP_TEXT_MMAP_H
#define BP_TEXT_MMAP_H

#include "verify/report/text_stats.h"

#define THREAD_KERNELS 3

/* Which of the thread's kernels, from 0, has the name that the experiment gives ours; -1: none. */
int thread_kernel(const char *kernel);

/*
 * Readahead by cause, of the first boot of each kernel; with @thread the thread's
 * own, in the same columns.
 */
void text_mmap_statistics(struct out *o, const struct summary *s, const char *phase, bool thread);

#endif
