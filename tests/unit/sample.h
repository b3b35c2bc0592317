/* SPDX-License-Identifier: GPL-2.0-only */
/* Analyses made by hand, for the tests of reports. */
#ifndef BP_TEST_SAMPLE_H
#define BP_TEST_SAMPLE_H

#include "verify/report/report.h"

struct sample_options {
	unsigned int repeats; /* captures per kernel; at least 1 */
	unsigned int kernels; /* 1: "base" only; 2: and "patched"; more: with long names */
	bool undecided;	      /* events were lost on patched */
	bool base_is_fine;    /* base does not show the problem */
	bool patched_fails;   /* patched violates what it should hold */
	bool ugly;	      /* long names, control characters, findings to the brim */
	bool nothing_applies; /* every verdict is N/A */
	bool ceph;	      /* on CephFS: counters of OSDs instead of a device's log */
};

/* The caller frees with sample_free(). */
struct verified *sample_run(const struct sample_options *opt);

/* A lone trace.dat, with a check that does not apply. */
struct verified *sample_trace(void);

/* An input that could not be read. */
struct verified *sample_error(void);

/* Figures of the first phase of the first capture, as --stats collects them. */
void sample_add_figures(struct verified *v);

void sample_free(struct verified *v);

#endif
