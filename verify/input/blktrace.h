/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the blktrace reader share; the format is drawn in blktrace.c. */
#ifndef BP_BLKTRACE_H
#define BP_BLKTRACE_H

#include "verify/input/file.h"
#include "verify/input/reader.h"

/* Each has a window of 128 KiB, and memory stays below 256 MiB. */
#define BLK_FILES_MAX 1024u
#define BLK_CPUS_MAX 8192u

/* One record in our byte order. */
struct blk_record {
	u64 time, sector, action;
	u64 off;       /* in its file */
	u64 lost_from; /* with lost */
	u32 sequence, bytes, pid, device, cpu;
	u32 lost_count;
	u16 error, pdu_len;
	bool lost; /* records of its CPU and device are missing before it */
};

/*
 * Records that were read ahead and come out in order of time, equal times in
 * order of their place in the file: a queue of those that came in order, and
 * a heap of the others.
 */
struct blk_queue {
	struct blk_record *fifo, *heap;
	u32 n; /* all together */
	u32 fifo_size, fifo_head, n_fifo, heap_size, n_heap;
};

void blk_queue_push(struct blk_queue *q, const struct blk_record *r);
struct blk_record *blk_queue_head(const struct blk_queue *q); /* NULL: empty */
void blk_queue_pop(struct blk_queue *q);
void blk_queue_free(struct blk_queue *q);

/* The last number of each device on each CPU in each file. */
struct blk_counter;
struct blk_counters {
	struct blk_counter *counter;
	u32 n, size;
};

/*
 * Marks @r as lost-before if its number is not the one that follows the last
 * of its device and CPU in file number @file.  False: there are too many.
 */
bool blk_count(struct blk_counters *c, u32 file, struct blk_record *r) __must_check;
void blk_counters_free(struct blk_counters *c);

struct blk_file {
	struct infile f;
	char *path;
	bool swap, v8;
	u64 end; /* of the last whole record; before damage with INPUT_PARTIAL */
	u64 pos; /* of the next record to be read */
	u8 *win;
	u64 win_off;
	size_t win_len, win_size;
	struct blk_queue queue;
};

/*
 * What trace_next() gives for @r, the first of @f's queue: the hole before it,
 * then the event itself, with its number.  Then *@last_time is its time, and
 * *@consumed says that the record can leave the queue.  Returns 1, or -EBADMSG
 * and a line for a @what ("record", "line") further from its place in time
 * than the @read_ahead of them that are looked at.
 */
int blk_emit(struct trace *t, const struct infile *f, struct blk_record *r, const char *what,
	     u32 read_ahead, u64 *last_time, bool *consumed, struct event *ev,
	     struct err *e) __must_check;

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
#define BLK_ACT(action) ((u32)(action)&0xfeffu)
#define BLK_CGROUP 0x100u
enum { BLK_NOTE_PROCESS, BLK_NOTE_TIMESTAMP, BLK_NOTE_MESSAGE };

#endif
