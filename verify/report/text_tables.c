// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures by phase and kernel: before and after, and the costs.  A table is one
 * line in blocks[]: a metric and its title, or a function for a cell that shows
 * two of them.
 */
#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "verify/report/report.h"

const char *kernel_head(const char *kernel)
{
	return kernel[0] ? kernel : "trace";
}

const char *phase_label(const char *phase)
{
	return phase[0] ? phase : "whole trace";
}

const char *number_text(const struct figure *f, int decimals, char *buf)
{
	int d = decimals;

	if (!f->n) {
		snprintf(buf, NUMBER_TEXT_MAX, "-");
		return buf;
	}
	if (d == DECIMALS_BY_SIZE)
		d = fabs(f->mean) < 100 ? 3 : fabs(f->mean) < 10000 ? 1 : 0;
	/* the mean of counts needs a decimal only if it is not a count itself */
	if (!d && f->n > 1 && decimals != DECIMALS_BY_SIZE &&
	    (f->mean != floor(f->mean) || f->stdev > 0))
		d = 1;
	if (f->n > 1)
		snprintf(buf, NUMBER_TEXT_MAX, "%.*f +- %.*f", d, f->mean, d, f->stdev);
	else
		snprintf(buf, NUMBER_TEXT_MAX, "%.*f", d, f->mean);
	/* what rounds to nothing has no sign */
	if (buf[0] == '-' && !strpbrk(buf, "123456789"))
		memmove(buf, buf + 1, strlen(buf));
	return buf;
}

enum section { CHANGE, COST };

struct block {
	enum section section;
	bool time;		  /* says nothing about real machines under TCG */
	const char *title;	  /* NULL: the metric's */
	enum metric_id m, second; /* those that the cells show; second: may be the same */
	/* NULL: the metric's number */
	void (*text)(const struct summary *s, unsigned int phase, unsigned int kernel, char *buf,
		     size_t size);
};

static void order_text(const struct summary *s, unsigned int phase, unsigned int kernel, char *buf,
		       size_t size)
{
	const struct figure *largest = summary_figure(s, METRIC_LARGEST_ORDER, phase, kernel);
	struct figure share = *summary_figure(s, METRIC_LARGE_FOLIO_SHARE, phase, kernel);
	char text[NUMBER_TEXT_MAX];

	if (!largest->n) {
		snprintf(buf, size, "-");
		return;
	}
	if (largest->mean <= 0) {
		snprintf(buf, size, "order 0 only");
		return;
	}
	share.mean *= 100;
	share.stdev *= 100;
	/* captures may differ in the largest order: then it is a mean */
	snprintf(buf, size, "0 to %.*f, %s%%", largest->mean == floor(largest->mean) ? 0 : 1,
		 largest->mean, number_text(&share, 1, text));
}

static void marker_text(const struct summary *s, unsigned int phase, unsigned int kernel, char *buf,
			size_t size)
{
	char one[NUMBER_TEXT_MAX], two[NUMBER_TEXT_MAX];

	snprintf(buf, size, "%s / %s",
		 number_text(summary_figure(s, METRIC_MARKER_FOLLOWED, phase, kernel), 0, one),
		 number_text(summary_figure(s, METRIC_MARKER_IDLE, phase, kernel), 0, two));
}

static const struct block blocks[] = {
	{CHANGE, false, NULL, METRIC_MAJOR_FAULTS, METRIC_MAJOR_FAULTS, NULL},
	{CHANGE, false, NULL, METRIC_READ_REQUESTS, METRIC_READ_REQUESTS, NULL},
	{CHANGE, false, NULL, METRIC_DEVICE_RATIO, METRIC_DEVICE_RATIO, NULL},
	{CHANGE, false, "folio orders, share of pages in folios above order 0",
	 METRIC_LARGEST_ORDER, METRIC_LARGE_FOLIO_SHARE, order_text},
	{CHANGE, false, "marker hits that readahead followed / did not", METRIC_MARKER_FOLLOWED,
	 METRIC_MARKER_IDLE, marker_text},
	{CHANGE, true, NULL, METRIC_ELAPSED, METRIC_ELAPSED, NULL},
	{COST, true, NULL, METRIC_SYSTEM, METRIC_SYSTEM, NULL},
	{COST, false, NULL, METRIC_EXTRA, METRIC_EXTRA, NULL},
	{COST, false, NULL, METRIC_UNUSED, METRIC_UNUSED, NULL},
	{COST, false, NULL, METRIC_CACHED, METRIC_CACHED, NULL},
	{COST, false, NULL, METRIC_MEMORY, METRIC_MEMORY, NULL},
};

static bool differs(const struct summary *s, const struct block *b, unsigned int phase,
		    unsigned int kernel)
{
	return summary_differs(s, b->m, phase, kernel) ||
	       summary_differs(s, b->second, phase, kernel);
}

static bool any_differs(const struct summary *s, const struct block *b)
{
	for (unsigned int p = 0; p < s->n_phases; p++)
		for (unsigned int k = 0; k < s->n_kernels; k++)
			if (differs(s, b, p, k))
				return true;
	return false;
}

static bool lossy(const struct summary *s, const struct block *b, unsigned int phase,
		  unsigned int kernel)
{
	return summary_lossy(s, b->m, phase, kernel) || summary_lossy(s, b->second, phase, kernel);
}

static bool column_lossy(const struct summary *s, const struct block *b, unsigned int kernel)
{
	for (unsigned int p = 0; p < s->n_phases; p++)
		if (lossy(s, b, p, kernel))
			return true;
	return false;
}

static bool any_lossy(const struct summary *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		for (unsigned int p = 0; p < s->n_phases; p++)
			for (unsigned int k = 0; k < s->n_kernels; k++)
				if (lossy(s, &blocks[i], p, k))
					return true;
	return false;
}

static void block_title(const struct summary *s, const struct block *b, char *buf, size_t size)
{
	bool tcg = false;

	for (unsigned int i = 0; i < s->a->n_captures; i++)
		tcg |= !strcasecmp(s->a->captures[i].capture->accel, "tcg");
	snprintf(buf, size, "%s%s", b->title ? b->title : metrics[b->m].title,
		 b->time && tcg ? " (measured under TCG: not a performance claim)" : "");
}

/* Nothing but unknown values and zeros: not worth a table. */
static bool says_nothing(const struct summary *s, const struct block *b)
{
	for (unsigned int p = 0; p < s->n_phases; p++) {
		for (unsigned int k = 0; k < s->n_kernels; k++) {
			const struct figure *f = summary_figure(s, b->m, p, k);
			const struct figure *g = summary_figure(s, b->second, p, k);

			if ((f->n && (f->mean != 0 || f->stdev > 0)) ||
			    (g->n && (g->mean != 0 || g->stdev > 0)))
				return false;
		}
	}
	/* that there is none of it is worth saying, but of marker hits */
	for (unsigned int i = 0; i < s->n_phases * s->n_kernels; i++)
		if (summary_figure(s, b->m, i / s->n_kernels, i % s->n_kernels)->n)
			return b->m == METRIC_MARKER_FOLLOWED;
	return true;
}

static void print_block(struct out *o, const struct summary *s, const struct block *b)
{
	bool differ = any_differs(s, b);
	char title[160], text[2 * NUMBER_TEXT_MAX + 40];
	struct table t;

	if (says_nothing(s, b))
		return;
	block_title(s, b, title, sizeof(title));
	table_init(&t, title, s->n_phases, s->n_kernels);
	for (unsigned int k = 0; k < s->n_kernels; k++)
		table_head(&t, k, kernel_head(s->kernels[k]));
	for (unsigned int p = 0; p < s->n_phases; p++) {
		table_label(&t, p, phase_label(s->phases[p]));
		for (unsigned int k = 0; k < s->n_kernels; k++) {
			bool mark =
				(differ && summary_reference(s, k) != k) || column_lossy(s, b, k);

			if (b->text)
				b->text(s, p, k, text, sizeof(text));
			else
				number_text(summary_figure(s, b->m, p, k), metrics[b->m].decimals,
					    text);
			/* beside what a column without marks is aligned with */
			table_cell(&t, p, k, "%s%s", text,
				   lossy(s, b, p, k)	 ? " ?"
				   : differs(s, b, p, k) ? " *"
				   : mark		 ? "  "
							 : "");
		}
	}
	out_line(o, 0, "%s", "");
	table_print(o, &t);
	table_free(&t);
}

static void print_section(struct out *o, const struct summary *s, enum section section)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		if (blocks[i].section != section)
			continue;
		if (blocks[i].m == METRIC_DEVICE_RATIO && s->a->captures[0].capture->osd)
			text_osd_bytes(o, s);
		else
			print_block(o, s, &blocks[i]);
	}
}

/* What the numbers are means of, and when a difference is called one. */
static void method_lines(struct out *o, const struct summary *s)
{
	unsigned int least = UINT_MAX, most = 0;

	for (unsigned int k = 0; k < s->n_kernels; k++) {
		least = MIN(least, s->captures[k]);
		most = MAX(most, s->captures[k]);
	}
	if (most > 1 && least == most)
		out_line(o, 2, "  mean +- standard deviation over n = %u boots of each kernel",
			 most);
	else if (most > 1)
		out_line(o, 2, "  mean +- standard deviation over n = %u to %u boots of a kernel",
			 least, most);
	if (any_lossy(s))
		out_line(o, 4,
			 "  ? of those events that were recorded: some were lost, see above; %s",
			 s->n_kernels > 1 ? "no difference is called one" : "there may be more");
	if (s->n_kernels < 2)
		return;
	if (s->n_tests)
		out_line(o, 4,
			 "  * differs from %s by more than noise: " NOISE_TEST
			 " over the %u comparisons of this report, p < %g",
			 s->a->pairs ? "the column before it" : kernel_head(s->kernels[0]),
			 s->n_tests, NOISE_LEVEL);
	else
		out_line(o, 4,
			 "  n = 1: no difference here is told from noise; REPEAT=3 or more boots "
			 "of each kernel can");
}

const char *requests_witness(const struct capture *c)
{
	if (!c->has_json)
		return "the trace";
	return c->osd ? "the OSDs" : c->blktrace ? "the device, as QEMU saw them" : "the guest";
}

/* In a comparison, one side may have been seen by another. */
static bool one_witness(const struct analysis *a)
{
	for (unsigned int i = 1; i < a->n_captures; i++)
		if (strcmp(requests_witness(a->captures[0].capture),
			   requests_witness(a->captures[i].capture)))
			return false;
	return true;
}

void text_figures(struct out *o, const struct summary *s)
{
	const struct capture *c = s->a->captures[0].capture;

	if (!s->n_phases)
		return;
	text_heading(o, s->n_kernels > 1 ? "What changed" : "What was counted");
	method_lines(o, s);
	if (!one_witness(s->a))
		out_line(o, 4,
			 "  requests and bytes are not those of one witness, see above: what is "
			 "issued may be split or merged before the device");
	else if (c->has_json)
		out_line(o, 2, "  requests and bytes are those of %s", requests_witness(c));
	if (s->a->run->nfs_version[0])
		out_line(o, 4, "  requests of a root file system on NFS are READ calls");
	print_section(o, s, CHANGE);
}

void text_costs(struct out *o, const struct summary *s)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		any |= blocks[i].section == COST && !says_nothing(s, &blocks[i]);
	if (!any)
		return;
	text_heading(o, "What it costs");
	print_section(o, s, COST);
}
