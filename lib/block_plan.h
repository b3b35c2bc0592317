/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plans of kind "block": the requests of one or more block devices, laid out
 * on one device (docs/blkproof-plan.5).
 */
#ifndef BP_BLOCK_PLAN_H
#define BP_BLOCK_PLAN_H

#include "lib/plan.h"

#define BLOCK_DEVICES_MAX 64u
#define BLOCK_NOTES_MAX 32u
#define BLOCK_NOTE_MAX 400 /* bytes of a note */
/* Bytes of one read or write: it is one submission from one buffer. */
#define BLOCK_REQUEST_MAX (64u << 20)
#define BLOCK_SECTORS_MAX (1ull << 54)
#define BLOCK_NS_MAX (1ull << 62)
/* How far back a completion can name its request. */
#define BLOCK_FLIGHT_MAX 65536u

enum block_op {
	BLOCK_READ,
	BLOCK_WRITE,
	BLOCK_FLUSH, /* no data, sector 0 */
	BLOCK_DISCARD,
	BLOCK_WRITE_ZEROES,
	BLOCK_OPS,
	/* not a request: an earlier one had completed when this line's turn came */
	BLOCK_DONE = BLOCK_OPS
};
extern const char *const block_op_names[]; /* "read", ... */

/* One line of the body. */
struct block_line {
	u64 ns; /* since the first request of the source */
	enum block_op op;
	bool fua;      /* a write that is on the medium when it completes */
	bool preflush; /* a write before which the cache is flushed */
	u64 sector;    /* 512 bytes, on the device that is replayed to */
	u64 sectors;
	u64 request; /* BLOCK_DONE: number of the request, from 0 */
};

/* A device of the source. */
struct block_device {
	char name[32]; /* "8,16", or of a fio log, "file-0" */
	u64 base;      /* sector of the replay's device where it begins */
	u64 sectors;   /* up to the end of its last request */
	u64 requests;
};

struct block_plan {
	char *source;	 /* "blktrace v7", ...: never a path */
	char action[16]; /* "Q", "D": which events of the source became requests; "log": neither */
	u64 sector_size; /* of the replay's device, bytes: every request is a multiple of it */
	u64 sectors;	 /* size of the replay's device, in 512 bytes */
	u64 requests;
	u64 by_op[BLOCK_OPS];
	u64 fua, preflush; /* writes that are one */
	u64 largest;	   /* bytes of the largest read or write */
	u64 ns;		   /* time of the last request */
	u64 folded;	   /* requests that were moved into the device */
	bool dependencies; /* the body has BLOCK_DONE lines */
	struct block_device *devices;
	u32 n_devices;
	char *notes[BLOCK_NOTES_MAX]; /* what the source could not tell, or what was left out */
	u32 n_notes;
};

/* The header, up to and with "begin"; block_plan_free() in any case. */
int block_plan_header(struct plan_reader *r, struct block_plan *p, struct err *e) __must_check;
void block_plan_free(struct block_plan *p);

/* Opens @path, reads its header, and closes it again. */
int block_plan_load(const char *path, struct block_plan *p, struct err *e) __must_check;

/*
 * The next line of the body: 1 with *@l, 0 at the end, -EBADMSG and a line.  What it gives lies
 * within what the header says: sectors of the device, bytes of the largest request, order of time.
 */
struct block_cursor {
	u64 requests; /* so far */
	u64 ns;
	u64 by_op[BLOCK_OPS], fua, preflush;
};
int block_plan_next(struct plan_reader *r, const struct block_plan *p, struct block_cursor *c,
		    struct block_line *l, struct err *e) __must_check;

/* Reads the body to its end, and looks that nothing follows; 0, or -EBADMSG and a line. */
int block_plan_check(struct plan_reader *r, const struct block_plan *p, struct err *e) __must_check;

void block_plan_put_header(struct plan_writer *w, const struct block_plan *p);
void block_plan_put(struct plan_writer *w, const struct block_line *l);

#endif
