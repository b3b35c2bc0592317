// SPDX-License-Identifier: GPL-2.0-only
#include "lib/layout.h"

#include <errno.h>

static u64 n_chunks(const struct layout *l)
{
	return (l->end - l->start + l->chunk - 1) / l->chunk;
}

int layout_init(struct layout *l, u64 file_size, u64 start, u64 piece, u64 chunk,
		unsigned int threads)
{
	*l = (struct layout){
		.start = start,
		.end = file_size,
		.piece = piece,
		.chunk = chunk,
		.threads = threads,
	};
	if (!piece || !threads || start >= file_size)
		return -EINVAL;
	if (chunk)
		return n_chunks(l) < threads ? -ERANGE : 0;
	l->per = (file_size - start) / threads / piece * piece;
	return l->per ? 0 : -ERANGE;
}

static bool chunk_range(const struct layout *l, struct cursor *c)
{
	if (c->chunk >= n_chunks(l))
		return false;
	c->pos = l->start + c->chunk * l->chunk;
	c->end = MIN(l->chunk, l->end - c->pos) + c->pos;
	return true;
}

bool layout_next(const struct layout *l, unsigned int thread, struct cursor *c, u64 *off, u64 *len)
{
	if (!c->started) {
		c->started = true;
		c->chunk = thread;
		c->pos = l->start + thread * l->per;
		c->end = c->pos + l->per;
		if (l->chunk && !chunk_range(l, c))
			return false;
	} else if (c->pos == c->end) {
		if (!l->chunk)
			return false;
		c->chunk += l->threads;
		if (!chunk_range(l, c))
			return false;
	}
	if (c->pos == c->end)
		return false;
	*off = c->pos;
	*len = MIN(l->piece, c->end - c->pos);
	c->pos += *len;
	return true;
}

void layout_stream(const struct layout *l, unsigned int thread, u64 *off, u64 *len)
{
	struct cursor c = {.chunk = thread};
	u64 last;

	if (!l->chunk) {
		*off = l->start + thread * l->per;
		*len = l->per;
		return;
	}
	*off = l->start + thread * l->chunk;
	last = (n_chunks(l) - 1 - thread) / l->threads;
	c.chunk = thread + last * l->threads;
	*len = chunk_range(l, &c) ? c.end - *off : 0;
}

u64 layout_bytes(const struct layout *l)
{
	return l->chunk ? l->end - l->start : l->per * l->threads;
}

u64 touch_offset(u64 seed, u64 k, u64 start, u64 file_size, u64 length)
{
	u64 z = seed + (k + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return start + z % ((file_size - length - start) / 8 + 1) * 8;
}
