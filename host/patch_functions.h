/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions a patch changes, by its own text: the function that git names
 * behind "@@ ... @@", and the definitions that begin and end among a hunk's
 * lines.  For the report's question whether the changed path was hit at all.
 */
#ifndef BP_PATCH_FUNCTIONS_H
#define BP_PATCH_FUNCTIONS_H

#include "lib/util.h"

struct patch_function {
	char *file;	   /* in the tree, as the patch has it after the change */
	char *name;	   /* of the function */
	bool added;	   /* its definition is new */
	char *called_from; /* of an added one: a changed function that a new line has call it */
};

struct patch_functions {
	struct patch_function *list;
	size_t n;
	/* hunks of C files that change something in no function that the patch names */
	unsigned int unnamed_hunks;
};

/* @diff as in struct patch, whose files were parsed; patch_functions_free() frees the content. */
void patch_functions_find(struct patch_functions *f, const char *diff);
void patch_functions_free(struct patch_functions *f);

#endif
