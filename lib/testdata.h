/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The content of test files: every 8-byte little-endian word is derived from
 * its offset, so that a reader can tell stale, zero and displaced data from
 * the right ones without a copy of the file.
 */
#ifndef BP_TESTDATA_H
#define BP_TESTDATA_H

#include "lib/util.h"

/*
 * The word at byte @offset (a multiple of 8).  Multiplication by an odd
 * constant is a bijection, so no two words of a file are equal, and the
 * constant spreads small offsets over all bytes (2^64 / golden ratio).
 */
static inline u64 testdata_word(u64 offset)
{
	return (offset + 8) * 0x9e3779b97f4a7c15ull;
}

/*
 * What to add to offsets in file @index of several, so that data of one file
 * are not those of another; a file has at most 16 TiB.  The first adds nothing.
 */
static inline u64 testdata_file(u32 index)
{
	return (u64)index << 44;
}

/* Fills @len bytes (a multiple of 8) as they stand at @offset in the file. */
void testdata_fill(void *buf, u64 offset, size_t len);

/*
 * Compares @len bytes that were read from @offset, both of any alignment, with
 * what should be there.  Returns the number of bytes in words that differ; the
 * file offset of the first such word goes to *@first_bad.
 */
u64 testdata_check(const void *buf, u64 offset, size_t len, u64 *first_bad);

#endif
