// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "host/disk.h"
#include "host/disk_ext4.h"
#include "lib/contract.h"
#include "lib/fileio.h"
#include "lib/testdata.h"

static const struct {
	struct disk_spec spec;
	const char *want;
} rejected[] = {
	{ { "xfs", 1 << 20, 4096 }, "filesystem 'xfs'" },
	{ { "ext4", 1 << 20, 8192 }, "block_size 8192" },
	{ { "ext4", 0, 4096 }, "file_size 0" },
	{ { "ext4", UINT64_MAX, 4096 }, "file_size 18446744073709551615" },
};

static void test_rejected(void **state __unused_arg)
{
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rejected); i++) {
		e.msg[0] = '\0';
		assert_int_equal(disk_check(&rejected[i].spec, &e), -EINVAL);
		if (!strstr(e.msg, rejected[i].want))
			fail_msg("'%s' lacks '%s'", e.msg, rejected[i].want);
	}
}

static void test_no_room(void **state __unused_arg)
{
	const struct disk_spec s = { "ext4", 7ull << 40, 4096 };
	char dir[] = "/tmp/blkproof-disk-XXXXXX";
	struct err e = { .msg = "" };
	char *path = NULL;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(disk_get(&s, dir, true, &path, &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "the test disk needs"));
	assert_null(path);
	assert_int_equal(memory_check(1ull << 60, &e), -ENOMEM);
	assert_non_null(strstr(e.msg, "of memory"));
	remove_tree(dir);
}

static bool have(const char *program)
{
	char *command __cleanup_free = xasprintf("command -v %s >/dev/null 2>&1", program);

	return !system(command);
}

static int shell(const char *fmt, const char *image)
{
	char *command __cleanup_free = xasprintf(fmt, image);
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* e2fsck finds nothing, and debugfs reads the content that should be there. */
static void check_image(const struct disk_spec *s, const char *image)
{
	char *out __cleanup_free = xasprintf("%s.out", image);
	char *command __cleanup_free = xasprintf(
		"debugfs -R 'dump /" TEST_FILE_NAME " %s' %s 2>/dev/null", out, image);
	char *data;
	struct err e;
	size_t len;

	assert_int_equal(shell("e2fsck -fn %s >/dev/null 2>&1", image), 0);
	assert_int_equal(system(command), 0);
	assert_int_equal(file_read(out, 1 << 30, &data, &len, &e), 0);
	assert_int_equal(len, s->file_size);
	assert_int_equal(testdata_check(data, 0, len, NULL), 0);
	free(data);
	unlink(out);
}

static void test_image(void **state __unused_arg)
{
	static const struct disk_spec specs[] = {
		{ "ext4", 8 << 20, 4096 },
		{ "ext4", (8 << 20) + 12345, 4096 },
		{ "ext4", 8 << 20, 1024 },
		{ "ext4", 1, 4096 },
		{ "ext4", 150 << 20, 4096 }, /* more than one block group */
	};
	char dir[] = "/tmp/blkproof-disk-XXXXXX";
	char *path, *again;
	struct err e;
	size_t i;

	if (!have("mke2fs") || !have("e2fsck") || !have("debugfs")) {
		print_message("needs mke2fs, e2fsck and debugfs (e2fsprogs)\n");
		skip();
	}
	assert_non_null(mkdtemp(dir));
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		if (disk_get(&specs[i], dir, true, &path, &e))
			fail_msg("%s", e.msg);
		check_image(&specs[i], path);
		/* the second time it is only found */
		assert_int_equal(disk_get(&specs[i], dir, true, &again, &e), 0);
		assert_string_equal(path, again);
		free(path);
		free(again);
	}
	remove_tree(dir);
}

/* The file lies in as few places as ext4's extents (at most 128 MiB each) allow. */
static void test_contiguous(void **state __unused_arg)
{
	char image[] = "/tmp/blkproof-disk-XXXXXX";
	struct disk_extents x;
	struct err e;
	u64 size = 1ull << 30;
	int fd;

	if (!have("mke2fs")) {
		print_message("needs mke2fs (e2fsprogs)\n");
		skip();
	}
	fd = mkstemp(image);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(size + size / 256 + (16 << 20))), 0);
	close(fd);
	assert_int_equal(ext4_make(image, 4096, &e), 0);
	assert_int_equal(ext4_add_file(image, size, &x, &e), 0);
	assert_true(x.n <= 10);
	assert_int_equal(x.e[0].file, 0);
	free(x.e);
	assert_int_equal(ext4_add_file(image, size, &x, &e), -ENOSPC);
	unlink(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rejected),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_contiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
