// SPDX-License-Identifier: GPL-2.0-only
/* Block events of a trace to requests of a plan. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "replay/block_flight.h"
#include "replay/block_trace.h"
#include "verify/input/input.h"
#include "verify/model/block_op.h"

#define BIT(type) (1ull << (type))

struct walk {
	const struct block_options *o;
	struct block_maker *m;
	struct block_flight *flight;
	enum event_type type; /* what becomes a request: EV_RQ_QUEUE or EV_RQ_ISSUE */
	bool requeues;	      /* the trace would show that a request was given back */
	u64 now;
	u32 last_dev;
	int last_index;
	bool last_known;
};

/* The device's index, or -ENODEV if it was not asked for. */
static int device_of(struct walk *w, const struct event *ev, struct err *e)
{
	char name[32];

	if (w->last_known && w->last_dev == ev->dev)
		return w->last_index;
	snprintf(name, sizeof(name), "%u,%u", DEV_MAJOR(ev->dev), DEV_MINOR(ev->dev));
	w->last_index = block_maker_device(w->m, name, e);
	w->last_dev = ev->dev;
	w->last_known = w->last_index >= 0 || w->last_index == -ENODEV;
	return w->last_index;
}

static void done(u64 number, void *arg)
{
	struct walk *w = arg;

	block_maker_done(w->m, w->now, number);
}

/*
 * A driver that is busy gives a request back, and its next D event is of the
 * same request.  A trace of D and C events alone does not say so, but a page
 * cache does not have the same sectors under way twice.
 */
static bool reissued(const struct walk *w, int device, const struct block_line *l)
{
	return w->type == EV_RQ_ISSUE && l->op != BLOCK_FLUSH &&
	       block_flight_has(w->flight, device, l, w->requeues);
}

static int take_request(struct walk *w, const struct event *ev, struct err *e)
{
	static const enum block_skip skips[] = {
		[BLOCK_KIND_PASSTHROUGH] = SKIP_PASSTHROUGH,
		[BLOCK_KIND_NO_BYTES] = SKIP_NO_BYTES,
		[BLOCK_KIND_ERASE] = SKIP_ERASE,
		[BLOCK_KIND_ZONE] = SKIP_ZONE,
	};
	struct block_request r = {.ns = ev->ts, .where = ev->seq, .bytes = ev->rq.bytes};
	struct block_line l;
	enum block_kind kind = block_op_of(ev, &l);
	int device = device_of(w, ev, e), ret;
	u64 number;

	if (device == -ENODEV) {
		block_maker_skip(w->m, SKIP_OTHER_DEVICE);
		return 0;
	}
	if (device < 0)
		return device;
	if (kind != BLOCK_KIND_REQUEST) {
		block_maker_skip(w->m, skips[kind]);
		return 0;
	}
	if (reissued(w, device, &l)) {
		block_flight_again(w->flight, device, &l);
		block_maker_skip(w->m, SKIP_REISSUED);
		return 0;
	}
	r.op = l.op;
	r.fua = l.fua;
	r.preflush = l.preflush;
	r.sector = l.sector;
	ret = block_maker_request(w->m, device, &r, &number, e);
	if (!ret && block_flight_add(w->flight, number, device, &l))
		block_maker_skip(w->m, SKIP_FLIGHT);
	return ret;
}

static int take_other(struct walk *w, const struct event *ev, struct err *e)
{
	struct block_line l;
	int device = device_of(w, ev, e);

	if (device < 0)
		return device == -ENODEV ? 0 : device;
	if (block_op_of(ev, &l) != BLOCK_KIND_REQUEST)
		return 0;
	if (ev->type == EV_RQ_REQUEUE) {
		block_flight_requeue(w->flight, device, &l);
		return 0;
	}
	w->now = ev->ts;
	if (ev->rq.error)
		block_maker_skip(w->m, SKIP_FAILED);
	if (!block_flight_done(w->flight, device, &l, done, w))
		block_maker_skip(w->m, SKIP_DONE_UNKNOWN);
	return 0;
}

static int take(struct walk *w, const struct event *ev, struct err *e)
{
	if (ev->type == (u8)w->type)
		return take_request(w, ev, e);
	switch (ev->type) {
	case EV_RQ_COMPLETE:
	case EV_RQ_REQUEUE:
		return take_other(w, ev, e);
	case EV_LOST:
		block_maker_skip(w->m, SKIP_LOST);
		return 0;
	case EV_RQ_REMAP:
		if (w->type == EV_RQ_QUEUE)
			block_maker_skip(w->m, SKIP_REMAP);
		return 0;
	case EV_RQ_MERGE:
		if (w->type == EV_RQ_QUEUE)
			block_maker_skip(w->m, SKIP_MERGED);
		return 0;
	default:
		return 0;
	}
}

/* Which events become requests. */
static int choose(struct walk *w, const struct trace_info *info, const char *path, struct err *e)
{
	bool q = info->event_types & BIT(EV_RQ_QUEUE), d = info->event_types & BIT(EV_RQ_ISSUE);
	enum block_action action = w->o->action;

	if (action == ACTION_AUTO)
		action = d || !q ? ACTION_D : ACTION_Q;
	if (action == ACTION_D && !d)
		return err_set(e, -ENODATA, "%s: no D events (requests as issued)%s", path,
			       q ? "; it has Q events: --action Q" : ", and no Q events either");
	if (action == ACTION_Q && !q)
		return err_set(e, -ENODATA, "%s: no Q events (requests as submitted)%s", path,
			       d ? "; it has D events: --action D" : ", and no D events either");
	w->type = action == ACTION_Q ? EV_RQ_QUEUE : EV_RQ_ISSUE;
	/* who traces any of these traces all actions, R included */
	w->requeues = info->event_types &
		      (BIT(EV_RQ_QUEUE) | BIT(EV_RQ_GET) | BIT(EV_RQ_INSERT) | BIT(EV_RQ_REQUEUE));
	return 0;
}

/* One pass over the trace; @p and @text are filled in by the last one. */
static int pass(const char *path, bool partial, struct walk *w, char **text, struct err *e)
{
	const struct trace_info *info;
	struct trace *t;
	struct event ev;
	int ret;

	ret = trace_open(&t, path, partial ? INPUT_PARTIAL : 0, e);
	if (ret)
		return ret;
	info = trace_info(t);
	ret = choose(w, info, path, e);
	w->flight = block_flight_new();
	while (!ret && (ret = trace_next(t, &ev, e)) == 1) {
		ret = take(w, &ev, e);
		if (ret)
			err_prefix(e, ret, "%s", path);
	}
	block_flight_free(w->flight);
	free(*text);
	*text = xasprintf("%s%s%s", info->format, info->damage ? ", damaged: " : "",
			  info->damage ? "only what stands before the damage" : "");
	trace_close(t);
	return ret;
}

int block_plan_of_trace(const char *path, bool partial, const struct block_options *o,
			struct plan_writer *w, struct block_plan *p, struct err *e)
{
	struct walk walk = {.o = o}, measure = {.o = o};
	char *text = NULL;
	int ret = 0;

	*p = (struct block_plan){.source = NULL};
	walk.m = block_maker_new(o, w, "event");
	if (o->end_to_end) {
		measure.m = block_maker_new(o, NULL, "event");
		ret = pass(path, partial, &measure, &text, e);
		if (!ret)
			ret = block_maker_layout(walk.m, measure.m, e);
		block_maker_free(measure.m);
	}
	if (!ret)
		ret = pass(path, partial, &walk, &text, e);
	if (!ret) {
		ret = block_maker_finish(walk.m, p, e);
		if (ret)
			err_prefix(e, ret, "%s", path);
	}
	block_maker_free(walk.m);
	p->source = text;
	snprintf(p->action, sizeof(p->action), "%s", walk.type == EV_RQ_QUEUE ? "Q" : "D");
	return ret;
}
