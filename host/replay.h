/* SPDX-License-Identifier: GPL-2.0-only */
/* A plan turned into an experiment: REPLAY=. */
#ifndef BP_REPLAY_H
#define BP_REPLAY_H

#include "lib/access_plan.h"
#include "lib/block_plan.h"
#include "lib/experiment.h"

struct replay {
	const char *path; /* owned by the caller */
	enum plan_kind kind;
	struct access_plan access; /* PLAN_ACCESS */
	struct block_plan block;   /* PLAN_BLOCK */
	u64 *sizes;		   /* of the test files, in bytes; NULL: the experiment's one */
	u32 n_sizes;
	u64 trace_buffer; /* bytes per CPU that the events of a phase need, as far as is known */
};

/*
 * Reads the plan: its header, and all of its body to see that it is whole.  0, or a negative errno
 * and a line; replay_free() in either case.
 */
int replay_load(struct replay *r, const char *path, struct err *e) __must_check;
void replay_free(struct replay *r);

/*
 * Makes @exp, a template such as experiments/replay.ini, the experiment that
 * replays the plan: its first phase whose pattern replays plans of this kind
 * becomes one phase for each of the plan.  0, or -EINVAL and a line.
 */
int replay_experiment(struct replay *r, struct experiment *exp, struct err *e) __must_check;

/*
 * Does @exp, after all settings, still go with the plan?  0, or -EINVAL and a line.
 */
int replay_validate(const struct replay *r, const struct experiment *exp,
		    struct err *e) __must_check;
int replay_block_validate(const struct replay *r, const struct experiment *exp,
			  struct err *e) __must_check;

/* Says on standard error if the plan's events will not fit into the trace. */
void replay_warn(const struct replay *r, const struct experiment *exp);

/* replay_block.c: replay_experiment() for a plan of block requests */
int replay_block_experiment(struct replay *r, struct experiment *exp, struct err *e) __must_check;

/*
 * Makes the image that a plan of block requests is replayed to, in directory
 * @dir: as large as the plan says, all holes.  *@path is the caller's; 0, or a
 * negative errno and a line.
 */
int replay_scratch(const struct replay *r, const char *dir, char **path,
		   struct err *e) __must_check;

/* Copies plan @from to @path, for verify; 0, or a negative errno and a line. */
int replay_copy_plan(const char *from, const char *path, struct err *e) __must_check;

#endif
