/* SPDX-License-Identifier: GPL-2.0-only */
/* Who copies what: how pieces of a file are dealt out to threads. */
#ifndef BP_LAYOUT_H
#define BP_LAYOUT_H

#include "lib/util.h"

/*
 * Without chunks every thread has one range of @per bytes, which is
 * (end - start) / threads rounded down to whole pieces; what is left over at
 * the end of the file is nobody's.  With chunks, thread i has chunks i,
 * i + threads, i + 2 * threads ... of [start, end); the last chunk and the
 * last piece of a chunk may be short.
 */
struct layout {
	u64 start, end; /* bytes in the file */
	u64 piece, chunk;
	u64 per;
	unsigned int threads;
};

/* Where a thread stands; zeroed before the first layout_next(). */
struct cursor {
	bool started;
	u64 chunk;    /* number of the current one */
	u64 pos, end; /* what is left of the current range */
};

/*
 * Returns 0; -EINVAL when piece or threads is 0 or start lies outside the
 * file; -ERANGE when a thread would have nothing to do.
 */
int layout_init(struct layout *l, u64 file_size, u64 start, u64 piece, u64 chunk,
		unsigned int threads) __must_check;

/* The thread's next piece; false when there is none. */
bool layout_next(const struct layout *l, unsigned int thread, struct cursor *c, u64 *off, u64 *len);

/* The thread's range; with chunks, from its first chunk to the end of its last. */
void layout_stream(const struct layout *l, unsigned int thread, u64 *off, u64 *len);

/* What all threads copy together, in bytes. */
u64 layout_bytes(const struct layout *l);

/*
 * Touch number @k of a random-touch phase: a multiple of 8 in
 * [start, file_size - length].  The numbers are SplitMix64's output k + 1 for
 * @seed (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * 2014), so that the set of touches does not depend on how many threads share
 * them.  @start must be a multiple of 8 and start + length <= file_size.
 */
u64 touch_offset(u64 seed, u64 k, u64 start, u64 file_size, u64 length);

#endif
