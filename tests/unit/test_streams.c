// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams of traces without markers, and what a hole in a trace takes from a
 * verdict: its own phase's, and no other's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixture.h"

#define SYNC "no-sync-readaround-per-piece"
#define RAMP "folio-order-ramps-up"

/* The task maps what it copies, sixteen pages at a time. */
static void copy(struct fixture *fx, s32 pid, u64 index, u64 n)
{
	for (u64 i = index; i < index + n; i += 16)
		fx_map(fx, pid, i);
}

/* Pieces of one window, their ends first; each is read around (fixed: only the first two). */
static void tail_first(struct fixture *fx, s32 pid, u64 first, unsigned int pieces, bool fixed)
{
	unsigned int order = 0;

	for (unsigned int p = 0; p < pieces; p++) {
		u64 page = first + (u64)p * FX_PIECE;

		if (!fixed || !p)
			fx_readaround(fx, pid, page + FX_PIECE - 1);
		else
			fx_map(fx, pid, page + FX_PIECE - 16);
		if (!p)
			fx_readaround(fx, pid, page);
		if (fixed) {
			order = MIN(order, 6u) + 2;
			fx_fault(fx, pid, page + 511);
			fx_async(fx, pid, page + 511);
			fx_order(fx, pid, page + 3 * FX_PIECE / 2, order, FX_PIECE, FX_PIECE);
			fx_fill(fx, pid, page + 3 * FX_PIECE / 2, FX_PIECE, MIN(order, 6u));
		}
		copy(fx, pid, page, FX_PIECE);
	}
}

static void base(struct fixture *fx)
{
	tail_first(fx, 100, 4 * FX_PIECE, 12, false);
}

static void patched(struct fixture *fx)
{
	tail_first(fx, 100, 4 * FX_PIECE, 16, true);
}

static void two_tasks(struct fixture *fx)
{
	tail_first(fx, 100, 4 * FX_PIECE, 12, false);
	tail_first(fx, 101, 100 * FX_PIECE, 16, true);
}

/* Every fault far from the one before. */
static void random_touch(struct fixture *fx)
{
	for (u64 i = 0; i < 100; i++)
		fx_readaround(fx, 100, 5000 + i * 7919 % 100 * 3 * FX_PIECE);
}

/* Within the reach of a window, but most pages are never touched. */
static void strided(struct fixture *fx)
{
	for (u64 i = 0; i < 400; i++)
		fx_readaround(fx, 100, 5000 + i * 512);
}

/* Too short to tell. */
static void two_pieces(struct fixture *fx)
{
	tail_first(fx, 100, 4 * FX_PIECE, 2, false);
}

/* Pieces of eight windows: each end is a stretch of its own. */
static void large_pieces(struct fixture *fx)
{
	for (u64 p = 0; p < 12; p++) {
		u64 page = (4 + p * 8) * FX_PIECE;

		fx_readaround(fx, 100, page + 8 * FX_PIECE - 1);
		fx_fault(fx, 100, page);
		fx_async(fx, 100, page);
		fx_order(fx, 100, page + FX_PIECE, 2, FX_PIECE, FX_PIECE);
		fx_fill(fx, 100, page + FX_PIECE, FX_PIECE, 2);
		copy(fx, 100, page, 8 * FX_PIECE);
	}
}

static void no_access(struct fixture *fx)
{
	fx_unbounded(fx, 100, 0, 512, 0);
	fx_fill(fx, 100, 0, 512, 0);
}

static void test_unmarked(void **state)
{
	static const struct {
		const char *name;
		void (*make)(struct fixture *fx);
		const char *check;
		enum verdict verdict;
		u64 violations;
		u32 streams;
		const char *word; /* in the detail */
	} cases[] = {
		/* the third piece is the first that a stream is known by */
		{"base", base, SYNC, VERDICT_FAIL, 10, 1, "by task and contiguity"},
		{"base", base, RAMP, VERDICT_FAIL, 10, 1, "fell back"},
		{"patched", patched, SYNC, VERDICT_PASS, 0, 1, "0 read-arounds in"},
		{"patched", patched, RAMP, VERDICT_PASS, 0, 1, "1 stream reached"},
		{"two tasks", two_tasks, SYNC, VERDICT_FAIL, 10, 2, "2 streams"},
		{"random", random_touch, SYNC, VERDICT_NA, 0, 0, "no markers"},
		{"random", random_touch, RAMP, VERDICT_NA, 0, 0, "no markers"},
		{"strided", strided, SYNC, VERDICT_NA, 0, 0, "no markers"},
		{"two pieces", two_pieces, SYNC, VERDICT_INCONCLUSIVE, 0, 1, "in 0 later pieces"},
		{"large pieces", large_pieces, SYNC, VERDICT_INCONCLUSIVE, 0, 12, "pieces of one"},
		{"no access", no_access, SYNC, VERDICT_NA, 0, 0, "no markers"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct result *r;
		struct fixture fx;

		fx_init(&fx, 0);
		cases[i].make(&fx);
		fx_finish(&fx);
		r = fx_result(&fx, cases[i].check, "");
		if (r->verdict != cases[i].verdict ||
		    (r->violations != cases[i].violations && !strcmp(cases[i].check, SYNC)) ||
		    fx.m->phases[0].n_streams != cases[i].streams ||
		    !strstr(r->detail, cases[i].word))
			fail_msg("%s, %s: %s, %llu violations, %u streams: %s", cases[i].name,
				 cases[i].check, verdict_name(r->verdict),
				 (unsigned long long)r->violations, fx.m->phases[0].n_streams,
				 r->detail);
		fx_free(&fx);
	}
}

static void patched_and_random(struct fixture *fx)
{
	patched(fx);
	for (u64 i = 0; i < 100; i++)
		fx_readaround(fx, 101, 500000 + i * 7919 % 100 * 3 * FX_PIECE);
}

/* Major faults, which a capture counts, of streams that have no markers: a replay's. */
static void test_unmarked_faults(void **state)
{
	static const struct {
		void (*make)(struct fixture *fx);
		u64 faults;
		enum verdict verdict;
		const char *word;
	} cases[] = {
		{base, 13, VERDICT_FAIL, "13 major faults of 1 stream (by task and contiguity)"},
		{patched, 3, VERDICT_PASS, "3 major faults of 1 stream (by task and contiguity)"},
		{patched_and_random, 103, VERDICT_INCONCLUSIVE, "of 103 major faults, 100 are"},
		{patched_and_random, 120, VERDICT_FAIL, "120 major faults"},
		{two_pieces, 3, VERDICT_INCONCLUSIVE, "too few to tell"},
		{random_touch, 100, VERDICT_INCONCLUSIVE, "0 streams"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct result *r;
		struct fixture fx;

		fx_init(&fx, 1);
		fx.phases[0].pgmajfault = cases[i].faults;
		fx_marker(&fx, 1, "phase begin one");
		cases[i].make(&fx);
		fx_marker(&fx, 1, "phase end one");
		fx_finish(&fx);
		r = fx_result(&fx, "major-faults-bounded", "one");
		if (r->verdict != cases[i].verdict || !strstr(r->detail, cases[i].word))
			fail_msg("%zu: %s: %s", i, verdict_name(r->verdict), r->detail);
		fx_free(&fx);
	}
}

/* The first marker ends the guessing. */
static void test_markers_win(void **state)
{
	struct fixture fx;

	(void)state;
	fx_init(&fx, 0);
	fx_phase_base(&fx, "one", 2, 8);
	fx_finish(&fx);
	assert_int_equal(fx.m->n_phases, 1);
	assert_int_equal(fx.m->phases[0].n_streams, 2);
	assert_true(fx.m->phases[0].stream_markers);
	for (u32 i = 0; i < 2; i++)
		assert_false(fx.m->phases[0].streams[i].inferred);
	fx_free(&fx);
}

/*
 * The same run twice, once with a hole in its first phase: that phase has no
 * verdict but INCONCLUSIVE from the trace, the other's are what they were.
 */
static void test_hole(void **state)
{
	struct fixture whole, holed;
	unsigned int judged = 0;

	(void)state;
	for (int pass = 0; pass < 2; pass++) {
		struct fixture *fx = pass ? &holed : &whole;

		fx_init(fx, 2);
		fx->phases[0].pgmajfault = fx->phases[1].pgmajfault = 17;
		fx_marker(fx, 1, "phase begin one");
		fx_readaround(fx, 100, 5000);
		if (pass)
			fx_lost(fx, 0, fx->ts - 10);
		fx_readaround(fx, 100, 50000);
		fx_marker(fx, 1, "phase end one");
		fx_phase_base(fx, "two", 1, 16);
		fx_finish(fx);
	}
	for (unsigned int i = 0; i < holed.m->phases[0].n_judges; i++) {
		const struct check *c = holed.m->phases[0].judges[i].check;
		const struct result *one = fx_result(&holed, c->name, "one");
		const struct result *two = fx_result(&holed, c->name, "two");
		const struct result *was = fx_result(&whole, c->name, "two");

		if (c->needs && one->verdict != VERDICT_INCONCLUSIVE && one->verdict != VERDICT_NA)
			fail_msg("%s: %s across a hole", c->name, verdict_name(one->verdict));
		if (c->needs && one->verdict == VERDICT_INCONCLUSIVE)
			judged += one->reason == WHY_EVENTS_LOST;
		if (two->verdict != was->verdict || two->violations != was->violations ||
		    two->examined != was->examined || strcmp(two->detail, was->detail))
			fail_msg("%s: a hole in another phase made it %s, was %s", c->name,
				 verdict_name(two->verdict), verdict_name(was->verdict));
		if (!strcmp(c->name, SYNC))
			assert_int_equal(two->verdict, VERDICT_FAIL);
		if (!strcmp(c->name, "trace-complete")) {
			assert_int_equal(one->verdict, VERDICT_INCONCLUSIVE);
			assert_int_equal(two->verdict, VERDICT_PASS);
		}
	}
	assert_true(judged >= 4);
	fx_free(&whole);
	fx_free(&holed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unmarked), cmocka_unit_test(test_unmarked_faults),
		cmocka_unit_test(test_markers_win),
		cmocka_unit_test(test_hole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
