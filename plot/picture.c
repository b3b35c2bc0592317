// SPDX-License-Identifier: GPL-2.0-only
/* Where everything goes on the picture: a head with the legend, then a row per phase. */
#include <math.h>
#include <string.h>

#include "plot/draw.h"
#include "verify/report/report.h"

#define MARGIN 14.0
#define HEAD 96.0
#define PANELS_RIGHT 690.0 /* panels stand left of it, histograms right of it */
#define PHASE_HEAD 42.0
#define PANEL_HEIGHT 200.0
#define PANEL_FOOT 44.0
#define AXIS_ROOM 62.0 /* left of a panel */
#define COLUMNS 2u     /* of panels */

/* So many marks are drawn as shapes, in all panels together; above, panels are images. */
#define SHAPES_MAX 9000u

static unsigned int panel_rows(const struct plot *p)
{
	return (p->n_kernels + COLUMNS - 1) / COLUMNS;
}

static double phase_height(const struct plot *p)
{
	return PHASE_HEAD + panel_rows(p) * (PANEL_HEIGHT + PANEL_FOOT) + (panel_rows(p) - 1) * 18;
}

double picture_height(const struct plot *p)
{
	return HEAD + p->n_phases * phase_height(p) + MARGIN;
}

/* ---- the head ---- */

static double legend_word(cairo_t *cr, double x, double y, const char *text)
{
	set_colour(cr, 0x222222, 1);
	draw_text(cr, x, y - 7, 11, false, LEFT, 0, text);
	return x + text_width(cr, 11, false, text) + 16;
}

static bool cause_used(const struct plot *p, unsigned int cause)
{
	for (unsigned int i = 0; i < p->n_phases; i++)
		for (unsigned int k = 0; k < p->n_kernels; k++)
			if (p->phases[i].panels[k].stats &&
			    p->phases[i].panels[k].stats->windows[cause])
				return true;
	return false;
}

static void draw_marks_legend(cairo_t *cr, const struct plot *p, double y)
{
	double x = MARGIN;

	x = legend_word(cr, x, y, "readahead windows by cause:");
	for (unsigned int c = 0; c < RA_CAUSES; c++) {
		if (!cause_used(p, c))
			continue;
		set_colour(cr, cause_colour(c), 1);
		cairo_rectangle(cr, x, y - 5, 11, 11);
		cairo_fill(cr);
		x = legend_word(cr, x + 16, y, ra_cause_name(c));
	}
	set_colour(cr, FAULT_COLOUR, 1);
	cairo_set_line_width(cr, 1.2);
	cairo_move_to(cr, x, y - 3);
	cairo_line_to(cr, x + 7, y + 4);
	cairo_move_to(cr, x, y + 4);
	cairo_line_to(cr, x + 7, y - 3);
	cairo_stroke(cr);
	x = legend_word(cr, x + 12, y, "fault that waited");
	cairo_new_path(cr);
	cairo_arc(cr, x + 5, y + 0.5, 5.5, 0, 2 * M_PI);
	set_colour(cr, 0x000000, 1);
	cairo_stroke(cr);
	legend_word(cr, x + 16, y, "place of a finding");
}

static void draw_orders_legend(cairo_t *cr, const struct plot *p, double y)
{
	double x = legend_word(cr, MARGIN, y, "strip: largest folio order at the offset:") - 8;

	for (unsigned int i = 0; i < ORDER_SHADES; i++, x += 22) {
		char text[8];

		set_colour(cr, order_colour(i), 1);
		cairo_rectangle(cr, x, y - 7, 22, 14);
		cairo_fill(cr);
		set_colour(cr, i < 7 ? 0xffffff : 0x000000, 1);
		snprintf(text, sizeof(text), "%u%s", i, i == ORDER_SHADES - 1 ? "+" : "");
		draw_text(cr, x + 11, y - 7, 10, false, CENTRE, 0, text);
	}
	x = legend_word(cr, x + 20, y, "bars:");
	for (unsigned int k = 0; k < p->n_kernels && x < PICTURE_WIDTH - 60; k++) {
		set_colour(cr, kernel_colour(k), 1);
		cairo_rectangle(cr, x, y - 5, 11, 11);
		cairo_fill(cr);
		x = legend_word(cr, x + 16, y, kernel_name(p, k));
	}
}

static void draw_head(cairo_t *cr, const struct plot *p)
{
	char *title __cleanup_free = plot_title(p), *sub __cleanup_free = plot_subtitle(p);

	set_colour(cr, 0x000000, 1);
	draw_text(cr, MARGIN, 10, 16, true, LEFT, PICTURE_WIDTH - 2 * MARGIN, title);
	set_colour(cr, 0x444444, 1);
	draw_text(cr, MARGIN, 33, 12, false, LEFT, PICTURE_WIDTH - 2 * MARGIN, sub);
	draw_marks_legend(cr, p, 62);
	draw_orders_legend(cr, p, 84);
}

/* ---- a phase ---- */

static void draw_phase(cairo_t *cr, const struct plot *p, const struct plot_phase *phase, double y,
		       size_t shapes)
{
	unsigned int columns = MIN(p->n_kernels, COLUMNS);
	double room = (PANELS_RIGHT - MARGIN) / columns;
	char *title __cleanup_free = phase_title(p, phase);
	struct box b;

	set_colour(cr, 0xdddddd, 1);
	cairo_set_line_width(cr, 1);
	cairo_move_to(cr, MARGIN, floor(y) + 4.5);
	cairo_line_to(cr, PICTURE_WIDTH - MARGIN, floor(y) + 4.5);
	cairo_stroke(cr);
	set_colour(cr, 0x000000, 1);
	draw_text(cr, MARGIN, y + 7, 13, true, LEFT, PICTURE_WIDTH - 2 * MARGIN, title);
	y += PHASE_HEAD;
	for (unsigned int k = 0; k < p->n_kernels; k++) {
		b = (struct box){MARGIN + (k % columns) * room + AXIS_ROOM,
				 y + (k / columns) * (PANEL_HEIGHT + PANEL_FOOT + 18),
				 room - AXIS_ROOM - 8, PANEL_HEIGHT};
		draw_panel(cr, &b, p, phase, k, panel_marks(&phase->panels[k]) <= shapes);
	}
	b = (struct box){PANELS_RIGHT + 60, y, PICTURE_WIDTH - PANELS_RIGHT - 60 - MARGIN, 76};
	draw_request_histogram(cr, &b, p, phase);
	b.y += 76 + 52;
	b.h = 72;
	draw_order_histogram(cr, &b, p, phase);
}

void draw_picture(cairo_t *cr, const struct plot *p)
{
	size_t panels = (size_t)p->n_phases * p->n_kernels;

	set_colour(cr, 0xffffff, 1);
	cairo_paint(cr);
	draw_head(cr, p);
	for (unsigned int i = 0; i < p->n_phases; i++)
		draw_phase(cr, p, &p->phases[i], HEAD + i * phase_height(p), SHAPES_MAX / panels);
}
