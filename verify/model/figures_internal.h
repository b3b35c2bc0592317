/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that collect figures. */
#ifndef BP_MODEL_FIGURES_INTERNAL_H
#define BP_MODEL_FIGURES_INTERNAL_H

#include "verify/model/figures.h"

/* Files or tasks of the phase that is running, by what identifies them. */
struct shares {
	struct figures_share *all;
	u32 n, cap;
	u32 taken;		   /* by the phases before */
	u32 slot[SHARES_MAX * 2];  /* open addressing; index in @all plus 1 */
	u32 last;		   /* index of the one of the call before */
	struct figures_share rest; /* of those beyond SHARES_MAX */
	bool more;
};

struct figures {
	struct page_set *idle;	 /* pages that readahead added and no event touched */
	struct page_set *mapped; /* ... that fault-around mapped, and that is all */
	struct inflight *queued, *issued;
	struct shares files, tasks; /* of the phase that is running */
};

struct figures_share *share_of(struct shares *s, u32 dev, u64 ino, s32 pid);
void shares_clear(struct shares *s);
void shares_free(struct shares *s);
/* Takes what was collected, most pages first. */
struct figures_share *shares_take(struct shares *s, u32 *n, bool *more);

void count_request(struct request_figures *rf, u64 bytes);
unsigned int size_class_of(u64 bytes);

#endif
