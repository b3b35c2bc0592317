/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that write reproducers. */
#ifndef BP_REPRODUCER_H
#define BP_REPRODUCER_H

#include "verify/report/report.h"

void source_text(struct out *o, const char *fmt, ...) __printf_like(2, 3);
/* The licence, and a comment that says which phase it is, @what it does, and on what FILE. */
void source_comment(struct out *o, const struct experiment *exp, const struct phase *p,
		    const char *what);

/*
 * The program of a phase that touches single pages (guest/touch.h).  Returns
 * false, and writes nothing, if the phase's pattern is none of those.
 */
bool reproducer_touch(struct out *o, const struct experiment *exp, const struct phase *p);

#endif
