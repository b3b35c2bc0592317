/* SPDX-License-Identifier: GPL-2.0-only */
/* What a block event asks of a device: the operations that a plan of kind block has. */
#ifndef BP_MODEL_BLOCK_OP_H
#define BP_MODEL_BLOCK_OP_H

#include "lib/block_plan.h"
#include "verify/event.h"

enum block_kind {
	BLOCK_KIND_REQUEST,	/* *@l has operation, sector and sectors */
	BLOCK_KIND_PASSTHROUGH, /* moves no sectors of a file system's */
	BLOCK_KIND_NO_BYTES,	/* no operation, or one without bytes that is no flush */
	BLOCK_KIND_ERASE,
	BLOCK_KIND_ZONE, /* append, reset, finish, open or close a zone */
};

/*
 * Of an EV_RQ_* event.  A request whose bytes are no multiple of 512 has what remains in
 * @l->sectors left off: callers that care look at ev->rq.bytes.
 */
enum block_kind block_op_of(const struct event *ev, struct block_line *l);

#endif
