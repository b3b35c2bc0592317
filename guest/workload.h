/* SPDX-License-Identifier: GPL-2.0-only */
/* Setting up a phase's threads and letting them go. */
#ifndef BP_GUEST_WORKLOAD_H
#define BP_GUEST_WORKLOAD_H

#include "guest/pattern.h"

/*
 * Can @phase run on a file of @file_size bytes in this memory?  Names the phase and what is
 * wrong with it; touches nothing.
 */
int workload_check(const struct phase *phase, u64 file_size, struct err *e) __must_check;

/* The pattern of this name, or NULL. */
const struct pattern *pattern_named(const char *name);

/*
 * Opens the files (@files stays the caller's), allocates and faults in all memory, starts the
 * threads and waits until each is parked at the start; from then on only the test file causes page
 * faults.  On error nothing can be said of the process's state: the run ends.
 */
int workload_setup(struct workload *w, const struct phase *phase, const struct test_files *files,
		   u64 file_size, struct tracer *tracer, struct err *e) __must_check;

/* What all streams together will ask for, in bytes. */
u64 workload_bytes(const struct workload *w);

/* Maps the file where the pattern wants it: after the cache was made cold. */
int workload_map(struct workload *w, struct err *e) __must_check;

/* Lets the threads go. */
void workload_start(struct workload *w);

/*
 * Waits at most @ms for a thread to finish; returns how many have, all calls
 * together, in *@finished.
 */
void workload_wait(struct workload *w, unsigned int ms, unsigned int *finished);

/* Bytes done so far; any thread may ask. */
u64 workload_done(const struct workload *w);

/* Joins the threads; the first one's error, if any. */
int workload_join(struct workload *w, struct err *e) __must_check;

/* Unmaps, closes and frees. */
void workload_free(struct workload *w);

#endif
