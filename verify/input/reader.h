/* SPDX-License-Identifier: GPL-2.0-only */
/* What input.c and the readers of single formats share; nobody else includes it. */
#ifndef BP_READER_H
#define BP_READER_H

#include "verify/input/comms.h"
#include "verify/input/input.h"

struct trace;

/* A file format is one file that ends in one of these, and one line in input.c. */
struct reader {
	const char *name; /* "trace.dat" */
	/* Does a file that begins with these bytes have this format? */
	bool (*probe)(const u8 *head, size_t len);
	/*
	 * Fills in t->info, and t->priv for its own use.  Called with priv NULL;
	 * close() is called after a failure as well.
	 */
	int (*open)(struct trace *t, struct err *e);
	int (*next)(struct trace *t, struct event *ev, struct err *e);
	void (*close)(struct trace *t);
};

extern const struct reader reader_tracedat, reader_blktrace, reader_blkparse;

struct trace {
	struct trace_info info;
	const struct reader *reader;
	void *priv;
	struct comms comms;
	unsigned int flags; /* enum input_flags */
	char *path;
	char *damage; /* the first message, with INPUT_PARTIAL */
	char format[64];
	bool ended;
	struct cpu_loss *loss;
	u64 seq; /* of the last event */
};

/*
 * A part of the file is damaged, as @e says.  Returns @error, or with
 * INPUT_PARTIAL 0: the message is kept, and the caller goes on without the part.
 */
int trace_damaged(struct trace *t, int error, const struct err *e) __must_check;

/* The counters of @cpu, added at the first call. */
struct cpu_loss *trace_loss(struct trace *t, u32 cpu);

#endif
