// SPDX-License-Identifier: GPL-2.0-only
/* sweep.json as verify reads it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fileio.h"
#include "verify/sweep.h"

static char dir[] = "/tmp/blkproof-sweep-XXXXXX";

#define HEAD "{\"schema\": 1, \"experiment\": \"x\", \"key\": \"cpus\", \"runs\": "

static const struct {
	const char *text, *words; /* NULL: taken */
} cases[] = {
	{HEAD "[{\"value\": \"1\", \"run\": \"cpus=1\"}, {\"value\": \"2\", \"run\": \"cpus=2\"}]}",
	 NULL},
	{"", "sweep.json"},
	{"[]", "sweep.json"},
	{"{\"schema\": 2, \"experiment\": \"x\", \"key\": \"cpus\", \"runs\": []}", "schema is 2"},
	{"{\"schema\": 1, \"experiment\": \"x\", \"runs\": []}", "key"},
	{HEAD "[]}", "expected 1 to 1024 elements"},
	{HEAD "7}", "runs"},
	{HEAD "[7]}", "runs[0]"},
	{HEAD "[{\"value\": 1, \"run\": \"a\"}]}", "runs[0].value"},
	{HEAD "[{\"value\": \"1\", \"run\": \"../a\"}]}", "not the name of a directory"},
	{HEAD "[{\"value\": \"1\", \"run\": \"a/b\"}]}", "not the name of a directory"},
	{HEAD "[{\"value\": \"1\", \"run\": \"\"}]}", "not the name of a directory"},
	{HEAD "[{\"value\": \"1\", \"run\": \"a\"}, {\"value\": \"2\", \"run\": \"a\"}]}",
	 "listed twice"},
};

static void test_load(void **state __unused_arg)
{
	char *path = xasprintf("%s/sweep.json", dir);
	struct sweep s;
	struct err e;

	assert_int_equal(sweep_load(&s, dir, &e), 0); /* no such file: no sweep */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret;

		e.msg[0] = '\0';
		assert_int_equal(file_write_atomic(path, cases[i].text, strlen(cases[i].text), &e),
				 0);
		ret = sweep_load(&s, dir, &e);
		if (!cases[i].words) {
			assert_int_equal(ret, 1);
			assert_int_equal(s.n, 2);
			assert_string_equal(s.key, "cpus");
			assert_string_equal(s.runs[1].name, "cpus=2");
			sweep_free(&s);
		} else if (ret >= 0 || !strstr(e.msg, cases[i].words)) {
			fail_msg("%s: %d '%s'", cases[i].text, ret, e.msg);
		}
	}
	free(path);
}

static int setup(void **state __unused_arg)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state __unused_arg)
{
	return remove_tree(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_load)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
