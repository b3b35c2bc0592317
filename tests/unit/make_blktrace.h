/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes blktrace files for tests: records of version 7 or 8 in either byte order. */
#ifndef BP_MAKE_BLKTRACE_H
#define BP_MAKE_BLKTRACE_H

#include "lib/util.h"

enum bb_flags { BB_V8 = 1 << 0, BB_BIG_ENDIAN = 1 << 1 };

/* Categories and actions are those of include/uapi/linux/blktrace_api.h. */
enum { BB_READ = 1, BB_WRITE = 2, BB_FLUSH = 4, BB_SYNC = 8, BB_QUEUE = 16, BB_ISSUE = 64,
       BB_COMPLETE = 128, BB_NOTIFY = 1 << 10, BB_AHEAD = 1 << 11, BB_DISCARD = 1 << 13 };

struct bb_record {
	u64 time, sector;
	u32 bytes, category, act;
	u32 pid, device, cpu;
	u32 sequence; /* 0: the next of this builder, but for notes */
	int error;
	u64 cgroup; /* not 0: before the data */
	const void *pdu;
	u32 pdu_len;
};

struct blktrace_builder;

struct blktrace_builder *bb_new(unsigned int flags);
void bb_free(struct blktrace_builder *bb);
void bb_add(struct blktrace_builder *bb, struct bb_record r);
void bb_process(struct blktrace_builder *bb, u64 time, u32 pid, const char *name);
/* Raw bytes, for damage. */
void bb_raw(struct blktrace_builder *bb, const void *data, size_t len);
/* Records with their end offsets; the data is the builder's. */
const u8 *bb_data(const struct blktrace_builder *bb, size_t *len);
const u64 *bb_ends(const struct blktrace_builder *bb, unsigned int *n);
void bb_write(const struct blktrace_builder *bb, const char *path);

#endif
