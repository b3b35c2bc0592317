/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares requests that were seen with those of a plan: as a multiset, in
 * their order, and in their times.  Both are read once and in flat memory.
 *
 * Each request that is seen is matched with the oldest equal one of the plan
 * that has none yet; equal are operation, sector, length and, where it can be
 * seen, FUA.  Order: as many requests have to be moved, at least, as are not in
 * the longest sequence that has the plan's order.
 */
#ifndef BP_MODEL_REPLAY_MATCH_H
#define BP_MODEL_REPLAY_MATCH_H

#include "lib/block_plan.h"

/* So far apart may a request be from its place; beyond, it counts as missing there. */
#define MATCH_WINDOW (2 * BLOCK_FLIGHT_MAX)
#define MATCH_KEPT 8u /* examples of each kind */

enum match_side {
	MATCH_QUEUED, /* bios, as they were submitted: flags can be seen */
	MATCH_ISSUED, /* requests, as a device without FUA gets them */
	MATCH_HOST,   /* the same, as the device's log has them: no discards and write-zeroes */
};

struct match_example {
	struct block_line l;
	u64 ts;	    /* ns, of the witness; 0: it is missing */
	u64 number; /* of the plan's requests; or of the events */
};

#define TIMING_BUCKETS 2048u /* of 1/32 of a power of two, ns */

struct match_timing {
	u64 n;
	u64 median, p99, max; /* ns, of the absolute error; median and p99 within 3 per cent */
	s64 final;	      /* ns, positive: late; the median of the last 101 */
};

struct match_result {
	u64 expected, seen, matched;
	u64 missing;	     /* of the plan, never seen */
	u64 extra;	     /* seen, and not in the plan */
	u64 displaced;	     /* matched, and not in order */
	u64 flushes_unknown; /* not counted above: flushes of a plan with FUA, below the bios */
	struct match_example missing_kept[MATCH_KEPT], extra_kept[MATCH_KEPT];
	struct match_timing timing;
};

struct replay_match;

/*
 * @plan: path.  With @speed not 0, times are compared too: request N of the
 * plan is due at @start_ns + its time / @speed.  0, or a negative errno and a line.
 */
int replay_match_new(struct replay_match **m, const char *plan, enum match_side side, u64 start_ns,
		     double speed, struct err *e) __must_check;
void replay_match_free(struct replay_match *m);

/* A request that was seen, in order of time; @l->ns is the witness's clock. */
int replay_match_take(struct replay_match *m, const struct block_line *l, u64 event,
		      struct err *e) __must_check;

/* No more.  0, or a line when the plan can't be read to its end. */
int replay_match_finish(struct replay_match *m, struct match_result *r, struct err *e) __must_check;

#endif
