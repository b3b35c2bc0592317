// SPDX-License-Identifier: GPL-2.0-only
/* Readahead by cause of a root file system's phases, and the thread's of 2009. */
#include <string.h>

#include "verify/report/text_mmap.h"

/* The thread's kernels, by the names that the experiment gives ours. */
static const char *const thread_kernels[THREAD_KERNELS] = {"A", "B", "C"};

/* The thread's statistics: ra, io, sync, mmap and eof counts; ra, async and io sizes. */
static const struct thread_stats {
	const char *pattern;
	unsigned int v[8];
} thread_stats[THREAD_KERNELS][7] = {
	{{"initial0", {514, 499, 499, 0, 324, 4, 3, 2}},
	 {"subsequent", {44, 21, 1, 0, 6, 17, 17, 15}},
	 {"marker", {18, 7, 0, 0, 1, 11, 11, 17}},
	 {"around", {383, 383, 383, 383, 185, 60, 0, 25}},
	 {"random", {43, 43, 43, 0, 4, 1, 0, 1}},
	 {"all", {1002, 953, 926, 383, 520, 26, 2, 11}}},
	{{"initial0", {547, 532, 532, 40, 335, 4, 3, 2}},
	 {"initial", {4, 4, 4, 4, 0, 4, 3, 4}},
	 {"subsequent", {275, 165, 2, 144, 33, 32, 31, 33}},
	 {"marker", {151, 29, 0, 22, 9, 54, 54, 33}},
	 {"around", {180, 180, 180, 180, 142, 60, 0, 19}},
	 {"random", {43, 43, 43, 0, 4, 1, 0, 1}},
	 {"all", {1200, 953, 761, 390, 523, 25, 15, 11}}},
	{{"initial0", {551, 536, 536, 40, 351, 12, 7, 5}},
	 {"initial", {4, 4, 4, 4, 3, 120, 60, 63}},
	 {"subsequent", {186, 87, 1, 66, 21, 33, 33, 41}},
	 {"marker", {147, 25, 0, 18, 8, 54, 54, 31}},
	 {"around", {179, 179, 179, 179, 142, 60, 0, 19}},
	 {"random", {43, 43, 43, 0, 4, 1, 0, 1}},
	 {"all", {1110, 874, 763, 307, 529, 29, 16, 13}}},
};

int thread_kernel(const char *kernel)
{
	for (int i = 0; i < THREAD_KERNELS; i++)
		if (!strcmp(thread_kernels[i], kernel))
			return i;
	return -1;
}

static void thread_table(struct out *o, int kernel)
{
	out_line(o, 0, "%s", "");
	out_line(o, 2, "  the thread's %s, 2.6.30-rc1, in the same columns",
		 thread_kernels[kernel]);
	for (size_t i = 0; i < ARRAY_SIZE(thread_stats[0]); i++) {
		const struct thread_stats *t = &thread_stats[kernel][i];

		if (t->pattern)
			out_line(o, 0, "%-14s %6u %6u %6u %6u %6u %6u %6u %6u", t->pattern, t->v[0],
				 t->v[1], t->v[2], t->v[3], t->v[4], t->v[5], t->v[6], t->v[7]);
	}
}

void text_mmap_statistics(struct out *o, const struct summary *s, const char *phase, bool thread)
{
	for (unsigned int i = 0; i < s->a->n_captures; i++) {
		const struct capture *c = s->a->captures[i].capture;
		const struct phase_stats *st = phase_stats_of(&s->a->captures[i], phase);
		int k = thread_kernel(c->kernel);

		if (c->repeat != 1 || !st || !st->figures)
			continue;
		out_line(o, 0, "%s", "");
		out_line(o, 2, "  %s, first boot, phase %s", c->kernel, phase);
		text_windows(o, st->figures);
		if (thread && k >= 0)
			thread_table(o, k);
	}
}
