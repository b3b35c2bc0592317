/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of the join: the two sides, and the clocks. */
#ifndef BP_JOIN_INTERNAL_H
#define BP_JOIN_INTERNAL_H

#include "verify/model/join.h"

#define JOIN_BUCKETS (1u << 14)

struct side {
	struct join_request *req;
	u32 *next; /* chain of the outstanding requests of a bucket */
	u32 n, cap;
	u32 bucket[JOIN_BUCKETS];
	u32 *by_key; /* indices in order of key, then issue */
	u32 total;   /* before drop_requeued() */
	bool overflow;
};

struct join {
	u32 dev;
	struct side guest, host;
};

static inline bool in_phase(const struct join_phase *p, u64 ts)
{
	return ts >= p->begin_ns && ts <= p->end_ns;
}

/* join_sides.c */

struct join_phase *phase_at(u32 n, struct join_phase *phases, u64 ts);
/* Sorts both sides by key, and drops issues that were none. */
void sides_sort(struct join *j, u32 n_phases, struct join_phase *phases);
/* Calls @fn for each key that both sides have, with its runs in by_key. */
void each_key(struct join *j,
	      void (*fn)(struct join *j, u32 g, u32 g_end, u32 h, u32 h_end, void *arg), void *arg);

/* join_clock.c */

/* Host clock minus guest clock, as a line over the guest's time. */
struct clock_line {
	u64 at;
	s64 offset;
	double rate;
};

/* A guest and a host request of the same key: if they are one, the offset lies in here. */
struct vote {
	s64 lower, upper;
	u64 guest_issue, guest_complete;
};

struct votes {
	struct vote *v;
	u32 n, cap;
};

s64 line_at(const struct clock_line *l, u64 guest_ts);
/* All pairs of requests that could be one; free(vs->v). */
void collect_votes(struct join *j, struct votes *vs);
/*
 * Sets @line to the one that most votes allow, given @line->at.  @phase NULL: of
 * all votes; else of those of its requests that are near @line as it comes.
 * Returns false, and leaves @line alone, if nobody voted.
 */
bool most_allowed(const struct votes *vs, const struct join_phase *phase, struct clock_line *line);

#endif
