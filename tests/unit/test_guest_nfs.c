// SPDX-License-Identifier: GPL-2.0-only
/* What an NFS client counts, from the text of /proc/PID/mountstats. */
#include "guest/nfs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define OTHER "device tmpfs mounted on /run with fstype tmpfs\n"
#define DEVICE "device 10.99.0.1:/root mounted on / with fstype nfs4 statvers=1.1\n"
#define BYTES "\tbytes:\t1 2 3 4 22235616 6 7 8\n"
#define RPC                                                                                        \
	"\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n\tper-op statistics\n"                   \
	"\t        NULL: 1 1 0 44 24 0 1 1 0\n"
#define READ "\t        READ: 408 409 0 81600 22281312 5 600 700 0\n"
#define WRITE "\t       WRITE: 9 9 0 1 1 1 1 1 0\n"

static const struct {
	const char *text;
	int ret;
	u64 calls, bytes;
} cases[] = {
	{OTHER DEVICE BYTES RPC READ WRITE, 0, 408, 22235616},
	{DEVICE BYTES RPC READ WRITE OTHER, 0, 408, 22235616},
	/* those of another mount are not ours */
	{DEVICE OTHER BYTES RPC READ, -EPROTO, 0, 0},
	{DEVICE BYTES RPC OTHER READ, -EPROTO, 0, 0},
	{OTHER, -ENOENT, 0, 0},
	{"", -ENOENT, 0, 0},
	{DEVICE RPC READ, -EPROTO, 0, 0},
	{DEVICE BYTES RPC WRITE, -EPROTO, 0, 0},
	{DEVICE "\tbytes:\t1 2\n" RPC READ, -EPROTO, 0, 0},
	{DEVICE BYTES RPC "\t        READ: many\n", -EPROTO, 0, 0},
};

static void test_parse(void **state)
{
	struct nfs_reads r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(nfs_reads_parse(cases[i].text, &r), cases[i].ret);
		if (cases[i].ret)
			continue;
		assert_int_equal(r.calls, cases[i].calls);
		assert_int_equal(r.bytes, cases[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
