// SPDX-License-Identifier: GPL-2.0-only
/* Plans: what is written reads back, and everything else is refused with its line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/access_plan.h"
#include "lib/fileio.h"

#define FIRST "blkproof-plan 1 access\n"
#define HEADER FIRST "file 0 8192 exact 8:1 12\nfile 1 1 least 0:0 0\nphase a 2 1 10 8192\n"

#define A HEADER "begin\nphase a\n"

static char path[64];

static int setup(void **state __unused_arg)
{
	int fd;

	strcpy(path, "/tmp/test_plan.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state __unused_arg)
{
	return unlink(path);
}

static int check_plan(struct err *e)
{
	struct access_plan p = {0};
	struct plan_reader r;
	int ret = plan_open(&r, path, false, e);

	if (!ret)
		ret = access_plan_header(&r, &p, e);
	if (!ret)
		ret = access_plan_check(&r, &p, e);
	plan_close(&r);
	access_plan_free(&p);
	return ret;
}

/* Reads all of it: the number of accesses, or the error. */
static int read_plan(const char *text, size_t len, struct access *last, struct err *e)
{
	struct access_plan p = {0};
	struct plan_reader r;
	u32 phase = 0;
	int ret, n = 0;

	assert_int_equal(file_write_atomic(path, text, len, e), 0);
	ret = plan_open(&r, path, false, e);
	if (!ret)
		ret = access_plan_header(&r, &p, e);
	while (!ret && (ret = access_plan_next(&r, &p, &phase, last, e)) > 0) {
		n += ret == 1;
		ret = 0;
	}
	plan_close(&r);
	access_plan_free(&p);
	/* and what header and body say of each other */
	if (!ret)
		ret = check_plan(e);
	return ret ? ret : n;
}

static const struct {
	const char *text, *want;
} bad[] = {
	{"", ":1: expected a plan, the file is empty"},
	{"blkproof-plan", ":1: expected a plan"},
	{"hello\n", ":1: expected \"blkproof-plan 1 KIND\""},
	{"blkproof-plan 2 access\n", ":1: version 2 of the format; this program knows 1"},
	{"blkproof-plan 1 sound\n", ":1: expected kind access or block, found 'sound'"},
	{"blkproof-plan 1 access\r\n", ":1: expected lines that end with a newline alone"},
	{FIRST "source x\r\n", ":2: expected lines that end with a newline alone"},
	{"blkproof-plan 1\n", ":1: expected kind access or block, found ''"},
	{"blkproof-plan 1 access x\n", ":1: expected no more than the kind"},
	{"blkproof-plan 1 block\nbegin\nend 0\n", "this one is of kind block"},
	{FIRST, ":2: expected \"end\" before the file's end"},
	{FIRST "begin\nend 0\n", "the header names no file"},
	{FIRST "file 0 1 exact 0:0 0\nbegin\nend 0\n", "the header names no phase"},
	{FIRST "fil 0\n", ":2: unknown key 'fil'"},
	{FIRST "\n", ":2: expected a key"},
	{FIRST "file 1 1 exact 0:0 0\n", ":2: expected file 0, found 1"},
	{FIRST "file 0 0 exact 0:0 0\n", "file 0 is empty"},
	{FIRST "file 0 17592186044417 exact 0:0 0\n", "number from 0 to 17592186044416"},
	{FIRST "file 0 99999999999999999999 exact 0:0 0\n", "found '99999999999999999999'"},
	{FIRST "file 0 -1 exact 0:0 0\n", "found '-1'"},
	{FIRST "file 0 1 about 0:0 0\n", "expected exact or least, found 'about'"},
	{FIRST "file 0 1 exact 0 0\n", "MAJOR:MINOR, found '0'"},
	{FIRST "file 0 1 exact 4096:0 0\n", "MAJOR:MINOR, found '4096:0'"},
	{FIRST "file 0 1 exact 0:0 0 0\n", "no more than five words"},
	{FIRST "phase ../x 1 1 1\n", "expected a phase's name, found '../x'"},
	{FIRST "phase a 1 1025 1\n", "the phase's tasks, a number from 0 to 1024"},
	{FIRST "phase a 1 1 1 1\nphase a 1 1 1 1\n", ":3: phase a is there twice"},
	{FIRST "page_size 1000\nfile 0 1 exact 0:0 0\nphase a 1 1 1 1\nbegin\nend 0\n",
	 "page_size 1000 is no power of two"},
	{HEADER "begin\n", ":6: expected \"end\" before the file's end"},
	{HEADER "begin\nphase a\nend 2\n", "expected \"end 1\""},
	{HEADER "begin\nphase b\nend 1\n", "phase 'b' is not in the header"},
	{HEADER "begin\n1 0 reed 0 0 1\n", "found 'reed'"},
	{HEADER "begin\n1 0 read 2 0 1\n", "a file, a number from 0 to 1, found '2'"},
	{HEADER "begin\n1 1024 read 0 0 1\n", "a task, a number from 0 to 1023"},
	{HEADER "begin\n1 0 read 0 0\n", "expected a length, found the line's end"},
	{HEADER "begin\n1 0 read 0 0 1 1\n", "expected no more words"},
	{HEADER "begin\n1 0 touch 0 0 4096 4096\n", "touched byte is not in the range"},
	{HEADER "begin\n1 0 touch 0 18446744073709551615 4096\n", "an offset, a number"},
	{FIRST "source a\nsource b\n", ":3: expected 'source' once"},
	{FIRST "page_size 4096\npage_size 8192\n", ":3: expected 'page_size' once"},
	{FIRST "page_size 4096 1\n", "expected one number from 1 on after 'page_size'"},
	{FIRST "read_ahead_kb 1\nread_ahead_kb 2\n", "expected 'read_ahead_kb' once"},
	{HEADER "begin\n1 0 read 0 0 1\n2 0 read 0 0 1\nend 2\n", "before the first access"},
	{HEADER "begin\nend 0\n", "phase a of the header does not begin"},
	{HEADER "begin\nphase a\n1 0 read 0 0 1\nend 2\n", "has 1 accesses, the header says 2"},
	{A "1 0 read 0 0 1\n1 0 read 0 0 1\n1 0 read 0 0 1\nend 4\n", ":9: phase a has more than"},
	{A "1 0 read 0 0 1\n1 1 read 0 0 1\nend 3\n", ":8: task 1, and phase a has 1"},
	{A "2 0 read 0 0 1\n1 0 read 0 0 1\nend 3\n", ":8: 1 ns is before the line above"},
	{A "2 0 read 0 0 1\n11 0 read 0 0 1\nend 3\n", "11 ns is after the phase's length"},
	{A "2 0 read 0 0 8193\n9 0 read 0 0 1\nend 3\n", "a read of more than"},
	{A "1 0 read 0 0 1\n1 0 read 0 0 1\nphase a\nend 4\n", "phase a is not next"},
	{A "1 0 read 0 0 1\n1 0 read 0 0 1\nend 3\n" FIRST, ":10: expected the file's end"},
};

static void test_bad(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err e = {.msg = ""};
		struct access a;
		int ret = read_plan(bad[i].text, strlen(bad[i].text), &a, &e);

		if (ret >= 0 || !strstr(e.msg, bad[i].want))
			fail_msg("%zu: %d, '%s' instead of '%s'", i, ret, e.msg, bad[i].want);
	}
}

static void test_hostile_bytes(void **state __unused_arg)
{
	char *text __cleanup_free = xmalloc(1 << 20);
	struct access a;
	struct err e;

	memset(text, 'a', 1 << 20);
	memcpy(text, FIRST, strlen(FIRST));
	assert_int_equal(read_plan(text, 1 << 20, &a, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "a line of at most 512 bytes"));
	text[strlen(FIRST)] = '\0';
	text[strlen(FIRST) + 1] = '\n';
	assert_int_equal(read_plan(text, 1 << 20, &a, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "NUL"));
}

/* Every cut of a plan is refused: it never reads as a shorter one. */
static void test_cuts(void **state __unused_arg)
{
	static const char text[] = HEADER "begin\nphase a\n1 0 read 0 0 8192\n"
					  "5 0 touch 1 0 4096 1\nend 3\n";
	struct access a;
	struct err e;

	assert_int_equal(read_plan(text, strlen(text), &a, &e), 2);
	assert_int_equal(a.op, ACCESS_TOUCH);
	assert_int_equal(a.at, 1);
	for (size_t n = 0; n < strlen(text); n++)
		assert_true(read_plan(text, n, &a, &e) < 0);
}

static struct access example(u32 i)
{
	return (struct access){
		.ns = 3ull * i,
		.task = i % 7,
		.file = i % 2,
		.op = i % ACCESS_OPS,
		.offset = 4096ull * i,
		.length = 65536,
		.at = i % ACCESS_OPS == ACCESS_TOUCH && i % 3 ? 4096ull * (i + 15)
							      : ACCESS_AT_UNKNOWN,
	};
}

/* Many more lines than a buffer holds, past the page cache and through it. */
static void test_round_trip(void **state __unused_arg)
{
	enum { N = 30000 };
	struct access_plan p = {.page_size = 4096, .read_ahead_kb = 128}, q = {0};
	struct access_file files[2] = {{1 << 30, false, 8 << 20 | 1, 12}, {5, true, 0, 0}};
	struct access_phase phases[2] = {{"one", N, 7, 3 * N, 65536},
					 {"two", N, 7, 3 * N, 65536}};
	struct plan_writer w;
	struct plan_reader r;
	struct access a;
	u32 phase = 9, n = 0;
	struct err e;
	int ret;

	p.files = files;
	p.n_files = 2;
	p.phases = phases;
	p.n_phases = 2;
	p.source = (char *)"a test";
	p.notes[p.n_notes++] = (char *)"this and that";
	assert_int_equal(plan_create(&w, path, PLAN_ACCESS, &e), 0);
	for (u32 k = 0; k < 2; k++) {
		access_plan_put_phase(&w, phases[k].name);
		for (u32 i = 0; i < N; i++) {
			a = example(i);
			access_plan_put(&w, &a);
		}
	}
	access_plan_put_header(&w, &p);
	assert_int_equal(plan_finish(&w, &e), 0);

	assert_int_equal(plan_open(&r, path, false, &e), 0);
	assert_int_equal(access_plan_header(&r, &q, &e), 0);
	assert_int_equal(q.n_files, 2);
	assert_true(q.files[1].least && !q.files[0].least);
	assert_int_equal(q.files[0].dev, 8 << 20 | 1);
	assert_int_equal(q.read_ahead_kb, 128);
	assert_string_equal(q.source, "a test");
	assert_string_equal(q.notes[0], "this and that");
	assert_string_equal(q.phases[1].name, "two");
	assert_int_equal(q.phases[1].ns, 3 * N);
	assert_int_equal(q.phases[1].longest, 65536);
	while ((ret = access_plan_next(&r, &q, &phase, &a, &e)) > 0) {
		struct access want = example(n % N);

		if (ret == 2) {
			assert_int_equal(phase, n / N);
			continue;
		}
		assert_int_equal(a.ns, want.ns);
		assert_int_equal(a.task, want.task);
		assert_int_equal(a.file, want.file);
		assert_int_equal(a.op, want.op);
		assert_int_equal(a.offset, want.offset);
		assert_int_equal(a.length, want.length);
		assert_int_equal(a.at, want.at);
		n++;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(n, 2 * N);
	plan_close(&r);
	access_plan_free(&q);
}

/* What was there before stays until the plan is whole. */
static void test_abandoned(void **state __unused_arg)
{
	struct plan_writer w;
	char *text __cleanup_free = NULL;
	struct err e;

	assert_int_equal(file_write_atomic(path, "old", 3, &e), 0);
	assert_int_equal(plan_create(&w, path, PLAN_ACCESS, &e), 0);
	access_plan_put_phase(&w, "x");
	plan_abandon(&w);
	assert_int_equal(file_read(path, 100, &text, NULL, &e), 0);
	assert_string_equal(text, "old");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad),	   cmocka_unit_test(test_hostile_bytes),
		cmocka_unit_test(test_cuts),	   cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_abandoned),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
