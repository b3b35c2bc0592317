/* SPDX-License-Identifier: GPL-2.0-only */
/* The request queue of the device that a plan is replayed to. */
#ifndef BP_GUEST_BLOCK_QUEUE_H
#define BP_GUEST_BLOCK_QUEUE_H

#include <jansson.h>

#include "lib/block_plan.h"

/* Requests that a device has completed since it is there: /sys/block/X/stat. */
struct block_counts {
	u64 reads, writes, discards, flushes;
};

/*
 * Makes @disk ("vda") take the plan's requests as they are, if the plan's are
 * those of a device: no scheduler, no merges, no split up to its largest request.
 * Requests that were submitted are left to the block layer.  Opens the device
 * past the page cache, and says how many requests it can have at once.  0, or a negative errno and
 * a line: a device too small, or with larger sectors, is refused here.
 */
struct block_queue {
	int fd;
	unsigned int depth;
	u64 scattered_max; /* bytes that as many pages have as a request may have segments */
};
int block_queue_setup(const char *disk, const struct block_plan *p, struct block_queue *q,
		      struct err *e) __must_check;

int block_counts_read(const char *disk, struct block_counts *c, struct err *e) __must_check;

/* The same of the file's text; 0 or -EINVAL.  A kernel before 5.5 does not count flushes. */
int block_counts_parse(const char *text, struct block_counts *c) __must_check;

json_t *block_counts_json(const struct block_counts *c);

#endif
