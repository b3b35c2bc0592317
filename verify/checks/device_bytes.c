// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "verify/model/judge.h"

enum { LIMIT_MAX_RATIO, LIMIT_SLACK_WINDOWS };

static void device_bytes_finish(struct judge *j)
{
	const struct phase_info *info = j->phase->info;
	const struct phase_stats *st = &j->phase->stats;
	const struct model *m = j->model;
	bool host = st->host_known;
	u64 bytes = host ? st->host_bytes : st->guest_bytes;
	double allowed, slack;
	u64 added;
	struct finding f;

	if (info && !info->bytes_asked && !strcmp(info->pattern, "program")) {
		judge_undecided(j, WHY_NONE, "what a program of the user's asks for is not known");
		return;
	}
	if (!info || !info->bytes_asked)
		return;
	/* nothing was read from a cold cache: the requests are not in this trace */
	if (!bytes) {
		judge_detail(j, "no read requests");
		return;
	}
	/* every page came from the device; of the last one perhaps only a few blocks */
	added = st->pages_added ? (st->pages_added - 1) << m->page_shift : 0;
	if (bytes < added) {
		judge_undecided(j, WHY_CONTRADICTION,
				"%llu bytes read by the device, but %llu added to the page cache",
				(unsigned long long)bytes, (unsigned long long)added);
		return;
	}
	j->result.examined = host ? st->host_requests : st->guest_requests;
	slack = j->limit[LIMIT_SLACK_WINDOWS] * (double)m->capture->read_ahead_kb * 1024;
	allowed = j->limit[LIMIT_MAX_RATIO] * (double)info->bytes_asked + slack;
	judge_detail(j, "%llu bytes read by the device, %llu asked for: ratio %.3f (%s)",
		     (unsigned long long)bytes, (unsigned long long)info->bytes_asked,
		     (double)bytes / (double)info->bytes_asked,
		     host ? "the device's log" : "block_rq_issue");
	if ((double)bytes <= allowed)
		return;
	f = (struct finding){.ts = st->begin_ns, .weight = (double)bytes};
	snprintf(f.text, sizeof(f.text), "%llu bytes read for %llu asked for; %.0f allowed",
		 (unsigned long long)bytes, (unsigned long long)info->bytes_asked, allowed);
	judge_violation(j, &f);
}

static const struct check_ops device_bytes_ops = {
	.finish = device_bytes_finish,
};

const struct check check_device_bytes = {
	.name = "device-bytes-near-requested",
	.summary = "the device reads hardly more than was asked for",
	.explain =
		"Readahead trades bytes for latency: what it reads too much costs the device, and\n"
		"evicts something else from memory.  From a cold cache a sequential pattern must\n"
		"read each byte once and not much beyond its end.  A change that makes readahead\n"
		"quicker by reading everything twice as far shows here.\n"
		"\n"
		"Compared are the bytes of the reads that the device handled in the phase (its\n"
		"own log; block_rq_issue of the guest where there is none) with the bytes that\n"
		"the pattern's copies or reads asked for (bytes_asked in capture.json).  Allowed\n"
		"are max-ratio times the bytes asked for, plus slack-windows windows of\n"
		"read_ahead_kb, since the last window may end beyond the range and the first\n"
		"begin before it.  The device's bytes include the file system's metadata.  If they\n"
		"are fewer than were added to the page cache, requests are missing, and the\n"
		"verdict is INCONCLUSIVE.\n"
		"\n"
		"Look further: block_rq_issue in trace-cmd report (rwbs RA is readahead), or\n"
		"blkparse of virtio-blk.blktrace.0; which windows read what, in\n"
		"page_cache_ra_order.\n",
	.needs = EV_BIT(EV_RQ_ISSUE),
	.needs_json = true,
	.needs_cold = true,
	.limits = {[LIMIT_MAX_RATIO] = {"max-ratio", 1.1, "bytes read per byte asked for"},
		   [LIMIT_SLACK_WINDOWS] = {"slack-windows", 2,
					    "windows of read_ahead_kb allowed on top"}},
	.ops = &device_bytes_ops,
};
