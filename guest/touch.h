/* SPDX-License-Identifier: GPL-2.0-only */
/* What the patterns that touch single pages of a mapping share. */
#ifndef BP_GUEST_TOUCH_H
#define BP_GUEST_TOUCH_H

#include "guest/pattern.h"

/*
 * The part of [w->start, end of file) that is thread @index's: an equal share in
 * whole pages.  Returns 0, or -ERANGE when that is less than @pages pages.
 */
int touch_range(const struct workload *w, unsigned int index, u64 pages, u64 *off,
		u64 *len) __must_check;

/*
 * Writes the stream's marker, maps [off, off + len) of the thread's file with
 * @prot, and gives the phase's advice for it.  The kernel is free to ignore
 * advice, but a call that fails ends the phase: something else would be
 * measured.
 */
int touch_begin(struct stream *s, u64 off, u64 len, int prot) __must_check;

/* Unmaps what touch_begin() mapped: only then do references of its pages reach the LRU. */
int touch_end(struct stream *s) __must_check;

/* Reads phase->length bytes at the start of file page @page: timed, and its data checked. */
int touch_page(struct stream *s, u64 page) __must_check;

/* .move of these patterns: out of the mapping, or by read(2) where there is none. */
int touch_move(struct stream *s, u64 off, u64 len);

/* The @k'th of the random numbers that @seed gives, in [0, n); n at least 1. */
u64 touch_random(u64 seed, u64 k, u64 n);

/* The rule of all of them: length fits into a page. */
int touch_validate(const struct workload *w, struct err *e);

/* The page size of the machine, bytes: what a touch is one of. */
u64 touch_page_bytes(void);

#endif
