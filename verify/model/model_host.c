// SPDX-License-Identifier: GPL-2.0-only
/* The host's log of requests, beside the guest's trace. */
#include "verify/model/replay.h"

void model_host_event(struct model *m, const struct event *ev)
{
	if (ev->type == EV_LOST) {
		if (m->host_holes < MODEL_MAX_HOST_HOLES)
			m->host_hole[m->host_holes] =
				(struct lost_span){ev->cpu, ev->lost.from, ev->ts, ev->lost.count};
		m->host_holes++;
	} else {
		if (m->join)
			join_host(m->join, ev);
		if (m->replay)
			model_replay_host(m, ev);
	}
}

bool model_host_whole(const struct model *m, const struct model_phase *p)
{
	const struct join_phase *jp = m->join_phases ? &m->join_phases[p->index] : NULL;
	u64 from, to;

	if (!m->host_read || !jp || m->host_holes > MODEL_MAX_HOST_HOLES)
		return false;
	if (!m->host_holes)
		return true;
	if (!jp->known)
		return false;
	from = jp->begin_ns + (u64)jp->offset_ns - jp->uncertainty_ns;
	to = jp->end_ns + (u64)jp->offset_ns + jp->uncertainty_ns;
	for (u32 i = 0; i < m->host_holes; i++)
		if ((s64)(m->host_hole[i].to - from) >= 0 && (s64)(to - m->host_hole[i].from) >= 0)
			return false;
	return true;
}

bool model_host_other_clock(const struct model *m, const struct model_phase *mp)
{
	const struct join_phase *p = &m->join_phases[mp->index];
	const struct phase_info *info = mp->info;
	u64 by, allowed;

	if (!p->known || !info || !info->clock_known)
		return false;
	by = (u64)p->offset_ns - (u64)info->clock_offset_ns;
	if ((s64)by < 0)
		by = -by;
	if (__builtin_add_overflow(p->uncertainty_ns, info->clock_uncertainty_ns, &allowed))
		allowed = UINT64_MAX;
	return by > allowed;
}

void model_match_host(struct model *m)
{
	struct join_phase *jp = xcalloc(m->n_phases, sizeof(*jp));

	for (unsigned int i = 0; i < m->n_phases; i++) {
		jp[i].begin_ns = m->phases[i].stats.begin_ns;
		jp[i].end_ns = m->phases[i].stats.end_ns;
	}
	join_match(m->join, m->n_phases, jp);
	for (unsigned int i = 0; i < m->n_phases; i++) {
		struct phase_stats *st = &m->phases[i].stats;

		st->host_requests = jp[i].host_reads;
		st->host_bytes = jp[i].host_read_bytes;
		st->host_write_requests = jp[i].host_writes;
		st->host_write_bytes = jp[i].host_write_bytes;
	}
	m->join_phases = jp;
	for (unsigned int i = 0; i < m->n_phases; i++) {
		const struct model_phase *p = &m->phases[i];

		m->phases[i].stats.host_known =
			jp[i].known && model_host_whole(m, p) && !model_host_other_clock(m, p);
	}
}
