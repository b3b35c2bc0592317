// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies out of a private read-only mapping that all threads share, piece by
 * piece: what a program does that treats a file as memory.  All faults of a
 * thread's pieces go through one open file, so through one readahead state.
 */
#include "guest/copy.h"
#include "guest/pattern.h"
#include "guest/patterns/list.h"

static int piece_copy_move(struct stream *s, u64 off, u64 len)
{
	copy_ordered(s->buf, s->w->map + off, len, s->w->phase->order);
	return 0;
}

const struct pattern pattern_piece_copy = {
	.name = "piece-copy",
	.summary = "copy pieces out of a mapping of the file",
	.mapped = true,
	.piece_markers = true,
	.move = piece_copy_move,
};
