/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collecting chains (verify/chain.h) while the model reads the events.  At most
 * CHAINS_TASKS tasks are followed at a time, the others are not.
 */
#ifndef BP_MODEL_CHAINS_H
#define BP_MODEL_CHAINS_H

#include "verify/chain.h"
#include "verify/model/model.h"

#define CHAINS_TASKS 256u

struct chains; /* NULL: nobody wants them; then all calls do nothing */

struct chains *chains_new(const struct chain_where *where) __must_check;
void chains_free(struct chains *cs);

/* Every event, before the model takes it. */
void chains_event(struct model *m, const struct event *ev);
/* EV_FAULT, EV_GET_PAGES, EV_MAP_PAGES: a new chain of the task begins. */
void chains_access(struct model *m, struct task *t, const struct event *ev);
/* EV_RA_SYNC, EV_RA_ASYNC; @after_access: directly after the task's access */
void chains_lead(struct model *m, struct task *t, const struct event *ev, bool after_access);
void chains_window(struct model *m, struct task *t, const struct window *w);
/* Another event of the same decision. */
void chains_part(struct model *m, struct task *t, const struct event *ev);
void chains_window_end(struct model *m, struct task *t);
/* A folio; @in_window: of the task's open window. */
void chains_add(struct model *m, struct task *t, const struct event *ev, bool in_window);
void chains_request(struct model *m, struct task *t, const struct event *ev);
/* After the join: the device's side. */
void chains_finish(struct model *m);
/* What was found; the caller's. */
struct chain_list *chains_take(struct chains *cs) __must_check;

#endif
