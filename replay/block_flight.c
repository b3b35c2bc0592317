// SPDX-License-Identifier: GPL-2.0-only
#include "replay/block_flight.h"

#define BUCKETS (2 * BLOCK_FLIGHT_MAX)
#define NONE UINT32_MAX

/* The slot of request N is N modulo their number. */
struct slot {
	u64 number, sector, sectors;
	u32 device, next, prev; /* in the bucket, oldest first */
	u8 op;
	bool used, requeued;
};

struct block_flight {
	struct slot slots[BLOCK_FLIGHT_MAX];
	struct {
		u32 first, last;
	} buckets[BUCKETS];
};

struct block_flight *block_flight_new(void)
{
	struct block_flight *f = xcalloc(1, sizeof(*f));

	for (u32 i = 0; i < BUCKETS; i++)
		f->buckets[i].first = f->buckets[i].last = NONE;
	return f;
}

void block_flight_free(struct block_flight *f)
{
	free(f);
}

static u32 bucket_of(u32 device, unsigned int op, u64 sector)
{
	u64 key = (sector ^ (u64)device << 56 ^ (u64)op << 48) * 0x9e3779b97f4a7c15ull;

	return (u32)(key >> 40) % BUCKETS;
}

static void link_slot(struct block_flight *f, u32 i)
{
	struct slot *s = &f->slots[i];
	u32 b = bucket_of(s->device, s->op, s->sector);

	s->next = NONE;
	s->prev = f->buckets[b].last;
	*(s->prev == NONE ? &f->buckets[b].first : &f->slots[s->prev].next) = i;
	f->buckets[b].last = i;
}

static void unlink_slot(struct block_flight *f, u32 i)
{
	struct slot *s = &f->slots[i];
	u32 b = bucket_of(s->device, s->op, s->sector);

	*(s->prev == NONE ? &f->buckets[b].first : &f->slots[s->prev].next) = s->next;
	*(s->next == NONE ? &f->buckets[b].last : &f->slots[s->next].prev) = s->prev;
}

bool block_flight_add(struct block_flight *f, u64 number, int device, const struct block_line *l)
{
	u32 i = (u32)(number % BLOCK_FLIGHT_MAX);
	struct slot *s = &f->slots[i];
	bool forgotten = s->used;

	if (forgotten)
		unlink_slot(f, i);
	*s = (struct slot){.number = number,
			   .sector = l->sector,
			   .sectors = l->sectors,
			   .device = (u32)device,
			   .op = (u8)l->op,
			   .used = true};
	link_slot(f, i);
	return forgotten;
}

/* The oldest that begins where @l does; @exact: and is as long. */
static u32 find(const struct block_flight *f, int device, const struct block_line *l, u64 sector,
		bool exact)
{
	u32 i = f->buckets[bucket_of((u32)device, l->op, sector)].first;

	for (; i != NONE; i = f->slots[i].next) {
		const struct slot *s = &f->slots[i];

		if (s->device == (u32)device && s->op == (u8)l->op && s->sector == sector &&
		    (!exact || s->sectors == l->sectors))
			break;
	}
	return i;
}

bool block_flight_has(const struct block_flight *f, int device, const struct block_line *l,
		      bool requeued)
{
	u32 i = find(f, device, l, l->sector, true);

	return i != NONE && (!requeued || f->slots[i].requeued);
}

void block_flight_requeue(struct block_flight *f, int device, const struct block_line *l)
{
	u32 i = find(f, device, l, l->sector, true);

	if (i != NONE)
		f->slots[i].requeued = true;
}

void block_flight_again(struct block_flight *f, int device, const struct block_line *l)
{
	u32 i = find(f, device, l, l->sector, true);

	if (i != NONE)
		f->slots[i].requeued = false;
}

bool block_flight_done(struct block_flight *f, int device, const struct block_line *l,
		       void (*fn)(u64 number, void *arg), void *arg)
{
	u64 sector = l->sector, left = l->sectors;
	u32 i = find(f, device, l, sector, true);
	bool any = false;

	if (i != NONE) {
		unlink_slot(f, i);
		f->slots[i].used = false;
		fn(f->slots[i].number, arg);
		return true;
	}
	/* what was merged lies end to end in the request */
	while (left && (i = find(f, device, l, sector, false)) != NONE) {
		struct slot *s = &f->slots[i];
		u64 n = MIN(s->sectors, left);

		any = true;
		unlink_slot(f, i);
		sector += n;
		left -= n;
		if (n == s->sectors) {
			s->used = false;
			fn(s->number, arg);
			continue;
		}
		/* only a part of it is done */
		s->sector += n;
		s->sectors -= n;
		link_slot(f, i);
	}
	return any;
}
