/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes trace.dat files for tests: version 6 or 7, any byte order, long size,
 * page size and compression, with the events that verify decodes.  The bytes
 * are what a kernel and trace-cmd would write, so `trace-cmd report` opens
 * them as well.
 *
 *	struct trace_builder *tb = tb_new(TB_V7 | TB_ZSTD);
 *
 *	tb_comm(tb, 42, "cat");
 *	tb_marker(tb, 0, 1000, 42, "blkproof: phase begin one");
 *	tb_fault(tb, 0, 2000, 42, 12, 0);
 *	tb_write(tb, "t.dat");
 *	tb_free(tb);
 *
 * Times are in ns and must not fall on one CPU of one buffer; between CPUs any
 * order will do.  Every failure ends the program: these are tests.
 */
#ifndef BP_MAKE_TRACE_H
#define BP_MAKE_TRACE_H

#include "lib/util.h"

enum tb_flags {
	TB_V7 = 0,
	TB_V6 = 1 << 0,
	TB_BIG_ENDIAN = 1 << 1,
	TB_LONG32 = 1 << 2, /* a 32-bit kernel */
	TB_ZSTD = 1 << 3,   /* version 7 only */
	TB_ZLIB = 1 << 4,   /* version 7 only */
	TB_PAGE_64K = 1 << 5,
	TB_NO_ORDER = 1 << 6, /* a kernel before 6.6: add_to_page_cache says no order */
	TB_NO_RA = 1 << 7,    /* a kernel without readahead events */
	TB_LONG_INO = 1 << 8, /* i_ino is an unsigned long, as it was before 2025 */
	TB_SHORT_SIZES = 1 << 9, /* trace-cmd before 3.2: sizes of chunks without their number */
};

#define TB_DEV (254u << 20) /* the device of all page cache and block events: 254,0 */
#define TB_CPUS_MAX 32

struct trace_builder;

struct trace_builder *tb_new(unsigned int flags);
void tb_free(struct trace_builder *tb);

/* ---- the file ---- */

void tb_comm(struct trace_builder *tb, int pid, const char *comm);
void tb_clock(struct trace_builder *tb, const char *clock); /* default "mono" */
/* per_cpu/cpuN/stats as read after the trace; without a call all are 0 */
void tb_stats(struct trace_builder *tb, unsigned int cpu, u64 entries, u64 overrun,
	      u64 commit_overrun, u64 dropped);
/* The counters were read when @late of the CPU's events were still in the ring buffer. */
void tb_stats_early(struct trace_builder *tb, unsigned int cpu, u64 late);
/* One more option, as raw bytes. */
void tb_option(struct trace_builder *tb, unsigned int id, const void *data, size_t len);
/* The events that follow go to an instance of this name; NULL: to the top buffer again. */
void tb_instance(struct trace_builder *tb, const char *name);
/* The CPU exists and has an empty part in the file, even if it has no event. */
void tb_cpus(struct trace_builder *tb, unsigned int cpus);

/* Writes the file; NULL buf and path as wanted.  *data is for the caller to free. */
void tb_write(struct trace_builder *tb, const char *path);
void tb_build(struct trace_builder *tb, u8 **data, size_t *len);

/*
 * After tb_build() or tb_write(): where the parts of the file begin, ascending
 * and without repeats; the last is the file's size.
 */
const u64 *tb_boundaries(const struct trace_builder *tb, unsigned int *n);

/* ---- events: CPU, time, task, then the fields ---- */

void tb_fault(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino, u64 index);
void tb_get_pages(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino, u64 index,
		  u64 last);
void tb_map_pages(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino, u64 index,
		  u64 last);
void tb_add_folio(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino, u64 index,
		  unsigned int order);
void tb_delete_folio(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		     u64 index, unsigned int order);

struct tb_ra {
	u64 index, req_count; /* req_count is nr_to_read in ra_unbounded */
	u32 order, size, async_size, ra_pages, mmap_miss; /* async_size: or lookahead_size */
};
void tb_ra_sync(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		struct tb_ra ra);
void tb_ra_async(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		 struct tb_ra ra);
void tb_ra_order(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		 struct tb_ra ra);
void tb_ra_unbounded(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		     struct tb_ra ra);

void tb_rq_insert(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 sector,
		  u32 bytes, const char *rwbs);
void tb_rq_issue(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 sector,
		 u32 bytes, const char *rwbs);
void tb_rq_complete(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 sector,
		    u32 bytes, const char *rwbs, int error);

/*
 * sys_enter_NAME and sys_exit_NAME of read, pread64, readahead, fadvise64, madvise
 * and openat; what a call does not have is left out.
 */
void tb_call(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, const char *name, u64 fd,
	     u64 offset, u64 length, u64 advice);
void tb_call_exit(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, const char *name,
		  s64 ret);

/* A write to trace_marker; @text gets a newline, as echo adds one. */
void tb_marker(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, const char *text);
/* sched:sched_wakeup-like: an event that verify has no use for */
void tb_other(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid);

/* ---- the ring buffer ---- */

/*
 * Events of this CPU were overwritten before the next one: it starts a page
 * with the missed-events flag, and @count (0: not stored).
 */
void tb_missed(struct trace_builder *tb, unsigned int cpu, u64 count);
/* An event of @cpu that a filter discarded after it was reserved (padding). */
void tb_discarded(struct trace_builder *tb, unsigned int cpu, u64 ts);
/* An absolute time stamp record. */
void tb_absolute(struct trace_builder *tb, unsigned int cpu, u64 ts);
/* The next event of @cpu starts a new page. */
void tb_new_page(struct trace_builder *tb, unsigned int cpu);

#endif
