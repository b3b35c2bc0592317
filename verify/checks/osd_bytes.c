// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

enum { LIMIT_MAX_RATIO };

static void osd_bytes_finish(struct judge *j)
{
	const struct phase_info *info = j->phase->info;
	double ratio, limit = j->limit[LIMIT_MAX_RATIO];
	u64 added;
	struct finding f;

	if (!info || !info->osd_known)
		return;
	if (!info->bytes_asked || !info->osd_read_bytes) {
		judge_detail(j, "the OSDs read nothing");
		return;
	}
	/* of what the guest brought into its page caches, the OSDs must know; of the last page
	 * perhaps only a few bytes, in each cache */
	added = j->phase->stats.pages_added;
	added -= MIN(added, (u64)MAX(info->clients, 1u));
	if (info->osd_read_bytes < added << j->model->page_shift) {
		judge_undecided(j, WHY_CONTRADICTION,
				"%llu bytes read by the OSDs, but %llu added to page caches",
				(unsigned long long)info->osd_read_bytes,
				(unsigned long long)(added << j->model->page_shift));
		return;
	}
	j->result.examined = info->osd_reads;
	ratio = (double)info->osd_read_bytes / (double)info->bytes_asked;
	judge_detail(j, "%llu bytes read by %u OSD%s in %llu requests, %llu asked for: ratio %.3f",
		     (unsigned long long)info->osd_read_bytes, j->model->capture->osds,
		     j->model->capture->osds == 1 ? "" : "s", (unsigned long long)info->osd_reads,
		     (unsigned long long)info->bytes_asked, ratio);
	if (!info->osd_reads) {
		judge_undecided(j, WHY_CONTRADICTION, "OSDs that sent %llu bytes in no request",
				(unsigned long long)info->osd_read_bytes);
		return;
	}
	if (ratio <= limit)
		return;
	f = (struct finding){.ts = j->phase->stats.begin_ns, .weight = ratio};
	snprintf(f.text, sizeof(f.text),
		 "%.3f bytes read by OSDs for each byte asked for; "
		 "%g allowed",
		 ratio, limit);
	judge_violation(j, &f);
}

static const struct check_ops osd_bytes_ops = {
	.finish = osd_bytes_finish,
};

const struct check check_osd_bytes = {
	.name = "osd-bytes-near-requested",
	.summary = "OSDs read hardly more than was asked for",
	.explain =
		"What a network file system reads too much costs the servers' disks, the network\n"
		"and everybody who shares them, and no counter of operations shows it: one large\n"
		"operation is cheaper than many small ones until most of it is thrown away.\n"
		"\n"
		"Compared are the bytes that all OSDs sent to clients in the phase (op_r_out_bytes\n"
		"of \"perf dump\", after minus before, in osd.json) with the bytes that the\n"
		"pattern's reads asked for (bytes_asked in capture.json).  Their ratio may be at\n"
		"most max-ratio.  Records that do not begin and end with a page cost a page more,\n"
		"which is 1.086 for the 47008 bytes of ior-hard-read, and the reads from which a\n"
		"kernel learns a pattern cost a fixed amount, so the ratio falls as the file grows.\n"
		"\n"
		"If the OSDs sent fewer bytes than were added to the page caches, somebody else's\n"
		"counters are in osd.json, and the verdict is INCONCLUSIVE.\n"
		"\n"
		"Look further: netfs_read in trace-cmd report, where EXPANDED is what a request of\n"
		"READAHEAD was made; op_r and op_r_out_bytes of each OSD in osd.json.\n",
	.needs_json = true,
	.needs_osds = true,
	.needs_cold = true,
	.limits = {[LIMIT_MAX_RATIO] = {"max-ratio", 1.5, "bytes read by OSDs per byte asked for"}},
	.ops = &osd_bytes_ops,
};
