/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collecting what verify --stats prints (verify/stats.h), while the model reads
 * the events.  Bounded: two bits per page that readahead added and nobody used,
 * SHARES_MAX files and tasks per phase, INFLIGHT_MAX requests.
 */
#ifndef BP_MODEL_FIGURES_H
#define BP_MODEL_FIGURES_H

#include "verify/model/inflight.h"
#include "verify/model/model.h"

struct figures; /* NULL: nobody wants them; then all calls do nothing */

struct figures *figures_new(struct page_pool *pool) __must_check;
void figures_free(struct figures *f);

void figures_phase_start(struct model *m, struct model_phase *p);
void figures_window(struct model *m, const struct window *w);
/* ... once its task went on, or the phase ended */
void figures_window_end(struct model *m, const struct window *w);
/* EV_FAULT, EV_GET_PAGES, EV_MAP_PAGES */
void figures_access(struct model *m, const struct event *ev);
/* A folio; @w: the window that added it, or NULL. */
void figures_add(struct model *m, const struct event *ev, const struct window *w);
void figures_delete(struct model *m, const struct event *ev);
/* EV_RQ_*; @t: the task of the event. */
void figures_request(struct model *m, struct task *t, const struct event *ev);
void figures_phase_stop(struct model *m, struct model_phase *p);
/* After the join: the host's side, and what could not be measured. */
void figures_finish(struct model *m);

#endif
