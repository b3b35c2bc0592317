// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/replay.h"

#include "verify/model/block_op.h"

struct replay_phase *model_replay_new(const struct model *m)
{
	bool any = false;

	for (unsigned int i = 0; i < m->n_phases; i++)
		any |= m->phases[i].info && m->phases[i].info->block.known;
	if (!any || !m->capture->run || !m->capture->run->plan)
		return NULL;
	return xcalloc(m->n_phases, sizeof(struct replay_phase));
}

void model_replay_free(struct model *m)
{
	for (unsigned int i = 0; m->replay && i < m->n_phases; i++)
		for (unsigned int s = 0; s < REPLAY_SIDES; s++)
			replay_match_free(m->replay[i].match[s]);
	free(m->replay);
	m->replay = NULL;
}

/* Which witnesses can be held against the plan. */
static void choose_sides(const struct model *m, const struct block_plan *p, struct replay_phase *r)
{
	bool issued = p->action[0] == 'D';

	r->side[MATCH_QUEUED].wanted = true;
	/* what the block layer makes of requests as submitted is its own affair */
	r->side[MATCH_ISSUED].wanted = issued;
	r->side[MATCH_HOST].wanted = issued && m->capture->blktrace;
}

static void start(const struct model *m, const struct block_info *info, struct replay_phase *r)
{
	const char *path = m->capture->run->plan;
	double speed = info->recorded ? info->speed / 100.0 : 0;
	struct block_plan p;

	r->started = true;
	r->ret = block_plan_load(path, &p, &r->err);
	if (!r->ret)
		choose_sides(m, &p, r);
	block_plan_free(&p);
	for (unsigned int s = 0; s < REPLAY_SIDES && !r->ret; s++)
		if (r->side[s].wanted)
			/* times are those of submission: one clock, and no device between */
			r->ret = replay_match_new(&r->match[s], path, (enum match_side)s,
						  info->start_ns, s == MATCH_QUEUED ? speed : 0,
						  &r->err);
}

static void take(struct model *m, struct model_phase *p, enum match_side side,
		 const struct event *ev)
{
	struct replay_phase *r = &m->replay[p->index];
	struct block_line l;

	if (!r->started)
		start(m, &p->info->block, r);
	if (r->ret || !r->match[side] || block_op_of(ev, &l) != BLOCK_KIND_REQUEST)
		return;
	r->ret = replay_match_take(r->match[side], &l, ev->seq, &r->err);
}

void model_replay_event(struct model *m, const struct event *ev)
{
	struct model_phase *p = m->now;

	if (!p || !p->info || !p->info->block.known || ev->dev != m->capture->file_dev)
		return;
	if (ev->type == EV_RQ_QUEUE)
		take(m, p, MATCH_QUEUED, ev);
	else if (ev->type == EV_RQ_ISSUE)
		take(m, p, MATCH_ISSUED, ev);
}

/* How many requests like @l the device had completed when the phase began or ended. */
static u64 count_of(const u64 *counts, const struct block_line *l)
{
	return l->op <= BLOCK_FLUSH ? counts[l->op] : 0;
}

/*
 * The log also has what the kernel read before, and other phases'.  Which of
 * them are the phase's, the device's own counters tell.
 */
void model_replay_host(struct model *m, const struct event *ev)
{
	struct block_line l;
	u64 n;

	if (ev->type != EV_RQ_QUEUE || block_op_of(ev, &l) != BLOCK_KIND_REQUEST ||
	    l.op > BLOCK_FLUSH)
		return;
	n = m->replay_host_seen[l.op]++;
	for (unsigned int i = 0; i < m->n_phases; i++) {
		const struct phase_info *info = m->phases[i].info;

		if (info && info->block.known && n >= count_of(info->block.before, &l) &&
		    n < count_of(info->block.after, &l))
			take(m, &m->phases[i], MATCH_HOST, ev);
	}
}

void model_replay_finish(struct model *m)
{
	for (unsigned int i = 0; i < m->n_phases; i++) {
		struct replay_phase *r = &m->replay[i];

		for (unsigned int s = 0; s < REPLAY_SIDES && !r->ret; s++) {
			if (!r->match[s])
				continue;
			r->ret = replay_match_finish(r->match[s], &r->side[s].r, &r->err);
			r->side[s].known = !r->ret;
		}
	}
}

const struct replay_phase *model_replay(const struct model *m, const struct model_phase *p)
{
	if (!m->replay || !p->info || !p->info->block.known)
		return NULL;
	return &m->replay[p->index];
}
