// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "verify/checks/check.h"
#define W __attribute__((weak))
static const struct check s1 = { .name = "cold-cache", .summary = "x", .limits = { { "max-pages", 0, "pages" } } };
static const struct check s2 = { .name = "device-bytes-near-requested", .summary = "x", .limits = { { "max-ratio", 1.1, "r" } } };
static const struct check s3 = { .name = "major-faults-bounded", .summary = "x" };
static const struct check s4 = { .name = "trace-complete", .summary = "x" };
static const struct check s5 = { .name = "data-intact", .summary = "x" };
W const struct check *const all_checks[] = { &s1, &s2, &s3, &s4, &s5 };
W const unsigned int n_all_checks = 5;
W const struct check *check_find(const char *n) { for (int i = 0; i < 5; i++) if (!strcmp(all_checks[i]->name, n)) return all_checks[i]; return NULL; }
W const char *verdict_name(enum verdict v) { static const char *const t[] = { "PASS", "FAIL", "INCONCLUSIVE", "N/A" }; return t[v]; }
W const char *reason_id(enum reason r) { static const char *const t[] = { "none", "events-lost", "not-measurable", "nothing-to-check", "cache-not-cold", "damaged" }; return t[r]; }
W const char *reason_text(enum reason r) { static const char *const t[] = { "", "events lost", "not measurable", "nothing to check", "the cache was not cold", "only part of the file could be read" }; return t[r]; }
W const char *ra_cause_name(enum ra_cause r) { static const char *const t[] = { "sync-read", "read-around", "sequential-fault", "hugepage-fault", "exec-fault", "marker-hit", "forced", "unknown" }; return t[r]; }
