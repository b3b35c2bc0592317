/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Issues the requests of a plan to a block device, through io_uring and past the
 * page cache.  One thread submits all of them, so that the order of the plan is
 * the order of the device's queue.
 *
 *	read, write	one bio each, from or to memory that lies in one piece
 *	FUA		RWF_DSYNC, which is REQ_FUA on the bio
 *	preflush	a flush, and the write linked behind it: no interface asks for both at once
 *	flush		fsync() of the device: an empty bio with REQ_PREFLUSH
 *	discard		BLOCK_URING_CMD_DISCARD, or BLKDISCARD where the kernel lacks that
 *	write-zeroes	fallocate(PUNCH_HOLE), which fails rather than writes zeroes itself
 *
 * io_uring leaves flushes and write-zeroes to a kernel thread, which what comes
 * next in the plan could overtake, and the block layer merges flushes that are in
 * flight together.  So what comes next waits until such a request has completed,
 * which is counted as the device's time.
 */
#ifndef BP_GUEST_BLOCK_ENGINE_H
#define BP_GUEST_BLOCK_ENGINE_H

#include <stdatomic.h>

#include "guest/block_feed.h"

struct block_engine_options {
	int fd;		    /* the device, O_RDWR | O_DIRECT */
	double speed;	    /* 0: as fast as possible; 1: at recorded times; 2: twice as fast */
	bool dependencies;  /* obey the plan's */
	unsigned int depth; /* requests in flight at most */
	u64 scattered_max;  /* bytes of a request whose pages may lie anywhere */
};

struct block_engine_stats {
	atomic_ullong issued; /* requests of the plan so far; other threads may look */
	u64 by_op[BLOCK_OPS];
	u64 fsyncs;	  /* flushes that were submitted, one before the start, too */
	u64 failed;	  /* completed with an error, or short */
	int first_error;  /* of them: negative errno */
	u64 first_failed; /* its number */
	u64 start_ns;	  /* the plan's time 0, CLOCK_MONOTONIC */
	u64 elapsed_ns;	  /* from there to the last completion */
	/*
	 * Lateness that is the device's: a request waited for others, or the one
	 * before it did and made it late, too.
	 */
	u64 held;	  /* requests */
	u64 held_ns;	  /* what they waited, together */
	u64 last_held_ns; /* of the last request */
	u64 late_max_ns;  /* how long after its time a request was submitted at most */
	s64 late_last_ns; /* the last one */
	u64 in_flight_max;
};

/*
 * Replays what @feed gives; allocates everything first, and sets stats.start_ns
 * when it begins.  Returns 0, or a negative errno and a line if it could not go
 * on; requests that fail are counted, not an error.  @begin is called when all
 * is ready, right before the first request.
 */
int block_engine_run(const struct block_engine_options *o, struct block_feed *feed,
		     struct block_engine_stats *s, int (*begin)(void *arg), void *arg,
		     struct err *e) __must_check;

#endif
