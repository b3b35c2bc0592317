// SPDX-License-Identifier: GPL-2.0-only
#include "host/frames.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

static const char *const type_names[] = {
	[FRAME_HELLO] = "hello", [FRAME_PROGRESS] = "progress", [FRAME_PHASE] = "phase",
	[FRAME_FILE] = "file",	 [FRAME_PAGES] = "pages",	[FRAME_ERROR] = "error",
	[FRAME_DONE] = "done",	 [FRAME_ALIVE] = "alive",	[FRAME_COUNTERS] = "counters",
};

const char *frame_type_name(u32 type)
{
	return type < ARRAY_SIZE(type_names) ? type_names[type] : NULL;
}

static int header_check(struct frames *d, struct err *e)
{
	struct frame_header h;

	memcpy(&h, d->header, sizeof(h));
	h.magic = le32toh(h.magic);
	h.type = le32toh(h.type);
	h.seq = le32toh(h.seq);
	h.cpu = le32toh(h.cpu);
	h.len = le64toh(h.len);
	if (h.magic != FRAME_MAGIC)
		return err_set(e, -EBADMSG,
			       "guest's frames: magic 0x%08x instead of 0x%08x at byte %llu",
			       h.magic, FRAME_MAGIC, (unsigned long long)d->offset);
	if (!frame_type_name(h.type))
		return err_set(e, -EBADMSG, "guest's frames: unknown type %u at byte %llu", h.type,
			       (unsigned long long)d->offset);
	if (h.seq != d->next_seq)
		return err_set(e, -EBADMSG, "guest's frames: number %u where %u was due", h.seq,
			       d->next_seq);
	if (h.len > FRAME_MAX_PAYLOAD)
		return err_set(e, -EBADMSG,
			       "guest's frames: number %u: %llu bytes, more than the maximum of %u",
			       h.seq, (unsigned long long)h.len, FRAME_MAX_PAYLOAD);
	d->h = h;
	return 0;
}

/* The header is complete: make room for the payload. */
static int header_done(struct frames *d, struct err *e)
{
	int ret = header_check(d, e);

	if (ret)
		return ret;
	if (d->size < d->h.len + 1) {
		d->payload = xrealloc(d->payload, d->h.len + 1, 1);
		d->size = d->h.len + 1;
	}
	d->in_payload = true;
	d->have = 0;
	return 0;
}

static int payload_done(struct frames *d, frame_fn fn, void *arg, struct err *e)
{
	struct frame f = {
		.type = d->h.type,
		.cpu = d->h.cpu,
		.data = d->payload,
		.len = d->h.len,
	};

	d->payload[d->h.len] = '\0';
	d->next_seq++;
	d->offset += sizeof(d->header) + d->h.len;
	d->in_payload = false;
	d->have = 0;
	return fn(arg, &f, e);
}

int frames_feed(struct frames *d, const void *data, size_t len, frame_fn fn, void *arg,
		struct err *e)
{
	const u8 *p = data;
	size_t n;

	if (d->error)
		return err_set(e, d->error, "guest's frames: damaged before");
	while (len) {
		if (!d->in_payload) {
			n = MIN(len, sizeof(d->header) - d->have);
			memcpy(d->header + d->have, p, n);
		} else {
			n = MIN(len, d->h.len - d->have);
			memcpy(d->payload + d->have, p, n);
		}
		d->have += n;
		p += n;
		len -= n;
		if (!d->in_payload && d->have == sizeof(d->header))
			d->error = header_done(d, e);
		if (!d->error && d->in_payload && d->have == d->h.len)
			d->error = payload_done(d, fn, arg, e);
		if (d->error)
			return d->error;
	}
	return 0;
}

int frames_end(const struct frames *d, struct err *e)
{
	if (d->error)
		return err_set(e, d->error, "guest's frames: damaged before");
	if (d->in_payload)
		return err_set(e, -EBADMSG,
			       "guest's frames: the stream ends at byte %zu of %llu of number %u",
			       d->have, (unsigned long long)d->h.len, d->h.seq);
	if (d->have)
		return err_set(e, -EBADMSG, "guest's frames: the stream ends inside a header");
	return 0;
}

void frames_free(struct frames *d)
{
	free(d->payload);
	d->payload = NULL;
	d->size = 0;
}
