/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BP_PLOT_PAGE_H
#define BP_PLOT_PAGE_H

extern const char plot_page[]; /* plot/page.html, with a NUL behind it */

#endif
