// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "host/progress.h"
#include "host/spawn.h"

static void test_status_text(void **state __unused_arg)
{
	static const struct {
		int status;
		const char *text;
	} tests[] = {
		{ 0, "exit status 0" },
		{ 2 << 8, "exit status 2" },
		{ SIGKILL, "killed by SIGKILL" },
		{ SIGSEGV | 0x80, "killed by SIGSEGV" },
	};
	char buf[STATUS_TEXT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		assert_string_equal(status_text(tests[i].status, buf), tests[i].text);
}

static void test_output(void **state __unused_arg)
{
	static const struct {
		const char *script;
		int ret;
		const char *out;
		const char *msg;
	} tests[] = {
		{ "echo a; echo b >&2", 0, "a\nb\n", NULL },
		{ "printf a", 0, "a\n", NULL },
		{ "cat", 0, "", NULL },
		{ "echo one; echo; exit 3", -EIO, "one\n\n", "sh: exit status 3: one" },
		{ "kill -9 $$", -EIO, "", "sh: killed by SIGKILL" },
		/* what a program leaves behind does not hold us up */
		{ "sleep 1000 & echo x", 0, "x\n", NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		const char *argv[] = { "sh", "-c", tests[i].script, NULL };
		char *out = NULL;
		struct err e = { "" };

		assert_int_equal(run_output(argv, NULL, &out, &e), tests[i].ret);
		assert_string_equal(out, tests[i].out);
		if (tests[i].msg)
			assert_string_equal(e.msg, tests[i].msg);
		free(out);
	}
}

static void test_not_found(void **state __unused_arg)
{
	const char *argv[] = { "no-such-program-here", NULL };
	struct child c;
	struct err e;

	assert_int_equal(child_start(&c, argv, NULL, &e), -ENOPKG);
	assert_non_null(strstr(e.msg, "no-such-program-here: not found"));
	assert_true(child_end(&c, 0));
}

static void test_environment(void **state __unused_arg)
{
	const char *argv[] = { "sh", "-c", "echo ${BP_TEST-unset} $LC_ALL", NULL };
	struct err e;
	char *out;

	setenv("BP_TEST", "leaked", 1);
	assert_int_equal(run_output(argv, NULL, &out, &e), 0);
	assert_string_equal(out, "unset C\n");
	free(out);
}

/* Ending a child ends what it started, also when that ignores SIGTERM. */
static void test_group_ends(void **state __unused_arg)
{
	const char *argv[] = { "sh", "-c", "trap '' TERM; sleep 1000 & sleep 1000; sleep 1000",
			       NULL };
	struct child c;
	struct err e;
	pid_t group;
	int i;

	assert_int_equal(child_start(&c, argv, NULL, &e), 0);
	group = c.pid;
	assert_int_equal(getpgid(group), group);
	assert_int_equal(child_wait(&c, 50), -ETIMEDOUT);
	assert_false(child_end(&c, 50));
	/* orphans become init's to reap: give it time, but no success before they are gone */
	for (i = 0; i < 200 && !kill(-group, 0); i++)
		usleep(50000);
	assert_int_equal(kill(-group, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void test_timeout(void **state __unused_arg)
{
	const char *argv[] = { "sleep", "1000", NULL };
	struct run r = { .argv = argv, .timeout_s = 1 };
	struct err e;

	assert_int_equal(run_program(&r, &e), -ETIMEDOUT);
	assert_string_equal(e.msg, "sleep: did not end within 1 s");
	assert_false(r.killed);
}

static void count_line(void *ctx, char *line)
{
	size_t *sum = ctx;

	*sum += strlen(line);
}

static void test_long_line(void **state __unused_arg)
{
	const char *argv[] = { "sh", "-c", "head -c 200000 /dev/zero | tr '\\0' x; echo", NULL };
	size_t sum = 0;
	struct run r = { .argv = argv, .line = count_line, .ctx = &sum };
	struct err e;

	assert_int_equal(run_program(&r, &e), 0);
	assert_int_equal(sum, 200000);
}

static void test_elapsed(void **state __unused_arg)
{
	static const struct {
		u64 s;
		const char *text;
	} tests[] = { { 0, "0:00" }, { 125, "2:05" }, { 3599, "59:59" }, { 3600, "1:00:00" } };
	char buf[24];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		assert_string_equal(elapsed_text(tests[i].s * NSEC_PER_SEC, buf), tests[i].text);
}

static void test_meter_plain(void **state __unused_arg)
{
	char *text = NULL;
	size_t len;
	struct meter m;

	meter_start(&m, "step");
	m.out = open_memstream(&text, &len);
	m.tty = false;
	m.last = m.start;
	m.interval = 3600 * NSEC_PER_SEC;
	meter_update(&m, "%d of 2", 1);
	m.interval = 0;
	meter_update(&m, "%d of 2", 2);
	meter_end(&m, "done");
	fclose(m.out);
	assert_string_equal(text, "step: 2 of 2, 0:00\nstep: done, 0:00\n");
	free(text);
}

/* nohup make boot-and-trace */
static void test_hangup_ignored(void **state __unused_arg)
{
	signal(SIGHUP, SIG_IGN);
	interrupt_setup();
	raise(SIGHUP);
	assert_int_equal(interrupt_signal(), 0);
	signal(SIGHUP, SIG_DFL);
}

/* Last, since the flag stays set. */
static void test_interrupt(void **state __unused_arg)
{
	const char *argv[] = { "sh", "-c", "kill -INT $PPID; sleep 1000", NULL };
	struct run r = { .argv = argv };
	struct err e;

	interrupt_setup();
	assert_int_equal(interrupt_signal(), 0);
	assert_int_equal(run_program(&r, &e), -EINTR);
	assert_string_equal(e.msg, "interrupted");
	assert_int_equal(interrupt_signal(), SIGINT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_text), cmocka_unit_test(test_output),
		cmocka_unit_test(test_not_found),   cmocka_unit_test(test_environment),
		cmocka_unit_test(test_group_ends),  cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_long_line),   cmocka_unit_test(test_elapsed),
		cmocka_unit_test(test_meter_plain), cmocka_unit_test(test_hangup_ignored),
		cmocka_unit_test(test_interrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
