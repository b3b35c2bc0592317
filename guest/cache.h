/* SPDX-License-Identifier: GPL-2.0-only */
/* The page cache of the test file: emptied, and proved empty. */
#ifndef BP_GUEST_CACHE_H
#define BP_GUEST_CACHE_H

#include "lib/err.h"

/* cachestat(2): pages of one file. */
struct cache_pages {
	const char *method; /* "cachestat", "mincore", or "unknown" if neither works */
	u64 cache;
	/* known with cachestat only */
	u64 dirty, writeback, evicted, recently_evicted;
};

/*
 * Counts the cached pages of the whole file @fd of @size bytes.  Reads no page
 * in and changes nothing; 0 or -errno when neither way works.
 */
int cache_count(int fd, u64 size, struct cache_pages *pages);

/* The same for @n open files of one size, mounts of one file; sums over them. */
int cache_count_all(const int *fds, unsigned int n, u64 size, struct cache_pages *pages);

/* The two ways of cache_count(); both are exact for a file that nobody maps or reads. */
int cache_count_cachestat(int fd, struct cache_pages *pages);
int cache_count_mincore(int fd, u64 size, struct cache_pages *pages);

/*
 * Drops caches until no page of the @n files is left, at most a few times.
 * Returns how often it tried; what remained is for the caller to count and
 * report.
 */
unsigned int cache_make_cold(const int *fds, unsigned int n, u64 size);

#endif
