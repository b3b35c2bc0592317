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
	{{.filesystem = "zfs", .file_size = 1 << 20, .block_size = 4096},
	 "filesystem 'zfs': a test disk can have ext4, xfs, btrfs or f2fs"},
	{{.filesystem = "ext4", .file_size = 1 << 20, .block_size = 8192}, "block_size 8192"},
	{{.filesystem = "xfs", .file_size = 1 << 20, .block_size = 3000}, "block_size 3000"},
	{{.filesystem = "btrfs", .file_size = 1 << 20, .block_size = 2048},
	 "btrfs has powers of two from 4096 to 65536"},
	{{.filesystem = "ext4", .block_size = 4096}, "file_size 0"},
	{{.filesystem = "ext4", .file_size = UINT64_MAX, .block_size = 4096},
	 "file_size 18446744073709551615"},
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
	const struct disk_spec s = {
		.filesystem = "ext4", .file_size = 7ull << 40, .block_size = 4096};
	char dir[] = "/tmp/blkproof-disk-XXXXXX";
	struct err e = {.msg = ""};
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

static void check_file(const char *image, u32 index, u64 size)
{
	char *name __cleanup_free =
		index ? xasprintf(TEST_FILE_NAME ".%u", index) : xstrdup(TEST_FILE_NAME);
	char *out __cleanup_free = xasprintf("%s.out", image);
	char *command __cleanup_free =
		xasprintf("debugfs -R 'dump /%s %s' %s 2>/dev/null", name, out, image);
	char *data;
	struct err e;
	size_t len;

	assert_int_equal(system(command), 0);
	assert_int_equal(file_read(out, 1 << 30, &data, &len, &e), 0);
	assert_int_equal(len, size);
	assert_int_equal(testdata_check(data, testdata_file(index), len, NULL), 0);
	/* and it is no other file's, as every whole word tells */
	assert_int_equal(testdata_check(data, testdata_file(index + 1), len / 8 * 8, NULL),
			 len / 8 * 8);
	free(data);
	unlink(out);
}

/* e2fsck finds nothing, and debugfs reads the content that should be there. */
static void check_image(const struct disk_spec *s, const char *image)
{
	assert_int_equal(shell("e2fsck -fn %s >/dev/null 2>&1", image), 0);
	check_file(image, 0, s->file_size);
	/* the first and last of many */
	for (u32 i = 1; i <= s->n_more; i += i < 4 || i == s->n_more ? 1 : s->n_more - i)
		check_file(image, i, s->more[i - 1]);
}

static void test_image(void **state __unused_arg)
{
	static const struct disk_spec specs[] = {
		{.filesystem = "ext4", .file_size = 8 << 20, .block_size = 4096},
		{.filesystem = "ext4", .file_size = (8 << 20) + 12345, .block_size = 4096},
		{.filesystem = "ext4", .file_size = 8 << 20, .block_size = 1024},
		{.filesystem = "ext4", .file_size = 1, .block_size = 4096},
		{.filesystem = "ext4",
		 .file_size = 150 << 20,
		 .block_size = 4096}, /* more than one block group */
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

/* So many that the root directory needs more blocks, of sizes around that of a block. */
static void test_many_files(void **state __unused_arg)
{
	enum { N = 500 };
	char dir[] = "/tmp/blkproof-disk-XXXXXX";
	u64 more[N];
	struct disk_spec s = {.filesystem = "ext4",
			      .file_size = 1 << 20,
			      .block_size = 4096,
			      .more = more,
			      .n_more = N};
	char *path, *other;
	struct err e;

	if (!have("mke2fs") || !have("e2fsck") || !have("debugfs")) {
		print_message("needs mke2fs, e2fsck and debugfs (e2fsprogs)\n");
		skip();
	}
	assert_non_null(mkdtemp(dir));
	for (u32 i = 0; i < N; i++)
		more[i] = i * 37 + 1;
	more[1] = 4096;
	more[2] = 4097;
	if (disk_get(&s, dir, true, &path, &e))
		fail_msg("%s", e.msg);
	check_image(&s, path);
	/* other sizes are another disk */
	more[7]++;
	assert_int_equal(disk_get(&s, dir, true, &other, &e), 0);
	assert_string_not_equal(path, other);
	more[7] = 0;
	free(other);
	assert_int_equal(disk_get(&s, dir, true, &other, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "file 8 has 0 bytes"));
	free(path);
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
	assert_int_equal(ext4_make(image, 4096, 1, &e), 0);
	assert_int_equal(ext4_add_files(image, &size, 1, &x, &e), 0);
	assert_true(x.n <= 10);
	assert_int_equal(x.e[0].file, 0);
	free(x.e);
	assert_int_equal(ext4_add_files(image, &size, 1, &x, &e), -ENOSPC);
	unlink(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rejected),   cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_image),	   cmocka_unit_test(test_many_files),
		cmocka_unit_test(test_contiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
