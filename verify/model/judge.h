/* SPDX-License-Identifier: GPL-2.0-only */
/* One check at work on one phase of one capture. */
#ifndef BP_MODEL_JUDGE_H
#define BP_MODEL_JUDGE_H

#include "verify/checks/check.h"
#include "verify/model/model.h"

struct judge {
	const struct check *check;
	struct model *model;
	struct model_phase *phase;
	struct result result;
	double limit[CHECK_LIMITS_MAX]; /* as check->limits, after all overrides */
	void *state;			/* ops->state_size bytes, zeroed */
	void *streams;			/* ops->stream_size bytes per stream, zeroed */
	u32 n_streams;
	bool decided; /* the check itself said INCONCLUSIVE or NA */
};

/*
 * Callbacks of a check, all optional.  Those with an event run in order of
 * time, while the trace is read; only windows and hits of the test file (any
 * file, if the capture does not name one) are shown.
 */
struct check_ops {
	size_t state_size, stream_size;
	/* a readahead decision; its folios are not there yet */
	void (*window)(struct judge *j, const struct window *w);
	/* the same window, once its task went on */
	void (*window_end)(struct judge *j, const struct window *w);
	void (*marker_hit)(struct judge *j, const struct marker_hit *h);
	void (*miss)(struct judge *j, const struct fault_miss *m);
	void (*folio)(struct judge *j, const struct event *ev); /* EV_FOLIO_ADD; many */
	/* EV_GET_PAGES of a thread that has a stream; many */
	void (*read)(struct judge *j, const struct stream *s, const struct event *ev);
	/*
	 * All events and the host's requests are known.  Sets result.examined,
	 * result.detail, and findings; the verdict follows from them, unless
	 * judge_undecided() is called.
	 */
	void (*finish)(struct judge *j);
};

/* What a check over a run sees of one phase of one capture. */
struct phase_facts {
	const struct capture *capture;
	const struct phase_stats *stats;
	bool usable;	    /* whole and from a cold cache */
	enum reason reason; /* why not */
	bool host_known;    /* stats->host_* are valid */
	const struct phase_info *info;
};

struct run_judge {
	const struct check *check;
	const struct run *run;
	double limit[CHECK_LIMITS_MAX];
	/* facts[capture * n_phases + phase], phases as the experiment's */
	const struct phase_facts *facts;
	unsigned int n_phases;
	struct result *results; /* grows with run_judge_result() */
	unsigned int n_results;
};

struct run_check_ops {
	void (*run)(struct run_judge *r);
};

/* Starts the judges of a phase: every check that it judges. */
void judges_start(struct model *m, struct model_phase *p);
/* Forgets what they saw. */
void judges_free(struct model_phase *p);
/* finish() and the verdict of each. */
void judges_finish(struct model_phase *p);
/*
 * Does the trace have every event of the phase?  If not, the reason, and a line
 * of at most @size bytes.  Complete once all events are read.
 */
bool phase_is_whole(const struct model *m, const struct model_phase *p, enum reason *why,
		    char *text, size_t size) __must_check;

/* The name of an event of @needs that @have lacks, both EV_BIT per type; NULL if none. */
const char *missing_event(u64 needs, u64 have);

/*
 * Is there nothing that goes through a file, by markers or by task and contiguity?
 * Then the verdict becomes "not applicable", and true is returned.
 */
bool judge_no_streams(struct judge *j) __must_check;

/*
 * Streams without markers: are @windows that begin something, as a read-around
 * does, more than the streams' tasks need for @first pieces each?  Then they may
 * be pieces of one stream that jumps further than a window, and nobody knows:
 * the verdict becomes INCONCLUSIVE, and true is returned.
 */
bool judge_unclear_streams(struct judge *j, u64 windows, double first) __must_check;

/* The check's per-stream state; @s is of the judge's phase. */
void *judge_stream(struct judge *j, const struct stream *s);

/*
 * Counts a violation and keeps it if it is among the worst.  The task's name is
 * filled in from its pid.
 */
void judge_violation(struct judge *j, const struct finding *f);
/* "INCONCLUSIVE, @why" (or NA with WHY_NONE), whatever was counted. */
void judge_undecided(struct judge *j, enum reason why, const char *fmt, ...) __printf_like(3, 4);
void judge_detail(struct judge *j, const char *fmt, ...) __printf_like(2, 3);
/* A finding about a window, a hit: time, CPU, task, event, byte offset of @page. */
struct finding finding_at(const struct model *m, u64 ts, u64 seq, u16 cpu, s32 pid, u64 page);

/* Limits of a check: its defaults, then the experiment's, then the command line's. */
void check_limits(const struct check *c, const struct experiment *exp,
		  const struct analyze_options *opt, double *limit);
bool check_selected(const struct check *c, const struct analyze_options *opt);

struct result *run_judge_result(struct run_judge *r, const char *phase);

#endif
