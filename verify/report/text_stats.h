/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that print statistics. */
#ifndef BP_TEXT_STATS_H
#define BP_TEXT_STATS_H

#include "verify/report/report.h"

#define SHORT_COUNT_MAX 24

/* A count in at most 6 columns, in @buf of SHORT_COUNT_MAX bytes. */
const char *short_count(u64 n, char *buf);
/* "@what: not measurable: why", if it is not. */
void not_measurable(struct out *o, const char *what, const struct phase_figures *f,
		    enum figure_group g);
/* Readahead by cause: the columns of the 2009 series. */
void text_windows(struct out *o, const struct phase_figures *f);
void text_requests(struct out *o, const struct phase_stats *s, const struct phase_info *info);
void text_by_file(struct out *o, const struct phase_figures *f);
void text_by_task(struct out *o, const struct phase_figures *f);

#endif
