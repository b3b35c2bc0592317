/* SPDX-License-Identifier: GPL-2.0-only */
/* What one guest sent while it ran, kept until the capture is written. */
#ifndef BP_RECORDING_H
#define BP_RECORDING_H

#include <jansson.h>

#include "host/frames.h"
#include "host/tracedat.h"
#include "lib/experiment.h"

struct recording {
	const struct experiment *exp;
	unsigned int n_phases; /* that are due: the experiment's, or none for a set-up boot */
	const char *work;      /* directory that spool files are made in */
	struct frames frames;
	bool alive, done; /* FRAME_ALIVE, FRAME_DONE have come */
	char *error;	  /* FRAME_ERROR: one line; NULL: none */
	json_t *hello;	  /* NULL until it has come */
	json_t *phases;	  /* array of finished phases */
	struct tracefs_file *files;
	size_t n_files, files_bytes;
	struct cpu_pages *cpus; /* exp->cpus of them */
	u64 pages_bytes;
	struct progress progress;
	/* FRAME_COUNTERS: osd.json's "phases", and whether the guest waits for an element's part */
	json_t *counters;
	bool counters_due;
	char counters_when[8]; /* "before", "after" */
	u64 changes;	       /* grows with all that shows life: the watchdog compares it */
};

void recording_init(struct recording *r, const struct experiment *exp, const char *work);
void recording_free(struct recording *r);

/*
 * Takes what the socket delivered.  Returns 0; -EBADMSG and a line for frames
 * that are damaged or make no sense; another negative errno and a line when a
 * spool file can't be written.
 */
int recording_feed(struct recording *r, const void *data, size_t len, struct err *e) __must_check;

/* The counters that the guest asked for; takes @counters over. */
void recording_counters(struct recording *r, json_t *counters);

/* The phase that runs or is due next: its name, or NULL when all are done. */
const char *recording_phase(const struct recording *r);

#endif
