/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes trace.dat, version 7 with sections compressed by zstd, from ring
 * buffer pages and files of the guest's tracefs.  Format: trace-cmd's man page
 * trace-cmd.dat.v7(5).  Compressed, a run's trace is about a sixth of its pages.
 */
#ifndef BP_TRACEDAT_H
#define BP_TRACEDAT_H

#include "lib/err.h"

/* A file of tracefs as the agent sent it. */
struct tracefs_file {
	char *name; /* below tracefs: "events/header_page" */
	char *data;
	size_t len;
};

/* Whole ring buffer pages of one CPU, in order. */
struct cpu_pages {
	int fd; /* spool file, read with pread() */
	u64 size;
};

struct tracedat {
	const struct tracefs_file *files;
	size_t n_files;
	const struct cpu_pages *cpus; /* element i: CPU i */
	u32 n_cpus;
	u32 page_size;	     /* of the ring buffer and the guest */
	const char *uname;   /* one line, as uname -a without the host's name */
	const char *clock;   /* trace clock: "mono" */
	const char *version; /* what wrote it */
};

/* 0, or a negative errno and a line: a file that the format must have is missing, a
 * size that is no whole number of pages, a failed write. */
int tracedat_write(const struct tracedat *t, const char *path, struct err *e) __must_check;

/* The content of file @name, or NULL. */
const struct tracefs_file *tracefs_find(const struct tracedat *t, const char *name);

#endif
