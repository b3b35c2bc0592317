// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a trace.dat of any number of events of the default set, in about the
 * mix that a run of piece-copy has: make_big_trace EVENTS CPUS FILE [v6|zstd];
 * faults that are read around, at random offsets of 16 GiB: ... FILE random;
 * or a blktrace file of the CPU 0: make_big_trace EVENTS 1 FILE blktrace.
 */
#include <stdio.h>
#include <string.h>

#include "lib/size.h"
#include "tests/unit/make_blktrace.h"
#include "tests/unit/make_trace.h"

/* One window: the fault, the decision, the request, its folios, its completion. */
static u64 window(struct trace_builder *tb, unsigned int cpu, u64 ts, u64 index)
{
	struct tb_ra ra = { .index = index, .req_count = 32, .order = 2, .size = 32,
			    .async_size = 8, .ra_pages = 2048 };
	int pid = 100 + (int)cpu;
	u64 n = 0;

	tb_map_pages(tb, cpu, ts + 100 * n++, pid, 13, index, index + 15);
	tb_fault(tb, cpu, ts + 100 * n++, pid, 13, index);
	tb_ra_async(tb, cpu, ts + 100 * n++, pid, 13, ra);
	tb_ra_order(tb, cpu, ts + 100 * n++, pid, 13, ra);
	for (unsigned int i = 0; i < 12; i++)
		tb_add_folio(tb, cpu, ts + 100 * n++, pid, 13, index + 4 * i, 2);
	tb_rq_issue(tb, cpu, ts + 100 * n++, pid, index * 8, 196608, "RA");
	tb_other(tb, cpu, ts + 100 * n++, pid);
	tb_get_pages(tb, cpu, ts + 100 * n++, pid, 13, index, index + 31);
	tb_rq_complete(tb, cpu, ts + 100 * n++, 0, index * 8, 196608, "RA", 0);
	return n;
}

/* The same of a fault anywhere, which is read around. */
static u64 around(struct trace_builder *tb, unsigned int cpu, u64 ts, u64 index)
{
	struct tb_ra ra = { .index = index, .size = 32, .async_size = 8, .ra_pages = 32 };
	int pid = 100 + (int)cpu;
	u64 n = 0;

	tb_fault(tb, cpu, ts + 100 * n++, pid, 13, index + 16);
	tb_ra_order(tb, cpu, ts + 100 * n++, pid, 13, ra);
	for (unsigned int i = 0; i < 4; i++)
		tb_add_folio(tb, cpu, ts + 100 * n++, pid, 13, index + 8 * i, (index >> 5) % 4);
	tb_rq_issue(tb, cpu, ts + 100 * n++, pid, index * 8, 131072, "RA");
	tb_rq_complete(tb, cpu, ts + 100 * n++, 0, index * 8, 131072, "RA", 0);
	return n;
}

static void blktrace(u64 events, const char *path)
{
	static const struct {
		u32 category, act;
	} steps[] = { { BB_QUEUE, 1 }, { BB_QUEUE, 4 }, { BB_ISSUE, 7 }, { BB_COMPLETE, 8 } };
	struct blktrace_builder *bb = bb_new(0);

	for (u64 i = 0; i < events; i++)
		bb_add(bb,
		       (struct bb_record){.time = 1000 * i,
					  .sector = i / 4 * 8,
					  .bytes = 4096,
					  .category = steps[i % 4].category | BB_READ | BB_AHEAD,
					  .act = steps[i % 4].act,
					  .pid = 42,
					  .device = 1 << 20});
	bb_write(bb, path);
	bb_free(bb);
}

int main(int argc, char **argv)
{
	unsigned int flags = 0;
	struct trace_builder *tb;
	u64 events, cpus, done = 0, index = 0, ts = 1000000;
	struct err e;
	bool random;

	if (argc < 4 || number_parse(argv[1], "EVENTS", 1, 1ull << 32, &events, &e) ||
	    number_parse(argv[2], "CPUS", 1, TB_CPUS_MAX, &cpus, &e)) {
		fprintf(stderr, "usage: make_big_trace EVENTS CPUS FILE [v6|zstd|random|blktrace]\n");
		return 2;
	}
	if (argc > 4 && !strcmp(argv[4], "blktrace")) {
		blktrace(events, argv[3]);
		return 0;
	}
	random = argc > 4 && !strcmp(argv[4], "random");
	if (argc > 4 && !random)
		flags = strcmp(argv[4], "v6") ? TB_ZSTD : TB_V6;
	tb = tb_new(flags);
	tb_cpus(tb, (unsigned int)cpus);
	for (u64 i = 0; random && done < events; i++, ts += 1700) {
		/* a multiplicative hash: every run draws the same */
		index = (i * 0x9e3779b97f4a7c15ull >> 40) % (1u << 17) * 32;
		done += around(tb, (unsigned int)(i % cpus), ts, index);
	}
	for (; done < events; index += 48, ts += 1700)
		done += window(tb, (unsigned int)(index / 48 % cpus), ts, index);
	tb_write(tb, argv[3]);
	tb_free(tb);
	return 0;
}
