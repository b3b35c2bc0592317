// SPDX-License-Identifier: GPL-2.0-only
/* From what a check counted to its verdict, and what can keep it from having one. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "verify/input/input.h"
#include "verify/model/judge.h"

static const char *const event_names[EV_TYPES] = {
	[EV_FAULT] = "mm_filemap_fault",
	[EV_GET_PAGES] = "mm_filemap_get_pages",
	[EV_MAP_PAGES] = "mm_filemap_map_pages",
	[EV_FOLIO_ADD] = "mm_filemap_add_to_page_cache",
	[EV_FOLIO_DELETE] = "mm_filemap_delete_from_page_cache",
	[EV_RA_SYNC] = "page_cache_sync_ra",
	[EV_RA_ASYNC] = "page_cache_async_ra",
	[EV_RA_ORDER] = "page_cache_ra_order",
	[EV_RA_UNBOUNDED] = "page_cache_ra_unbounded",
	[EV_NETFS_READ] = "netfs_read",
	[EV_STRIDED_READ] = "ceph_strided_read",
	[EV_MARKER] = "blkproof's marker",
	[EV_RQ_QUEUE] = "block_bio_queue",
	[EV_RQ_ISSUE] = "block_rq_issue",
	[EV_RQ_COMPLETE] = "block_rq_complete",
};

const char *missing_event(u64 needs, u64 have)
{
	for (unsigned int i = 0; i < EV_TYPES; i++)
		if (needs & ~have & EV_BIT(i))
			return event_names[i] ? event_names[i] : "the needed";
	return NULL;
}

static u64 loss_sum(const struct phase_loss *l)
{
	return l->overrun + l->commit_overrun + l->dropped + l->unread;
}

/*
 * Does the trace say that events are missing without saying when?  A CPU that
 * has counters but no span.  The agent's counters per phase place them, if they
 * account for all of them.
 */
static u64 unplaced_loss(const struct model *m)
{
	const struct capture *c = m->capture;
	u64 sum = 0, placed = 0;

	for (u32 i = 0; m->info && i < m->info->n_loss; i++) {
		const struct cpu_loss *l = &m->info->loss[i];
		bool span = false;

		for (u32 k = 0; k < m->n_lost && !span; k++)
			span = m->lost[k].cpu == l->cpu;
		/* nobody knows where, whatever spans there are */
		sum += l->absent;
		if (!span)
			sum += l->overrun + l->commit_overrun + l->dropped;
	}
	for (unsigned int i = 0; c->has_json && i < c->n_phases; i++)
		placed += loss_sum(&c->phases[i].loss);
	return sum > placed ? sum : 0;
}

/* What the guest read out of its buffers, and wrote down beside the trace. */
static bool entries_read(const struct capture *c, u64 *sum)
{
	*sum = 0;
	for (unsigned int i = 0; i < c->n_phases; i++)
		if (!c->phases[i].entries_known ||
		    __builtin_add_overflow(*sum, c->phases[i].entries_read, sum))
			return false;
	return c->has_json;
}

/* Events of this phase are missing: says so in @text (of @size bytes). */
static bool lost_events(const struct model *m, const struct model_phase *p, char *text, size_t size)
{
	u64 n;

	if (p->stats.lost_spans) {
		const struct lost_span *l = &p->first_lost;

		snprintf(text, size, "events lost: CPU %u from %llu.%06llu to %llu.%06llu s%s",
			 l->cpu, (unsigned long long)(l->from / NSEC_PER_SEC),
			 (unsigned long long)(l->from % NSEC_PER_SEC / 1000),
			 (unsigned long long)(l->to / NSEC_PER_SEC),
			 (unsigned long long)(l->to % NSEC_PER_SEC / 1000),
			 p->stats.lost_spans > 1 ? " and more" : "");
		return true;
	}
	n = p->info ? loss_sum(&p->info->loss) : 0;
	if (n) {
		snprintf(text, size, "events lost: the guest counted %llu in this phase",
			 (unsigned long long)n);
		return true;
	}
	n = unplaced_loss(m);
	if (n) {
		snprintf(text, size, "events lost: %llu, the trace does not say when",
			 (unsigned long long)n);
		return true;
	}
	if (entries_read(m->capture, &n) && m->events < n) {
		snprintf(text, size, "events lost: the guest read %llu, the trace has %llu",
			 (unsigned long long)n, (unsigned long long)m->events);
		return true;
	}
	return false;
}

bool phase_is_whole(const struct model *m, const struct model_phase *p, enum reason *why,
		    char *text, size_t size)
{
	u64 entries;

	*why = WHY_NONE;
	if (!m->info) {
		*why = WHY_NOT_MEASURABLE;
		snprintf(text, size, "not measurable: the capture has no trace");
	} else if (m->info->damage || (m->opt && m->opt->partial)) {
		*why = WHY_DAMAGED;
		snprintf(text, size, "only part of the file could be read");
	} else if (!p->begun) {
		*why = WHY_NOTHING_TO_CHECK;
		snprintf(text, size, "the trace has no markers of this phase");
	} else if (lost_events(m, p, text, size)) {
		*why = WHY_EVENTS_LOST;
	} else if (!p->ended) {
		*why = WHY_DAMAGED;
		snprintf(text, size, "the trace stops before the phase ends");
	} else if (p->misplaced) {
		*why = WHY_CONTRADICTION;
		snprintf(text, size,
			 "the phase's markers are not in the time that capture.json says");
	} else if (entries_read(m->capture, &entries) && m->events > entries) {
		*why = WHY_CONTRADICTION;
		snprintf(text, size, "the guest read %llu events, the trace has %llu",
			 (unsigned long long)entries, (unsigned long long)m->events);
	}
	return *why == WHY_NONE;
}

/* capture.json says where the file is; without it, the trace has netfs events, or none. */
static bool on_netfs(const struct model *m)
{
	if (m->capture->has_json)
		return !strcmp(m->capture->filesystem, "ceph");
	return m->info && m->info->event_types & EV_BIT(EV_NETFS_READ);
}

/* Why the check can't be decided here, whatever it saw; false if it can. */
static bool gate(struct judge *j)
{
	const struct model *m = j->model;
	const struct check *c = j->check;
	const struct capture *cap = m->capture;
	const struct phase_info *info = j->phase->info;
	enum reason why;
	char text[160];
	const char *name;

	if (c->needs_json && !cap->has_json) {
		judge_undecided(j, WHY_NONE, "needs the counters of a capture.json");
		return true;
	}
	if (c->needs_host && !cap->blktrace) {
		judge_undecided(j, WHY_NONE, "needs the device's log of requests");
		return true;
	}
	if (c->needs_osds && !(info && info->osd_known)) {
		judge_undecided(j, WHY_NONE, "needs the counters of OSDs");
		return true;
	}
	if (c->needs_netfs && !on_netfs(m)) {
		judge_undecided(j, WHY_NONE, "the file is on no network file system");
		return true;
	}
	if (c->needs && !m->info) {
		judge_undecided(j, WHY_NOT_MEASURABLE, "not measurable: the capture has no trace");
		return true;
	}
	name = c->needs ? missing_event(c->needs, m->info->event_types) : NULL;
	if (name) {
		judge_undecided(j, WHY_NOT_MEASURABLE, "not measurable: no %s events in this trace",
				name);
		return true;
	}
	if (c->caps && m->info && (c->caps & ~m->info->caps)) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: mm_filemap_add_to_page_cache has no order field");
		return true;
	}
	if (c->needs && !phase_is_whole(m, j->phase, &why, text, sizeof(text))) {
		judge_undecided(j, why, "%s", text);
		return true;
	}
	if (c->needs && m->overflow) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: too many tasks, streams or phases");
		return true;
	}
	if (c->needs_cold && info && (!info->cold_known || info->cached_before)) {
		if (info->cold_known)
			judge_undecided(j, WHY_CACHE_NOT_COLD,
					"the cache was not cold: %llu pages of the file were there",
					(unsigned long long)info->cached_before);
		else
			judge_undecided(j, WHY_CACHE_NOT_COLD,
					"nobody knows whether the cache was cold");
		return true;
	}
	return false;
}

static void judge_finish(struct judge *j)
{
	struct result *r = &j->result;

	if (j->check->ops->finish)
		j->check->ops->finish(j);
	if (gate(j) || j->decided)
		return;
	if (r->violations) {
		/* what is violated was looked at */
		assert(r->examined);
		r->verdict = VERDICT_FAIL;
	} else if (!r->examined) {
		r->verdict = VERDICT_INCONCLUSIVE;
		r->reason = WHY_NOTHING_TO_CHECK;
		if (!r->detail[0])
			judge_detail(j, "nothing to check");
	} else {
		r->verdict = VERDICT_PASS;
	}
	if (j->model->opt && j->model->opt->partial) {
		r->verdict = VERDICT_INCONCLUSIVE;
		r->reason = WHY_DAMAGED;
	}
}

void judges_finish(struct model_phase *p)
{
	for (unsigned int i = 0; i < p->n_judges; i++) {
		struct judge *j = &p->judges[i];

		judge_finish(j);
		/* the result is all that is asked for from here on */
		free(j->state);
		free(j->streams);
		j->state = j->streams = NULL;
		j->n_streams = 0;
	}
}
