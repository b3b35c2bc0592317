// SPDX-License-Identifier: GPL-2.0-only
#include "guest/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "guest/sys.h"

#define ATTEMPTS 5
#define ATTEMPT_PAUSE_MS 50

/* cachestat(2), Linux 6.5; glibc 2.36 has neither the number nor the types. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

struct cachestat_range {
	u64 off, len; /* len 0: to the end of the file */
};

struct cachestat {
	u64 nr_cache, nr_dirty, nr_writeback, nr_evicted, nr_recently_evicted;
};

int cache_count_cachestat(int fd, struct cache_pages *pages)
{
	struct cachestat_range range = {0, 0};
	struct cachestat cs = {0};

	if (syscall(SYS_cachestat, fd, &range, &cs, 0))
		return -errno;
	*pages = (struct cache_pages){
		.method = "cachestat",
		.cache = cs.nr_cache,
		.dirty = cs.nr_dirty,
		.writeback = cs.nr_writeback,
		.evicted = cs.nr_evicted,
		.recently_evicted = cs.nr_recently_evicted,
	};
	return 0;
}

/* In slices, so that the vector stays small whatever the file's size. */
int cache_count_mincore(int fd, u64 size, struct cache_pages *pages)
{
	static unsigned char vec[16384];
	u64 page = (u64)sysconf(_SC_PAGESIZE), slice, off, n, i;
	void *map;
	int ret = 0;

	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	*pages = (struct cache_pages){.method = "mincore"};
	for (off = 0; off < size && !ret; off += slice) {
		slice = MIN(sizeof(vec) * page, size - off);
		n = (slice + page - 1) / page;
		if (mincore((u8 *)map + off, slice, vec))
			ret = -errno;
		for (i = 0; i < n && !ret; i++)
			pages->cache += vec[i] & 1;
	}
	munmap(map, size);
	return ret;
}

int cache_count(int fd, u64 size, struct cache_pages *pages)
{
	int ret = cache_count_cachestat(fd, pages);

	if (ret)
		ret = cache_count_mincore(fd, size, pages);
	if (ret)
		*pages = (struct cache_pages){.method = "unknown"};
	return ret;
}

int cache_count_all(const int *fds, unsigned int n, u64 size, struct cache_pages *pages)
{
	struct cache_pages one;
	unsigned int i;
	int ret = 0;

	*pages = (struct cache_pages){.method = "unknown"};
	for (i = 0; i < n && !ret; i++) {
		ret = cache_count(fds[i], size, &one);
		pages->method = one.method;
		pages->cache += one.cache;
		pages->dirty += one.dirty;
		pages->writeback += one.writeback;
		pages->evicted += one.evicted;
		pages->recently_evicted += one.recently_evicted;
	}
	return ret;
}

unsigned int cache_make_cold(const int *fds, unsigned int n, u64 size)
{
	struct cache_pages pages;
	unsigned int i, k;

	for (i = 1; i <= ATTEMPTS; i++) {
		sync();
		/* 3: pages of every file and the block device, dentries and inodes, so
		 * that a phase also reads its extents afresh; a failure shows in the count */
		(void)!sys_write("/proc/sys/vm/drop_caches", "3");
		for (k = 0; k < n; k++)
			posix_fadvise(fds[k], 0, 0, POSIX_FADV_DONTNEED);
		if (cache_count_all(fds, n, size, &pages) || !pages.cache)
			break;
		sys_sleep_ms(ATTEMPT_PAUSE_MS);
	}
	return MIN(i, ATTEMPTS);
}
