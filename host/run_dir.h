/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run's directory: written as TRACES/.tmp-XXXXXX, published by one rename.
 * While it is written its maker holds a lock on it, so that what a killed run
 * left behind can be told from one that still runs.
 */
#ifndef BP_RUN_DIR_H
#define BP_RUN_DIR_H

#include "lib/err.h"

struct run_dir {
	char *traces;
	char *name; /* asked for, or NULL: the next free runNNN */
	char *tmp;  /* path while it is written */
	char *work; /* below @tmp; gone when it is published */
	int lock;
};

/* Is @name usable as RUN=, and free below @traces?  0; -EINVAL, -EEXIST and a line. */
int run_name_check(const char *traces, const char *name, struct err *e) __must_check;

/* Makes @traces if it is missing; can a run be written there?  Asked before minutes are spent. */
int run_traces_check(const char *traces, struct err *e) __must_check;

/* Makes the temporary directory, and removes those that no one writes any more. */
int run_dir_open(struct run_dir *r, const char *traces, const char *name,
		 struct err *e) __must_check;

/*
 * Publishes it.  Returns 0 and the path, which the caller frees.  Should the
 * name that was asked for have been taken meanwhile, the run gets the next
 * free runNNN: the caller sees it in the path.
 */
int run_dir_publish(struct run_dir *r, char **path, struct err *e) __must_check;

/* Removes what was not published; always call it. */
void run_dir_close(struct run_dir *r);

#endif
