// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace data of one CPU: a window over its part of the file, or over one
 * decompressed chunk of it, from which pages are taken one after the other.
 */
#include <errno.h>
#include <string.h>

#include "verify/input/tracedat.h"

#define WINDOW_MAX (256u << 10)
#define WINDOWS_TOTAL (32u << 20)

static const char *cpu_name(const struct dat_stream *s, char *buf, size_t size)
{
	snprintf(buf, size, "CPU %u%s%.64s%s", s->cpu, *s->buffer ? " of instance \"" : "",
		 s->buffer, *s->buffer ? "\"" : "");
	return buf;
}

int dat_add_stream(struct trace *t, u32 cpu, u32 page_size, const char *buffer, bool compressed,
		   u64 off, u64 size, struct err *e)
{
	struct tracedat *d = t->priv;
	struct dat_stream *s;
	char name[128];

	if (!size)
		return 0;
	if (!(d->n_streams & (d->n_streams + 1)))
		d->stream = xrealloc(d->stream, 2 * ((size_t)d->n_streams + 1), sizeof(*s));
	s = &d->stream[d->n_streams];
	*s = (struct dat_stream){.cpu = cpu,
				 .page_size = page_size,
				 .buffer = buffer,
				 .compressed = compressed,
				 .pos = off,
				 .end = off + size};
	cpu_name(s, name, sizeof(name));
	if (!range_ok(off, size, d->f.size)) {
		int ret = damage_at(
			&d->f, MIN(off, d->f.size), e,
			"expected %s's trace data of %ju bytes at byte %ju, the file ends at byte %ju (truncated?)",
			name, (uintmax_t)size, (uintmax_t)off, (uintmax_t)d->f.size);

		ret = trace_damaged(t, ret, e);
		if (ret || off >= d->f.size)
			return ret;
		s->end = d->f.size;
	}
	d->n_streams++;
	return 0;
}

static int take_memory(struct tracedat *d, struct dat_stream *s, size_t size, struct err *e)
{
	char name[128];

	if (s->win_size >= size)
		return 0;
	if (size - s->win_size > DAT_MEMORY_MAX - d->memory)
		return damage_at(
			&d->f, s->pos, e,
			"expected trace data whose pages and chunks of all CPUs fit into %u MiB, %s needs %zu bytes more",
			DAT_MEMORY_MAX >> 20, cpu_name(s, name, sizeof(name)), size - s->win_size);
	d->memory += size - s->win_size;
	s->win = xrealloc(s->win, size, 1);
	s->win_size = size;
	return 0;
}

void dat_stream_free(struct tracedat *d, struct dat_stream *s)
{
	d->memory -= s->win_size;
	free(s->win);
	s->win = NULL;
	s->win_size = s->win_len = s->win_pos = 0;
	s->done = true;
}

static int fill_plain(struct tracedat *d, struct dat_stream *s, struct err *e)
{
	size_t want = WINDOWS_TOTAL / d->n_streams / s->page_size, n,
	       have = s->win_len - s->win_pos;
	char name[128];
	int ret;

	want = MIN(want, (size_t)WINDOW_MAX / s->page_size);
	ret = take_memory(d, s, MAX(want, (size_t)1) * s->page_size, e);
	if (ret)
		return ret;
	n = (size_t)MIN(s->end - s->pos, (u64)(s->win_size - have));
	if (have)
		memmove(s->win, s->win + s->win_pos, have);
	s->win_pos = 0;
	s->win_len = have;
	s->win_off = s->pos - have;
	ret = infile_read(&d->f, s->pos, s->win + have, n, cpu_name(s, name, sizeof(name)), e);
	if (ret)
		return ret;
	s->pos += n;
	s->win_len += n;
	return 0;
}

static int fill_chunk(struct tracedat *d, struct dat_stream *s, struct err *e)
{
	struct cursor c = {.f = &d->f, .pos = s->pos, .end = s->end + s->slack, .swap = d->swap};
	size_t have = s->win_len - s->win_pos;
	u32 zlen, len;
	int ret;

	ret = cursor_u32(&c, &zlen, "the compressed size of a chunk", e);
	if (!ret)
		ret = cursor_u32(&c, &len, "the size of a chunk", e);
	if (ret)
		return ret;
	if (!len || zlen > c.end - c.pos || zlen / 2 > (u64)len + 65536)
		return damage_at(
			&d->f, s->pos, e,
			"expected a chunk of compressed pages, found %u bytes that become %u, of %ju that are left",
			zlen, len, (uintmax_t)(c.end - c.pos));
	if (len > DAT_MEMORY_MAX) /* so that sums below cannot overflow */
		return damage_at(&d->f, s->pos, e,
				 "expected a chunk of less than %u MiB, found %u bytes",
				 DAT_MEMORY_MAX >> 20, len);
	if (have)
		memmove(s->win, s->win + s->win_pos, have);
	s->win_pos = 0;
	s->win_len = have;
	ret = take_memory(d, s, MAX(have + len, (size_t)s->page_size), e);
	if (ret)
		return ret;
	if (zlen > d->zbuf_size) {
		d->zbuf = xrealloc(d->zbuf, zlen, 1);
		d->zbuf_size = zlen;
	}
	s->win_off = s->pos;
	ret = cursor_read(&c, d->zbuf, zlen, "a chunk of compressed pages", e);
	if (ret)
		return ret;
	if (decompress(d->z, d->zbuf, zlen, s->win + have, len))
		return damage_at(&d->f, s->win_off + 8, e,
				 "expected %u bytes of %s data that become %u bytes", zlen,
				 d->algorithm, len);
	s->win_len += len;
	s->pos = c.pos;
	s->chunks--;
	return 0;
}

/* trace-cmd before 3.2 does not count the number of chunks in the size of a CPU's data. */
#define CHUNKS_SLACK 4

static int start_chunks(struct tracedat *d, struct dat_stream *s, struct err *e)
{
	struct cursor c = {.f = &d->f, .pos = s->pos, .swap = d->swap};
	int ret;

	s->slack = range_ok(s->end, CHUNKS_SLACK, d->f.size) ? CHUNKS_SLACK : 0;
	c.end = s->end + s->slack;
	ret = cursor_u32(&c, &s->chunks, "the number of compressed chunks", e);
	if (!ret && s->chunks > (c.end - c.pos) / 8)
		ret = damage_at(&d->f, s->pos, e, "expected %u chunks, room for %ju is left",
				s->chunks, (uintmax_t)((c.end - c.pos) / 8));
	s->pos = c.pos;
	return ret;
}

/* 1 with the next page in s->page, 0 at the end. */
static int next_page(struct tracedat *d, struct dat_stream *s, struct err *e)
{
	char name[128];
	size_t left;
	int ret;

	if (!s->started && s->compressed) {
		ret = start_chunks(d, s, e);
		if (ret)
			return ret;
	}
	s->started = true;
	while (left = s->win_len - s->win_pos, left < s->page_size) {
		if (s->compressed ? !s->chunks : s->pos == s->end)
			break;
		ret = s->compressed ? fill_chunk(d, s, e) : fill_plain(d, s, e);
		if (ret)
			return ret;
	}
	if (!left && s->pos != s->end && (!s->compressed || s->pos != s->end + CHUNKS_SLACK))
		return damage_at(&d->f, s->pos, e,
				 "expected the end of %s's chunks, %ju bytes are left",
				 cpu_name(s, name, sizeof(name)), (uintmax_t)(s->end - s->pos));
	if (!left)
		return 0;
	s->page_off = s->win_off + (s->compressed ? 0 : s->win_pos);
	if (left < s->page_size)
		return damage_at(&d->f, s->page_off, e,
				 "expected %u bytes of %s's page, %zu are left (truncated?)",
				 s->page_size, cpu_name(s, name, sizeof(name)), left);
	ret = ring_load(&d->ring, &s->page, s->win + s->win_pos, s->page_size);
	s->win_pos += s->page_size;
	if (ret)
		return ret;
	if (s->page.ts < s->raw) {
		s->page.expected = "a time that is not before that of the page before";
		s->page.pos = 0;
		return -EBADMSG;
	}
	if (s->page.missed) {
		s->lost = true;
		s->lost_count += s->page.missed_count;
		s->lost_uncounted |= !s->page.missed_count;
		s->located += s->page.missed_count;
		s->located_uncounted |= !s->page.missed_count;
	}
	return 1;
}

int dat_stream_next(struct tracedat *d, struct dat_stream *s, struct err *e)
{
	char name[128];
	int ret = s->page.page ? ring_next(&d->ring, &s->page, &s->ev) : 0;

	while (!ret) {
		s->page.expected = NULL;
		s->page.page = NULL;
		ret = next_page(d, s, e);
		if (ret <= 0)
			break;
		ret = ring_next(&d->ring, &s->page, &s->ev);
	}
	if (ret == 1) {
		s->raw = s->ev.ts;
		return 1;
	}
	if (!ret)
		return 0;
	if (s->page.expected)
		damage_at(&d->f, s->page_off + (s->compressed ? 0 : s->page.pos), e,
			  "%s: expected %s (byte %u of a page%s)", cpu_name(s, name, sizeof(name)),
			  s->page.expected, s->page.pos,
			  s->compressed ? " of the chunk that begins here" : "");
	return ret;
}
