// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/inflight.h"

#include <string.h>

#define BUCKETS (1u << 12)
#define NONE UINT32_MAX

struct beginning {
	u64 sector, ts, tag;
	u32 dev, bytes, next;
};

struct inflight {
	u32 bucket[BUCKETS];
	struct beginning *all;
	u32 cap, used; /* of all */
	u32 spare;     /* chain of those that ended */
	u32 count;
};

struct inflight *inflight_new(void)
{
	struct inflight *f = xcalloc(1, sizeof(*f));

	inflight_clear(f);
	return f;
}

void inflight_free(struct inflight *f)
{
	if (f)
		free(f->all);
	free(f);
}

void inflight_clear(struct inflight *f)
{
	memset(f->bucket, 0xff, sizeof(f->bucket));
	f->used = 0;
	f->spare = NONE;
	f->count = 0;
}

u32 inflight_count(const struct inflight *f)
{
	return f->count;
}

static u32 bucket_of(u32 dev, u64 sector)
{
	return ((sector ^ (u64)dev << 32) * 0x9e3779b97f4a7c15ull) >> 52;
}

/* The link that leads to it; *link is NONE if there is none. */
static u32 *find(struct inflight *f, u32 dev, u64 sector)
{
	u32 *link = &f->bucket[bucket_of(dev, sector)];

	while (*link != NONE && (f->all[*link].sector != sector || f->all[*link].dev != dev))
		link = &f->all[*link].next;
	return link;
}

static void insert(struct inflight *f, u32 i)
{
	u32 *head = &f->bucket[bucket_of(f->all[i].dev, f->all[i].sector)];

	f->all[i].next = *head;
	*head = i;
}

static u32 take_free(struct inflight *f)
{
	u32 i = f->spare;

	if (i != NONE) {
		f->spare = f->all[i].next;
		return i;
	}
	if (f->used == INFLIGHT_MAX)
		return NONE;
	if (f->used == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 256;
		f->all = xrealloc(f->all, f->cap, sizeof(*f->all));
	}
	return f->used++;
}

void inflight_begin(struct inflight *f, u32 dev, u64 sector, u32 bytes, u64 ts, u64 tag)
{
	u32 i = *find(f, dev, sector);
	struct beginning b = {.sector = sector, .ts = ts, .tag = tag, .dev = dev, .bytes = bytes};

	if (i != NONE) {
		b.next = f->all[i].next;
		f->all[i] = b;
		return;
	}
	i = take_free(f);
	if (i == NONE)
		return;
	f->all[i] = b;
	insert(f, i);
	f->count++;
}

u64 inflight_end(struct inflight *f, u32 dev, u64 sector, u32 bytes, u64 ts, struct latency *l)
{
	u64 tag = 0;

	while (bytes) {
		u32 *link = find(f, dev, sector), i = *link, step;
		struct beginning *b;

		if (i == NONE)
			break;
		b = &f->all[i];
		*link = b->next;
		if (!tag)
			tag = b->tag;
		step = MIN(b->bytes, bytes);
		/* what is no whole sector can't be followed by a sector number */
		if (step < b->bytes && step >= SECTOR_SIZE) {
			b->bytes -= step;
			b->sector += step >> SECTOR_SHIFT;
			insert(f, i);
		} else {
			if (l && ts >= b->ts)
				latency_add(l, ts - b->ts);
			b->next = f->spare;
			f->spare = i;
			f->count--;
		}
		if (step < SECTOR_SIZE)
			break;
		sector += step >> SECTOR_SHIFT;
		bytes -= step;
	}
	return tag;
}

void latency_add(struct latency *l, u64 ns)
{
	if (!l->n++ || ns < l->min)
		l->min = ns;
	l->max = MAX(l->max, ns);
	l->sum += ns;
}
