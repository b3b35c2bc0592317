// SPDX-License-Identifier: GPL-2.0-only
#include "verify/input/dump.h"

#include <inttypes.h>

#include "verify/input/rwbs.h"

static const char *const names[EV_TYPES] = {
	[EV_OTHER] = "other",
	[EV_FAULT] = "fault",
	[EV_GET_PAGES] = "get_pages",
	[EV_MAP_PAGES] = "map_pages",
	[EV_FOLIO_ADD] = "folio_add",
	[EV_FOLIO_DELETE] = "folio_delete",
	[EV_RA_SYNC] = "ra_sync",
	[EV_RA_ASYNC] = "ra_async",
	[EV_RA_ORDER] = "ra_order",
	[EV_RA_UNBOUNDED] = "ra_unbounded",
	[EV_NETFS_READ] = "netfs_read",
	[EV_STRIDED_READ] = "strided_read",
	[EV_CALL] = "call",
	[EV_CALL_EXIT] = "call_exit",
	[EV_MARKER] = "marker",
	[EV_RQ_QUEUE] = "rq_queue",
	[EV_RQ_MERGE] = "rq_merge",
	[EV_RQ_GET] = "rq_get",
	[EV_RQ_INSERT] = "rq_insert",
	[EV_RQ_ISSUE] = "rq_issue",
	[EV_RQ_COMPLETE] = "rq_complete",
	[EV_RQ_REQUEUE] = "rq_requeue",
	[EV_RQ_REMAP] = "rq_remap",
	[EV_RQ_OTHER] = "rq_other",
	[EV_LOST] = "lost",
};

static const char *const call_names[] = {"read",    "pread64", "readahead", "fadvise64",
					 "madvise", "mmap",    "openat"};

const char *event_type_name(unsigned int type)
{
	return type < EV_TYPES && names[type] ? names[type] : "?";
}

static void fields(const struct event *ev, char *buf, size_t size)
{
	char rwbs[16];

	switch (ev->type) {
	case EV_FAULT:
	case EV_GET_PAGES:
	case EV_MAP_PAGES:
		snprintf(buf, size, "dev=%u,%u ino=%" PRIu64 " index=%" PRIu64 "-%" PRIu64,
			 DEV_MAJOR(ev->dev), DEV_MINOR(ev->dev), ev->ino, ev->access.index,
			 ev->access.last);
		break;
	case EV_FOLIO_ADD:
	case EV_FOLIO_DELETE:
		snprintf(buf, size,
			 "dev=%u,%u ino=%" PRIu64 " index=%" PRIu64 " pfn=%" PRIu64 " order=%d",
			 DEV_MAJOR(ev->dev), DEV_MINOR(ev->dev), ev->ino, ev->folio.index,
			 ev->folio.pfn, ev->folio.order == ORDER_UNKNOWN ? -1 : ev->folio.order);
		break;
	case EV_RA_SYNC:
	case EV_RA_ASYNC:
	case EV_RA_ORDER:
	case EV_RA_UNBOUNDED:
		snprintf(buf, size,
			 "dev=%u,%u ino=%" PRIu64 " index=%" PRIu64 " req_count=%" PRIu64
			 " order=%d size=%u async_size=%u ra_pages=%u mmap_miss=%u",
			 DEV_MAJOR(ev->dev), DEV_MINOR(ev->dev), ev->ino, ev->ra.index,
			 ev->ra.req_count, ev->ra.order == ORDER_UNKNOWN ? -1 : ev->ra.order,
			 ev->ra.size, ev->ra.async_size, ev->ra.ra_pages, ev->ra.mmap_miss);
		break;
	case EV_CALL:
	case EV_CALL_EXIT:
		snprintf(buf, size,
			 "call=%s fd=%u offset=%" PRIu64 " length=%" PRIu64
			 " advice=%u ret=%" PRId64,
			 call_names[ev->call.call], ev->call.fd, ev->call.offset, ev->call.length,
			 ev->call.advice, ev->call.ret);
		break;
	case EV_NETFS_READ:
		snprintf(buf, size, "ino=%" PRIu64 " request=%u pos=%" PRIu64 " len=%" PRIu64,
			 ev->ino, ev->netfs.request, ev->netfs.pos, ev->netfs.len);
		break;
	case EV_STRIDED_READ:
		snprintf(buf, size,
			 "dev=%u,%u ino=%" PRIu64 " pos=%" PRIu64 " len=%" PRIu64
			 " interval=%" PRIu64 " ahead=%" PRIu64 "-%" PRIu64,
			 DEV_MAJOR(ev->dev), DEV_MINOR(ev->dev), ev->ino, ev->stride.pos,
			 ev->stride.len, ev->stride.interval, ev->stride.from, ev->stride.to);
		break;
	case EV_MARKER:
		snprintf(buf, size, "%s", ev->marker.text);
		break;
	case EV_LOST:
		snprintf(buf, size, "from=%" PRIu64 " count=%" PRIu64, ev->lost.from,
			 ev->lost.count);
		break;
	case EV_OTHER:
		*buf = '\0';
		break;
	default:
		snprintf(buf, size, "dev=%u,%u sector=%" PRIu64 " bytes=%u %s error=%d sequence=%u",
			 DEV_MAJOR(ev->dev), DEV_MINOR(ev->dev), ev->sector, ev->rq.bytes,
			 rwbs_text(ev->rq.flags, rwbs), ev->rq.error, ev->rq.sequence);
		break;
	}
}

char *event_text(const struct trace *t, const struct event *ev, char *buf, size_t size)
{
	char text[1100];

	fields(ev, text, sizeof(text));
	snprintf(buf, size, "%" PRIu64 " %" PRIu64 ".%09" PRIu64 " [%03u] %s-%d %s %s", ev->seq,
		 (u64)(ev->ts / NSEC_PER_SEC), (u64)(ev->ts % NSEC_PER_SEC), ev->cpu,
		 ev->type == EV_LOST ? "" : trace_comm(t, ev->pid), ev->pid,
		 event_type_name(ev->type), text);
	return buf;
}

/* Names of tasks and texts of markers are whatever somebody chose, escape codes included. */
static void put_line(const char *line, FILE *out)
{
	char *safe __cleanup_free = printable(line);

	fprintf(out, "%s\n", safe);
}

static void print_info(const struct trace_info *info, const u64 *counts, FILE *out)
{
	char *clock __cleanup_free = printable(info->clock);
	char *uname __cleanup_free = printable(info->uname);

	fprintf(out, "format: %s\nclock: %s\nuname: %s\ncpus: %u\npage size: %u\n", info->format,
		clock, uname, info->cpus, info->page_size);
	fprintf(out, "folio order: %s\n",
		info->caps & CAP_FOLIO_ORDER ? "yes"
					     : "not measurable: the file has no such field");
	for (u32 i = 0; i < info->n_loss; i++) {
		const struct cpu_loss *l = &info->loss[i];

		fprintf(out,
			"loss: cpu %u: overrun %" PRIu64 ", commit overrun %" PRIu64
			", dropped %" PRIu64 ", unread %" PRIu64 ", absent %" PRIu64 "\n",
			l->cpu, l->overrun, l->commit_overrun, l->dropped, l->unread, l->absent);
	}
	for (unsigned int i = 0; i < EV_TYPES; i++) {
		if (counts[i] || info->event_types >> i & 1)
			fprintf(out, "events: %s: %" PRIu64 "\n", event_type_name(i), counts[i]);
	}
	if (info->damage)
		fprintf(out, "damage: %s\n", info->damage);
}

int trace_dump(const char *path, FILE *out, unsigned int flags, struct err *e)
{
	u64 counts[EV_TYPES] = {0};
	char line[1400];
	struct trace *t;
	struct event ev;
	int ret;

	ret = trace_open(&t, path, flags & DUMP_PARTIAL ? INPUT_PARTIAL : 0, e);
	if (ret)
		return ret;
	while ((ret = trace_next(t, &ev, e)) == 1) {
		counts[ev.type]++;
		if (flags & DUMP_EVENTS)
			put_line(event_text(t, &ev, line, sizeof(line)), out);
	}
	if (flags & DUMP_COUNTS)
		print_info(trace_info(t), counts, out);
	trace_close(t);
	return ret;
}
