// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

enum { LIMIT_PER_STREAM, LIMIT_EXTRA };

#define TASKS_KEPT 1024u

/* Read-arounds of tasks that are no stream so far: most streams begin so. */
struct major_faults_state {
	struct {
		s32 pid;
		u64 n;
	} task[TASKS_KEPT];
	u32 n_tasks;
	u64 others; /* of further tasks */
};

static void major_faults_window(struct judge *j, const struct window *w)
{
	struct major_faults_state *st = j->state;
	u32 i = 0;

	if (w->cause != RA_READAROUND || w->stream)
		return;
	while (i < st->n_tasks && st->task[i].pid != w->pid)
		i++;
	if (i == TASKS_KEPT) {
		st->others++;
		return;
	}
	st->n_tasks = MAX(st->n_tasks, i + 1);
	st->task[i].pid = w->pid;
	st->task[i].n++;
}

/* Read-arounds of tasks that never became a stream. */
static u64 stray_windows(const struct judge *j)
{
	const struct major_faults_state *st = j->state;
	u64 stray = st->others;

	for (u32 i = 0; i < st->n_tasks; i++) {
		u32 k = 0;

		while (k < j->phase->n_streams && j->phase->streams[k].pid != st->task[i].pid)
			k++;
		stray += k == j->phase->n_streams ? st->task[i].n : 0;
	}
	return stray;
}

static void major_faults_finish(struct judge *j)
{
	const struct phase_info *info = j->phase->info;
	const struct phase_stats *st = &j->phase->stats;
	/* without markers, as for a program of the user's: by task and contiguity */
	u64 streams = st->streams, pieces = st->pieces;
	struct finding f;
	u64 stray;
	double allowed;

	if (!info)
		return;
	for (u32 i = 0; !st->streams && i < j->phase->n_streams; i++) {
		streams++;
		pieces += j->phase->streams[i].pieces;
	}
	if (!streams || !st->faults) {
		/* not a pattern that faults: read(2), or nothing at all */
		judge_detail(j, "%llu stream%s, %llu fault%s on the test file in the trace",
			     (unsigned long long)streams, PLURAL(streams),
			     (unsigned long long)st->faults, PLURAL(st->faults));
		return;
	}
	/* do_sync_mmap_readahead() is only reached by a fault that was counted as major */
	if (info->pgmajfault < st->windows[RA_READAROUND]) {
		judge_undecided(j, WHY_CONTRADICTION,
				"%llu major fault%s counted, but %llu read-around%s in the trace",
				(unsigned long long)info->pgmajfault, PLURAL(info->pgmajfault),
				(unsigned long long)st->windows[RA_READAROUND],
				PLURAL(st->windows[RA_READAROUND]));
		return;
	}
	allowed = j->limit[LIMIT_PER_STREAM] * (double)streams + j->limit[LIMIT_EXTRA];
	/* with so few pieces, one fault per piece would be within the bound as well */
	if ((double)pieces <= allowed && (double)info->pgmajfault <= allowed) {
		judge_detail(
			j, "%llu major fault%s; %llu piece%s of %llu stream%s %s too few to tell",
			(unsigned long long)info->pgmajfault, PLURAL(info->pgmajfault),
			(unsigned long long)pieces, PLURAL(pieces), (unsigned long long)streams,
			PLURAL(streams), pieces == 1 ? "is" : "are");
		return;
	}
	if ((double)info->pgmajfault <= allowed &&
	    judge_unclear_streams(j, st->windows[RA_READAROUND], j->limit[LIMIT_PER_STREAM] - 1))
		return;
	stray = st->streams ? 0 : stray_windows(j);
	/* what other tasks did says nothing about streams, and the counter has both */
	if (stray && (double)info->pgmajfault > allowed &&
	    (double)(info->pgmajfault - MIN(stray, info->pgmajfault)) <= allowed) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: of %llu major faults, %llu are read-arounds of "
				"tasks that go through no file from page to page",
				(unsigned long long)info->pgmajfault, (unsigned long long)stray);
		return;
	}
	j->result.examined = streams;
	judge_detail(j, "%llu major fault%s of %llu stream%s%s in %llu piece%s; %.0f allowed",
		     (unsigned long long)info->pgmajfault, PLURAL(info->pgmajfault),
		     (unsigned long long)streams, PLURAL(streams),
		     st->streams ? "" : " (by task and contiguity)", (unsigned long long)pieces,
		     PLURAL(pieces), allowed);
	if ((double)info->pgmajfault <= allowed)
		return;
	f = (struct finding){.ts = st->begin_ns, .weight = (double)info->pgmajfault};
	snprintf(f.text, sizeof(f.text), "%llu major fault%s; %llu stream%s may have %.0f",
		 (unsigned long long)info->pgmajfault, PLURAL(info->pgmajfault),
		 (unsigned long long)streams, PLURAL(streams), allowed);
	judge_violation(j, &f);
}

static const struct check_ops major_faults_ops = {
	.state_size = sizeof(struct major_faults_state),
	.window = major_faults_window,
	.finish = major_faults_finish,
};

const struct check check_major_faults = {
	.name = "major-faults-bounded",
	.summary = "major faults grow with streams, not with pieces",
	.explain =
		"A major fault makes a task wait for the disk.  A sequential reader of a mapping\n"
		"has to wait when it starts, until readahead is ahead of it; after that every page\n"
		"should be in the cache when it is touched, or at least on its way there.  So the\n"
		"number of major faults may grow with the number of streams.  If it grows with the\n"
		"number of pieces, each piece begins with a wait.\n"
		"\n"
		"Compared is pgmajfault, the difference of /proc/vmstat over the phase\n"
		"(capture.json), with per-stream times the number of streams (\"stream\" markers)\n"
		"plus extra.  A copy that touches the end of its piece first needs two or three per\n"
		"stream: its first end, its first start, and its second end, if the window of its\n"
		"first marker hit lies where it has read around already.  The counter is\n"
		"system-wide, hence the extra.\n"
		"Fewer major faults than read-arounds can't be, and are INCONCLUSIVE.\n"
		"Without markers, as for a program of the user's, a stream is what\n"
		"no-sync-readaround-per-piece takes for one; faults of other tasks, if they could\n"
		"explain what is too much, make it INCONCLUSIVE.\n"
		"If the phase has no more pieces than faults are allowed, nothing can be told.\n"
		"mm_filemap_fault events are no substitute: a fault that waits for I/O is retried,\n"
		"and the tracepoint fires twice.\n"
		"\n"
		"Look further: no-sync-readaround-per-piece shows the place of each such fault;\n"
		"in trace-cmd report, a major fault is an mm_filemap_fault that\n"
		"page_cache_ra_order or mm_filemap_add_to_page_cache of the same task follows.\n",
	.needs = EV_BIT(EV_FAULT) | EV_BIT(EV_MARKER),
	.needs_json = true,
	.needs_cold = true,
	.limits = {[LIMIT_PER_STREAM] = {"per-stream", 3, "major faults per stream"},
		   [LIMIT_EXTRA] = {"extra", 2, "major faults on top, whatever the streams"}},
	.ops = &major_faults_ops,
};
