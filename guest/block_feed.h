/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plan's lines, read ahead by a thread of their own, so that neither the disk
 * that holds the plan nor decoding it keeps a request waiting.  Memory does not
 * depend on how long the plan is.
 */
#ifndef BP_GUEST_BLOCK_FEED_H
#define BP_GUEST_BLOCK_FEED_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "lib/block_plan.h"

#define FEED_BATCHES 64u
#define FEED_LINES 512u

struct block_feed {
	const struct block_plan *plan; /* its header, read */
	/* the rest is block_feed.c's */
	struct plan_reader *reader;
	struct block_cursor cursor;
	struct block_batch {
		u32 n; /* 0: the plan's end, or an error */
		struct block_line lines[FEED_LINES];
	} * batches;
	u32 batch, line; /* the consumer's place */
	bool holding, over;
	sem_t filled, empty;
	atomic_bool stop, ended;
	pthread_t thread;
	int ret; /* valid at the end */
	struct err err;
};

/*
 * Starts to read the body of @reader, whose header was read into @plan, and
 * waits until all batches are full or the plan ends.  Both must outlive the feed.
 */
int block_feed_start(struct block_feed *f, struct plan_reader *reader,
		     const struct block_plan *plan, struct err *e) __must_check;

/* The next line; false at the end and after an error. */
bool block_feed_next(struct block_feed *f, struct block_line *l);

/* Joins the thread: 0, or the reader's error. */
int block_feed_end(struct block_feed *f, struct err *e) __must_check;

#endif
