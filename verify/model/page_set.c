// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/page_set.h"

#include <string.h>

#define WORDS (PAGE_SET_CHUNK_PAGES / 64)
#define SLOTS (PAGE_SET_CHUNKS * 2)

struct chunk {
	u64 ino, number;
	u32 dev;
	u64 bits[WORDS];
};

struct page_set {
	struct chunk *slot[SLOTS]; /* open addressing */
	struct chunk **all;	   /* allocated; the first @used are in @slot */
	u32 n, used;
	bool full;
	struct chunk *last; /* most calls are for the chunk of the call before */
};

struct page_set *page_set_new(void)
{
	struct page_set *s = xcalloc(1, sizeof(*s));

	s->all = xcalloc(PAGE_SET_CHUNKS, sizeof(*s->all));
	return s;
}

void page_set_free(struct page_set *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < s->n; i++)
		free(s->all[i]);
	free(s->all);
	free(s);
}

void page_set_clear(struct page_set *s)
{
	if (s->used)
		memset(s->slot, 0, sizeof(s->slot));
	s->used = 0;
	s->full = false;
	s->last = NULL;
}

bool page_set_full(const struct page_set *s)
{
	return s->full;
}

static u32 slot_of(u32 dev, u64 ino, u64 number)
{
	u64 h = (ino * 0x9e3779b97f4a7c15ull ^ number ^ (u64)dev << 32) * 0xd6e8feb86659fd93ull;

	return (h >> 32) & (SLOTS - 1);
}

static bool is(const struct chunk *c, u32 dev, u64 ino, u64 number)
{
	return c->number == number && c->ino == ino && c->dev == dev;
}

static struct chunk *find(const struct page_set *s, u32 dev, u64 ino, u64 number)
{
	if (s->last && is(s->last, dev, ino, number))
		return s->last;
	for (u32 i = slot_of(dev, ino, number); s->slot[i]; i = (i + 1) & (SLOTS - 1))
		if (is(s->slot[i], dev, ino, number))
			return s->slot[i];
	return NULL;
}

static struct chunk *find_or_make(struct page_set *s, u32 dev, u64 ino, u64 number)
{
	struct chunk *c = find(s, dev, ino, number);
	u32 i;

	if (c) {
		s->last = c;
		return c;
	}
	if (s->used == PAGE_SET_CHUNKS) {
		s->full = true;
		return NULL;
	}
	if (s->used == s->n)
		s->all[s->n++] = xmalloc(sizeof(*c));
	c = s->all[s->used++];
	memset(c, 0, sizeof(*c));
	c->dev = dev;
	c->ino = ino;
	c->number = number;
	for (i = slot_of(dev, ino, number); s->slot[i]; i = (i + 1) & (SLOTS - 1))
		;
	s->slot[i] = c;
	s->last = c;
	return c;
}

/* The bits of one word that belong to [bit, bit + n). */
static u64 mask(u32 bit, u64 n)
{
	u64 m = n >= 64 ? ~0ull : (1ull << n) - 1;

	return m << bit;
}

static u64 bits_in(u64 word)
{
	return (u64)__builtin_popcountll(word);
}

/* The next piece of [index, index + n) that lies in one word. */
#define for_each_word(index, n, step)                                                              \
	for (u64 step; (n) && ((step) = MIN((n), 64 - ((index)&63)), true);                        \
	     (index) += (step), (n) -= (step))

static u64 clamp_pages(u64 index, u64 n)
{
	return n > UINT64_MAX - index ? UINT64_MAX - index : n;
}

u64 page_set_add(struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	u64 added = 0;

	n = clamp_pages(index, n);
	for_each_word(index, n, step)
	{
		struct chunk *c = find_or_make(s, dev, ino, index / PAGE_SET_CHUNK_PAGES);
		u64 *word = c ? &c->bits[index % PAGE_SET_CHUNK_PAGES / 64] : NULL;
		u64 bits = mask(index & 63, step);

		if (!word)
			return added;
		/* mostly none is there */
		added += *word & bits ? bits_in(bits & ~*word) : step;
		*word |= bits;
	}
	return added;
}

u64 page_set_remove(struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	u64 removed = 0;

	n = clamp_pages(index, n);
	for_each_word(index, n, step)
	{
		struct chunk *c = find(s, dev, ino, index / PAGE_SET_CHUNK_PAGES);
		u64 *word = c ? &c->bits[index % PAGE_SET_CHUNK_PAGES / 64] : NULL, bits;

		if (!word)
			continue;
		bits = *word & mask(index & 63, step);
		if (!bits)
			continue;
		removed += bits_in(bits);
		*word &= ~bits;
	}
	return removed;
}

u64 page_set_move(struct page_set *from, struct page_set *to, u32 dev, u64 ino, u64 index, u64 n)
{
	u64 moved = 0;

	n = clamp_pages(index, n);
	for_each_word(index, n, step)
	{
		struct chunk *c = find(from, dev, ino, index / PAGE_SET_CHUNK_PAGES);
		u32 word = index % PAGE_SET_CHUNK_PAGES / 64;
		u64 bits = c ? c->bits[word] & mask(index & 63, step) : 0;
		struct chunk *d;

		if (!bits)
			continue;
		from->last = c;
		d = find_or_make(to, dev, ino, index / PAGE_SET_CHUNK_PAGES);
		if (!d)
			continue;
		c->bits[word] &= ~bits;
		d->bits[word] |= bits;
		moved += bits_in(bits);
	}
	return moved;
}

u64 page_set_count(const struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	u64 count = 0;

	n = clamp_pages(index, n);
	for_each_word(index, n, step)
	{
		const struct chunk *c = find(s, dev, ino, index / PAGE_SET_CHUNK_PAGES);

		if (c)
			count += __builtin_popcountll(c->bits[index % PAGE_SET_CHUNK_PAGES / 64] &
						      mask(index & 63, step));
	}
	return count;
}

u64 page_set_hole(const struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	n = clamp_pages(index, n);
	for_each_word(index, n, step)
	{
		const struct chunk *c = find(s, dev, ino, index / PAGE_SET_CHUNK_PAGES);
		u64 absent = mask(index & 63, step);

		if (c)
			absent &= ~c->bits[index % PAGE_SET_CHUNK_PAGES / 64];
		if (absent)
			return (index & ~63ull) + __builtin_ctzll(absent);
	}
	return index;
}
