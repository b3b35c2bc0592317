/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls of a trace.dat (syscalls:sys_enter_*, sys_exit_*), where it has
 * them: what a read asked for to the byte, and advice, which the page cache's
 * events do not tell.  Which file a descriptor is, they do not tell either: that
 * is learned from the page cache's events between enter and exit.
 */
#ifndef BP_REPLAY_CALLS_H
#define BP_REPLAY_CALLS_H

#include "replay/access.h"
#include "verify/event.h"

struct calls;

struct calls *calls_new(void) __must_check;
void calls_free(struct calls *c);

/* sys_enter_*: of a task that is in no call so far, as far as is known. */
void calls_enter(struct calls *c, const struct event *ev);

/*
 * mm_filemap_get_pages of @f.  0: its task is in no call that reads; 1: it is
 * the first of the call, whose bytes go to *@offset and *@length; 2: a further
 * one, which is no access of its own.
 */
int calls_read(struct calls *c, const struct event *ev, const struct draft_file *f, u32 page_shift,
	       u64 *offset, u64 *length);

/* Readahead of @f: within a call, it tells which file the call is about. */
void calls_readahead(struct calls *c, const struct event *ev, struct draft_file *f);

/*
 * sys_exit_*: true if the call is an access of its own, advice or readahead(2),
 * with its file and bytes.
 */
bool calls_exit(struct calls *c, const struct event *ev, u32 page_shift, struct draft_file **f,
		enum access_op *op, u64 *offset, u64 *length);

/* For the notes. */
struct calls_count {
	u64 enters;  /* calls that were seen */
	u64 exact;   /* reads whose bytes are known */
	u64 nowhere; /* advice of a file that is not known */
	u64 mappings;
};
const struct calls_count *calls_count(const struct calls *c);

#endif
