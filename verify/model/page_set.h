/* SPDX-License-Identifier: GPL-2.0-only */
/* Which pages of which files are in the page cache, as far as a trace tells. */
#ifndef BP_MODEL_PAGE_SET_H
#define BP_MODEL_PAGE_SET_H

#include "lib/util.h"

/*
 * One bit per page, in chunks that exist where a bit is set.  Memory is at most
 * PAGE_SET_CHUNKS chunks (17 MiB, 128 Mi pages), and those of one pool together no more
 * than it has: after that, page_set_full().
 */
#define PAGE_SET_CHUNK_PAGES 4096u
#define PAGE_SET_CHUNKS 32768u

struct page_set;

/* Chunks that sets may still have together, those that they keep for later included. */
struct page_pool {
	u32 left;
};
#define PAGE_POOL_CHUNKS (2 * PAGE_SET_CHUNKS) /* 34 MiB */

/* @pool outlives the set; NULL: the set has its own bound alone. */
struct page_set *page_set_new(struct page_pool *pool) __must_check;
void page_set_free(struct page_set *s);
void page_set_clear(struct page_set *s);
/* Returns how many of them were not there. */
u64 page_set_add(struct page_set *s, u32 dev, u64 ino, u64 index, u64 n);
/* Returns how many of them were there. */
u64 page_set_remove(struct page_set *s, u32 dev, u64 ino, u64 index, u64 n);
/* Those of @from go to @to; returns how many. */
u64 page_set_move(struct page_set *from, struct page_set *to, u32 dev, u64 ino, u64 index, u64 n);
/* How many of the @n pages from @index on are there. */
u64 page_set_count(const struct page_set *s, u32 dev, u64 ino, u64 index, u64 n);
/* The first of the @n pages from @index on that is not there; @index + @n if all are. */
u64 page_set_hole(const struct page_set *s, u32 dev, u64 ino, u64 index, u64 n);
/* The first of them that is there; @index + @n if none is. */
u64 page_set_next(const struct page_set *s, u32 dev, u64 ino, u64 index, u64 n);
/* Pages had to be left out: what is not there may be. */
bool page_set_full(const struct page_set *s);

#endif
