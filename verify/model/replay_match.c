// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/replay_match.h"

#include <errno.h>
#include <string.h>

#define BUCKETS (2 * MATCH_WINDOW)
#define NONE UINT32_MAX
#define ORDER_MAX (1u << 20) /* a run of the order that is looked at as a whole */
#define LAST 101u

/* A request of the plan that has not been seen yet; its slot is its number modulo MATCH_WINDOW. */
struct slot {
	u64 number;
	struct block_line l;
	u32 next, prev; /* in the bucket, oldest first */
	bool used;
};

struct replay_match {
	enum match_side side;
	struct plan_reader reader;
	struct block_plan plan;
	struct block_cursor cursor;
	bool plan_ended;
	struct block_line behind; /* the write of a preflush */
	bool has_behind;
	u64 start_ns;
	double speed;
	struct slot *slots;
	struct {
		u32 first, last;
	} * buckets;
	u64 expected, pending;
	u64 *tails; /* of the longest increasing sequence of the run so far */
	u32 n_tails, run;
	bool flushes_unknown; /* FUA writes become flushes, too */
	u32 histogram[TIMING_BUCKETS];
	s64 last[LAST];
	struct match_result r;
};

int replay_match_new(struct replay_match **out, const char *plan, enum match_side side,
		     u64 start_ns, double speed, struct err *e)
{
	struct replay_match *m = xcalloc(1, sizeof(*m));
	int ret;

	*out = m;
	m->side = side;
	m->start_ns = start_ns;
	m->speed = speed;
	m->slots = xcalloc(MATCH_WINDOW, sizeof(*m->slots));
	m->buckets = xcalloc(BUCKETS, sizeof(*m->buckets));
	for (u32 i = 0; i < BUCKETS; i++)
		m->buckets[i].first = m->buckets[i].last = NONE;
	m->tails = xcalloc(ORDER_MAX, sizeof(*m->tails));
	ret = plan_open(&m->reader, plan, false, e);
	if (!ret)
		ret = block_plan_header(&m->reader, &m->plan, e);
	m->flushes_unknown = m->plan.fua && side != MATCH_QUEUED;
	return ret;
}

void replay_match_free(struct replay_match *m)
{
	if (!m)
		return;
	plan_close(&m->reader);
	block_plan_free(&m->plan);
	free(m->slots);
	free(m->buckets);
	free(m->tails);
	free(m);
}

/* ---- the plan's requests, as this side sees them ---- */

/* Does the host's log have it?  QEMU traces nothing of a discard. */
static bool visible(const struct replay_match *m, const struct block_line *l)
{
	if (l->op == BLOCK_DONE)
		return false;
	if (l->op == BLOCK_FLUSH && m->flushes_unknown)
		return false;
	return m->side != MATCH_HOST || l->op <= BLOCK_FLUSH;
}

/*
 * A preflush is a flush and the write behind it on either side.  FUA is a flag of the bio; a device
 * that has none gets a flush after the write, whenever that has completed, and together with
 * others: how many flushes there are is not determined then.
 */
static int next_line(struct replay_match *m, struct block_line *l, struct err *e)
{
	int ret;

	if (m->has_behind) {
		*l = m->behind;
		m->has_behind = false;
		return 1;
	}
	do {
		ret = block_plan_next(&m->reader, &m->plan, &m->cursor, l, e);
	} while (ret == 1 && !visible(m, l));
	if (ret != 1)
		return ret;
	if (m->side != MATCH_QUEUED)
		l->fua = false;
	if (l->preflush && m->flushes_unknown) /* the write alone */
		return 1;
	if (l->preflush) {
		m->behind = *l;
		m->has_behind = true;
		*l = (struct block_line){.op = BLOCK_FLUSH, .ns = l->ns};
	}
	return 1;
}

static u32 bucket_of(const struct block_line *l)
{
	u64 key = (l->sector ^ l->sectors << 40 ^ (u64)l->op << 60 ^ (u64)l->fua << 59) *
		  0x9e3779b97f4a7c15ull;

	return (u32)(key >> 40) % BUCKETS;
}

static void unlink_slot(struct replay_match *m, struct slot *s)
{
	u32 b = bucket_of(&s->l);

	*(s->prev == NONE ? &m->buckets[b].first : &m->slots[s->prev].next) = s->next;
	*(s->next == NONE ? &m->buckets[b].last : &m->slots[s->next].prev) = s->prev;
	s->used = false;
	m->pending--;
}

static void keep(struct match_example *kept, u64 n, const struct block_line *l, u64 ts, u64 number)
{
	if (n < MATCH_KEPT)
		kept[n] = (struct match_example){.l = *l, .ts = ts, .number = number};
}

static void count_missing(struct replay_match *m, struct slot *s)
{
	keep(m->r.missing_kept, m->r.missing++, &s->l, 0, s->number);
	unlink_slot(m, s);
}

/* Reads one more request of the plan: 1, or 0 at its end. */
static int expect_one(struct replay_match *m, struct err *e)
{
	struct slot *s = &m->slots[m->expected % MATCH_WINDOW];
	struct block_line l;
	u32 b, i = (u32)(m->expected % MATCH_WINDOW);
	int ret;

	if (m->plan_ended)
		return 0;
	ret = next_line(m, &l, e);
	m->plan_ended = !ret;
	if (ret != 1)
		return ret;
	if (s->used)
		count_missing(m, s);
	b = bucket_of(&l);
	*s = (struct slot){.number = m->expected++,
			   .l = l,
			   .next = NONE,
			   .prev = m->buckets[b].last,
			   .used = true};
	*(s->prev == NONE ? &m->buckets[b].first : &m->slots[s->prev].next) = i;
	m->buckets[b].last = i;
	m->pending++;
	return 1;
}

static struct slot *find(struct replay_match *m, const struct block_line *l)
{
	for (u32 i = m->buckets[bucket_of(l)].first; i != NONE; i = m->slots[i].next) {
		struct slot *s = &m->slots[i];

		if (s->l.op == l->op && s->l.fua == l->fua && s->l.sector == l->sector &&
		    s->l.sectors == l->sectors)
			return s;
	}
	return NULL;
}

/* ---- order ---- */

/* Patience sorting: tails[i] is the smallest end of an increasing sequence of i + 1. */
static void order_take(struct replay_match *m, u64 number)
{
	u32 lo = 0, hi = m->n_tails;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (m->tails[mid] < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	m->tails[lo] = number;
	m->n_tails = MAX(m->n_tails, lo + 1);
	m->run++;
}

/* What comes from here on is behind all of the run. */
static void order_close(struct replay_match *m)
{
	m->r.displaced += m->run - m->n_tails;
	m->run = m->n_tails = 0;
}

/* ---- times ---- */

/* 32 buckets for each power of two: the value's first six bits, and how many follow. */
static u32 bucket_of_ns(u64 ns)
{
	u32 bits = ns ? 64 - (u32)__builtin_clzll(ns) : 0;

	return bits <= 6 ? (u32)ns : (bits - 6) * 32 + (u32)(ns >> (bits - 6));
}

static u64 ns_of_bucket(u32 i)
{
	u32 bits = i < 64 ? 0 : i / 32 - 1;

	/* the middle of the bucket */
	return bits ? ((u64)(i - bits * 32) << bits) + (1ull << (bits - 1)) : i;
}

static void timing_take(struct replay_match *m, u64 ts, u64 plan_ns)
{
	struct match_timing *t = &m->r.timing;
	s64 error;
	u64 size;

	if (m->speed <= 0)
		return;
	error = (s64)(ts - m->start_ns - (u64)((double)plan_ns / m->speed));
	size = error < 0 ? -(u64)error : (u64)error;
	m->histogram[MIN(bucket_of_ns(size), TIMING_BUCKETS - 1)]++;
	t->max = MAX(t->max, size);
	m->last[t->n++ % LAST] = error;
}

static int by_value(const void *a, const void *b)
{
	s64 x = *(const s64 *)a, y = *(const s64 *)b;

	return x < y ? -1 : x > y;
}

/* The smallest error that @n of them do not exceed. */
static u64 quantile(const struct replay_match *m, u64 n)
{
	u64 sum = 0;

	for (u32 i = 0; i < TIMING_BUCKETS; i++) {
		sum += m->histogram[i];
		if (sum >= n && sum)
			return MIN(ns_of_bucket(i), m->r.timing.max);
	}
	return m->r.timing.max;
}

static void timing_finish(struct replay_match *m)
{
	struct match_timing *t = &m->r.timing;
	size_t n = (size_t)MIN(t->n, (u64)LAST);

	if (!n)
		return;
	qsort(m->last, n, sizeof(*m->last), by_value);
	t->final = m->last[n / 2];
	t->median = quantile(m, (t->n + 1) / 2);
	t->p99 = quantile(m, t->n - t->n / 100);
}

/* ---- the caller's ---- */

int replay_match_take(struct replay_match *m, const struct block_line *l, u64 event, struct err *e)
{
	struct block_line key = *l;
	struct slot *s;
	int ret = 1;

	m->r.flushes_unknown += l->op == BLOCK_FLUSH && m->flushes_unknown;
	if (!visible(m, l))
		return 0;
	key.preflush = false;
	if (m->side != MATCH_QUEUED)
		key.fua = false;
	m->r.seen++;
	while (!(s = find(m, &key)) && ret == 1 && m->pending < MATCH_WINDOW)
		ret = expect_one(m, e);
	if (ret < 0)
		return ret;
	if (!s) {
		keep(m->r.extra_kept, m->r.extra++, l, l->ns, event);
		return 0;
	}
	m->r.matched++;
	timing_take(m, l->ns, s->l.ns);
	order_take(m, s->number);
	unlink_slot(m, s);
	if (!m->pending || m->run == ORDER_MAX)
		order_close(m);
	return 0;
}

int replay_match_finish(struct replay_match *m, struct match_result *r, struct err *e)
{
	int ret;

	while ((ret = expect_one(m, e)) == 1)
		;
	if (ret < 0)
		return ret;
	for (u64 i = m->expected - MIN(m->expected, (u64)MATCH_WINDOW); i < m->expected; i++) {
		struct slot *s = &m->slots[i % MATCH_WINDOW];

		if (s->used)
			count_missing(m, s);
	}
	order_close(m);
	timing_finish(m);
	m->r.expected = m->expected;
	*r = m->r;
	return 0;
}
