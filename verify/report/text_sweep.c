// SPDX-License-Identifier: GPL-2.0-only
/* A sweep over one key: one table, a row for each value and phase. */
#include <string.h>

#include "verify/report/report.h"

/* The figures that tell best whether and how readahead worked; --format json has all. */
static const struct {
	const char *title;
	enum metric_id m;
	int scale;
	const char *unit;
} columns[] = {
	{"major faults", METRIC_MAJOR_FAULTS, 1, ""},
	{"large folios", METRIC_LARGE_FOLIO_SHARE, 100, "%"},
};
#define COLUMNS ((unsigned int)ARRAY_SIZE(columns) + 1)

/* "PASS 10", "FAIL 4/10", "INCONCLUSIVE 2/10": the worst, and how many checks and boots. */
static void verdict_text(const struct analysis *a, const char *kernel, const char *phase, char *buf,
			 size_t size)
{
	static const enum verdict worst_first[] = {VERDICT_FAIL, VERDICT_INCONCLUSIVE,
						   VERDICT_PASS};
	unsigned int count[VERDICT_NA + 1] = {0}, judged = 0;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];

		if (strcmp(c->capture->kernel, kernel))
			continue;
		for (unsigned int k = 0; k < c->n_results; k++)
			if (!strcmp(c->results[k].phase, phase))
				count[c->results[k].verdict]++;
	}
	for (unsigned int v = 0; v < VERDICT_NA; v++)
		judged += count[v];
	snprintf(buf, size, "-");
	for (size_t i = 0; i < ARRAY_SIZE(worst_first); i++) {
		enum verdict v = worst_first[i];

		if (!count[v])
			continue;
		if (v == VERDICT_PASS)
			snprintf(buf, size, "PASS %u", judged);
		else
			snprintf(buf, size, "%s %u/%u", verdict_name(v), count[v], judged);
		return;
	}
}

static void figure_text(const struct figure *f, size_t column, char *buf)
{
	struct figure scaled = *f;

	scaled.mean *= columns[column].scale;
	scaled.stdev *= columns[column].scale;
	number_text(&scaled, columns[column].scale > 1, buf);
	if (f->n && *columns[column].unit)
		strcat(buf, columns[column].unit);
}

static void cell_text(const struct summary *s, unsigned int phase, unsigned int kernel,
		      unsigned int column, char *buf, size_t size)
{
	if (phase >= s->n_phases || kernel >= s->n_kernels)
		snprintf(buf, size, "-");
	else if (!column)
		verdict_text(s->a, s->kernels[kernel], s->phases[phase], buf, size);
	else
		figure_text(summary_figure(s, columns[column - 1].m, phase, kernel), column - 1,
			    buf);
}

/* The rows of one value from @row on; a cell has what each of @shape's kernels has. */
static void value_rows(struct table *t, unsigned int row, const struct verified *v,
		       const struct summary *shape)
{
	struct summary *s = v->analysis ? summary_new(v->analysis) : NULL;

	for (unsigned int p = 0; p < shape->n_phases; p++, row++) {
		char *label __cleanup_free =
			xasprintf("%s %s", v->sweep_value, phase_label(shape->phases[p]));

		table_label(t, row, label);
		for (unsigned int c = 0; c < COLUMNS; c++) {
			char *cell = xstrdup(s ? "" : "no result");

			for (unsigned int k = 0; s && k < shape->n_kernels; k++) {
				char *old __cleanup_free = cell;
				char text[NUMBER_TEXT_MAX + 8];

				cell_text(s, p, k, c, text, sizeof(text));
				cell = xasprintf("%s%s%s", old, k ? " / " : "", text);
			}
			table_cell(t, row, c, "%s", cell);
			free(cell);
		}
	}
	if (s)
		summary_free(s);
}

/* "base / patched" */
static char *kernels_text(const struct summary *s)
{
	char *text = xstrdup("");

	for (unsigned int k = 0; k < s->n_kernels; k++) {
		char *old __cleanup_free = text;

		text = xasprintf("%s%s%s", old, k ? " / " : "", kernel_head(s->kernels[k]));
	}
	return text;
}

static void sweep_table(struct out *o, const struct verified *v, unsigned int n,
			const struct summary *shape)
{
	char *kernels __cleanup_free = kernels_text(shape);
	struct table t;

	text_heading(o, "Sweep, a row for each value and phase");
	out_line(o, 4, "  in each cell: %s", kernels);
	out_line(o, 4, "  verdicts: the worst; m/n: m of the n that were judged");
	out_line(o, 4, "  large folios: share of pages in folios above order 0");
	out_line(o, 0, "%s", "");
	table_init(&t, v->sweep_key, n * shape->n_phases, COLUMNS);
	table_head(&t, 0, "verdicts");
	for (unsigned int c = 1; c < COLUMNS; c++)
		table_head(&t, c, columns[c - 1].title);
	for (unsigned int i = 0; i < n; i++)
		value_rows(&t, i * shape->n_phases, &v[i], shape);
	table_print(o, &t);
	table_free(&t);
}

void report_sweep(struct out *o, const struct verified *v, unsigned int n, int exit_status)
{
	const struct verified *first = NULL;
	struct summary *shape;
	char words[256];

	for (unsigned int i = 0; i < n && !first; i++)
		first = v[i].analysis ? &v[i] : NULL;
	if (first) {
		shape = summary_new(first->analysis);
		out_line(o, 2, "%s: %s", first->run->exp ? first->run->exp->name : first->path,
			 first->run->exp ? first->run->exp->summary : "");
		sweep_table(o, v, n, shape);
		summary_free(shape);
	}
	text_heading(o, "Each value's own verdict");
	for (unsigned int i = 0; i < n; i++)
		out_line(o, 4, "  %s: %s (exit status %d)", v[i].sweep_value,
			 v[i].analysis ? status_words(&v[i].tally, words, sizeof(words))
				       : v[i].error.msg,
			 (int)v[i].status);
	text_heading(o, "How to reproduce");
	if (first)
		out_line(o, 6, "  %s", first->run->command);
	out_line(o, 6, "  bin/verify %s  (the report of one value)", v[0].path);
	out_line(o, 0, "%s", "");
	out_line(o, 2, "verdict of all %u values: the worst counts (exit status %d)", n,
		 exit_status);
}
