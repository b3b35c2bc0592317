// SPDX-License-Identifier: GPL-2.0-only
/* Text, ticks and labels. */
#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

/* glib's, which are ours as well */
#undef MIN
#undef MAX

#include "plot/draw.h"

void set_colour(cairo_t *cr, u32 rgb, double alpha)
{
	cairo_set_source_rgba(cr, (rgb >> 16) / 255.0, (rgb >> 8 & 0xff) / 255.0,
			      (rgb & 0xff) / 255.0, alpha);
}

static PangoLayout *make_layout(cairo_t *cr, double px, bool bold, const char *text)
{
	PangoLayout *layout = pango_cairo_create_layout(cr);
	PangoFontDescription *font = pango_font_description_from_string("Sans");

	pango_font_description_set_absolute_size(font, px * PANGO_SCALE);
	if (bold)
		pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
	pango_layout_set_font_description(layout, font);
	pango_layout_set_single_paragraph_mode(layout, TRUE);
	pango_layout_set_text(layout, text, -1);
	pango_font_description_free(font);
	return layout;
}

void draw_text(cairo_t *cr, double x, double y, double px, bool bold, enum align align,
	       double width, const char *text)
{
	PangoLayout *layout = make_layout(cr, px, bold, text);
	int w, h;

	if (width > 0) {
		pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
		pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
	}
	pango_layout_get_size(layout, &w, &h);
	if (align != LEFT)
		x -= (align == RIGHT ? 1.0 : 0.5) * w / PANGO_SCALE;
	cairo_move_to(cr, x, y);
	pango_cairo_show_layout(cr, layout);
	g_object_unref(layout);
}

double text_width(cairo_t *cr, double px, bool bold, const char *text)
{
	PangoLayout *layout = make_layout(cr, px, bold, text);
	int w, h;

	pango_layout_get_size(layout, &w, &h);
	g_object_unref(layout);
	return (double)w / PANGO_SCALE;
}

/* 1, 2 or 5 times a power of ten, so that there are at most @ticks of them. */
static double decimal_step(double max, int ticks)
{
	double step = pow(10, floor(log10(max / ticks)));

	for (int i = 0; i < 4; i++) {
		static const double factors[] = {1, 2, 5, 10};

		if (max / (step * factors[i]) <= ticks)
			return step * factors[i];
	}
	return step * 20;
}

static int decimals_of(double step)
{
	return step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
}

struct axis axis_time(u64 ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
	double max = (double)ns;
	size_t u = 0;
	struct axis a = {.max = max};

	while (u + 1 < ARRAY_SIZE(units) && max < units[u].ns)
		u++;
	a.unit = units[u].ns;
	a.step = decimal_step(max / a.unit, 6);
	a.decimals = decimals_of(a.step);
	a.step *= a.unit;
	snprintf(a.name, sizeof(a.name), "time since the phase began, %s", units[u].name);
	return a;
}

struct axis axis_bytes(double bytes)
{
	static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned int u = 0;
	struct axis a = {.max = bytes, .unit = 1};

	while (u + 1 < ARRAY_SIZE(names) && bytes / a.unit >= 2048) {
		a.unit *= 1024;
		u++;
	}
	/* powers of two are where files are divided */
	for (a.step = a.unit; a.max / a.step > 6; a.step *= 2)
		;
	snprintf(a.name, sizeof(a.name), "file offset, %s", names[u]);
	return a;
}

struct axis axis_count(double max, const char *name)
{
	struct axis a = {.max = MAX(max, 1), .unit = 1};

	a.step = MAX(decimal_step(a.max, 4), 1);
	snprintf(a.name, sizeof(a.name), "%s", name);
	return a;
}

static void tick_text(const struct axis *a, double value, char *buf, size_t size)
{
	snprintf(buf, size, "%.*f", a->decimals, value / a->unit);
}

void draw_y_axis(cairo_t *cr, const struct box *b, const struct axis *y)
{
	for (double v = 0; v <= y->max * 1.0001; v += y->step) {
		double at = b->y + b->h - v / y->max * b->h;
		char text[40];

		set_colour(cr, 0xe4e4e4, 1);
		cairo_set_line_width(cr, 1);
		cairo_move_to(cr, b->x, floor(at) + 0.5);
		cairo_line_to(cr, b->x + b->w, floor(at) + 0.5);
		cairo_stroke(cr);
		set_colour(cr, 0x444444, 1);
		tick_text(y, v, text, sizeof(text));
		draw_text(cr, b->x - 5, at - 7, 11, false, RIGHT, 0, text);
	}
}

static void draw_x_axis(cairo_t *cr, const struct box *b, const struct axis *x)
{
	for (double v = 0; v <= x->max * 1.0001; v += x->step) {
		double at = b->x + v / x->max * b->w;
		char text[40];

		set_colour(cr, 0xe4e4e4, 1);
		cairo_set_line_width(cr, 1);
		cairo_move_to(cr, floor(at) + 0.5, b->y);
		cairo_line_to(cr, floor(at) + 0.5, b->y + b->h);
		cairo_stroke(cr);
		set_colour(cr, 0x444444, 1);
		tick_text(x, v, text, sizeof(text));
		draw_text(cr, at, b->y + b->h + 3, 11, false, CENTRE, 0, text);
	}
	draw_text(cr, b->x + b->w / 2, b->y + b->h + 17, 11, false, CENTRE, b->w, x->name);
}

static void draw_y_name(cairo_t *cr, const struct box *b, const struct axis *y)
{
	cairo_save(cr);
	cairo_translate(cr, b->x - 52, b->y + b->h / 2);
	cairo_rotate(cr, -M_PI / 2);
	set_colour(cr, 0x444444, 1);
	draw_text(cr, 0, 0, 11, false, CENTRE, 0, y->name);
	cairo_restore(cr);
}

void draw_axes(cairo_t *cr, const struct box *b, const struct axis *x, const struct axis *y)
{
	draw_y_axis(cr, b, y);
	draw_x_axis(cr, b, x);
	draw_y_name(cr, b, y);
}
