/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access patterns.  Each is one file in guest/patterns/ that ends in a const
 * struct pattern, and one line in guest/patterns/list.h.
 */
#ifndef BP_GUEST_PATTERN_H
#define BP_GUEST_PATTERN_H

#include <jansson.h>
#include <semaphore.h>
#include <pthread.h>
#include <stdatomic.h>

#include <jansson.h>

#include "lib/layout.h"
#include "guest/cache.h"
#include "guest/tracer.h"
#include "lib/experiment.h"

struct workload;

#define CLIENTS_MAX 64

/* The test file, once for each client that reads it. */
struct test_files {
	char path[CLIENTS_MAX][64];
	unsigned int n;
};

/* One thread of a phase. */
struct stream {
	struct workload *w;
	unsigned int index;
	pthread_t thread;
	u8 *buf; /* where it copies to, pre-faulted; w->buf_size bytes */
	int fd;	 /* its own open file where pattern or phase say own_file, else its client's shared
		    one */
	const u8 *map; /* touch.h: its own mapping of the file from map_off on */
	u64 map_off, map_len;
	/* results */
	u64 busy_ns;		/* sum over its operations */
	u64 user_ns, system_ns; /* CPU time in them */
	atomic_ullong done;	/* bytes */
	u64 checked, bad, first_bad;
	int error;
	struct err err;
};

/* One phase while it is set up and run. */
struct workload {
	const struct phase *phase;
	const struct pattern *pattern;
	bool pieces; /* list.h: the layout below is set up */
	struct tracer *tracer;
	const struct test_files *files;
	u64 file_size;
	u64 start;	      /* phase->start in bytes */
	struct layout layout; /* where the pattern copies pieces */
	size_t buf_size;
	int fd;	       /* fds[0] */
	int *fds;      /* by files: one open file that threads share */
	const u8 *map; /* where the pattern says mapped */
	struct stream *streams;
	unsigned int n_streams;
	pthread_barrier_t ready, go;
	sem_t finished; /* posted once per stream */
};

struct agent;

struct pattern {
	const char *name;
	const char *summary;
	bool mapped;   /* works on a mapping of the file */
	bool own_file; /* every thread opens the file itself */
	bool piece_markers;
	/* further rules for the phase's keys; may be NULL */
	int (*validate)(const struct workload *w, struct err *e);
	/* what all threads together will ask for; NULL: layout_bytes() */
	u64 (*bytes)(const struct workload *w);
	/* around the phase, in the supervising thread, untimed and untraced; may be NULL */
	int (*before_cold)(struct workload *w, struct err *e);
	int (*after_cold)(struct workload *w, struct err *e);
	int (*after)(struct workload *w, struct err *e);
	/* adds the cached pages of files other than the test file; may be NULL */
	void (*cached)(const struct workload *w, struct cache_pages *pages);
	/* after the phase: a member of its JSON, of this name; may be NULL */
	const char *result_name;
	json_t *(*result)(const struct workload *w);
	/* instead of all that is below and above: a pattern without a test file */
	int (*run_phase)(struct agent *a, unsigned int index, struct err *e);
	/* a thread's whole work; NULL: every piece of its layout */
	int (*run)(struct stream *s);
	/* the timed part: @len bytes from file offset @off into s->buf */
	int (*move)(struct stream *s, u64 off, u64 len);
	/* between the move and the check of its data; may be NULL */
	void (*moved)(struct stream *s, u64 off, u64 len);
};

/* ---- for patterns ---- */

/* The "stream" marker: the thread's range. */
int stream_begin(struct stream *s, u64 off, u64 len);

/* One timed move of the pattern, then the check of the data. */
int stream_move(struct stream *s, u64 off, u64 len);

/* A move of patterns that read: pread() until all of it is there. */
int stream_pread(struct stream *s, u64 off, u64 len);

/* All pieces of the thread's layout: what .run is by default. */
int stream_run_pieces(struct stream *s);

/* Sets s->err; returns @error (negative). */
int stream_fail(struct stream *s, int error, const char *fmt, ...) __printf_like(3, 4);

#endif
