// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/join.h"

#include "verify/input/input.h"
#include "verify/model/join_internal.h"

/*
 * How far a pair may be from causality under the clock that was found: a clock
 * may change its rate within a phase.  Pairs that need less are made first.
 */
static const s64 slacks[] = {0, 2000000, 20000000};
/* Without completions, a request that took longer than this is another one. */
#define LATENCY_MAX_NS (2 * 1000000000ll)

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
		c = hr->matched ? -1
				: causality(gr, hr, p ? &m->phase_line[p - m->phases] : &m->line,
					    m->slack);
		if (c < 0) {
			h++;
			continue;
		}
		g++;
		if (c > 0)
			continue;
		h++;
		gr->pair = (u32)(hr - j->host.req);
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

/* The phase that a host request is in, as far as that is known; else NULL. */
static struct join_phase *host_phase(u32 n_phases, struct join_phase *phases,
				     const struct join_request *r)
{
	for (u32 k = 0; k < n_phases; k++)
		if (phases[k].known && in_phase(&phases[k], join_guest_time(&phases[k], r->issue)))
			return &phases[k];
	return NULL;
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

		struct join_phase *p = host_phase(n_phases, phases, r);

		if (!p)
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
	}
}

const struct join_request *join_host_of(const struct join *j, u64 seq)
{
	u32 lo = 0, hi = j->guest.total;

	/* they were added in order of their numbers */
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (j->guest.req[mid].seq < seq)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == j->guest.total || j->guest.req[lo].seq != seq || !j->guest.req[lo].matched)
		return NULL;
	return &j->host.req[j->guest.req[lo].pair];
}

u32 join_host_count(const struct join *j)
{
	return j->host.n;
}

void join_each_host(const struct join *j, u32 n_phases, const struct join_phase *phases,
		    void (*fn)(u32 phase, const struct join_request *r, void *arg), void *arg)
{
	for (u32 i = 0; i < j->host.n; i++) {
		const struct join_request *r = &j->host.req[j->host.by_key[i]];
		struct join_phase *p = host_phase(n_phases, (struct join_phase *)phases, r);

		if (p)
			fn((u32)(p - phases), r, arg);
	}
}

void join_match(struct join *j, u32 n_phases, struct join_phase *phases)
{
	struct votes vs = {0};
	struct matching m = {.n_phases = n_phases, .phases = phases};
	bool any;

	for (u32 i = 0; i < n_phases; i++)
		phases[i] = (struct join_phase){.begin_ns = phases[i].begin_ns,
						.end_ns = phases[i].end_ns};
	sides_sort(j, n_phases, phases);
	collect_votes(j, &vs);
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
		each_key(j, match_key, &m);
	}
	for (u32 i = 0; i < n_phases; i++)
		if (m.bounded[i])
			bound(&phases[i], &m.phase_line[i], m.lower[i], m.upper[i], m.width[i]);
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
