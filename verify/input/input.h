/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading trace files of any format as one stream of struct event.
 *
 * A reader never trusts a length, an offset or a count of the file: memory is
 * bounded whatever the file says, damage is an error that names the file, the
 * byte offset and what was expected there, and events that are missing become
 * EV_LOST spans instead of silence.
 */
#ifndef BP_INPUT_H
#define BP_INPUT_H

#include "lib/err.h"
#include "verify/event.h"

enum input_flags {
	INPUT_PARTIAL = 1 << 0, /* read what stands before the damage; see trace_info.damage */
};

enum trace_kind { KIND_TRACE_DAT, KIND_BLKTRACE, KIND_BLKPARSE_TEXT };

/* Losses of one CPU as the file's own counters tell them. */
struct cpu_loss {
	u32 cpu;
	u64 overrun, commit_overrun, dropped; /* events */
	u64 unread; /* entries that were in the ring buffer when the counters were read */
	u64 absent; /* events that the ring buffer had or gave out and that are not in the file */
};

struct trace_info {
	enum trace_kind kind;
	const char *path;
	const char *format; /* "trace.dat v7 zstd", "blktrace v8 big-endian", ... */
	const char *clock;  /* "mono", "local", ...; "" if not said */
	bool clock_counts;  /* times are what that clock counts, and nobody says how long it is */
	const char *uname;  /* "" if not said */
	u32 page_size;	    /* of the traced machine; 0 if the file does not say */
	u32 cpus;
	u32 caps;		     /* enum event_caps */
	u64 event_types;	     /* bit per enum event_type: the file describes such events */
	const struct cpu_loss *loss; /* one per CPU that lost something */
	u32 n_loss;
	const char *damage; /* with INPUT_PARTIAL: the message that reading stopped at; else NULL */
};

struct trace;

/*
 * Opens @path: a trace.dat, a blktrace file ("x.blktrace.0"), the base name or
 * directory of a per-CPU set, or blkparse text; the kind is told from the
 * content.  Returns 0, or a negative errno and a line.
 */
int trace_open(struct trace **t, const char *path, unsigned int flags, struct err *e) __must_check;

/*
 * The next event in order of time.  Returns 1 with *@ev filled in, 0 at the
 * end, or a negative errno and a line when the file is damaged.
 */
int trace_next(struct trace *t, struct event *ev, struct err *e) __must_check;

/* Valid from trace_open() to trace_close(); loss and damage are complete once
 * trace_next() has returned 0. */
const struct trace_info *trace_info(const struct trace *t);

/* The name of a task ("cat"), "<...>" if the file does not know it. */
const char *trace_comm(const struct trace *t, s32 pid);

void trace_close(struct trace *t);

#endif
