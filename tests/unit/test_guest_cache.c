// SPDX-License-Identifier: GPL-2.0-only
/* Counting cached pages, on this machine's own kernel and a file of ours. */
#include "guest/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define PAGES 100

/* A file of PAGES pages, the last one short, all of them cached since just written. */
static int make_file(u64 page)
{
	char path[] = "cache-test.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)(PAGES * page - 10)), 0);
	for (u64 i = 0; i < PAGES; i++)
		assert_int_equal(pwrite(fd, "x", 1, (off_t)(i * page)), 1);
	return fd;
}

static void test_count(void **state)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), size = PAGES * page - 10;
	struct cache_pages pages;
	int fd = make_file(page), ret;

	(void)state;
	assert_int_equal(cache_count(fd, size, &pages), 0);
	assert_int_equal(pages.cache, PAGES);
	assert_int_equal(cache_count_mincore(fd, size, &pages), 0);
	assert_int_equal(pages.cache, PAGES);
	assert_string_equal(pages.method, "mincore");
	ret = cache_count_cachestat(fd, &pages);
	if (ret != -ENOSYS) { /* Linux before 6.5 */
		assert_int_equal(ret, 0);
		assert_int_equal(pages.cache, PAGES);
		assert_string_equal(pages.method, "cachestat");
	}

	/* with nothing cached, and where the file system keeps it all, not less than that */
	assert_int_equal(fsync(fd), 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	assert_int_equal(cache_count(fd, size, &pages), 0);
	assert_true(pages.cache == 0 || pages.cache == PAGES);
	close(fd);
}

static void test_unknown(void **state)
{
	struct cache_pages pages;

	(void)state;
	/* what cannot be counted must not look like an empty cache */
	assert_true(cache_count(-1, 4096, &pages) < 0);
	assert_string_equal(pages.method, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
