// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/figures.h"

#include <string.h>

#include "verify/input/input.h"
#include "verify/model/figures_internal.h"

/*
 * A read is traced again for each batch of folios that it comes to, 31 at
 * most, so no more than this much of what it still wants need be looked at.
 */
#define ACCESS_PAGES_MAX (1u << 16)

struct figures *figures_new(struct page_pool *pool)
{
	struct figures *f = xcalloc(1, sizeof(*f));

	f->idle = page_set_new(pool);
	f->mapped = page_set_new(pool);
	f->queued = inflight_new();
	f->issued = inflight_new();
	return f;
}

void figures_free(struct figures *f)
{
	if (!f)
		return;
	page_set_free(f->idle);
	page_set_free(f->mapped);
	inflight_free(f->queued);
	inflight_free(f->issued);
	shares_free(&f->files);
	shares_free(&f->tasks);
	free(f);
}

void figures_phase_start(struct model *m, struct model_phase *p)
{
	struct figures *f = m->figures;

	if (!f)
		return;
	phase_figures_free(p->stats.figures);
	p->stats.figures = xcalloc(1, sizeof(*p->stats.figures));
	page_set_clear(f->idle);
	page_set_clear(f->mapped);
	inflight_clear(f->queued);
	inflight_clear(f->issued);
	shares_clear(&f->files);
	shares_clear(&f->tasks);
}

static struct phase_figures *now(const struct model *m)
{
	return m->figures && m->now ? m->now->stats.figures : NULL;
}

/* Is this phase about all files of a file system, whose sizes nobody says? */
static bool whole_system(const struct model *m)
{
	return m->now && m->now->info && m->now->info->whole_system;
}

static struct figures_share *file_of(struct model *m, u32 dev, u64 ino)
{
	return share_of(&m->figures->files, dev, ino, 0);
}

static struct figures_share *task_of(struct model *m, s32 pid)
{
	return share_of(&m->figures->tasks, 0, 0, pid);
}

/* ---- windows ---- */

void figures_window(struct model *m, const struct window *w)
{
	struct phase_figures *pf = now(m);
	const struct capture *c = m->capture;
	struct ra_row *r;

	if (!pf)
		return;
	file_of(m, w->dev, w->ino)->windows++;
	task_of(m, w->pid)->windows++;
	if (!w->test_file)
		return;
	r = &pf->rows[w->cause];
	r->ra++;
	r->size += w->size;
	r->async_size += w->async_size;
	if (c->has_json && c->file_size && !whole_system(m)) {
		u64 last = (capture_file_size(c, w->ino) - 1) >> m->page_shift;

		r->eof += w->start > last || w->size > last - w->start;
	}
}

void figures_window_end(struct model *m, const struct window *w)
{
	struct phase_figures *pf = now(m);
	struct ra_row *r;

	if (!pf)
		return;
	if (w->pages) {
		file_of(m, w->dev, w->ino)->ios++;
		task_of(m, w->pid)->ios++;
	}
	if (!w->test_file)
		return;
	r = &pf->rows[w->cause];
	r->pages += w->pages;
	/* what was neither added nor cached before lies beyond the end of the file */
	if (whole_system(m))
		r->eof += w->pages + w->cached < w->size;
	r->requests += w->requests;
	r->request_bytes += w->request_bytes;
	if (!w->pages)
		return;
	r->io++;
	r->mmap += w->after_fault;
	if (w->after_fault)
		r->mmap_pages += w->pages;
	r->sync += w->has_access && w->cause != RA_MARKER && w->access >= w->start &&
		   w->access - w->start < w->size;
}

/* ---- pages ---- */

/* Those of [index, index + n) that nobody has touched yet and that are of huge folios. */
static u64 idle_huge(const struct model *m, u32 dev, u64 ino, u64 index, u64 n)
{
	u32 shift = huge_shift(m);
	u64 count = 0, end = index + n, last;

	if (!m->any_huge || !n)
		return 0;
	last = ((end - 1) >> shift) + 1;
	for (u64 i = index >> shift; (i = page_set_next(m->huge, dev, ino, i, last - i)) < last;
	     i++) {
		u64 from = MAX(index, i << shift);
		u64 to = MIN(end - 1, (i << shift) + ((1ull << shift) - 1)) + 1;

		count += page_set_count(m->figures->idle, dev, ino, from, to - from);
	}
	return count;
}

static void used(struct model *m, struct phase_figures *pf, bool test_file, u32 dev, u64 ino,
		 u64 index, u64 n)
{
	struct figures *f = m->figures;
	u64 huge = idle_huge(m, dev, ino, index, n);
	u64 idle = page_set_remove(f->idle, dev, ino, index, n);
	u64 mapped = page_set_remove(f->mapped, dev, ino, index, n);
	struct figures_share *file;

	if (!idle && !mapped)
		return;
	file = file_of(m, dev, ino);
	file->usage.used += idle + mapped;
	file->usage.mapped -= mapped;
	file->usage.huge -= huge;
	if (test_file) {
		pf->usage.huge -= huge;
		pf->usage.used += idle + mapped;
		pf->usage.mapped -= mapped;
	}
}

static void mapped(struct model *m, struct phase_figures *pf, bool test_file, u32 dev, u64 ino,
		   u64 index, u64 n)
{
	struct figures *f = m->figures;
	u64 huge = idle_huge(m, dev, ino, index, n);
	u64 moved = page_set_move(f->idle, f->mapped, dev, ino, index, n);
	struct figures_share *file;

	if (!moved)
		return;
	file = file_of(m, dev, ino);
	file->usage.mapped += moved;
	file->usage.huge -= huge;
	if (test_file) {
		pf->usage.mapped += moved;
		pf->usage.huge -= huge;
	}
}

/* An access to one page of a huge folio may map all of it; then the rest is touched unseen. */
static void mapped_huge(struct model *m, struct phase_figures *pf, const struct event *ev, u64 last)
{
	u32 shift = huge_shift(m);
	u64 end = (last >> shift) + 1;

	for (u64 i = ev->access.index >> shift;
	     (i = page_set_next(m->huge, ev->dev, ev->ino, i, end - i)) < end; i++)
		mapped(m, pf, is_test_file(m, ev->dev, ev->ino), ev->dev, ev->ino, i << shift,
		       1ull << shift);
}

void figures_access(struct model *m, const struct event *ev)
{
	struct phase_figures *pf = now(m);
	bool test_file;
	u64 first, last, n;

	if (!pf || ev->access.last < ev->access.index)
		return;
	n = MIN(ev->access.last - ev->access.index, ACCESS_PAGES_MAX - 1) + 1;
	last = ev->access.index + n - 1;
	test_file = is_test_file(m, ev->dev, ev->ino);
	if (test_file)
		pf->seen |= 1ull << ev->type;
	if (ev->type != EV_MAP_PAGES) {
		if (ev->type == EV_FAULT) {
			file_of(m, ev->dev, ev->ino)->faults++;
			task_of(m, ev->pid)->faults++;
		}
		used(m, pf, test_file, ev->dev, ev->ino, ev->access.index, n);
	}
	if (ev->type == EV_GET_PAGES)
		return;
	if (n == ev->access.last - ev->access.index + 1) {
		folios_mapped(m, ev, &first, &n);
		mapped(m, pf, test_file, ev->dev, ev->ino, first, n);
	}
	if (m->any_huge)
		mapped_huge(m, pf, ev, last);
}

void figures_add(struct model *m, const struct event *ev, const struct window *w)
{
	struct phase_figures *pf = now(m);
	u64 n = order_pages(ev->folio.order), index = ev->folio.index;
	struct figures_share *file;
	bool test_file;

	if (!pf)
		return;
	test_file = is_test_file(m, ev->dev, ev->ino);
	file = file_of(m, ev->dev, ev->ino);
	file->pages += n;
	task_of(m, ev->pid)->pages += n;
	if (!w)
		return;
	/* it may have been deleted without an event */
	page_set_remove(m->figures->mapped, ev->dev, ev->ino, index, n);
	page_set_add(m->figures->idle, ev->dev, ev->ino, index, n);
	file->usage.pages += n;
	if (test_file)
		pf->usage.pages += n;
	if (ev->folio.order != ORDER_UNKNOWN && ev->folio.order >= huge_shift(m)) {
		file->usage.huge += n;
		if (test_file)
			pf->usage.huge += n;
	}
	/* the fault or read that the window is for goes on with its page, and shows it no more */
	if (w->has_access && w->cause != RA_MARKER && w->access >= index && w->access - index < n)
		used(m, pf, test_file, ev->dev, ev->ino, w->access, 1);
	if (w->has_access && w->cause != RA_SYNC_READ && w->cause != RA_MARKER &&
	    w->access >= index && w->access - index < n)
		mapped(m, pf, test_file, ev->dev, ev->ino, index, n);
}

void figures_delete(struct model *m, const struct event *ev)
{
	u64 n = order_pages(ev->folio.order);

	if (!now(m))
		return;
	page_set_remove(m->figures->idle, ev->dev, ev->ino, ev->folio.index, n);
	page_set_remove(m->figures->mapped, ev->dev, ev->ino, ev->folio.index, n);
}

/* ---- requests ---- */

unsigned int size_class_of(u64 bytes)
{
	unsigned int c = 0;

	while (c < SIZE_CLASSES - 1 && bytes > size_class_bytes(c))
		c++;
	return c;
}

void count_request(struct request_figures *rf, u64 bytes)
{
	unsigned int c = size_class_of(bytes);

	rf->requests++;
	rf->bytes += bytes;
	rf->largest = MAX(rf->largest, bytes);
	rf->by_size[c]++;
	rf->bytes_by_size[c] += bytes;
}

void figures_request(struct model *m, struct task *t, const struct event *ev)
{
	struct phase_figures *pf = now(m);
	struct figures *f = m->figures;
	struct figures_share *task;
	struct request_figures *rf;

	if (!pf || !(ev->rq.flags & RQ_READ) || !ev->rq.bytes)
		return;
	rf = &pf->guest;
	switch (ev->type) {
	case EV_RQ_QUEUE:
		rf->queued++;
		inflight_begin(f->queued, ev->dev, ev->sector, ev->rq.bytes, ev->ts, 0);
		break;
	case EV_RQ_ISSUE:
		count_request(rf, ev->rq.bytes);
		inflight_begin(f->issued, ev->dev, ev->sector, ev->rq.bytes, ev->ts, 0);
		rf->depth_sum += inflight_count(f->issued);
		rf->depth_max = MAX(rf->depth_max, inflight_count(f->issued));
		task = task_of(m, ev->pid);
		task->requests++;
		task->request_bytes += ev->rq.bytes;
		if (t && t->window_open) {
			t->window.requests++;
			t->window.request_bytes += ev->rq.bytes;
		}
		break;
	case EV_RQ_COMPLETE:
		inflight_end(f->queued, ev->dev, ev->sector, ev->rq.bytes, ev->ts, &rf->q2c);
		inflight_end(f->issued, ev->dev, ev->sector, ev->rq.bytes, ev->ts, &rf->d2c);
		break;
	default:
		break;
	}
}
