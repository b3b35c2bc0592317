/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patches on a source tree that base and patched kernels share.
 *
 * A series is applied to copies of the files that it touches, so a patch that
 * does not apply leaves nothing behind.  Only then do the results replace the
 * tree's files, after a journal with the originals has reached the disk; the
 * tree is put back from it after the build, or by the next program that takes
 * the cache's lock if this one dies.  Files get a new modification time each
 * time, which is what makes make rebuild what depends on them and no more.
 */
#ifndef BP_OVERLAY_H
#define BP_OVERLAY_H

#include "host/patch.h"

struct overlay_file {
	char *path;
	bool before; /* is in the tree */
	bool after;  /* is there once the series is applied */
};

struct overlay {
	char *dir; /* the patched files, under their paths */
	struct overlay_file *files;
	size_t n;
};

/*
 * Applies @s to copies, in @dir (made, removed by overlay_free()), of the files
 * in @tree; like patch -p1 with its max_fuzz.  @kernel names the source in messages
 * ("Linux 7.3.4").  Fills in each patch's fuzz.  -EINVAL with a line that names
 * patch, hunk, file and line if one does not apply.
 */
int overlay_prepare(const char *tree, const char *kernel, const char *dir, struct series *s,
		    struct overlay *o, struct err *e) __must_check;

/* Writes the journal in @journal, then the patched files into @tree. */
int overlay_install(const struct overlay *o, const char *tree, const char *journal,
		    struct err *e) __must_check;

/* Puts back what a journal holds, if there is one, and removes it. */
int overlay_restore(const char *tree, const char *journal, struct err *e) __must_check;

void overlay_free(struct overlay *o);

#endif
