// SPDX-License-Identifier: GPL-2.0-only
/* Host clock against guest clock, from requests that may be the same. */
#include <stdlib.h>

#include "verify/model/join_internal.h"

/* Where the guest's clock has no completion to bound it, an interval is this wide. */
#define OPEN_NS (5 * 1000000ll)
/*
 * How far a phase's offset may be from the capture's line.  More would let a
 * phase be mistaken for its neighbour that reads the same sectors.
 */
#define NEAR_NS (100 * 1000000ll)
/*
 * Rates that are tried, in steps of RATE_STEP and then finer ones around the
 * best.  QEMU's emulated TSC was seen to run 0.5 % off the host's clock, until
 * the guest calibrated it again after 20 seconds.
 */
#define RATE_MAX 0.01
#define RATE_STEP 0.0002
#define RATE_FINER 10
#define RATE_FINEST 0.000002
/* The time since 1970 is less until 2043; sums of such offsets do not overflow. */
#define OFFSET_MAX (1ll << 61)
/* A key that occurs this often tells nothing about the offset. */
#define VOTES_PER_KEY 4096
#define VOTES_MAX (1u << 20)
#define VOTES_TRIED 1000u /* drawn from them, to try rates on */

static struct vote vote_of(const struct join_request *g, const struct join_request *h)
{
	struct vote v = {.upper = (s64)(h->issue - g->issue), .guest_issue = g->issue};

	if (g->complete && h->complete) {
		v.lower = (s64)(h->complete - g->complete);
		v.guest_complete = g->complete;
	} else {
		v.lower = v.upper - OPEN_NS;
		v.guest_complete = g->issue;
	}
	return v;
}

static void vote_key(struct join *j, u32 g, u32 g_end, u32 h, u32 h_end, void *arg)
{
	struct votes *vs = arg;

	if ((u64)(g_end - g) * (h_end - h) > VOTES_PER_KEY)
		return;
	for (u32 i = g; i < g_end; i++) {
		for (u32 k = h; k < h_end && vs->n < VOTES_MAX; k++) {
			struct vote v = vote_of(&j->guest.req[j->guest.by_key[i]],
						&j->host.req[j->host.by_key[k]]);

			/* the host took longer than the guest waited: no pair under any offset */
			if (v.lower - OPEN_NS > v.upper)
				continue;
			if (llabs(v.lower) > OFFSET_MAX || llabs(v.upper) > OFFSET_MAX)
				continue;
			if (vs->n == vs->cap) {
				vs->cap = vs->cap ? vs->cap * 2 : 4096;
				vs->v = xrealloc(vs->v, vs->cap, sizeof(*vs->v));
			}
			vs->v[vs->n++] = v;
		}
	}
}

void collect_votes(struct join *j, struct votes *vs)
{
	each_key(j, vote_key, vs);
}

struct endpoint {
	s64 at;
	s32 step; /* 1: an interval begins, -1: it ends */
};

static int cmp_endpoint(const void *pa, const void *pb)
{
	const struct endpoint *a = pa, *b = pb;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return b->step - a->step; /* intervals include their ends */
}

s64 line_at(const struct clock_line *l, u64 guest_ts)
{
	return l->offset + (s64)(l->rate * (double)(s64)(guest_ts - l->at));
}

/*
 * The offset at line->at that most of @n votes allow at line->rate, the nearest
 * to @around if there is a tie; returns how many.  Intervals are widened by
 * what a rate between this one and the next, @step on, would move them.
 */
static u32 sweep(const struct vote *votes, u32 n, s64 around, double step, struct endpoint *ep,
		 struct clock_line *line)
{
	u32 k = 0, depth = 0, best = 0;
	s64 found = around;

	for (u32 i = 0; i < n; i++) {
		double issue = (double)(s64)(votes[i].guest_issue - line->at);
		double done = (double)(s64)(votes[i].guest_complete - line->at);
		s64 pad = (s64)(step / 2 * (issue < 0 ? -issue : issue));
		s64 upper = votes[i].upper - (s64)(line->rate * issue) + pad;
		s64 lower = votes[i].lower - (s64)(line->rate * done) - pad;

		if (lower > upper)
			continue;
		ep[k++] = (struct endpoint){lower, 1};
		ep[k++] = (struct endpoint){upper, -1};
	}
	if (k)
		qsort(ep, k, sizeof(*ep), cmp_endpoint);
	for (u32 i = 0; i < k; i++) {
		s64 middle;

		depth += (u32)ep[i].step;
		if (ep[i].step < 0 || depth < best)
			continue;
		/* the deepest stretch ends at the next endpoint */
		middle = ep[i].at + (ep[i + 1].at - ep[i].at) / 2;
		if (depth > best || llabs(middle - around) < llabs(found - around)) {
			best = depth;
			found = middle;
		}
	}
	line->offset = found;
	return best;
}

/* Draws at most VOTES_TRIED of the votes that count for @phase; NULL: of all. */
static u32 draw(const struct votes *vs, const struct join_phase *phase, s64 around,
		struct vote *sample)
{
	u64 seed = 1;
	u32 n = 0;

	for (u32 i = 0; i < vs->n; i++) {
		const struct vote *v = &vs->v[i];
		u32 at;

		if (phase && (!in_phase(phase, v->guest_issue) || v->upper < around - NEAR_NS ||
			      v->lower > around + NEAR_NS))
			continue;
		n++;
		if (n <= VOTES_TRIED) {
			sample[n - 1] = *v;
			continue;
		}
		/* every vote so far is in the sample with the same probability */
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		at = (u32)((seed >> 32) % n);
		if (at < VOTES_TRIED)
			sample[at] = *v;
	}
	return MIN(n, VOTES_TRIED);
}

/*
 * The line that most votes allow.  All true pairs allow the true one; under a
 * wrong one, requests of a phase pair with those of another that read the same
 * sectors, but only some of them.
 */
bool most_allowed(const struct votes *vs, const struct join_phase *phase, struct clock_line *line)
{
	struct vote *sample = xmalloc(VOTES_TRIED * sizeof(*sample));
	struct endpoint *ep = xmalloc(2 * VOTES_TRIED * sizeof(*ep));
	s64 around = line->offset;
	u32 n = draw(vs, phase, around, sample), best = 0;
	double center = 0, width = RATE_MAX;

	for (double step = RATE_STEP; n && step >= RATE_FINEST; step /= RATE_FINER) {
		int steps = (int)(width / step + 0.5);
		double from = center;

		best = 0;
		for (int i = 0; i <= 2 * steps; i++) {
			/* 0, 1, -1, 2, -2, ...: of equal ones the flattest */
			int k = i & 1 ? (i + 1) / 2 : -(i / 2);
			struct clock_line one = {.at = line->at, .rate = from + k * step};
			u32 depth = sweep(sample, n, around, step, ep, &one);

			if (depth > best) {
				best = depth;
				*line = one;
				center = one.rate;
			}
		}
		around = line->offset;
		width = step;
	}
	free(ep);
	free(sample);
	return best;
}
