// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.dat version 7: sections, found through the options.
 *
 *	section header	u16 id, u16 flags (1: compressed), u32 description (an
 *			offset in the strings section), u64 size of what follows
 *	compressed	u32 compressed size, u32 size, data; a BUFFER's data
 *			is compressed CPU by CPU instead, in chunks
 *	option		u16 id, u32 size, data; in sections of id 0
 *	option DONE	u64 offset of the next section of options, or 0
 *
 * The sections fill the file from the header to the end without a gap, which
 * is how a missing end is noticed.
 */
#include <errno.h>
#include <string.h>

#include "verify/input/tracedat.h"

#define SECTION_COMPRESSED 1u
#define SECTION_HEADER 16
#define OPTION_SECTIONS_MAX 1024

struct section {
	u16 id, flags;
	u32 description;
	u64 data, size; /* in the file */
};

static int section_header(const struct tracedat *d, u64 off, struct section *s, struct err *e)
{
	struct cursor c = {.f = &d->f, .pos = off, .end = d->f.size, .swap = d->swap};
	int ret;

	if (off > d->f.size) {
		c.pos = c.end;
		return cursor_damage(&c, e,
				     "expected a section at byte %ju, the file ends (truncated?)",
				     (uintmax_t)off);
	}
	ret = cursor_u16(&c, &s->id, "a section's id", e);
	if (!ret)
		ret = cursor_u16(&c, &s->flags, "a section's flags", e);
	if (!ret)
		ret = cursor_u32(&c, &s->description, "a section's description", e);
	if (!ret)
		ret = cursor_u64(&c, &s->size, "a section's size", e);
	if (ret)
		return ret;
	s->data = c.pos;
	if (!range_ok(s->data, s->size, d->f.size))
		return cursor_damage(
			&c, e,
			"expected %ju bytes of section %u, the file ends at byte %ju (truncated?)",
			(uintmax_t)s->size, s->id, (uintmax_t)d->f.size);
	return 0;
}

/* A cursor over the section's content; *@mem is for the caller to free. */
static int section_open(const struct tracedat *d, u64 off, unsigned int id, struct cursor *c,
			u8 **mem, struct err *e)
{
	u8 *z __cleanup_free = NULL;
	struct section s;
	u32 zlen, len;
	int ret;

	ret = section_header(d, off, &s, e);
	if (ret)
		return ret;
	if (s.id != id)
		return damage_at(&d->f, off, e, "expected a section of id %u, found %u", id, s.id);
	*c = (struct cursor){.f = &d->f, .pos = s.data, .end = s.data + s.size, .swap = d->swap};
	if (!(s.flags & SECTION_COMPRESSED))
		return 0;
	if (!d->z)
		return damage_at(&d->f, off, e,
				 "expected a plain section in a file without compression");
	ret = cursor_u32(c, &zlen, "a section's compressed size", e);
	if (!ret)
		ret = cursor_u32(c, &len, "a section's size", e);
	if (ret)
		return ret;
	if (zlen > c->end - c->pos || len > DAT_SECTION_MAX)
		return damage_at(
			&d->f, s.data, e,
			"expected at most %ju compressed bytes that become at most %u, found %u and %u",
			(uintmax_t)(c->end - c->pos), DAT_SECTION_MAX, zlen, len);
	z = xmalloc(zlen);
	*mem = xmalloc(len);
	ret = cursor_read(c, z, zlen, "a compressed section", e);
	if (ret)
		return ret;
	if (decompress(d->z, z, zlen, *mem, len))
		return damage_at(&d->f, s.data, e,
				 "expected %u bytes of %s data that become %u bytes", zlen,
				 d->algorithm, len);
	*c = (struct cursor){
		.f = &d->f, .mem = *mem, .end = len, .origin = s.data, .swap = d->swap};
	return 0;
}

/* Walks all sections, whoever refers to them, from the header to the file's end. */
static int check_sections(const struct tracedat *d, u64 off, struct err *e)
{
	u64 strings = 0, last_string = 0, last_at = 0;
	struct section s;
	int ret;

	while (off < d->f.size) {
		ret = section_header(d, off, &s, e);
		if (ret)
			return ret;
		if (s.description > last_string) {
			last_string = s.description;
			last_at = off;
		}
		if (s.id == OPT_STRINGS) {
			u8 *mem __cleanup_free = NULL;
			struct cursor c;

			ret = section_open(d, off, OPT_STRINGS, &c, &mem, e);
			if (ret)
				return ret;
			strings += c.end - c.pos;
		}
		off = s.data + s.size;
	}
	if (last_string && last_string >= strings)
		return damage_at(
			&d->f, d->f.size, e,
			"expected a section with string %ju, which the section at byte %ju names, the file ends (truncated?)",
			(uintmax_t)last_string, (uintmax_t)last_at);
	return 0;
}

/* Option BUFFER: where the pages of a buffer are; @c covers the option. */
static int buffer(struct trace *t, struct cursor *c, struct err *e)
{
	struct tracedat *d = t->priv;
	char name[256], clock[64];
	struct section s;
	u64 section, off, size;
	u32 page_size, cpus, cpu;
	int ret;

	ret = cursor_u64(c, &section, "the offset of a buffer's section", e);
	if (!ret)
		ret = cursor_string(c, name, sizeof(name), "a buffer's name", e);
	if (!ret)
		ret = cursor_string(c, clock, sizeof(clock), "a buffer's clock", e);
	if (!ret)
		ret = cursor_u32(c, &page_size, "a buffer's page size", e);
	if (!ret)
		ret = cursor_u32(c, &cpus, "a buffer's number of CPUs", e);
	if (ret)
		return ret;
	if (page_size < 64 || page_size > DAT_PAGE_MAX || page_size % 4)
		return cursor_damage(c, e, "expected a page size between 64 and %u, found %u",
				     DAT_PAGE_MAX, page_size);
	if (cpus > DAT_CPUS_MAX || cpus > (c->end - c->pos) / 20)
		return cursor_damage(c, e, "expected room for %u CPUs, found %ju bytes", cpus,
				     (uintmax_t)(c->end - c->pos));
	if (d->n_buffers == DAT_BUFFERS_MAX)
		return cursor_damage(c, e, "expected at most %u buffers", DAT_BUFFERS_MAX);
	ret = section_header(d, section, &s, e);
	if (!ret && s.id != OPT_BUFFER)
		ret = damage_at(&d->f, section, e, "expected a buffer's section, found id %u",
				s.id);
	if (!ret && s.flags & SECTION_COMPRESSED && !d->z)
		ret = damage_at(&d->f, section, e,
				"expected plain pages in a file without compression");
	if (ret)
		return ret;
	d->buffer = xrealloc(d->buffer, d->n_buffers + 1, sizeof(*d->buffer));
	d->buffer[d->n_buffers] = (struct dat_buffer){xstrdup(name), section};
	/* what is empty stands for the top buffer */
	if (!*name || !*d->clock)
		snprintf(d->clock, sizeof(d->clock), "%s", clock);
	for (u32 i = 0; i < cpus; i++) {
		ret = cursor_u32(c, &cpu, "a CPU's number", e);
		if (!ret)
			ret = cursor_u64(c, &off, "the offset of a CPU's data", e);
		if (!ret)
			ret = cursor_u64(c, &size, "the size of a CPU's data", e);
		if (!ret && cpu >= DAT_CPUS_MAX)
			ret = cursor_damage(c, e, "expected a CPU below %u, found %u", DAT_CPUS_MAX,
					    cpu);
		if (!ret)
			ret = dat_add_stream(t, cpu, page_size, d->buffer[d->n_buffers].name,
					     s.flags & SECTION_COMPRESSED, off, size, e);
		if (ret)
			break;
		d->cpus = MAX(d->cpus, cpu + 1);
	}
	d->n_buffers++;
	return ret;
}

/* Options that point to a section of metadata. */
static int metadata(struct trace *t, unsigned int id, struct cursor *option, struct err *e)
{
	struct tracedat *d = t->priv;
	u8 *mem __cleanup_free = NULL;
	struct section s;
	struct cursor c;
	u64 off;
	int ret;

	ret = cursor_u64(option, &off, "the offset of a section", e);
	if (ret)
		return ret;
	if (id == OPT_KALLSYMS || id == OPT_PRINTK) /* not needed, but it must be there */
		return section_header(d, off, &s, e);
	ret = section_open(d, off, id, &c, &mem, e);
	if (ret)
		return ret;
	switch (id) {
	case OPT_HEADER_INFO:
		return dat_header_info(d, &c, e);
	case OPT_FTRACE_EVENTS:
		return dat_ftrace_formats(d, &c, e);
	case OPT_EVENT_FORMATS:
		return dat_event_formats(d, &c, e);
	default:
		return dat_cmdlines(t, &c, e);
	}
}

static int option(struct trace *t, unsigned int id, struct cursor *c, struct err *e)
{
	const struct tracedat *d = t->priv;

	switch (id) {
	case OPT_BUFFER:
		return buffer(t, c, e);
	case OPT_BUFFER_TEXT:
		return err_set(e, -EOPNOTSUPP,
			       "%s: expected events, a buffer holds the text of a latency tracer",
			       d->f.path);
	case OPT_HEADER_INFO:
	case OPT_FTRACE_EVENTS:
	case OPT_EVENT_FORMATS:
	case OPT_KALLSYMS:
	case OPT_PRINTK:
	case OPT_CMDLINES:
		return metadata(t, id, c, e);
	default:
		return dat_option(t, id, c, e);
	}
}

/* One section of options; *@next is where the following one is, or 0. */
static int options(struct trace *t, u64 off, u64 *next, struct err *e)
{
	struct tracedat *d = t->priv;
	u8 *mem __cleanup_free = NULL;
	struct cursor c, data;
	u16 id;
	u32 size;
	int ret;

	ret = section_open(d, off, OPT_DONE, &c, &mem, e);
	if (ret)
		return ret;
	for (;;) {
		ret = cursor_u16(&c, &id, "an option's id", e);
		if (!ret)
			ret = cursor_u32(&c, &size, "an option's size", e);
		data = c;
		if (!ret)
			ret = cursor_skip(&c, size, "an option", e);
		if (ret)
			return ret;
		data.end = c.pos;
		if (id == OPT_DONE)
			return cursor_u64(&data, next, "the offset of the next options", e);
		ret = option(t, id, &data, e);
		if (ret)
			ret = trace_damaged(t, ret, e);
		if (ret)
			return ret;
	}
}

int dat_open_v7(struct trace *t, struct cursor *c, struct err *e)
{
	struct tracedat *d = t->priv;
	char version[32];
	u64 next;
	int ret;

	ret = cursor_string(c, d->algorithm, sizeof(d->algorithm), "a compression algorithm", e);
	if (!ret && compression_new(&d->z, d->algorithm))
		ret = cursor_damage(
			c, e,
			"expected compression \"none\", \"zstd\" or \"zlib\", found \"%.31s\"",
			d->algorithm);
	if (!ret)
		ret = cursor_string(c, version, sizeof(version), "the compression's version", e);
	if (!ret)
		ret = cursor_u64(c, &next, "the offset of the options", e);
	if (ret)
		return trace_damaged(t, ret, e);
	ret = check_sections(d, c->pos, e);
	if (ret)
		ret = trace_damaged(t, ret, e);
	for (u32 i = 0; next && !ret; i++) {
		if (i == OPTION_SECTIONS_MAX)
			ret = damage_at(&d->f, next, e, "expected at most %u sections of options",
					OPTION_SECTIONS_MAX);
		else
			ret = options(t, next, &next, e);
		if (ret)
			return trace_damaged(t, ret, e);
	}
	if (!ret && !d->n_buffers) {
		damage_at(
			&d->f, d->f.size, e,
			"expected a buffer with events, the options name none (the recording was not finished?)");
		ret = trace_damaged(t, -EBADMSG, e);
	}
	return ret;
}
