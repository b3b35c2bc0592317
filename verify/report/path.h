/* SPDX-License-Identifier: GPL-2.0-only */
/* How often the functions that the patches of a run change were seen to run. */
#ifndef BP_PATH_H
#define BP_PATH_H

#include "verify/report/summary.h"

#define PATH_UNSEEN_SHOWN 12u /* functions without an event that the text report names */

struct path_function {
	const struct touched *touched;
	bool has_event, recorded;
	bool shared; /* other functions have the event too: the counts are upper bounds */
	enum event_type type;
	struct figure *counts; /* per kernel, over the phases that may change */
};

struct path {
	bool patched, known; /* there are patches; the run says what they change */
	unsigned int unnamed_hunks, n_kernels;
	struct path_function *functions;
	unsigned int n;
};

void path_find(struct path *p, const struct summary *s);
void path_free(struct path *p);

#endif
