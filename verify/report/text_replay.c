// SPDX-License-Identifier: GPL-2.0-only
/* A replay: how true it was to its plan, and figures by file. */
#include <string.h>

#include "verify/report/report.h"

#define FILES_SHOWN 10u

/* One figure of a file in a phase of a capture; false: not known. */
struct file_figure {
	const char *title;
	double scale;
	bool (*get)(const struct capture_result *c, const struct replay_info *r,
		    const struct phase_stats *st, const struct test_file *f, double *value);
};

static bool get_faults(const struct capture_result *c __unused_arg, const struct replay_info *r,
		       const struct phase_stats *st __unused_arg, const struct test_file *f,
		       double *v)
{
	*v = (double)r->files[f->index].major_faults;
	return true;
}

static bool get_requests(const struct capture_result *c __unused_arg,
			 const struct replay_info *r __unused_arg, const struct phase_stats *st,
			 const struct test_file *f, double *v)
{
	if (!st->figures || !st->figures->by_file)
		return false;
	*v = (double)st->figures->by_file[f->index].requests;
	return true;
}

static bool get_bytes(const struct capture_result *c __unused_arg,
		      const struct replay_info *r __unused_arg, const struct phase_stats *st,
		      const struct test_file *f, double *v)
{
	if (!st->figures || !st->figures->by_file)
		return false;
	*v = (double)st->figures->by_file[f->index].bytes;
	return true;
}

static bool get_unused(const struct capture_result *c, const struct replay_info *r __unused_arg,
		       const struct phase_stats *st, const struct test_file *f, double *v)
{
	const struct phase_figures *pf = st->figures;

	if (!pf || pf->why[FIG_UNUSED][0] || pf->more_files)
		return false;
	*v = 0;
	for (u32 i = 0; i < pf->n_files; i++)
		if (pf->files[i].ino == f->ino && pf->files[i].dev == c->capture->file_dev)
			*v = (double)usage_unused(&pf->files[i].usage) * c->capture->page_size;
	return true;
}

static const struct file_figure file_figures[] = {
	{"major faults", 1, get_faults},
	{"read requests", 1, get_requests},
	{"read by the device, MiB", 1 << 20, get_bytes},
	{"readahead never seen used, MiB", 1 << 20, get_unused},
};

/* Over the phases of a capture; false where it is not known of one of them. */
static bool of_capture(const struct capture_result *c, const struct file_figure *g,
		       const struct test_file *f, double *sum)
{
	double v;

	*sum = 0;
	for (unsigned int i = 0; i < c->capture->n_phases; i++) {
		const struct phase_info *p = &c->capture->phases[i];
		const struct phase_stats *st = phase_stats_of(c, p->name);

		if (!p->replay || p->replay->n_files != c->capture->n_files)
			continue;
		if (!st || !g->get(c, p->replay, st, f, &v))
			return false;
		*sum += v;
	}
	return true;
}

/* The mean over a kernel's captures of file @index, or of all files. */
static bool of_kernel(const struct summary *s, unsigned int kernel, const struct file_figure *g,
		      u32 index, bool all, double *mean)
{
	unsigned int n = 0;
	double v;

	*mean = 0;
	for (unsigned int i = 0; i < s->a->n_captures; i++) {
		const struct capture_result *c = &s->a->captures[i];

		if (strcmp(c->capture->kernel, s->kernels[kernel]))
			continue;
		for (u32 k = 0; k < c->capture->n_files; k++) {
			const struct test_file *f = &c->capture->files[k];

			if (!all && f->index != index)
				continue;
			if (!of_capture(c, g, f, &v))
				return false;
			*mean += v;
		}
		n++;
	}
	*mean /= n ? n : 1;
	return n != 0;
}

struct shown_file {
	u32 index;
	double bytes;
};

static int most_bytes(const void *a, const void *b)
{
	const struct shown_file *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static double accessed(const struct capture *c, u32 index)
{
	double sum = 0;

	for (unsigned int i = 0; i < c->n_phases; i++)
		if (c->phases[i].replay && index < c->phases[i].replay->n_files)
			sum += (double)c->phases[i].replay->files[index].bytes;
	return sum;
}

static void print_files(struct out *o, const struct summary *s, const struct file_figure *g,
			const struct shown_file *files, u32 n)
{
	struct table t;
	char text[32];
	double v;

	table_init(&t, g->title, n + 1, s->n_kernels);
	for (unsigned int k = 0; k < s->n_kernels; k++) {
		table_head(&t, k, kernel_head(s->kernels[k]));
		for (u32 i = 0; i <= n; i++) {
			snprintf(text, sizeof(text), "file %u", i < n ? files[i].index : 0);
			table_label(&t, i, i < n ? text : "all files");
			if (of_kernel(s, k, g, i < n ? files[i].index : 0, i == n, &v))
				table_cell(&t, i, k, "%.*f", g->scale > 1 ? 1 : 0, v / g->scale);
			else
				table_cell(&t, i, k, "-");
		}
	}
	out_line(o, 0, "%s", "");
	table_print(o, &t);
	table_free(&t);
}

static void by_file(struct out *o, const struct summary *s)
{
	const struct capture *c = s->a->captures[0].capture;
	struct shown_file *files __cleanup_free = xcalloc(c->n_files, sizeof(*files));
	u32 n = MIN(c->n_files, FILES_SHOWN);

	/* of one file, the tables by phase say it all but for the sum */
	for (u32 i = 0; i < c->n_files; i++)
		files[i] = (struct shown_file){i, accessed(c, i)};
	qsort(files, c->n_files, sizeof(*files), most_bytes);
	text_heading(o, "By file, over all phases");
	out_line(o, 2, "  files are numbered as in the plan%s",
		 n < c->n_files ? "; those of which most was accessed" : "");
	for (size_t i = 0; i < ARRAY_SIZE(file_figures); i++)
		print_files(o, s, &file_figures[i], files, n);
}

static const struct replay_info *replay_of(const struct capture *c, const char *phase)
{
	const struct phase_info *p = phase_info_of(c, phase);

	return p ? p->replay : NULL;
}

/* Sums over the captures of a kernel. */
static void fidelity(const struct summary *s, unsigned int kernel, const char *phase,
		     struct replay_info *sum)
{
	for (unsigned int i = 0; i < s->a->n_captures; i++) {
		const struct capture *c = s->a->captures[i].capture;
		const struct replay_info *r = replay_of(c, phase);

		if (!r || strcmp(c->kernel, s->kernels[kernel]))
			continue;
		sum->planned += r->planned;
		sum->issued += r->issued;
		sum->beyond_end += r->beyond_end;
		sum->cut_at_end += r->cut_at_end;
		sum->split += r->split;
		sum->out_of_order += r->out_of_order;
		sum->late_known |= r->late_known;
		sum->late_max_ns = MAX(sum->late_max_ns, r->late_known ? r->late_max_ns : 0);
		sum->late_mean_ns = MAX(sum->late_mean_ns, r->late_known ? r->late_mean_ns : 0);
	}
}

static void fidelity_lines(struct out *o, const struct summary *s)
{
	struct replay_info all = {0};
	struct table t;

	table_init(&t, "accesses issued / planned", s->n_phases, s->n_kernels);
	for (unsigned int k = 0; k < s->n_kernels; k++) {
		table_head(&t, k, kernel_head(s->kernels[k]));
		for (unsigned int p = 0; p < s->n_phases; p++) {
			struct replay_info r = {0};

			fidelity(s, k, s->phases[p], &r);
			fidelity(s, k, s->phases[p], &all);
			table_label(&t, p, phase_label(s->phases[p]));
			table_cell(&t, p, k, "%llu / %llu", (unsigned long long)r.issued,
				   (unsigned long long)r.planned);
		}
	}
	table_print(o, &t);
	table_free(&t);
	out_line(o, 2, "order within each task: %s",
		 all.out_of_order ? "NOT KEPT" : "kept, in every task");
	if (all.out_of_order)
		out_line(o, 4, "  %llu accesses out of order",
			 (unsigned long long)all.out_of_order);
	if (all.beyond_end)
		out_line(o, 4, "not issued: %llu that begin beyond the end of their file",
			 (unsigned long long)all.beyond_end);
	if (all.cut_at_end)
		out_line(o, 4, "cut at the end of their file: %llu",
			 (unsigned long long)all.cut_at_end);
	if (all.split)
		out_line(o, 4, "further calls, since one can't be as long: %llu",
			 (unsigned long long)all.split);
	if (all.late_known)
		out_line(o, 4,
			 "late, against the recorded times: %.3f ms on average at worst, "
			 "%.3f ms at most",
			 (double)all.late_mean_ns / 1e6, (double)all.late_max_ns / 1e6);
	else
		out_line(o, 4, "times: as fast as each task could, not the recorded ones");
}

void text_replay(struct out *o, const struct summary *s)
{
	bool any = false;

	for (unsigned int p = 0; p < s->n_phases && s->a->n_captures; p++)
		any |= replay_of(s->a->captures[0].capture, s->phases[p]) != NULL;
	if (!any)
		return;
	text_heading(o, "How true the replay was to its plan");
	fidelity_lines(o, s);
	if (s->a->captures[0].capture->n_files)
		by_file(o, s);
}
