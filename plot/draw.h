/* SPDX-License-Identifier: GPL-2.0-only */
/* Drawing on any cairo surface; lengths are pixels of a picture PICTURE_WIDTH wide. */
#ifndef BP_PLOT_DRAW_H
#define BP_PLOT_DRAW_H

#include <cairo.h>

#include "plot/style.h"

#define PICTURE_WIDTH 1000

struct box {
	double x, y, w, h;
};

/* A range of numbers along one side of a box. */
struct axis {
	double max;    /* from 0 */
	double step;   /* between ticks */
	double unit;   /* that a label counts */
	int decimals;  /* of a label */
	char name[40]; /* with its unit */
};

void set_colour(cairo_t *cr, u32 rgb, double alpha);

enum align { LEFT, CENTRE, RIGHT };
/* Text of @px pixels' height whose baseline box starts at @y; cut with "..." beyond @width (0:
 * never). */
void draw_text(cairo_t *cr, double x, double y, double px, bool bold, enum align align,
	       double width, const char *text);
double text_width(cairo_t *cr, double px, bool bold, const char *text);

struct axis axis_time(u64 ns);
struct axis axis_bytes(double bytes);
struct axis axis_count(double max, const char *name);
void draw_axes(cairo_t *cr, const struct box *b, const struct axis *x, const struct axis *y);
/* Ticks, lines and labels on the left; the name is the caller's. */
void draw_y_axis(cairo_t *cr, const struct box *b, const struct axis *y);

/* Windows, faults and findings over time; @vector: as shapes, else as an image. */
void draw_panel(cairo_t *cr, const struct box *b, const struct plot *p,
		const struct plot_phase *phase, unsigned int kernel, bool vector);
void draw_request_histogram(cairo_t *cr, const struct box *b, const struct plot *p,
			    const struct plot_phase *phase);
void draw_order_histogram(cairo_t *cr, const struct box *b, const struct plot *p,
			  const struct plot_phase *phase);

/* The height of the whole picture; and the picture. */
double picture_height(const struct plot *p);
void draw_picture(cairo_t *cr, const struct plot *p);

#endif
