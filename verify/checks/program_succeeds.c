// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

static void program_succeeds_finish(struct judge *j)
{
	const struct phase_info *info = j->phase->info;
	struct finding f = {.weight = 1};

	if (!info)
		return;
	if (!info->program_ended) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: capture.json does not say how the program ended");
		return;
	}
	j->result.examined = 1;
	f.ts = info->end_ns;
	if (info->program_signal)
		snprintf(f.text, sizeof(f.text), "the program was killed by signal %u",
			 info->program_signal);
	else
		snprintf(f.text, sizeof(f.text), "the program's exit status is %u",
			 info->program_status);
	judge_detail(j, "exit status %u, %llu bytes of output",
		     info->program_signal ? 128 + info->program_signal : info->program_status,
		     (unsigned long long)info->program_output);
	if (info->program_signal || info->program_status)
		judge_violation(j, &f);
}

static const struct check_ops program_succeeds_ops = {
	.finish = program_succeeds_finish,
};

const struct check check_program_succeeds = {
	.name = "program-succeeds",
	.summary = "the user's program ended with exit status 0",
	.explain =
		"A phase of the pattern program is worth no more than the program that it ran.\n"
		"One that could not open its file, or that a signal ended, has touched nothing or\n"
		"only a part, and the other checks say little then.  A program that itself checks\n"
		"something, such as the data it reads, says so by its exit status.\n"
		"\n"
		"Looked at: exit_status and signal of the phase's program in capture.json; what\n"
		"the program wrote, its first 64 KiB, is beside them in output, and how much it was\n"
		"in output_bytes.\n"
		"\n"
		"A finding's time is the end of the phase.  In phases of other patterns the check\n"
		"does not appear.  There are no limits to set.\n",
	.needs_json = true,
	.pattern = "program",
	.ops = &program_succeeds_ops,
};
