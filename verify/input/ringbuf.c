// SPDX-License-Identifier: GPL-2.0-only
#include "verify/input/ringbuf.h"

#include <errno.h>
#include <string.h>

#include "verify/input/file.h"

#define TIME_BITS 27
#define ABS_BITS 59
#define ABS_MASK ((1ull << ABS_BITS) - 1)

enum { TYPE_PADDING = 29, TYPE_EXTEND, TYPE_STAMP };

static int bad(struct ring_page *p, u32 pos, const char *expected)
{
	p->pos = pos;
	p->expected = expected;
	return -EBADMSG;
}

static u64 load_long(const struct ring_format *f, const u8 *at)
{
	return f->long_size == 8 ? load64(at, f->swap) : load32(at, f->swap);
}

int ring_load(const struct ring_format *f, struct ring_page *p, const u8 *page, u32 len)
{
	u32 size;
	u64 commit;

	*p = (struct ring_page){.page = page};
	if (len < f->data)
		return bad(p, 0, "a page header");
	p->ts = load64(page, f->swap);
	commit = load_long(f, page + f->commit);
	/*
	 * The kernel adds the flags as an int, (1 << 31), to a long: where that has 64
	 * bits the sign is extended over its upper half.
	 */
	if (commit >> 32 == UINT32_MAX && commit & RING_MISSED_EVENTS)
		commit = (u32)commit;
	size = commit & RING_COMMIT_MASK;
	if (commit & ~(u64)(RING_COMMIT_MASK | RING_MISSED_EVENTS | RING_MISSED_STORED))
		return bad(p, f->commit, "the size of the page's records, found unknown flags");
	if (size > len - f->data)
		return bad(p, f->commit, "records that fit into the page");
	p->missed = commit & RING_MISSED_EVENTS;
	if (p->missed && commit & RING_MISSED_STORED && range_ok(f->data + size, f->long_size, len))
		p->missed_count = load_long(f, page + f->data + size);
	p->pos = f->data;
	p->end = f->data + size;
	return 0;
}

int ring_next(const struct ring_format *f, struct ring_page *p, struct ring_event *ev)
{
	u32 word, delta, type_len, len, at;
	u64 stamp;

	for (;;) {
		at = p->pos;
		if (at == p->end)
			return 0;
		if (p->end - at < 4)
			return bad(p, at, "the header of a record within the page's commit size");
		word = load32(p->page + at, f->swap);
		type_len = f->big_endian ? word >> TIME_BITS : word & 31;
		delta = f->big_endian ? word & ((1u << TIME_BITS) - 1) : word >> 5;
		at += 4;
		if (type_len >= 1 && type_len < TYPE_PADDING) {
			len = type_len * 4;
			if (p->end - at < len)
				return bad(p, at - 4,
					   "a data record within the page's commit size");
			p->ts += delta;
			ev->ts = p->ts;
			ev->data = p->page + at;
			ev->len = len;
			p->pos = at + len;
			return 1;
		}
		if (type_len == TYPE_PADDING && !delta) {
			p->pos = p->end;
			return 0;
		}
		if (p->end - at < 4)
			return bad(p, at - 4, "a record's second word within the commit size");
		word = load32(p->page + at, f->swap);
		switch (type_len) {
		case TYPE_EXTEND:
			p->ts += ((u64)word << TIME_BITS) + delta;
			p->pos = at + 4;
			break;
		case TYPE_STAMP:
			stamp = (((u64)word << TIME_BITS) + delta) & ABS_MASK;
			stamp |= p->ts & ~ABS_MASK;
			if (stamp < p->ts) /* the 59 bits have wrapped */
				stamp += (p->ts - stamp) >> (ABS_BITS - 1) ? 1ull << ABS_BITS : 0;
			p->ts = stamp;
			p->pos = at + 4;
			break;
		default: /* long data or discarded: @word counts itself */
			if (word < 4 || word > p->end - at)
				return bad(p, at, "the length of a record within the commit size");
			/* the writer rounds up to words */
			len = (word + 3) & ~3u;
			if (len > p->end - at)
				return bad(p, at, "a whole record within the commit size");
			p->ts += delta;
			p->pos = at + len;
			if (type_len == TYPE_PADDING)
				break;
			ev->ts = p->ts;
			ev->data = p->page + at + 4;
			ev->len = word - 4;
			return 1;
		}
	}
}

/* Offset and size of the field @name: "field: TYPE NAME;\toffset:N;\tsize:N;". */
static bool find_field(const char *text, const char *name, unsigned int *offset, unsigned int *size)
{
	char pattern[32];
	const char *p;

	snprintf(pattern, sizeof(pattern), " %s;", name);
	p = strstr(text, pattern);
	return p && sscanf(p + strlen(pattern), " offset:%u; size:%u;", offset, size) == 2;
}

bool ring_format_parse(struct ring_format *f, const char *text, size_t len)
{
	unsigned int ts, ts_size, commit, commit_size, data, data_size;
	char copy[4096];

	if (len >= sizeof(copy) || memchr(text, '\0', len))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (!find_field(copy, "timestamp", &ts, &ts_size) ||
	    !find_field(copy, "commit", &commit, &commit_size) ||
	    !find_field(copy, "data", &data, &data_size))
		return false;
	if (ts || ts_size != 8 || commit < 8 || commit > 64 ||
	    (commit_size != 4 && commit_size != 8) || data < commit + commit_size || data > 128)
		return false;
	f->long_size = (u8)commit_size;
	f->commit = (u16)commit;
	f->data = (u16)data;
	return true;
}
