/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copy loops whose order of accesses is ours.  libc's memcpy picks its path by
 * CPU and size, and only some of its paths load the end of a piece first.
 */
#ifndef BP_GUEST_COPY_H
#define BP_GUEST_COPY_H

#include "lib/experiment.h"

/*
 * Copies @len bytes; the source is read in 8-byte words and each word once:
 *
 *   forward     from the first byte to the last
 *   tail-first  the last word once more before everything else, then forward
 *   backward    from the last byte to the first
 *   memcpy      as libc likes
 */
void copy_ordered(void *dst, const void *src, size_t len, enum copy_order order);

#endif
