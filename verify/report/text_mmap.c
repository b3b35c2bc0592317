// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table by which the mmap readahead series of 2009 was judged, of the phases
 * of a root file system: each figure beside the thread's.
 */
#include <string.h>

#include "verify/report/text_mmap.h"

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

static bool get_nfs_reads(const struct phase_info *p, const struct phase_figures *f __unused_arg,
			  double *v)
{
	*v = (double)p->nfs_reads;
	return p->nfs_known;
}

static bool get_nfs_size(const struct phase_info *p, const struct phase_figures *f __unused_arg,
			 double *v)
{
	if (!p->nfs_known || !p->nfs_reads)
		return false;
	*v = (double)p->nfs_read_bytes / (double)p->nfs_reads / 1024;
	return true;
}

const struct mmap_row mmap_rows[ROWS] = {
	[ROW_MAJFAULT] = {"pgmajfault", 1, get_majfault, {383, 225, 224}},
	[ROW_FAULT] = {"pgfault", 0, get_fault, {0}},
	[ROW_FLAGS] = {"miss ratio, page flags, %", 1, get_flag_ratio, {31.6, 32.4, 32.6}},
	[ROW_UNUSED] = {"miss ratio, trace, %", 1, get_unused_ratio, {0}},
	[ROW_MMAP_IOS] = {"mmap IO count", 1, get_mmap_ios, {383, 390, 307}},
	[ROW_MMAP_SIZE] = {"mmap IO size, pages", 1, get_mmap_size, {0}},
	[ROW_IOS] = {"all IO count", 1, get_ios, {953, 953, 874}},
	[ROW_IO_SIZE] = {"all IO size, pages", 1, get_io_size, {11, 11, 13}},
	[ROW_NFS_READS] = {"NFS READ calls", 1, get_nfs_reads, {0}},
	[ROW_NFS_SIZE] = {"NFS READ size, KiB", 1, get_nfs_size, {0}},
};

static bool is_root_phase(const struct analysis *a, const char *phase)
{
	const struct phase_info *p =
		a->n_captures ? phase_info_of(a->captures[0].capture, phase) : NULL;

	return p && p->whole_system;
}

static bool on_nfs(const struct analysis *a, const char *phase)
{
	const struct phase_info *p = phase_info_of(a->captures[0].capture, phase);

	return p && p->nfs_known;
}

struct figure row_figure(const struct analysis *a, const char *kernel, const char *phase,
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
		/* nobody expects them of a disk */
		if (r >= ROW_NFS_READS && !on_nfs(s->a, phase))
			continue;
		for (unsigned int k = 0; k < s->n_kernels; k++) {
			struct figure f = row_figure(s->a, s->kernels[k], phase, &mmap_rows[r]);

			table_cell(&t, n, k, "%s",
				   f.n ? number_text(&f, mmap_rows[r].decimals, text) : "-");
		}
		table_label(&t, n++, mmap_rows[r].title);
		if (!thread || mmap_rows[r].thread[0] <= 0)
			continue;
		for (unsigned int k = 0; k < s->n_kernels; k++) {
			int i = thread_kernel(s->kernels[k]);

			if (i < 0)
				table_cell(&t, n, k, "%s", "-");
			else
				table_cell(&t, n, k, "%g", mmap_rows[r].thread[i]);
		}
		table_label(&t, n++, "  in 2009");
	}
	t.n_rows = n;
	table_print(o, &t);
	t.n_rows = 2 * ROWS;
	table_free(&t);
	out_line(o, 0, "%s", "");
}

double cause_mean(const struct analysis *a, const char *kernel, const char *phase,
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
		if (thread)
			text_mmap_notes(o, s, phase);
		text_mmap_statistics(o, s, phase, thread);
		/* the thread's figures are of a boot */
		thread = false;
	}
}
