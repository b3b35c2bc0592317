/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports as they were looked at and found right. */
#ifndef BP_TEST_GOLDEN_H
#define BP_TEST_GOLDEN_H

#include "verify/report/out.h"

/* Holds @o against tests/golden/NAME.EXT; with UPDATE_GOLDEN set, writes that file instead. */
void check_golden(const char *name, const char *ext, const struct out *o);

#endif
