/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the project's own files are: in the checkout, or where make install put them. */
#ifndef BP_PROJECT_H
#define BP_PROJECT_H

#include "host/arch.h"
#include "lib/experiment.h"

struct project {
	char *data;   /* holds experiments/, kconfigs/, patches/; "." in a checkout */
	char *agent;  /* the guest's program, for its architecture */
	char *verify; /* NULL if it is not there */
};

/* Finds them from the running program's own path; 0 or a negative errno and a line. */
int project_find(struct project *p, const struct arch *arch, struct err *e) __must_check;
void project_free(struct project *p);

/*
 * Loads experiment @name: a file if it has a slash or ends in .ini, else
 * experiments/NAME.ini.  An unknown name is -ENOENT with a line that names
 * those that there are.
 */
int project_experiment(const struct project *p, const char *name, struct experiment **exp,
		       struct err *e) __must_check;

/*
 * Gives every kernel that has no fragment for file systems besides ext4 the set
 * of fragments that all experiments share which need more than base.config: one
 * build serves them all.
 */
void experiment_widen(struct experiment *exp);

/* What the parser does not know: do the experiment's patterns and checks exist, and do all of
 * its parts go together as they are now?  0, or -EINVAL and a line. */
int experiment_validate(struct experiment *exp, struct err *e) __must_check;

#endif
