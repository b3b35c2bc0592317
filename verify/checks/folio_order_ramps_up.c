// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>

#include "verify/model/judge.h"

enum { LIMIT_FIRST_PIECES, LIMIT_WINDOWS };

struct ramp_stream {
	u64 windows;   /* all of the stream's */
	u64 async;     /* that a marker hit started */
	u64 effective; /* ... and that added at least half of its pages */
	u64 lost;      /* marker hits that should have started one */
	u64 fallbacks; /* order-0 windows after the first pieces */
	u8 max_order;
	u64 resets; /* ramp_state.resets at the last marker window */
	u32 run;    /* marker windows since anyone's last order-0 window */
	u32 longest;
	struct finding last; /* the place of the last window or hit */
};

struct ramp_state {
	u64 windows, streams;
	u64 resets;    /* order-0 windows of any task: they reset the shared order */
	u64 ra_pages;  /* the largest */
	int max_folio; /* order of the largest folio that a window added */
	int max_asked; /* the largest order that a window asked for and had room for */
};

static int log2_pages(u64 pages)
{
	return pages ? 63 - __builtin_clzll(pages) : 0;
}

static void ramp_hit(struct judge *j, const struct marker_hit *h)
{
	struct ramp_stream *rs;

	if (!h->stream)
		return;
	rs = judge_stream(j, h->stream);
	if (!marker_hit_lost(j->model, h, j->limit[LIMIT_WINDOWS]))
		return;
	rs->lost++;
	rs->last = finding_at(j->model, h->ts, h->seq, h->cpu, h->pid, h->index);
}

/*
 * In its first pieces a stream may read around, even after a marker hit: the
 * window that the first hit starts can lie where a read-around has been.
 */
static void ramp_sync(struct judge *j, const struct window *w, struct ramp_stream *rs)
{
	struct finding f;

	if (w->piece <= j->limit[LIMIT_FIRST_PIECES] || w->stream->jumps)
		return;
	rs->fallbacks++;
	f = finding_at(j->model, w->ts, w->seq, w->cpu, w->pid,
		       w->has_access ? w->access : w->start);
	f.weight = (double)(w->size - MIN(w->cached, w->size));
	snprintf(f.text, sizeof(f.text),
		 "stream %u fell back to order 0 (%s, %llu pages) in piece %u, "
		 "after %llu window%s of marker hits",
		 w->stream->number, ra_cause_name(w->cause), (unsigned long long)w->size, w->piece,
		 (unsigned long long)rs->effective, PLURAL(rs->effective));
	judge_violation(j, &f);
}

static void ramp_window(struct judge *j, const struct window *w)
{
	struct ramp_state *st = j->state;
	struct ramp_stream *rs;
	/*
	 * A read-around is of order 0 by definition; its event may show the order that
	 * another thread has just set in the shared state.
	 */
	bool sync = w->cause == RA_READAROUND ||
		    (!w->order && w->cause != RA_MARKER && w->cause != RA_FORCED);

	st->windows++;
	st->resets += sync;
	st->ra_pages = MAX(st->ra_pages, w->ra_pages);
	if (!w->stream)
		return;
	rs = judge_stream(j, w->stream);
	rs->windows++;
	if (sync) {
		rs->run = 0;
		ramp_sync(j, w, rs);
	} else if (w->cause == RA_MARKER) {
		rs->async++;
		rs->run = rs->resets == st->resets ? rs->run + 1 : 1;
		rs->longest = MAX(rs->longest, rs->run);
		rs->max_order = MAX(rs->max_order, w->order);
	}
	rs->resets = st->resets;
	rs->last = finding_at(j->model, w->ts, w->seq, w->cpu, w->pid, w->start);
}

static void ramp_window_end(struct judge *j, const struct window *w)
{
	struct ramp_state *st = j->state;
	struct ramp_stream *rs;

	if (w->max_order != ORDER_UNKNOWN)
		st->max_folio = MAX(st->max_folio, (int)w->max_order);
	/*
	 * Nothing was cached or cut off, and even a misaligned window of that size holds
	 * a folio of half of it: if there is none, then not for want of room.
	 */
	if (w->pages == w->size)
		st->max_asked = MAX(st->max_asked, MIN((int)w->order, log2_pages(w->size) - 1));
	if (!w->stream || w->cause != RA_MARKER || w->pages < w->size / 2)
		return;
	rs = judge_stream(j, w->stream);
	rs->effective++;
}

/*
 * The order that windows can reach: that of a folio as large as ra_pages, unless
 * the file system stops earlier.  It shows where it stops when windows ask for
 * more than any folio has.
 */
static int attainable(const struct ramp_state *st)
{
	int order = log2_pages(st->ra_pages);

	if (st->max_asked > st->max_folio)
		order = MIN(order, st->max_folio);
	return order;
}

static void ramp_stream_finish(struct judge *j, const struct stream *s, int top)
{
	struct ramp_state *st = j->state;
	struct ramp_stream *rs = judge_stream(j, s);
	/* page_cache_async_ra() adds 2 per hit; as many hits, and one to spare, without a reset */
	u32 enough = (u32)(top + 1) / 2 + 1;

	/* others had read its range, or it was done before it had to grow, or it jumps */
	if ((s->jumps || (!rs->effective && !rs->lost)) && !rs->fallbacks)
		return;
	st->streams++;
	j->result.examined += 1 + rs->windows;
	if (!rs->effective) {
		rs->last.weight = 1e9; /* worse than any single window */
		snprintf(
			rs->last.text, sizeof(rs->last.text),
			"stream %u: no marker hit brought a window in; %llu window%s, %llu marker hit%s "
			"that started none",
			s->number, (unsigned long long)rs->windows, PLURAL(rs->windows),
			(unsigned long long)rs->lost, PLURAL(rs->lost));
		judge_violation(j, &rs->last);
	} else if (rs->max_order < top && rs->longest >= enough) {
		rs->last.weight = 1e8;
		snprintf(rs->last.text, sizeof(rs->last.text),
			 "stream %u stayed at order %u in %llu window%s that marker hits started; "
			 "%d is attainable",
			 s->number, rs->max_order, (unsigned long long)rs->async, PLURAL(rs->async),
			 top);
		judge_violation(j, &rs->last);
	}
}

static void ramp_finish(struct judge *j)
{
	struct ramp_state *st = j->state;
	int top = attainable(st);
	u64 effective = 0, jumping = 0, reached = 0, fallbacks = 0;
	u32 n = j->phase->n_streams;
	u8 max_order = 0;

	assert(st->windows == j->phase->shown_windows);
	if (judge_no_streams(j))
		return;
	for (u32 i = 0; i < n; i++) {
		const struct stream *s = &j->phase->streams[i];
		const struct ramp_stream *rs = judge_stream(j, s);

		jumping += s->jumps > 0;
		effective += rs->effective;
		fallbacks += rs->fallbacks;
		reached += rs->effective && rs->max_order >= top;
		max_order = MAX(max_order, rs->max_order);
		ramp_stream_finish(j, s, top);
	}
	if (jumping == n && !j->result.violations) {
		judge_undecided(j, WHY_NONE, "the pieces of no stream follow one another");
		return;
	}
	if (judge_unclear_streams(j, st->resets, j->limit[LIMIT_FIRST_PIECES]))
		return;
	judge_detail(j,
		     "%llu of %u stream%s: %llu window%s of marker hits, largest folio of order "
		     "%d; %llu stream%s reached %d; %llu window%s fell back to order 0",
		     (unsigned long long)st->streams, n, PLURAL(n), (unsigned long long)effective,
		     PLURAL(effective), st->max_folio, (unsigned long long)reached, PLURAL(reached),
		     top, (unsigned long long)fallbacks, PLURAL(fallbacks));
	if (!st->streams || j->result.violations)
		return;
	/* a few that are well say nothing of the others */
	if (2 * st->streams < n)
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: only %llu of %u streams could be examined; the "
				"others had no marker hit that should start readahead%s",
				(unsigned long long)st->streams, n, jumping ? ", or jump" : "");
	/* every stream was too short to show the top, and none fell back */
	else if (!reached)
		judge_undecided(
			j, WHY_NOTHING_TO_CHECK,
			"no stream is long enough to reach order %d: %llu window%s of marker "
			"hits, up to order %u",
			top, (unsigned long long)effective, PLURAL(effective), max_order);
}

static const struct check_ops folio_order_ramps_up_ops = {
	.state_size = sizeof(struct ramp_state),
	.stream_size = sizeof(struct ramp_stream),
	.window = ramp_window,
	.window_end = ramp_window_end,
	.marker_hit = ramp_hit,
	.finish = ramp_finish,
};

const struct check check_folio_order_ramps_up = {
	.name = "folio-order-ramps-up",
	.summary = "a stream's windows grow to large folios and stay",
	.explain =
		"Large folios cost less per byte in the page cache, in reclaim and in the page\n"
		"tables.  Readahead gets them by growing: page_cache_async_ra() raises the order\n"
		"by 2 per marker hit, up to what the window and the file system allow.  A\n"
		"synchronous read-around sets it back to 0, so a stream that keeps falling back\n"
		"fills the page cache with single pages.\n"
		"\n"
		"Threads that share one open file share one struct file_ra_state: another\n"
		"thread's read-around resets the order for all, so dips are healthy while streams\n"
		"start.  Therefore, per stream whose pieces follow one another (\"piece\" markers):\n"
		"- after first-pieces pieces it has no synchronous window of order 0 any more;\n"
		"- marker hits do bring windows in: at least one has half of its pages added;\n"
		"- it reaches the attainable order, if it had enough marker windows in a row, with\n"
		"  no reset by anyone in between, to get there from 0.\n"
		"Attainable is log2(ra_pages), or, where whole windows ask for a larger order than\n"
		"any folio has, that of the largest folio: the file system's limit.  If no stream\n"
		"is long enough to reach it, and none fell back, the verdict is INCONCLUSIVE.\n"
		"Where there are no markers, streams are found as for no-sync-readaround-per-piece.\n"
		"Streams whose range others had read (see marker-hit-starts-readahead for its\n"
		"windows limit) are not examined.  Examined: the other streams, and their windows;\n"
		"if they are less than half of the streams and well, the verdict is INCONCLUSIVE.\n"
		"\n"
		"Look further: trace-cmd report trace.dat | grep page_cache_ra_order; order, size and\n"
		"async_size of one task's events in turn; order= of mm_filemap_add_to_page_cache.\n",
	.needs = EV_BIT(EV_RA_ORDER) | EV_BIT(EV_RA_ASYNC) | EV_BIT(EV_FOLIO_ADD),
	.caps = CAP_FOLIO_ORDER,
	.needs_cold = true,
	.limits = {[LIMIT_FIRST_PIECES] = {"first-pieces", 2,
					   "pieces of each stream that may read around"},
		   [LIMIT_WINDOWS] =
			   {"windows", 2,
			    "look-ahead that must be cached for a hit to be idle, in ra_pages"}},
	.ops = &folio_order_ramps_up_ops,
};
