// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/block_op.h"

enum block_kind block_op_of(const struct event *ev, struct block_line *l)
{
	u32 flags = ev->rq.flags;

	*l = (struct block_line){.ns = ev->ts, .op = BLOCK_FLUSH};
	/* its sector says nothing, and in old kernels is what was there before */
	if (flags & RQ_FLUSH && !ev->rq.bytes)
		return BLOCK_KIND_REQUEST;
	if (flags & RQ_PASSTHROUGH)
		return BLOCK_KIND_PASSTHROUGH;
	if (flags & RQ_ZONE)
		return BLOCK_KIND_ZONE;
	if (!ev->rq.bytes)
		return BLOCK_KIND_NO_BYTES;
	l->sector = ev->sector;
	l->sectors = ev->rq.bytes / SECTOR_SIZE;
	if (flags & RQ_SECURE_ERASE)
		return BLOCK_KIND_ERASE;
	if (flags & RQ_WRITE_ZEROES) {
		l->op = BLOCK_WRITE_ZEROES;
	} else if (flags & RQ_DISCARD) {
		l->op = BLOCK_DISCARD;
	} else if (flags & RQ_WRITE) {
		l->op = BLOCK_WRITE;
		l->fua = flags & RQ_FUA;
		l->preflush = flags & RQ_FLUSH;
	} else if (flags & RQ_READ) {
		l->op = BLOCK_READ;
	} else {
		return BLOCK_KIND_NO_BYTES;
	}
	return BLOCK_KIND_REQUEST;
}
