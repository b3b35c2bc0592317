// SPDX-License-Identifier: GPL-2.0-only
/* Requests by size and pages by folio order: bars of all kernels side by side. */
#include <math.h>
#include <string.h>

#include "lib/size.h"
#include "plot/draw.h"

#define BINS_MAX 20u
#define GROUP_SHARE 0.8 /* of the room between two groups, for the bars */

struct histogram {
	const char *title, *name;
	unsigned int first, last; /* bins that are shown */
	bool known;
	double *values; /* [kernel * BINS_MAX + bin] */
	void (*label)(unsigned int bin, char *buf, size_t size);
};

static void find_range(struct histogram *h, unsigned int n_kernels)
{
	h->first = BINS_MAX;
	for (unsigned int i = 0; i < n_kernels * BINS_MAX; i++) {
		if (h->values[i] <= 0)
			continue;
		h->first = MIN(h->first, i % BINS_MAX);
		h->last = MAX(h->last, i % BINS_MAX);
	}
	h->known = h->first < BINS_MAX;
	/* one lone bar looks like a mistake */
	if (h->known && h->last - h->first < 3)
		h->last = MIN(h->first + 3, BINS_MAX - 1);
}

static double largest(const struct histogram *h, unsigned int n_kernels)
{
	double max = 0;

	for (unsigned int i = 0; i < n_kernels * BINS_MAX; i++)
		max = MAX(max, h->values[i]);
	return max;
}

static void draw_bars(cairo_t *cr, const struct box *b, const struct histogram *h,
		      unsigned int n_kernels, double max)
{
	double step = b->w / (h->last - h->first + 1), bar = step * GROUP_SHARE / n_kernels;

	for (unsigned int k = 0; k < n_kernels; k++) {
		for (unsigned int i = h->first; i <= h->last; i++) {
			double v = h->values[k * BINS_MAX + i] / max * b->h;

			/* what is there is seen */
			if (v > 0)
				v = MAX(v, 1.5);
			cairo_rectangle(cr,
					b->x + (i - h->first) * step +
						step * (1 - GROUP_SHARE) / 2 + k * bar,
					b->y + b->h - v, bar, v);
		}
		set_colour(cr, kernel_colour(k), 1);
		cairo_fill(cr);
	}
}

static void draw_labels(cairo_t *cr, const struct box *b, const struct histogram *h)
{
	double step = b->w / (h->last - h->first + 1);
	unsigned int every = MAX(1u, (unsigned int)ceil(30 / step));

	set_colour(cr, 0x444444, 1);
	for (unsigned int i = h->first; i <= h->last; i += every) {
		char text[40];

		h->label(i, text, sizeof(text));
		draw_text(cr, b->x + (i - h->first + 0.5) * step, b->y + b->h + 3, 10, false,
			  CENTRE, 0, text);
	}
	draw_text(cr, b->x + b->w / 2, b->y + b->h + 16, 11, false, CENTRE, 0, h->name);
}

static void draw_histogram(cairo_t *cr, const struct box *b, struct histogram *h,
			   unsigned int n_kernels)
{
	struct axis y;
	double max = largest(h, n_kernels);

	find_range(h, n_kernels);
	set_colour(cr, 0x000000, 1);
	draw_text(cr, b->x - 40, b->y - 18, 11, true, LEFT, b->w + 40, h->title);
	if (!h->known) {
		set_colour(cr, 0x444444, 1);
		draw_text(cr, b->x + b->w / 2, b->y + b->h / 2 - 7, 11, false, CENTRE, 0,
			  "not known from this trace");
		return;
	}
	y = axis_count(max, "");
	draw_y_axis(cr, b, &y);
	draw_bars(cr, b, h, n_kernels, y.max);
	set_colour(cr, 0x888888, 1);
	cairo_set_line_width(cr, 1);
	cairo_move_to(cr, b->x, floor(b->y + b->h) + 0.5);
	cairo_line_to(cr, b->x + b->w, floor(b->y + b->h) + 0.5);
	cairo_stroke(cr);
	draw_labels(cr, b, h);
}

static void size_label(unsigned int bin, char *buf, size_t size)
{
	char text[SIZE_TEXT_MAX], *p;

	if (bin == SIZE_CLASSES - 1) {
		snprintf(buf, size, "more");
		return;
	}
	/* "4 KiB" as "4K" */
	size_text(size_class_bytes(bin), text);
	p = strchr(text, ' ');
	if (p && p[1] != 'B')
		snprintf(p, 2, "%c", p[1]);
	else if (p)
		*p = '\0';
	snprintf(buf, size, "%s", text);
}

void draw_request_histogram(cairo_t *cr, const struct box *b, const struct plot *p,
			    const struct plot_phase *phase)
{
	double *values __cleanup_free = xcalloc((size_t)p->n_kernels * BINS_MAX, sizeof(*values));
	struct histogram h = {.title = "read requests",
			      .name = "size, up to (bytes)",
			      .values = values,
			      .label = size_label};

	_Static_assert(SIZE_CLASSES <= BINS_MAX && ORDERS_MAX <= BINS_MAX, "bins");
	for (unsigned int k = 0; k < p->n_kernels; k++) {
		u64 counts[SIZE_CLASSES];

		if (request_counts(&phase->panels[k], counts))
			for (unsigned int i = 0; i < SIZE_CLASSES; i++)
				values[k * BINS_MAX + i] = (double)counts[i];
	}
	draw_histogram(cr, b, &h, p->n_kernels);
}

static void order_label(unsigned int bin, char *buf, size_t size)
{
	snprintf(buf, size, "%u", bin);
}

void draw_order_histogram(cairo_t *cr, const struct box *b, const struct plot *p,
			  const struct plot_phase *phase)
{
	double *values __cleanup_free = xcalloc((size_t)p->n_kernels * BINS_MAX, sizeof(*values));
	struct histogram h = {.title = "pages added, %",
			      .name = "folio order",
			      .values = values,
			      .label = order_label};

	for (unsigned int k = 0; k < p->n_kernels; k++) {
		u64 pages[ORDERS_MAX];
		double all = 0;

		if (!order_pages_of(&phase->panels[k], pages))
			continue;
		for (unsigned int i = 0; i < ORDERS_MAX; i++)
			all += (double)pages[i];
		for (unsigned int i = 0; i < ORDERS_MAX; i++)
			values[k * BINS_MAX + i] = 100 * (double)pages[i] / all;
	}
	draw_histogram(cr, b, &h, p->n_kernels);
}
