/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The levels at which a workload can be replayed: each is one file that ends in
 * a descriptor, and one line in level.c.
 */
#ifndef BP_REPLAY_LEVEL_H
#define BP_REPLAY_LEVEL_H

#include "replay/options.h"
#include "verify/capture.h"

/* What kind of thing the user named. */
enum source_kind {
	SOURCE_TRACE,  /* what verify reads: a capture's directory or a trace file */
	SOURCE_IOLOG,  /* fio's iolog */
	SOURCE_STRACE, /* text of strace */
};

struct source {
	const char *path;
	enum source_kind kind;
	struct run *run;	       /* SOURCE_TRACE */
	const struct capture *capture; /* of it; its only one */
};

struct level {
	const char *name; /* and option; "access" */
	/* Can a plan be made of such a source?  If not, a line says why. */
	bool (*possible)(const struct source *s, struct err *why);
	/* Makes it: 0, or a line and a negative errno: -ENODATA if there is nothing to replay,
	 * -EROFS for any failure to write it. */
	int (*make)(const struct source *s, const struct replay_options *o, struct err *e);
};

extern const struct level level_access, level_block;

/* The level of this name, or NULL. */
const struct level *level_named(const char *name);

/* The first level that @s can be replayed at, or NULL and a line. */
const struct level *level_of(const struct source *s, struct err *why);

/* Looks at what @path is; 0, or a negative errno and a line.  source_close() in either case. */
int source_open(struct source *s, const char *path, struct err *e) __must_check;
void source_close(struct source *s);

#endif
