/* SPDX-License-Identifier: GPL-2.0-only */
/* Colours and words that the picture and the page share. */
#ifndef BP_PLOT_STYLE_H
#define BP_PLOT_STYLE_H

#include "plot/data.h"

/* 0xRRGGBB.  Of M. Okabe and K. Ito's set, which people of any colour vision can tell apart. */
u32 cause_colour(enum ra_cause c);
#define FAULT_COLOUR 0x000000u
u32 kernel_colour(unsigned int kernel);

/* Folio orders 0 to ORDER_SHADES - 1 and above, on viridis: dark is small. */
#define ORDER_SHADES 12u
u32 order_colour(unsigned int order);

/* "piece-copy, one-thread: ..."; the caller frees them. */
char *plot_title(const struct plot *p) __must_check;
char *plot_subtitle(const struct plot *p) __must_check;
char *phase_title(const struct plot *p, const struct plot_phase *phase) __must_check;

const char *kernel_name(const struct plot *p, unsigned int kernel);

/* Reads by size class, of the device where it has a log; false: not known. */
bool request_counts(const struct panel *p, u64 counts[SIZE_CLASSES]);
/* Pages by folio order; false: not known. */
bool order_pages_of(const struct panel *p, u64 pages[ORDERS_MAX]);

#endif
