/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that collect chains. */
#ifndef BP_MODEL_CHAINS_INTERNAL_H
#define BP_MODEL_CHAINS_INTERNAL_H

#include "verify/model/chains.h"

struct chains {
	struct chain_where where;
	struct chain_list *found;
	struct chain *spare[CHAINS_TASKS]; /* that no task has */
	struct chain *live[CHAINS_TASKS];  /* that a task has */
	u32 n_spare, n_live;
	bool too_many;
	u8 target_type; /* of event number where.value; EV_OTHER: not met */
	bool target_met;
};

static inline struct chain_step step_of(const struct event *ev, u64 index, u64 last)
{
	return (struct chain_step){.ts = ev->ts,
				   .seq = ev->seq,
				   .pid = ev->pid,
				   .cpu = ev->cpu,
				   .type = ev->type,
				   .index = index,
				   .last = last};
}

/* chains_follow.c: what happens to a window's folios and requests once its task goes on */

/* An access: it may be the first use of what the window added. */
void chain_touch(struct chain *c, const struct event *ev);
/* EV_RQ_ISSUE, EV_RQ_COMPLETE of any task. */
void chain_request(struct chain *c, const struct event *ev);
bool request_overlaps(const struct chain_request *r, const struct event *ev);

#endif
