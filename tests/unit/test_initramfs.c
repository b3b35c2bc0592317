// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "host/initramfs.h"

static void test_cpio(void **state __unused_arg)
{
	static const struct cpio_entry entries[] = {
		{ .name = "dev", .mode = S_IFDIR | 0755 },
		{ .name = "dev/console", .mode = S_IFCHR | 0600, .major = 5, .minor = 1 },
		{ .name = "init", .mode = S_IFREG | 0755, .data = "hello", .len = 5 },
	};
	static const char want[] =
		"070701" "00000001" "000041ed" "00000000" "00000000" "00000002" "00000000"
		"00000000" "00000000" "00000000" "00000000" "00000000" "00000004" "00000000"
		"dev\0\0\0"
		"070701" "00000002" "00002180" "00000000" "00000000" "00000001" "00000000"
		"00000000" "00000000" "00000000" "00000005" "00000001" "0000000c" "00000000"
		"dev/console\0\0\0"
		"070701" "00000003" "000081ed" "00000000" "00000000" "00000001" "00000000"
		"00000005" "00000000" "00000000" "00000000" "00000000" "00000005" "00000000"
		"init\0\0hello\0\0\0"
		"070701" "00000000" "00000000" "00000000" "00000000" "00000001" "00000000"
		"00000000" "00000000" "00000000" "00000000" "00000000" "0000000b" "00000000"
		"TRAILER!!!\0\0\0";
	char *data = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&data, &len);

	assert_non_null(f);
	assert_int_equal(cpio_write(f, entries, ARRAY_SIZE(entries)), 0);
	fclose(f);
	assert_int_equal(len % 4, 0);
	assert_int_equal(len, sizeof(want)); /* the literal's own NUL is the last padding byte */
	assert_memory_equal(data, want, len);
	free(data);
}

/* The device is full: the error must come out, not a cut archive. */
static void test_full(void **state __unused_arg)
{
	struct err e = { .msg = "" };

	if (access("/dev/full", W_OK))
		skip();
	assert_int_equal(initramfs_write("/dev/full", "/proc/self/exe", EM_X86_64, "", NULL, 0, &e),
			 -ENOEXEC);
	assert_non_null(strstr(e.msg, "must be linked statically"));
	assert_int_equal(initramfs_write("/dev/full", "/nonexistent", EM_X86_64, "", NULL, 0, &e),
			 -ENOENT);
	assert_non_null(strstr(e.msg, "is not built"));
	assert_int_equal(initramfs_write("/dev/full", "/dev/null", EM_X86_64, "", NULL, 0, &e),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpio),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
