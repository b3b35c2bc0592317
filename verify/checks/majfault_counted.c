// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

static void majfault_counted_finish(struct judge *j)
{
	const struct phase_info *info = j->phase->info;
	u64 misses = j->phase->stats.misses;
	struct finding f;

	if (!info)
		return;
	j->result.examined = misses;
	judge_detail(j, "%llu major faults counted, %llu faults in the trace found no page",
		     (unsigned long long)info->pgmajfault, (unsigned long long)misses);
	if (info->pgmajfault >= misses)
		return;
	f = (struct finding){.ts = j->phase->stats.begin_ns,
			     .weight = (double)(misses - info->pgmajfault)};
	snprintf(f.text, sizeof(f.text), "%llu faults found no page and were not counted",
		 (unsigned long long)(misses - info->pgmajfault));
	judge_violation(j, &f);
}

static const struct check_ops majfault_counted_ops = {
	.finish = majfault_counted_finish,
};

const struct check check_majfault_counted = {
	.name = "majfault-counted",
	.summary = "every fault that finds no page counts as a major one",
	.explain =
		"Before 2009, a fault of a MADV_RANDOM mapping that had to read its page was not\n"
		"counted in pgmajfault: the code for it jumped past the counter.  A counter that\n"
		"misses some faults makes every comparison by major faults wrong.\n"
		"\n"
		"A fault found no page if the task's next event is the synchronous readahead for\n"
		"it, or the addition of just that page.  The phase's pgmajfault (/proc/vmstat) must\n"
		"be at least their number.  It may be more: two tasks that miss the same page at\n"
		"once are both counted, and one of them adds it; and it is of the whole guest.\n"
		"Examined: the faults that found no page; none is INCONCLUSIVE.\n"
		"\n"
		"Judged in phases whose list of checks names it, and where --check does.\n",
	.needs = EV_BIT(EV_FAULT) | EV_BIT(EV_RA_ORDER) | EV_BIT(EV_FOLIO_ADD),
	.needs_json = true,
	.named_only = true,
	.ops = &majfault_counted_ops,
};
