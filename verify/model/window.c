// SPDX-License-Identifier: GPL-2.0-only
/* Readahead windows: what led to them, when they open and close. */
#include <string.h>

#include "verify/model/chains.h"
#include "verify/model/figures.h"
#include "verify/model/judge.h"

static void show_window(struct model *m, const struct window *w, bool end)
{
	struct model_phase *p = m->now;

	for (unsigned int i = 0; i < p->n_judges; i++) {
		struct judge *j = &p->judges[i];
		const struct check_ops *ops = j->check->ops;

		if (end ? (bool)ops->window_end : (bool)ops->window)
			(end ? ops->window_end : ops->window)(j, w);
	}
}

struct stream *stream_for(const struct task *t, const struct event *ev)
{
	struct stream *s = t->stream;

	return s && s->inferred && (s->ino != ev->ino || s->dev != ev->dev) ? NULL : s;
}

void open_window(struct model *m, struct task *t, const struct event *ev, enum ra_cause cause,
		 bool has_access)
{
	struct window *w = &t->window;
	bool unbounded = ev->type == EV_RA_UNBOUNDED;
	struct stream *s = stream_for(t, ev);

	if (!unbounded && ev->ra.ra_pages)
		m->ra_pages = ev->ra.ra_pages;

	*w = (struct window){.ts = ev->ts,
			     .seq = ev->seq,
			     .pid = ev->pid,
			     .cpu = ev->cpu,
			     .order = unbounded ? 0 : ev->ra.order,
			     .test_file = is_test_file(m, ev->dev, ev->ino),
			     .dev = ev->dev,
			     .ino = ev->ino,
			     .cause = cause,
			     .start = ev->ra.index,
			     .size = unbounded ? ev->ra.req_count : ev->ra.size,
			     .async_size = ev->ra.async_size,
			     .ra_pages = unbounded ? 0 : ev->ra.ra_pages,
			     .access = t->index,
			     .has_access = has_access,
			     .after_fault = has_access && (t->last == LAST_FAULT || t->after_fault),
			     .stream = s,
			     .piece = s ? s->pieces : 0,
			     .max_order = ORDER_UNKNOWN};
	/* a read that follows a fault on the same file is not one of the fault's */
	if (cause == RA_SYNC_READ)
		w->after_fault = false;
	if (w->after_fault && cause != RA_MARKER)
		show_miss(m, t, ev, cause == RA_READAROUND);
	t->window_open = true;
	t->last = LAST_NONE;
	chains_window(m, t, w);
	if (!m->now)
		return;
	figures_window(m, w);
	if (!w->test_file)
		return;
	w->cached =
		page_set_count(m->cached, w->dev, w->ino, w->start, MIN(w->size, HOLE_PAGES_MAX));
	m->now->stats.windows[cause]++;
	m->now->stats.window_pages[cause] += w->size;
	m->now->shown_windows++;
	show_window(m, w, false);
}

void close_window(struct model *m, struct task *t)
{
	t->window_open = false;
	chains_window_end(m, t);
	if (!m->now)
		return;
	figures_window_end(m, &t->window);
	if (!t->window.test_file)
		return;
	show_window(m, &t->window, true);
	if (m->observer)
		m->observer->window(m->observed, m->now, &t->window);
}

bool in_window(const struct window *w, const struct event *ev, u64 index, u64 pages)
{
	/* compared this way round so that nothing wraps */
	if (w->ino != ev->ino || w->dev != ev->dev)
		return false;
	if (index >= w->start)
		return index - w->start < w->size;
	/* mapping_align_index(): a minimum folio size may begin before the window */
	return w->start - index < pages;
}

/*
 * The three ways of do_sync_mmap_readahead() to page_cache_ra_order() that do
 * not pass page_cache_sync_ra().  The event's index is the task's own; its
 * order and sizes are those of struct file_ra_state, which threads share and
 * may have changed in between, so the index decides before the order.
 */
/*
 * Our own variants of 2009 (patches/0003-*) have no VM_EXEC branch, and no marker
 * in a read-around window: at the start of a file it looks like the other.
 */
static bool has_exec_branch(const struct model *m)
{
	const char *variant = m->capture->mmap_readahead;

	return !*variant || !strcmp(variant, "today");
}

enum ra_cause fault_cause(const struct model *m, const struct task *t, const struct event *ev)
{
	u64 half = ev->ra.ra_pages / 2;
	u64 around = t->index > half ? t->index - half : 0;
	u64 folio = order_pages(ev->ra.order);

	if (ev->ra.index == around && (!ev->ra.order || ev->ra.async_size != folio))
		return ev->ra.index == t->index && !ev->ra.async_size && has_exec_branch(m)
			       ? RA_EXEC
			       : RA_READAROUND;
	/* VM_HUGEPAGE: aligned, one huge folio, or two with a marker on the second */
	if (ev->ra.order && ev->ra.async_size == folio &&
	    (ev->ra.size == folio || ev->ra.size == 2 * folio) &&
	    ev->ra.index == (t->index & ~(folio - 1)))
		return RA_HUGEPAGE;
	/* VM_EXEC: forwards from the fault, no marker */
	if (!ev->ra.async_size && ev->ra.index <= t->index &&
	    t->index - ev->ra.index < MAX(folio, 1))
		return RA_EXEC;
	if (ev->ra.index == around)
		return RA_READAROUND;
	return RA_UNKNOWN;
}
