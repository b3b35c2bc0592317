// SPDX-License-Identifier: GPL-2.0-only
/* What happens to the folios and requests of a chain, whichever task it happens in. */
#include "verify/model/chains_internal.h"

void chain_touch(struct chain *c, const struct event *ev)
{
	bool touched = false;

	if (c->dev != ev->dev || c->ino != ev->ino)
		return;
	for (u32 i = 0; i < c->n_folios; i++) {
		struct chain_folio *f = &c->folios[i];
		u64 n = order_pages(f->order);

		if (ev->access.last < f->index ||
		    (ev->access.index > f->index && ev->access.index - f->index >= n))
			continue;
		touched = true;
		if (ev->type == EV_MAP_PAGES)
			f->mapped = true;
		else
			f->used = true;
	}
	if (touched && c->use.type == EV_OTHER)
		c->use = step_of(ev, ev->access.index, ev->access.last);
}

bool request_overlaps(const struct chain_request *r, const struct event *ev)
{
	u64 a = r->sector, a_end = a + r->bytes / SECTOR_SIZE;
	u64 b = ev->sector, b_end = b + ev->rq.bytes / SECTOR_SIZE;

	return r->dev == ev->dev && a < b_end && b < a_end;
}

/*
 * Another task may issue what this one queued, and nobody's task completes it.
 * Bios that were merged are one request from its issue on.
 */
static void follow_issue(struct chain *c, const struct event *ev)
{
	struct chain_request *r = NULL;
	u32 kept = 0;

	for (u32 i = 0; i < c->n_requests; i++) {
		struct chain_request *q = &c->requests[i];
		bool this = request_overlaps(q, ev) && q->complete.type == EV_OTHER;

		if (this && r) {
			c->requests_all--;
			continue;
		}
		c->requests[kept] = *q;
		if (this)
			r = &c->requests[kept];
		kept++;
	}
	c->n_requests = kept;
	if (!r)
		return;
	/* issued again after a requeue, it moves no more bytes */
	if (r->issue.type == EV_OTHER)
		c->request_bytes += ev->rq.bytes;
	r->sector = ev->sector;
	r->bytes = ev->rq.bytes;
	r->issue = step_of(ev, 0, 0);
}

void chain_request(struct chain *c, const struct event *ev)
{
	if (ev->type == EV_RQ_ISSUE) {
		follow_issue(c, ev);
		return;
	}
	for (u32 i = 0; i < c->n_requests; i++) {
		struct chain_request *r = &c->requests[i];

		if (request_overlaps(r, ev) && r->complete.type == EV_OTHER)
			r->complete = step_of(ev, 0, 0);
	}
}
