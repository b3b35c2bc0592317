// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>

#include "verify/model/judge.h"

static void add_unmatched(struct judge *j, const struct join_phase *p, bool host)
{
	const struct join_request *r;
	u64 cursor = 0;

	while ((r = join_unmatched(j->model->join, p, host, &cursor))) {
		/* the finding's time is the guest's, as all others */
		struct finding f = {.ts = host ? join_guest_time(p, r->issue) : r->issue,
				    .seq = host ? 0 : r->seq,
				    .cpu = host ? 0 : r->cpu,
				    .pid = host ? 0 : r->pid,
				    .offset = r->sector << SECTOR_SHIFT,
				    .has_offset = true,
				    .weight = r->bytes};

		snprintf(f.text, sizeof(f.text), "%s of %u bytes at sector %llu %s",
			 r->write ? "write" : "read", r->bytes, (unsigned long long)r->sector,
			 host ? "reached the device, but the guest issued none"
			      : "was issued, but did not reach the device");
		judge_violation(j, &f);
	}
}

static void requests_match_host_finish(struct judge *j)
{
	const struct join_phase *p;

	if (!j->model->join_phases)
		return;
	p = &j->model->join_phases[j->phase->index];
	if (!model_host_whole(j->model, j->phase)) {
		judge_undecided(j, WHY_EVENTS_LOST, "records of the device's log are missing");
		return;
	}
	if (join_overflow(j->model->join)) {
		judge_undecided(j, WHY_NOT_MEASURABLE, "not measurable: more than %u requests",
				JOIN_MAX_REQUESTS);
		return;
	}
	/* the guest has the data, so some device was asked */
	if (p->guest && !p->pairs) {
		judge_undecided(j, WHY_CONTRADICTION,
				"none of %llu guest requests is in the device's log: another "
				"boot's log?",
				(unsigned long long)p->guest);
		return;
	}
	if (p->pairs && !p->known) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: no completions, so the clocks can't be compared");
		return;
	}
	if (model_host_other_clock(j->model, j->phase)) {
		judge_undecided(
			j, WHY_CONTRADICTION,
			"the log's clock is %lld ns ahead of the guest's, capture.json says "
			"%lld: another boot's log?",
			(long long)p->offset_ns, (long long)j->phase->info->clock_offset_ns);
		return;
	}
	assert(p->pairs + p->unmatched_guest == p->guest);
	j->result.examined = p->guest + p->unmatched_host;
	judge_detail(j,
		     "%llu of %llu guest requests matched, %llu unknown to the guest; "
		     "clock offset known to %llu us, drift %.2f %%%s",
		     (unsigned long long)p->pairs, (unsigned long long)p->guest,
		     (unsigned long long)p->unmatched_host,
		     (unsigned long long)(p->residual_ns + 999) / 1000, 100 * p->drift,
		     p->inverted ? " and not steady" : "");
	add_unmatched(j, p, false);
	add_unmatched(j, p, true);
	assert(j->result.violations == p->unmatched_guest + p->unmatched_host);
}

static const struct check_ops requests_match_host_ops = {
	.finish = requests_match_host_finish,
};

const struct check check_requests_match_host = {
	.name = "requests-match-host",
	.summary = "guest and device agree on every request",
	.explain =
		"The guest's block_rq_issue events say what the kernel believes it asked for;\n"
		"the device's log says what was really asked.  Every read and write that the\n"
		"guest issued to the test disk in the phase must have reached the device, with\n"
		"the same first sector and length, and the device must have seen no other.  If\n"
		"they differ, one of the two witnesses is wrong and no count of bytes or\n"
		"requests can be trusted: events were filtered or lost, another program used the\n"
		"disk, or a request was issued that no tracepoint shows.\n"
		"\n"
		"Requests are paired one to one by operation, sector and length; repeated ones in\n"
		"the order of their times.  The guest issues before the device handles, and the\n"
		"device completes before the guest hears of it, so the pairs also give the offset\n"
		"between the two clocks and its uncertainty.  A host request within that\n"
		"uncertainty of the phase's borders is not held against anyone.  Flushes and\n"
		"discards are not looked at.\n"
		"\n"
		"Look further: block_rq_issue in trace-cmd report, and blkparse of\n"
		"virtio-blk.blktrace.0.  Times in findings are the guest's; offsets are bytes in\n"
		"the device.  There are no limits to set.\n",
	.needs = EV_BIT(EV_RQ_ISSUE) | EV_BIT(EV_RQ_COMPLETE),
	.needs_json = true,
	.needs_host = true,
	.ops = &requests_match_host_ops,
};
