/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors: negative errno inside, one message at the edge.
 *
 * A function that can fail for a reason that its caller's user must read takes
 * a struct err, fills in one line (what, what was expected, what to do; no
 * newline, no program name) and returns a negative errno.  Only main() prints.
 */
#ifndef BP_ERR_H
#define BP_ERR_H

#include "lib/util.h"

struct err {
	char msg[1024];
};

/* Sets the line; returns @error (negative), so that it can end a function. */
int err_set(struct err *e, int error, const char *fmt, ...) __printf_like(3, 4);

/* As err_set(), and appends ": " and strerror(-error). */
int err_errno(struct err *e, int error, const char *fmt, ...) __printf_like(3, 4);

/* Puts "@fmt: " in front of the line that is there (adds the name of a file, say). */
int err_prefix(struct err *e, int error, const char *fmt, ...) __printf_like(3, 4);

#endif
