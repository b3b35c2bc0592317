// SPDX-License-Identifier: GPL-2.0-only
#include "verify/report/out.h"

#include <stdarg.h>
#include <string.h>

static void append(struct out *o, const char *s, size_t n)
{
	if (o->len + n + 1 > o->size) {
		o->size = MAX(o->size * 2, o->len + n + 1);
		o->text = xrealloc(o->text, o->size, 1);
	}
	memcpy(o->text + o->len, s, n);
	o->len += n;
	o->text[o->len] = '\0';
}

void out_raw(struct out *o, const char *text)
{
	append(o, text, strlen(text));
}

void out_free(struct out *o)
{
	free(o->text);
	o->text = NULL;
	o->len = o->size = 0;
}

char *shortened(const char *s, size_t width)
{
	char *p = printable(s);
	size_t len = strlen(p), tail;

	if (len <= width)
		return p;
	if (width < 4) {
		p[width] = '\0';
		return p;
	}
	tail = (width - 2) / 2;
	memmove(p + width - tail, p + len - tail, tail + 1);
	memcpy(p + width - tail - 2, "..", 2);
	return p;
}

/* How much of @s goes on a line of @width columns: up to a blank, or all that fits. */
static size_t fitting(const char *s, size_t width)
{
	size_t n = strlen(s);

	if (n <= width)
		return n;
	for (n = width; n && s[n] != ' '; n--)
		;
	/* leading blanks are indentation, not a place to break */
	return n > strspn(s, " ") ? n : width;
}

void out_line(struct out *o, unsigned int hang, const char *fmt, ...)
{
	static const char blanks[] = "                                        ";
	char *raw, *text, *p;
	va_list ap;
	size_t n, indent = 0;

	va_start(ap, fmt);
	if (vasprintf(&raw, fmt, ap) < 0)
		raw = xstrdup("(out of memory)");
	va_end(ap);
	text = printable(raw);
	free(raw);
	n = strlen(text);
	while (n && text[n - 1] == ' ')
		text[--n] = '\0';
	hang = MIN(hang, (unsigned int)sizeof(blanks) - 1);
	p = text;
	do {
		n = o->width ? fitting(p, o->width - indent) : strlen(p);
		append(o, blanks, indent);
		append(o, p, n);
		while (n && o->text[o->len - 1] == ' ') {
			o->text[--o->len] = '\0';
			n--;
		}
		append(o, "\n", 1);
		p += n;
		p += strspn(p, " ");
		indent = hang;
	} while (*p);
	free(text);
}

void table_init(struct table *t, const char *title, unsigned int n_rows, unsigned int n_cols)
{
	t->title = title;
	t->n_rows = n_rows;
	t->n_cols = n_cols;
	t->labels = xcalloc(n_rows, sizeof(*t->labels));
	t->heads = xcalloc(n_cols, sizeof(*t->heads));
	t->cells = xcalloc((size_t)n_rows * n_cols, sizeof(*t->cells));
}

#define CELL_MAX 30

void table_label(struct table *t, unsigned int row, const char *text)
{
	free(t->labels[row]);
	t->labels[row] = shortened(text, LABEL_MAX);
}

void table_head(struct table *t, unsigned int col, const char *text)
{
	free(t->heads[col]);
	t->heads[col] = shortened(text, CELL_MAX);
}

void table_cell(struct table *t, unsigned int row, unsigned int col, const char *fmt, ...)
{
	char **cell = &t->cells[(size_t)row * t->n_cols + col];
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	free(*cell);
	*cell = shortened(text, CELL_MAX);
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static unsigned int column_width(const struct table *t, unsigned int col)
{
	size_t w = strlen(or_empty(t->heads[col]));

	for (unsigned int r = 0; r < t->n_rows; r++)
		w = MAX(w, strlen(or_empty(t->cells[(size_t)r * t->n_cols + col])));
	return (unsigned int)w;
}

/* "  label" padded to @label, then the columns [from, to), right-aligned */
static void print_row(struct out *o, const struct table *t, const char *label, unsigned int pad,
		      char *const *cells, unsigned int from, unsigned int to)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "%-*s", (int)pad, label);

	for (unsigned int c = from; c < to; c++)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "  %*s", (int)column_width(t, c),
			      or_empty(cells[c]));
	out_line(o, 4, "%s", line);
}

void table_print(struct out *o, const struct table *t)
{
	unsigned int width = o->width ? o->width : 200, pad = 0, from = 0;

	for (unsigned int r = 0; r < t->n_rows; r++)
		pad = MAX(pad, (unsigned int)strlen(or_empty(t->labels[r])) + 2);
	/* a title that would push the columns apart stands on a line of its own */
	if (strlen(t->title) > MAX(pad, 20u))
		out_line(o, 2, "%s", t->title);
	else
		pad = MAX(pad, (unsigned int)strlen(t->title));
	do {
		unsigned int to = from, used = pad;

		while (to < t->n_cols && (to == from || used + 2 + column_width(t, to) <= width))
			used += 2 + column_width(t, to++);
		print_row(o, t, strlen(t->title) > pad ? "" : t->title, pad, t->heads, from, to);
		for (unsigned int r = 0; r < t->n_rows; r++) {
			char label[LABEL_MAX + 3];

			snprintf(label, sizeof(label), "  %s", or_empty(t->labels[r]));
			print_row(o, t, label, pad, t->cells + (size_t)r * t->n_cols, from, to);
		}
		from = to;
	} while (from < t->n_cols);
}

void table_free(struct table *t)
{
	for (unsigned int i = 0; i < t->n_rows; i++)
		free(t->labels[i]);
	for (unsigned int i = 0; i < t->n_cols; i++)
		free(t->heads[i]);
	for (size_t i = 0; i < (size_t)t->n_rows * t->n_cols; i++)
		free(t->cells[i]);
	free(t->labels);
	free(t->heads);
	free(t->cells);
}
