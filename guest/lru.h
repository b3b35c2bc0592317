/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page flags say of the page cache: the miss ratio as the 2009 thread took it. */
#ifndef BP_GUEST_LRU_H
#define BP_GUEST_LRU_H

#include "lib/err.h"

/*
 * Pages of files on the LRU lists, and those of them that nobody referenced:
 * neither PG_referenced nor PG_active.  A page that is only mapped has neither
 * until it is unmapped or reclaim looks at it, so the figure means something
 * when whoever touched the pages is gone.
 */
struct lru_pages {
	u64 file, unreferenced;
};

/* Adds @n elements of /proc/kpageflags (Documentation/admin-guide/mm/pagemap.rst). */
void lru_count(struct lru_pages *l, const u64 *flags, size_t n);

/* Reads all of /proc/kpageflags; allocates nothing.  0 or -errno. */
int lru_read(struct lru_pages *l) __must_check;

#endif
