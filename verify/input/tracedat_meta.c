// SPDX-License-Identifier: GPL-2.0-only
/* Metadata of trace.dat that versions 6 and 7 share. */
#include <errno.h>
#include <string.h>

#include "verify/input/tracedat.h"

#define TEXT_MAX (1u << 20) /* one format, one option */

static int expect_string(struct cursor *c, const char *text, struct err *e)
{
	char buf[16];
	u64 at = c->pos;
	size_t len = strlen(text) + 1;
	int ret = cursor_read(c, buf, len, text, e);

	if (!ret && memcmp(buf, text, len)) {
		c->pos = at;
		ret = cursor_damage(c, e, "expected \"%s\"", text);
	}
	return ret;
}

/* @size bytes of text, which the caller frees. */
static int read_text(struct cursor *c, u64 size, const char *what, char **text, struct err *e)
{
	int ret;

	if (size > TEXT_MAX)
		return cursor_damage(c, e, "expected %s of at most %u bytes, found %ju", what,
				     TEXT_MAX, (uintmax_t)size);
	if (!range_ok(c->pos, size, c->end))
		return cursor_skip(c, size, what, e); /* for the message */
	*text = xmalloc(size + 1);
	ret = cursor_read(c, *text, size, what, e);
	(*text)[size] = '\0';
	return ret;
}

int dat_header_info(struct tracedat *d, struct cursor *c, struct err *e)
{
	char *text __cleanup_free = NULL;
	u64 size, at;
	int ret;

	ret = expect_string(c, "header_page", e);
	if (!ret)
		ret = cursor_u64(c, &size, "the size of header_page", e);
	at = c->pos;
	if (!ret)
		ret = read_text(c, size, "header_page", &text, e);
	if (ret)
		return ret;
	if (!ring_format_parse(&d->ring, text, size)) {
		c->pos = at;
		return cursor_damage(c, e,
				     "expected header_page to describe timestamp, commit and data");
	}
	ret = expect_string(c, "header_event", e);
	if (!ret)
		ret = cursor_u64(c, &size, "the size of header_event", e);
	return ret ? ret : cursor_skip(c, size, "header_event", e);
}

/* @n formats, each behind its size. */
static int read_formats(struct tracedat *d, struct cursor *c, u32 n, const char *system,
			struct err *e)
{
	char msg[sizeof(e->msg) / 4];
	u64 size, at;
	int ret;

	for (u32 i = 0; i < n; i++) {
		char *text __cleanup_free = NULL;

		ret = cursor_u64(c, &size, "the size of an event format", e);
		at = c->pos;
		if (!ret)
			ret = read_text(c, size, "an event format", &text, e);
		if (ret)
			return ret;
		ret = formats_add(d->formats, system, text, size, e);
		if (ret) {
			snprintf(msg, sizeof(msg), "%.255s", e->msg);
			c->pos = at;
			return cursor_damage(c, e, "%s", msg);
		}
	}
	return 0;
}

int dat_ftrace_formats(struct tracedat *d, struct cursor *c, struct err *e)
{
	u32 n;
	int ret = cursor_u32(c, &n, "the number of ftrace formats", e);

	return ret ? ret : read_formats(d, c, n, "ftrace", e);
}

int dat_event_formats(struct tracedat *d, struct cursor *c, struct err *e)
{
	char system[128];
	u32 n_systems, n;
	int ret;

	ret = cursor_u32(c, &n_systems, "the number of event systems", e);
	for (u32 i = 0; i < n_systems && !ret; i++) {
		ret = cursor_string(c, system, sizeof(system), "the name of an event system", e);
		if (!ret)
			ret = cursor_u32(c, &n, "the number of a system's events", e);
		if (!ret)
			ret = read_formats(d, c, n, system, e);
	}
	return ret;
}

int dat_cmdlines(struct trace *t, struct cursor *c, struct err *e)
{
	char *text __cleanup_free = NULL;
	u64 size;
	int ret;

	ret = cursor_u64(c, &size, "the size of saved_cmdlines", e);
	if (!ret && size > DAT_SECTION_MAX)
		ret = cursor_damage(c, e, "expected saved_cmdlines of at most %u bytes, found %ju",
				    DAT_SECTION_MAX, (uintmax_t)size);
	if (ret)
		return ret;
	if (!range_ok(c->pos, size, c->end))
		return cursor_skip(c, size, "saved_cmdlines", e);
	text = xmalloc(size);
	ret = cursor_read(c, text, size, "saved_cmdlines", e);
	if (!ret)
		comms_parse(&t->comms, text, size);
	return ret;
}

/* ---- options ---- */

/* v6: an instance; its table is read when all options are known. */
static int instance(struct tracedat *d, struct cursor *c, struct err *e)
{
	char name[256];
	u64 off;
	int ret;

	ret = cursor_u64(c, &off, "the offset of an instance", e);
	if (!ret)
		ret = cursor_string(c, name, sizeof(name), "the name of an instance", e);
	if (ret)
		return ret;
	if (d->n_buffers == DAT_BUFFERS_MAX)
		return cursor_damage(c, e, "expected at most %u instances", DAT_BUFFERS_MAX);
	d->buffer = xrealloc(d->buffer, d->n_buffers + 1, sizeof(*d->buffer));
	d->buffer[d->n_buffers++] = (struct dat_buffer){xstrdup(name), off};
	return 0;
}

static int tsc(struct dat_time *tm, struct cursor *c, struct err *e)
{
	u32 mult, shift;
	int ret;

	ret = cursor_u32(c, &mult, "TSC2NSEC's multiplier", e);
	if (!ret)
		ret = cursor_u32(c, &shift, "TSC2NSEC's shift", e);
	if (ret)
		return ret;
	if (shift > 63)
		return cursor_damage(c, e, "expected TSC2NSEC's shift below 64, found %u", shift);
	tm->mult = mult;
	tm->shift = shift;
	return 0;
}

/* The word in brackets of "local [mono] global". */
void dat_clock(struct tracedat *d, const char *text)
{
	const char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	if (to)
		snprintf(d->clock, sizeof(d->clock), "%.*s", (int)MIN(to - from - 1, 63), from + 1);
}

/*
 * TRACEID and GUEST say which host file belongs to which guest file, HOOK and
 * PROCMAPS are for other analyses: nothing in them changes an event.
 */
int dat_option(struct trace *t, unsigned int id, struct cursor *c, struct err *e)
{
	struct tracedat *d = t->priv;
	char *text __cleanup_free = NULL;
	u32 cpus;
	int ret = 0;

	switch (id) {
	case OPT_DATE:
	case OPT_OFFSET:
	case OPT_CPUSTAT:
	case OPT_TRACECLOCK:
	case OPT_UNAME:
		ret = read_text(c, c->end - c->pos, "an option", &text, e);
		if (ret)
			return ret;
		break;
	default:
		break;
	}
	switch (id) {
	case OPT_DATE: /* microseconds */
		d->time.offset += (s64)((u64)strtoll(text, NULL, 0) * 1000);
		break;
	case OPT_OFFSET:
		d->time.offset = (s64)((u64)d->time.offset + (u64)strtoll(text, NULL, 0));
		break;
	case OPT_CPUSTAT:
		dat_stats_parse(t, &d->stats, text);
		break;
	case OPT_TRACECLOCK:
		d->clock_follows = true;
		dat_clock(d, text);
		break;
	case OPT_UNAME:
		snprintf(d->uname, sizeof(d->uname), "%s", text);
		break;
	case OPT_CPUCOUNT:
		ret = cursor_u32(c, &cpus, "the number of CPUs", e);
		if (ret)
			return ret;
		if (cpus > DAT_CPUS_MAX)
			return cursor_damage(c, e, "expected at most %u CPUs, found %u",
					     DAT_CPUS_MAX, cpus);
		d->cpus = cpus;
		break;
	case OPT_BUFFER:
		return instance(d, c, e);
	case OPT_TIME_SHIFT:
		return dat_time_shift(&d->time, c, e);
	case OPT_TSC2NSEC:
		return tsc(&d->time, c, e);
	default:
		break;
	}
	return 0;
}
