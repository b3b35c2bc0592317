// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>

#include "verify/model/replay.h"
#include "verify/model/judge.h"

enum { LIMIT_MAX_DISPLACED };

static const char *const witnesses[REPLAY_SIDES] = {
	[MATCH_QUEUED] = "submitted by the guest",
	[MATCH_ISSUED] = "issued by the guest",
	[MATCH_HOST] = "seen by the device",
};

static void add_examples(struct judge *j, enum match_side side, const struct match_example *kept,
			 u64 n, bool missing)
{
	for (u64 i = 0; i < MIN(n, (u64)MATCH_KEPT); i++) {
		const struct block_line *l = &kept[i].l;
		struct finding f = {.ts = side == MATCH_HOST ? 0 : kept[i].ts,
				    .seq = side == MATCH_HOST || missing ? 0 : kept[i].number,
				    .offset = l->sector << SECTOR_SHIFT,
				    .has_offset = l->op != BLOCK_FLUSH,
				    .weight = missing ? 2 : 1};

		if (missing)
			snprintf(
				f.text, sizeof(f.text),
				"request %llu of the plan, %s%s of %llu sectors at %llu, was not %s",
				(unsigned long long)kept[i].number, block_op_names[l->op],
				l->fua ? " (FUA)" : "", (unsigned long long)l->sectors,
				(unsigned long long)l->sector, witnesses[side]);
		else
			snprintf(f.text, sizeof(f.text),
				 "%s%s of %llu sectors at %llu was %s, and is not in the plan",
				 block_op_names[l->op], l->fua ? " (FUA)" : "",
				 (unsigned long long)l->sectors, (unsigned long long)l->sector,
				 witnesses[side]);
		judge_violation(j, &f);
	}
	/* what was not kept counts as well */
	if (n > MATCH_KEPT)
		j->result.violations += n - MATCH_KEPT;
}

static void judge_side(struct judge *j, enum match_side side, const struct match_result *r)
{
	double percent = r->matched ? 100.0 * (double)r->displaced / (double)r->matched : 0;

	assert(r->matched + r->missing == r->expected);
	assert(r->matched + r->extra == r->seen);
	j->result.examined += r->expected + r->extra;
	add_examples(j, side, r->missing_kept, r->missing, true);
	add_examples(j, side, r->extra_kept, r->extra, false);
	if (percent > j->limit[LIMIT_MAX_DISPLACED]) {
		struct finding f = {.weight = 3};

		snprintf(f.text, sizeof(f.text),
			 "%llu of %llu requests %s are not in the plan's order: %.3f %%, %g %% "
			 "allowed",
			 (unsigned long long)r->displaced, (unsigned long long)r->matched,
			 witnesses[side], percent, j->limit[LIMIT_MAX_DISPLACED]);
		judge_violation(j, &f);
	}
}

static void failed(struct judge *j, const struct block_info *info)
{
	struct finding f = {.weight = 4};

	if (!info->failed)
		return;
	snprintf(f.text, sizeof(f.text), "%llu requests failed, the first with errno %u",
		 (unsigned long long)info->failed, info->first_errno);
	judge_violation(j, &f);
	j->result.examined++;
}

static void say(struct judge *j, const struct replay_phase *r)
{
	const struct replay_side *q = &r->side[MATCH_QUEUED], *d = &r->side[MATCH_ISSUED],
				 *h = &r->side[MATCH_HOST];

	if (!d->known)
		judge_detail(j,
			     "%llu of %llu requests submitted, %llu others, %llu displaced; what "
			     "the block layer makes of them is not compared",
			     (unsigned long long)q->r.matched, (unsigned long long)q->r.expected,
			     (unsigned long long)q->r.extra, (unsigned long long)q->r.displaced);
	else
		judge_detail(j,
			     "submitted %llu of %llu, issued %llu of %llu, device %llu of %llu; "
			     "others %llu, %llu, %llu; displaced %llu, %llu, %llu",
			     (unsigned long long)q->r.matched, (unsigned long long)q->r.expected,
			     (unsigned long long)d->r.matched, (unsigned long long)d->r.expected,
			     (unsigned long long)h->r.matched, (unsigned long long)h->r.expected,
			     (unsigned long long)q->r.extra, (unsigned long long)d->r.extra,
			     (unsigned long long)h->r.extra, (unsigned long long)q->r.displaced,
			     (unsigned long long)d->r.displaced,
			     (unsigned long long)h->r.displaced);
}

static void replay_same_requests_finish(struct judge *j)
{
	const struct replay_phase *r = model_replay(j->model, j->phase);
	const struct model *m = j->model;
	enum reason why;
	char text[160];

	if (!r) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: no plan beside the capture");
	} else if (!phase_is_whole(m, j->phase, &why, text, sizeof(text))) {
		judge_undecided(j, why, "%s", text);
	} else if (r->ret) {
		judge_undecided(j, WHY_DAMAGED, "the plan: %.150s", r->err.msg);
	} else if (!r->started) {
		judge_undecided(j, WHY_NOTHING_TO_CHECK, "no request of the device in the phase");
	} else if (r->side[MATCH_HOST].wanted && (!m->host_read || m->host_holes)) {
		judge_undecided(j, WHY_EVENTS_LOST, "records of the device's log are missing");
	} else {
		for (unsigned int s = 0; s < REPLAY_SIDES; s++)
			if (r->side[s].known)
				judge_side(j, (enum match_side)s, &r->side[s].r);
		failed(j, &j->phase->info->block);
		say(j, r);
	}
}

static const struct check_ops replay_same_requests_ops = {
	.finish = replay_same_requests_finish,
};

const struct check check_replay_same_requests = {
	.name = "replay-same-requests",
	.summary = "a replay asks for what its plan has, in its order",
	.explain =
		"A replay that leaves requests out, merges or splits them, or has them in another\n"
		"order, says nothing about the workload that was recorded.  What the replay did is\n"
		"traced again, and compared with its plan, request by request: operation, first\n"
		"sector, length, and FUA.\n"
		"\n"
		"There are up to three witnesses.  The guest's block_bio_queue events show what was\n"
		"submitted.  If the plan has requests as they were issued to a device (action D),\n"
		"the guest's block_rq_issue events and the log of the virtio-blk device show what\n"
		"was issued, and must agree with it too; of requests as submitted (Q, or a fio\n"
		"log), merging and splitting is the block layer's affair, and is not compared.\n"
		"\n"
		"As a multiset, each request of the plan must be there as often as in the plan.  In\n"
		"order, as few requests are displaced as would have to be moved, at least, to make\n"
		"the plan's order of what was seen; max-displaced per cent of them may be.\n"
		"\n"
		"virtio-blk has no FUA: the guest's block layer makes a write and a flush of it,\n"
		"and one flush of several, so that of a plan with FUA writes flushes are compared\n"
		"as submitted only.  QEMU's log does not have discards and write-zeroes.  A preflush\n"
		"is a flush and the write behind it.  Requests that failed are violations.\n"
		"\n"
		"Look further: block_bio_queue in trace-cmd report, blkparse of\n"
		"virtio-blk.blktrace.0, and the plan, which is text.  Offsets are bytes in the\n"
		"device.\n",
	.pattern = "replay-block",
	.needs_json = true,
	.needs = EV_BIT(EV_RQ_QUEUE) | EV_BIT(EV_RQ_ISSUE),
	.limits = {[LIMIT_MAX_DISPLACED] = {"max-displaced", 0,
					    "requests that are not in the plan's order, per cent"}},
	.ops = &replay_same_requests_ops,
};
