/* SPDX-License-Identifier: GPL-2.0-only */
/* Phases that replayed a plan of block requests: what three witnesses saw of it. */
#ifndef BP_MODEL_REPLAY_H
#define BP_MODEL_REPLAY_H

#include "verify/model/model.h"
#include "verify/model/replay_match.h"

#define REPLAY_SIDES (MATCH_HOST + 1)

struct replay_side {
	bool wanted; /* it can be compared: the plan's action, and the files that there are */
	bool known;  /* @r is valid */
	struct match_result r;
};

struct replay_phase {
	struct replay_match *match[REPLAY_SIDES];
	struct replay_side side[REPLAY_SIDES];
	bool started;
	int ret; /* the plan can't be read: @err */
	struct err err;
};

/* NULL, or one element per phase of the model. */
struct replay_phase *model_replay_new(const struct model *m) __must_check;
void model_replay_free(struct model *m);

/* The guest's block events, while a phase runs; and the host's, after all of the guest's. */
void model_replay_event(struct model *m, const struct event *ev);
void model_replay_host(struct model *m, const struct event *ev);
void model_replay_finish(struct model *m);

/* The phase's; NULL if it replayed nothing, or the run has no plan beside it. */
const struct replay_phase *model_replay(const struct model *m, const struct model_phase *p);

#endif
