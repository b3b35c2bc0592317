// SPDX-License-Identifier: GPL-2.0-only
/* The host's side of the figures, and which of them could not be measured. */
#include <stdarg.h>

#include "verify/input/input.h"
#include "verify/model/figures_internal.h"
#include "verify/model/judge.h"

void figures_phase_stop(struct model *m, struct model_phase *p)
{
	struct phase_figures *pf = p->stats.figures;

	if (!m->figures || !pf)
		return;
	pf->files = shares_take(&m->figures->files, &pf->n_files, &pf->more_files);
	pf->tasks = shares_take(&m->figures->tasks, &pf->n_tasks, &pf->more_tasks);
}

/* ---- the host's requests ---- */

struct host_side {
	struct model *m;
	u64 *begin, *end; /* of reads, of all phases */
	u32 *phase;	  /* of begin[i], while that is not sorted */
	u32 n, n_end;
};

/* To which of several files does it belong?  To none: it is metadata. */
static void host_file(const struct model *m, struct phase_figures *pf, const struct join_request *r)
{
	const struct capture *c = m->capture;
	const struct file_extent *x;

	if (!c->n_extents)
		return;
	if (!pf->by_file)
		pf->by_file = xcalloc(c->n_files, sizeof(*pf->by_file));
	x = capture_extent(c, r->sector);
	if (!x)
		return;
	pf->by_file[x->file].requests++;
	pf->by_file[x->file].bytes += r->bytes;
}

static void host_request(u32 phase, const struct join_request *r, void *arg)
{
	struct host_side *h = arg;
	struct phase_figures *pf = h->m->phases[phase].stats.figures;

	if (r->write || !pf)
		return;
	count_request(&pf->host, r->bytes);
	host_file(h->m, pf, r);
	pf->host.queued++;
	h->begin[h->n++] = r->issue;
	if (r->complete < r->issue)
		return;
	latency_add(&pf->host.q2c, r->complete - r->issue);
	h->end[h->n_end++] = r->complete;
}

static int cmp_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The number of requests that are under way when one begins, itself included. */
static void host_depth(u32 phase, const struct join_request *r, void *arg)
{
	struct host_side *h = arg;
	struct phase_figures *pf = h->m->phases[phase].stats.figures;
	u32 lo = 0, hi = h->n, begun, ended;

	if (r->write || !pf)
		return;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (h->begin[mid] <= r->issue)
			lo = mid + 1;
		else
			hi = mid;
	}
	begun = lo;
	for (lo = 0, hi = h->n_end; lo < hi;) {
		u32 mid = lo + (hi - lo) / 2;

		if (h->end[mid] <= r->issue)
			lo = mid + 1;
		else
			hi = mid;
	}
	ended = lo;
	pf->host.depth_sum += begun - MIN(ended, begun);
	pf->host.depth_max = MAX(pf->host.depth_max, (u64)(begun - MIN(ended, begun)));
}

static void host_side(struct model *m)
{
	struct host_side h = {.m = m};
	u32 n = join_host_count(m->join);

	h.begin = xcalloc(n, sizeof(*h.begin));
	h.end = xcalloc(n, sizeof(*h.end));
	join_each_host(m->join, m->n_phases, m->join_phases, host_request, &h);
	if (h.n)
		qsort(h.begin, h.n, sizeof(*h.begin), cmp_u64);
	if (h.n_end)
		qsort(h.end, h.n_end, sizeof(*h.end), cmp_u64);
	join_each_host(m->join, m->n_phases, m->join_phases, host_depth, &h);
	free(h.begin);
	free(h.end);
}

/* ---- what could not be measured ---- */

static const struct {
	enum figure_group group;
	u64 needs;
} needs[] = {
	{FIG_WINDOWS, EV_BIT(EV_RA_ORDER)},
	{FIG_IO, EV_BIT(EV_RA_ORDER) | EV_BIT(EV_FOLIO_ADD)},
	{FIG_MMAP, EV_BIT(EV_RA_ORDER) | EV_BIT(EV_FOLIO_ADD) | EV_BIT(EV_FAULT)},
	{FIG_EOF, EV_BIT(EV_RA_ORDER)},
	{FIG_ORDERS, EV_BIT(EV_FOLIO_ADD)},
	{FIG_UNUSED, EV_BIT(EV_RA_ORDER) | EV_BIT(EV_FOLIO_ADD) | EV_BIT(EV_FOLIO_DELETE) |
			     EV_BIT(EV_FAULT) | EV_BIT(EV_MAP_PAGES) | EV_BIT(EV_GET_PAGES)},
	{FIG_GUEST, EV_BIT(EV_RQ_ISSUE)},
	{FIG_CARRIED, EV_BIT(EV_RA_ORDER) | EV_BIT(EV_RQ_ISSUE)},
	{FIG_GUEST_Q2C, EV_BIT(EV_RQ_QUEUE) | EV_BIT(EV_RQ_COMPLETE)},
	{FIG_GUEST_D2C, EV_BIT(EV_RQ_ISSUE) | EV_BIT(EV_RQ_COMPLETE)},
};

static void __printf_like(3, 4)
	why_not(struct phase_figures *pf, enum figure_group g, const char *fmt, ...)
{
	va_list ap;

	if (pf->why[g][0])
		return;
	va_start(ap, fmt);
	vsnprintf(pf->why[g], sizeof(pf->why[g]), fmt, ap);
	va_end(ap);
}

static void unused_why(const struct model *m, struct phase_figures *pf)
{
	const struct figures *f = m->figures;
	u64 reads = pf->rows[RA_SYNC_READ].io;

	if (page_set_full(f->idle) || page_set_full(f->mapped) || page_set_full(m->huge))
		why_not(pf, FIG_UNUSED, "too many files to follow each page");
	if (!pf->usage.pages)
		why_not(pf, FIG_UNUSED, "readahead added no page");
	if (!pf->seen)
		why_not(pf, FIG_UNUSED, "no fault on the file and no read of it is in this trace");
	if (reads && !(pf->seen & EV_BIT(EV_GET_PAGES)))
		why_not(pf, FIG_UNUSED,
			"reads led to readahead, but no mm_filemap_get_pages event is there");
	if (pf->lost[0])
		why_not(pf, FIG_UNUSED, "an access may be among the events that are missing");
}

static void requests_why(const struct model *m, const struct model_phase *p,
			 struct phase_figures *pf)
{
	if (pf->lost[0]) {
		why_not(pf, FIG_GUEST_Q2C, "an end may be among the events that are missing");
		why_not(pf, FIG_GUEST_D2C, "an end may be among the events that are missing");
	}
	if (m->info && m->info->clock_counts) {
		why_not(pf, FIG_GUEST_Q2C, "the trace's clock counts no ns");
		why_not(pf, FIG_GUEST_D2C, "the trace's clock counts no ns");
	}
	if (!pf->guest.queued)
		why_not(pf, FIG_GUEST_Q2C,
			"no queueing of a read is in this trace (block_bio_queue; blktrace's Q)");
	else if (!pf->guest.q2c.n)
		why_not(pf, FIG_GUEST_Q2C, "no read was queued and completed in the phase");
	if (!pf->guest.d2c.n)
		why_not(pf, FIG_GUEST_D2C, "no read was issued and completed in the phase");
	if (p->info && p->info->whole_system)
		why_not(pf, FIG_HOST, "the device's log that is joined is the test disk's");
	if (!m->join)
		why_not(pf, FIG_HOST, "there is no log of the device's requests beside this trace");
	else if (!model_host_whole(m, p))
		why_not(pf, FIG_HOST, "the log of the device's requests is not complete");
	else if (!m->join_phases[p->index].known)
		why_not(pf, FIG_HOST, "no request tells where in the device's log the phase is");
	else if (join_overflow(m->join))
		why_not(pf, FIG_HOST, "too many requests to compare both sides");
	if (pf->why[FIG_HOST][0])
		why_not(pf, FIG_HOST_Q2C, "%s", pf->why[FIG_HOST]);
	else if (!pf->host.q2c.n)
		why_not(pf, FIG_HOST_Q2C, "no read was completed in the phase");
}

static void phase_why(struct model *m, const struct model_phase *p)
{
	struct phase_figures *pf = p->stats.figures;
	const struct capture *c = m->capture;
	const char *name;
	enum reason why;

	if (!phase_is_whole(m, p, &why, pf->lost, sizeof(pf->lost)) &&
	    (why == WHY_NOTHING_TO_CHECK || why == WHY_NOT_MEASURABLE))
		for (unsigned int g = 0; g < FIG_GROUPS; g++)
			why_not(pf, g, "%s", pf->lost);
	if (why == WHY_NONE && m->overflow)
		snprintf(pf->lost, sizeof(pf->lost), "too many tasks, streams or phases");
	for (size_t i = 0; m->info && i < ARRAY_SIZE(needs); i++) {
		name = missing_event(needs[i].needs, m->info->event_types);
		if (name)
			why_not(pf, needs[i].group, "no %s events in this trace", name);
	}
	if (m->info && !(m->info->caps & CAP_FOLIO_ORDER))
		why_not(pf, FIG_ORDERS, "mm_filemap_add_to_page_cache has no order field");
	if ((!c->has_json || !c->file_size) && !(p->info && p->info->whole_system))
		why_not(pf, FIG_EOF, "nobody says how large the file is");
	if (!p->info || !p->info->bytes_asked)
		why_not(pf, FIG_ASKED, "nobody says how many bytes were asked for");
	unused_why(m, pf);
	requests_why(m, p, pf);
}

void figures_finish(struct model *m)
{
	if (!m->figures)
		return;
	for (unsigned int i = 0; i < m->n_phases; i++) {
		struct phase_stats *st = &m->phases[i].stats;

		/* a phase that never began has figures too: that none was measured */
		if (!st->figures)
			st->figures = xcalloc(1, sizeof(*st->figures));
	}
	if (m->join && m->join_phases)
		host_side(m);
	for (unsigned int i = 0; i < m->n_phases; i++) {
		struct phase_figures *pf = m->phases[i].stats.figures;

		/* what nobody maps can't be touched unseen */
		if (!(pf->seen & (EV_BIT(EV_FAULT) | EV_BIT(EV_MAP_PAGES))))
			pf->usage.huge = 0;
		for (u32 k = 0; k < pf->n_files; k++)
			if (!pf->files[k].faults && !pf->files[k].usage.mapped)
				pf->files[k].usage.huge = 0;
		phase_why(m, &m->phases[i]);
		for (u32 k = 0; m->trace && k < pf->n_tasks; k++)
			snprintf(pf->tasks[k].comm, sizeof(pf->tasks[k].comm), "%s",
				 trace_comm(m->trace, pf->tasks[k].pid));
	}
}
