// SPDX-License-Identifier: GPL-2.0-only
/* verify --chain: one page per chain. */
#include <string.h>

#include "lib/size.h"
#include "verify/chain.h"
#include "verify/report/report.h"

#define REQUESTS_SHOWN 6u
#define TEXT_COLUMN 36u /* of what a line says, behind number, time and difference */

/* One line; @base: where times are counted from; @ts 0: no time. */
static void __printf_like(5, 6) line(struct out *o, u64 base, u64 seq, u64 ts, const char *fmt, ...)
{
	char *text __cleanup_free = NULL;
	char number[24] = "", at[64] = "";
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = xstrdup("(out of memory)");
	va_end(ap);
	if (seq)
		snprintf(number, sizeof(number), "%llu", (unsigned long long)seq);
	if (ts)
		snprintf(at, sizeof(at), "%llu.%09llu %+11.3f",
			 (unsigned long long)(ts / NSEC_PER_SEC),
			 (unsigned long long)(ts % NSEC_PER_SEC), (double)(s64)(ts - base) / 1000);
	out_line(o, TEXT_COLUMN, "%9s %25s %s", number, at, text);
}

static void access_lines(struct out *o, const struct chain *c, u64 base, u32 page_size)
{
	const struct chain_step *a = &c->access, *l = &c->lead;
	const char *what = a->type == EV_FAULT	     ? "fault on"
			   : a->type == EV_GET_PAGES ? "read of"
						     : "fault-around maps";

	if (a->type != EV_OTHER)
		line(o, base, a->seq, a->ts, "ACCESS: %s page %llu, offset %llu", what,
		     (unsigned long long)a->index, (unsigned long long)(a->index * page_size));
	if (l->type == EV_RA_ASYNC)
		line(o, base, l->seq, l->ts, "marker hit at page %llu",
		     (unsigned long long)l->index);
	else if (l->type == EV_RA_SYNC)
		line(o, base, l->seq, l->ts, "%s: page %llu is not cached",
		     a->type == EV_OTHER ? "ACCESS: read" : "synchronous readahead",
		     (unsigned long long)l->index);
	if (a->type == EV_OTHER && l->type == EV_OTHER)
		line(o, base, 0, 0, "ACCESS: not in the trace");
}

static void decision_lines(struct out *o, const struct chain *c, u64 base)
{
	const struct chain_step *d = &c->decision;

	if (d->type == EV_OTHER) {
		line(o, base, 0, 0, "DECISION: none before the task's next access");
		return;
	}
	line(o, base, d->seq, d->ts,
	     "DECISION: %s, pages %llu to %llu (%llu), async size %llu, order %u; %llu cached",
	     ra_cause_name(c->cause), (unsigned long long)d->index, (unsigned long long)d->last,
	     (unsigned long long)c->size, (unsigned long long)c->async_size, c->order,
	     (unsigned long long)c->cached);
}

static void folio_lines(struct out *o, const struct chain *c, u64 base)
{
	u64 used = 0, mapped = 0;
	char orders[128] = "";

	if (!c->folios_all) {
		line(o, base, 0, 0, "FOLIOS: none added");
		return;
	}
	for (unsigned int i = 0; i < ORDERS_MAX; i++) {
		size_t n = strlen(orders);

		if (c->by_order[i])
			snprintf(orders + n, sizeof(orders) - n, "%s%llu of order %u",
				 n ? ", " : "", (unsigned long long)c->by_order[i], i);
	}
	if (c->unknown_order)
		snprintf(orders, sizeof(orders), "%llu, orders not measurable",
			 (unsigned long long)c->unknown_order);
	for (u32 i = 0; i < c->n_folios; i++) {
		used += c->folios[i].used;
		mapped += !c->folios[i].used && c->folios[i].mapped;
	}
	line(o, base, c->first_folio.seq, c->first_folio.ts, "FOLIOS: %s; %llu pages", orders,
	     (unsigned long long)c->pages);
	line(o, base, c->last_folio.seq, c->last_folio.ts, "the last of them");
	line(o, base, 0, 0, "of %s%u: used %llu, mapped only %llu, never seen used %llu",
	     c->n_folios < c->folios_all ? "the first " : "", c->n_folios, (unsigned long long)used,
	     (unsigned long long)mapped, (unsigned long long)(c->n_folios - used - mapped));
}

static void request_lines(struct out *o, const struct chain_request *r, const struct chain *c,
			  u64 base)
{
	char size[SIZE_TEXT_MAX];

	if (r->queue.type != EV_OTHER)
		line(o, base, r->queue.seq, r->queue.ts, "REQUEST: %s queued, sector %llu",
		     size_text(r->bytes, size), (unsigned long long)r->sector);
	if (r->issue.type == EV_OTHER)
		line(o, base, 0, 0, "its issue is not in the trace");
	else
		line(o, base, r->issue.seq, r->issue.ts, "REQUEST: %s issued, sector %llu%s",
		     size_text(r->bytes, size), (unsigned long long)r->sector,
		     r->issue.pid != c->decision.pid ? ", by another task" : "");
	if (r->on_device) {
		line(o, base, 0, r->device_begin, "DEVICE: asked");
		if (r->device_end)
			line(o, base, 0, r->device_end, "DEVICE: done");
	}
	if (r->complete.type != EV_OTHER)
		line(o, base, r->complete.seq, r->complete.ts, "completed");
}

static void all_requests(struct out *o, const struct chain *c, u64 base)
{
	u64 uncertainty = 0, missing = 0;

	if (c->decision.type == EV_OTHER)
		return;
	for (u32 i = 0; i < MIN(c->n_requests, REQUESTS_SHOWN); i++)
		request_lines(o, &c->requests[i], c, base);
	for (u32 i = 0; i < c->n_requests; i++) {
		uncertainty = MAX(uncertainty, c->requests[i].device_uncertainty);
		missing += !c->requests[i].on_device;
	}
	if (c->requests_all > REQUESTS_SHOWN)
		line(o, base, 0, 0, "and %llu more requests",
		     (unsigned long long)(c->requests_all - REQUESTS_SHOWN));
	if (!c->requests_all)
		line(o, base, 0, 0, "REQUESTS: the task issued none before its next access");
	out_line(o, 2,
		 "  Requests: %llu, %llu bytes, for folios of %llu bytes: %s.  Inferred from "
		 "task and time.",
		 (unsigned long long)c->requests_all, (unsigned long long)c->request_bytes,
		 (unsigned long long)c->folio_bytes,
		 c->request_bytes == c->folio_bytes ? "the same"
		 : c->request_bytes > c->folio_bytes
			 ? "more; others' pages or the file system's own blocks are among them"
			 : "less; holes of the file, other tasks or queues carried the rest");
	if (c->n_requests && missing == c->n_requests)
		out_line(o, 2,
			 "  Device: not measurable: no request of the device's log can be "
			 "paired with them.");
	else if (c->n_requests)
		out_line(o, 2,
			 "  Device times are its own log's in the guest's clock, +- %.3f us%s.",
			 (double)uncertainty / 1000, missing ? "; some requests have no pair" : "");
}

static void use_line(struct out *o, const struct chain *c, u64 base)
{
	const struct chain_step *u = &c->use;

	if (u->type != EV_OTHER)
		line(o, base, u->seq, u->ts, "first touched after it: %s, page %llu to %llu, by %d",
		     u->type == EV_FAULT       ? "fault"
		     : u->type == EV_MAP_PAGES ? "fault-around"
					       : "read",
		     (unsigned long long)u->index, (unsigned long long)u->last, u->pid);
	else if (c->folios_all)
		line(o, base, 0, 0, "no access touched them afterwards");
}

static void one_chain(struct out *o, const struct capture_result *cr, const struct chain *c)
{
	const struct chain_step *first = c->access.type != EV_OTHER	? &c->access
					 : c->lead.type != EV_OTHER	? &c->lead
					 : c->decision.type != EV_OTHER ? &c->decision
									: &c->first_folio;

	out_line(o, 0, "%s", "");
	out_line(o, 2, "%s%s%s: %s-%d, CPU %u, file %u,%u inode %llu", cr->capture->path,
		 c->phase[0] ? ", phase " : "", c->phase, c->comm[0] ? c->comm : "?", first->pid,
		 first->cpu, DEV_MAJOR(c->dev), DEV_MINOR(c->dev), (unsigned long long)c->ino);
	out_line(o, 0, "    event                time, s   after, us");
	access_lines(o, c, first->ts, capture_page_size(cr));
	decision_lines(o, c, first->ts);
	folio_lines(o, c, first->ts);
	all_requests(o, c, first->ts);
	use_line(o, c, first->ts);
}

void text_chains(struct out *o, const struct analysis *a)
{
	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *cr = &a->captures[i];
		const struct chain_list *l = cr->chains;

		if (!l)
			continue;
		for (u32 k = 0; k < l->n; k++)
			one_chain(o, cr, &l->all[k]);
		if (l->more)
			out_line(o, 2, "%s: %llu more; name a phase or an event", cr->capture->path,
				 (unsigned long long)l->more);
		if (!l->n) {
			out_line(o, 0, "%s", "");
			out_line(o, 2, "%s: no chain: %s", cr->capture->path, l->message);
		}
	}
}
