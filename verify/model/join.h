/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Joining the requests that the guest's block layer issued with the requests
 * that the host's virtio-blk device was asked for.
 *
 * Both sides name a request by operation, first sector and length, but their
 * clocks have different zeros.  A request is issued by the guest before the
 * host handles it, and completed by the host before the guest hears of it, so
 * every pair bounds the offset (host clock minus guest clock) from both sides:
 *
 *     host complete - guest complete  <=  offset  <=  host queue - guest issue
 */
#ifndef BP_MODEL_JOIN_H
#define BP_MODEL_JOIN_H

#include "lib/err.h"
#include "verify/event.h"

struct join_phase {
	/* in: the phase's markers, ns in the guest trace's clock */
	u64 begin_ns, end_ns;
	/* out */
	bool known;	    /* the four that follow are valid */
	s64 offset_ns;	    /* host clock minus guest clock, in the middle of the phase */
	u64 uncertainty_ns; /* over the whole phase the offset lies within plus or minus this */
	double drift;	    /* of the offset, per guest time: an emulated clock may be off by 1 % */
	u64 residual_ns;    /* what of uncertainty_ns remains without the drift */
	bool inverted;	    /* the bounds crossed in spite of that: residual_ns spans both */
	u64 guest, host;    /* reads and writes in the phase on either side */
	u64 pairs;	    /* guest requests of the phase that have their host request */
	u64 unmatched_guest, unmatched_host;
	/* device reads and writes of the phase, as the host saw them */
	u64 host_reads, host_read_bytes, host_writes, host_write_bytes;
};

/* The guest's time at a time of the host's; @p->known. */
u64 join_guest_time(const struct join_phase *p, u64 host_ts);

/*
 * Reads both files and fills in the results of @phases (in order of time, not
 * overlapping).  Guest requests to devices other than @dev are ignored; 0
 * takes all.  Host requests outside of every phase are nobody's.  Returns 0,
 * or a negative errno and a line when a file can't be read.  A file without
 * requests is no error: then no phase has pairs and known stays false.
 */
int join_capture(const char *trace_dat, const char *blktrace, u32 dev, u32 n_phases,
		 struct join_phase *phases, struct err *e) __must_check;

/* ---- the same, fed by a caller that reads the files itself ---- */

/* One request, as seen by one side. */
struct join_request {
	u64 issue;    /* ns: guest block_rq_issue, host queue */
	u64 complete; /* ns; 0: never seen */
	u64 sector;
	u64 seq; /* event number of the issue in its file */
	u32 bytes;
	s32 pid;
	u16 cpu;
	bool write;
	bool matched;
	u32 pair; /* @matched: index of the other side's */
};

/* Requests of one side that are kept; more than that can't be judged (join_overflow()). */
#define JOIN_MAX_REQUESTS (1u << 20)

struct join;

struct join *join_new(u32 dev) __must_check;
void join_free(struct join *j);
/* Takes what it needs from an event of the guest's trace; other events are ignored. */
void join_guest(struct join *j, const struct event *ev);
/* The same for the host's log. */
void join_host(struct join *j, const struct event *ev);
/* Matches and fills in @phases; call once, after all events. */
void join_match(struct join *j, u32 n_phases, struct join_phase *phases);
/* A side had more than JOIN_MAX_REQUESTS: the counts are incomplete. */
bool join_overflow(const struct join *j);
/* What became of the guest's request that was issued as event @seq, after join_match(); or NULL. */
const struct join_request *join_host_of(const struct join *j, u64 seq);
/* Host requests there are at most. */
u32 join_host_count(const struct join *j);
/* Calls @fn for each host request of a phase, after join_match(). */
void join_each_host(const struct join *j, u32 n_phases, const struct join_phase *phases,
		    void (*fn)(u32 phase, const struct join_request *r, void *arg), void *arg);
/*
 * The next unmatched request of @phase, after *@cursor (0 to start), on the
 * guest's or the host's side; NULL at the end.
 */
const struct join_request *join_unmatched(const struct join *j, const struct join_phase *phase,
					  bool host, u64 *cursor);

#endif
