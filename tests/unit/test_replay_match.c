// SPDX-License-Identifier: GPL-2.0-only
/* What a plan's requests are to each witness: FUA, preflush, discards; order, and times. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "lib/fileio.h"
#include "verify/model/replay_match.h"

static char path[64];
static int fd = -1;

/* @body: lines, without their times; each is 1 ms after the one before. */
static void make_plan(const char *const *body)
{
	u64 n[BLOCK_OPS] = {0}, fua = 0, pre = 0, lines = 0;
	char *text = NULL, *rows = NULL;
	size_t len, rows_len;
	FILE *f = open_memstream(&rows, &rows_len);

	for (; body[lines]; lines++) {
		const char *word = body[lines], *rest = strchr(word, ' ');
		int w = rest ? (int)(rest - word) : (int)strlen(word);

		n[strchr(word, 'W') && w <= 3 && memchr(word, 'W', (size_t)w) ? BLOCK_WRITE
		  : *word == 'R'					   ? BLOCK_READ
		  : *word == 'F'					   ? BLOCK_FLUSH
		  : *word == 'D' ? BLOCK_DISCARD : BLOCK_WRITE_ZEROES]++;
		fua += memmem(word, (size_t)w, "WF", 2) != NULL;
		pre += w > 1 && *word == 'F';
		fprintf(f, "%.*s %llu%s\n", w, word, (unsigned long long)lines * 1000000,
			rest ? rest : "");
	}
	fclose(f);
	f = open_memstream(&text, &len);
	fprintf(f,
		"blkproof-plan 1 block\nsource x\naction D\nsector-size 512\nsectors 1048576\n"
		"requests %llu reads %llu writes %llu fua %llu preflush %llu flushes %llu "
		"discards %llu write-zeroes %llu\nlargest 4096\nduration %llu\nfolded 0\n"
		"dependencies no\nbegin\n%send %llu\n",
		(unsigned long long)lines, (unsigned long long)n[0], (unsigned long long)n[1],
		(unsigned long long)fua, (unsigned long long)pre, (unsigned long long)n[2],
		(unsigned long long)n[3], (unsigned long long)n[4],
		(unsigned long long)lines * 1000000, rows, (unsigned long long)lines);
	fclose(f);
	if (fd < 0)
		fd = memfd_create("plan", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, text, len, 0), (ssize_t)len);
	free(text);
	free(rows);
}

/* @seen: "R 8 8", "W* 8 8" with FUA, "F"; each 1 ms after the one before, and @late ns. */
static struct match_result match(enum match_side side, const char *const *seen, u64 late)
{
	struct replay_match *m;
	struct match_result r;
	struct err e = {.msg = ""};

	if (replay_match_new(&m, path, side, 5, 1, &e))
		fail_msg("%s", e.msg);
	for (u64 i = 0; seen[i]; i++) {
		struct block_line l = {.ns = 5 + i * 1000000 + late};
		unsigned long long sector = 0, sectors = 0;
		char word[8] = "";

		sscanf(seen[i], "%7s %llu %llu", word, &sector, &sectors);
		l.op = *word == 'R'   ? BLOCK_READ
		       : *word == 'W' ? BLOCK_WRITE
		       : *word == 'F' ? BLOCK_FLUSH
		       : *word == 'D' ? BLOCK_DISCARD
				      : BLOCK_WRITE_ZEROES;
		l.fua = word[1] == '*';
		l.sector = sector;
		l.sectors = sectors;
		assert_int_equal(replay_match_take(m, &l, i + 1, &e), 0);
	}
	assert_int_equal(replay_match_finish(m, &r, &e), 0);
	replay_match_free(m);
	return r;
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect(struct match_result r, u64 expected, u64 missing, u64 extra, u64 displaced)
{
	assert_int_equal(r.expected, expected);
	assert_int_equal(r.missing, missing);
	assert_int_equal(r.extra, extra);
	assert_int_equal(r.displaced, displaced);
}

static void test_sides(void **state __unused_arg)
{
	make_plan(LIST("R 0 8", "W 8 8", "F", "D 64 8", "Z 128 8"));
	expect(match(MATCH_QUEUED, LIST("R 0 8", "W 8 8", "F", "D 64 8", "Z 128 8"), 0), 5, 0, 0, 0);
	/* QEMU's log lacks the last two */
	expect(match(MATCH_HOST, LIST("R 0 8", "W 8 8", "F"), 0), 3, 0, 0, 0);
	expect(match(MATCH_HOST, LIST("R 0 8", "W 8 8"), 0), 3, 1, 0, 0);

	make_plan(LIST("WF 0 8", "FW 8 8", "FWF 16 8"));
	expect(match(MATCH_QUEUED, LIST("W* 0 8", "F", "W 8 8", "F", "W* 16 8"), 0), 5, 0, 0, 0);
	/* FUA that was lost on the way is another request */
	expect(match(MATCH_QUEUED, LIST("W 0 8", "F", "W 8 8", "F", "W* 16 8"), 0), 5, 1, 1, 0);
	expect(match(MATCH_QUEUED, LIST("W* 0 8", "W 8 8", "F", "W* 16 8"), 0), 5, 1, 0, 1);
	/* a device without FUA: as many flushes as there are */
	expect(match(MATCH_ISSUED, LIST("W 0 8", "F", "F", "W 8 8", "W 16 8", "F"), 0), 3, 0, 0, 0);
	expect(match(MATCH_HOST, LIST("W 0 8", "W 8 8", "W 16 8"), 0), 3, 0, 0, 0);
	assert_int_equal(match(MATCH_HOST, LIST("W 0 8", "F", "W 8 8"), 0).missing, 1);

	/* no FUA in the plan: each flush counts, and has its place */
	make_plan(LIST("FW 8 8", "R 0 8"));
	expect(match(MATCH_HOST, LIST("F", "W 8 8", "R 0 8"), 0), 3, 0, 0, 0);
	expect(match(MATCH_HOST, LIST("W 8 8", "F", "R 0 8"), 0), 3, 0, 0, 1);
	expect(match(MATCH_HOST, LIST("W 8 8", "R 0 8", "F", "F"), 0), 3, 0, 1, 1);
}

static void test_order(void **state __unused_arg)
{
	make_plan(LIST("R 0 8", "R 8 8", "R 16 8", "R 24 8", "R 8 8", "R 40 8"));
	expect(match(MATCH_QUEUED,
		     LIST("R 0 8", "R 8 8", "R 16 8", "R 24 8", "R 8 8", "R 40 8"), 0), 6, 0, 0, 0);
	/* the last first: one is in the wrong place, whichever way one counts */
	expect(match(MATCH_QUEUED,
		     LIST("R 40 8", "R 0 8", "R 8 8", "R 16 8", "R 24 8", "R 8 8"), 0), 6, 0, 0, 1);
	expect(match(MATCH_QUEUED,
		     LIST("R 40 8", "R 8 8", "R 24 8", "R 16 8", "R 8 8", "R 0 8"), 0), 6, 0, 0, 3);
	/* another length, another operation, one too many; of two equal ones the older counts */
	expect(match(MATCH_QUEUED,
		     LIST("R 0 16", "W 8 8", "R 16 8", "R 24 8", "R 8 8", "R 40 8", "R 40 8"), 0),
	       6, 2, 3, 1);
	expect(match(MATCH_QUEUED, (const char *const[]){NULL}, 0), 6, 6, 0, 0);
}

static void test_times(void **state __unused_arg)
{
	struct match_result r;

	make_plan(LIST("R 0 8", "R 8 8", "R 16 8"));
	r = match(MATCH_QUEUED, LIST("R 0 8", "R 8 8", "R 16 8"), 1000);
	assert_int_equal(r.timing.n, 3);
	assert_int_equal(r.timing.max, 1000);
	assert_int_equal(r.timing.final, 1000);
	assert_in_range(r.timing.median, 970, 1000);
	assert_in_range(r.timing.p99, 970, 1000);
	/* too early is an error as well: the last comes in the place of the second */
	r = match(MATCH_QUEUED, LIST("R 0 8", "R 16 8"), 0);
	assert_int_equal(r.timing.max, 1000000);
	assert_int_equal(r.timing.median, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
