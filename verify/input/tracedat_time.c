// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the ring buffer's time stamps to ns, in the order that trace-cmd report
 * has: first a guest's clock becomes the host's (TIME_SHIFT), then cycles
 * become ns (TSC2NSEC), then the constant of OFFSET and DATE is added.
 *
 * Unlike trace-cmd, TIME_SHIFT is applied to every buffer of the file, not to
 * the top one alone: they were written by the same guest.
 */
#include <errno.h>

#include "verify/input/tracedat.h"

#define SYNC_INTERPOLATE 1u

bool dat_time_plain(const struct dat_time *tm)
{
	return !tm->offset && !tm->mult && !tm->n_sync;
}

/*
 * Between samples @a and @b, as the guest's protocol asks for.  trace-cmd multiplies in
 * 64 bits, which overflows where the clocks of both are not of one kind.
 */
static u64 correct(u64 ts, u32 flags, const struct dat_sample *a, const struct dat_sample *b)
{
	s64 delta = (s64)(b->time - a->time);
	__int128 shift = a->offset;

	if (flags & SYNC_INTERPOLATE && delta) {
		shift = ((__int128)(s64)(ts - a->time)) * (b->offset - (__int128)a->offset);
		shift = a->offset + (shift + delta / 2) / delta;
	}
	ts = (u64)((unsigned __int128)ts * a->scaling >> a->fraction);
	return ts + (u64)shift;
}

static u64 sync_host(const struct dat_time *tm, const struct dat_sync *s, u64 ts)
{
	u32 lo = 0, hi = s->n - 1, mid;

	if (s->n == 1) /* as trace-cmd: one sample has no scaling */
		return ts + (u64)s->sample[0].offset;
	/* the last sample that is not after ts, but never the very last */
	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (s->sample[mid].time <= ts)
			lo = mid;
		else
			hi = mid;
	}
	return correct(ts, tm->sync_flags, &s->sample[lo], &s->sample[hi]);
}

u64 dat_time(const struct dat_time *tm, u32 cpu, u64 ts)
{
	if (cpu < tm->n_sync && tm->sync[cpu].n)
		ts = sync_host(tm, &tm->sync[cpu], ts);
	if (tm->mult)
		ts = (u64)((unsigned __int128)ts * tm->mult >> tm->shift);
	return ts + (u64)tm->offset;
}

static int compare(const void *a, const void *b)
{
	const struct dat_sample *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static int read_samples(struct dat_sync *s, struct cursor *c, struct err *e)
{
	static const char what[] = "a sample of TIME_SHIFT";
	u64 v;
	int ret;

	ret = cursor_u32(c, &s->n, "the number of samples of TIME_SHIFT", e);
	if (ret)
		return ret;
	if ((c->end - c->pos) / 24 < s->n) {
		ret = cursor_damage(c, e, "expected %u samples of TIME_SHIFT, room for %ju is left",
				    s->n, (uintmax_t)((c->end - c->pos) / 24));
		s->n = 0;
		return ret;
	}
	s->sample = xcalloc(s->n, sizeof(*s->sample));
	for (u32 k = 0; k < 3 * s->n; k++) {
		ret = cursor_u64(c, &v, what, e);
		if (ret)
			return ret;
		if (k < s->n)
			s->sample[k].time = v;
		else if (k < 2 * s->n)
			s->sample[k - s->n].offset = (s64)v;
		else
			s->sample[k - 2 * s->n].scaling = v;
	}
	return 0;
}

static int read_fractions(struct dat_sync *s, struct cursor *c, struct err *e)
{
	for (u32 i = 0; i < s->n; i++) {
		int ret = cursor_u64(c, &s->sample[i].fraction, "a fraction of TIME_SHIFT", e);

		if (ret)
			return ret;
		if (s->sample[i].fraction > 63)
			return cursor_damage(
				c, e, "expected a fraction of TIME_SHIFT of at most 63 bits");
	}
	return 0;
}

/* The peer's id, flags, the CPUs' samples, and since trace-cmd 3.1 their fractions. */
int dat_time_shift(struct dat_time *tm, struct cursor *c, struct err *e)
{
	u32 cpus;
	u64 id;
	int ret;

	ret = cursor_u64(c, &id, "TIME_SHIFT's trace id", e);
	if (!ret)
		ret = cursor_u32(c, &tm->sync_flags, "TIME_SHIFT's flags", e);
	if (!ret)
		ret = cursor_u32(c, &cpus, "TIME_SHIFT's number of CPUs", e);
	if (ret)
		return ret;
	if (cpus > DAT_CPUS_MAX || (c->end - c->pos) / 4 < cpus)
		return cursor_damage(c, e, "expected samples of %u CPUs, %ju bytes are left", cpus,
				     (uintmax_t)(c->end - c->pos));
	dat_time_free(tm);
	tm->sync = xcalloc(cpus, sizeof(*tm->sync));
	tm->n_sync = cpus;
	for (u32 i = 0; i < cpus && !ret; i++)
		ret = read_samples(&tm->sync[i], c, e);
	for (u32 i = 0; i < cpus && !ret && c->pos < c->end; i++)
		ret = read_fractions(&tm->sync[i], c, e);
	for (u32 i = 0; i < cpus && !ret; i++) {
		struct dat_sync *s = &tm->sync[i];
		u32 n = 0;

		qsort(s->sample, s->n, sizeof(*s->sample), compare);
		for (u32 k = 0; k < s->n; k++) {
			if (!k || s->sample[k].time != s->sample[n - 1].time)
				s->sample[n++] = s->sample[k];
		}
		s->n = n;
	}
	if (ret) /* half of it would be worse than nothing */
		dat_time_free(tm);
	return ret;
}

void dat_time_free(struct dat_time *tm)
{
	for (u32 i = 0; i < tm->n_sync; i++)
		free(tm->sync[i].sample);
	free(tm->sync);
	tm->sync = NULL;
	tm->n_sync = 0;
}
