// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table by which the mmap readahead series of 2009 was judged, of the phases
 * of a root file system: each figure beside the thread's, and what the traces
 * say about the differences.
 */
#include <string.h>

#include "verify/report/text_mmap.h"

struct mmap_row {
	const char *title;
	int decimals;
	bool (*get)(const struct phase_info *p, const struct phase_figures *f, double *v);
	double thread[THREAD_KERNELS]; /* 0: the thread has no such figure */
};

static bool get_majfault(const struct phase_info *p, const struct phase_figures *f __unused_arg,
			 double *v)
{
	*v = (double)p->pgmajfault;
	return true;
}

static bool get_fault(const struct phase_info *p, const struct phase_figures *f __unused_arg,
		      double *v)
{
	*v = (double)p->pgfault;
	return true;
}

static bool get_flag_ratio(const struct phase_info *p, const struct phase_figures *f __unused_arg,
			   double *v)
{
	if (!p->lru_file)
		return false;
	*v = 100.0 * (double)p->lru_unreferenced / (double)p->lru_file;
	return true;
}

static bool get_unused_ratio(const struct phase_info *p __unused_arg, const struct phase_figures *f,
			     double *v)
{
	if (f->why[FIG_UNUSED][0] || !f->usage.pages)
		return false;
	*v = 100.0 * (double)usage_unused(&f->usage) / (double)f->usage.pages;
	return true;
}

static bool get_mmap_ios(const struct phase_info *p __unused_arg, const struct phase_figures *f,
			 double *v)
{
	*v = (double)ra_total(f).mmap;
	return !f->why[FIG_MMAP][0];
}

static bool get_mmap_size(const struct phase_info *p __unused_arg, const struct phase_figures *f,
			  double *v)
{
	struct ra_row all = ra_total(f);

	if (f->why[FIG_MMAP][0] || !all.mmap)
		return false;
	*v = (double)all.mmap_pages / (double)all.mmap;
	return true;
}

static bool get_ios(const struct phase_info *p __unused_arg, const struct phase_figures *f,
		    double *v)
{
	*v = (double)ra_total(f).io;
	return !f->why[FIG_IO][0];
}

static bool get_io_size(const struct phase_info *p __unused_arg, const struct phase_figures *f,
			double *v)
{
	struct ra_row all = ra_total(f);

	if (f->why[FIG_IO][0] || !all.io)
		return false;
	*v = (double)all.pages / (double)all.io;
	return true;
}

enum {
	ROW_MAJFAULT,
	ROW_FAULT,
	ROW_FLAGS,
	ROW_UNUSED,
	ROW_MMAP_IOS,
	ROW_MMAP_SIZE,
	ROW_IOS,
	ROW_IO_SIZE,
	ROWS
};

static const struct mmap_row rows[ROWS] = {
	[ROW_MAJFAULT] = {"pgmajfault", 1, get_majfault, {383, 225, 224}},
	[ROW_FAULT] = {"pgfault", 0, get_fault, {0}},
	[ROW_FLAGS] = {"miss ratio, page flags, %", 1, get_flag_ratio, {31.6, 32.4, 32.6}},
	[ROW_UNUSED] = {"miss ratio, trace, %", 1, get_unused_ratio, {0}},
	[ROW_MMAP_IOS] = {"mmap IO count", 1, get_mmap_ios, {383, 390, 307}},
	[ROW_MMAP_SIZE] = {"mmap IO size, pages", 1, get_mmap_size, {0}},
	[ROW_IOS] = {"all IO count", 1, get_ios, {953, 953, 874}},
	[ROW_IO_SIZE] = {"all IO size, pages", 1, get_io_size, {11, 11, 13}},
};

static bool is_root_phase(const struct analysis *a, const char *phase)
{
	const struct phase_info *p =
		a->n_captures ? phase_info_of(a->captures[0].capture, phase) : NULL;

	return p && p->whole_system;
}

static struct figure row_figure(const struct analysis *a, const char *kernel, const char *phase,
				const struct mmap_row *row)
{
	double *values __cleanup_free = xcalloc(a->n_captures, sizeof(*values));
	unsigned int n = 0;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];
		const struct phase_info *p = phase_info_of(c->capture, phase);
		const struct phase_stats *s = phase_stats_of(c, phase);

		if (!strcmp(c->capture->kernel, kernel) && p && s && s->figures &&
		    row->get(p, s->figures, &values[n]))
			n++;
	}
	return n ? figure_from(values, n) : (struct figure){.n = 0};
}

static void figures_table(struct out *o, const struct summary *s, const char *phase, bool thread)
{
	char text[NUMBER_TEXT_MAX];
	unsigned int n = 0;
	struct table t;

	table_init(&t, phase, 2 * ROWS, s->n_kernels);
	for (unsigned int k = 0; k < s->n_kernels; k++)
		table_head(&t, k, kernel_head(s->kernels[k]));
	for (unsigned int r = 0; r < ROWS; r++) {
		for (unsigned int k = 0; k < s->n_kernels; k++) {
			struct figure f = row_figure(s->a, s->kernels[k], phase, &rows[r]);

			table_cell(&t, n, k, "%s",
				   f.n ? number_text(&f, rows[r].decimals, text) : "-");
		}
		table_label(&t, n++, rows[r].title);
		if (!thread || rows[r].thread[0] <= 0)
			continue;
		for (unsigned int k = 0; k < s->n_kernels; k++) {
			int i = thread_kernel(s->kernels[k]);

			if (i < 0)
				table_cell(&t, n, k, "%s", "-");
			else
				table_cell(&t, n, k, "%g", rows[r].thread[i]);
		}
		table_label(&t, n++, "  in 2009");
	}
	t.n_rows = n;
	table_print(o, &t);
	t.n_rows = 2 * ROWS;
	table_free(&t);
	out_line(o, 0, "%s", "");
}

/* ---- what the differences are, and what the traces say about them ---- */

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
	f = row_figure(s->a, kernel, phase, &rows[row]);
	b = row_figure(s->a, from, phase, &rows[row]);
	if (!f.n || !b.n || b.mean <= 0)
		return;
	out_line(o, 4, "  %s to %s: %s %+.1f %% (2009: %+.1f %%)", from, kernel, rows[row].title,
		 100 * (f.mean - b.mean) / b.mean,
		 100 * (rows[row].thread[k] - rows[row].thread[t]) / rows[row].thread[t]);
}

/* Means per boot of one cause's mmap IOs. */
static double cause_mean(const struct analysis *a, const char *kernel, const char *phase,
			 enum ra_cause cause, double *pages)
{
	double sum = 0, sum_pages = 0;
	unsigned int n = 0;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct phase_stats *s = phase_stats_of(&a->captures[i], phase);

		if (strcmp(a->captures[i].capture->kernel, kernel) || !s || !s->figures)
			continue;
		n++;
		sum += (double)s->figures->rows[cause].mmap;
		sum_pages += (double)s->figures->rows[cause].mmap_pages;
	}
	*pages = sum > 0 ? sum_pages / sum : 0;
	return n ? sum / n : 0;
}

static void causes_table(struct out *o, const struct summary *s, const char *phase)
{
	unsigned int n = 0;
	struct table t;

	table_init(&t, "mmap IOs by cause, count x pages", RA_CAUSES, s->n_kernels);
	for (unsigned int k = 0; k < s->n_kernels; k++)
		table_head(&t, k, kernel_head(s->kernels[k]));
	for (unsigned int c = 0; c < RA_CAUSES; c++) {
		bool any = false;

		for (unsigned int k = 0; k < s->n_kernels; k++) {
			double pages, ios = cause_mean(s->a, s->kernels[k], phase, c, &pages);

			any |= ios > 0;
			table_cell(&t, n, k, "%.1f x %.1f", ios, pages);
		}
		if (any)
			table_label(&t, n++, ra_cause_name(c));
	}
	t.n_rows = n;
	if (n)
		table_print(o, &t);
	t.n_rows = RA_CAUSES;
	table_free(&t);
	out_line(o, 0, "%s", "");
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
	struct figure flags = row_figure(s->a, kernel, phase, &rows[ROW_FLAGS]);
	struct figure unused = row_figure(s->a, kernel, phase, &rows[ROW_UNUSED]);

	if (!flags.n || !unused.n)
		return;
	out_line(o, 4,
		 "  By page flags %.1f %% miss on %s, by the trace %.1f %%: a page that a running "
		 "process has mapped carries no flag before its mapping goes, so the difference "
		 "are pages that were touched.  2009's ratio is the one by flags.",
		 flags.mean, kernel, unused.mean);
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
			const struct mmap_row *row = &rows[counted[r]];
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

void text_mmap(struct out *o, const struct summary *s)
{
	bool thread = true;

	for (unsigned int i = 0; i < s->n_phases; i++) {
		const char *phase = s->phases[i];

		if (!is_root_phase(s->a, phase))
			continue;
		text_heading(o, thread ? "A root file system, beside the thread of 2009"
				       : "The same root file system, further");
		figures_table(o, s, phase, thread);
		causes_table(o, s, phase);
		if (thread) {
			change_line(o, s, phase, "B", "A", ROW_MAJFAULT);
			change_line(o, s, phase, "C", "A", ROW_MAJFAULT);
			change_line(o, s, phase, "C", "B", ROW_MMAP_IOS);
			sequential_line(o, s, phase);
			mix_line(o, s, phase);
			today_lines(o, s, phase);
			flags_line(o, s, phase);
			mapped_line(o, s, phase);
			spread_line(o, s, phase);
			knob_lines(o, s->a, phase);
		}
		text_mmap_statistics(o, s, phase, thread);
		/* the thread's figures are of a boot */
		thread = false;
	}
}
