// SPDX-License-Identifier: GPL-2.0-only
/* Plans of kind block: every line that a reader must refuse. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/block_plan.h"
#include "lib/fileio.h"

#define FIRST "blkproof-plan 1 block\n"
#define COUNTS(n, r, w, f, p)                                                                      \
	"requests " #n " reads " #r " writes " #w " fua " #f " preflush " #p                       \
	" flushes 0 discards 0 write-zeroes 0\n"
#define REST                                                                                       \
	"source x\naction D\nsector-size 512\nsectors 2048\nlargest 4096\nduration 100\n"          \
	"folded 0\ndependencies yes\ndevice 8,0 base 0 sectors 16 requests 1\nnote a b\n"
#define ONE FIRST REST COUNTS(1, 1, 0, 0, 0)
#define TWO FIRST REST COUNTS(2, 1, 1, 1, 0)

static char path[64];

static int setup(void **state __unused_arg)
{
	int fd;

	strcpy(path, "/tmp/test_block_plan.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state __unused_arg)
{
	return unlink(path);
}

static int read_plan(const char *text, struct block_plan *p, struct err *e)
{
	struct block_cursor c = {0};
	struct block_line l;
	struct plan_reader r;
	int ret, n = 0;

	*p = (struct block_plan){.source = NULL};
	assert_int_equal(file_write_atomic(path, text, strlen(text), e), 0);
	ret = plan_open(&r, path, false, e);
	if (!ret)
		ret = block_plan_header(&r, p, e);
	while (!ret && (ret = block_plan_next(&r, p, &c, &l, e)) == 1) {
		n++;
		ret = 0;
	}
	if (!ret)
		ret = plan_no_more(&r, e);
	plan_close(&r);
	return ret ? ret : n;
}

static const struct {
	const char *text, *want;
} bad[] = {
	{"blkproof-plan 1 access\n", "expected a plan of kind block, found access"},
	{FIRST "begin\nend 0\n", "expected 'source' in the header"},
	{FIRST "source a\nsource b\n", ":3: expected 'source' once"},
	{FIRST "sauce a\n", "expected a key of the header, found 'sauce'"},
	{FIRST "action X\n", "expected action Q, D or log, found 'X'"},
	{FIRST "action Q D\n", "expected the line's end after 'action'"},
	{FIRST "sector-size 513\n", "expected a sector-size of 512"},
	{FIRST "sector-size 0\n", "expected a sector-size of 512"},
	{FIRST "sectors 18014398509481985\n", "number from 0 to 18014398509481984"},
	{FIRST "largest 67108865\n", "number from 0 to 67108864"},
	{FIRST "dependencies maybe\n", "expected dependencies yes or no"},
	{FIRST "requests 1 reads 1\n", "expected 'writes', found ''"},
	{FIRST "requests 1 reeds 1\n", "expected 'reads', found 'reeds'"},
	{FIRST "device abcdefghijklmnopqrstuvwxyz0123456789 base 0\n", "a device's name of at most"},
	{FIRST "device a base 0 sectors x requests 1\n", "found 'x'"},
	{FIRST REST COUNTS(2, 1, 0, 0, 0) "begin\nend 0\n", "as many requests as reads"},
	{FIRST REST COUNTS(0, 0, 0, 0, 0) "begin\nend 0\n", "at least one request"},
	{ONE "begin\nend 0\n", "found 0 requests, the header says 1"},
	{ONE "begin\nR 0 0 8\nR 0 0 8\nend 2\n", "found 2 requests, the header says 1"},
	{ONE "begin\nW 0 0 8\nend 1\n", "found 0 reads, the header says 1"},
	{TWO "begin\nR 0 0 8\nW 0 0 8\nend 2\n", "found 0 fua, the header says 1"},
	{TWO "begin\nR 0 0 8\nFWF 0 0 8\nend 2\n", "found 1 preflush, the header says 0"},
	{ONE "begin\nR 0 0 8\nend 1\n" FIRST, ":16: expected the file's end after \"end\""},
	{ONE "begin\nX 0 0 8\nend 1\n", "expected R, W, WF, FW, FWF, F, D, Z or C, found 'X'"},
	{ONE "begin\nR 0 0\nend 1\n", "expected sectors, found the line's end"},
	{ONE "begin\nR 0 0 8 8\nend 1\n", "expected the line's end"},
	{ONE "begin\nR 0 0 0\nend 1\n", "sector 0 + 0: the device has 2048"},
	{ONE "begin\nR 0 2041 8\nend 1\n", "sector 2041 + 8: the device has 2048"},
	{ONE "begin\nR 0 18014398509481984 18014398509481984\nend 1\n", "the device has 2048"},
	{ONE "begin\nR 0 0 16\nend 1\n", "16 sectors are more than the header's largest"},
	{ONE "begin\nR 101 0 8\nend 1\n", "a time in ns, a number from 0 to 100"},
	{TWO "begin\nR 9 0 8\nWF 8 0 8\nend 2\n", "8 ns is before the line above"},
	{ONE "begin\nC 0 0\nend 1\n", "expected one of the last 65536 requests"},
	{ONE "begin\nR 0 0 8\nC 0 1\nend 2\n", "expected one of the last 65536 requests"},
	{ONE "begin\nF 0 1\nend 1\n", "expected the line's end"},
	{FIRST "source x\naction D\nsector-size 4096\nsectors 2048\nlargest 4096\nduration 0\n"
	       "folded 0\ndependencies no\n" COUNTS(1, 1, 0, 0, 0) "begin\nR 0 4 8\nend 1\n",
	 "sector 4 + 8: no multiple of the sector size 4096"},
	{ONE "begin\nR 0 0 8\n", "expected \"end\" before the file's end"},
};

static void test_bad(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err e = {.msg = ""};
		struct block_plan p;
		int ret = read_plan(bad[i].text, &p, &e);

		block_plan_free(&p);
		if (ret >= 0 || !strstr(e.msg, bad[i].want))
			fail_msg("%zu: %d, '%s' instead of '%s'", i, ret, e.msg, bad[i].want);
	}
}

static void test_good(void **state __unused_arg)
{
	struct err e = {.msg = ""};
	struct block_plan p;

	assert_int_equal(read_plan(TWO "begin\nR 0 0 8\nC 9 0\nWF 100 2040 8\nend 3\n", &p, &e), 3);
	assert_string_equal(p.source, "x");
	assert_string_equal(p.notes[0], "a b");
	assert_string_equal(p.devices[0].name, "8,0");
	assert_int_equal(p.requests, 2);
	assert_int_equal(p.fua, 1);
	assert_true(p.dependencies);
	block_plan_free(&p);
}

static void test_many(void **state __unused_arg)
{
	static const char *const repeated[] = {"note x\n", "device a base 0 sectors 1 requests 1\n"};

	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++) {
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);
		struct err e = {.msg = ""};
		struct block_plan p;

		fputs(FIRST, f);
		for (int k = 0; k < 1000; k++)
			fputs(repeated[i], f);
		fclose(f);
		assert_int_equal(read_plan(text, &p, &e), -EBADMSG);
		assert_non_null(strstr(e.msg, "expected at most"));
		block_plan_free(&p);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
