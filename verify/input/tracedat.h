/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the trace.dat reader share; the format is drawn in tracedat.c. */
#ifndef BP_TRACEDAT_H
#define BP_TRACEDAT_H

#include "verify/input/compress.h"
#include "verify/input/file.h"
#include "verify/input/format.h"
#include "verify/input/reader.h"
#include "verify/input/ringbuf.h"

/* More CPUs than any kernel can be configured for. */
#define DAT_CPUS_MAX 8192u
#define DAT_BUFFERS_MAX 256u
#define DAT_PAGE_MAX (4u << 20)
/* All windows and chunks together: keeps the peak below 256 MiB, whatever a file says. */
#define DAT_MEMORY_MAX (96u << 20)
/* One decompressed section of metadata. */
#define DAT_SECTION_MAX (64u << 20)

/* The trace data of one CPU in one buffer. */
struct dat_stream {
	u32 cpu;
	u32 page_size;
	const char *buffer; /* name; "" is the top one */
	u64 pos, end;	    /* in the file, not read yet */
	bool compressed, started, done;
	u32 chunks; /* not read yet */
	u32 slack;  /* bytes after end that may be of the last chunk */
	u8 *win;    /* pages, or a decompressed chunk */
	size_t win_pos, win_len, win_size;
	u64 win_off; /* in the file: of win[0], or of the chunk */
	u64 page_off;
	struct ring_page page;
	struct ring_event ev;
	u64 ts;	     /* of ev, in the file's clock as trace_next() gives it */
	u64 raw;     /* of the event before, as the ring buffer has it */
	u64 last_ts; /* of the last event that trace_next() gave */
	u64 events;  /* that trace_next() gave */
	bool lost;   /* ev comes after a hole */
	bool lost_uncounted;
	u64 lost_count;
	u64 located; /* lost events that flags have counted */
	bool located_uncounted;
};

struct dat_sample {
	u64 time;
	s64 offset;
	u64 scaling, fraction;
};

struct dat_sync {
	struct dat_sample *sample;
	u32 n;
};

/* From time stamps of the ring buffer to ns: see tracedat_time.c. */
struct dat_time {
	s64 offset;	 /* DATE and OFFSET */
	u32 mult, shift; /* TSC2NSEC; mult 0: not there */
	u32 sync_flags;
	struct dat_sync *sync; /* TIME_SHIFT, by CPU */
	u32 n_sync;
};

/*
 * The counters of the ring buffer, by buffer and CPU.  trace-cmd reads them when
 * tracing has stopped, and its recorders empty the buffers afterwards: entries
 * that were left then are in the file, usually.  What is missing is told by
 * counting: all that was left and all that was read, less what the file has.
 * Kernels before 3.2 have no count of what was read; all that was left is
 * missing then.
 */
struct dat_stat;
struct dat_stats {
	struct dat_stat *stat;
	u32 n;
	u32 buffer; /* of the CPUs that follow */
	char **name;
	u32 n_names;
};
void dat_stats_parse(struct trace *t, struct dat_stats *s, const char *text);
/* After the last event: sets the losses' absent. */
void dat_stats_finish(struct trace *t, struct dat_stats *s, const struct dat_stream *stream,
		      u32 n_streams);
void dat_stats_free(struct dat_stats *s);

struct dat_buffer {
	char *name;
	u64 offset; /* of its section (v7) or of its "flyrecord" (v6) */
};

struct tracedat {
	struct infile f;
	int version;
	bool big_endian, swap;
	u8 long_size;
	u32 page_size, cpus;
	struct compression *z;
	u8 *zbuf; /* one compressed chunk */
	size_t zbuf_size;
	struct ring_format ring;
	struct formats *formats;
	struct dat_time time;
	bool clock_follows;	   /* v6: TRACECLOCK says that the clock's text follows the table */
	struct dat_buffer *buffer; /* v6: instances */
	u32 n_buffers;
	struct dat_stream *stream; /* buffer by buffer, in order of CPUs */
	u32 n_streams;
	u32 *heap;
	u32 n_heap;
	bool started, advance;
	u64 last_ts;
	struct dat_stats stats;
	bool ended;
	u32 end_step; /* of the losses that are told at the end */
	size_t memory;
	char clock[64], uname[256], algorithm[32];
	char text[MARKER_TEXT_MAX];
};

/* Metadata: fill in struct tracedat and t->info. */
int dat_open_v6(struct trace *t, struct cursor *c, struct err *e) __must_check;
int dat_open_v7(struct trace *t, struct cursor *c, struct err *e) __must_check;
int dat_header_info(struct tracedat *d, struct cursor *c, struct err *e) __must_check;
int dat_ftrace_formats(struct tracedat *d, struct cursor *c, struct err *e) __must_check;
int dat_event_formats(struct tracedat *d, struct cursor *c, struct err *e) __must_check;
/* Takes the word in brackets of the content of trace_clock. */
void dat_clock(struct tracedat *d, const char *text);
int dat_cmdlines(struct trace *t, struct cursor *c, struct err *e) __must_check;

/* One option that both versions have; @c covers its data. */
enum dat_option {
	OPT_DONE,
	OPT_DATE,
	OPT_CPUSTAT,
	OPT_BUFFER,
	OPT_TRACECLOCK,
	OPT_UNAME,
	OPT_HOOK,
	OPT_OFFSET,
	OPT_CPUCOUNT,
	OPT_VERSION,
	OPT_PROCMAPS,
	OPT_TRACEID,
	OPT_TIME_SHIFT,
	OPT_GUEST,
	OPT_TSC2NSEC,
	OPT_STRINGS,
	OPT_HEADER_INFO,
	OPT_FTRACE_EVENTS,
	OPT_EVENT_FORMATS,
	OPT_KALLSYMS,
	OPT_PRINTK,
	OPT_CMDLINES,
	OPT_BUFFER_TEXT
};
int dat_option(struct trace *t, unsigned int id, struct cursor *c, struct err *e) __must_check;

/*
 * One more stream of @size bytes at @off; a range that the file does not have
 * is damage (with INPUT_PARTIAL, what there is of it is read).
 */
int dat_add_stream(struct trace *t, u32 cpu, u32 page_size, const char *buffer, bool compressed,
		   u64 off, u64 size, struct err *e) __must_check;

/*
 * Moves @s to its next event: 1, 0 at the end of its data, or a negative
 * errno and a line.
 */
int dat_stream_next(struct tracedat *d, struct dat_stream *s, struct err *e) __must_check;
void dat_stream_free(struct tracedat *d, struct dat_stream *s);

u64 dat_time(const struct dat_time *tm, u32 cpu, u64 ts);
bool dat_time_plain(const struct dat_time *tm);
int dat_time_shift(struct dat_time *tm, struct cursor *c, struct err *e) __must_check;
void dat_time_free(struct dat_time *tm);

#endif
