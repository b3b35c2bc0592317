// SPDX-License-Identifier: GPL-2.0-only
/*
 * pread() of the same pieces that piece-copy takes from a mapping: the control
 * for a change that only page faults should notice.  One open file for all
 * threads, as there.
 */
#include "guest/pattern.h"
#include "guest/patterns/list.h"

const struct pattern pattern_pread_copy = {
	.name = "pread-copy",
	.summary = "pread() pieces of the file",
	.piece_markers = true,
	.move = stream_pread,
};
