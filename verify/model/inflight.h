/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests or bios that have begun and not ended, by device and sector.  What
 * begins as several bios may end as one request, and the other way round: an
 * end takes the beginnings that its sectors hold, in order of sector.
 */
#ifndef BP_MODEL_INFLIGHT_H
#define BP_MODEL_INFLIGHT_H

#include "verify/stats.h"

#define INFLIGHT_MAX (1u << 16) /* outstanding at a time; a beginning beyond is not tracked */

struct inflight;

struct inflight *inflight_new(void) __must_check;
void inflight_free(struct inflight *f);
void inflight_clear(struct inflight *f);
/*
 * Of two that begin at the same sector only the later one counts: a request
 * that was requeued is issued again.  @tag is whatever the caller wants back.
 */
void inflight_begin(struct inflight *f, u32 dev, u64 sector, u32 bytes, u64 ts, u64 tag);
/*
 * @bytes from @sector on have ended: adds to @l, if not NULL, the time that each
 * beginning took whose last sector is among them.  Returns the tag of the first
 * beginning that was touched, or 0.
 */
u64 inflight_end(struct inflight *f, u32 dev, u64 sector, u32 bytes, u64 ts, struct latency *l);
u32 inflight_count(const struct inflight *f);

void latency_add(struct latency *l, u64 ns);

#endif
