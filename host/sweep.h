/* SPDX-License-Identifier: GPL-2.0-only */
/* SWEEP=KEY:VALUE,VALUE...: one experiment at several values of one of its keys. */
#ifndef BP_HOST_SWEEP_H
#define BP_HOST_SWEEP_H

#include "lib/err.h"

#define SWEEP_MAX 32

struct sweep_list {
	char *key;
	char *values[SWEEP_MAX];
	unsigned int n;
};

/*
 * Values are separated by commas; by semicolons if there is one, for values that
 * have commas, such as mount options.  At least two.  -EINVAL and a line; sweep_list_free()
 * in either case.
 */
int sweep_list_parse(struct sweep_list *s, const char *text, struct err *e) __must_check;
void sweep_list_free(struct sweep_list *s);

/* "KEY=VALUE" as the name of a directory; the caller frees it. */
char *sweep_name(const char *key, const char *value) __must_check;

#endif
