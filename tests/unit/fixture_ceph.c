// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fixture_ceph.h"

#include <string.h>

#define READERS 4u
#define RECORD 12u /* pages */
#define LEARN 4u

static void on_ceph(struct fixture *fx)
{
	fx_init(fx, 1);
	strcpy(fx->capture.filesystem, "ceph");
	fx->capture.file_dev = 0;
	fx->capture.osds = 1;
	fx->phases[0].clients = 2;
}

void fx_osd(struct fixture *fx, u64 bytes, u64 reads, u64 pages)
{
	on_ceph(fx);
	fx->phases[0].bytes_asked = 100u << 20;
	fx->phases[0].osd_known = true;
	fx->phases[0].osd_read_bytes = bytes;
	fx->phases[0].osd_reads = reads;
	fx_marker(fx, 1, "phase begin one");
	fx_fill(fx, 100, 0, pages, 0);
	fx_marker(fx, 1, "phase end one");
}

static void netfs(struct fixture *fx, s32 pid, u32 request, u64 page, u64 pages)
{
	fx_event(fx,
		 (struct event){
			 .type = EV_NETFS_READ,
			 .pid = pid,
			 .ino = FX_INO,
			 .netfs = {.request = request, .pos = page * 4096, .len = pages * 4096}});
}

static void read_ahead(struct fixture *fx, s32 pid, u32 request, u64 page)
{
	fx_unbounded(fx, pid, page, RECORD, 0);
	fx_fill(fx, pid, page, RECORD, 0);
	netfs(fx, pid, request, page, RECORD);
}

/* page_cache_sync_ra(), which leads to a small read, perhaps of a whole object. */
static void read_now(struct fixture *fx, s32 pid, u32 request, u64 page, bool expand)
{
	fx_sync(fx, pid, page, RECORD);
	fx_unbounded(fx, pid, page, RECORD, 0);
	fx_fill(fx, pid, page, RECORD, 0);
	netfs(fx, pid, request, page, RECORD);
	if (expand)
		netfs(fx, pid, request, page & ~1023ull, 1024);
}

void fx_strided(struct fixture *fx, enum fx_records how, unsigned int records, bool event)
{
	u32 request = 1;

	on_ceph(fx);
	if (!event)
		fx->info.event_types &= ~EV_BIT(EV_STRIDED_READ);
	fx_marker(fx, 1, "phase begin one");
	for (unsigned int r = 0; r < READERS; r++)
		fx_marker(fx, 100 + (s32)r, "stream %u %u 1000000", r, r * RECORD * 4096);
	for (unsigned int i = 0; i < records; i++) {
		for (unsigned int r = 0; r < READERS; r++, request++) {
			u64 page = (u64)(i * READERS + r) * RECORD;
			s32 pid = 100 + (s32)r;

			fx_marker(fx, pid, "piece %u %llu %u", r, (unsigned long long)page * 4096,
				  RECORD * 4096);
			if (event && i >= LEARN - 1)
				fx_event(fx, (struct event){.type = EV_STRIDED_READ,
							    .pid = pid,
							    .ino = FX_INO,
							    .stride = {.pos = page * 4096}});
			if (i < LEARN)
				read_now(fx, pid, request, page, true);
			else if (how == FX_PAST && r < 2)
				continue;
			else if (how == FX_AHEAD || how == FX_PAST)
				read_ahead(fx, pid, request, page + READERS * RECORD);
			else if (how == FX_SINGLE || !(i % 8))
				read_now(fx, pid, request, page, how == FX_OBJECT);
			fx_pages(fx, pid, page, page + RECORD - 1);
		}
	}
	fx_marker(fx, 1, "phase end one");
}
