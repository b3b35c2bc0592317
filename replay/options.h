/* SPDX-License-Identifier: GPL-2.0-only */
/* replay-plan's command line: one table drives parsing and --help. */
#ifndef BP_REPLAY_OPTIONS_H
#define BP_REPLAY_OPTIONS_H

#include "lib/err.h"
#include "replay/block_make.h"

enum replay_command { REPLAY_MAKE, REPLAY_HELP, REPLAY_VERSION };

struct level;

struct replay_options {
	enum replay_command command;
	const char *trace;
	const char *output;	   /* NULL: standard output */
	const struct level *level; /* NULL: what the trace has */
	struct block_options block;
	const char *block_option; /* the first option that is about the block level alone */
	bool partial;		  /* of a damaged trace take what stands before the damage */
};

/* 0, or -EINVAL and a line.  Strings point into @argv. */
int replay_options_parse(struct replay_options *o, int argc, char *argv[],
			 struct err *e) __must_check;

/* --help: options, then the exit status table. */
void replay_options_help(FILE *out);

#endif
