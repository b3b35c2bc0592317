// SPDX-License-Identifier: GPL-2.0-only
/* The device's side of chains, and why there is none. */
#include <string.h>

#include "verify/input/dump.h"
#include "verify/model/chains_internal.h"

static void device_side(struct model *m, struct chain *c)
{
	const struct join_phase *jp = NULL;

	for (unsigned int i = 0; i < m->n_phases; i++)
		if (!strcmp(m->phases[i].stats.name, c->phase) && m->join_phases[i].known)
			jp = &m->join_phases[i];
	for (u32 i = 0; jp && i < c->n_requests; i++) {
		struct chain_request *r = &c->requests[i];
		const struct join_request *h = NULL;

		if (r->issue.type != EV_OTHER)
			h = join_host_of(m->join, r->issue.seq);
		if (!h)
			continue;
		r->on_device = true;
		r->device_begin = join_guest_time(jp, h->issue);
		r->device_end = h->complete ? join_guest_time(jp, h->complete) : 0;
		r->device_uncertainty = jp->residual_ns;
	}
}

static void no_chain(struct model *m)
{
	struct chains *cs = m->chains;
	struct chain_list *l = cs->found;
	unsigned long long value = cs->where.value;

	if (cs->where.what == CHAIN_OFFSET)
		snprintf(l->message, sizeof(l->message),
			 "no folio with the byte at %llu was added to the page cache", value);
	else if (!cs->target_met)
		snprintf(l->message, sizeof(l->message),
			 "the trace has %llu events, none of "
			 "number %llu",
			 (unsigned long long)m->events, value);
	else
		snprintf(l->message, sizeof(l->message),
			 "event %llu (%s) is no step from an access to a request%s", value,
			 event_type_name(cs->target_type),
			 cs->target_type == EV_RQ_COMPLETE ? "; name the request's issue" : "");
	if (cs->too_many)
		snprintf(l->message, sizeof(l->message),
			 "more than %u tasks read at a time: not all could be followed",
			 CHAINS_TASKS);
}

void chains_finish(struct model *m)
{
	struct chains *cs = m->chains;

	if (!cs)
		return;
	if (!cs->found->n)
		no_chain(m);
	for (u32 i = 0; i < cs->found->n; i++) {
		struct chain *c = &cs->found->all[i];
		s32 pid = c->decision.type != EV_OTHER ? c->decision.pid
			  : c->access.type != EV_OTHER ? c->access.pid
			  : c->lead.type != EV_OTHER   ? c->lead.pid
						       : c->first_folio.pid;

		if (m->trace)
			snprintf(c->comm, sizeof(c->comm), "%s", trace_comm(m->trace, pid));
		if (m->join && m->join_phases)
			device_side(m, c);
	}
}

struct chain_list *chains_take(struct chains *cs)
{
	struct chain_list *l = cs->found;

	cs->found = NULL;
	return l;
}
