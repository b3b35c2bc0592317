// SPDX-License-Identifier: GPL-2.0-only
/* Before and after: figures by phase and kernel, verdicts by check and kernel. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "verify/checks/check.h"
#include "verify/report/report.h"

static const char *kernel_head(const char *kernel)
{
	return kernel[0] ? kernel : "trace";
}

static const char *phase_label(const char *phase)
{
	return phase[0] ? phase : "whole trace";
}

/* "97", "0.52"; with repeats "97 +- 0", "96.7 +- 0.6" */
static char *number_text(const struct figure *f, int decimals, char *buf, size_t size)
{
	int d = decimals;

	if (!f->n) {
		snprintf(buf, size, "-");
		return buf;
	}
	/* the mean of counts needs a decimal only if it is not a count itself */
	if (!d && f->n > 1 && (f->mean != floor(f->mean) || f->stdev > 0))
		d = 1;
	if (f->n > 1)
		snprintf(buf, size, "%.*f +- %.*f", d, f->mean, d, f->stdev);
	else
		snprintf(buf, size, "%.*f", d, f->mean);
	return buf;
}

static void count_cell(struct table *t, unsigned int row, unsigned int col,
		       const struct analysis *a, const char *kernel, const char *phase,
		       enum metric_id m, int decimals)
{
	struct figure f = figure_of(a, kernel, phase, m);
	char text[64];

	table_cell(t, row, col, "%s", number_text(&f, decimals, text, sizeof(text)));
}

static void ratio_cell(struct table *t, unsigned int row, unsigned int col,
		       const struct analysis *a, const char *kernel, const char *phase)
{
	struct figure f = figure_of(a, kernel, phase, METRIC_DEVICE_RATIO);
	char text[64];

	table_cell(t, row, col, "%s",
		   number_text(&f,
			       f.mean < 100	? 3
			       : f.mean < 10000 ? 1
						: 0,
			       text, sizeof(text)));
}

static void order_cell(struct table *t, unsigned int row, unsigned int col,
		       const struct analysis *a, const char *kernel, const char *phase)
{
	struct figure largest = figure_of(a, kernel, phase, METRIC_LARGEST_ORDER);
	struct figure share = figure_of(a, kernel, phase, METRIC_LARGE_FOLIO_SHARE);
	char text[64];

	if (!largest.n) {
		table_cell(t, row, col, "-");
		return;
	}
	if (largest.mean <= 0) {
		table_cell(t, row, col, "order 0 only");
		return;
	}
	share.mean *= 100;
	share.stdev *= 100;
	/* captures may differ in the largest order: then it is a mean */
	table_cell(t, row, col, "0 to %.*f, %s%%", largest.mean == floor(largest.mean) ? 0 : 1,
		   largest.mean, number_text(&share, 1, text, sizeof(text)));
}

static void marker_cell(struct table *t, unsigned int row, unsigned int col,
			const struct analysis *a, const char *kernel, const char *phase)
{
	struct figure followed = figure_of(a, kernel, phase, METRIC_MARKER_FOLLOWED);
	struct figure idle = figure_of(a, kernel, phase, METRIC_MARKER_IDLE);
	char one[64], two[64];

	table_cell(t, row, col, "%s / %s", number_text(&followed, 0, one, sizeof(one)),
		   number_text(&idle, 0, two, sizeof(two)));
}

enum block { B_FAULTS, B_REQUESTS, B_RATIO, B_ORDERS, B_MARKERS, B_ELAPSED, BLOCKS };

static void block_cell(struct table *t, unsigned int row, unsigned int col, enum block b,
		       const struct analysis *a, const char *kernel, const char *phase)
{
	switch (b) {
	case B_FAULTS:
		count_cell(t, row, col, a, kernel, phase, METRIC_MAJOR_FAULTS, 0);
		break;
	case B_REQUESTS:
		count_cell(t, row, col, a, kernel, phase, METRIC_READ_REQUESTS, 0);
		break;
	case B_RATIO:
		ratio_cell(t, row, col, a, kernel, phase);
		break;
	case B_ORDERS:
		order_cell(t, row, col, a, kernel, phase);
		break;
	case B_MARKERS:
		marker_cell(t, row, col, a, kernel, phase);
		break;
	default:
		count_cell(t, row, col, a, kernel, phase, METRIC_ELAPSED, 2);
		break;
	}
}

static const char *block_title(enum block b, const struct analysis *a)
{
	static const char *const titles[BLOCKS] = {
		[B_FAULTS] = "major faults",
		[B_REQUESTS] = "read requests",
		[B_RATIO] = "bytes read / asked",
		[B_ORDERS] = "folio orders, share of pages in folios above order 0",
		[B_MARKERS] = "marker hits that readahead followed / did not",
		[B_ELAPSED] = "elapsed, s",
	};

	if (b == B_ELAPSED && !strcasecmp(a->captures[0].capture->accel, "tcg"))
		return "elapsed, s (measured under TCG: not a performance claim)";
	return titles[b];
}

/* Nothing but unknown values, or no marker hit anywhere: not worth a table. */
static bool says_nothing(const struct table *t)
{
	for (unsigned int i = 0; i < t->n_rows * t->n_cols; i++)
		if (strcmp(t->cells[i], "-") && strcmp(t->cells[i], "- / -") &&
		    strcmp(t->cells[i], "0 / 0"))
			return false;
	return true;
}

static void print_block(struct out *o, const struct analysis *a, enum block b, const char **kernels,
			unsigned int n_kernels, const char **phases, unsigned int n_phases)
{
	struct table t;

	table_init(&t, block_title(b, a), n_phases, n_kernels);
	for (unsigned int k = 0; k < n_kernels; k++)
		table_head(&t, k, kernel_head(kernels[k]));
	for (unsigned int p = 0; p < n_phases; p++) {
		table_label(&t, p, phase_label(phases[p]));
		for (unsigned int k = 0; k < n_kernels; k++)
			block_cell(&t, p, k, b, a, kernels[k], phases[p]);
	}
	if (!says_nothing(&t)) {
		out_line(o, 0, "%s", "");
		table_print(o, &t);
	}
	table_free(&t);
}

void text_figures(struct out *o, const struct analysis *a)
{
	const char **kernels __cleanup_free, **phases __cleanup_free;
	unsigned int n_kernels = analysis_kernels(a, &kernels);
	unsigned int n_phases = analysis_phases(a, &phases);
	const struct capture *c = a->captures[0].capture;
	bool repeats = a->n_captures > n_kernels;

	if (!n_phases)
		return;
	out_line(o, 0, "%s", "");
	out_line(o, 0, "%s", n_kernels > 1 ? "What changed" : "What was counted");
	if (repeats)
		out_line(o, 2, "  mean +- standard deviation over %u boots of each kernel",
			 a->n_captures / n_kernels);
	if (c->has_json)
		out_line(o, 2, "  requests and bytes are those of the %s",
			 c->blktrace ? "device, as QEMU saw them" : "guest");
	for (enum block b = 0; b < BLOCKS; b++)
		print_block(o, a, b, kernels, n_kernels, phases, n_phases);
}

/* "FAIL 3/3 expected": the worst verdict, in how many of the phases and boots */
static void verdict_cell(struct table *t, unsigned int row, unsigned int col, const struct cell *c,
			 bool experiment)
{
	unsigned int judged = c->verdicts[VERDICT_PASS] + c->verdicts[VERDICT_FAIL] +
			      c->verdicts[VERDICT_INCONCLUSIVE];
	enum verdict worst = c->verdicts[VERDICT_FAIL]		 ? VERDICT_FAIL
			     : c->verdicts[VERDICT_INCONCLUSIVE] ? VERDICT_INCONCLUSIVE
								 : VERDICT_PASS;
	const char *expected = "";

	if (!judged) {
		table_cell(t, row, col, "n/a%s",
			   c->outcomes[OUTCOME_NOT_SHOWN] ? " UNEXPECTED" : "");
		return;
	}
	if (experiment && (c->outcomes[OUTCOME_VIOLATED] || c->outcomes[OUTCOME_NOT_SHOWN]))
		expected = " UNEXPECTED";
	else if (experiment && worst == VERDICT_FAIL && c->outcomes[OUTCOME_MET])
		expected = " expected";
	table_cell(t, row, col, "%s %u/%u%s", verdict_name(worst), c->verdicts[worst], judged,
		   expected);
}

void text_matrix(struct out *o, const struct analysis *a)
{
	const char **kernels __cleanup_free;
	const struct check **checks __cleanup_free;
	unsigned int n_kernels = analysis_kernels(a, &kernels);
	unsigned int n_checks = analysis_checks(a, &checks);
	unsigned int rows = 0;
	struct table t;

	out_line(o, 0, "%s", "");
	out_line(o, 0, "Verdicts (m/n: in m of the n phases and boots that were judged)");
	table_init(&t, "", n_checks, n_kernels);
	for (unsigned int k = 0; k < n_kernels; k++)
		table_head(&t, k, kernel_head(kernels[k]));
	for (unsigned int i = 0; i < n_checks; i++) {
		unsigned int na = 0, all = 0;

		for (unsigned int k = 0; k < n_kernels; k++) {
			struct cell c = cell_of(a, kernels[k], checks[i]);

			verdict_cell(&t, rows, k, &c, a->run->has_json);
			na += c.verdicts[VERDICT_NA] -
			      (c.outcomes[OUTCOME_NOT_SHOWN] && c.verdicts[VERDICT_NA]);
			for (unsigned int v = 0; v <= VERDICT_NA; v++)
				all += c.verdicts[v];
		}
		/* what applies nowhere is listed with its reason further down */
		if (na < all)
			table_label(&t, rows++, checks[i]->name);
	}
	if (rows) {
		unsigned int made = t.n_rows;

		t.n_rows = rows;
		table_print(o, &t);
		t.n_rows = made;
	} else {
		out_line(o, 2, "  nothing was checked");
	}
	table_free(&t);
}

/* Phases that must not change say nothing about the changed path. */
static bool phase_counts(const struct analysis *a, const char *name)
{
	const struct experiment *exp = a->run->exp;

	for (unsigned int i = 0; exp && i < exp->n_phases; i++)
		if (!strcmp(exp->phases[i].name, name))
			return !exp->phases[i].unaffected;
	return true;
}

enum { ROW_HITS = RA_CAUSES, ROW_FOLLOWED, ROW_IDLE, PATH_ROWS };

static u64 path_value(const struct phase_stats *s, unsigned int row)
{
	switch (row) {
	case ROW_HITS:
		return s->marker_hits;
	case ROW_FOLLOWED:
		return s->marker_hits - MIN(s->marker_hits, s->marker_hits_idle);
	case ROW_IDLE:
		return s->marker_hits_idle;
	default:
		return s->windows[row];
	}
}

static struct figure path_figure(const struct analysis *a, const char *kernel, unsigned int row)
{
	double *values __cleanup_free = xcalloc(a->n_captures, sizeof(*values));
	struct figure f = {0};

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];

		if (strcmp(c->capture->kernel, kernel))
			continue;
		for (unsigned int j = 0; j < c->n_phases; j++)
			if (phase_counts(a, c->phases[j].name))
				values[f.n] += (double)path_value(&c->phases[j], row);
		f.mean += values[f.n++];
	}
	f.mean /= MAX(f.n, 1u);
	for (unsigned int i = 0; i < f.n; i++)
		f.stdev += (values[i] - f.mean) * (values[i] - f.mean);
	f.stdev = f.n > 1 ? sqrt(f.stdev / (f.n - 1)) : 0;
	return f;
}

void text_path_hit(struct out *o, const struct analysis *a)
{
	const char **kernels __cleanup_free;
	unsigned int n_kernels = analysis_kernels(a, &kernels), rows = 0;
	bool differ = false;
	struct table t;

	table_init(&t, "windows by cause", PATH_ROWS, n_kernels);
	for (unsigned int k = 0; k < n_kernels; k++)
		table_head(&t, k, kernel_head(kernels[k]));
	for (unsigned int r = 0; r < PATH_ROWS; r++) {
		double first = 0;
		bool any = false;

		for (unsigned int k = 0; k < n_kernels; k++) {
			struct figure f = path_figure(a, kernels[k], r);
			char text[64];

			table_cell(&t, rows, k, "%s", number_text(&f, 0, text, sizeof(text)));
			any = any || f.mean > 0;
			if (!k)
				first = f.mean;
			else if (f.mean != first)
				differ = true;
		}
		if (any)
			table_label(&t, rows++,
				    r == ROW_HITS	? "marker hits"
				    : r == ROW_FOLLOWED ? "... readahead followed"
				    : r == ROW_IDLE	? "... nothing followed"
							: ra_cause_name(r));
	}
	out_line(o, 0, "%s", "");
	out_line(o, 2, "%s",
		 n_kernels > 1 ? "Was the changed path hit (phases that may change)"
			       : "Readahead decisions");
	if (rows) {
		t.n_rows = rows;
		table_print(o, &t);
		t.n_rows = PATH_ROWS;
	} else {
		out_line(o, 2, "  no readahead decision is in the trace");
	}
	if (n_kernels > 1 && !differ)
		out_line(o, 2, "  No difference: nothing here shows that the changed code ran.");
	table_free(&t);
}
