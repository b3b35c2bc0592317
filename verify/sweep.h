/* SPDX-License-Identifier: GPL-2.0-only */
/* A run that is a sweep: sweep.json names a run below it for each value of one key. */
#ifndef BP_SWEEP_H
#define BP_SWEEP_H

#include "verify/rundir.h"

struct sweep_run {
	char value[256];
	char name[2 * NAME_LEN]; /* of its directory, below the sweep's */
};

struct sweep {
	u32 schema;
	char experiment[NAME_LEN], key[NAME_LEN], command[512];
	struct sweep_run *runs;
	unsigned int n;
};

/* Members of sweep.json; a test compares docs/blkproof-run.5 with them. */
extern const struct json_table sweep_tables[];
extern const size_t n_sweep_tables;

/*
 * Reads PATH/sweep.json.  Returns 1 and a sweep that sweep_free() frees; 0 if there is
 * none, which is how any other run looks; or a negative errno and a line.
 */
int sweep_load(struct sweep *s, const char *path, struct err *e) __must_check;
void sweep_free(struct sweep *s);

#endif
