// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "host/run_dir.h"
#include "lib/fileio.h"

static char traces[] = "/tmp/blkproof-runs-XXXXXX";

static void make(const char *name)
{
	char *path __cleanup_free = xasprintf("%s/%s", traces, name);

	assert_int_equal(mkdir(path, 0755), 0);
}

static bool there(const char *name)
{
	char *path __cleanup_free = xasprintf("%s/%s", traces, name);

	return !access(path, F_OK);
}

static int setup(void **state __unused_arg)
{
	strcpy(traces + strlen(traces) - 6, "XXXXXX");
	return mkdtemp(traces) ? 0 : -1;
}

static int teardown(void **state __unused_arg)
{
	return remove_tree(traces);
}

static const struct {
	const char *name;
	int want;
} names[] = {
	{ "a", 0 }, { "my-run_1.2+x", 0 }, { "run001", 0 }, { "taken", -EEXIST }, { "", -EINVAL },
	{ ".", -EINVAL }, { "..", -EINVAL }, { ".tmp-x", -EINVAL }, { "a/b", -EINVAL },
	{ "../a", -EINVAL }, { "-x", -EINVAL }, { "a b", -EINVAL }, { "a\n", -EINVAL },
};

static void test_names(void **state __unused_arg)
{
	struct err e;
	size_t i;

	make("taken");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (run_name_check(traces, names[i].name, &e) != names[i].want)
			fail_msg("'%s': %s", names[i].name, e.msg);
}

static void publish(const char *name, const char *want)
{
	char *expected __cleanup_free = xasprintf("%s/%s", traces, want);
	char *path __cleanup_free = NULL;
	struct run_dir r;
	struct err e;

	assert_int_equal(run_dir_open(&r, traces, name, &e), 0);
	assert_int_equal(run_dir_publish(&r, &path, &e), 0);
	assert_string_equal(path, expected);
	run_dir_close(&r);
	assert_true(there(want));
}

static void test_numbers(void **state __unused_arg)
{
	publish(NULL, "run001");
	publish(NULL, "run002");
	make("run009x");
	make("run041");
	publish(NULL, "run042");
	publish("mine", "mine");
	make("run999");
	publish(NULL, "run1000");
}

/* Two runs at once, and a name that is taken while the run is written. */
static void test_races(void **state __unused_arg)
{
	char *first __cleanup_free = NULL;
	char *second __cleanup_free = NULL;
	struct run_dir a, b;
	struct stat st;
	struct err e;

	assert_int_equal(run_dir_open(&a, traces, "mine", &e), 0);
	/* the second must not take the first for a stale one */
	assert_int_equal(run_dir_open(&b, traces, "mine", &e), 0);
	assert_int_equal(stat(a.work, &st), 0);
	assert_int_equal(run_dir_publish(&b, &second, &e), 0);
	assert_true(there("mine"));
	assert_int_equal(run_dir_publish(&a, &first, &e), 0);
	assert_true(there("run001"));
	assert_string_not_equal(first, second);
	run_dir_close(&a);
	run_dir_close(&b);
	assert_true(there("run001") && there("mine"));
	assert_false(there("mine/work"));
}

static void test_closed_and_stale(void **state __unused_arg)
{
	struct run_dir r;
	struct err e;
	char *tmp __cleanup_free = NULL;

	make(".tmp-killed");
	make("keep");
	assert_int_equal(run_dir_open(&r, traces, NULL, &e), 0);
	assert_false(there(".tmp-killed"));
	assert_true(there("keep"));
	tmp = xstrdup(r.tmp);
	run_dir_close(&r);
	assert_int_equal(access(tmp, F_OK), -1);
	assert_false(there("run001"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names), TEST(test_numbers), TEST(test_races), TEST(test_closed_and_stale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
