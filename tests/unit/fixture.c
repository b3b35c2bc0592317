// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fixture.h"

#include <stdarg.h>
#include <string.h>

static const char *const names[] = {"one", "two", "three", "four"};

void fx_init(struct fixture *fx, unsigned int n)
{
	memset(fx, 0, sizeof(*fx));
	fx->ts = NSEC_PER_SEC;
	fx->info = (struct trace_info){.kind = KIND_TRACE_DAT,
				       .path = "trace.dat",
				       .page_size = 4096,
				       .cpus = 2,
				       .caps = CAP_FOLIO_ORDER,
				       .event_types = ~0ull};
	fx->exp.phases = fx->specs;
	fx->exp.n_phases = n;
	fx->run.exp = n ? &fx->exp : NULL;
	fx->captures[0] = &fx->capture;
	fx->run.captures = fx->captures;
	fx->run.n_captures = 1;
	fx->capture.run = &fx->run;
	fx->capture.has_json = n;
	fx->capture.page_size = 4096;
	fx->capture.file_dev = n ? FX_DEV : 0;
	fx->capture.disk_dev = fx->capture.file_dev;
	fx->capture.file_ino = n ? FX_INO : 0;
	fx->capture.file_size = n ? 16ull << 30 : 0;
	fx->capture.read_ahead_kb = 8192;
	fx->capture.phases = fx->phases;
	fx->capture.n_phases = n;
	snprintf(fx->capture.kernel, sizeof(fx->capture.kernel), "patched");
	for (unsigned int i = 0; i < n; i++) {
		snprintf(fx->specs[i].name, NAME_LEN, "%s", names[i]);
		snprintf(fx->phases[i].name, NAME_LEN, "%s", names[i]);
		fx->phases[i].cold_known = true;
		fx->phases[i].end_ns = UINT64_MAX;
		fx->phases[i].bytes_asked = 1ull << 30;
		fx->phases[i].data_checked = 1ull << 30;
		snprintf(fx->phases[i].cold_method, sizeof(fx->phases[i].cold_method), "cachestat");
	}
}

void fx_event(struct fixture *fx, struct event ev)
{
	if (!fx->m)
		fx->m = model_new(&fx->capture, &fx->opt, &fx->info, NULL);
	fx->ts += 1000;
	ev.ts = fx->ts;
	if (ev.type != EV_LOST) {
		ev.seq = ++fx->seq;
		ev.cpu = (u16)(ev.pid % 2);
		if (!ev.dev)
			ev.dev = FX_DEV;
	}
	model_event(fx->m, &ev);
}

void fx_finish(struct fixture *fx)
{
	if (!fx->m)
		fx->m = model_new(&fx->capture, &fx->opt, &fx->info, NULL);
	fx->m->host_read = true;
	model_finish(fx->m);
}

void fx_free(struct fixture *fx)
{
	model_free(fx->m);
	fx->m = NULL;
}

const struct result *fx_result(const struct fixture *fx, const char *check, const char *phase)
{
	for (unsigned int i = 0; i < fx->m->n_phases; i++) {
		const struct model_phase *p = &fx->m->phases[i];

		if (strcmp(p->stats.name, phase))
			continue;
		for (unsigned int k = 0; k < p->n_judges; k++)
			if (!strcmp(p->judges[k].check->name, check))
				return &p->judges[k].result;
	}
	return NULL;
}

void fx_marker(struct fixture *fx, s32 pid, const char *fmt, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fx_event(fx, (struct event){.type = EV_MARKER, .pid = pid, .marker.text = text});
}

static void access_at(struct fixture *fx, enum event_type type, s32 pid, u64 index, u64 last)
{
	fx_event(fx, (struct event){.type = type,
				    .pid = pid,
				    .ino = FX_INO,
				    .access = {.index = index, .last = last}});
}

void fx_fault(struct fixture *fx, s32 pid, u64 index)
{
	access_at(fx, EV_FAULT, pid, index, index);
}

void fx_map(struct fixture *fx, s32 pid, u64 index)
{
	access_at(fx, EV_MAP_PAGES, pid, index, index + 15);
}

void fx_pages(struct fixture *fx, s32 pid, u64 index, u64 last)
{
	access_at(fx, EV_GET_PAGES, pid, index, last);
}

static void ra(struct fixture *fx, enum event_type type, s32 pid, u64 index, u64 req,
	       unsigned int order, u32 size, u32 async)
{
	fx_event(fx, (struct event){.type = type,
				    .pid = pid,
				    .ino = FX_INO,
				    .ra = {.index = index,
					   .req_count = req,
					   .order = (u8)order,
					   .size = size,
					   .async_size = async,
					   .ra_pages = FX_PIECE}});
}

void fx_sync(struct fixture *fx, s32 pid, u64 index, u64 req)
{
	ra(fx, EV_RA_SYNC, pid, index, req, 0, 0, 0);
}

void fx_async(struct fixture *fx, s32 pid, u64 index)
{
	ra(fx, EV_RA_ASYNC, pid, index, FX_PIECE, 0, FX_PIECE, FX_PIECE / 4);
}

void fx_order(struct fixture *fx, s32 pid, u64 index, unsigned int order, u32 size, u32 async)
{
	ra(fx, EV_RA_ORDER, pid, index, 0, order, size, async);
}

void fx_unbounded(struct fixture *fx, s32 pid, u64 index, u64 n, u32 lookahead)
{
	ra(fx, EV_RA_UNBOUNDED, pid, index, n, 0, 0, lookahead);
}

void fx_add(struct fixture *fx, s32 pid, u64 index, unsigned int order)
{
	fx_event(fx, (struct event){.type = EV_FOLIO_ADD,
				    .pid = pid,
				    .ino = FX_INO,
				    .folio = {.index = index, .order = (u8)order}});
}

void fx_fill(struct fixture *fx, s32 pid, u64 index, u64 n, unsigned int order)
{
	for (u64 i = index; i < index + n; i += 1ull << order)
		fx_add(fx, pid, i, order);
}

void fx_request(struct fixture *fx, s32 pid, u64 sector, u32 bytes)
{
	struct event ev = {.type = EV_RQ_ISSUE,
			   .pid = pid,
			   .sector = sector,
			   .rq = {.bytes = bytes, .flags = RQ_READ | RQ_AHEAD}};

	fx_event(fx, ev);
	/* the device works 100 us */
	fx->ts += 100000;
	ev.type = EV_RQ_COMPLETE;
	fx_event(fx, ev);
}

void fx_lost(struct fixture *fx, u16 cpu, u64 from)
{
	fx_event(fx, (struct event){.type = EV_LOST, .cpu = cpu, .lost = {.from = from}});
}

void fx_host(struct fixture *fx, u64 sector, u32 bytes, u64 queue, u64 complete)
{
	struct event ev = {.type = EV_RQ_QUEUE,
			   .ts = queue,
			   .sector = sector,
			   .rq = {.bytes = bytes, .flags = RQ_READ}};

	model_host_event(fx->m, &ev);
	ev.type = EV_RQ_ISSUE;
	model_host_event(fx->m, &ev);
	ev.type = EV_RQ_COMPLETE;
	ev.ts = complete;
	model_host_event(fx->m, &ev);
}

void fx_readaround(struct fixture *fx, s32 pid, u64 index)
{
	u64 start = index > FX_PIECE / 2 ? index - FX_PIECE / 2 : 0;
	u64 end = start + FX_PIECE;

	fx_fault(fx, pid, index);
	fx_order(fx, pid, start, 0, FX_PIECE, FX_PIECE / 4);
	for (u64 i = start; i < end; i++)
		if (!page_set_count(fx->m->cached, FX_DEV, FX_INO, i, 1))
			fx_add(fx, pid, i, 0);
	/* the fault is retried once its page is there */
	fx_fault(fx, pid, index);
}

/*
 * Every stream has a range of its own, with unread pages between the ranges:
 * the first piece begins one piece into it.
 */
static u64 first_page(unsigned int stream, unsigned int pieces)
{
	return (u64)stream * (pieces + 4) * FX_PIECE + FX_PIECE;
}

static void start_streams(struct fixture *fx, const char *name, unsigned int streams,
			  unsigned int pieces)
{
	fx_marker(fx, 1, "phase begin %s", name);
	for (unsigned int s = 0; s < streams; s++)
		fx_marker(fx, 100 + (s32)s, "stream %u %llu %llu", s,
			  (unsigned long long)first_page(s, pieces) * 4096,
			  (unsigned long long)pieces * FX_PIECE * 4096);
}

static void start_piece(struct fixture *fx, unsigned int s, u64 page)
{
	fx_marker(fx, 100 + (s32)s, "piece %u %llu %u", s, (unsigned long long)page * 4096,
		  FX_PIECE * 4096);
}

void fx_phase_base(struct fixture *fx, const char *name, unsigned int streams, unsigned int pieces)
{
	start_streams(fx, name, streams, pieces);
	for (unsigned int p = 0; p < pieces; p++) {
		for (unsigned int s = 0; s < streams; s++) {
			s32 pid = 100 + (s32)s;
			u64 page = first_page(s, pieces) + (u64)p * FX_PIECE;

			start_piece(fx, s, page);
			fx_readaround(fx, pid, page + FX_PIECE - 1);
			if (!p)
				fx_readaround(fx, pid, page);
			/* the marker at 3/4 of the window around the end of the piece before */
			fx_map(fx, pid, page + 16);
			fx_fault(fx, pid, page + 511);
			fx_async(fx, pid, page + 511);
			fx_map(fx, pid, page + 512);
		}
	}
	fx_marker(fx, 1, "phase end %s", name);
}

void fx_phase_patched(struct fixture *fx, const char *name, unsigned int streams,
		      unsigned int pieces)
{
	unsigned int order = 0;

	start_streams(fx, name, streams, pieces);
	for (unsigned int p = 0; p < pieces; p++) {
		for (unsigned int s = 0; s < streams; s++) {
			s32 pid = 100 + (s32)s;
			u64 page = first_page(s, pieces) + (u64)p * FX_PIECE;

			start_piece(fx, s, page);
			if (!p) {
				fx_readaround(fx, pid, page + FX_PIECE - 1);
				fx_readaround(fx, pid, page);
				order = 0;
			}
			/* the shared order: what the file system grants (9), and 2 more */
			order = MIN(order, 9u) + 2;
			fx_fault(fx, pid, page + 511);
			fx_async(fx, pid, page + 511);
			fx_order(fx, pid, page + 3 * FX_PIECE / 2 - 1, order, FX_PIECE, FX_PIECE);
			/* a misaligned start costs small folios first: here, none */
			fx_fill(fx, pid, page + 3 * FX_PIECE / 2 - 1, FX_PIECE, MIN(order, 9u));
			fx_map(fx, pid, page + 512);
		}
	}
	fx_marker(fx, 1, "phase end %s", name);
}
