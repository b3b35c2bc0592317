/* SPDX-License-Identifier: GPL-2.0-only */
/* Listing a trace as the readers understand it: for developers and tests. */
#ifndef BP_DUMP_H
#define BP_DUMP_H

#include "verify/input/input.h"

enum dump_flags {
	DUMP_EVENTS = 1 << 0,  /* one line per event */
	DUMP_COUNTS = 1 << 1,  /* what the file says of itself, losses, events by type */
	DUMP_PARTIAL = 1 << 2, /* as INPUT_PARTIAL */
};

/*
 * Writes @path's events to @out.  Returns 0, or a negative errno and a line
 * when the file can't be read to its end; what came before has been written.
 */
int trace_dump(const char *path, FILE *out, unsigned int flags, struct err *e) __must_check;

/* "mm_filemap_fault" and the like; "?" for an unknown number. */
const char *event_type_name(unsigned int type);

/* One line, no newline, at most @size bytes with NUL; returns @buf. */
char *event_text(const struct trace *t, const struct event *ev, char *buf, size_t size);

#endif
