// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "verify/model/judge.h"

static void data_intact_finish(struct judge *j)
{
	const struct phase_info *info = j->phase->info;
	struct finding f;

	if (!info)
		return;
	if (!strcmp(info->pattern, "program") && !info->data_checked && !info->data_bad) {
		judge_undecided(j, WHY_NONE, "what a program of the user's read, only it knows");
		return;
	}
	j->result.examined = info->data_checked;
	judge_detail(j, "%llu bytes checked, %llu of them wrong",
		     (unsigned long long)info->data_checked, (unsigned long long)info->data_bad);
	/* bytes that nobody compared may be anything */
	if (!info->data_bad && info->data_checked && info->data_checked < info->bytes_asked)
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: only %llu of %llu bytes read were checked",
				(unsigned long long)info->data_checked,
				(unsigned long long)info->bytes_asked);
	if (!info->data_bad)
		return;
	/* bad bytes that nobody looked at: the capture contradicts itself */
	if (!j->result.examined) {
		judge_undecided(j, WHY_DAMAGED, "capture.json has bad bytes but none checked");
		return;
	}
	f = (struct finding){.ts = info->end_ns,
			     .offset = info->data_first_bad,
			     .has_offset = true,
			     .weight = (double)info->data_bad};
	snprintf(f.text, sizeof(f.text), "%llu bytes read differ from the file, the first at %llu",
		 (unsigned long long)info->data_bad, (unsigned long long)info->data_first_bad);
	judge_violation(j, &f);
}

static const struct check_ops data_intact_ops = {
	.finish = data_intact_finish,
};

const struct check check_data_intact = {
	.name = "data-intact",
	.summary = "every byte that was read is the file's",
	.explain =
		"A change to readahead or to the page cache that returns wrong data is worse\n"
		"than any that is slow: zeroes past a short read, a page of another offset, a\n"
		"folio marked uptodate too early.\n"
		"\n"
		"Every 8-byte word of the test file is derived from its offset, so the guest can\n"
		"tell stale, zero and displaced data from the right one without a copy of the\n"
		"file.  It checks the bytes that the pattern copied, after the timed part of the\n"
		"phase, and reports how many it checked, how many are wrong, and the offset of\n"
		"the first wrong word.  If it checked fewer bytes than the pattern asked for, the\n"
		"verdict is INCONCLUSIVE.\n"
		"\n"
		"One wrong byte fails the check.  The finding's offset is in the test file; its\n"
		"time is the end of the phase, since the data is checked after it.  To look\n"
		"further, find the folio with that offset in trace-cmd report\n"
		"(mm_filemap_add_to_page_cache, ofs=) and the request that carried it.\n"
		"There are no limits to set.\n",
	.needs_json = true,
	.ops = &data_intact_ops,
};
