// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.dat, as trace-cmd and libtracecmd write it: versions 6 and 7 of any
 * byte order, long size and page size.  docs/blkproof-formats.5 says the same
 * in more words.
 *
 *	0      3         10    12       13     14          18
 *	+------+---------+-----+--------+------+-----------+----------------
 *	| 17   | tracing | "6" | byte   | long | page size | v6: parts in order
 *	| 08   |         | "7" | order: | 4, 8 | u32       | v7: compression,
 *	| 44   |         | NUL | 1 big  |      |           | options, sections
 *	+------+---------+-----+--------+------+-----------+----------------
 *
 * Both lead to the pages of each CPU in each buffer (ringbuf.h), which are
 * merged by time as trace-cmd report merges them: of equal times, the top
 * buffer and the lower CPU come first.
 */
#include <errno.h>
#include <string.h>

#include "verify/input/tracedat.h"

#define MAGIC "\x17\x08\x44tracing"
#define MAGIC_LEN 10

static bool tracedat_probe(const u8 *head, size_t len)
{
	/* a file that is cut within the magic is still a trace.dat */
	return len >= 3 && !memcmp(head, MAGIC, MIN(len, (size_t)MAGIC_LEN));
}

static int read_header(struct tracedat *d, struct cursor *c, struct err *e)
{
	char magic[MAGIC_LEN], version[8];
	u8 big, long_size;
	int ret;

	ret = cursor_read(c, magic, sizeof(magic), "the magic of a trace.dat", e);
	if (!ret)
		ret = cursor_string(c, version, sizeof(version), "the version", e);
	if (ret)
		return ret;
	if (strcmp(version, "6") && strcmp(version, "7"))
		return damage_at(&d->f, MAGIC_LEN, e, "expected version 6 or 7, found \"%s\"",
				 version);
	d->version = version[0] - '0';
	ret = cursor_read(c, &big, 1, "the byte order", e);
	if (!ret && big > 1)
		ret = cursor_damage(c, e, "expected byte order 0 (little) or 1 (big), found %u",
				    big);
	if (!ret)
		ret = cursor_read(c, &long_size, 1, "the size of a long", e);
	if (!ret && long_size != 4 && long_size != 8)
		ret = cursor_damage(c, e, "expected longs of 4 or 8 bytes, found %u", long_size);
	if (ret)
		return ret;
	d->big_endian = big;
	d->long_size = long_size;
	d->swap = c->swap = d->big_endian != HOST_BIG_ENDIAN;
	ret = cursor_u32(c, &d->page_size, "the page size", e);
	if (!ret && (d->page_size < 64 || d->page_size > DAT_PAGE_MAX || d->page_size % 4))
		ret = cursor_damage(c, e, "expected a page size between 64 and %u, found %u",
				    DAT_PAGE_MAX, d->page_size);
	return ret;
}

/* Clocks of the kernel (trace_clocks[] in kernel/trace/trace.c) whose unit is not the ns. */
static bool clock_counts(const struct tracedat *d)
{
	static const char *const names[] = {"counter", "uptime", "x86-tsc", "ppc-tb"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(d->clock, names[i]))
			return !d->time.mult;
	return false;
}

static int tracedat_open(struct trace *t, struct err *e)
{
	struct tracedat *d = xcalloc(1, sizeof(*d));
	struct cursor c;
	int ret;

	t->priv = d;
	d->f.fd = -1;
	ret = infile_open(&d->f, t->path, e);
	if (ret)
		return ret;
	c = (struct cursor){.f = &d->f, .end = d->f.size};
	ret = read_header(d, &c, e);
	if (ret)
		return ret;
	d->ring = (struct ring_format){.swap = d->swap,
				       .big_endian = d->big_endian,
				       .long_size = d->long_size,
				       .commit = 8,
				       .data = (u16)(8 + d->long_size)};
	d->formats = formats_new(d->big_endian);
	ret = d->version == 6 ? dat_open_v6(t, &c, e) : dat_open_v7(t, &c, e);
	if (ret)
		return ret;
	t->info.kind = KIND_TRACE_DAT;
	snprintf(t->format, sizeof(t->format), "trace.dat v%d%s%s%s%s", d->version, d->z ? " " : "",
		 d->z ? d->algorithm : "", d->big_endian ? " big-endian" : "",
		 d->ring.long_size == 4 ? " 32-bit" : "");
	t->info.clock = d->clock;
	t->info.clock_counts = clock_counts(d);
	t->info.uname = d->uname;
	t->info.page_size = d->page_size;
	t->info.cpus = d->cpus;
	t->info.caps = formats_caps(d->formats);
	t->info.event_types = formats_types(d->formats);
	return 0;
}

/* ---- merge ---- */

static bool before(const struct tracedat *d, u32 a, u32 b)
{
	const struct dat_stream *x = &d->stream[a], *y = &d->stream[b];

	return x->ts < y->ts || (x->ts == y->ts && a < b);
}

static void sift_down(struct tracedat *d, u32 i)
{
	u32 child, moving = d->heap[i];

	while ((child = 2 * i + 1) < d->n_heap) {
		if (child + 1 < d->n_heap && before(d, d->heap[child + 1], d->heap[child]))
			child++;
		if (before(d, moving, d->heap[child]))
			break;
		d->heap[i] = d->heap[child];
		i = child;
	}
	d->heap[i] = moving;
}

/* Moves stream @i on.  1, or 0 when it has ended (perhaps in damage that may be ignored). */
static int advance(struct trace *t, u32 i, struct err *e)
{
	struct tracedat *d = t->priv;
	struct dat_stream *s = &d->stream[i];
	int ret = dat_stream_next(d, s, e);

	if (ret == 1) {
		s->ts = dat_time_plain(&d->time) ? s->ev.ts : dat_time(&d->time, s->cpu, s->ev.ts);
		return 1;
	}
	if (ret < 0)
		ret = trace_damaged(t, ret, e);
	dat_stream_free(d, s);
	return ret;
}

static int start(struct trace *t, struct err *e)
{
	struct tracedat *d = t->priv;
	int ret;

	d->started = true;
	d->heap = xcalloc(d->n_streams, sizeof(*d->heap));
	for (u32 i = 0; i < d->n_streams; i++) {
		ret = advance(t, i, e);
		if (ret < 0)
			return ret;
		if (ret)
			d->heap[d->n_heap++] = i;
	}
	for (u32 i = d->n_heap / 2; i-- > 0;)
		sift_down(d, i);
	return 0;
}

static int advance_top(struct trace *t, struct err *e)
{
	struct tracedat *d = t->priv;
	int ret = advance(t, d->heap[0], e);

	d->advance = false;
	if (ret < 0)
		return ret;
	if (!ret)
		d->heap[0] = d->heap[--d->n_heap];
	if (d->n_heap)
		sift_down(d, 0);
	return 0;
}

static void lost_event(struct event *ev, u32 cpu, u64 from, u64 to, u64 count)
{
	*ev = (struct event){.type = EV_LOST, .ts = to, .cpu = (u16)cpu, .pid = -1};
	ev->lost.from = from;
	ev->lost.count = count;
}

/*
 * What the counters of CPUSTAT say beyond the flags in the pages.  Nobody knows
 * where it happened: anywhere.
 */
static bool end_loss(struct trace *t, struct event *ev)
{
	struct tracedat *d = t->priv;

	while (d->end_step < 2 * t->info.n_loss) {
		const struct cpu_loss *l = &t->loss[d->end_step / 2];
		u64 located = 0, count = l->commit_overrun + l->dropped;
		bool uncounted = false, absent = !(d->end_step++ & 1);

		for (u32 i = 0; i < d->n_streams; i++) {
			const struct dat_stream *s = &d->stream[i];

			if (s->cpu != l->cpu)
				continue;
			located += s->located;
			uncounted |= s->located_uncounted;
		}
		if (absent && l->absent) {
			lost_event(ev, l->cpu, 0, d->last_ts, l->absent);
			return true;
		}
		if (!uncounted && l->overrun > located)
			count += l->overrun - located;
		if (!absent && count) {
			lost_event(ev, l->cpu, 0, d->last_ts, count);
			return true;
		}
	}
	return false;
}

static int tracedat_next(struct trace *t, struct event *ev, struct err *e)
{
	struct tracedat *d = t->priv;
	struct dat_stream *s;
	char msg[256];
	int ret = 0;

	if (!d->started)
		ret = start(t, e);
	else if (d->advance)
		ret = advance_top(t, e);
	if (ret)
		return ret;
	if (!d->n_heap) {
		if (!d->ended)
			dat_stats_finish(t, &d->stats, d->stream, d->n_streams);
		d->ended = true;
		return end_loss(t, ev);
	}
	s = &d->stream[d->heap[0]];
	if (s->lost) {
		lost_event(ev, s->cpu, s->last_ts, s->ts, s->lost_uncounted ? 0 : s->lost_count);
		s->lost = s->lost_uncounted = false;
		s->lost_count = 0;
		return 1;
	}
	ret = formats_decode(d->formats, s->ev.data, s->ev.len, ev, d->text, e);
	if (ret) {
		snprintf(msg, sizeof(msg), "%.255s", e->msg);
		return damage_at(
			&d->f, s->page_off + (s->compressed ? 0 : (u64)(s->ev.data - s->page.page)),
			e, "CPU %u: %s", s->cpu, msg);
	}
	ev->ts = s->ts;
	ev->cpu = (u16)s->cpu;
	ev->seq = ++t->seq;
	s->events++;
	s->last_ts = s->ts;
	d->last_ts = s->ts;
	d->advance = true;
	return 1;
}

static void tracedat_close(struct trace *t)
{
	struct tracedat *d = t->priv;

	if (!d)
		return;
	for (u32 i = 0; i < d->n_streams; i++)
		dat_stream_free(d, &d->stream[i]);
	for (u32 i = 0; i < d->n_buffers; i++)
		free(d->buffer[i].name);
	free(d->buffer);
	free(d->stream);
	free(d->heap);
	free(d->zbuf);
	formats_free(d->formats);
	compression_free(d->z);
	dat_time_free(&d->time);
	dat_stats_free(&d->stats);
	infile_close(&d->f);
	free(d);
}

const struct reader reader_tracedat = {
	.name = "trace.dat",
	.probe = tracedat_probe,
	.open = tracedat_open,
	.next = tracedat_next,
	.close = tracedat_close,
};
