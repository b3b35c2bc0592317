// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/model.h"

#include <string.h>

#include "verify/input/input.h"
#include "verify/model/chains.h"
#include "verify/model/figures.h"
#include "verify/model/judge.h"
#include "verify/model/replay.h"

/* Does a phase name a check that rests on them? */
static bool checks_need_figures(const struct capture *c)
{
	const struct experiment *exp = c->run ? c->run->exp : NULL;

	for (unsigned int i = 0; exp && i < exp->n_phases; i++)
		for (unsigned int k = 0; k < exp->phases[i].n_checks; k++) {
			const struct check *check = check_find(exp->phases[i].checks[k]);

			if (check && check->needs_figures)
				return true;
		}
	return false;
}

struct model *model_new(const struct capture *c, const struct analyze_options *opt,
			const struct trace_info *info, const struct trace *trace)
{
	struct model *m = xcalloc(1, sizeof(*m));
	u32 page_size = c->page_size ? c->page_size : info ? info->page_size : 0;

	m->capture = c;
	m->opt = opt;
	m->info = info;
	m->trace = trace;
	m->page_shift = 12;
	if (page_size >= 4096 && !(page_size & (page_size - 1)))
		m->page_shift = __builtin_ctz(page_size);
	m->pool.left = PAGE_POOL_CHUNKS;
	m->cached = page_set_new(&m->pool);
	m->touched = page_set_new(&m->pool);
	m->huge = page_set_new(&m->pool);
	m->tails = page_set_new(&m->pool);
	if (opt && opt->observer)
		m->observed = opt->observer->begin(opt->observer->arg, c);
	if (m->observed)
		m->observer = opt->observer;
	if ((opt && opt->stats) || checks_need_figures(c))
		m->figures = figures_new(&m->pool);
	if (opt && opt->chain.what != CHAIN_NONE)
		m->chains = chains_new(&opt->chain);
	if (c->blktrace && c->trace)
		m->join = join_new(c->has_json ? c->disk_dev : 0);
	phases_init(m);
	m->replay = model_replay_new(m);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	model_replay_free(m);
	for (unsigned int i = 0; i < m->n_phases; i++) {
		judges_free(&m->phases[i]);
		free(m->phases[i].streams);
		phase_figures_free(m->phases[i].stats.figures);
	}
	figures_free(m->figures);
	tasks_forget(m);
	chains_free(m->chains);
	free(m->phases);
	free(m->lost);
	free(m->join_phases);
	page_set_free(m->cached);
	page_set_free(m->touched);
	page_set_free(m->huge);
	page_set_free(m->tails);
	tasks_free(m);
	join_free(m->join);
	free(m);
}

bool is_test_file(const struct model *m, u32 dev, u64 ino)
{
	const struct capture *c = m->capture;
	const struct phase_info *p = m->now ? m->now->info : NULL;

	if (p && p->whole_system)
		return !p->dev || dev == p->dev;
	if (!c->has_json || !c->file_ino)
		return true;
	if (c->file_dev && dev != c->file_dev)
		return false;
	return ino == c->file_ino || (c->n_files > 1 && capture_file(c, ino));
}

/* ---- marker hits ---- */

static void show_hit(struct model *m, struct task *t, bool followed)
{
	struct marker_hit *h = &t->hit;
	struct model_phase *p = m->now;

	t->last = LAST_NONE;
	if (!h->test_file || !p)
		return;
	h->followed = followed;
	h->hole = UINT64_MAX;
	if (!followed) {
		u64 n = MIN(h->ra_pages * HOLE_WINDOWS, HOLE_PAGES_MAX);
		u64 hole = page_set_hole(m->cached, h->dev, h->ino, h->index + 1, n);

		if (h->index + 1 < UINT64_MAX - n && hole < h->index + 1 + n)
			h->hole = hole;
		p->stats.marker_hits_idle++;
	}
	p->shown_hits++;
	for (unsigned int i = 0; i < p->n_judges; i++)
		if (p->judges[i].check->ops->marker_hit)
			p->judges[i].check->ops->marker_hit(&p->judges[i], h);
}

bool marker_hit_lost(const struct model *m, const struct marker_hit *h, double windows)
{
	const struct capture *c = m->capture;

	if (h->followed)
		return false;
	if (c->has_json && c->file_size &&
	    h->hole > (capture_file_size(c, h->ino) - 1) >> m->page_shift)
		return false;
	return (double)(h->hole - h->index) <= windows * (double)h->ra_pages;
}

void task_settle(struct model *m, struct task *t)
{
	if (t->last == LAST_ASYNC)
		show_hit(m, t, false);
	if (t->window_open)
		close_window(m, t);
	t->last = LAST_NONE;
}

void show_miss(struct model *m, const struct task *t, const struct event *ev, bool readaround)
{
	const struct fault_miss miss = {.ts = ev->ts,
					.seq = ev->seq,
					.pid = ev->pid,
					.cpu = ev->cpu,
					.readaround = readaround,
					.index = t->index};
	struct model_phase *p = m->now;

	if (!p || !is_test_file(m, ev->dev, ev->ino))
		return;
	p->stats.misses++;
	for (unsigned int i = 0; i < p->n_judges; i++)
		if (p->judges[i].check->ops->miss)
			p->judges[i].check->ops->miss(&p->judges[i], &miss);
}

/* ---- events of a task ---- */

static void observed_fault(struct model *m, const struct event *ev)
{
	m->now->stats.faults++;
	if (m->observer)
		m->observer->fault(m->observed, m->now, ev);
}

static void show_read(struct model *m, const struct task *t, const struct event *ev)
{
	struct model_phase *p = m->now;

	if (!p || !p->n_read_judges || !t->stream || !is_test_file(m, ev->dev, ev->ino))
		return;
	for (unsigned int i = 0; i < p->n_read_judges; i++)
		p->read_judges[i]->check->ops->read(p->read_judges[i], t->stream, ev);
}

/*
 * netfs_readahead() says what it was asked for, and then, with the same number,
 * what netfs_rreq_expand() made of it.
 */
static void netfs_event(struct model *m, struct task *t, const struct event *ev)
{
	struct phase_stats *st = m->now ? &m->now->stats : NULL;
	const struct capture *c = m->capture;

	if (!st || (c->has_json && c->file_ino && ev->ino != c->file_ino))
		return;
	if (t->netfs_len && t->netfs_request == ev->netfs.request) {
		st->netfs_expanded++;
		st->netfs_bytes += ev->netfs.len - MIN(t->netfs_len, ev->netfs.len);
	} else {
		st->netfs_requests++;
		st->netfs_bytes += ev->netfs.len;
	}
	t->netfs_request = ev->netfs.request;
	t->netfs_len = ev->netfs.len;
}

static void access_event(struct model *m, struct task *t, const struct event *ev)
{
	if (t->last == LAST_ASYNC || t->window_open)
		task_settle(m, t);
	t->last = LAST_NONE;
	streams_access(m, t, ev);
	figures_access(m, ev);
	chains_access(m, t, ev);
	if (ev->type == EV_GET_PAGES)
		show_read(m, t, ev);
	if (ev->type != EV_FAULT)
		return;
	/*
	 * filemap_fault() goes straight on to do_sync_mmap_readahead() or
	 * do_async_mmap_readahead(): the task's next event tells which.
	 */
	t->last = LAST_FAULT;
	t->after_fault = false;
	t->dev = ev->dev;
	t->ino = ev->ino;
	t->index = ev->access.index;
	if (m->now && is_test_file(m, ev->dev, ev->ino))
		observed_fault(m, ev);
}

/* Is the last event one that leads to readahead of the same file? */
static bool leads(const struct task *t, enum task_last last, const struct event *ev)
{
	return t->last == last && t->ino == ev->ino && t->dev == ev->dev;
}

/*
 * page_cache_sync_ra(): from filemap_get_pages(), which traces itself only
 * afterwards, or from do_sync_mmap_readahead() of a VM_SEQ_READ mapping, right
 * after filemap_fault() for the same page.
 */
static void sync_event(struct model *m, struct task *t, const struct event *ev)
{
	bool after_fault = leads(t, LAST_FAULT, ev);
	bool fault = after_fault && t->index == ev->ra.index;

	task_settle(m, t);
	t->after_fault = after_fault;
	chains_lead(m, t, ev, after_fault);
	t->last = LAST_SYNC;
	t->from_fault = fault;
	t->dev = ev->dev;
	t->ino = ev->ino;
	t->index = ev->ra.index;
	t->req_count = ev->ra.req_count;
}

/* page_cache_async_ra(): a folio with the readahead flag was read or faulted. */
static void async_event(struct model *m, struct task *t, const struct event *ev)
{
	bool after_fault = leads(t, LAST_FAULT, ev);
	struct stream *s = stream_for(t, ev);

	task_settle(m, t);
	t->after_fault = after_fault;
	chains_lead(m, t, ev, after_fault);
	t->last = LAST_ASYNC;
	t->dev = ev->dev;
	t->ino = ev->ino;
	t->index = ev->ra.index;
	t->hit = (struct marker_hit){.ts = ev->ts,
				     .seq = ev->seq,
				     .pid = ev->pid,
				     .cpu = ev->cpu,
				     .order = ev->ra.order,
				     .test_file = is_test_file(m, ev->dev, ev->ino),
				     .dev = ev->dev,
				     .ino = ev->ino,
				     .index = ev->ra.index,
				     .ra_pages = ev->ra.ra_pages,
				     .stream = s,
				     .piece = s ? s->pieces : 0};
	if (m->now && t->hit.test_file)
		m->now->stats.marker_hits++;
}

static void order_event(struct model *m, struct task *t, const struct event *ev)
{
	enum ra_cause cause = RA_UNKNOWN;
	bool has_access = true;

	if (t->window_open)
		close_window(m, t);
	if (leads(t, LAST_ASYNC, ev)) {
		cause = RA_MARKER;
		show_hit(m, t, true);
	} else if (leads(t, LAST_SYNC, ev)) {
		cause = t->from_fault ? RA_SEQ_FAULT : RA_SYNC_READ;
	} else if (leads(t, LAST_FAULT, ev)) {
		cause = fault_cause(m, t, ev);
	} else {
		task_settle(m, t);
		has_access = false;
	}
	open_window(m, t, ev, cause, has_access);
}

/*
 * page_cache_ra_unbounded(): the rest of a window that page_cache_ra_order()
 * could not finish because it met a cached page (do_page_cache_ra() at its
 * "fallback"); a small read that page_cache_sync_ra() takes for random, or a
 * file opened for random access; else force_page_cache_ra() of fadvise(2),
 * madvise(2), readahead(2), in chunks of 2 MiB, or a file system's own.
 */
static void unbounded_event(struct model *m, struct task *t, const struct event *ev)
{
	enum ra_cause cause = RA_FORCED;
	bool has_access = false;

	if (t->window_open && t->window.cause != RA_FORCED &&
	    in_window(&t->window, ev, ev->ra.index, 1) && ev->ra.index >= t->window.start) {
		chains_part(m, t, ev);
		return;
	}
	if (t->window_open)
		close_window(m, t);
	if (leads(t, LAST_SYNC, ev)) {
		cause = t->from_fault ? RA_SEQ_FAULT : RA_SYNC_READ;
		has_access = true;
	} else {
		task_settle(m, t);
	}
	open_window(m, t, ev, cause, has_access);
}

static void add_event(struct model *m, const struct event *ev)
{
	u64 pages = order_pages(ev->folio.order);
	struct model_phase *p = m->now;
	struct task *t = task_get(m, ev->pid, ev->cpu);
	struct window *w = &t->window;
	bool test_file = is_test_file(m, ev->dev, ev->ino);

	if (ev->folio.order || m->any_large)
		folios_add(m, ev);
	if (t->window_open && in_window(w, ev, ev->folio.index, pages)) {
		if (m->figures)
			figures_add(m, ev, w);
		if (m->chains)
			chains_add(m, t, ev, true);
		w->folios++;
		w->pages += pages;
		if (ev->folio.order != ORDER_UNKNOWN &&
		    (w->max_order == ORDER_UNKNOWN || ev->folio.order > w->max_order))
			w->max_order = ev->folio.order;
	} else {
		if (t->last == LAST_FAULT && t->ino == ev->ino && t->dev == ev->dev &&
		    t->index - ev->folio.index < pages)
			show_miss(m, t, ev, false);
		/*
		 * filemap_create_folio(), or a fault without readahead: it ends what was
		 * open.  A folio of another file does not: where blocks are has to be
		 * read from the disk in the middle of a window.
		 */
		if (t->window_open ? w->ino == ev->ino && w->dev == ev->dev : t->last)
			task_settle(m, t);
		figures_add(m, ev, NULL);
		chains_add(m, t, ev, false);
		if (p && test_file)
			p->untraced_folios++;
	}
	if (!test_file)
		return;
	page_set_add(m->cached, ev->dev, ev->ino, ev->folio.index, pages);
	if (!p)
		return;
	p->stats.pages_added += pages;
	if (ev->folio.order == ORDER_UNKNOWN)
		p->stats.folios_unknown_order++;
	else
		p->stats.folios[MIN(ev->folio.order, ORDERS_MAX - 1)]++;
	p->shown_folios++;
	if (m->observer)
		m->observer->folio(m->observed, p, ev);
	for (unsigned int i = 0; i < p->n_folio_judges; i++)
		p->folio_judges[i]->check->ops->folio(p->folio_judges[i], ev);
}

/* The device that the phase is about; 0: any. */
static u32 phase_device(const struct model *m)
{
	const struct capture *c = m->capture;
	const struct phase_info *p = m->now ? m->now->info : NULL;

	if (p && p->whole_system)
		return p->dev;
	return c->has_json ? c->disk_dev : 0;
}

static void request_event(struct model *m, const struct event *ev)
{
	struct phase_stats *st = m->now ? &m->now->stats : NULL;
	u32 dev = phase_device(m);

	if (m->join)
		join_guest(m->join, ev);
	if (m->replay)
		model_replay_event(m, ev);
	if (st && (m->figures || m->chains) && (!dev || ev->dev == dev)) {
		struct task *t = task_get(m, ev->pid, ev->cpu);

		figures_request(m, t, ev);
		chains_request(m, t, ev);
	}
	if (!st || ev->type != EV_RQ_ISSUE || (dev && ev->dev != dev))
		return;
	if (ev->rq.flags & RQ_WRITE) {
		st->guest_write_requests++;
		st->guest_write_bytes += ev->rq.bytes;
	} else if (ev->rq.flags & RQ_READ) {
		st->guest_requests++;
		st->guest_bytes += ev->rq.bytes;
	}
}

void model_event(struct model *m, const struct event *ev)
{
	if (m->chains)
		chains_event(m, ev);
	if (ev->type != EV_LOST) {
		if (!m->events++)
			m->first_ns = ev->ts;
		m->last_ns = ev->ts;
		if (!m->now && !m->markers && !m->capture->has_json)
			phase_start(m, NULL, ev->ts);
		if (m->now)
			m->now->stats.events++;
		if (m->now)
			m->now->stats.by_type[ev->type]++;
	}
	switch (ev->type) {
	case EV_FOLIO_ADD:
		add_event(m, ev);
		break;
	case EV_FOLIO_DELETE:
		figures_delete(m, ev);
		folios_delete(m, ev);
		if (is_test_file(m, ev->dev, ev->ino))
			page_set_remove(m->cached, ev->dev, ev->ino, ev->folio.index,
					order_pages(ev->folio.order));
		break;
	case EV_FAULT:
	case EV_GET_PAGES:
	case EV_MAP_PAGES:
		access_event(m, task_get(m, ev->pid, ev->cpu), ev);
		break;
	case EV_RA_SYNC:
		sync_event(m, task_get(m, ev->pid, ev->cpu), ev);
		break;
	case EV_RA_ASYNC:
		async_event(m, task_get(m, ev->pid, ev->cpu), ev);
		break;
	case EV_RA_ORDER:
		order_event(m, task_get(m, ev->pid, ev->cpu), ev);
		break;
	case EV_RA_UNBOUNDED:
		unbounded_event(m, task_get(m, ev->pid, ev->cpu), ev);
		break;
	case EV_NETFS_READ:
		netfs_event(m, task_get(m, ev->pid, ev->cpu), ev);
		break;
	case EV_STRIDED_READ:
		if (m->now && is_test_file(m, ev->dev, ev->ino))
			m->now->stats.strided_reads++;
		break;
	case EV_MARKER:
		phase_marker(m, ev);
		break;
	case EV_RQ_QUEUE:
	case EV_RQ_INSERT:
	case EV_RQ_ISSUE:
	case EV_RQ_COMPLETE:
		request_event(m, ev);
		break;
	case EV_LOST:
		phase_lost(m, ev);
		break;
	default:
		break;
	}
}

void model_finish(struct model *m)
{
	if (m->now && m->now->implicit) {
		m->now->ended = true;
		phase_stop(m, m->last_ns);
	} else if (m->now) {
		/* no end marker: the trace stops within the phase */
		phase_stop(m, m->last_ns);
	}
	if (m->join)
		model_match_host(m);
	if (m->replay)
		model_replay_finish(m);
	figures_finish(m);
	chains_finish(m);
	for (unsigned int i = 0; i < m->n_phases; i++) {
		m->phases[i].stats.strided_known =
			m->info && m->info->event_types & EV_BIT(EV_STRIDED_READ);
		judges_finish(&m->phases[i]);
	}
}
