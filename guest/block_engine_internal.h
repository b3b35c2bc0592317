/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the engine share. */
#ifndef BP_GUEST_BLOCK_ENGINE_INTERNAL_H
#define BP_GUEST_BLOCK_ENGINE_INTERNAL_H

#include <liburing.h>

#include "guest/block_engine.h"

#define BATCH 32u /* submissions that one system call may make */

enum { READ_BUFFER, WRITE_BUFFER };

/* What a completion's user_data holds beside the request's number. */
#define LINKED_FLUSH (1ull << 63) /* the flush before the request, not itself */
#define IS_FLUSH (1ull << 62)

struct engine {
	const struct block_engine_options *o;
	struct block_engine_stats *s;
	struct block_feed *feed;
	struct io_uring ring;
	u8 *buffers; /* read buffer, then write buffer */
	size_t buffer_size;
	u64 next;      /* number of the next request */
	u64 in_flight; /* completions that will come */
	u64 flushes;   /* ... of flushes */
	u64 unsubmitted;
	u64 spin_ns;
	bool no_uring_discard;
	/* of requests that are in flight: lengths to hold results against; by number */
	u32 expect[BLOCK_FLIGHT_MAX];
	u8 busy[BLOCK_FLIGHT_MAX];
	u64 punted; /* number + 1 of the request that a kernel thread issues; 0: none */
};

/* block_engine.c */
int engine_put_flush(struct engine *en, u64 user_data, unsigned int flags, struct err *e);
int engine_put_discard(struct engine *en, const struct block_line *l, struct err *e);
/* Until nothing is in flight. */
int engine_drain(struct engine *en, struct err *e);

/* block_engine_setup.c: ring, buffers, and what the kernel has; 0 or a line */
int engine_setup(struct engine *en, struct err *e) __must_check;

#endif
