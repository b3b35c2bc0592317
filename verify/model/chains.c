// SPDX-License-Identifier: GPL-2.0-only

#include <string.h>

#include "verify/model/chains_internal.h"

struct chains *chains_new(const struct chain_where *where)
{
	struct chains *cs = xcalloc(1, sizeof(*cs));

	cs->where = *where;
	cs->found = xcalloc(1, sizeof(*cs->found));
	cs->found->all = xcalloc(CHAINS_KEPT, sizeof(*cs->found->all));
	return cs;
}

void chain_list_free(struct chain_list *l)
{
	for (u32 i = 0; l && i < l->n; i++)
		free(l->all[i].folios);
	if (l)
		free(l->all);
	free(l);
}

static void free_chain(struct chain *c)
{
	free(c->folios);
	free(c);
}

void chains_free(struct chains *cs)
{
	if (!cs)
		return;
	for (u32 i = 0; i < cs->n_spare; i++)
		free_chain(cs->spare[i]);
	chain_list_free(cs->found);
	free(cs);
}

/* Empty, but with the memory that it has. */
static void reset(struct chain *c)
{
	struct chain_folio *folios = c->folios;
	u32 size = c->folios_size;

	*c = (struct chain){.folios = folios, .folios_size = size};
}

/* The chain that task @t is in; NULL: none can be had. */
static struct chain *chain_of(struct model *m, struct task *t)
{
	struct chains *cs = m->chains;

	if (t->chain)
		return t->chain;
	if (cs->n_spare) {
		t->chain = cs->spare[--cs->n_spare];
	} else if (cs->n_live < CHAINS_TASKS) {
		t->chain = xcalloc(1, sizeof(*t->chain));
	} else {
		cs->too_many = true;
		return NULL;
	}
	reset(t->chain);
	cs->live[cs->n_live++] = t->chain;
	return t->chain;
}

/* Ends what the task is in: kept if it was looked for. */
static void end(struct model *m, struct task *t)
{
	struct chains *cs = m->chains;
	struct chain *c = t->chain;
	struct chain_list *l = cs->found;

	if (!c)
		return;
	if (c->matched && l->n == CHAINS_KEPT) {
		l->more++;
	} else if (c->matched) {
		l->all[l->n++] = *c;
		c->folios = NULL;
		c->folios_size = 0;
	}
	t->chain = NULL;
	for (u32 i = 0; i < cs->n_live; i++) {
		if (cs->live[i] != c)
			continue;
		cs->live[i] = cs->live[--cs->n_live];
		break;
	}
	cs->spare[cs->n_spare++] = c;
}

void task_drop_chain(struct model *m, struct task *t)
{
	if (m->chains && t->chain)
		end(m, t);
}

static bool wanted_phase(const struct model *m)
{
	const char *phase = m->chains->where.phase;

	return m->now && (!*phase || !strcmp(phase, m->now->stats.name));
}

static void match_event(const struct model *m, struct chain *c, const struct event *ev)
{
	const struct chain_where *w = &m->chains->where;

	if (w->what == CHAIN_EVENT && ev->seq == w->value && wanted_phase(m))
		c->matched = true;
	if (m->now)
		snprintf(c->phase, sizeof(c->phase), "%s", m->now->stats.name);
}

static bool is_access(const struct event *ev)
{
	return ev->type == EV_FAULT || ev->type == EV_GET_PAGES || ev->type == EV_MAP_PAGES;
}

void chains_event(struct model *m, const struct event *ev)
{
	struct chains *cs = m->chains;

	if (!cs)
		return;
	if (cs->where.what == CHAIN_EVENT && ev->seq == cs->where.value && ev->type != EV_LOST) {
		cs->target_met = true;
		cs->target_type = ev->type;
	}
	for (u32 i = 0; i < cs->n_live; i++) {
		if (ev->type == EV_RQ_COMPLETE || ev->type == EV_RQ_ISSUE)
			chain_request(cs->live[i], ev);
		else if (cs->live[i]->matched && is_access(ev) && m->now)
			chain_touch(cs->live[i], ev);
	}
	for (u32 i = 0; i < cs->found->n; i++) {
		struct chain *c = &cs->found->all[i];

		/* another phase may read the same places again */
		if (!m->now || strcmp(m->now->stats.name, c->phase))
			continue;
		if (is_access(ev))
			chain_touch(c, ev);
		else if (ev->type == EV_RQ_ISSUE || ev->type == EV_RQ_COMPLETE)
			chain_request(c, ev);
	}
}

/* ---- what a task does ---- */

void chains_access(struct model *m, struct task *t, const struct event *ev)
{
	struct chain *c;
	u32 n;

	if (!m->chains)
		return;
	n = m->chains->found->n;
	end(m, t);
	/* what was found just now has not seen this event yet */
	if (m->chains->found->n > n)
		chain_touch(&m->chains->found->all[n], ev);
	c = chain_of(m, t);
	if (!c)
		return;
	c->dev = ev->dev;
	c->ino = ev->ino;
	c->access = step_of(ev, ev->access.index, ev->access.last);
	match_event(m, c, ev);
}

void chains_lead(struct model *m, struct task *t, const struct event *ev, bool after_access)
{
	struct chain *c;

	if (!m->chains)
		return;
	if (!after_access)
		end(m, t);
	c = chain_of(m, t);
	if (!c)
		return;
	c->dev = ev->dev;
	c->ino = ev->ino;
	c->lead = step_of(ev, ev->ra.index, ev->ra.index);
	match_event(m, c, ev);
}

void chains_window(struct model *m, struct task *t, const struct window *w)
{
	struct chain *c;

	if (!m->chains)
		return;
	if (!w->has_access)
		end(m, t);
	c = chain_of(m, t);
	if (!c)
		return;
	c->dev = w->dev;
	c->ino = w->ino;
	c->decision = (struct chain_step){w->ts,
					  w->seq,
					  w->pid,
					  w->cpu,
					  EV_RA_ORDER,
					  w->start,
					  w->start + (w->size ? w->size - 1 : 0)};
	c->cause = w->cause;
	c->start = w->start;
	c->size = w->size;
	c->async_size = w->async_size;
	c->cached = w->cached;
	c->order = w->order;
	match_event(m, c, &(struct event){.seq = w->seq});
}

void chains_part(struct model *m, struct task *t, const struct event *ev)
{
	if (m->chains && t->chain)
		match_event(m, t->chain, ev);
}

void chains_window_end(struct model *m, struct task *t)
{
	if (m->chains)
		end(m, t);
}

void chains_add(struct model *m, struct task *t, const struct event *ev, bool in_window)
{
	const struct chain_where *w;
	struct chain *c;
	u64 n = order_pages(ev->folio.order);

	if (!m->chains)
		return;
	c = chain_of(m, t);
	if (!c)
		return;
	w = &m->chains->where;
	if (!in_window) {
		/* of another file: the window goes on */
		if (t->window_open)
			return;
		c->dev = ev->dev;
		c->ino = ev->ino;
	}
	match_event(m, c, ev);
	if (w->what == CHAIN_OFFSET && is_test_file(m, ev->dev, ev->ino) && wanted_phase(m)) {
		u64 page = w->value >> m->page_shift;

		if (page >= ev->folio.index && page - ev->folio.index < n)
			c->matched = true;
	}
	if (!c->folios_all++)
		c->first_folio = step_of(ev, ev->folio.index, ev->folio.index + n - 1);
	c->last_folio = step_of(ev, ev->folio.index, ev->folio.index + n - 1);
	c->pages += n;
	c->folio_bytes += n << m->page_shift;
	if (ev->folio.order == ORDER_UNKNOWN)
		c->unknown_order++;
	else
		c->by_order[MIN(ev->folio.order, ORDERS_MAX - 1)]++;
	if (c->n_folios == CHAIN_FOLIOS_MAX)
		return;
	if (c->n_folios == c->folios_size) {
		c->folios_size = c->folios_size ? c->folios_size * 2 : 64;
		c->folios = xrealloc(c->folios, c->folios_size, sizeof(*c->folios));
	}
	c->folios[c->n_folios++] = (struct chain_folio){
		.index = ev->folio.index,
		.order = ev->folio.order,
		/* the fault that waits for it, see figures_add() */
		.used = c->access.type == EV_FAULT && c->lead.type != EV_RA_ASYNC &&
			c->access.index >= ev->folio.index && c->access.index - ev->folio.index < n,
	};
}

void chains_request(struct model *m, struct task *t, const struct event *ev)
{
	struct chain *c = m->chains ? t->chain : NULL;
	struct chain_request *r = NULL;

	if (!c || !t->window_open || !(ev->rq.flags & RQ_READ) || !ev->rq.bytes)
		return;
	if (ev->type == EV_RQ_COMPLETE)
		return;
	match_event(m, c, ev);
	for (u32 i = 0; i < c->n_requests && !r; i++)
		if (request_overlaps(&c->requests[i], ev))
			r = &c->requests[i];
	if (!r) {
		c->requests_all++;
		if (c->n_requests == CHAIN_REQUESTS_MAX)
			return;
		r = &c->requests[c->n_requests++];
		*r = (struct chain_request){.sector = ev->sector, .dev = ev->dev};
	}
	/* an issue of what was queued before is taken by chains_event() */
	if (ev->type != EV_RQ_ISSUE) {
		r->queue = step_of(ev, 0, 0);
	} else if (r->issue.seq != ev->seq) {
		c->request_bytes += ev->rq.bytes;
		r->issue = step_of(ev, 0, 0);
	}
	if (!r->bytes || ev->type == EV_RQ_ISSUE)
		r->bytes = ev->rq.bytes;
}
