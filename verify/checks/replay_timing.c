// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"
#include "verify/model/replay.h"

enum { LIMIT_MAX_MEDIAN, LIMIT_MAX_P99, LIMIT_MAX_DRIFT };

static void limit(struct judge *j, const char *what, double ns, double limit_us, double allowed_us)
{
	struct finding f = {.weight = ns};

	if (ns / 1000 <= limit_us + allowed_us)
		return;
	snprintf(f.text, sizeof(f.text), "%s %.1f us, %.1f allowed", what, ns / 1000,
		 limit_us + allowed_us);
	judge_violation(j, &f);
}

static void replay_timing_finish(struct judge *j)
{
	const struct replay_phase *r = model_replay(j->model, j->phase);
	const struct block_info *info = &j->phase->info->block;
	const struct match_timing *t;
	enum reason why;
	char text[160];
	bool device;

	if (info->known && !info->recorded) {
		judge_undecided(j, WHY_NONE, "as fast as possible has no times to keep");
		return;
	}
	if (!r) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: no plan beside the capture");
		return;
	}
	if (!phase_is_whole(j->model, j->phase, &why, text, sizeof(text))) {
		judge_undecided(j, why, "%s", text);
		return;
	}
	if (r->ret) {
		judge_undecided(j, WHY_DAMAGED, "the plan: %.150s", r->err.msg);
		return;
	}
	if (!r->side[MATCH_QUEUED].known || !r->side[MATCH_QUEUED].r.timing.n) {
		judge_undecided(j, WHY_NOTHING_TO_CHECK, "no request of the plan was submitted");
		return;
	}
	t = &r->side[MATCH_QUEUED].r.timing;
	j->result.examined = t->n;
	device = info->held > t->n / 100;
	judge_detail(
		j,
		"error of %llu requests: median %.1f us, 99th percentile %.1f us, max %.1f us, "
		"final %+.1f us; the device held %llu of them, the last for %.1f us",
		(unsigned long long)t->n, (double)t->median / 1000, (double)t->p99 / 1000,
		(double)t->max / 1000, (double)t->final / 1000, (unsigned long long)info->held,
		(double)info->last_held_ns / 1000);
	limit(j, "the median error is", (double)t->median, j->limit[LIMIT_MAX_MEDIAN], 0);
	limit(j, "the 99th percentile of the error is", (double)t->p99, j->limit[LIMIT_MAX_P99], 0);
	if (device && j->result.violations) {
		judge_undecided(
			j, WHY_NOT_MEASURABLE,
			"not measurable: the device made %llu of %llu requests late; median "
			"%.0f us, 99th percentile %.0f us",
			(unsigned long long)info->held, (unsigned long long)t->n,
			(double)t->median / 1000, (double)t->p99 / 1000);
		return;
	}
	limit(j, "at the end the replay is off by",
	      t->final < 0 ? -(double)t->final : (double)t->final, j->limit[LIMIT_MAX_DRIFT],
	      (double)info->last_held_ns / 1000);
}

static const struct check_ops replay_timing_ops = {
	.finish = replay_timing_finish,
};

const struct check check_replay_timing = {
	.name = "replay-timing",
	.summary = "a replay at recorded times keeps them",
	.explain =
		"Replays drift: each request is a little late, and if the next one's time counts\n"
		"from there, all of it adds up.  At recorded times request N of the plan is due at\n"
		"a fixed time after the replay's start.  Its error is the time of its\n"
		"block_bio_queue event minus that time, both of the guest's clock, divided by the\n"
		"speed where that is not 100 %.\n"
		"\n"
		"Three figures of the absolute error are limited: the median (max-median), the\n"
		"99th percentile (max-p99; both known within 3 %), and the final error\n"
		"(max-final), which is the median of the last 101 requests and shows drift.  The\n"
		"largest error is shown, too; a single one says more about the host than about\n"
		"the replay.\n"
		"\n"
		"A request also waits for the device: if its queue is full, behind a flush, or for\n"
		"those that it depends on.  That is counted apart.  For the last request it is\n"
		"allowed on top of max-final; where more than one request of a hundred was late\n"
		"for that reason, median and 99th percentile are the device's, and exceeded\n"
		"limits are no verdict on the replay.\n"
		"\n"
		"A virtual machine whose host is busy can't keep times well, under TCG least of\n"
		"all.  Replays as fast as possible are not judged.\n",
	.pattern = "replay-block",
	.needs_json = true,
	.needs = EV_BIT(EV_RQ_QUEUE),
	.limits = {[LIMIT_MAX_MEDIAN] = {"max-median", 500, "median of the error, us"},
		   [LIMIT_MAX_P99] = {"max-p99", 10000, "99th percentile of the error, us"},
		   [LIMIT_MAX_DRIFT] = {"max-final", 1000, "error at the end, us"}},
	.ops = &replay_timing_ops,
};
