// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

/* A lossy trace is no fault of the kernel's: this check never fails, it withholds its pass. */
static void trace_complete_finish(struct judge *j)
{
	enum reason why;
	char text[160];

	if (!phase_is_whole(j->model, j->phase, &why, text, sizeof(text))) {
		judge_undecided(j, why, "%s", text);
		return;
	}
	if (j->model->overflow) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: too many tasks, streams or phases");
		return;
	}
	j->result.examined = j->phase->stats.events;
	judge_detail(j, "%llu events, none lost", (unsigned long long)j->result.examined);
}

static const struct check_ops trace_complete_ops = {
	.finish = trace_complete_finish,
};

const struct check check_trace_complete = {
	.name = "trace-complete",
	.summary = "no event of the phase is missing from the trace",
	.explain =
		"The other checks conclude from what the trace shows and from what it does\n"
		"not show (\"no read-around happened\").  The second kind is worth nothing if\n"
		"events are missing, so every check whose phase spans a hole becomes\n"
		"INCONCLUSIVE, and so does this one.  It never fails: a full ring buffer is no\n"
		"fault of the kernel that is tested.\n"
		"\n"
		"Looked at: the missed-events flags in the ring buffer's pages, which give the\n"
		"CPU and the time span of a hole; the counters overrun, commit overrun and\n"
		"dropped events of each CPU's buffer; entries that were left unread in it; gaps\n"
		"in the sequence numbers of a blktrace; the guest's own counters of the phase in\n"
		"capture.json; and whether the phase's begin and end markers are there.\n"
		"A loss that can't be placed in time counts against every phase.\n"
		"\n"
		"Look further: `trace-cmd report --stat FILE`, and \"CPU:n [LOST m EVENTS]\" in\n"
		"trace-cmd report.  Remedy: a larger trace_buffer in the experiment, or fewer\n"
		"events.  There are no limits to set.\n",
	.ops = &trace_complete_ops,
};
