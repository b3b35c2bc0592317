/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One decoded event, whatever file it came from.  Readers in verify/input/
 * make them in order of time; the model in verify/model/ consumes them.
 */
#ifndef BP_EVENT_H
#define BP_EVENT_H

#include "lib/util.h"

enum event_type {
	EV_OTHER, /* an event that the model has no use for; only counted */
	/* ftrace */
	EV_FAULT,	 /* filemap:mm_filemap_fault */
	EV_GET_PAGES,	 /* filemap:mm_filemap_get_pages */
	EV_MAP_PAGES,	 /* filemap:mm_filemap_map_pages */
	EV_FOLIO_ADD,	 /* filemap:mm_filemap_add_to_page_cache */
	EV_FOLIO_DELETE, /* filemap:mm_filemap_delete_from_page_cache */
	EV_RA_SYNC,	 /* readahead:page_cache_sync_ra */
	EV_RA_ASYNC,	 /* readahead:page_cache_async_ra */
	EV_RA_ORDER,	 /* readahead:page_cache_ra_order */
	EV_RA_UNBOUNDED, /* readahead:page_cache_ra_unbounded */
	EV_MARKER,	 /* ftrace:print, text that starts with MARKER_PREFIX */
	EV_NETFS_READ,	 /* netfs:netfs_read */
	EV_STRIDED_READ, /* ceph:ceph_strided_read, of our patch */
	EV_CALL,	 /* syscalls:sys_enter_NAME of the calls in enum file_call */
	EV_CALL_EXIT,	 /* syscalls:sys_exit_NAME of these */
	/* block layer: ftrace's block_rq_* or blktrace's actions */
	EV_RQ_QUEUE,	/* blktrace Q; block:block_bio_queue */
	EV_RQ_MERGE,	/* blktrace M and F; block_bio_backmerge, _frontmerge */
	EV_RQ_GET,	/* blktrace G; block_getrq */
	EV_RQ_INSERT,	/* blktrace I; block_rq_insert */
	EV_RQ_ISSUE,	/* blktrace D; block_rq_issue */
	EV_RQ_COMPLETE, /* blktrace C; block_rq_complete */
	EV_RQ_REQUEUE,	/* blktrace R; block_rq_requeue */
	EV_RQ_REMAP,	/* blktrace A; block_rq_remap, block_bio_remap */
	EV_RQ_OTHER,	/* plug, unplug, split, notify ... */
	/* made by readers */
	EV_LOST, /* events of this CPU are missing between lost.from and ts */
	EV_TYPES
};

/* System calls that access files. */
enum file_call {
	CALL_READ,
	CALL_PREAD64,
	CALL_READAHEAD,
	CALL_FADVISE64,
	CALL_MADVISE,
	CALL_MMAP,
	CALL_OPENAT,
};

/* Bits of rq.flags, from rwbs or from blktrace's category bits. */
enum rq_flags {
	RQ_READ = 1 << 0,
	RQ_WRITE = 1 << 1,
	RQ_DISCARD = 1 << 2,
	RQ_FLUSH = 1 << 3, /* an empty flush, or a preflush */
	RQ_FUA = 1 << 4,
	RQ_AHEAD = 1 << 5, /* issued as readahead (rwbs 'A') */
	RQ_SYNC = 1 << 6,
	RQ_META = 1 << 7,
	RQ_PASSTHROUGH = 1 << 8, /* no file system request */
	RQ_WRITE_ZEROES = 1 << 9,
	RQ_SECURE_ERASE = 1 << 10,
	RQ_ZONE = 1 << 11, /* of a zoned device: append, reset, finish, open, close */
};

#define ORDER_UNKNOWN 0xff
#define DEV(major, minor) ((u32)((major) << 20 | (minor)))
#define DEV_MAJOR(dev) ((dev) >> 20)
#define DEV_MINOR(dev) ((dev)&0xfffffu)

struct event {
	u64 ts;	 /* ns, in the file's clock */
	u64 seq; /* number of the event in the merged file, from 1, EV_LOST not counted:
		    what a reader counts in trace-cmd report or blkparse */
	s32 pid;
	u16 cpu;
	u8 type; /* enum event_type */
	u8 unused;
	/* what it happened to; for block events the device */
	u32 dev; /* DEV(); 0 when the event has none */
	union {
		u64 ino;    /* page cache events */
		u64 sector; /* block events; 512 bytes */
	};
	union {
		struct { /* EV_FAULT, GET_PAGES, MAP_PAGES: pages of the file, inclusive */
			u64 index, last;
		} access;
		struct { /* EV_FOLIO_ADD, EV_FOLIO_DELETE */
			u64 index, pfn;
			u8 order; /* ORDER_UNKNOWN where the kernel does not say */
		} folio;
		struct { /* EV_RA_*: pages */
			u64 index;
			u64 req_count;	      /* SYNC, ASYNC; UNBOUNDED: nr_to_read */
			u32 size, async_size; /* UNBOUNDED: async_size is lookahead_size */
			u32 ra_pages;
			u32 mmap_miss;
			u8 order;
		} ra;
		struct {	     /* EV_NETFS_READ: bytes; has no dev */
			u32 request; /* the same again: it was expanded to this */
			u64 pos, len;
		} netfs;
		struct { /* EV_STRIDED_READ: bytes; what was read ahead: [from, to) along interval
			  */
			u64 pos, len, interval, from, to;
		} stride;
		struct { /* EV_RQ_* */
			u32 bytes;
			u32 flags;    /* enum rq_flags */
			s32 error;    /* EV_RQ_COMPLETE, negative errno or 0 */
			u32 sequence; /* blktrace's own number of the event; else 0 */
		} rq;
		struct {		    /* EV_CALL, EV_CALL_EXIT */
			u64 offset, length; /* bytes, as far as the call has them */
			s64 ret;	    /* EV_CALL_EXIT */
			u32 fd;
			u8 call; /* enum file_call */
			u8 advice;
		} call;
		struct {	   /* EV_LOST */
			u64 from;  /* ns: the last event of the CPU before the hole, 0 if none */
			u64 count; /* 0: not known how many */
		} lost;
		struct {		  /* EV_MARKER; valid until the next event is read */
			const char *text; /* after MARKER_PREFIX, NUL-terminated */
		} marker;
	};
};

/* Which optional fields and events a file can deliver; see struct trace_info. */
enum event_caps {
	CAP_FOLIO_ORDER = 1 << 0, /* mm_filemap_add_to_page_cache has an order field */
};

#endif
