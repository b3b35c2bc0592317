// SPDX-License-Identifier: GPL-2.0-only
#include "plot/output.h"

#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/fileio.h"
#include "plot/draw.h"

enum kind { SVG, PNG, HTML, KINDS };

static enum kind kind_of(const char *path)
{
	static const char *const ends[KINDS] = {".svg", ".png", ".html"};
	size_t len = strlen(path);

	for (unsigned int i = 0; i < KINDS; i++)
		if (len > strlen(ends[i]) && !strcmp(path + len - strlen(ends[i]), ends[i]))
			return (enum kind)i;
	return KINDS;
}

int output_known(const char *path, struct err *e)
{
	if (kind_of(path) != KINDS)
		return 0;
	return err_set(e, -EINVAL, "%s: expected a name that ends in .svg, .png or .html", path);
}

struct buffer {
	char *data;
	size_t len, size;
};

static cairo_status_t append(void *arg, const unsigned char *data, unsigned int n)
{
	struct buffer *b = arg;

	if (b->len + n > b->size) {
		b->size = MAX(b->size * 2, b->len + n);
		b->data = xrealloc(b->data, b->size, 1);
	}
	memcpy(b->data + b->len, data, n);
	b->len += n;
	return CAIRO_STATUS_SUCCESS;
}

/* Cairo's images end at 32767 pixels. */
#define HEIGHT_MAX 32000

static int draw_on(cairo_surface_t *s, const struct plot *p, struct err *e)
{
	cairo_t *cr = cairo_create(s);
	cairo_status_t status;

	draw_picture(cr, p);
	cairo_show_page(cr);
	status = cairo_status(cr);
	cairo_destroy(cr);
	if (status == CAIRO_STATUS_SUCCESS)
		return 0;
	return err_set(e, -EIO, "cairo: %s", cairo_status_to_string(status));
}

static int make_image(const struct plot *p, bool svg, struct buffer *b, struct err *e)
{
	double height = ceil(picture_height(p));
	cairo_surface_t *s;
	cairo_status_t status;
	int ret;

	if (height > HEIGHT_MAX)
		return err_set(e, -E2BIG,
			       "%u phases make too high a picture; --phase NAME draws one of them",
			       p->n_phases);
	if (svg) {
		s = cairo_svg_surface_create_for_stream(append, b, PICTURE_WIDTH, height);
		cairo_svg_surface_set_document_unit(s, CAIRO_SVG_UNIT_PX);
	} else {
		s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, PICTURE_WIDTH, (int)height);
	}
	ret = draw_on(s, p, e);
	if (!ret && !svg) {
		status = cairo_surface_write_to_png_stream(s, append, b);
		if (status != CAIRO_STATUS_SUCCESS)
			ret = err_set(e, -EIO, "cairo: %s", cairo_status_to_string(status));
	}
	cairo_surface_finish(s);
	cairo_surface_destroy(s);
	return ret;
}

int output_write(const struct plot *p, const char *path, struct err *e)
{
	enum kind kind = kind_of(path);
	struct buffer b = {0};
	int ret;

	if (kind == HTML)
		ret = html_make(p, &b.data, &b.len, e);
	else
		ret = make_image(p, kind == SVG, &b, e);
	if (!ret)
		ret = file_write_atomic(path, b.data, b.len, e);
	free(b.data);
	return ret;
}
