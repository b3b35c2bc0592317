// SPDX-License-Identifier: GPL-2.0-only
/*
 * All of bin/verify, from the command line to the exit status: a case for each
 * row of the table in docs/verify.1, and the words that come with it.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "lib/contract.h"
#include "lib/fileio.h"
#include "tests/unit/run_dir.h"
#include "verify/command.h"

#define ARGS_MAX 10
#define PATCHED "patched-1/" CAPTURE_JSON
#define BASE "base-1/" CAPTURE_JSON
#define WRONG "\"bad_bytes\": 8, \"first_bad_offset\": 16"
#define RIGHT "\"bad_bytes\": 0, \"first_bad_offset\": null"

static char dir[] = "/tmp/test_command.XXXXXX";
static char *run_path, *patched_path, *out_path, *err_path;

/* Runs verify with @args, "RUN" and "PATCHED" standing for the run and a capture in it; its
 * messages go to err_path. */
static int verify(const char *const *args)
{
	char *argv[ARGS_MAX + 4] = {(char *)"verify"};
	int argc = 1, saved, status;

	argv[argc++] = (char *)"-o";
	argv[argc++] = out_path;
	for (; *args; args++)
		argv[argc++] = !strcmp(*args, "RUN")	   ? run_path
			       : !strcmp(*args, "PATCHED") ? patched_path
							   : (char *)*args;
	unlink(out_path);
	saved = dup(STDERR_FILENO);
	fflush(stderr);
	assert_non_null(freopen(err_path, "w", stderr));
	status = verify_main(argc, argv);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	return status;
}

static char *text_of(const char *path)
{
	char *text = NULL;
	struct err e;

	if (access(path, F_OK))
		return xstrdup("");
	assert_int_equal(file_read(path, 1 << 22, &text, NULL, &e), 0);
	return text;
}

/* --check data-intact, whose verdicts capture.json alone decides */
#define INTACT "-cdata-intact"

static void test_status(void **state __unused_arg)
{
	static const struct {
		const char *file, *from, *to; /* what is spoiled, if anything */
		const char *args[ARGS_MAX];
		int status;
		const char *words; /* in the report, or on standard error with status 2 */
	} cases[] = {
		/* 0: every expectation is met */
		{NULL, NULL, NULL, {INTACT, "RUN"}, 0, "every expectation is met (exit status 0)"},
		{NULL, NULL, NULL, {INTACT, "--bisect", "RUN"}, 0, "(exit status 0)"},
		{NULL,
		 NULL,
		 NULL,
		 {INTACT, "-fktap", "RUN"},
		 0,
		 "ok 1 data-intact: one # FAIL, expected: violated"},
		{NULL, NULL, NULL, {INTACT, "-fjson", "RUN"}, 0, "\"exit_status\": 0"},
		/* 1: a check that should hold is violated */
		{PATCHED,
		 RIGHT,
		 WRONG,
		 {INTACT, "RUN"},
		 1,
		 "1 check that should hold is violated (exit status 1)"},
		{PATCHED, RIGHT, WRONG, {INTACT, "--bisect", "RUN"}, 1, "(exit status 1)"},
		{PATCHED,
		 RIGHT,
		 WRONG,
		 {INTACT, "-fktap", "RUN"},
		 1,
		 "not ok 1 data-intact: one\n"},
		{PATCHED, RIGHT, WRONG, {INTACT, "-fjson", "RUN"}, 1, "\"outcome\": \"violated\""},
		/* 2: usage error, or an input that can't be read */
		{NULL, NULL, NULL, {"--bogus"}, 2, "verify: unknown option '--bogus'"},
		{NULL,
		 NULL,
		 NULL,
		 {"--bogus", "--bisect"},
		 125,
		 "verify: unknown option '--bogus'"},
		{NULL, NULL, NULL, {"/nonexistent"}, 2, "verify: /nonexistent: No such file"},
		{PATCHED,
		 "\"cpus\": 2",
		 "\"cpus\": \"2\"",
		 {"RUN"},
		 2,
		 "patched-1/capture.json: cpus: expected a whole number, found a string\n"},
		{PATCHED,
		 "\"cpus\": 2",
		 "\"cpus\": \"2\"",
		 {"RUN", "--bisect"},
		 125,
		 "patched-1/capture.json: cpus: expected a whole number, found a string\n"},
		{"patched-1/trace.dat", "tracing6", "tracing9", {"RUN"}, 2, "trace.dat: at byte "},
		/* 3: inconclusive; base does not show it; nothing checked */
		{PATCHED,
		 "\"checked_bytes\": 4096",
		 "\"checked_bytes\": 0",
		 {INTACT, "RUN"},
		 3,
		 "1 verdict is inconclusive (exit status 3)"},
		{PATCHED,
		 "\"checked_bytes\": 4096",
		 "\"checked_bytes\": 0",
		 {INTACT, "--bisect", "RUN"},
		 125,
		 "1 verdict is inconclusive (exit status 125)"},
		{PATCHED,
		 "\"checked_bytes\": 4096",
		 "\"checked_bytes\": 0",
		 {INTACT, "-fktap", "RUN"},
		 3,
		 "not ok 1 data-intact: one # SKIP INCONCLUSIVE: "},
		{BASE, WRONG, RIGHT, {INTACT, "RUN"}, 3, "the problem is not shown (exit"},
		{BASE,
		 WRONG,
		 RIGHT,
		 {INTACT, "--bisect", "RUN"},
		 125,
		 "the problem is not shown (exit"},
		{RUN_EXPERIMENT,
		 "[expect base one]",
		 "[expect base]",
		 {INTACT, "RUN"},
		 3,
		 "the problem is not shown (exit status 3)"},
		{RUN_EXPERIMENT,
		 "data-intact = violated",
		 "data-intact = any",
		 {INTACT, "RUN"},
		 0,
		 "every expectation is met (exit status 0)"},
		/* events were lost in phase one */
		{NULL, NULL, NULL, {"-ctrace-complete", "RUN"}, 3, "2 verdicts are inconclusive"},
		/* a lone capture holds what applies, and is not compared with others */
		{RUN_EXPERIMENT,
		 "[phase two]",
		 "[phase two]\nunaffected = yes",
		 {"-cdata-intact,unaffected-pattern", "PATCHED"},
		 0,
		 "every expectation is met (exit status 0)"},
		{NULL, NULL, NULL, {INTACT, "--bisect", "PATCHED"}, 0, "(exit status 0)"},
		{PATCHED, RIGHT, WRONG, {INTACT, "--bisect", "PATCHED"}, 1, "(exit status 1)"},
		/* several: the worst, 2 before 1 before 3 before 0 */
		{PATCHED,
		 RIGHT,
		 WRONG,
		 {INTACT, "RUN", "/nonexistent"},
		 2,
		 "verify: /nonexistent: No such file"},
		{PATCHED, RIGHT, WRONG, {INTACT, "RUN", "RUN"}, 1, "(exit status 1)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *report __cleanup_free = NULL, *messages __cleanup_free = NULL, *flat;
		int status;

		run_dir_make(run_path);
		if (cases[i].file)
			run_dir_replace(run_path, cases[i].file, cases[i].from, cases[i].to);
		status = verify(cases[i].args);
		report = text_of(out_path);
		messages = text_of(err_path);
		/* wrapped lines would hide words; two blanks stand nowhere in them */
		flat = strstr(report, "\nverdict:");
		for (char *c = flat ? flat + 1 : NULL; c && *c; c++)
			if (c[0] == '\n' && c[1] == ' ')
				memmove(c, c + 2, strlen(c + 2) + 1), *c = ' ';
		if (status != cases[i].status)
			fail_msg("row %zu: status %d\n%s%s", i, status, messages, report);
		if (!strstr(report, cases[i].words) && !strstr(messages, cases[i].words))
			fail_msg("row %zu: no '%s' in\n%s%s", i, cases[i].words, messages, report);
	}
}

static char *verify_stdout(const char *const *args, int *status)
{
	char *argv[ARGS_MAX + 2] = {(char *)"verify"};
	int argc = 1, saved, file;

	for (; *args; args++)
		argv[argc++] = !strcmp(*args, "PATCHED") ? patched_path : (char *)*args;
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	file = open(out_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(file, STDOUT_FILENO);
	*status = verify_main(argc, argv);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(file);
	return text_of(out_path);
}

/* What is printed in place of the verdicts; their status is that of the verdicts. */
static void test_other_output(void **state __unused_arg)
{
	static const struct {
		const char *args[ARGS_MAX];
		int status;
		const char *words[3], *not ;
	} cases[] = {
		{{INTACT, "--stats", "PATCHED"},
		 0,
		 {"Statistics of patched, phase one (the test file)", "read requests, up to",
		  "verdict: every expectation is met (exit status 0)"},
		 "by file"},
		{{INTACT, "--by", "file", "--by=task", "PATCHED"},
		 0,
		 {"  by file: ", "  by task", "Statistics of"},
		 NULL},
		{{INTACT, "--stats", "-fjson", "PATCHED"},
		 0,
		 {"\"readahead\": [", "\"ra_count\": ", "\"not_measurable\": ["},
		 "\"files\""},
		{{INTACT, "-fjson", "PATCHED"}, 0, {"\"results\": [", "", ""}, "\"stats\""},
		{{INTACT, "--chain", "event=123456789", "PATCHED"},
		 0,
		 {"no chain: the trace has", "none of", "exit status 0"},
		 "Statistics"},
		{{"--events", "PATCHED"},
		 0,
		 {"# ", "trace.dat\n1 ", " marker phase begin one\n"},
		 "verdict"},
		{{"--events", "/nonexistent"}, 2, {"", "", ""}, " "},
		{{"--bisect", "--events", "/nonexistent"}, 125, {"", "", ""}, " "},
	};

	run_dir_make(run_path);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int status;
		char *text __cleanup_free = verify_stdout(cases[i].args, &status);

		if (status != cases[i].status)
			fail_msg("row %zu: status %d\n%s", i, status, text);
		for (size_t k = 0; k < 3; k++)
			if (!strstr(text, cases[i].words[k]))
				fail_msg("row %zu: no '%s' in\n%s", i, cases[i].words[k], text);
		if (cases[i].not &&strstr(text, cases[i].not ))
			fail_msg("row %zu: '%s' in\n%s", i, cases[i].not, text);
	}
}

/* A message is one line, whatever the name of the file is. */
static void test_message(void **state __unused_arg)
{
	static const char name[] = "/nope\x1b[31m\nx";
	char *messages __cleanup_free = NULL;

	assert_int_equal(verify((const char *const[]){name, NULL}), 2);
	messages = text_of(err_path);
	assert_string_equal(messages, "verify: /nope\\x1b[31m\\x0ax: No such file or directory\n");
}

/* A report that can't be written is an error, and leaves nothing behind. */
static void test_unwritable(void **state __unused_arg)
{
	char *good = out_path, *messages __cleanup_free = NULL;
	int saved, full, status;

	run_dir_make(run_path);
	out_path = (char *)"/nonexistent/report";
	status = verify((const char *const[]){INTACT, "RUN", NULL});
	out_path = good;
	assert_int_equal(status, 2);
	messages = text_of(err_path);
	assert_non_null(strstr(messages, "verify: /nonexistent/report"));

	/* and standard output, on a disk that is full */
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	full = open("/dev/full", O_WRONLY);
	dup2(full, STDOUT_FILENO);
	status = verify_main(2, (char *[]){(char *)"verify", (char *)"--version", NULL});
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(full);
	assert_int_equal(status, 2);
}

static int setup(void **state __unused_arg)
{
	if (!mkdtemp(dir))
		return -1;
	run_path = xasprintf("%s/run", dir);
	patched_path = xasprintf("%s/run/patched-1", dir);
	out_path = xasprintf("%s/report", dir);
	err_path = xasprintf("%s/messages", dir);
	return 0;
}

static int teardown(void **state __unused_arg)
{
	free(run_path);
	free(patched_path);
	free(out_path);
	free(err_path);
	return remove_tree(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_other_output),
		cmocka_unit_test(test_message),
		cmocka_unit_test(test_unwritable),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
