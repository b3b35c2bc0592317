// SPDX-License-Identifier: GPL-2.0-only
/* One kernel in one phase: where in the file, and when. */
#include <math.h>
#include <string.h>

#include "plot/draw.h"

#define STRIP_WIDTH 12.0
#define STRIP_GAP 4.0
#define MARK_WIDTH 6.0	/* of a window */
#define MARK_HEIGHT 2.6 /* at least */
#define FINDINGS_DRAWN 3u
#define SCALE 2 /* pixels of the image for one of the picture: it may be enlarged */

struct frame {
	const struct plot *plot;
	const struct plot_phase *phase;
	const struct panel *panel;
	struct box b; /* without the strip */
};

static double x_of(const struct frame *f, u64 ns)
{
	return f->b.x + MIN((double)ns / (double)f->phase->duration, 1) * f->b.w;
}

static double y_of(const struct frame *f, double page)
{
	return f->b.y + f->b.h - MIN(page / (double)f->phase->end_page, 1) * f->b.h;
}

/* ---- as shapes ---- */

static void draw_windows(cairo_t *cr, const struct frame *f)
{
	const struct panel *p = f->panel;

	for (unsigned int cause = 0; cause < RA_CAUSES; cause++) {
		bool any = false;

		for (size_t i = 0; i < p->n_windows; i++) {
			const struct plot_window *w = &p->windows[i];
			double y, h;

			if (w->cause != cause || !window_shown(p, w))
				continue;
			y = y_of(f, (double)w->start + w->size);
			h = MAX(y_of(f, (double)w->start) - y, MARK_HEIGHT);
			cairo_rectangle(cr, x_of(f, w->ts), y, MARK_WIDTH, h);
			any = true;
		}
		if (!any)
			continue;
		set_colour(cr, cause_colour(cause), 1);
		cairo_fill(cr);
	}
}

static void draw_faults(cairo_t *cr, const struct frame *f)
{
	const struct panel *p = f->panel;
	const double r = 1.7;

	for (size_t i = 0; i < p->n_faults; i++) {
		double x = x_of(f, p->faults[i].ts), y = y_of(f, (double)p->faults[i].page + 0.5);

		if (p->faults[i].file != p->file || !p->faults[i].waited)
			continue;
		cairo_move_to(cr, x - r, y - r);
		cairo_line_to(cr, x + r, y + r);
		cairo_move_to(cr, x - r, y + r);
		cairo_line_to(cr, x + r, y - r);
	}
	set_colour(cr, FAULT_COLOUR, 1);
	cairo_set_line_width(cr, 0.8);
	cairo_stroke(cr);
}

/* ---- as an image: what falls on one pixel is one mark ---- */

struct image {
	u32 *pixels; /* 0xAARRGGBB */
	int w, h, stride;
};

static void put_pixels(struct image *m, double x, double y, double w, double h, u32 rgb)
{
	int x0 = (int)floor(x * SCALE), x1 = (int)ceil((x + w) * SCALE);
	int y0 = (int)floor(y * SCALE), y1 = (int)ceil((y + h) * SCALE);

	for (int j = MAX(y0, 0); j < MIN(y1, m->h); j++)
		for (int i = MAX(x0, 0); i < MIN(x1, m->w); i++)
			m->pixels[j * m->stride + i] = 0xff000000u | rgb;
}

static void image_marks(struct image *m, const struct frame *f)
{
	const struct panel *p = f->panel;

	for (size_t i = 0; i < p->n_windows; i++) {
		const struct plot_window *w = &p->windows[i];
		double y;

		if (!window_shown(p, w))
			continue;
		y = y_of(f, (double)w->start + w->size);
		put_pixels(m, x_of(f, w->ts) - f->b.x, y - f->b.y, 1,
			   MAX(y_of(f, (double)w->start) - y, 1), cause_colour(w->cause));
	}
	for (size_t i = 0; i < p->n_faults; i++)
		if (p->faults[i].file == p->file && p->faults[i].waited)
			put_pixels(m, x_of(f, p->faults[i].ts) - f->b.x,
				   y_of(f, (double)p->faults[i].page + 0.5) - f->b.y, 0.5, 0.5,
				   FAULT_COLOUR);
}

static void draw_image(cairo_t *cr, const struct frame *f)
{
	int w = (int)f->b.w * SCALE, h = (int)f->b.h * SCALE;
	cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, w, h);
	struct image m = {.w = w, .h = h};

	if (cairo_surface_status(s) == CAIRO_STATUS_SUCCESS) {
		cairo_surface_flush(s);
		m.pixels = (u32 *)(void *)cairo_image_surface_get_data(s);
		m.stride = cairo_image_surface_get_stride(s) / 4;
		image_marks(&m, f);
		cairo_surface_mark_dirty(s);
		cairo_save(cr);
		cairo_translate(cr, f->b.x, f->b.y);
		cairo_scale(cr, 1.0 / SCALE, 1.0 / SCALE);
		cairo_set_source_surface(cr, s, 0, 0);
		cairo_paint(cr);
		cairo_restore(cr);
	}
	cairo_surface_destroy(s);
}

/* ---- around the marks ---- */

/* The folio order at each offset, right of the panel. */
static void draw_strip(cairo_t *cr, const struct frame *f)
{
	const struct plot_strip *s = &f->panel->strip;
	double x = f->b.x + f->b.w + STRIP_GAP;

	for (unsigned int i = 0; i < PLOT_STRIP;) {
		unsigned int n = 1;
		double y;

		while (i + n < PLOT_STRIP && s->order[i + n] == s->order[i])
			n++;
		y = y_of(f, (double)((i + n) * s->step));
		if (s->order[i] != ORDER_UNKNOWN && i * s->step < f->phase->end_page) {
			cairo_rectangle(cr, x, y, STRIP_WIDTH, y_of(f, (double)(i * s->step)) - y);
			set_colour(cr, order_colour(s->order[i]), 1);
			cairo_fill(cr);
		}
		i += n;
	}
	set_colour(cr, 0x888888, 1);
	cairo_set_line_width(cr, 1);
	cairo_rectangle(cr, floor(x) + 0.5, floor(f->b.y) + 0.5, STRIP_WIDTH, f->b.h);
	cairo_stroke(cr);
}

struct finding_drawing {
	cairo_t *cr;
	const struct frame *f;
	const struct result *r;
	unsigned int n;
};

static void draw_finding(void *arg, const struct result *r, const struct finding *x)
{
	struct finding_drawing *d = arg;

	d->n = d->r == r ? d->n + 1 : 0;
	d->r = r;
	if (d->n >= FINDINGS_DRAWN || !x->has_offset || x->ts < d->f->panel->begin_ns)
		return;
	cairo_new_sub_path(d->cr);
	cairo_arc(d->cr, x_of(d->f, x->ts - d->f->panel->begin_ns),
		  y_of(d->f, (double)x->offset / d->f->plot->page_size), 6, 0, 2 * M_PI);
}

static void draw_findings(cairo_t *cr, const struct frame *f)
{
	struct finding_drawing d = {.cr = cr, .f = f};

	panel_findings(f->panel, draw_finding, &d);
	set_colour(cr, 0xffffff, 0.9);
	cairo_set_line_width(cr, 3.5);
	cairo_stroke_preserve(cr);
	set_colour(cr, 0x000000, 1);
	cairo_set_line_width(cr, 1.3);
	cairo_stroke(cr);
}

void draw_panel(cairo_t *cr, const struct box *b, const struct plot *p,
		const struct plot_phase *phase, unsigned int kernel, bool vector)
{
	struct frame f = {.plot = p, .phase = phase, .panel = &phase->panels[kernel], .b = *b};
	struct axis x = axis_time(phase->duration);
	struct axis y = axis_bytes((double)phase->end_page * p->page_size);

	f.b.w -= STRIP_WIDTH + STRIP_GAP;
	set_colour(cr, 0x000000, 1);
	draw_text(cr, b->x, b->y - 18, 12, true, LEFT, f.b.w, kernel_name(p, kernel));
	draw_axes(cr, &f.b, &x, &y);
	set_colour(cr, 0x888888, 1);
	cairo_set_line_width(cr, 1);
	cairo_rectangle(cr, floor(f.b.x) + 0.5, floor(f.b.y) + 0.5, floor(f.b.w), floor(f.b.h));
	cairo_stroke(cr);
	if (!f.panel->n_windows) {
		draw_text(cr, f.b.x + f.b.w / 2, f.b.y + f.b.h / 2 - 8, 12, false, CENTRE, f.b.w,
			  "no readahead window in the trace");
		return;
	}
	draw_strip(cr, &f);
	cairo_save(cr);
	cairo_rectangle(cr, f.b.x - 6, f.b.y - 4, f.b.w + 10, f.b.h + 8);
	cairo_clip(cr);
	if (vector) {
		draw_windows(cr, &f);
		draw_faults(cr, &f);
	} else {
		draw_image(cr, &f);
	}
	draw_findings(cr, &f);
	cairo_restore(cr);
}
