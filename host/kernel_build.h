/* SPDX-License-Identifier: GPL-2.0-only */
/* make in an object tree.  Internal to the kernel builder. */
#ifndef BP_KERNEL_BUILD_H
#define BP_KERNEL_BUILD_H

#include "host/kernel_config.h"
#include "host/overlay.h"
#include "host/spawn.h"

struct build {
	const char *root;   /* the cache */
	const char *name;   /* of the kernel, for the progress line */
	const char *kernel; /* "Linux 7.3.4", for messages */
	const struct arch *arch;
	const char *tree;
	const char *objects; /* made if missing */
	int lock;	     /* the cache's, which make inherits */
	bool verbose;
	bool no_space;	/* out: it failed for want of disk space */
	double seconds; /* out: of make */
};

/* Prepares the object tree; drops it if an earlier build left it in doubt. */
int build_begin(struct build *b, struct err *e) __must_check;

/* Makes .config from tinyconfig's fragments and @c, and checks it.  @stamp names
 * all that it depends on: with the same one it is not made again. */
int build_config(struct build *b, const struct config *c, const char *stamp,
		 struct err *e) __must_check;

/* Makes the image.  -EIO with the first error and the log's path. */
int build_image(struct build *b, struct err *e) __must_check;

/* ---- parts, for tests ---- */

/* Is @line one of kbuild's "  CC      mm/readahead.o"? */
bool build_is_step(const char *line);

/*
 * How telling @line is as the reason for a failed build: 0 not at all, 1 make's
 * own "***", 2 the linker's, 3 the compiler's.  The first of the highest kind
 * is what is shown.
 */
int build_error_rank(const char *line);

#endif
