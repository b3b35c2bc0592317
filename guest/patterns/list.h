/* SPDX-License-Identifier: GPL-2.0-only */
/* Every pattern: one line each, in the order of the manual. */
#ifndef BP_GUEST_PATTERNS_LIST_H
#define BP_GUEST_PATTERNS_LIST_H

#define FOR_EACH_PATTERN(P)                                                                        \
	P(pattern_piece_copy)                                                                      \
	P(pattern_pread_copy)                                                                      \
	P(pattern_seq_read)                                                                        \
	P(pattern_random_touch)                                                                    \
	P(pattern_fail)

#define PATTERN_DECLARE(p) extern const struct pattern p;
FOR_EACH_PATTERN(PATTERN_DECLARE)
#undef PATTERN_DECLARE

#endif
