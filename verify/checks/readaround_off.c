// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

enum { LIMIT_MISSES, LIMIT_SHARE };

struct readaround_off_state {
	u64 misses, late, around;
	struct finding first; /* the first read-around that should not be */
};

/* The counter goes down with each hit: by then it is above the limit for good, or never. */
static double settled(const struct judge *j)
{
	return 2 * j->limit[LIMIT_MISSES];
}

static void readaround_off_miss(struct judge *j, const struct fault_miss *m)
{
	struct readaround_off_state *st = j->state;

	if ((double)++st->misses <= settled(j))
		return;
	st->late++;
	if (!m->readaround || st->around++)
		return;
	st->first = finding_at(j->model, m->ts, m->seq, m->cpu, m->pid, m->index);
	snprintf(st->first.text, sizeof(st->first.text),
		 "miss number %llu still reads around the page", (unsigned long long)st->misses);
}

static void readaround_off_finish(struct judge *j)
{
	struct readaround_off_state *st = j->state;
	double share = st->late ? 100.0 * (double)st->around / (double)st->late : 0;

	if (!st->late) {
		judge_detail(j, "%llu misses; %.0f are needed to tell",
			     (unsigned long long)st->misses, settled(j) + 1);
		return;
	}
	j->result.examined = st->late;
	judge_detail(j, "%llu misses; of the last %llu, %llu read around (%.1f %%)",
		     (unsigned long long)st->misses, (unsigned long long)st->late,
		     (unsigned long long)st->around, share);
	if (share > j->limit[LIMIT_SHARE])
		judge_violation(j, &st->first);
}

static const struct check_ops readaround_off_ops = {
	.state_size = sizeof(struct readaround_off_state),
	.miss = readaround_off_miss,
	.finish = readaround_off_finish,
};

const struct check check_readaround_off = {
	.name = "readaround-switches-off",
	.summary = "read-around ends where it only misses",
	.explain =
		"do_sync_mmap_readahead() counts the faults of an open file that find no page, and\n"
		"those that find one count back.  Above MMAP_LOTSAMISS misses it stops reading\n"
		"around the fault: for touches of single pages, far apart, read-around is of no\n"
		"use.  Touches of two pages in a row keep it on for ever, since each second one is\n"
		"a hit; the thread of 2009 thought that right.\n"
		"\n"
		"Of the misses after the first 2 x misses, at most max-share per cent may be\n"
		"followed by a read-around.  The finding is the first that is.  Fewer misses tell\n"
		"nothing: INCONCLUSIVE.  A hit is only counted where it is a fault, so\n"
		"fault_around_bytes decides: pages that were mapped beforehand never fault.\n"
		"\n"
		"Judged in phases whose list of checks names it, and where --check does.\n"
		"\n"
		"Look further: mmap_miss in page_cache_ra_order events, where the kernel shows it.\n",
	.needs = EV_BIT(EV_FAULT) | EV_BIT(EV_RA_ORDER) | EV_BIT(EV_FOLIO_ADD),
	.needs_cold = true,
	.limits = {[LIMIT_MISSES] = {"misses", 100, "the kernel's MMAP_LOTSAMISS"},
		   [LIMIT_SHARE] = {"max-share", 5, "read-arounds among later misses, per cent"}},
	.named_only = true,
	.ops = &readaround_off_ops,
};
