// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/page_set.h"

#include <string.h>

#define WORDS (PAGE_SET_CHUNK_PAGES / 64)
#define CHUNK_MASK (PAGE_SET_CHUNK_PAGES - 1u)
#define SLOTS (PAGE_SET_CHUNKS * 2)

struct chunk {
	u64 ino, number;
	u32 dev;
	u32 count; /* of bits: ranges of a hostile trace cost a look per chunk, not per page */
	u64 bits[WORDS];
};

struct page_set {
	struct chunk *slot[SLOTS]; /* open addressing */
	struct chunk **all;	   /* allocated; the first @used are in @slot */
	struct page_pool *pool;
	u32 n, used;
	bool full;
	struct chunk *last; /* most calls are for the chunk of the call before */
};

struct page_set *page_set_new(struct page_pool *pool)
{
	struct page_set *s = xcalloc(1, sizeof(*s));

	s->pool = pool;
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
	if (s->used == PAGE_SET_CHUNKS || (s->used == s->n && s->pool && !s->pool->left)) {
		s->full = true;
		return NULL;
	}
	if (s->used == s->n) {
		s->all[s->n++] = xmalloc(sizeof(*c));
		if (s->pool)
			s->pool->left--;
	}
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
static u64 mask(u32 bit, u32 n)
{
	u64 m = n >= 64 ? ~0ull : (1ull << n) - 1;

	return m << bit;
}

static u32 bits_in(u64 word)
{
	return (u32)__builtin_popcountll(word);
}

/* The next piece of [at, at + n) that lies in one unit of @size, a power of two. */
#define for_each_piece(at, n, size, step)                                                          \
	for (typeof(n) step; (n) && ((step) = MIN((n), (size) - ((at) & ((size)-1))), true);       \
	     (at) += (step), (n) -= (step))

/* Of a chunk's bits [bit, bit + n): how many are set; sets or clears them, and how many that were.
 */
static u32 chunk_count(const struct chunk *c, u32 bit, u32 n)
{
	u32 count = 0;

	if (!c->count || n == PAGE_SET_CHUNK_PAGES)
		return c->count;
	for_each_piece(bit, n, 64u, step) count +=
		bits_in(c->bits[bit / 64] & mask(bit & 63, step));
	return count;
}

static u32 chunk_set(struct chunk *c, u32 bit, u32 n)
{
	u32 added = 0;

	for_each_piece(bit, n, 64u, step)
	{
		u64 bits = mask(bit & 63, step), *word = &c->bits[bit / 64];

		/* mostly none is there */
		added += *word & bits ? bits_in(bits & ~*word) : step;
		*word |= bits;
	}
	c->count += added;
	return added;
}

static u32 chunk_clear(struct chunk *c, u32 bit, u32 n)
{
	u32 removed = 0;

	if (!c->count)
		return 0;
	for_each_piece(bit, n, 64u, step)
	{
		u64 *word = &c->bits[bit / 64], bits = *word & mask(bit & 63, step);

		if (!bits)
			continue;
		removed += bits_in(bits);
		*word &= ~bits;
	}
	c->count -= removed;
	return removed;
}

/* The first bit of [bit, bit + n) that is @set or not; @bit + @n if there is none. */
static u32 chunk_find(const struct chunk *c, u32 bit, u32 n, bool set)
{
	if (!c->count && set)
		return bit + n;
	for_each_piece(bit, n, 64u, step)
	{
		u64 word = c->bits[bit / 64], bits = (set ? word : ~word) & mask(bit & 63, step);

		if (bits)
			return (bit & ~63u) + (u32)__builtin_ctzll(bits);
	}
	return bit;
}

static u64 clamp_pages(u64 index, u64 n)
{
	return n > UINT64_MAX - index ? UINT64_MAX - index : n;
}

#define for_each_chunk(index, n, step) for_each_piece(index, n, (u64)PAGE_SET_CHUNK_PAGES, step)
#define NUMBER(index) ((index) / PAGE_SET_CHUNK_PAGES)
#define BIT_OF(index) ((u32)((index)&CHUNK_MASK))

u64 page_set_add(struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	u64 added = 0;

	n = clamp_pages(index, n);
	for_each_chunk(index, n, step)
	{
		struct chunk *c = find_or_make(s, dev, ino, NUMBER(index));

		if (!c)
			return added;
		added += chunk_set(c, BIT_OF(index), (u32)step);
	}
	return added;
}

u64 page_set_remove(struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	u64 removed = 0;

	n = clamp_pages(index, n);
	for_each_chunk(index, n, step)
	{
		struct chunk *c = find(s, dev, ino, NUMBER(index));

		if (c)
			removed += chunk_clear(c, BIT_OF(index), (u32)step);
	}
	return removed;
}

static u32 chunk_move(struct chunk *from, struct chunk *to, u32 bit, u32 n)
{
	u32 moved = 0, added = 0;

	for_each_piece(bit, n, 64u, step)
	{
		u64 *a = &from->bits[bit / 64], *b = &to->bits[bit / 64];
		u64 bits = *a & mask(bit & 63, step);

		moved += bits_in(bits);
		added += bits_in(bits & ~*b);
		*a &= ~bits;
		*b |= bits;
	}
	from->count -= moved;
	to->count += added;
	return moved;
}

u64 page_set_move(struct page_set *from, struct page_set *to, u32 dev, u64 ino, u64 index, u64 n)
{
	u64 moved = 0;

	n = clamp_pages(index, n);
	for_each_chunk(index, n, step)
	{
		struct chunk *c = find(from, dev, ino, NUMBER(index)), *d;

		if (!c || !chunk_count(c, BIT_OF(index), (u32)step))
			continue;
		from->last = c;
		d = find_or_make(to, dev, ino, NUMBER(index));
		if (d)
			moved += chunk_move(c, d, BIT_OF(index), (u32)step);
	}
	return moved;
}

u64 page_set_count(const struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	u64 count = 0;

	n = clamp_pages(index, n);
	for_each_chunk(index, n, step)
	{
		const struct chunk *c = find(s, dev, ino, NUMBER(index));

		if (c)
			count += chunk_count(c, BIT_OF(index), (u32)step);
	}
	return count;
}

u64 page_set_hole(const struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	n = clamp_pages(index, n);
	for_each_chunk(index, n, step)
	{
		const struct chunk *c = find(s, dev, ino, NUMBER(index));
		u32 bit = BIT_OF(index), hole = c ? chunk_find(c, bit, (u32)step, false) : bit;

		if (hole < bit + (u32)step)
			return index + (hole - bit);
	}
	return index;
}

u64 page_set_next(const struct page_set *s, u32 dev, u64 ino, u64 index, u64 n)
{
	n = clamp_pages(index, n);
	for_each_chunk(index, n, step)
	{
		const struct chunk *c = find(s, dev, ino, NUMBER(index));
		u32 bit = BIT_OF(index), next;

		if (!c)
			continue;
		next = chunk_find(c, bit, (u32)step, true);
		if (next < bit + (u32)step)
			return index + (next - bit);
	}
	return index;
}
