// SPDX-License-Identifier: GPL-2.0-only
/* Figures by file and by task. */
#include <string.h>

#include "verify/model/figures_internal.h"

#define SLOTS (SHARES_MAX * 2)

static bool is(const struct figures_share *s, u32 dev, u64 ino, s32 pid)
{
	return s->ino == ino && s->dev == dev && s->pid == pid;
}

struct figures_share *share_of(struct shares *s, u32 dev, u64 ino, s32 pid)
{
	u64 h = (ino ^ (u64)dev << 32 ^ (u64)(u32)pid << 16) * 0x9e3779b97f4a7c15ull;
	u32 i;

	if (s->n && is(&s->all[s->last], dev, ino, pid))
		return &s->all[s->last];
	for (i = (u32)(h >> 40) & (SLOTS - 1); s->slot[i]; i = (i + 1) & (SLOTS - 1)) {
		if (is(&s->all[s->slot[i] - 1], dev, ino, pid)) {
			s->last = s->slot[i] - 1;
			return &s->all[s->last];
		}
	}
	if (s->n == SHARES_MAX || s->taken + s->n == SHARES_ALL_MAX) {
		s->more = true;
		return &s->rest;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->all = xrealloc(s->all, s->cap, sizeof(*s->all));
	}
	s->all[s->n] = (struct figures_share){.dev = dev, .ino = ino, .pid = pid};
	s->last = s->n++;
	s->slot[i] = s->n;
	return &s->all[s->last];
}

void shares_clear(struct shares *s)
{
	if (s->n)
		memset(s->slot, 0, sizeof(s->slot));
	s->n = 0;
	s->last = 0;
	s->more = false;
	s->rest = (struct figures_share){0};
}

void shares_free(struct shares *s)
{
	free(s->all);
	s->all = NULL;
	s->cap = 0;
}

/* Most pages first; what is equal, in a fixed order. */
static int cmp_share(const void *pa, const void *pb)
{
	const struct figures_share *a = pa, *b = pb;

	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	if (a->requests != b->requests)
		return a->requests > b->requests ? -1 : 1;
	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

struct figures_share *shares_take(struct shares *s, u32 *n, bool *more)
{
	struct figures_share *all = s->all;

	*n = s->n;
	*more = s->more;
	if (s->n)
		qsort(all, s->n, sizeof(*all), cmp_share);
	s->taken += s->n;
	if (s->n) /* it stays until the report is written */
		all = xrealloc(all, s->n, sizeof(*all));
	s->all = NULL;
	s->cap = 0;
	shares_clear(s);
	return all;
}
