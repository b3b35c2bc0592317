/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every pattern: one line each, in the order of the manual.  The host knows no
 * more of a pattern than this list: its name (pattern_piece_copy is called
 * piece-copy), and whether it deals out pieces of the file to its threads
 * (lib/layout.h).
 */
#ifndef BP_GUEST_PATTERNS_LIST_H
#define BP_GUEST_PATTERNS_LIST_H

#define FOR_EACH_PATTERN(P)                                                                        \
	P(pattern_piece_copy, true)                                                                \
	P(pattern_pread_copy, true)                                                                \
	P(pattern_seq_read, true)                                                                  \
	P(pattern_random_touch, false)                                                             \
	P(pattern_touch_sequential, false)                                                         \
	P(pattern_touch_sparse, false)                                                             \
	P(pattern_touch_clustered, false)                                                          \
	P(pattern_loader, false)                                                                   \
	P(pattern_replay_access, false)                                                            \
	P(pattern_ior_hard_read, true)                                                             \
	P(pattern_ior_easy_read, true)                                                             \
	P(pattern_ior_rnd4K_easy_read, false)                                                      \
	P(pattern_program, false)                                                                  \
	P(pattern_replay_block, false)                                                             \
	P(pattern_fail, true)

/*
 * Phases of a root file system (guest/root.c): they have no streams, and come
 * last.  The experiment needs a root for them.
 */
#define ROOT_BOOT "root-boot"
#define ROOT_SESSION "root-session"

#define PATTERN_DECLARE(p, pieces) extern const struct pattern p;
FOR_EACH_PATTERN(PATTERN_DECLARE)
#undef PATTERN_DECLARE

#endif
