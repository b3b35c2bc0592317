// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model, its statistics, chains and the join, and all checks, on events
 * that no reader made: 16 bytes of the input are one event.  Readers give times
 * in order and numbers that count; all else is the input's.
 */
#include <string.h>

#include "verify/input/input.h"
#include "verify/model/chains.h"
#include "verify/model/judge.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define FILE_DEV DEV(254, 0)
#define FILE_INO 12u

static const char *const markers[] = {
	"phase begin one",    "phase end one",	    "phase begin two", "phase end two",
	"stream 0 0 1048576", "stream 7 0 9",	    "piece 0 0 8192",  "piece 0 8192 8192",
	"piece 7 99 1",	      "piece 4294967296 1", "stream 1 2",      "",
};

/* Pages near each other, so that things meet; a few at the end of the range. */
static u64 page(const u8 *b)
{
	u64 v = (u64)b[0] | (u64)b[1] << 8;

	return v >= 0xff00 ? UINT64_MAX - (v & 0xff) : v;
}

static u32 pages32(const u8 *b)
{
	return (u32)MIN(page(b), (u64)UINT32_MAX);
}

/* The event that the bytes stand for; its time is after the one before. */
static struct event event_of(const u8 b[16], u64 *ts, u64 *seq)
{
	struct event ev = {.type = b[0] % EV_TYPES,
			   .pid = 98 + (b[1] & 7),
			   .cpu = b[1] >> 3 & 3,
			   .dev = b[1] & 0x80 ? DEV(8, 1) : FILE_DEV};

	*ts += 1ull << (b[2] & 31);
	ev.ts = *ts;
	if (ev.type != EV_LOST)
		ev.seq = ++*seq;
	switch (ev.type) {
	case EV_LOST:
		ev.lost.from = *ts - MIN(*ts, 1ull << (b[3] & 63));
		ev.lost.count = b[4];
		break;
	case EV_MARKER:
		ev.marker.text = markers[b[3] % ARRAY_SIZE(markers)];
		break;
	case EV_FAULT:
	case EV_GET_PAGES:
	case EV_MAP_PAGES:
		ev.ino = FILE_INO + (b[3] & 1);
		ev.access.index = page(b + 4);
		ev.access.last = b[3] & 2 ? page(b + 6) : ev.access.index + (b[6] & 15);
		break;
	case EV_FOLIO_ADD:
	case EV_FOLIO_DELETE:
		ev.ino = FILE_INO + (b[3] & 1);
		ev.folio.index = page(b + 4);
		ev.folio.order = b[6];
		break;
	case EV_RA_SYNC:
	case EV_RA_ASYNC:
	case EV_RA_ORDER:
	case EV_RA_UNBOUNDED:
		ev.ino = FILE_INO + (b[3] & 1);
		ev.ra.index = page(b + 4);
		ev.ra.req_count = page(b + 6);
		ev.ra.size = pages32(b + 8);
		ev.ra.async_size = pages32(b + 10);
		ev.ra.ra_pages = pages32(b + 12);
		ev.ra.order = b[14];
		break;
	default:
		ev.sector = page(b + 4);
		ev.rq.bytes = (u32)(b[6] & 0xf) << 9;
		ev.rq.flags = (u32)(b[7] | b[8] << 8);
		ev.rq.error = b[9] & 1 ? -5 : 0;
	}
	return ev;
}

/* A PASS has examined something, and nothing that was lost. */
static void look_at_results(const struct model *m)
{
	for (unsigned int i = 0; i < m->n_phases; i++) {
		const struct model_phase *p = &m->phases[i];

		for (unsigned int k = 0; k < p->n_judges; k++) {
			const struct result *r = &p->judges[k].result;

			if (r->verdict != VERDICT_PASS)
				continue;
			if (!r->examined || r->violations ||
			    (p->judges[k].check->needs && p->stats.lost_spans))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct phase specs[2] = {{.name = "one"}, {.name = "two"}};
	struct experiment exp = {.phases = specs, .n_phases = 2};
	struct phase_info phases[2] = {{.name = "one"}, {.name = "two"}};
	static char guest[] = "trace.dat", host[] = "virtio-blk.blktrace.0";
	struct run run = {.exp = &exp};
	struct capture c = {.page_size = 4096, .trace = guest, .phases = phases, .n_phases = 2};
	const struct trace_info info = {.path = guest,
					.page_size = 4096,
					.cpus = 4,
					.caps = CAP_FOLIO_ORDER,
					.event_types = ~0ull};
	struct analyze_options opt = {.stats = true, .chain = {CHAIN_OFFSET, 4096, ""}};
	u64 ts = NSEC_PER_SEC, seq = 0, host_ts = 0, host_seq = 0;
	struct model *m;

	if (size < 1)
		return 0;
	if (data[0] & 1)
		c.blktrace = host;
	if (data[0] & 2)
		opt.chain = (struct chain_where){CHAIN_EVENT, data[0] >> 3, ""};
	if (data[0] & 4) {
		c.has_json = true;
		c.run = &run;
		c.file_dev = FILE_DEV;
		c.file_ino = FILE_INO;
		c.file_size = 0xfff0ull << 12;
		for (unsigned int i = 0; i < 2; i++) {
			phases[i].cold_known = true;
			phases[i].end_ns = UINT64_MAX;
			phases[i].bytes_asked = phases[i].data_checked = 1u << 20;
		}
	}
	m = model_new(&c, &opt, &info, NULL);
	/* the host's log comes after the guest's trace: what has the highest bit of byte 15 set */
	for (size_t at = 1; at + 16 <= size; at += 16) {
		if (!c.blktrace || !(data[at + 15] & 0x80)) {
			struct event ev = event_of(data + at, &ts, &seq);

			model_event(m, &ev);
		}
	}
	for (size_t at = 1; c.blktrace && at + 16 <= size; at += 16) {
		if (data[at + 15] & 0x80) {
			struct event ev = event_of(data + at, &host_ts, &host_seq);

			model_host_event(m, &ev);
		}
	}
	m->host_read = true;
	model_finish(m);
	look_at_results(m);
	if (m->chains)
		chain_list_free(chains_take(m->chains));
	model_free(m);
	return 0;
}
