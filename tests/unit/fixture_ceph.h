/* SPDX-License-Identifier: GPL-2.0-only */
/* Phases on CephFS, as fixtures of checks: records of 12 pages, each reader every 4th. */
#ifndef BP_FIXTURE_CEPH_H
#define BP_FIXTURE_CEPH_H

#include "tests/unit/fixture.h"

/* OSDs that sent @bytes in @reads requests, 100 MiB asked for, @pages added to caches. */
void fx_osd(struct fixture *fx, u64 bytes, u64 reads, u64 pages);

/* How the records after the first four of each reader come in. */
enum fx_records {
	FX_AHEAD,  /* read ahead along the stride */
	FX_OBJECT, /* an expanded request brings in every 8th and what is around it */
	FX_SINGLE, /* each by itself, when it is asked for */
	FX_PAST,   /* read ahead; but two readers' reads go past the page cache */
};

/* Four readers with @records records each, on a kernel with or without our patch's event. */
void fx_strided(struct fixture *fx, enum fx_records how, unsigned int records, bool event);

#endif
