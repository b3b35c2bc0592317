// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "host/options.h"
#include "host/status.h"

#define ARGS_MAX 12

static int parse(struct options *o, const char *const *args, struct err *e)
{
	char *argv[ARGS_MAX + 1] = { (char *)"boot-and-trace" };
	int argc = 1;

	for (; *args; args++)
		argv[argc++] = (char *)*args;
	return host_options_parse(o, argc, argv, e);
}

static const struct {
	const char *args[ARGS_MAX];
	const char *command; /* what options_command() makes of it */
} good[] = {
	{ { NULL }, "make boot-and-trace" },
	{ { "--experiment", "x", "--repeat", "3" }, "make boot-and-trace EXPERIMENT=x REPEAT=3" },
	{ { "--replay", "p" }, "make boot-and-trace REPLAY=p" },
	{ { "--replay", "p", "--experiment", "x" }, "make boot-and-trace EXPERIMENT=x REPLAY=p" },
	{ { "--replay", "p", "--experiment", "replay" }, "make boot-and-trace REPLAY=p" },
	{ { "--experiment=x" }, "make boot-and-trace EXPERIMENT=x" },
	{ { "--file-size", "16G" }, "make boot-and-trace FILE_SIZE=16G" },
	{ { "--file-size", "1000" }, "make boot-and-trace FILE_SIZE=1000" },
	{ { "--accel", "tcg" }, "make boot-and-trace ACCEL=tcg" },
	{ { "--arch", "arm64" }, "make boot-and-trace ARCH=arm64" },
	{ { "--arch", "arm64-64k" }, "make boot-and-trace ARCH=arm64-64k" },
	{ { "--arch", "x86_64" }, "make boot-and-trace" },
	{ { "--accel", "auto" }, "make boot-and-trace" },
	{ { "--patch", "my fix.patch" }, "make boot-and-trace PATCH='my fix.patch'" },
	{ { "--kdir", "it's" }, "make boot-and-trace KDIR='it'\\''s'" },
	{ { "--set", "filesystem=xfs", "--set=cpus=4" },
	  "make boot-and-trace SET='filesystem=xfs cpus=4'" },
	{ { "--kdir", "l", "--commits", "a..b" }, "make boot-and-trace KDIR=l COMMITS=a..b" },
	{ { "--sweep", "cpus:1,2" }, "make boot-and-trace SWEEP=cpus:1,2" },
	{ { "--program", "./p", "--args", "FILE 8" },
	  "make boot-and-trace PROGRAM=./p ARGS='FILE 8'" },
	{ { "--run", "r", "--traces", "t", "--verbose" }, "make boot-and-trace" },
};

static void test_good(void **state __unused_arg)
{
	struct options o;
	struct err e;
	char *command;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (parse(&o, good[i].args, &e))
			fail_msg("%s", e.msg);
		command = host_options_command(&o);
		assert_string_equal(command, good[i].command);
		free(command);
		host_options_free(&o);
	}
}

static const struct {
	const char *args[ARGS_MAX];
	const char *want;
} bad[] = {
	{ { "--repeat", "0" }, "--repeat '0'" },
	{ { "--replay", "p", "--file-size", "1G" }, "--file-size: a replay's files" },
	{ { "--replay", "p", "--program", "/bin/true" }, "--replay and --program: one of them" },
	{ { "--repeat", "1000" }, "from 1 to 999" },
	{ { "--repeat", "-1" }, "--repeat '-1'" },
	{ { "--repeat" }, "--repeat needs a value: N" },
	{ { "--repeat=" }, "--repeat: the value is empty" },
	{ { "--accel", "hvf" }, "expected auto, kvm or tcg" },
	{ { "--arch", "arm46" },
	  "--arch 'arm46': expected x86_64, arm64 or arm64-64k; did you mean arm64?" },
	{ { "--file-size", "0" }, "a file needs a size" },
	{ { "--file-size", "1Q" }, "'1Q' is not a size" },
	{ { "--image", "base" }, "expected KERNEL=FILE" },
	{ { "--image", "=x" }, "expected KERNEL=FILE" },
	{ { "--image", "base=" }, "expected KERNEL=FILE" },
	{ { "--set", "cpus" }, "expected KEY=VALUE" },
	{ { "--set", "cpus=" }, "expected KEY=VALUE" },
	{ { "--set", "summary=a b" }, "a blank in the value" },
	{ { "--commits", "a..b" }, "of which tree?" },
	{ { "--commits", "a", "--kdir", "l", "--patch", "p" }, "the commits are the patch" },
	{ { "--bisect", "cold-cache", "--patch", "p" }, "one kernel, as it is checked out" },
	{ { "--args", "FILE" }, "--args without --program" },
	{ { "--help=x" }, "--help takes no value" },
	{ { "--experment", "x" }, "did you mean --experiment?" },
	{ { "-x" }, "unknown option '-x'" },
	{ { "x" }, "unexpected argument 'x'" },
	{ { "--experiment", "" }, "the value is empty" },
};

static void test_bad(void **state __unused_arg)
{
	struct options o;
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		e.msg[0] = '\0';
		assert_int_equal(parse(&o, bad[i].args, &e), -EINVAL);
		if (!strstr(e.msg, bad[i].want))
			fail_msg("'%s' lacks '%s'", e.msg, bad[i].want);
		host_options_free(&o);
	}
}

static void test_images(void **state __unused_arg)
{
	static const char *const args[] = { "--image", "base=/a=b", "--image=patched=c", NULL };
	struct options o;
	struct err e;

	assert_int_equal(parse(&o, args, &e), 0);
	assert_int_equal(o.n_images, 2);
	assert_string_equal(o.images[0].kernel, "base");
	assert_string_equal(o.images[0].path, "/a=b");
	assert_string_equal(o.images[1].kernel, "patched");
	assert_string_equal(o.images[1].path, "c");
	host_options_free(&o);
}

/* --help shows every status, each with its own number. */
static void test_help(void **state __unused_arg)
{
	char *text = NULL, line[128];
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	host_options_help(f);
	fclose(f);
	for (i = 0; status_texts[i].text; i++) {
		snprintf(line, sizeof(line), "%3d  %s\n", (int)status_texts[i].status,
			 status_texts[i].text);
		assert_non_null(strstr(text, line));
		assert_true(!i || status_texts[i].status > status_texts[i - 1].status);
	}
	assert_true(i == 12);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_images),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
