/* SPDX-License-Identifier: GPL-2.0-only */
/* What the analysis of a capture yields, and the report prints. */
#ifndef BP_RESULT_H
#define BP_RESULT_H

#include "lib/experiment.h"
#include "verify/capture.h"
#include "verify/event.h"
#include "verify/stats.h"

enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_INCONCLUSIVE, /* it should have been decided, and could not be: see why */
	VERDICT_NA,	      /* does not apply to this input; never counts as examined */
};

/* Why a verdict is INCONCLUSIVE; ids and texts come from one list in verify/result.c. */
enum reason {
	WHY_NONE,
	WHY_EVENTS_LOST,      /* events lost */
	WHY_NOT_MEASURABLE,   /* not measurable: a field or event is missing in this trace */
	WHY_NOTHING_TO_CHECK, /* nothing to check */
	WHY_CACHE_NOT_COLD,   /* the cache was not cold */
	WHY_DAMAGED,	      /* only part of the file could be read */
	WHY_CONTRADICTION,    /* two witnesses of one thing disagree, so that neither counts */
	WHY_NOISE,	      /* a difference that boots of one kernel may have as well */
};
const char *verdict_name(enum verdict v); /* "PASS", ... */
const char *reason_id(enum reason r);	  /* "events-lost", ... */
const char *reason_text(enum reason r);

/* One place where a check does not hold. */
struct finding {
	u64 ts;	 /* ns, trace clock */
	u64 seq; /* event number in the trace; 0 if it is not one event */
	u32 cpu;
	s32 pid; /* 0 with seq 0: no one task did it */
	char comm[16];
	u64 offset; /* bytes in the test file, or in the device for request checks */
	bool has_offset;
	char text[160]; /* what is wrong here: one line, no newline */
	double weight;	/* the worst finding has the largest */
};

#define FINDINGS_KEPT 16

struct result {
	const struct check *check;     /* name, summary: verify/checks/check.h */
	const struct capture *capture; /* NULL for a check over several captures */
	char phase[NAME_LEN];	       /* "" for the whole trace */
	enum verdict verdict;
	enum reason reason;
	char detail[200]; /* one line: the figures behind the verdict, or what is missing */
	u64 examined;	  /* things looked at; PASS needs at least one */
	u64 violations;
	struct finding findings[FINDINGS_KEPT]; /* the worst, worst first */
	unsigned int n_findings;
	enum expectation expected;
};

#define ORDERS_MAX 20

/* Counts of one phase; sums over the phase, tests file only where it is known. */
struct phase_stats {
	char name[NAME_LEN];
	u64 events;
	u64 begin_ns, end_ns;
	u64 misses;		/* faults that found no page, and read it or a window */
	u64 faults;		/* mm_filemap_fault events */
	u64 windows[RA_CAUSES]; /* readahead decisions that led to a window */
	u64 window_pages[RA_CAUSES];
	u64 marker_hits;	/* page_cache_async_ra events */
	u64 marker_hits_idle;	/* ... that no window followed */
	u64 folios[ORDERS_MAX]; /* added to the page cache, by order */
	u64 folios_unknown_order;
	u64 pages_added;
	u64 guest_requests, guest_bytes; /* block_rq_issue, reads */
	u64 guest_write_requests, guest_write_bytes;
	u64 host_requests, host_bytes; /* what QEMU's device was asked for, reads */
	u64 host_write_requests, host_write_bytes;
	bool host_known; /* the device's log is whole there, and where the phase is in it is known
			  */
	/* requests of the netfs library for the test file; those made larger than asked; bytes */
	u64 netfs_requests, netfs_expanded, netfs_bytes;
	u64 strided_reads;  /* ceph_strided_read events of the test file */
	bool strided_known; /* the kernel has that event */
	u64 pieces, streams;
	u64 lost_spans;
	u64 by_type[EV_TYPES];	       /* events of any file, by enum event_type */
	struct phase_figures *figures; /* with analyze_options.stats; else NULL */
};

/* Events of one CPU are missing. */
struct lost_span {
	u32 cpu;
	u64 from, to; /* ns; from 0: since the beginning */
	u64 count;    /* 0: not known how many */
};

#define SPANS_KEPT 16u /* of a file, in its summary */

/* What a trace file said about itself; "" or 0 where it does not say. */
struct trace_summary {
	char format[64]; /* "" when the capture has no such file */
	char clock[32], uname[128];
	bool clock_counts; /* its unit is not the ns */
	u32 cpus, page_size;
	u64 events;
	u64 event_types;	/* bit per enum event_type: the file describes such events */
	struct phase_loss loss; /* by the file's own counters, summed over CPUs */
	u64 lost_spans;		/* holes between events */
	struct lost_span spans[SPANS_KEPT]; /* the first of them */
	char damage[256]; /* with INPUT_PARTIAL: the message that reading stopped at */
};

struct chain_list;

struct capture_result {
	const struct capture *capture;
	struct trace_summary guest, host; /* capture->trace, capture->blktrace */
	struct phase_stats *phases;
	unsigned int n_phases;
	struct result *results;
	unsigned int n_results;
	struct chain_list *chains; /* verify/chain.h; with analyze_options.chain, else NULL */
};

struct analyze_options;

struct analysis {
	const struct run *run;
	const struct analyze_options *opt; /* the caller's; NULL: none */
	struct capture_result *captures;   /* as run->captures */
	unsigned int n_captures;
	struct result *run_results; /* checks over several captures */
	unsigned int n_run_results;
	/* two inputs side by side: of each two kernels, the second is compared with the first */
	bool pairs;
};

struct limit_override {
	char check[NAME_LEN]; /* "" applies to every check that has such a limit */
	char name[NAME_LEN];
	double value;
};

/* What verify --chain looks for. */
struct chain_where {
	enum { CHAIN_NONE, CHAIN_EVENT, CHAIN_OFFSET } what;
	u64 value;	      /* the number of an event, or bytes in a file */
	char phase[NAME_LEN]; /* "": any */
};

struct observer; /* verify/model/model.h */

struct analyze_options {
	const char *const *checks; /* only these; NULL: all */
	unsigned int n_checks;
	const struct limit_override *limits;
	unsigned int n_limits;
	bool partial; /* INPUT_PARTIAL: no verdict better than INCONCLUSIVE */
	bool stats;   /* phase_stats.figures */
	struct chain_where chain;
	const struct observer *observer; /* NULL: none */
};

/*
 * Reads the traces of all captures and runs the checks.  Returns 0 and an
 * analysis that analysis_free() frees, or a negative errno and a line when a
 * file can't be read.
 */
int analyze(const struct run *run, const struct analyze_options *opt, struct analysis **out,
	    struct err *e) __must_check;
void analysis_free(struct analysis *a);

#endif
