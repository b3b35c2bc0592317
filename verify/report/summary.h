/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The figures of an analysis by metric, phase and column, and which of them
 * differ by more than noise: computed once, shown by every format.  A column
 * is a kernel; in a comparison of two inputs, a kernel of one of them.
 */
#ifndef BP_SUMMARY_H
#define BP_SUMMARY_H

#include "verify/noise.h"
#include "verify/result.h"

#define DECIMALS_BY_SIZE 99 /* as many as make three or four digits */

/* Who tells a metric: events of the guest's trace may be lost, and then it is a lower bound. */
enum metric_source {
	SOURCE_COUNTERS, /* capture.json, or a log of its own */
	SOURCE_EVENTS,
	SOURCE_DEVICE /* the log of the device or the OSDs' counters; events where there is none */
};

struct metric {
	const char *id;	   /* in JSON */
	const char *title; /* in the text report, with its unit */
	int decimals;	   /* that the text report shows */
	double step;	   /* see welch_p() */
	enum metric_source source;
	/* false: this capture does not tell */
	bool (*get)(const struct capture_result *c, const struct phase_info *p,
		    const struct phase_stats *s, double *value);
};

enum metric_id {
	METRIC_MAJOR_FAULTS,
	METRIC_READ_REQUESTS,
	METRIC_DEVICE_RATIO,
	METRIC_LARGEST_ORDER,
	METRIC_LARGE_FOLIO_SHARE,
	METRIC_MARKER_FOLLOWED,
	METRIC_MARKER_IDLE,
	METRIC_ELAPSED,
	/* costs */
	METRIC_SYSTEM,
	METRIC_EXTRA,
	METRIC_UNUSED,
	METRIC_CACHED,
	METRIC_MEMORY,
	METRICS
};
extern const struct metric metrics[METRICS];

/* Does the metric count events of which the phase @s lost some? */
bool metric_lossy(enum metric_id m, const struct capture_result *c, const struct phase_info *p,
		  const struct phase_stats *s);

struct summary {
	const struct analysis *a;
	const char **kernels, **phases;
	unsigned int n_kernels, n_phases;
	unsigned int *captures; /* per kernel */
	bool repeats;		/* a kernel has more than one capture */
	struct figure *figures; /* [metric][phase][kernel] */
	bool *lossy;		/* the same: of phases that lost events */
	double *p;		/* the same, corrected; NAN: not compared */
	unsigned int n_tests;	/* comparisons that p was corrected for */
};

struct summary *summary_new(const struct analysis *a) __must_check;
void summary_free(struct summary *s);

const struct figure *summary_figure(const struct summary *s, enum metric_id m, unsigned int phase,
				    unsigned int kernel);
double summary_p(const struct summary *s, enum metric_id m, unsigned int phase,
		 unsigned int kernel);
/*
 * Did a phase that the figure is of lose events that it counts?  It is of those that
 * were recorded, then, and is compared with nothing.
 */
bool summary_lossy(const struct summary *s, enum metric_id m, unsigned int phase,
		   unsigned int kernel);
/* Does the kernel differ from the one it is compared with by more than noise? */
bool summary_differs(const struct summary *s, enum metric_id m, unsigned int phase,
		     unsigned int kernel);

/*
 * The column that @kernel is compared with; itself if with none.  It is the
 * first, or, where the analysis compares two inputs, the one before it.
 */
unsigned int summary_reference(const struct summary *s, unsigned int kernel);

#endif
