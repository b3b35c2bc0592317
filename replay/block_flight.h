/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests of a trace that were issued and have not completed; memory does not grow. */
#ifndef BP_REPLAY_BLOCK_FLIGHT_H
#define BP_REPLAY_BLOCK_FLIGHT_H

#include "lib/block_plan.h"

struct block_flight;

struct block_flight *block_flight_new(void) __must_check;
void block_flight_free(struct block_flight *f);

/*
 * Request @number, one more than the last, to @device.  True if another one,
 * BLOCK_FLIGHT_MAX before it, had to be forgotten for it.
 */
bool block_flight_add(struct block_flight *f, u64 number, int device, const struct block_line *l);

/* Is a request like @l in flight?  @requeued: only one that block_flight_requeue() has met. */
bool block_flight_has(const struct block_flight *f, int device, const struct block_line *l,
		      bool requeued);
/* The driver gave a request like @l back. */
void block_flight_requeue(struct block_flight *f, int device, const struct block_line *l);
/* A request like @l is issued again. */
void block_flight_again(struct block_flight *f, int device, const struct block_line *l);

/*
 * @l, which may have been merged of several requests, has completed: calls @fn
 * with the number of each that is done by that.  False if nothing is known of it.
 */
bool block_flight_done(struct block_flight *f, int device, const struct block_line *l,
		       void (*fn)(u64 number, void *arg), void *arg);

#endif
