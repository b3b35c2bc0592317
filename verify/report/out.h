/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that grows, line by line.  Whatever comes from an input file passes
 * through here, so this is where control characters lose their power over the
 * reader's terminal and mail: every byte that is not printable ASCII is
 * written as \xNN.
 */
#ifndef BP_OUT_H
#define BP_OUT_H

#include "lib/util.h"

#define REPORT_WIDTH 72 /* columns: what survives quoting in a patch mail */

struct out {
	unsigned int width; /* wrap here; 0: never */
	char *text;	    /* NUL-terminated; NULL while empty */
	size_t len, size;
};

/* One line, without "\n" in @fmt; wrapped with continuation lines indented by @hang. */
void out_line(struct out *o, unsigned int hang, const char *fmt, ...) __printf_like(3, 4);

/* Lines as they are, of text of our own (may hold "\n"); no escaping, no wrapping. */
void out_raw(struct out *o, const char *text);

void out_free(struct out *o);

/*
 * @s, printable, in at most @width columns: what is too much is cut from the
 * middle, since names often differ at their ends only.  The caller frees it.
 */
char *shortened(const char *s, size_t width) __must_check;

/* Rows of cells under column heads; sets of columns that are too wide go below each other. */
struct table {
	const char *title; /* stands left of the heads */
	unsigned int n_rows, n_cols;
	char **labels, **heads, **cells; /* owned; cells[row * n_cols + col] */
};

void table_init(struct table *t, const char *title, unsigned int n_rows, unsigned int n_cols);
/* A label that is longer loses its middle. */
#define LABEL_MAX 30
void table_label(struct table *t, unsigned int row, const char *text);
void table_head(struct table *t, unsigned int col, const char *text);
void table_cell(struct table *t, unsigned int row, unsigned int col, const char *fmt, ...)
	__printf_like(4, 5);
void table_print(struct out *o, const struct table *t);
void table_free(struct table *t);

#endif
