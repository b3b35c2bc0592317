/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A check is one file that ends in one const descriptor, and one line in
 * verify/checks/list.h.  See CONTRIBUTING.md, "Adding a check".
 */
#ifndef BP_CHECK_H
#define BP_CHECK_H

#include "verify/result.h"

struct check_limit {
	const char *name; /* "max-ratio" */
	double value;
	const char *what; /* one line for --list-checks: what it limits, with its unit */
};

#define CHECK_LIMITS_MAX 4
#define EV_BIT(type) (1ull << (type))

struct check_ops;     /* verify/model/judge.h: callbacks over one phase */
struct run_check_ops; /* verify/model/judge.h: over all captures of a run */

struct check {
	const char *name;
	const char *summary; /* one line, at most 60 columns */
	const char *explain; /* for --explain: what it means, why it matters, how to look further */
	u64 needs;	     /* EV_BIT per enum event_type; missing: not measurable */
	u32 caps;	     /* enum event_caps; missing: not measurable */
	bool needs_json;     /* needs capture.json; without it the check is not applicable */
	bool needs_host;     /* needs the host's request log; without it not applicable */
	bool needs_osds;     /* needs osd.json; without it not applicable */
	bool needs_netfs;    /* of files on a network file system; elsewhere not applicable */
	bool needs_cold;     /* means nothing if the cache was not cold */
	const char *pattern; /* judged in phases of this pattern alone; NULL: in all */
	bool against_reference; /* compares kernels by a limit "reference" */
	bool named_only;	/* judged only where a phase, or the command line, names it */
	bool needs_figures;	/* needs phase_stats.figures, in phases that name the check */
	struct check_limit limits[CHECK_LIMITS_MAX];
	const struct check_ops *ops;
	const struct run_check_ops *run_ops; /* instead of @ops */
};

extern const struct check *const all_checks[];
extern const unsigned int n_all_checks;
const struct check *check_find(const char *name);

#endif
