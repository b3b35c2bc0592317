// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>
#include <string.h>

#include "verify/model/judge.h"

enum { LIMIT_WINDOWS };

#define WAITING_MAX 64u

struct marker_hit_state {
	u64 hits, covered, unknown;
	u64 empty; /* windows of hits that added no page: all of them were cached */
	/* bare traces: hits whose hole may have been cached before the trace began */
	struct waiting {
		struct finding f;
		u32 dev;
		u64 ino, hole;
	} waiting[WAITING_MAX];
	u32 n_waiting;
};

static void marker_hit_hit(struct judge *j, const struct marker_hit *h)
{
	struct marker_hit_state *st = j->state;
	struct finding f;

	st->hits++;
	if (h->followed)
		return;
	if (!marker_hit_lost(j->model, h, j->limit[LIMIT_WINDOWS])) {
		st->covered++;
		return;
	}
	f = finding_at(j->model, h->ts, h->seq, h->cpu, h->pid, h->index);
	f.weight = -(double)(h->hole - h->index); /* the nearest hole is the worst */
	if (h->stream)
		snprintf(f.text, sizeof(f.text),
			 "marker hit in piece %u of stream %u started no readahead, although the "
			 "page %llu after it is not cached",
			 h->piece, h->stream->number, (unsigned long long)(h->hole - h->index));
	else
		snprintf(f.text, sizeof(f.text),
			 "marker hit started no readahead, although the page %llu after it is "
			 "not cached",
			 (unsigned long long)(h->hole - h->index));
	if (j->model->capture->has_json) {
		judge_violation(j, &f);
		return;
	}
	/* without proof that the cache was cold, wait until the page is really added */
	if (st->n_waiting == WAITING_MAX) {
		memmove(st->waiting, st->waiting + 1, (WAITING_MAX - 1) * sizeof(*st->waiting));
		st->n_waiting--;
		st->unknown++;
	}
	st->waiting[st->n_waiting++] = (struct waiting){f, h->dev, h->ino, h->hole};
}

static void marker_hit_folio(struct judge *j, const struct event *ev)
{
	struct marker_hit_state *st = j->state;
	u64 pages = order_pages(ev->folio.order);
	u32 kept = 0;

	if (!st->n_waiting)
		return;
	for (u32 i = 0; i < st->n_waiting; i++) {
		struct waiting *w = &st->waiting[i];

		if (w->ino == ev->ino && w->dev == ev->dev && w->hole >= ev->folio.index &&
		    w->hole - ev->folio.index < pages)
			judge_violation(j, &w->f);
		else
			st->waiting[kept++] = *w;
	}
	st->n_waiting = kept;
}

static void marker_hit_window_end(struct judge *j, const struct window *w)
{
	struct marker_hit_state *st = j->state;

	st->empty += w->cause == RA_MARKER && !w->pages;
}

static void marker_hit_finish(struct judge *j)
{
	struct marker_hit_state *st = j->state;
	char empty[64] = "";

	assert(st->hits == j->phase->shown_hits);
	st->unknown += st->n_waiting;
	if (st->empty)
		snprintf(empty, sizeof(empty), " (%llu of cached pages only)",
			 (unsigned long long)st->empty);
	j->result.examined = st->hits - st->unknown;
	judge_detail(j,
		     "%llu marker hit%s, %llu started readahead%s, %llu had nothing left to read, "
		     "%llu lost%s",
		     (unsigned long long)st->hits, PLURAL(st->hits),
		     (unsigned long long)(st->hits - j->phase->stats.marker_hits_idle), empty,
		     (unsigned long long)st->covered, (unsigned long long)j->result.violations,
		     st->unknown ? "; the rest can't be told" : "");
	if (st->unknown && !j->result.violations)
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: %llu marker hit%s started nothing, and what was "
				"cached before the trace is not known",
				(unsigned long long)st->unknown, PLURAL(st->unknown));
	else if (page_set_full(j->model->cached) && j->result.violations)
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: too many files to know what was cached");
}

static const struct check_ops marker_hit_ops = {
	.state_size = sizeof(struct marker_hit_state),
	.marker_hit = marker_hit_hit,
	.folio = marker_hit_folio,
	.window_end = marker_hit_window_end,
	.finish = marker_hit_finish,
};

const struct check check_marker_hit = {
	.name = "marker-hit-starts-readahead",
	.summary = "a reader at a readahead marker starts the next window",
	.explain =
		"Readahead marks one folio of each window.  A reader that comes to it calls\n"
		"page_cache_async_ra(), which must start the next window while the rest of this\n"
		"one is still unread: that is the pipeline.  The flag is cleared by the hit, so a\n"
		"hit that starts nothing is lost for good; the reader runs to the end of the\n"
		"cached range and then waits for the disk.\n"
		"\n"
		"A finding is a page_cache_async_ra event that no page_cache_ra_order of the same\n"
		"task and file follows before the task's next access, while a page within the next\n"
		"windows x ra_pages pages of the file is not in the page cache.  Where all of them\n"
		"are cached (another thread has read them, or the file ends) there was nothing to\n"
		"start.  What is cached is counted from the page cache's add and delete events\n"
		"since the phase began; in a bare trace, which may have begun with a warm cache, a\n"
		"hit counts only if that page is added later.  Examined: all marker hits.\n"
		"\n"
		"A window that adds no page, because all of them are cached, counts as started:\n"
		"the kernel did go on, and its next marker is what decides.  How many there are is\n"
		"said; a stream in which no hit brings pages in fails folio-order-ramps-up.\n"
		"\n"
		"Look further: the finding's task in trace-cmd report; order, size and async_size of\n"
		"page_cache_async_ra are the state it found: the expected marker is at\n"
		"start + size - async_size.\n",
	.needs = EV_BIT(EV_RA_ASYNC) | EV_BIT(EV_RA_ORDER) | EV_BIT(EV_FOLIO_ADD),
	.needs_cold = true,
	.limits = {[LIMIT_WINDOWS] =
			   {"windows", 2,
			    "look-ahead that must be cached for a hit to be idle, in ra_pages"}},
	.ops = &marker_hit_ops,
};
