/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that users write, against those that exist. */
#ifndef BP_KNOWN_H
#define BP_KNOWN_H

#include "lib/err.h"
#include "lib/experiment.h"

struct check;

/* "unknown WHAT 'WORD'; did you mean ...", or with @hint where nothing is near; -EINVAL. */
int unknown_word(struct err *e, const char *what, const char *word, const char *const *known,
		 size_t n, const char *hint);

/* The check of that name, or NULL and a line. */
const struct check *known_check(const char *name, struct err *e);

/* Does @only (NULL: any check) have a limit @name?  0, or -EINVAL and a line. */
int known_limit(const struct check *only, const char *name, struct err *e) __must_check;

/*
 * Does the experiment name checks and limits that exist, and can each check
 * that it expects to be violated be violated, that is, does a phase judge it?
 * Else an expectation would be met by never being looked at.  0, or -EINVAL
 * and a line.
 */
int experiment_names_known(const struct experiment *exp, struct err *e) __must_check;

#endif
