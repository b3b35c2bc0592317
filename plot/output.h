/* SPDX-License-Identifier: GPL-2.0-only */
/* Files: by the end of their name svg, png or html; written whole or not at all. */
#ifndef BP_PLOT_OUTPUT_H
#define BP_PLOT_OUTPUT_H

#include "plot/data.h"

/* 0, or -EINVAL and a line. */
int output_known(const char *path, struct err *e) __must_check;
int output_write(const struct plot *p, const char *path, struct err *e) __must_check;

/* The page; the caller frees *text. */
int html_make(const struct plot *p, char **text, size_t *len, struct err *e) __must_check;

#endif
