/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources of block plans: what verify's readers read, and logs of fio's. */
#ifndef BP_REPLAY_BLOCK_TRACE_H
#define BP_REPLAY_BLOCK_TRACE_H

#include "replay/block_make.h"

/*
 * Makes a plan of the block events of @path: a trace.dat, blktrace files or
 * blkparse's text.  @partial: takes what stands before damage.  Returns 0;
 * -ENODATA and a line if there is nothing to replay; another negative errno and
 * a line for a source that can't be read or replayed as asked.
 */
int block_plan_of_trace(const char *path, bool partial, const struct block_options *o,
			struct plan_writer *w, struct block_plan *p, struct err *e) __must_check;

/* The same of a fio iolog, version 2 or 3. */
int block_plan_of_iolog(const char *path, const struct block_options *o, struct plan_writer *w,
			struct block_plan *p, struct err *e) __must_check;

#endif
