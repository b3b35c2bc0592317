// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/join.h"

#include <errno.h>
#include <string.h>

#include "verify/input/input.h"

#define BUCKETS (1u << 14)
#define NONE UINT32_MAX

/*
 * How far a pair may be from causality under the offset that was found: clocks
 * drift within a phase.  Pairs that need no slack are made first.
 */
#define SLACK_NS (5 * 1000000ll)
/*
 * How far a phase's offset may be from the capture's: 500 parts per million over
 * three minutes.  More would let a phase be mistaken for its neighbour that
 * reads the same sectors.
 */
#define DRIFT_NS (100 * 1000000ll)
/* Without completions, a request that took longer than this is another one. */
#define LATENCY_MAX_NS (2 * 1000000000ll)
/* A key that occurs this often tells nothing about the offset. */
#define VOTES_PER_KEY 4096
#define VOTES_MAX (1u << 20)

struct side {
	struct join_request *req;
	u32 *next; /* chain of the outstanding requests of a bucket */
	u32 n, cap;
	u32 bucket[BUCKETS];
	u32 *by_key; /* indices in order of key, then issue */
	bool overflow;
};

struct join {
	u32 dev;
	struct side guest, host;
};

/* A guest and a host request of the same key: if they are one, the offset lies in here. */
struct vote {
	s64 lower, upper;
	u64 guest_issue;
};

static u32 bucket_of(u64 sector, u32 bytes, bool write)
{
	u64 h = (sector ^ ((u64)bytes << 40) ^ write) * 0x9e3779b97f4a7c15ull;

	return h >> 50;
}

static void side_init(struct side *s)
{
	memset(s->bucket, 0xff, sizeof(s->bucket));
}

struct join *join_new(u32 dev)
{
	struct join *j = xcalloc(1, sizeof(*j));

	j->dev = dev;
	side_init(&j->guest);
	side_init(&j->host);
	return j;
}

static void side_free(struct side *s)
{
	free(s->req);
	free(s->next);
	free(s->by_key);
}

void join_free(struct join *j)
{
	if (!j)
		return;
	side_free(&j->guest);
	side_free(&j->host);
	free(j);
}

bool join_overflow(const struct join *j)
{
	return j->guest.overflow || j->host.overflow;
}

/* Only what moves file data: a flush, a discard or a passthrough command has no pair to check. */
static bool is_data(const struct event *ev)
{
	return ev->rq.bytes && (ev->rq.flags & (RQ_READ | RQ_WRITE)) &&
	       !(ev->rq.flags & (RQ_PASSTHROUGH | RQ_DISCARD | RQ_WRITE_ZEROES | RQ_SECURE_ERASE));
}

static u32 *find_outstanding(struct side *s, const struct event *ev)
{
	bool write = ev->rq.flags & RQ_WRITE;
	u32 *link = &s->bucket[bucket_of(ev->sector, ev->rq.bytes, write)];

	for (; *link != NONE; link = &s->next[*link]) {
		const struct join_request *r = &s->req[*link];

		if (r->sector == ev->sector && r->bytes == ev->rq.bytes && r->write == write)
			return link;
	}
	return NULL;
}

static void add(struct side *s, const struct event *ev)
{
	bool write = ev->rq.flags & RQ_WRITE;
	u32 *head = &s->bucket[bucket_of(ev->sector, ev->rq.bytes, write)];

	if (s->n == JOIN_MAX_REQUESTS) {
		s->overflow = true;
		return;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 1024;
		s->req = xrealloc(s->req, s->cap, sizeof(*s->req));
		s->next = xrealloc(s->next, s->cap, sizeof(*s->next));
	}
	s->req[s->n] = (struct join_request){ .issue = ev->ts,
					      .sector = ev->sector,
					      .seq = ev->seq,
					      .bytes = ev->rq.bytes,
					      .pid = ev->pid,
					      .cpu = ev->cpu,
					      .write = write };
	/* newest first: see drop_requeued() */
	s->next[s->n] = *head;
	*head = s->n++;
}

static void complete(struct side *s, const struct event *ev)
{
	u32 *link = find_outstanding(s, ev);

	if (!link)
		return;
	s->req[*link].complete = ev->ts;
	*link = s->next[*link];
}

void join_guest(struct join *j, const struct event *ev)
{
	if ((ev->type != EV_RQ_ISSUE && ev->type != EV_RQ_COMPLETE) || !is_data(ev))
		return;
	if (j->dev && ev->dev != j->dev)
		return;
	if (ev->type == EV_RQ_ISSUE)
		add(&j->guest, ev);
	else
		complete(&j->guest, ev);
}

void join_host(struct join *j, const struct event *ev)
{
	if (!is_data(ev))
		return;
	switch (ev->type) {
	case EV_RQ_QUEUE:
		add(&j->host, ev);
		break;
	case EV_RQ_ISSUE:
		/* a log without Q records still says when the device began */
		if (!find_outstanding(&j->host, ev))
			add(&j->host, ev);
		break;
	case EV_RQ_COMPLETE:
		complete(&j->host, ev);
		break;
	default:
		break;
	}
}

static int cmp_key(const struct join_request *a, const struct join_request *b)
{
	if (a->sector != b->sector)
		return a->sector < b->sector ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (int)a->write - (int)b->write;
}

static int cmp_request(const void *pa, const void *pb, void *arg)
{
	const struct join_request *req = arg;
	u32 ia = *(const u32 *)pa, ib = *(const u32 *)pb;
	int c = cmp_key(&req[ia], &req[ib]);

	if (c)
		return c;
	if (req[ia].issue != req[ib].issue)
		return req[ia].issue < req[ib].issue ? -1 : 1;
	return ia < ib ? -1 : ia > ib;
}

static void sort_side(struct side *s)
{
	free(s->by_key);
	s->by_key = xmalloc((size_t)s->n * sizeof(*s->by_key));
	for (u32 i = 0; i < s->n; i++)
		s->by_key[i] = i;
	if (s->n)
		qsort_r(s->by_key, s->n, sizeof(*s->by_key), cmp_request, s->req);
}

static bool in_phase(const struct join_phase *p, u64 ts)
{
	return ts >= p->begin_ns && ts <= p->end_ns;
}

static struct join_phase *phase_at(u32 n, struct join_phase *phases, u64 ts)
{
	for (u32 i = 0; i < n; i++)
		if (in_phase(&phases[i], ts))
			return &phases[i];
	return NULL;
}

/*
 * A request that found the virtqueue full is requeued and issued again: two
 * issues, one completion.  complete() gives the completion to the last issue,
 * so an older one of the same phase that never completed is the same request.
 */
static void drop_requeued(struct side *s, u32 n_phases, struct join_phase *phases)
{
	u32 kept = 0;

	for (u32 i = 0; i < s->n; i++) {
		const struct join_request *r = &s->req[s->by_key[i]];
		const struct join_request *next = i + 1 < s->n ? &s->req[s->by_key[i + 1]] : NULL;
		struct join_phase *p = phase_at(n_phases, phases, r->issue);

		if (!r->complete && next && !cmp_key(r, next) && p && in_phase(p, next->issue))
			continue;
		s->by_key[kept++] = s->by_key[i];
	}
	s->n = kept; /* from here on, only through by_key */
}

/* The end of the run of equal keys that starts at @from. */
static u32 key_end(const struct side *s, u32 from)
{
	u32 i = from + 1;

	while (i < s->n && !cmp_key(&s->req[s->by_key[from]], &s->req[s->by_key[i]]))
		i++;
	return i;
}

/* Calls @fn for each key that both sides have. */
static void for_each_key(struct join *j,
			 void (*fn)(struct join *j, u32 g, u32 g_end, u32 h, u32 h_end, void *arg),
			 void *arg)
{
	struct side *gs = &j->guest, *hs = &j->host;
	u32 g = 0, h = 0;

	while (g < gs->n && h < hs->n) {
		int c = cmp_key(&gs->req[gs->by_key[g]], &hs->req[hs->by_key[h]]);
		u32 g_end, h_end;

		if (c < 0) {
			g = key_end(gs, g);
			continue;
		}
		if (c > 0) {
			h = key_end(hs, h);
			continue;
		}
		g_end = key_end(gs, g);
		h_end = key_end(hs, h);
		fn(j, g, g_end, h, h_end, arg);
		g = g_end;
		h = h_end;
	}
}

struct votes {
	struct vote *v;
	u32 n, cap;
};

static struct vote vote_of(const struct join_request *g, const struct join_request *h)
{
	struct vote v = { .upper = (s64)(h->issue - g->issue), .guest_issue = g->issue };

	if (g->complete && h->complete)
		v.lower = (s64)(h->complete - g->complete);
	else
		v.lower = v.upper - SLACK_NS;
	return v;
}

static void vote_key(struct join *j, u32 g, u32 g_end, u32 h, u32 h_end, void *arg)
{
	struct votes *vs = arg;

	if ((u64)(g_end - g) * (h_end - h) > VOTES_PER_KEY)
		return;
	for (u32 i = g; i < g_end; i++) {
		for (u32 k = h; k < h_end && vs->n < VOTES_MAX; k++) {
			struct vote v = vote_of(&j->guest.req[j->guest.by_key[i]],
						&j->host.req[j->host.by_key[k]]);

			/* the host took longer than the guest waited: no pair under any offset */
			if (v.lower > v.upper)
				continue;
			if (vs->n == vs->cap) {
				vs->cap = vs->cap ? vs->cap * 2 : 4096;
				vs->v = xrealloc(vs->v, vs->cap, sizeof(*vs->v));
			}
			vs->v[vs->n++] = v;
		}
	}
}

struct endpoint {
	s64 at;
	s32 step; /* 1: an interval begins, -1: it ends */
};

static int cmp_endpoint(const void *pa, const void *pb)
{
	const struct endpoint *a = pa, *b = pb;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return b->step - a->step; /* intervals include their ends */
}

/*
 * The offset that most votes allow.  All true pairs allow the true one; under a
 * wrong one, requests of a phase pair with those of another that read the same
 * sectors, but only some of them.  @phase NULL: of all votes; else of those of
 * its requests that are near *@offset, and the nearest if there is a tie.
 * Returns false if nobody voted.
 */
static bool most_allowed(const struct votes *vs, const struct join_phase *phase, s64 *offset)
{
	struct endpoint *ep = xmalloc(2 * (size_t)vs->n * sizeof(*ep));
	s64 around = *offset, found = 0;
	u32 n = 0, depth = 0, best = 0;

	for (u32 i = 0; i < vs->n; i++) {
		const struct vote *v = &vs->v[i];

		if (phase && (!in_phase(phase, v->guest_issue) || v->upper < around - DRIFT_NS ||
			      v->lower > around + DRIFT_NS))
			continue;
		ep[n++] = (struct endpoint){ v->lower, 1 };
		ep[n++] = (struct endpoint){ v->upper, -1 };
	}
	if (n)
		qsort(ep, n, sizeof(*ep), cmp_endpoint);
	for (u32 i = 0; i < n; i++) {
		s64 middle;

		depth += (u32)ep[i].step;
		if (ep[i].step < 0 || depth < best)
			continue;
		/* the deepest stretch ends at the next endpoint */
		middle = ep[i].at + (ep[i + 1].at - ep[i].at) / 2;
		if (depth > best || (phase && llabs(middle - around) < llabs(found - around))) {
			best = depth;
			found = middle;
		}
	}
	if (n)
		*offset = found;
	free(ep);
	return n;
}

struct matching {
	u32 n_phases;
	struct join_phase *phases;
	s64 slack;
	s64 offset; /* of requests outside of every phase */
	s64 *phase_offset;
	s64 *lower, *upper; /* per phase */
	u64 *bounded;	    /* per phase: pairs that bound from below */
};

/* Can @h be what became of @g?  Negative: @h is too early for it, positive: too late. */
static int causality(const struct join_request *g, const struct join_request *h, s64 offset,
		     s64 slack)
{
	if ((s64)(h->issue - g->issue) < offset - slack)
		return -1;
	if (g->complete && h->complete)
		return (s64)(h->complete - g->complete) > offset + slack;
	return (s64)(h->issue - g->issue) > offset + LATENCY_MAX_NS;
}

/* Equal requests are paired in order: the first issued is the first handled. */
static void match_key(struct join *j, u32 g, u32 g_end, u32 h, u32 h_end, void *arg)
{
	struct matching *m = arg;

	while (g < g_end && h < h_end) {
		struct join_request *gr = &j->guest.req[j->guest.by_key[g]];
		struct join_request *hr = &j->host.req[j->host.by_key[h]];
		struct join_phase *p = phase_at(m->n_phases, m->phases, gr->issue);
		u32 i = p ? (u32)(p - m->phases) : 0;
		int c;

		if (gr->matched) {
			g++;
			continue;
		}
		c = hr->matched ? -1 :
				  causality(gr, hr, p ? m->phase_offset[i] : m->offset, m->slack);
		if (c < 0) {
			h++;
			continue;
		}
		g++;
		if (c > 0)
			continue;
		h++;
		gr->matched = true;
		hr->matched = true;
		if (!p)
			continue;
		p->pairs++;
		m->upper[i] = MIN(m->upper[i], (s64)(hr->issue - gr->issue));
		if (gr->complete && hr->complete) {
			m->lower[i] = MAX(m->lower[i], (s64)(hr->complete - gr->complete));
			m->bounded[i]++;
		}
	}
}

static void bound(struct join_phase *p, s64 lower, s64 upper)
{
	p->known = true;
	p->inverted = lower > upper;
	if (p->inverted) {
		s64 t = lower;

		lower = upper;
		upper = t;
	}
	p->uncertainty_ns = ((u64)upper - (u64)lower + 1) / 2;
	p->offset_ns = lower + (s64)(((u64)upper - (u64)lower) / 2);
}

/*
 * Is a host time surely within the phase?  A request near its border may have
 * been issued on the other side of it.
 */
static bool surely_inside(const struct join_phase *p, u64 host_ts)
{
	u64 guest = host_ts - (u64)p->offset_ns;

	return p->known && guest - p->begin_ns <= p->end_ns - p->begin_ns &&
	       guest - p->begin_ns >= p->uncertainty_ns && p->end_ns - guest >= p->uncertainty_ns;
}

static void count_sides(struct join *j, u32 n_phases, struct join_phase *phases)
{
	for (u32 i = 0; i < j->guest.n; i++) {
		const struct join_request *r = &j->guest.req[j->guest.by_key[i]];
		struct join_phase *p = phase_at(n_phases, phases, r->issue);

		if (!p)
			continue;
		p->guest++;
		p->unmatched_guest += !r->matched;
	}
	for (u32 i = 0; i < j->host.n; i++) {
		const struct join_request *r = &j->host.req[j->host.by_key[i]];

		for (u32 k = 0; k < n_phases; k++) {
			struct join_phase *p = &phases[k];

			if (!p->known || !in_phase(p, r->issue - (u64)p->offset_ns))
				continue;
			p->host++;
			p->unmatched_host += !r->matched && surely_inside(p, r->issue);
			if (r->write) {
				p->host_writes++;
				p->host_write_bytes += r->bytes;
			} else {
				p->host_reads++;
				p->host_read_bytes += r->bytes;
			}
			break;
		}
	}
}

void join_match(struct join *j, u32 n_phases, struct join_phase *phases)
{
	struct votes vs = { 0 };
	struct matching m = { .n_phases = n_phases, .phases = phases };
	bool any;

	for (u32 i = 0; i < n_phases; i++)
		phases[i] = (struct join_phase){ .begin_ns = phases[i].begin_ns,
						 .end_ns = phases[i].end_ns };
	sort_side(&j->guest);
	sort_side(&j->host);
	drop_requeued(&j->guest, n_phases, phases);

	for_each_key(j, vote_key, &vs);
	any = most_allowed(&vs, NULL, &m.offset);

	m.phase_offset = xcalloc(n_phases, sizeof(s64));
	m.lower = xcalloc(n_phases, sizeof(s64));
	m.upper = xcalloc(n_phases, sizeof(s64));
	m.bounded = xcalloc(n_phases, sizeof(u64));
	for (u32 i = 0; i < n_phases; i++) {
		m.phase_offset[i] = m.offset;
		m.lower[i] = INT64_MIN;
		m.upper[i] = INT64_MAX;
		most_allowed(&vs, &phases[i], &m.phase_offset[i]);
	}
	if (any) {
		for_each_key(j, match_key, &m);
		m.slack = SLACK_NS;
		for_each_key(j, match_key, &m);
	}
	for (u32 i = 0; i < n_phases; i++)
		if (m.bounded[i])
			bound(&phases[i], m.lower[i], m.upper[i]);
	count_sides(j, n_phases, phases);

	free(vs.v);
	free(m.phase_offset);
	free(m.lower);
	free(m.upper);
	free(m.bounded);
}

const struct join_request *join_unmatched(const struct join *j, const struct join_phase *phase,
					  bool host, u64 *cursor)
{
	const struct side *s = host ? &j->host : &j->guest;

	while (*cursor < s->n) {
		const struct join_request *r = &s->req[s->by_key[(*cursor)++]];

		if (r->matched)
			continue;
		if (host ? surely_inside(phase, r->issue) : in_phase(phase, r->issue))
			return r;
	}
	return NULL;
}

static int feed(struct join *j, const char *path, void (*take)(struct join *, const struct event *),
		struct err *e)
{
	struct trace *t;
	struct event ev;
	int ret = trace_open(&t, path, 0, e);

	if (ret < 0)
		return ret;
	while ((ret = trace_next(t, &ev, e)) > 0)
		take(j, &ev);
	trace_close(t);
	return ret;
}

int join_capture(const char *trace_dat, const char *blktrace, u32 dev, u32 n_phases,
		 struct join_phase *phases, struct err *e)
{
	struct join *j = join_new(dev);
	int ret = feed(j, trace_dat, join_guest, e);

	if (!ret)
		ret = feed(j, blktrace, join_host, e);
	if (!ret)
		join_match(j, n_phases, phases);
	join_free(j);
	return ret;
}
