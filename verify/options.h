/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of verify: one table drives parsing and --help. */
#ifndef BP_OPTIONS_H
#define BP_OPTIONS_H

#include "lib/err.h"
#include "verify/result.h"

enum format { FORMAT_TEXT, FORMAT_KTAP, FORMAT_JSON };
extern const char *const format_names[]; /* NULL-terminated */

enum action {
	ACTION_VERIFY,
	ACTION_EVENTS,
	ACTION_LIST_CHECKS,
	ACTION_EXPLAIN,
	ACTION_REPRODUCER,
	ACTION_HELP,
	ACTION_VERSION
};

#define STATS_BY_FILE (1u << 0)
#define STATS_BY_TASK (1u << 1)

struct options {
	enum action action;
	enum format format;
	const struct check *explain;
	const char *reproducer; /* the phase */
	const char **checks;	/* names, each known */
	unsigned int n_checks;
	struct limit_override *limits;
	unsigned int n_limits;
	bool bisect, partial, brief, stats, compare, mail;
	unsigned int by; /* STATS_BY_* */
	struct chain_where chain;
	const char *output; /* NULL: standard output */
	char **paths;	    /* into argv */
	unsigned int n_paths;
};

struct option_desc {
	const char *name;
	char letter;	 /* 0: none */
	const char *arg; /* NULL: takes none */
	const char *help;
	int (*set)(struct options *o, const char *arg, struct err *e);
};
extern const struct option_desc option_table[];
extern const unsigned int n_option_table;

/*
 * Fills in @o, which options_free() empties whatever is returned.  Returns 0,
 * or -EINVAL and one line.  @o->bisect is right even then: it decides which
 * status a usage error ends with.
 */
int options_parse(struct options *o, int argc, char **argv, struct err *e) __must_check;
void options_free(struct options *o);

struct out; /* verify/report/out.h */
void options_help(struct out *out);

#endif
