// SPDX-License-Identifier: GPL-2.0-only
#include "verify/result.h"

/* One list per enum, so that ids and texts can't drift apart. */

static const char *const verdict_names[] = {
	[VERDICT_PASS] = "PASS",
	[VERDICT_FAIL] = "FAIL",
	[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
	[VERDICT_NA] = "N/A",
};

const char *verdict_name(enum verdict v)
{
	return verdict_names[v];
}

static const struct {
	const char *id, *text;
} reasons[] = {
	[WHY_NONE] = {"none", ""},
	[WHY_EVENTS_LOST] = {"events-lost", "events lost"},
	[WHY_NOT_MEASURABLE] = {"not-measurable", "not measurable"},
	[WHY_NOTHING_TO_CHECK] = {"nothing-to-check", "nothing to check"},
	[WHY_CACHE_NOT_COLD] = {"cache-not-cold", "the cache was not cold"},
	[WHY_DAMAGED] = {"damaged", "only part of the file could be read"},
	[WHY_CONTRADICTION] = {"contradiction", "the capture contradicts itself"},
	[WHY_NOISE] = {"noise", "within the noise between boots"},
};

const char *reason_id(enum reason r)
{
	return reasons[r].id;
}

const char *reason_text(enum reason r)
{
	return reasons[r].text;
}

static const char *const ra_cause_names[RA_CAUSES] = {
	[RA_SYNC_READ] = "sync-read",
	[RA_READAROUND] = "read-around",
	[RA_SEQ_FAULT] = "sequential-fault",
	[RA_HUGEPAGE] = "hugepage-fault",
	[RA_EXEC] = "exec-fault",
	[RA_MARKER] = "marker-hit",
	[RA_FORCED] = "forced",
	[RA_UNKNOWN] = "unknown",
};

const char *ra_cause_name(enum ra_cause c)
{
	return ra_cause_names[c];
}
