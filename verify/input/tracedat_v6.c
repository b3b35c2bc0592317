// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.dat version 6: one part after the other, so that all that stands
 * behind a damaged part is lost.
 *
 *	header_page, header_event      text of tracefs
 *	ftrace formats                 count, then size and text of each
 *	event formats                  systems, then as above
 *	kallsyms, printk_formats       u32 size, text
 *	saved_cmdlines                 u64 size, text
 *	CPUs                           u32
 *	"options  "                    u16 id, u32 size, data; ends with id 0
 *	"flyrecord"                    u64 offset, u64 size of each CPU's data
 *	trace_clock                    u64 size, text, if option TRACECLOCK is there
 *	pages of CPU 0, CPU 1 ...      each at the offset that the table says
 *
 * An instance (option BUFFER) has its own "flyrecord" and table further down.
 */
#include <errno.h>
#include <string.h>

#include "verify/input/tracedat.h"

#define WORD_LEN 10

static int skip_u32_text(struct cursor *c, const char *what, struct err *e)
{
	u32 size;
	int ret = cursor_u32(c, &size, what, e);

	return ret ? ret : cursor_skip(c, size, what, e);
}

static int options(struct trace *t, struct cursor *c, struct err *e)
{
	struct cursor data;
	u16 id;
	u32 size;
	int ret;

	for (;;) {
		ret = cursor_u16(c, &id, "an option's id", e);
		if (ret || !id)
			return ret;
		ret = cursor_u32(c, &size, "an option's size", e);
		data = *c;
		if (!ret)
			ret = cursor_skip(c, size, "an option", e);
		if (ret)
			return ret;
		data.end = c->pos;
		ret = dat_option(t, id, &data, e);
		if (ret)
			return ret;
	}
}

/* "flyrecord" and the table behind it, perhaps with options before. */
static int table(struct trace *t, struct cursor *c, const char *buffer, struct err *e)
{
	struct tracedat *d = t->priv;
	char word[WORD_LEN];
	u64 off, size, at = c->pos;
	int ret;

	ret = cursor_read(c, word, sizeof(word), "\"options\" or \"flyrecord\"", e);
	if (!ret && !memcmp(word, "options  ", WORD_LEN)) {
		ret = options(t, c, e);
		at = c->pos;
		if (!ret)
			ret = cursor_read(c, word, sizeof(word), "\"flyrecord\"", e);
	}
	if (ret)
		return ret;
	if (!memcmp(word, "latency  ", WORD_LEN))
		return err_set(
			e, -EOPNOTSUPP,
			"%s: at byte %ju: expected events, the file holds the text of a latency tracer",
			d->f.path, (uintmax_t)at);
	if (memcmp(word, "flyrecord", WORD_LEN)) {
		c->pos = at;
		return cursor_damage(c, e, "expected \"flyrecord\"");
	}
	for (u32 cpu = 0; cpu < d->cpus; cpu++) {
		ret = cursor_u64(c, &off, "the offset of a CPU's data", e);
		if (!ret)
			ret = cursor_u64(c, &size, "the size of a CPU's data", e);
		if (!ret)
			ret = dat_add_stream(t, cpu, d->page_size, buffer, false, off, size, e);
		if (ret)
			return ret;
	}
	return 0;
}

/* Old trace-cmd versions wrote nonsense here, so that no damage can be told. */
static void clock_text(struct tracedat *d, struct cursor *c)
{
	char text[256] = "";
	struct err ignored;
	u64 size;

	if (cursor_u64(c, &size, "trace_clock", &ignored) || size >= sizeof(text) ||
	    cursor_read(c, text, size, "trace_clock", &ignored))
		return;
	dat_clock(d, text);
}

static int read_all(struct trace *t, struct cursor *c, struct err *e)
{
	struct tracedat *d = t->priv;
	int ret;

	ret = dat_header_info(d, c, e);
	if (!ret)
		ret = dat_ftrace_formats(d, c, e);
	if (!ret)
		ret = dat_event_formats(d, c, e);
	if (!ret)
		ret = skip_u32_text(c, "kallsyms", e);
	if (!ret)
		ret = skip_u32_text(c, "printk_formats", e);
	if (!ret)
		ret = dat_cmdlines(t, c, e);
	if (!ret)
		ret = cursor_u32(c, &d->cpus, "the number of CPUs", e);
	if (!ret && d->cpus > DAT_CPUS_MAX)
		ret = cursor_damage(c, e, "expected at most %u CPUs, found %u", DAT_CPUS_MAX,
				    d->cpus);
	if (!ret)
		ret = table(t, c, "", e);
	if (ret)
		return ret;
	if (d->clock_follows)
		clock_text(d, c);
	return 0;
}

int dat_open_v6(struct trace *t, struct cursor *c, struct err *e)
{
	struct tracedat *d = t->priv;
	u32 n;
	int ret;

	ret = read_all(t, c, e);
	if (ret)
		return trace_damaged(t, ret, e);
	n = d->n_buffers; /* an instance has no instances */
	for (u32 i = 0; i < n && !ret; i++) {
		c->pos = d->buffer[i].offset;
		if (c->pos > c->end) {
			c->pos = c->end;
			ret = cursor_damage(
				c, e,
				"expected instance \"%s\" at byte %ju, the file ends (truncated?)",
				d->buffer[i].name, (uintmax_t)d->buffer[i].offset);
		} else {
			ret = table(t, c, d->buffer[i].name, e);
		}
		if (ret)
			ret = trace_damaged(t, ret, e);
	}
	return ret;
}
