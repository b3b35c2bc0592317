// SPDX-License-Identifier: GPL-2.0-only
/* What `make cache` lists and `make clean-cache` removes, and what it waits for. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/cache.h"
#include "host/spawn.h"
#include "lib/fileio.h"

static char dir[] = "/tmp/blkproof-test-cache-XXXXXX";

static const struct {
	const char *dir, *file;
	bool kept; /* when the cache is emptied */
} entries[] = {
	{"sources/s", "source.json", false}, {"objects/o@1", "vmlinux", false},
	{"images/i", "bzImage", false},	     {"disks", "ext4.img", false},
	{"disks", "ext4.img.lock", false},   {"ccache", "x", false},
	{"estimates", "o@1", false},	     {".", "kvm-does-not-boot", true},
};

static char *path_of(size_t i)
{
	return xasprintf("%s/blkproof/%s/%s", dir, entries[i].dir, entries[i].file);
}

static void fill_cache(void)
{
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		char *sub __cleanup_free = xasprintf("%s/blkproof/%s", dir, entries[i].dir);
		char *path __cleanup_free = path_of(i);

		assert_int_equal(make_dirs(sub, &e), 0);
		assert_int_equal(file_write_atomic(path, "x", 1, &e), 0);
	}
}

static bool there(size_t i)
{
	char *path __cleanup_free = path_of(i);

	return !access(path, F_OK);
}

static void test_list(void **state __unused_arg)
{
	static const char *const lines[] = {"  sources/s  ", "  objects/o@1  ", "  images/i  ",
					    "  disks/ext4.img  ", "  ccache\n"};
	char *text = NULL;
	struct err e;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	fill_cache();
	assert_int_equal(cache_list(f, &e), 0);
	fclose(f);
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no '%s' in:\n%s", lines[i], text);
	/* locks are no content */
	assert_null(strstr(text, ".lock"));
	free(text);
}

static void test_clean(void **state __unused_arg)
{
	struct err e;
	size_t i;

	fill_cache();
	assert_int_equal(cache_clean(stderr, &e), 0);
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		if (there(i) != entries[i].kept)
			fail_msg("%s/%s: there: %d", entries[i].dir, entries[i].file, there(i));
}

/* A run opens its images and its disk again for each boot.  The last test: it interrupts us. */
static void test_clean_waits_for_runs(void **state __unused_arg)
{
	char *root = NULL;
	struct err e;
	int fd;
	size_t i;

	fill_cache();
	assert_int_equal(cache_open(&root, &e), 0);
	fd = cache_use(root, &e);
	assert_true(fd >= 0);
	interrupt_setup();
	raise(SIGTERM);
	assert_int_equal(cache_clean(stderr, &e), -EINTR);
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		assert_true(there(i));
	cache_unlock(fd);
	free(root);
}

static int setup(void **state __unused_arg)
{
	return !mkdtemp(dir) || setenv("XDG_CACHE_HOME", dir, 1);
}

static int teardown(void **state __unused_arg)
{
	return remove_tree(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_clean_waits_for_runs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
