// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/join.h"

#include <errno.h>
#include <string.h>

#include "verify/input/input.h"

#define BUCKETS (1u << 14)
#define NONE UINT32_MAX

/*
 * How far a pair may be from causality under the clock that was found: a clock
 * may change its rate within a phase.  Pairs that need less are made first.
 */
static const s64 slacks[] = { 0, 2000000, 20000000 };
/* Where the guest's clock has no completion to bound it, an interval is this wide. */
#define OPEN_NS (5 * 1000000ll)
/*
 * How far a phase's offset may be from the capture's line.  More would let a
 * phase be mistaken for its neighbour that reads the same sectors.
 */
#define NEAR_NS (100 * 1000000ll)
/* Without completions, a request that took longer than this is another one. */
#define LATENCY_MAX_NS (2 * 1000000000ll)
/*
 * Rates that are tried, in steps of RATE_STEP and then finer ones around the
 * best.  QEMU's emulated TSC was seen to run 0.5 % off the host's clock, until
 * the guest calibrated it again after 20 seconds.
 */
#define RATE_MAX 0.01
#define RATE_STEP 0.0002
#define RATE_FINER 10
#define RATE_FINEST 0.000002
/* A key that occurs this often tells nothing about the offset. */
#define VOTES_PER_KEY 4096
#define VOTES_MAX (1u << 20)
#define VOTES_TRIED 1000u /* drawn from them, to try rates on */

/* Host clock minus guest clock, as a line over the guest's time. */
struct clock_line {
	u64 at;
	s64 offset;
	double rate;
};

struct side {
	struct join_request *req;
	u32 *next; /* chain of the outstanding requests of a bucket */
	u32 n, cap;
	u32 bucket[BUCKETS];
	u32 *by_key; /* indices in order of key, then issue */
	u32 total;   /* before drop_requeued() */
	bool overflow;
};

struct join {
	u32 dev;
	struct side guest, host;
};

/* A guest and a host request of the same key: if they are one, the offset lies in here. */
struct vote {
	s64 lower, upper;
	u64 guest_issue, guest_complete;
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
	s->total = s->n;
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

	if (g->complete && h->complete) {
		v.lower = (s64)(h->complete - g->complete);
		v.guest_complete = g->complete;
	} else {
		v.lower = v.upper - OPEN_NS;
		v.guest_complete = g->issue;
	}
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
			if (v.lower - OPEN_NS > v.upper)
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

static s64 line_at(const struct clock_line *l, u64 guest_ts)
{
	return l->offset + (s64)(l->rate * (double)(s64)(guest_ts - l->at));
}

/*
 * The offset at line->at that most of @n votes allow at line->rate, the nearest
 * to @around if there is a tie; returns how many.  Intervals are widened by
 * what a rate between this one and the next, @step on, would move them.
 */
static u32 sweep(const struct vote *votes, u32 n, s64 around, double step, struct endpoint *ep,
		 struct clock_line *line)
{
	u32 k = 0, depth = 0, best = 0;
	s64 found = around;

	for (u32 i = 0; i < n; i++) {
		double issue = (double)(s64)(votes[i].guest_issue - line->at);
		double done = (double)(s64)(votes[i].guest_complete - line->at);
		s64 pad = (s64)(step / 2 * (issue < 0 ? -issue : issue));
		s64 upper = votes[i].upper - (s64)(line->rate * issue) + pad;
		s64 lower = votes[i].lower - (s64)(line->rate * done) - pad;

		if (lower > upper)
			continue;
		ep[k++] = (struct endpoint){ lower, 1 };
		ep[k++] = (struct endpoint){ upper, -1 };
	}
	if (k)
		qsort(ep, k, sizeof(*ep), cmp_endpoint);
	for (u32 i = 0; i < k; i++) {
		s64 middle;

		depth += (u32)ep[i].step;
		if (ep[i].step < 0 || depth < best)
			continue;
		/* the deepest stretch ends at the next endpoint */
		middle = ep[i].at + (ep[i + 1].at - ep[i].at) / 2;
		if (depth > best || llabs(middle - around) < llabs(found - around)) {
			best = depth;
			found = middle;
		}
	}
	line->offset = found;
	return best;
}

/* Draws at most VOTES_TRIED of the votes that count for @phase; NULL: of all. */
static u32 draw(const struct votes *vs, const struct join_phase *phase, s64 around,
		struct vote *sample)
{
	u64 seed = 1;
	u32 n = 0;

	for (u32 i = 0; i < vs->n; i++) {
		const struct vote *v = &vs->v[i];
		u32 at;

		if (phase && (!in_phase(phase, v->guest_issue) || v->upper < around - NEAR_NS ||
			      v->lower > around + NEAR_NS))
			continue;
		n++;
		if (n <= VOTES_TRIED) {
			sample[n - 1] = *v;
			continue;
		}
		/* every vote so far is in the sample with the same probability */
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		at = (u32)((seed >> 32) % n);
		if (at < VOTES_TRIED)
			sample[at] = *v;
	}
	return MIN(n, VOTES_TRIED);
}

/*
 * The line that most votes allow.  All true pairs allow the true one; under a
 * wrong one, requests of a phase pair with those of another that read the same
 * sectors, but only some of them.  @phase NULL: of all votes; else of those of
 * its requests that are near @line.  Returns false if nobody voted.
 */
static bool most_allowed(const struct votes *vs, const struct join_phase *phase,
			 struct clock_line *line)
{
	struct vote *sample = xmalloc(VOTES_TRIED * sizeof(*sample));
	struct endpoint *ep = xmalloc(2 * VOTES_TRIED * sizeof(*ep));
	s64 around = line->offset;
	u32 n = draw(vs, phase, around, sample), best = 0;
	double center = 0, width = RATE_MAX;

	for (double step = RATE_STEP; n && step >= RATE_FINEST; step /= RATE_FINER) {
		int steps = (int)(width / step + 0.5);
		double from = center;

		best = 0;
		for (int i = 0; i <= 2 * steps; i++) {
			/* 0, 1, -1, 2, -2, ...: of equal ones the flattest */
			int k = i & 1 ? (i + 1) / 2 : -(i / 2);
			struct clock_line one = { .at = line->at, .rate = from + k * step };
			u32 depth = sweep(sample, n, around, step, ep, &one);

			if (depth > best) {
				best = depth;
				*line = one;
				center = one.rate;
			}
		}
		around = line->offset;
		width = step;
	}
	free(ep);
	free(sample);
	return best;
}

struct matching {
	u32 n_phases;
	struct join_phase *phases;
	s64 slack;
	struct clock_line line; /* of requests outside of every phase */
	struct clock_line *phase_line;
	s64 *lower, *upper; /* per phase: bounds of what the offset differs from the line */
	s64 *width;	    /* per phase: of the tightest pair */
	u64 *bounded;	    /* per phase: pairs that bound from below */
};

/* Can @h be what became of @g?  Negative: @h is too early for it, positive: too late. */
static int causality(const struct join_request *g, const struct join_request *h,
		     const struct clock_line *line, s64 slack)
{
	s64 offset = line_at(line, g->issue);

	if ((s64)(h->issue - g->issue) < offset - slack)
		return -1;
	if (g->complete && h->complete)
		return (s64)(h->complete - g->complete) > line_at(line, g->complete) + slack;
	return (s64)(h->issue - g->issue) > offset + LATENCY_MAX_NS;
}

static void pair_found(struct matching *m, struct join_phase *p, const struct join_request *g,
		       const struct join_request *h)
{
	u32 i = (u32)(p - m->phases);
	const struct clock_line *line = &m->phase_line[i];
	s64 upper = (s64)(h->issue - g->issue) - line_at(line, g->issue);

	p->pairs++;
	m->upper[i] = MIN(m->upper[i], upper);
	if (g->complete && h->complete) {
		s64 lower = (s64)(h->complete - g->complete) - line_at(line, g->complete);

		m->lower[i] = MAX(m->lower[i], lower);
		m->width[i] = MIN(m->width[i], MAX(upper - lower, 0));
		m->bounded[i]++;
	}
}

/* Equal requests are paired in order: the first issued is the first handled. */
static void match_key(struct join *j, u32 g, u32 g_end, u32 h, u32 h_end, void *arg)
{
	struct matching *m = arg;

	while (g < g_end && h < h_end) {
		struct join_request *gr = &j->guest.req[j->guest.by_key[g]];
		struct join_request *hr = &j->host.req[j->host.by_key[h]];
		struct join_phase *p = phase_at(m->n_phases, m->phases, gr->issue);
		int c;

		if (gr->matched) {
			g++;
			continue;
		}
		c = hr->matched ? -1 :
				  causality(gr, hr, p ? &m->phase_line[p - m->phases] : &m->line,
					    m->slack);
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
		if (p)
			pair_found(m, p, gr, hr);
	}
}

/*
 * Bounds that crossed show that the offset went from @upper to @lower, and how
 * far it went beyond them can't be more than pairs are wide there.
 */
static void bound(struct join_phase *p, const struct clock_line *line, s64 lower, s64 upper,
		  s64 width)
{
	u64 half = (p->end_ns - p->begin_ns) / 2;

	p->known = true;
	p->drift = line->rate;
	p->inverted = lower > upper;
	if (p->inverted) {
		s64 t = lower;

		lower = upper - width;
		upper = t + width;
	}
	p->residual_ns = ((u64)upper - (u64)lower + 1) / 2;
	p->offset_ns = line->offset + lower + (s64)(((u64)upper - (u64)lower) / 2);
	p->uncertainty_ns =
		p->residual_ns + (u64)((double)half * (p->drift < 0 ? -p->drift : p->drift));
}

u64 join_guest_time(const struct join_phase *p, u64 host_ts)
{
	u64 middle = p->begin_ns + (p->end_ns - p->begin_ns) / 2;
	double from_middle = (double)(s64)(host_ts - (u64)p->offset_ns - middle);

	/* host = guest + offset + drift * (guest - middle) */
	return middle + (u64)(s64)(from_middle / (1 + p->drift));
}

/*
 * Is a host time surely within the phase?  A request near its border may have
 * been issued on the other side of it.
 */
static bool surely_inside(const struct join_phase *p, u64 host_ts)
{
	u64 guest;

	if (!p->known)
		return false;
	guest = join_guest_time(p, host_ts);
	return in_phase(p, guest) && guest - p->begin_ns >= p->residual_ns &&
	       p->end_ns - guest >= p->residual_ns;
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

			if (!p->known || !in_phase(p, join_guest_time(p, r->issue)))
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
	/* in the middle of all, so that an error of the rate does least */
	if (j->guest.n)
		m.line.at = j->guest.req[0].issue +
			    (j->guest.req[j->guest.total - 1].issue - j->guest.req[0].issue) / 2;
	any = most_allowed(&vs, NULL, &m.line);

	m.phase_line = xcalloc(n_phases, sizeof(*m.phase_line));
	m.lower = xcalloc(n_phases, sizeof(s64));
	m.upper = xcalloc(n_phases, sizeof(s64));
	m.width = xcalloc(n_phases, sizeof(s64));
	m.bounded = xcalloc(n_phases, sizeof(u64));
	for (u32 i = 0; i < n_phases; i++) {
		const struct join_phase *p = &phases[i];
		struct clock_line *l = &m.phase_line[i];

		*l = m.line;
		l->at = p->begin_ns + (p->end_ns - p->begin_ns) / 2;
		l->offset = line_at(&m.line, l->at);
		most_allowed(&vs, p, l);
		m.lower[i] = INT64_MIN;
		m.upper[i] = INT64_MAX;
		m.width[i] = INT64_MAX;
	}
	for (size_t i = 0; any && i < ARRAY_SIZE(slacks); i++) {
		m.slack = slacks[i];
		for_each_key(j, match_key, &m);
	}
	for (u32 i = 0; i < n_phases; i++)
		if (m.bounded[i])
			bound(&phases[i], &m.phase_line[i], m.lower[i], m.upper[i],
			      m.width[i]);
	count_sides(j, n_phases, phases);

	free(vs.v);
	free(m.phase_line);
	free(m.lower);
	free(m.upper);
	free(m.width);
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
