/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of the guest's kernel around a phase: /proc/vmstat and the ring buffer's. */
#ifndef BP_GUEST_COUNTERS_H
#define BP_GUEST_COUNTERS_H

#include "lib/err.h"

/* The members of /proc/vmstat that a phase reports, in this order. */
#define VMSTAT_MAX 32
extern const char *const vmstat_names[];
extern const unsigned int n_vmstat_names;

struct vmstat {
	u64 value[VMSTAT_MAX];	/* by index in vmstat_names */
	bool known[VMSTAT_MAX]; /* this kernel has the counter */
};

/*
 * Parses text of /proc/vmstat ("name value" lines).  pgpgin and pgpgout are
 * KiB there, the rest counts.  Returns 0, or -EINVAL when pgfault or
 * pgmajfault is missing or a value is no number: then nothing was measured.
 */
int vmstat_parse(struct vmstat *v, const char *text) __must_check;

/* Reads /proc/vmstat; allocates nothing. */
int vmstat_read(struct vmstat *v) __must_check;

/* One CPU of the ring buffer, as tracefs's per_cpu/cpuN/stats says. */
struct ring_stats {
	u64 entries;	    /* events in the buffer, not read yet */
	u64 overrun;	    /* events overwritten before they were read */
	u64 commit_overrun; /* events lost since a page was still being committed */
	u64 dropped;	    /* events not written since the buffer was full */
	u64 read;	    /* events read */
};

/* Parses such text; -EINVAL when a counter is missing. */
int ring_stats_parse(struct ring_stats *s, const char *text) __must_check;

/* Text that ring_stats_parse() reads back: for sums over phases. */
void ring_stats_text(const struct ring_stats *s, char *buf, size_t size);

#endif
