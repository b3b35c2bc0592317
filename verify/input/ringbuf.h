/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sub-buffers ("pages") of the kernel's ring buffer, as kernel/trace/ring_buffer.c
 * writes them and trace.dat keeps them:
 *
 *	0           8                8 + long
 *	+-----------+----------------+--------------------------------------+----
 *	| timestamp | commit         | records, commit & COMMIT_MASK bytes  | ...
 *	| u64, ns   | long, 4 or 8 B |                                      |
 *	+-----------+----------------+--------------------------------------+----
 *
 * Bit 31 of commit: events were lost before this page's first; bit 30: how
 * many stands as a long right after the records.  (header_page of the file
 * says where commit and the records are.)
 *
 * A record begins with a 32-bit word that holds type_len (5 bits, the lowest
 * on little-endian machines, the highest on big-endian ones) and time_delta
 * (27 bits), ns since the record before it, or since the page's timestamp.
 *
 *	type_len
 *	0	data; the next word is its length, that word included
 *	1..28	data of type_len * 4 bytes
 *	29	padding: time_delta 0: the rest of the page; else a discarded
 *		record, the next word is its length, that word included
 *	30	time extend: time_delta += next word << 27
 *	31	absolute time stamp, 59 bits: next word << 27 | time_delta; the
 *		upper five bits are those of the time before it
 */
#ifndef BP_RINGBUF_H
#define BP_RINGBUF_H

#include "lib/util.h"

#define RING_COMMIT_MASK ((1u << 27) - 1)
#define RING_MISSED_EVENTS (1u << 31)
#define RING_MISSED_STORED (1u << 30)

struct ring_format {
	bool swap;	  /* the file's byte order is not ours */
	bool big_endian;  /* the file's */
	u8 long_size;	  /* of commit, 4 or 8 */
	u16 commit, data; /* offsets in the page */
};

struct ring_page {
	const u8 *page; /* borrowed from the caller until the last ring_next() */
	u32 pos, end;	/* offsets in the page */
	u64 ts;
	bool missed;	      /* events are missing before the first one */
	u64 missed_count;     /* 0: not known how many */
	const char *expected; /* after an error: what was expected at pos */
};

struct ring_event {
	u64 ts; /* in the trace clock's units */
	const u8 *data;
	u32 len;
};

/*
 * Starts a page of @len bytes.  Returns 0, or -EBADMSG with page->pos and
 * page->expected saying what is wrong where.
 */
int ring_load(const struct ring_format *f, struct ring_page *p, const u8 *page,
	      u32 len) __must_check;

/* The next data record: 1, 0 at the end of the page, or -EBADMSG as above. */
int ring_next(const struct ring_format *f, struct ring_page *p, struct ring_event *ev) __must_check;

/*
 * Reads tracefs' events/header_page (@text need not be terminated) for what
 * differs between kernels.  False if it is not as described above.
 */
bool ring_format_parse(struct ring_format *f, const char *text, size_t len);

#endif
