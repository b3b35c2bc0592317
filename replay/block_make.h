/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From requests of one or more devices, in order of time, to a plan of kind
 * block.  A source (a trace, a log of fio's) gives it one request after the
 * other, and it decides where each lies on the device that is replayed to.
 */
#ifndef BP_REPLAY_BLOCK_MAKE_H
#define BP_REPLAY_BLOCK_MAKE_H

#include "lib/block_plan.h"

enum block_action { ACTION_AUTO, ACTION_Q, ACTION_D };

struct block_options {
	enum block_action action; /* ACTION_AUTO: D where the trace has it, else Q */
	const char *device;	  /* only this one; NULL: the only one there is */
	bool end_to_end;	  /* several devices lie one behind the other */
	u64 device_size;	  /* bytes; 0: as large as needed */
	bool fold;		  /* what lies beyond device_size is moved into it */
	u64 sector_size;	  /* of the device, bytes; 0: 512 */
	bool dependencies;
};

/* One request of the source. */
struct block_request {
	u64 ns;	   /* the source's clock */
	u64 where; /* event or line of the source, for messages */
	enum block_op op;
	bool fua, preflush;
	u64 sector;
	u64 bytes;
};

/* What did not become a request of the plan, and what else is worth a note. */
enum block_skip {
	SKIP_PASSTHROUGH, /* no read, write, flush, discard or write-zeroes */
	SKIP_NO_BYTES,
	SKIP_ERASE,
	SKIP_ZONE,
	SKIP_REISSUED,
	SKIP_OTHER_DEVICE,
	SKIP_DONE_UNKNOWN,
	SKIP_FAILED, /* not skipped: it failed in the source */
	SKIP_REMAP,
	SKIP_MERGED,
	SKIP_LOST,
	SKIP_FLIGHT,
	SKIPS
};

struct block_maker;

/*
 * @w is for the body; NULL: a first pass, in which only devices are measured.
 * @what is how messages call a place in the source: "event", "line".
 */
struct block_maker *block_maker_new(const struct block_options *o, struct plan_writer *w,
				    const char *what) __must_check;
void block_maker_free(struct block_maker *m);

/*
 * The device called @name, as an index for the next two; -EBADMSG and a line
 * when there are too many.  Negative -ENODEV without a line: not wanted.
 */
int block_maker_device(struct block_maker *m, const char *name, struct err *e) __must_check;

/* The next request; *@number is its number in the plan.  0, or a negative errno and a line. */
int block_maker_request(struct block_maker *m, int device, const struct block_request *r,
			u64 *number, struct err *e) __must_check;

/* Request @number has completed. */
void block_maker_done(struct block_maker *m, u64 ns, u64 number);

void block_maker_skip(struct block_maker *m, enum block_skip why);

/* After the first pass: lays the devices out.  0, or a line. */
int block_maker_layout(struct block_maker *m, const struct block_maker *measured,
		       struct err *e) __must_check;

/*
 * After the last request: fills in @p, but for source and action; -ENODATA and
 * a line if there is nothing to replay, -EINVAL if it can't be laid out.
 */
int block_maker_finish(struct block_maker *m, struct block_plan *p, struct err *e) __must_check;

#endif
