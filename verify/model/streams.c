// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams of a trace without markers: a task that works its way through a file.
 *
 * A run is what a task touches of a file without leaving the reach of one
 * readahead window; where it has begun and how far it is come from its accesses,
 * in whatever order it touches the pages on its way.  It is a stream once it is
 * STREAM_PIECES windows long and nearly all of it was touched: a task that picks
 * pages here and there never has one.  Its pieces are stretches of ra_pages.
 * The page tables map a huge folio as a whole without any event, so such folios
 * count as touched once the task is past them.
 */
#include "verify/model/judge.h"

#define STREAM_PIECES 2u
/* Of the pages of a run, how many must have been touched, in percent. */
#define DENSE_PERCENT 90u
/* As for figures_access(): more of one access need not be looked at. */
#define ACCESS_PAGES_MAX (1u << 16)
/* Huge folios ahead that a task may have gone through without an event. */
#define HUGE_AHEAD_MAX 4096u
/* ra_pages while no window has said it: the kernel's default, 128 KiB */
#define REACH_MIN 32u

static struct stretch *run_of(struct task *t, u32 dev, u64 ino)
{
	struct stretch *r = t->run, old;

	if (r[0].ino == ino && r[0].dev == dev)
		return &r[0];
	/* the one that was used last comes first */
	old = r[1].ino == ino && r[1].dev == dev ? r[1] : (struct stretch){.dev = dev, .ino = ino};
	r[1] = r[0];
	r[0] = old;
	return &r[0];
}

static struct stream *new_stream(struct model *m, const struct task *t, const struct stretch *r)
{
	struct model_phase *p = m->now;
	struct stream *s;

	if (p->n_streams == MODEL_MAX_STREAMS || m->n_streams == MODEL_ALL_STREAMS)
		return NULL;
	if (!p->streams)
		p->streams = xcalloc(MODEL_MAX_STREAMS, sizeof(*s));
	s = &p->streams[p->n_streams];
	*s = (struct stream){.index = p->n_streams,
			     .number = p->n_streams,
			     .pid = t->pid,
			     .inferred = true,
			     .dev = r->dev,
			     .ino = r->ino};
	p->n_streams++;
	m->n_streams++;
	return s;
}

/* Where the huge folios end that follow the run: it may have gone through them unseen. */
static u64 huge_end(const struct model *m, const struct stretch *r)
{
	u32 shift = huge_shift(m);

	if (!m->any_huge)
		return r->hi;
	return MAX(r->hi, page_set_hole(m->huge, r->dev, r->ino, r->hi >> shift, HUGE_AHEAD_MAX)
				  << shift);
}

/* Pages of huge folios in the run, none of which is in @r->touched. */
static u64 huge_pages(const struct model *m, const struct stretch *r)
{
	u32 shift = huge_shift(m);

	if (!m->any_huge)
		return 0;
	return page_set_count(m->huge, r->dev, r->ino, r->lo >> shift,
			      (r->hi >> shift) - (r->lo >> shift))
	       << shift;
}

void streams_access(struct model *m, struct task *t, const struct event *ev)
{
	struct model_phase *p = m->now;
	u64 first = ev->access.index, reach = MAX(m->ra_pages, (u64)REACH_MIN), n;
	struct stretch *r;

	if (!p || p->stream_markers || ev->access.last < first || first >= 1ull << 52 ||
	    !is_test_file(m, ev->dev, ev->ino))
		return;
	n = MIN(ev->access.last - first, ACCESS_PAGES_MAX - 1) + 1;
	r = run_of(t, ev->dev, ev->ino);
	if (!r->hi || first > huge_end(m, r) + reach || first + n + reach < r->lo)
		*r = (struct stretch){.dev = ev->dev, .ino = ev->ino, .lo = first, .hi = first};
	/* as it was before this access, which may go to the end of the next piece first */
	if ((r->touched + huge_pages(m, r)) * 100 >= (r->hi - r->lo) * DENSE_PERCENT)
		r->pieces = MAX(r->pieces, (r->hi - r->lo) / reach);
	if (!r->stream && r->pieces >= STREAM_PIECES)
		r->stream = new_stream(m, t, r);
	if (r->stream) {
		/* the next piece has begun once it is touched */
		u64 begun = r->pieces + (first >= r->lo + r->pieces * reach);

		r->stream->pieces = (u32)MIN(MAX(begun, (u64)r->stream->pieces), (u64)UINT32_MAX);
		r->stream->offset = r->lo << m->page_shift;
		r->stream->length = (r->hi - r->lo) << m->page_shift;
	}
	t->stream = r->stream;
	/* whole folios are mapped, and what follows in there is no event */
	if (ev->type != EV_GET_PAGES && n == ev->access.last - first + 1)
		folios_mapped(m, ev, &first, &n);
	if (!m->any_huge || !page_set_count(m->huge, ev->dev, ev->ino, first >> huge_shift(m), 1))
		r->touched += page_set_add(m->touched, ev->dev, ev->ino, first, n);
	r->lo = MIN(r->lo, first);
	r->hi = MAX(r->hi, first + n);
}

bool judge_unclear_streams(struct judge *j, u64 windows, double first)
{
	const struct model_phase *p = j->phase;
	u32 tasks = 0;

	if (p->stream_markers || j->result.violations)
		return false;
	for (u32 i = 0; i < p->n_streams; i++) {
		u32 k = 0;

		while (k < i && p->streams[k].pid != p->streams[i].pid)
			k++;
		tasks += k == i;
	}
	if ((double)windows <= (first + 1) * tasks)
		return false;
	judge_undecided(
		j, WHY_NOT_MEASURABLE,
		"not measurable: %llu synchronous windows of %u tasks; without markers nobody "
		"knows whether they begin streams, or pieces of one",
		(unsigned long long)windows, tasks);
	return true;
}
