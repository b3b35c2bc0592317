// SPDX-License-Identifier: GPL-2.0-only
/* What differs from the thread of 2009, and what the traces say about it. */
#include <string.h>

#include "verify/report/text_mmap.h"

static bool has_kernel(const struct summary *s, const char *kernel)
{
	for (unsigned int k = 0; k < s->n_kernels; k++)
		if (!strcmp(s->kernels[k], kernel))
			return true;
	return false;
}

static void change_line(struct out *o, const struct summary *s, const char *phase,
			const char *kernel, const char *from, unsigned int row)
{
	struct figure f, b;
	int k = thread_kernel(kernel), t = thread_kernel(from);

	if (!has_kernel(s, kernel) || !has_kernel(s, from))
		return;
	f = row_figure(s->a, kernel, phase, &mmap_rows[row]);
	b = row_figure(s->a, from, phase, &mmap_rows[row]);
	if (!f.n || !b.n || b.mean <= 0)
		return;
	out_line(o, 4, "  %s to %s: %s %+.1f %% (2009: %+.1f %%)", from, kernel,
		 mmap_rows[row].title, 100 * (f.mean - b.mean) / b.mean,
		 100 * (mmap_rows[row].thread[k] - mmap_rows[row].thread[t]) /
			 mmap_rows[row].thread[t]);
}

static void sequential_line(struct out *o, const struct summary *s, const char *phase)
{
	double pages, sequential, all = 0;

	if (!has_kernel(s, "B"))
		return;
	sequential = cause_mean(s->a, "B", phase, RA_SEQ_FAULT, &pages);
	sequential += cause_mean(s->a, "B", phase, RA_MARKER, &pages);
	for (unsigned int c = 0; c < RA_CAUSES; c++)
		all += cause_mean(s->a, "B", phase, c, &pages);
	if (all > 0)
		out_line(o, 4,
			 "  On B, %.1f of %.1f mmap IOs (%.0f %%) come from faults that follow the "
			 "previous position, or from markers; in 2009, 210 of 390 (54 %%) did.  "
			 "Detection can save only what faults in order.",
			 sequential, all, 100 * sequential / all);
}

/* Per boot of A: IOs of a cause, their mean size, and how many of its windows were cut by EOF. */
static double cause_ios(const struct analysis *a, const char *phase, enum ra_cause cause,
			double *pages, double *eof_share)
{
	double ios = 0, all_pages = 0, windows = 0, eof = 0;
	unsigned int n = 0;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct phase_stats *s = phase_stats_of(&a->captures[i], phase);
		const struct ra_row *r = s && s->figures ? &s->figures->rows[cause] : NULL;

		if (!r || strcmp(a->captures[i].capture->kernel, "A"))
			continue;
		n++;
		ios += (double)r->io;
		all_pages += (double)r->pages;
		windows += (double)r->ra;
		eof += (double)r->eof;
	}
	*pages = ios > 0 ? all_pages / ios : 0;
	*eof_share = windows > 0 ? 100 * eof / windows : 0;
	return n ? ios / n : 0;
}

/* What was booted in 2009 and what is booted here are two systems. */
static void mix_line(struct out *o, const struct summary *s, const char *phase)
{
	double read_pages, around_pages, eof, unused, reads, around;

	if (!has_kernel(s, "A"))
		return;
	reads = cause_ios(s->a, phase, RA_SYNC_READ, &read_pages, &unused);
	around = cause_ios(s->a, phase, RA_READAROUND, &around_pages, &eof);
	if (around > 0)
		out_line(
			o, 4,
			"  On A, reads are %.0f IOs of %.1f pages (2009: 542 of 2), read-arounds "
			"%.0f of %.1f pages (383 of 25), %.0f %% of them cut by the end of their "
			"file (48 %%).  Another system boots: fewer files are read, larger ones are "
			"mapped, more of each window lies within the file, and more of it is never "
			"used.",
			reads, read_pages, around, around_pages, eof);
}

static void today_lines(struct out *o, const struct summary *s, const char *phase)
{
	double pages, exec, marker;

	if (!has_kernel(s, "today"))
		return;
	exec = cause_mean(s->a, "today", phase, RA_EXEC, &pages);
	out_line(o, 4,
		 "  today reads executable mappings forwards from the fault and only to the end of "
		 "the mapping: %.1f IOs of %.1f pages.  A, B and C read around there, as in 2009.",
		 exec, pages);
	marker = cause_mean(s->a, "today", phase, RA_MARKER, &pages);
	out_line(o, 4,
		 "  today puts a marker into each read-around window; faults on it led to %.1f "
		 "IOs of %.1f pages.  A has none by definition, and in 2009 there was none.",
		 marker, pages);
}

/* Why the flags' ratio is above the trace's, and what 2009's was made of. */
static void flags_line(struct out *o, const struct summary *s, const char *phase)
{
	const char *kernel = s->kernels[0];
	struct figure flags = row_figure(s->a, kernel, phase, &mmap_rows[ROW_FLAGS]);
	struct figure unused = row_figure(s->a, kernel, phase, &mmap_rows[ROW_UNUSED]);

	if (!flags.n || !unused.n)
		return;
	out_line(o, 4,
		 "  By page flags %.1f %% miss on %s, by the trace %.1f %%: a page that a running "
		 "process has mapped carries no flag before its mapping goes, so the difference "
		 "is in part pages that were touched.  2009's ratio is the one by flags.",
		 flags.mean, kernel, unused.mean);
}

/* What the flags' ratio has in it that no readahead brought in. */
static void other_pages_line(struct out *o, const struct summary *s, const char *phase)
{
	const struct capture *c = s->a->captures[0].capture;
	const struct phase_info *p = phase_info_of(c, phase);
	const struct phase_stats *st = phase_stats_of(&s->a->captures[0], phase);
	u64 read;

	if (!p || !p->lru_file || !st || !st->figures || st->figures->why[FIG_IO][0])
		return;
	read = ra_total(st->figures).pages;
	if (read >= p->lru_file)
		return;
	out_line(o, 4,
		 "  On %s, readahead added %llu pages and files have %llu: the others were written "
		 "or hold directories and the like, and count by flags, too.%s",
		 c->kernel, (unsigned long long)read, (unsigned long long)p->lru_file,
		 p->nfs_known
			 ? "  NFSv4.1 cannot preallocate, so the C library writes to each page "
			   "of what a program, such as the journal's, wants to have allocated."
			 : "");
}

static void mapped_line(struct out *o, const struct summary *s, const char *phase)
{
	const struct capture *c = s->a->captures[0].capture;
	const struct phase_info *p = phase_info_of(c, phase);
	const struct phase_stats *st = phase_stats_of(&s->a->captures[0], phase);
	double mapped;

	if (!p || !st || !st->figures || !st->figures->usage.pages)
		return;
	if (p->fault_around && p->fault_around <= c->page_size) {
		out_line(o, 4,
			 "  fault_around_bytes is one page, so a fault maps what it touches and "
			 "nothing beside it, as in 2009.");
		return;
	}
	mapped = 100.0 * (double)st->figures->usage.mapped / (double)st->figures->usage.pages;
	out_line(
		o, 4,
		"  With fault_around_bytes %llu, %.1f %% of the pages that %s's windows added were "
		"mapped beside a fault and may or may not have been touched; the page flags "
		"count them as referenced once their mapping is gone.  In 2009 a fault mapped one "
		"page (4096).",
		(unsigned long long)p->fault_around, mapped, c->kernel);
}

/* "never" out of "always madvise [never]" */
static const char *selected(const char *text, char word[64])
{
	const char *open = strchr(text, '[');

	snprintf(word, 64, "%s", open ? open + 1 : *text ? text : "not known");
	word[strcspn(word, "]")] = '\0';
	return word;
}

static void knob_lines(struct out *o, const struct analysis *a, const char *phase)
{
	char word[64];

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture *c = a->captures[i].capture;
		const struct phase_info *p = phase_info_of(c, phase);

		if (c->repeat != 1 || !p)
			continue;
		out_line(
			o, 4,
			"  %s: mmap_readahead %s, fault_around_bytes %llu, transparent_hugepage %s, "
			"read_ahead_kb %llu, as read back",
			c->kernel, *c->mmap_readahead ? c->mmap_readahead : "not there",
			(unsigned long long)p->fault_around, selected(c->hugepage, word),
			(unsigned long long)c->read_ahead_kb);
	}
	out_line(o, 4,
		 "  The snapshot is taken after 6 s without a read or a major fault; timers that "
		 "update the system are masked in the image.");
}

/* (largest - smallest) / mean over the boots of a kernel, per cent. */
static void spread_line(struct out *o, const struct summary *s, const char *phase)
{
	static const unsigned int counted[] = {ROW_MAJFAULT, ROW_MMAP_IOS, ROW_IOS};
	double worst = 0;
	char where[80] = "";

	for (unsigned int k = 0; k < s->n_kernels; k++)
		for (size_t r = 0; r < ARRAY_SIZE(counted); r++) {
			const struct mmap_row *row = &mmap_rows[counted[r]];
			struct figure f = row_figure(s->a, s->kernels[k], phase, row);
			double by = f.n > 1 && f.mean > 0 ? 100 * f.stdev / f.mean : 0;

			if (by > worst)
				snprintf(where, sizeof(where), "%s of %s", row->title,
					 s->kernels[k]);
			worst = MAX(worst, by);
		}
	if (!s->repeats)
		out_line(o, 4, "  One boot of each kernel: how much counts vary, REPEAT=5 says.");
	else if (worst >= 1)
		out_line(
			o, 4,
			"  Counts vary by more than 1 %% over the boots of a kernel (standard "
			"deviation %.1f %% of the mean, %s): services start in parallel, and which "
			"of two tasks faults a shared page first, and from which side, differs "
			"between boots.",
			worst, where);
	else
		out_line(o, 4,
			 "  Counts vary by less than 1 %% over the boots of a kernel (standard "
			 "deviation %.1f %% of the mean at most).",
			 worst);
}

void text_mmap_notes(struct out *o, const struct summary *s, const char *phase)
{
	change_line(o, s, phase, "B", "A", ROW_MAJFAULT);
	change_line(o, s, phase, "C", "A", ROW_MAJFAULT);
	change_line(o, s, phase, "C", "B", ROW_MMAP_IOS);
	sequential_line(o, s, phase);
	mix_line(o, s, phase);
	today_lines(o, s, phase);
	flags_line(o, s, phase);
	other_pages_line(o, s, phase);
	mapped_line(o, s, phase);
	spread_line(o, s, phase);
	knob_lines(o, s->a, phase);
}
