// SPDX-License-Identifier: GPL-2.0-only
/* The requests of the guest and of the host, as they are issued and completed. */
#include <string.h>

#include "verify/model/join_internal.h"

#define NONE UINT32_MAX

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

/*
 * Only what moves file data: a flush, a discard or a passthrough command has no
 * pair to check.  Times after 2116 come from damage, and would overflow.
 */
static bool is_data(const struct event *ev)
{
	return ev->rq.bytes && (ev->rq.flags & (RQ_READ | RQ_WRITE)) && ev->ts < 1ull << 62 &&
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
	s->req[s->n] = (struct join_request){.issue = ev->ts,
					     .sector = ev->sector,
					     .seq = ev->seq,
					     .bytes = ev->rq.bytes,
					     .pid = ev->pid,
					     .cpu = ev->cpu,
					     .write = write};
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

struct join_phase *phase_at(u32 n, struct join_phase *phases, u64 ts)
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

void sides_sort(struct join *j, u32 n_phases, struct join_phase *phases)
{
	sort_side(&j->guest);
	sort_side(&j->host);
	drop_requeued(&j->guest, n_phases, phases);
}

/* The end of the run of equal keys that starts at @from. */
static u32 key_end(const struct side *s, u32 from)
{
	u32 i = from + 1;

	while (i < s->n && !cmp_key(&s->req[s->by_key[from]], &s->req[s->by_key[i]]))
		i++;
	return i;
}

void each_key(struct join *j,
	      void (*fn)(struct join *j, u32 g, u32 g_end, u32 h, u32 h_end, void *arg), void *arg)
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
