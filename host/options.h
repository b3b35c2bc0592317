/* SPDX-License-Identifier: GPL-2.0-only */
/* boot-and-trace's command line: one table drives parsing and --help. */
#ifndef BP_HOST_OPTIONS_H
#define BP_HOST_OPTIONS_H

#include "host/accel.h"
#include "host/arch.h"
#include "lib/err.h"

#define OVERRIDES_MAX 8
#define REPEAT_MAX 999
#define SETTINGS_MAX 32

enum command {
	COMMAND_RUN,
	COMMAND_CACHE,
	COMMAND_CLEAN_CACHE,
	COMMAND_REFRESH_SOURCE,
	COMMAND_NEEDS,
	COMMAND_HELP,
	COMMAND_VERSION,
};

struct options {
	enum command command;
	const char *experiment;		/* a name or a file */
	const char *experiment_default; /* what it is if nothing is said */
	const char *patch, *kdir, *run; /* NULL: not given */
	const char *replay;		/* a plan, or NULL */
	const char *commits;		/* BASE..TIP of kdir; NULL: what is checked out */
	/* found out from commits: their base and the series on it; the session's */
	const char *base_commit, *series;
	const char *bisect; /* a check; NULL: no bisection */
	const char *traces;
	bool traces_given;
	unsigned int repeat;
	enum accel_asked accel;
	const struct arch *arch;
	u64 file_size;		    /* 0: the experiment's */
	const char *program, *args; /* NULL: the experiment's phases */
	const char *sweep;	    /* KEY:VALUE,VALUE...; NULL: none */
	struct setting {
		char *key;
		const char *value;
	} settings[SETTINGS_MAX];
	unsigned int n_settings;
	bool verbose;
	struct image_override {
		char *kernel;
		const char *path;
	} images[OVERRIDES_MAX];
	unsigned int n_images;
};

/* Returns 0, or -EINVAL and a line.  Strings point into @argv; the rest is freed by
 * host_options_free(). */
int host_options_parse(struct options *o, int argc, char *argv[], struct err *e) __must_check;
void host_options_free(struct options *o);

/* --help: options, then the exit status table. */
void host_options_help(FILE *out);

/* The make command that asks for the same; the caller frees it. */
char *host_options_command(const struct options *o) __must_check;

#endif
