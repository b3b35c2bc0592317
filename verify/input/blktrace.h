/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the blktrace reader share; the format is drawn in blktrace.c. */
#ifndef BP_BLKTRACE_H
#define BP_BLKTRACE_H

#include "verify/input/file.h"
#include "verify/input/reader.h"

#define BLK_FILES_MAX 8192u
#define BLK_CPUS_MAX 8192u

/* One record in our byte order. */
struct blk_record {
	u64 time, sector, action;
	u64 off; /* in its file */
	u64 lost_from; /* with lost */
	u32 sequence, bytes, pid, device, cpu;
	u32 lost_count;
	u16 error, pdu_len;
	bool lost; /* records of its CPU and device are missing before it */
};

struct blk_file {
	struct infile f;
	char *path;
	bool swap, v8;
	u64 end; /* of the last whole record; before damage with INPUT_PARTIAL */
	u64 pos; /* of the next record to be read */
	u8 *win;
	u64 win_off;
	size_t win_len, win_size;
	/* records that were read ahead: in order of time, and those that were not */
	struct blk_record *fifo, *heap;
	u32 fifo_size, fifo_head, n_fifo, n_heap, heap_size;
};

/* Names of the files that @path stands for, sorted; the caller frees each and the array. */
int blk_find_files(const char *path, char ***names, unsigned int *n, struct err *e) __must_check;

/*
 * Reads the record at @off; *@pdu is valid until the next call.  Returns its
 * length, or a negative errno and a line.
 */
int blk_read_record(struct blk_file *bf, u64 off, struct blk_record *r, const u8 **pdu,
		    struct err *e) __must_check;

/* Types and flags from a record's action. */
unsigned int blk_event_type(u64 action);
u32 blk_flags(u64 action);

#define BLK_TC_NOTIFY (1u << 10)
#define BLK_CATEGORY(action) ((action) >> 16)
/* The action without its categories and without the bit that says that a cgroup follows. */
#define BLK_ACT(action) ((u32)(action) & 0xfeffu)
#define BLK_CGROUP 0x100u
enum { BLK_NOTE_PROCESS, BLK_NOTE_TIMESTAMP, BLK_NOTE_MESSAGE };

#endif
