// SPDX-License-Identifier: GPL-2.0-only
/* IO500's ior-easy-read: every process reads what is its own in order, in large transfers. */
#include "guest/pattern.h"
#include "guest/patterns/list.h"

const struct pattern pattern_ior_easy_read = {
	.name = "ior-easy-read",
	.summary = "pread() one's own part of the file in order",
	.own_file = true,
	.piece_markers = true,
	.move = stream_pread,
};
