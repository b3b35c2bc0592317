/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernels of a run: built, cached, or files that the user names. */
#ifndef BP_IMAGES_H
#define BP_IMAGES_H

#include "host/kernel.h"
#include "host/options.h"
#include "host/status.h"

/*
 * What can be checked before anything is built: do --image's kernels exist in
 * the experiment, are the files kernel images, can the patches be read?
 */
enum status images_check(const struct options *o, const struct experiment *exp,
			 const char *data_dir, struct err *e) __must_check;

/*
 * One image per kernel of the experiment, in its order, in images[]; freed by
 * images_free().
 */
enum status images_get(const struct options *o, const struct experiment *exp, const char *data_dir,
		       struct kernel_image **images, struct err *e) __must_check;
/* Fetches the newest Debian source into the cache, whatever the cache has. */
enum status images_refresh_source(bool verbose, struct err *e) __must_check;

void images_free(struct kernel_image **images, unsigned int n);

/* The version that a kernel image for @arch says it is; -ENOEXEC and a line if it is none.
 * The caller frees *@version. */
int image_version(const char *path, const struct arch *arch, char **version,
		  struct err *e) __must_check;

#endif
