/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What there is to draw: one panel per kernel and phase, from verify's readers
 * and model.  Nothing here knows of pixels.
 */
#ifndef BP_PLOT_DATA_H
#define BP_PLOT_DATA_H

#include "verify/status.h"

#define PLOT_MARKS_MAX (1u << 21) /* windows, and faults, of a panel; beyond them, panel.more */
#define PLOT_STRIP 1024u	  /* offsets at which the folio order is kept */

/* A readahead window, when it was decided. */
struct plot_window {
	u64 ts;	   /* ns since the phase began */
	u64 start; /* page */
	u32 size;  /* pages */
	u32 file;  /* index in panel.files */
	u8 cause;  /* enum ra_cause */
	u8 order;  /* the largest of the folios that it added; ORDER_UNKNOWN: none, or not known */
};

/* A page fault that went to the page cache. */
struct plot_fault {
	u64 ts, page;
	u32 file;
	bool waited; /* it had to read */
};

struct plot_file {
	u32 dev;
	u64 ino;
	u64 weight; /* pages of its windows */
};

/* The largest folio order at each offset: @step pages per element, which grows with the file. */
struct plot_strip {
	u8 order[PLOT_STRIP]; /* ORDER_UNKNOWN: nothing was added */
	u64 step;
};

struct panel {
	const struct capture_result *capture;
	const struct phase_stats *stats; /* NULL: the capture has no such phase */
	struct plot_window *windows;
	size_t n_windows, windows_size;
	struct plot_fault *faults;
	size_t n_faults, faults_size;
	struct plot_strip strip;
	struct plot_file *files; /* at most 256 */
	unsigned int n_files;
	unsigned int file; /* the one that is drawn */
	u64 begin_ns;
	u64 last_page;
	bool more; /* not all could be kept */
};

struct plot_phase {
	const char *name;
	struct panel *panels; /* one per kernel, in the order of plot.kernels */
	u64 duration;	      /* ns: of the longest */
	u64 end_page;	      /* of what is drawn */
};

struct plot {
	struct run *run;
	struct analysis *analysis;
	const char **kernels;
	unsigned int n_kernels;
	struct plot_phase *phases;
	unsigned int n_phases;
	u32 page_size;
	unsigned int repeat;
	unsigned int captures; /* of the run, of which one per kernel is drawn */
	struct collector *collector;
};

struct plot_options {
	const char *phase;   /* NULL: all */
	unsigned int repeat; /* from 1 */
	bool partial;
};

/* Reads @path, which run_open() takes.  The caller ends with plot_close(). */
int plot_open(struct plot **p, const char *path, const struct plot_options *opt,
	      struct err *e) __must_check;
void plot_close(struct plot *p);

/* Did the fault or the window lie in the file that is drawn? */
static inline bool window_shown(const struct panel *p, const struct plot_window *w)
{
	return w->file == p->file;
}

/* Windows, and faults that waited: what is drawn of the panel. */
size_t panel_marks(const struct panel *p);

/* Findings of the checks that failed on the panel's capture in its phase, worst first. */
typedef void (*finding_fn)(void *arg, const struct result *r, const struct finding *f);
void panel_findings(const struct panel *p, finding_fn fn, void *arg);

#endif
