/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From events to what the kernel decided: readahead windows with their cause,
 * marker hits, the folios that each window added, phases and streams.
 *
 * One pass, in order of time.  What is kept is bounded: one open window per
 * task, one bit per cached page, sums per phase, and what the checks keep per
 * stream.  The functions of the kernel that comments name are those of
 * mm/readahead.c and mm/filemap.c of Linux 7.3.
 */
#ifndef BP_MODEL_H
#define BP_MODEL_H

#include "verify/capture.h"
#include "verify/event.h"
#include "verify/model/join.h"
#include "verify/model/page_set.h"
#include "verify/result.h"

/* Limits that only a hostile or a damaged trace reaches; beyond them, model.overflow. */
#define MODEL_MAX_TASKS (1u << 16)
#define MODEL_MAX_PHASES 256u
#define MODEL_MAX_STREAMS 4096u	 /* per phase */
#define MODEL_ALL_STREAMS 32768u /* of all phases */
#define MODEL_MAX_LOST 1024u	 /* spans that are kept; all are counted */
#define MODEL_MAX_HOST_HOLES 16u /* the same in the host's log */

/* A thread's range of a file, from a "stream" marker; without markers, see streams.c. */
struct stream {
	u32 index;     /* in its phase, from 0 */
	u32 number;    /* as the marker says */
	bool inferred; /* there are no markers: pieces are stretches of ra_pages that it went
			  through */
	u32 dev;       /* and its file, if inferred */
	u64 ino;
	s32 pid;
	u64 offset, length;		/* bytes */
	u32 pieces;			/* that have begun */
	u32 jumps;			/* pieces that did not begin where the one before ended */
	u64 piece_offset, piece_length; /* bytes: the piece that is being copied */
};

/* A readahead decision: the pages it chose, and what came of them. */
struct window {
	u64 ts, seq;
	s32 pid;
	u16 cpu;
	u8 order; /* as the event says: before the kernel limits it by file system and size */
	bool test_file;
	u32 dev;
	u64 ino;
	enum ra_cause cause;
	u64 start;			/* pages, as all that follows */
	u64 size, async_size, ra_pages; /* ra_pages 0: not known */
	u64 access;			/* the page whose fault or read led to it */
	bool has_access;
	bool after_fault;      /* the call came right after mm_filemap_fault on the same file */
	u64 cached;	       /* pages of it that were cached when it was decided */
	struct stream *stream; /* NULL: the task has none */
	u32 piece;	       /* pieces that the stream had begun; from 1 */
	/* valid in window_end */
	u64 folios, pages;	     /* that were added */
	u64 requests, request_bytes; /* reads that its task issued meanwhile */
	u8 max_order;		     /* of them; ORDER_UNKNOWN: none, or the kernel does not say */
};

/* page_cache_async_ra(): a reader came to a folio with the readahead flag. */
struct marker_hit {
	u64 ts, seq;
	s32 pid;
	u16 cpu;
	u8 order;
	bool test_file;
	bool followed; /* by a window of the same task and file */
	u32 dev;
	u64 ino, index, ra_pages;
	struct stream *stream;
	u32 piece;
	/*
	 * When it became clear that no window follows: the first page after
	 * @index, within HOLE_WINDOWS * ra_pages, that is not known to be cached;
	 * UINT64_MAX if there is none.
	 */
	u64 hole;
};

/* A fault that found no page in the page cache. */
struct fault_miss {
	u64 ts, seq; /* of what followed */
	s32 pid;
	u16 cpu;
	bool readaround; /* it read a window around the page; else forwards, or the page alone */
	u64 index;	 /* the page */
};

#define HOLE_WINDOWS 8
#define HOLE_PAGES_MAX (1u << 17) /* bounds the search whatever the file says */

struct judge;
struct model_phase;

/*
 * Somebody who looks on while a capture is read, as bin/plot does.  Called in
 * order of time, for the test file only (any file, if the capture names none), within phases;
 * captures may be read by several threads at once.
 */
struct observer {
	void *arg;
	/* what the others are called with; NULL: nobody looks at this capture */
	void *(*begin)(void *arg, const struct capture *c);
	void (*window)(void *o, const struct model_phase *p, const struct window *w);
	void (*fault)(void *o, const struct model_phase *p, const struct event *ev);
	void (*folio)(void *o, const struct model_phase *p, const struct event *ev);
};

struct model_phase {
	u32 index;
	const struct phase_info *info; /* capture.json's element; NULL without one */
	const struct phase *spec;      /* the experiment's; NULL without one */
	struct phase_stats stats;
	bool begun, ended;
	bool implicit;	/* no marker: the whole file */
	bool misplaced; /* a marker lies outside of what capture.json says: another boot's trace */
	struct stream *streams;
	u32 n_streams;
	bool stream_markers; /* the streams are those of markers */
	struct lost_span first_lost;
	struct judge *judges;
	unsigned int n_judges;
	struct judge *folio_judges[4]; /* those with a folio callback, which runs most often */
	unsigned int n_folio_judges;
	struct judge *read_judges[2]; /* the same for the read callback */
	unsigned int n_read_judges;
	/* counts of the test file that checks compare with what they were shown */
	u64 shown_windows, shown_hits, shown_folios;
	u64 untraced_folios; /* added by no window that the trace shows */
};

struct task;
struct trace;
struct trace_info;

struct model {
	const struct capture *capture;
	const struct analyze_options *opt;
	const struct trace_info *info; /* valid while checks run */
	const struct trace *trace;     /* for trace_comm(); NULL in tests */
	u32 page_shift;

	struct model_phase *phases; /* with capture.json, in its order */
	unsigned int n_phases;
	struct model_phase *now; /* the phase that is running, or NULL */
	bool markers;		 /* a phase marker was seen */

	u32 n_streams; /* of all phases */
	u64 events, first_ns, last_ns;
	struct lost_span *lost;
	u32 n_lost;
	u64 lost_total;
	bool overflow; /* a limit was reached: counts are incomplete */

	struct page_pool pool; /* of all page sets */
	struct page_set *cached;
	struct page_set *touched; /* by accesses, in phases without stream markers */
	struct page_set *huge; /* blocks of 1 << huge_shift() pages that are one folio, or part */
	bool any_huge;
	struct page_set *tails; /* pages of large folios but the first of each */
	bool any_large;
	u64 ra_pages;		    /* of the last readahead event */
	struct task *cpu_task[256]; /* the last task of a CPU */
	struct task **tasks;	    /* hash by pid */
	struct task *task_pool[MODEL_MAX_TASKS / 256];
	u32 n_tasks;
	u32 holes; /* EV_LOST so far: what tasks were in the middle of before is forgotten */

	struct replay_phase *replay; /* NULL: nothing that can be compared; verify/model/replay.h */
	u64 replay_host_seen[3];     /* reads, writes, flushes of the host's log so far */
	const struct observer *observer; /* NULL: none */
	void *observed;			 /* what it wants to be called with */
	struct figures *figures;	 /* NULL: not wanted; verify/model/figures.h */
	struct chains *chains;		 /* NULL: not wanted; verify/model/chains.h */
	struct join *join;
	struct join_phase *join_phases; /* per phase, once the host's log is read; else NULL */
	bool host_read;			/* the host's log was read to its end, and is not damaged */
	u64 host_holes;			/* EV_LOST in it */
	struct lost_span host_hole[MODEL_MAX_HOST_HOLES]; /* the first of them, host clock */
};

struct model *model_new(const struct capture *c, const struct analyze_options *opt,
			const struct trace_info *info, const struct trace *trace) __must_check;
/* The events of the guest's trace, in order of time. */
void model_event(struct model *m, const struct event *ev);
/* The events of the host's request log, after the last of the guest's. */
void model_host_event(struct model *m, const struct event *ev);
/*
 * Does the host's log miss nothing of the phase, and is it known where in the
 * log the phase is?  Valid after model_finish() has matched the requests.
 */
bool model_host_whole(const struct model *m, const struct model_phase *p);
/*
 * Is the log's clock another than capture.json says?  The offset of the clocks is
 * that of one boot.  Two boots of a kernel may ask for the same, so that another
 * boot's log would match, if only its times are moved.  Valid as the above.
 */
bool model_host_other_clock(const struct model *m, const struct model_phase *p);
/*
 * A marker hit that started nothing, although a page within @windows * ra_pages
 * after it is neither cached nor beyond the end of the file.
 */
bool marker_hit_lost(const struct model *m, const struct marker_hit *h, double windows);
/* No more events: closes what is open and lets the checks finish. */
void model_finish(struct model *m);
void model_free(struct model *m);

/* Pages of a folio of @order; 1 where it is unknown. */
static inline u64 order_pages(u8 order)
{
	return order == ORDER_UNKNOWN ? 1 : 1ull << MIN(order, ORDERS_MAX);
}

/* ---- between the files of the model ---- */

/* model.c: without capture.json nobody says which file it is about, and every file is. */
bool is_test_file(const struct model *m, u32 dev, u64 ino);

/* phase.c */
void phase_marker(struct model *m, const struct event *ev);
void phases_init(struct model *m);
void phase_start(struct model *m, struct model_phase *p, u64 ts);
void phase_stop(struct model *m, u64 ts);
void phase_lost(struct model *m, const struct event *ev);

/* task.c */
enum task_last {
	LAST_NONE, /* nothing that leads to readahead */
	LAST_FAULT,
	LAST_SYNC,
	LAST_ASYNC,
};

/*
 * Of a folio that the page tables can map as a whole: 512 pages of 4 KiB.
 * filemap_map_pages() traces nothing when it does (filemap_map_pmd()), and no
 * touch of any of its pages is an event from then on.
 */
static inline u32 huge_shift(const struct model *m)
{
	return m->page_shift - 3;
}

/* folios.c: which pages are one folio */
void folios_add(struct model *m, const struct event *ev);
void folios_delete(struct model *m, const struct event *ev);
void folios_clear(struct model *m);
/*
 * The folio that holds page @index of a file, as far as it is known; a single
 * page else.  A fault maps all of it (finish_fault()), whichever page was touched,
 * and so does fault-around (filemap_map_folio_range()) where the mapping allows it.
 */
void folio_around(const struct model *m, u32 dev, u64 ino, u64 index, u64 *start, u64 *n);
/* The pages that an EV_FAULT or EV_MAP_PAGES may map: those it names, and the rest of their folios.
 */
void folios_mapped(const struct model *m, const struct event *ev, u64 *start, u64 *n);

/* streams.c: before the model takes an access */
void streams_access(struct model *m, struct task *t, const struct event *ev);

/* Pages of a file that a task touches one near the other; streams.c */
struct stretch {
	u32 dev;
	u64 ino, lo, hi; /* pages; hi 0: none */
	u64 touched;	 /* by this task first */
	u64 pieces;	 /* whole stretches of ra_pages that it went through */
	struct stream *stream;
};

/* What a task is in the middle of. */
struct task {
	s32 pid;
	u32 holes;	  /* model.holes when it was valid */
	u8 last;	  /* enum task_last */
	bool from_fault;  /* LAST_SYNC: it was a fault */
	bool after_fault; /* LAST_SYNC, LAST_ASYNC: right after a fault on the same file */
	bool window_open;
	u32 dev;
	u64 ino, index, req_count; /* of @last */
	struct stream *stream;
	u32 netfs_request;     /* the last that it began */
	u64 netfs_len;	       /* and how long that is; 0: none */
	struct stretch run[2]; /* without stream markers: of the last two files */
	struct chain *chain;   /* chains.c's */
	struct marker_hit hit; /* LAST_ASYNC */
	struct window window;
};

struct task *task_get(struct model *m, s32 pid, u16 cpu);
/* Calls @fn for every task. */
void tasks_each(struct model *m, void (*fn)(struct model *m, struct task *t));
void tasks_forget(struct model *m);
void tasks_free(struct model *m);

/* chains.c: the task will be forgotten */
void task_drop_chain(struct model *m, struct task *t);

/* model_host.c: pairs the requests of both sides, and sets the phases' host_* sums */
void model_match_host(struct model *m);

/* model.c: the task's open window and undecided marker hit end here */
void task_settle(struct model *m, struct task *t);

/* model.c: counts a miss of the test file, and shows it */
void show_miss(struct model *m, const struct task *t, const struct event *ev, bool readaround);

/* window.c */

/* The task's stream; one that was inferred is of one file. */
struct stream *stream_for(const struct task *t, const struct event *ev);
void open_window(struct model *m, struct task *t, const struct event *ev, enum ra_cause cause,
		 bool has_access);
void close_window(struct model *m, struct task *t);
/* Are @pages from @index on, of the event's file, of the window? */
bool in_window(const struct window *w, const struct event *ev, u64 index, u64 pages);
/* The cause of a window that a fault led to directly. */
enum ra_cause fault_cause(const struct model *m, const struct task *t, const struct event *ev);

#endif
