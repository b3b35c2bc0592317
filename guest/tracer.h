/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's ftrace: an instance of our own, quiet except in phases. */
#ifndef BP_GUEST_TRACER_H
#define BP_GUEST_TRACER_H

#include "guest/counters.h"
#include "guest/frame.h"
#include "lib/err.h"

#define TRACER_CLOCK "mono"

struct tracer;

/* What became of one CPU's events in one phase. */
struct cpu_drain {
	u64 entries_read;
	u64 overrun, commit_overrun, dropped;
	u64 unread; /* left in the buffer after reading it until it was empty */
};

/* An event that is asked for; whether this kernel has it is found out. */
struct tracer_event {
	const char *system, *name;
	bool enabled;
	unsigned int set; /* only if asked for: TRACER_CEPH, TRACER_BIO; 0: always */
};

#define TRACER_CEPH 1u /* what CephFS and the netfs library under it do */
#define TRACER_BIO 2u  /* bios, as they are submitted: what a replay of block requests does */

/*
 * Sets up the instance with tracing off: clock, buffers of @buffer_size bytes
 * per CPU, events (@sets: those of sets that are asked for, too).  Needs tracefs mounted.  An event
 * that the kernel lacks is left disabled; it is an error if none is there.  The tracer lives as
 * long as the process.
 */
int tracer_open(struct tracer **t, u64 buffer_size, unsigned int sets, struct err *e) __must_check;

const struct tracer_event *tracer_events(const struct tracer *t, unsigned int *n);
unsigned int tracer_cpus(const struct tracer *t);

/* Sends the descriptions of events and ring buffer pages as FRAME_FILE. */
int tracer_send_formats(struct tracer *t, struct port *port, struct err *e) __must_check;

/* Sends what is complete only at the end: saved_cmdlines, and per CPU the
 * stats summed over all phases (the buffer is cleared before each). */
int tracer_send_tables(struct tracer *t, struct port *port, struct err *e) __must_check;

/* Changes the size of every CPU's buffer; its content is lost. */
int tracer_resize(struct tracer *t, u64 bytes, struct err *e) __must_check;

/* Empties the buffers and zeroes their counters. */
int tracer_clear(struct tracer *t, struct err *e) __must_check;

int tracer_on(struct tracer *t);
int tracer_off(struct tracer *t);

/* Writes MARKER_PREFIX and the text into the trace; allocates nothing, for any thread. */
int tracer_mark(struct tracer *t, const char *fmt, ...) __printf_like(2, 3);

/* Sends every page of every CPU, and says what was lost; @loss has tracer_cpus() elements. */
int tracer_drain(struct tracer *t, struct port *port, struct cpu_drain *loss,
		 struct err *e) __must_check;

#endif
