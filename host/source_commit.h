/* SPDX-License-Identifier: GPL-2.0-only */
/* COMMITS=BASE..TIP: kernels from commits of a user's tree, which is only read. */
#ifndef BP_SOURCE_COMMIT_H
#define BP_SOURCE_COMMIT_H

#include "host/hash.h"
#include "host/kernel.h"

struct commits {
	char *text;	  /* as given */
	char *base, *tip; /* full ids */
	char *dir;	  /* temporary; holds @mbox */
	char *mbox;	  /* base to tip as git format-patch writes it */
};

/*
 * Finds the commits of "BASE..TIP", or of one commit and its parent, in the tree
 * @kdir, and writes what is between them as a series.  -EINVAL and a line for what is
 * not there.  commits_free() in either case.
 */
int commits_resolve(struct commits *c, const char *kdir, const char *text,
		    struct err *e) __must_check;
void commits_free(struct commits *c);

/* With the cache's lock: the commit of @kdir as a source. */
int source_commit_open(const char *root, const char *kdir, const char *commit,
		       struct kernel_source *src, struct err *e) __must_check;

/*
 * With the cache's lock: brings the copy @key of @kdir (source_kdir_sync()) to what
 * @commit has; its identity goes to @hex.
 */
int source_commit_sync(const char *root, const char *kdir, const char *key, const char *commit,
		       char hex[HASH_HEX], struct err *e) __must_check;

#endif
