// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_trace.h"
#include "verify/model/join.h"

#define US 1000ull
#define MS 1000000ull

static void rq(struct join *j, bool host, enum event_type type, u64 ts, u64 sector, u32 bytes,
	       u32 flags)
{
	struct event ev = { .type = (u8)type,
			    .ts = ts,
			    .dev = DEV(254, 0),
			    .sector = sector,
			    .rq = { .bytes = bytes, .flags = flags } };

	(host ? join_host : join_guest)(j, &ev);
}

static void guest(struct join *j, u64 issue, u64 complete, u64 sector, u32 bytes)
{
	rq(j, false, EV_RQ_ISSUE, issue, sector, bytes, RQ_READ | RQ_AHEAD);
	if (complete)
		rq(j, false, EV_RQ_COMPLETE, complete, sector, bytes, RQ_READ | RQ_AHEAD);
}

static void host(struct join *j, u64 queue, u64 complete, u64 sector, u32 bytes)
{
	rq(j, true, EV_RQ_QUEUE, queue, sector, bytes, RQ_READ);
	rq(j, true, EV_RQ_ISSUE, queue + 1, sector, bytes, RQ_READ);
	if (complete)
		rq(j, true, EV_RQ_COMPLETE, complete, sector, bytes, RQ_READ);
}

/* Small sets: times in us, the host's clock is 1000000 us ahead. */
struct line {
	enum { GUEST, HOST, GUEST_COMPLETES } what;
	u64 start, complete, sector;
	u32 bytes;
};

static const struct {
	const char *what;
	struct line lines[16];
	u64 pairs, unmatched_guest, unmatched_host;
	bool known;
	u64 offset_us, uncertainty_us;
} cases[] = {
	{ "one pair: bounded by issue and completion",
	  { { GUEST, 200, 300, 8, 4096 }, { HOST, 1000220, 1000260, 8, 4096 } },
	  1, 0, 0, true, 999990, 30 },
	{ "two pairs: the tighter bound of each side counts",
	  { { GUEST, 200, 300, 8, 4096 },
	    { GUEST, 400, 500, 16, 4096 },
	    { HOST, 1000202, 1000260, 8, 4096 },
	    { HOST, 1000430, 1000498, 16, 4096 } },
	  2, 0, 0, true, 1000000, 2 },
	{ "no requests", { { 0 } }, 0, 0, 0, false, 0, 0 },
	{ "no completions: matched, but the clocks are not known",
	  { { GUEST, 200, 0, 8, 4096 }, { HOST, 1000220, 1000260, 8, 4096 } },
	  1, 0, 0, false, 0, 0 },
	{ "the guest's request never came",
	  { { GUEST, 200, 300, 8, 4096 },
	    { GUEST, 400, 500, 16, 4096 },
	    { HOST, 1000220, 1000260, 8, 4096 } },
	  1, 1, 0, true, 999990, 30 },
	{ "the length differs",
	  { { GUEST, 200, 300, 8, 4096 },
	    { GUEST, 400, 500, 16, 4096 },
	    { HOST, 1000220, 1000260, 8, 4096 },
	    { HOST, 1000420, 1000480, 16, 8192 } },
	  1, 1, 1, true, 999990, 30 },
	{ "the device saw one more, and others outside of the phase",
	  { { GUEST, 200, 300, 8, 4096 },
	    { HOST, 1000220, 1000260, 8, 4096 },
	    { HOST, 1000400, 1000410, 64, 512 },
	    { HOST, 900000, 900010, 64, 512 },
	    { HOST, 1002000, 1002100, 64, 512 } },
	  1, 0, 1, true, 999990, 30 },
	{ "the same sector three times: in order",
	  { { GUEST, 200, 250, 8, 4096 },
	    { GUEST, 300, 350, 8, 4096 },
	    { GUEST, 400, 450, 8, 4096 },
	    { HOST, 1000205, 1000245, 8, 4096 },
	    { HOST, 1000304, 1000346, 8, 4096 },
	    { HOST, 1000403, 1000449, 8, 4096 } },
	  3, 0, 0, true, 1000001, 2 },
	{ "the same sector twice at once: two requests",
	  { { GUEST, 200, 0, 8, 4096 },
	    { GUEST, 210, 300, 8, 4096 },
	    { GUEST_COMPLETES, 200, 310, 8, 4096 },
	    { HOST, 1000220, 1000260, 8, 4096 },
	    { HOST, 1000230, 1000290, 8, 4096 } },
	  2, 0, 0, true, 1000005, 15 },
	{ "issued again after the queue was full: one request",
	  { { GUEST, 200, 0, 8, 4096 },
	    { GUEST, 250, 300, 8, 4096 },
	    { HOST, 1000270, 1000280, 8, 4096 } },
	  1, 0, 0, true, 1000000, 20 },
};

static void test_small(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct join_phase p = { .begin_ns = 100 * US, .end_ns = 1000 * US };
		struct join *j = join_new(DEV(254, 0));

		for (const struct line *l = cases[i].lines; l->bytes; l++) {
			if (l->what == HOST)
				host(j, l->start * US, l->complete * US, l->sector, l->bytes);
			else if (l->what == GUEST_COMPLETES)
				rq(j, false, EV_RQ_COMPLETE, l->complete * US, l->sector, l->bytes,
				   RQ_READ);
			else
				guest(j, l->start * US, l->complete * US, l->sector, l->bytes);
		}
		join_match(j, 1, &p);
		if (p.pairs != cases[i].pairs || p.unmatched_guest != cases[i].unmatched_guest ||
		    p.unmatched_host != cases[i].unmatched_host || p.known != cases[i].known)
			fail_msg("%s: %llu pairs, unmatched %llu %llu, known %d", cases[i].what,
				 (unsigned long long)p.pairs, (unsigned long long)p.unmatched_guest,
				 (unsigned long long)p.unmatched_host, p.known);
		if (p.known && ((u64)p.offset_ns / US != cases[i].offset_us ||
				(p.uncertainty_ns + 999) / US != cases[i].uncertainty_us))
			fail_msg("%s: offset %lld ns, uncertainty %llu", cases[i].what,
				 (long long)p.offset_ns, (unsigned long long)p.uncertainty_ns);
		join_free(j);
	}
}

static u64 seed;

static u64 rnd(u64 n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % n;
}

/*
 * Five phases that read the same sectors in the same order, requests before,
 * between and after them that the guest did not trace, and clocks that drift:
 * every pair is found, the bounds hold the true offset.
 */
static void test_phases(void **state)
{
	enum { PHASES = 5, REQUESTS = 400 };
	const s64 offset = -123456789012345;

	(void)state;
	for (seed = 1; seed < 20; seed++) {
		struct join_phase p[PHASES];
		struct join *j = join_new(0);
		u64 now = 500000 * NSEC_PER_SEC;

		for (unsigned int k = 0; k < PHASES; k++) {
			now += 300 * MS;
			/* mount, superblock: the host alone sees them */
			host(j, now + (u64)offset, now + (u64)offset + 1, 2, 4096);
			host(j, now + (u64)offset + 9, now + (u64)offset + 10, 8, 4096);
			now += 10 * MS;
			p[k].begin_ns = now;
			for (unsigned int i = 0; i < REQUESTS; i++) {
				u64 issue = now += MS / 2 + rnd(MS);
				u64 queue = issue + 10 * US + rnd(3 * MS);
				u64 done = queue + rnd(2 * MS);
				u64 complete = done + 5 * US + rnd(3 * MS);
				s64 drift = (s64)k * 10000;

				guest(j, issue, complete, 8 * (i % 100), 4096);
				host(j, queue + (u64)(offset + drift), done + (u64)(offset + drift),
				     8 * (i % 100), 4096);
			}
			now += 20 * MS;
			p[k].end_ns = now;
		}
		join_match(j, PHASES, p);
		for (unsigned int k = 0; k < PHASES; k++) {
			s64 error = p[k].offset_ns - (offset + (s64)k * 10000);

			assert_int_equal(p[k].pairs, REQUESTS);
			assert_int_equal(p[k].unmatched_guest, 0);
			assert_int_equal(p[k].unmatched_host, 0);
			assert_true(p[k].known && !p[k].inverted);
			assert_true((u64)llabs(error) <= p[k].uncertainty_ns);
			assert_true(p[k].uncertainty_ns < MS);
			assert_int_equal(p[k].host_reads, REQUESTS);
			assert_int_equal(p[k].host_read_bytes, REQUESTS * 4096);
		}
		join_free(j);
	}
}

/*
 * A guest clock that is 0.5 % slow, as QEMU's was: the offset moves by 10 ms in
 * the phase, and is found all the same.  One of its blocks was read 9 ms
 * earlier as well, by somebody whom the guest did not trace.
 */
static void test_drift(void **state)
{
	const double rates[] = { 0.005, -0.005, 0.0099, 0.00013 };

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(rates); k++) {
		struct join_phase p = { .begin_ns = 0, .end_ns = 2000 * MS };
		struct join *j = join_new(0);
		s64 middle = (s64)(1000 * (double)MS * rates[k]);

		for (u64 i = 0; i < 200; i++) {
			u64 t = (i + 1) * 9 * MS, done = t + 4 * MS;
			u64 host_t = (u64)((double)t * (1 + rates[k]));
			u64 host_done = (u64)((double)done * (1 + rates[k]));

			guest(j, t, done, i % 20 * 8, 4096);
			if (i == 2)
				host(j, host_t - 9 * MS, host_t - 8 * MS, i % 20 * 8, 4096);
			host(j, host_t + 10 * US, host_done - 20 * US, i % 20 * 8, 4096);
		}
		join_match(j, 1, &p);
		assert_int_equal(p.pairs, 200);
		assert_int_equal(p.unmatched_guest, 0);
		assert_int_equal(p.unmatched_host, 1);
		assert_true(p.known);
		assert_true(llabs(p.offset_ns - middle) <= (s64)p.uncertainty_ns);
		assert_true(llabs(p.offset_ns - middle) < (s64)(20 * US));
		assert_true(p.residual_ns < 50 * US);
		/* the offset at the phase's begin is 0 */
		assert_true((u64)llabs(p.offset_ns) <= p.uncertainty_ns + 20 * US);
		assert_true(p.drift - rates[k] < 0.00002 && rates[k] - p.drift < 0.00002);
		join_free(j);
	}
}

/* A clock that changes its rate in the middle of a phase: said, and spanned. */
static void test_inverted(void **state)
{
	struct join_phase p = { .begin_ns = 0, .end_ns = 1000 * MS };
	struct join *j = join_new(0);

	(void)state;
	for (u64 i = 0; i < 100; i++) {
		u64 t = (i + 1) * 9 * MS, drift = i < 50 ? t / 200 : 50 * 9 * MS / 200;

		guest(j, t, t + 100 * US, i * 8, 4096);
		host(j, t + 10 * US + drift, t + 90 * US + drift, i * 8, 4096);
	}
	join_match(j, 1, &p);
	assert_int_equal(p.pairs, 100);
	assert_true(p.known && p.inverted);
	/* true offsets: 0 to 2250 us */
	assert_true((u64)p.offset_ns + p.uncertainty_ns >= 2250 * US);
	assert_true(p.offset_ns - (s64)p.uncertainty_ns <= (s64)(50 * US));
	join_free(j);
}

static void test_unmatched(void **state)
{
	struct join_phase p = { .begin_ns = 0, .end_ns = NSEC_PER_SEC };
	const struct join_request *r;
	struct join *j = join_new(0);
	u64 cursor = 0;

	(void)state;
	guest(j, 10 * MS, 11 * MS, 8, 4096);
	host(j, 10 * MS + 1, 11 * MS - 1, 8, 4096);
	guest(j, 20 * MS, 21 * MS, 16, 8192);
	host(j, 30 * MS, 31 * MS, 24, 512);
	/* flushes, discards and passthrough move no data */
	rq(j, false, EV_RQ_ISSUE, 40 * MS, 0, 0, RQ_WRITE | RQ_FLUSH);
	rq(j, false, EV_RQ_ISSUE, 41 * MS, 64, 4096, RQ_DISCARD);
	rq(j, false, EV_RQ_ISSUE, 42 * MS, 64, 36, RQ_READ | RQ_PASSTHROUGH);
	join_match(j, 1, &p);
	assert_int_equal(p.guest, 2);
	r = join_unmatched(j, &p, false, &cursor);
	assert_non_null(r);
	assert_int_equal(r->sector, 16);
	assert_null(join_unmatched(j, &p, false, &cursor));
	cursor = 0;
	r = join_unmatched(j, &p, true, &cursor);
	assert_non_null(r);
	assert_int_equal(r->sector, 24);
	assert_null(join_unmatched(j, &p, true, &cursor));
	join_free(j);
}

static void test_other_device(void **state)
{
	struct join_phase p = { .begin_ns = 0, .end_ns = NSEC_PER_SEC };
	struct join *j = join_new(DEV(8, 0));

	(void)state;
	guest(j, 10 * MS, 11 * MS, 8, 4096);
	join_match(j, 1, &p);
	assert_int_equal(p.guest, 0);
	join_free(j);
}

static void test_overflow(void **state)
{
	struct join *j = join_new(0);

	(void)state;
	for (u64 i = 0; i < JOIN_MAX_REQUESTS; i++)
		guest(j, i + 1, 0, i * 8, 4096);
	assert_false(join_overflow(j));
	guest(j, 1, 0, 7, 4096);
	assert_true(join_overflow(j));
	join_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),	     cmocka_unit_test(test_phases),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_inverted),     cmocka_unit_test(test_unmatched),
		cmocka_unit_test(test_other_device), cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
