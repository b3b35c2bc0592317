// SPDX-License-Identifier: GPL-2.0-only
/* fio's iolog and strace's text to plans of accesses: what is taken, what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fileio.h"
#include "replay/access.h"
#include "replay/strace_line.h"

static char in[64], out[80];

static int setup(void **state __unused_arg)
{
	int fd;

	strcpy(in, "/tmp/test_replay_text.XXXXXX");
	fd = mkstemp(in);
	snprintf(out, sizeof(out), "%s.plan", in);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state __unused_arg)
{
	unlink(out);
	return unlink(in);
}

/* The plan of @text, NULL and a line in @e if there is none; the caller frees it. */
static char *plan_of(const char *text, size_t len, enum source_kind kind, bool partial,
		     struct err *e)
{
	const struct source s = {.path = in, .kind = kind};
	const struct replay_options o = {.output = out, .partial = partial};
	char *plan = NULL;

	unlink(out);
	assert_int_equal(file_write_atomic(in, text, len, e), 0);
	if (level_access.make(&s, &o, e)) {
		/* nothing is left of a plan that is none */
		assert_int_not_equal(access(out, F_OK), 0);
		return NULL;
	}
	assert_int_equal(file_read(out, 1 << 20, &plan, NULL, e), 0);
	return plan;
}

/* The body of a plan, without the line that begins the phase. */
static const char *body_of(const char *plan)
{
	const char *at = strstr(plan, "\nbegin\nphase replay\n");

	assert_non_null(at);
	return at + strlen("\nbegin\nphase replay\n");
}

struct text_case {
	const char *text, *body; /* what the body says, or NULL */
	const char *note;	 /* what the whole says, or the error */
};

static void check_cases(const struct text_case *cases, size_t n, enum source_kind kind)
{
	for (size_t i = 0; i < n; i++) {
		struct err e = {.msg = ""};
		char *plan __cleanup_free =
			plan_of(cases[i].text, strlen(cases[i].text), kind, false, &e);

		if (!plan != !cases[i].body)
			fail_msg("%zu: %s", i, plan ? plan : e.msg);
		if (plan && strcmp(body_of(plan), cases[i].body))
			fail_msg("%zu: %s", i, plan);
		if (!strstr(plan ? plan : e.msg, cases[i].note))
			fail_msg("%zu: no '%s' in %s", i, cases[i].note, plan ? plan : e.msg);
		/* no name of anything */
		if (plan && (strstr(plan, "/tmp") || strstr(plan, "secret")))
			fail_msg("%zu: %s", i, plan);
	}
}

#define V2 "fio version 2 iolog\n/tmp/secret add\n/tmp/secret open\n"
#define V3 "fio version 3 iolog\n"

static const struct text_case iologs[] = {
	{V2 "/tmp/secret read 0 4096\n/tmp/secret wait 500 0\n/tmp/secret read 4096 8192\n"
	    "/tmp/secret close\n",
	 "0 0 read 0 0 4096\n500000 0 read 0 4096 8192\nend 3\n", "file 0 12288 least 0:0 0\n"},
	{V3 "1 /tmp/a read 8 4\n2 /tmp/b read 0 1\n3 /tmp/a write 0 4\n",
	 "1000 0 read 0 8 4\n2000 0 read 1 0 1\nend 3\n", "left out: 1 writes"},
	/* times that go backwards: said, and the order of the log is kept */
	{V3 "9 a read 0 4\n5 a read 4 4\n9 a read 8 4\n",
	 "9000 0 read 0 0 4\n9000 0 read 0 4 4\n9000 0 read 0 8 4\nend 4\n",
	 "times went backwards 1 times"},
	{V2 "a read 18446744073709551615 4096\na read 0 18446744073709551615\n",
	 "0 0 read 0 0 17592186044416\nend 2\n", "left out: 1 accesses beyond 16 TiB"},
	{V2 "a write 0 4096\n", NULL, "no access of a file"},
	{"", NULL, ":0: expected fio's iolog"},
	{"fio version 1 iolog\n", NULL, ":1: expected fio's iolog of version 2 or 3"},
	{"fio version 4 iolog\n", NULL, "found 'fio version 4 iolog'"},
	{V2 "a read 0\n", NULL, ":4: expected a length"},
	{V2 "a read x 1\n", NULL, ":4: expected an offset, a number from 0 to "},
	{V2 "a read -1 1\n", NULL, "found '-1'"},
	{V2 "a reed 0 1\n", NULL, "expected an action such as read, found 'reed'"},
	{V2 "a\n", NULL, "expected a file and what was done to it"},
	{V3 "a read 0 4096\n", NULL, "expected a time in us"},
	{V2 "a wait 4611686018427387 0\na wait 4611686018427387 0\n", NULL, "waits add up to more"},
	{V2 "a read 0 4096", NULL, "the file was cut off here"},
};

static void test_iolog(void **state __unused_arg)
{
	check_cases(iologs, ARRAY_SIZE(iologs), SOURCE_IOLOG);
}

#define T "1700000000.00000"
#define OPEN T "0 openat(AT_FDCWD, \"/tmp/secret\", O_RDONLY|O_CLOEXEC) = 3\n"

static const struct text_case straces[] = {
	/* a position that reads move, and lseek */
	{OPEN T "1 read(3, \"\\177ELF, \\\")\"..., 832) = 832\n" T
	 "2 read(3, \"\"..., 4096) = 100\n" T
		"3 read(3, \"\", 4096) = 0\n" T "4 lseek(3, 64, SEEK_SET) = 64\n" T
		"5 read(3, \"x\", 1) = 1\n",
	 "1000 0 read 0 0 832\n2000 0 read 0 832 4096\n5000 0 read 0 64 1\nend 4\n",
	 "left out: 1 reads at the end of a file"},
	{OPEN T "1 pread64(3, \"\"..., 784, 64) = 784\n" T "2 preadv(3, [{iov_base=\"a, b\", "
		"iov_len=4}, {iov_base=\"\", iov_len=4}], 2, 4096) = 8\n" T
		"3 readahead(3, 0, 65536) = 0\n" T
		"4 fadvise64(3, 0, 4096, POSIX_FADV_WILLNEED) = 0\n" T
		"5 fadvise64(3, 0, 0, POSIX_FADV_SEQUENTIAL) = 0\n",
	 "1000 0 read 0 64 784\n2000 0 read 0 4096 8\n3000 0 readahead 0 0 65536\n"
	 "4000 0 willneed 0 0 4096\n5000 0 sequential 0 0 0\nend 6\n",
	 "file 0 4104 least 0:0 0\n"},
	/* threads share descriptors, processes inherit them, and offsets are of the open file */
	{"7 " OPEN "7 " T "1 clone3({flags=CLONE_VM|CLONE_FILES, stack=0x1}, 88) = 8\n"
	 "8 " T "2 read(3, \"\"..., 10) = 10\n"
	 "7 " T "3 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n"
	 "9 " T "4 read(3,  <unfinished ...>\n"
	 "7 " T "5 <... clone resumed>) = 9\n"
	 "7 " T "6 close(3) = 0\n"
	 "9 " T "7 <... read resumed>\"\"..., 10) = 10\n"
	 "8 " T "8 read(3, \"\"..., 10) = 10\n"
	 "9 " T "9 read(3, \"\"..., 10) = 10 <0.000012>\n"
	 "9 " T "9 +++ exited with 0 +++\n",
	 "2000 0 read 0 0 10\n7000 1 read 0 10 10\n9000 1 read 0 20 10\nend 4\n",
	 "left out: 1 reads of descriptors that are no files"},
	{"[pid    12] " OPEN "[pid    12] " T "1 dup2(3, 0) = 0\n[pid    12] " T
	 "2 read(0, \"\"..., 5) = 5\n[pid    12] " T "3 fcntl(3, F_DUPFD_CLOEXEC, 10) = 10\n"
	 "[pid    12] " T "4 read(10, \"\"..., 5) = 5\n",
	 "2000 0 read 0 0 5\n4000 0 read 0 5 5\nend 3\n", "source strace\n"},
	/* -y names a descriptor that was open before, but not its position */
	{T "1 read(5</tmp/secret>, \"\"..., 4) = 4\n" T
	 "2 pread64(5</tmp/secret>, \"\"..., 4, 8) = 4\n" T
	 "3 read(0<pipe:[123]>, \"\"..., 4) = 4\n" T
	 "4 openat(AT_FDCWD</tmp>, \"secret\", O_RDONLY) = 6</tmp/secret>\n" T
	 "5 read(6</tmp/secret>, \"\"..., 4) = 4\n",
	 "1000 0 read 0 8 4\n4000 0 read 0 0 4\nend 3\n", "left out: 1 reads at a file position"},
	{T "1 openat(AT_FDCWD, \"/proc/stat\", O_RDONLY) = 3\n" T "2 read(3, \"\"..., 4) = 4\n" T
	 "3 open(\"/tmp/d\", O_RDONLY|O_DIRECT) = 4\n" T "4 read(4, \"\"..., 4096) = 4096\n" OPEN T
	 "6 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f0000000000\n" T
	 "7 madvise(0x7f0000000000, 4096, MADV_RANDOM) = 0\n" T "8 read(3, 0x1, 4) = -1 EIO (x)\n" T
	 "9 read(3, \"\"..., 4) = 4\nnoise of the program\n",
	 "8000 0 read 0 0 4\nend 2\n", "left out: 1 reads past the page cache (O_DIRECT)"},
	{"", NULL, "no line is one of strace"},
	{"hello\nworld\n", NULL, "no line is one of strace"},
	{"12:00:00.000001 read(3, \"\", 1) = 0\n", NULL, "no line is one of strace"},
	{OPEN, NULL, "no access of a file"},
	{OPEN T "1 read(3, \"\"..., 10) = 10", NULL, ":2: expected the line's end"},
};

static void test_strace(void **state __unused_arg)
{
	check_cases(straces, ARRAY_SIZE(straces), SOURCE_STRACE);
}

/* Every cut in the middle of a line is an error, or said with --partial. */
static void test_cuts(void **state __unused_arg)
{
	static const char text[] = OPEN T "1 read(3, \"\"..., 10) = 10\n" T
					  "2 read(3, \"\"..., 10) = 10\n";
	size_t first = strlen(OPEN), len = strlen(text);

	for (size_t n = 1; n < len; n++) {
		struct err e = {.msg = ""};
		char *plan __cleanup_free = plan_of(text, n, SOURCE_STRACE, false, &e);
		char *partial __cleanup_free = NULL;

		if (plan && text[n - 1] != '\n')
			fail_msg("%zu: %s", n, plan);
		partial = plan_of(text, n, SOURCE_STRACE, true, &e);
		if (text[n - 1] != '\n' && n > first + (len - first) / 2 &&
		    (!partial || !strstr(partial, "note damaged")))
			fail_msg("%zu: %s", n, partial ? partial : e.msg);
	}
}

static void test_hostile(void **state __unused_arg)
{
	char *text __cleanup_free = xmalloc(1 << 20);
	struct err e;

	memset(text, 'a', 1 << 20);
	assert_null(plan_of(text, 1 << 20, SOURCE_STRACE, false, &e));
	assert_non_null(strstr(e.msg, "a line below 65536 bytes"));
	memcpy(text, "fio version 2 iolog\n", 20);
	assert_null(plan_of(text, 1 << 20, SOURCE_IOLOG, false, &e));
	text[40] = '\0';
	text[41] = '\n';
	assert_null(plan_of(text, 1 << 20, SOURCE_IOLOG, false, &e));
	assert_non_null(strstr(e.msg, "NUL"));
}

static const struct {
	const char *line;
	enum strace_kind kind;
	u64 pid;
	u32 n_args;
	const char *last; /* argument */
	s64 result;
} lines[] = {
	{"1.000001 read(3, \"a\\\\\", 5) = 5", STRACE_CALL, 0, 3, "5", 5},
	{"12 1.000001 exit_group(0) = ?", STRACE_CALL, 12, 1, "0", 0},
	{"12 1.000001 f() = 0x10", STRACE_CALL, 12, 0, NULL, 16},
	{"12 1.000001 f({a=[1, 2], b=\"}\"}, (x, y)) = -1 ENOENT (No such)", STRACE_CALL, 12, 2,
	 "(x, y)", -1},
	{"12 1.000001 f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) = 1", STRACE_CALL, 12, 8, "8", 1},
	{"12 1.000001 f(3<socket:[1,2]>, 4) = 1", STRACE_CALL, 12, 2, "4", 1},
	{"12 1.000001 <... f resumed>1, 2) = 3", STRACE_RESUMED, 12, 2, "2", 3},
	{"12 1.000001 f(1,  <unfinished ...>", STRACE_UNFINISHED, 12, 1, "1", 0},
	{"12 1.000001 f(<unfinished ...>", STRACE_UNFINISHED, 12, 0, NULL, 0},
	{"12 1.000001 --- SIGCHLD {a} ---", STRACE_OTHER, 12, 0, NULL, 0},
	{"12 1.000001 f(1, \"abc", STRACE_NONE, 12, 0, NULL, 0},
	{"12 1.000001 f(1, {2)", STRACE_NONE, 12, 0, NULL, 0},
	{"12 1.000001 (1) = 1", STRACE_NONE, 12, 0, NULL, 0},
	{"12 1.00001 f(1) = 1", STRACE_NONE, 12, 0, NULL, 0},
	{"12 99999999999999999999.000001 f(1) = 1", STRACE_NONE, 12, 0, NULL, 0},
	{"[pid 12 1.000001 f(1) = 1", STRACE_NONE, 0, 0, NULL, 0},
	{"", STRACE_NONE, 0, 0, NULL, 0},
};

static void test_lines(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char *line __cleanup_free = xstrdup(lines[i].line);
		struct strace_line l;

		strace_parse(line, &l);
		if (l.kind != lines[i].kind)
			fail_msg("%s: kind %d", lines[i].line, l.kind);
		if (l.kind == STRACE_NONE)
			continue;
		assert_int_equal(l.pid, lines[i].pid);
		if (l.n_args != lines[i].n_args)
			fail_msg("%s: %u arguments", lines[i].line, l.n_args);
		if (l.n_args)
			assert_string_equal(l.args[l.n_args - 1], lines[i].last);
		assert_int_equal(l.result, lines[i].result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iolog), cmocka_unit_test(test_strace),
		cmocka_unit_test(test_cuts),  cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
