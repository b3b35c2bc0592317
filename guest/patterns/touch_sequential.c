// SPDX-License-Identifier: GPL-2.0-only
/*
 * Touches "count" pages of each thread's range in order, "length" bytes of each,
 * through a mapping of the thread's own.  With "streams", the thread takes turns
 * between as many places of its range, equally far apart: interleaved streams on
 * one open file.  Threads share the open file unless own_file says otherwise.
 */
#include <errno.h>
#include <sys/mman.h>

#include "guest/patterns/list.h"
#include "guest/touch.h"

static u64 touch_sequential_per(const struct phase *p)
{
	return (p->count + p->streams - 1) / p->streams;
}

static int touch_sequential_validate(const struct workload *w, struct err *e)
{
	const struct phase *p = w->phase;
	u64 off, len;

	/* bounded first, so that the product is */
	if (touch_sequential_per(p) > w->file_size / touch_page_bytes() ||
	    touch_range(w, 0, touch_sequential_per(p) * p->streams, &off, &len))
		return err_set(e, -ERANGE,
			       "the file is too small for %u threads that touch %llu pages each",
			       p->threads, (unsigned long long)p->count);
	return touch_validate(w, e);
}

static u64 touch_sequential_bytes(const struct workload *w)
{
	return w->phase->count * w->phase->length * w->phase->threads;
}

static int touch_sequential_run(struct stream *s)
{
	const struct phase *p = s->w->phase;
	u64 page = touch_page_bytes(), off, len, apart, k;
	int ret;

	ret = touch_range(s->w, s->index, 1, &off, &len);
	if (!ret)
		ret = touch_begin(s, off, len, PROT_READ);
	apart = len / page / p->streams;
	for (k = 0; k < p->count && !ret; k++)
		ret = touch_page(s, off / page + k % p->streams * apart + k / p->streams);
	return ret ? ret : touch_end(s);
}

const struct pattern pattern_touch_sequential = {
	.name = "touch-sequential",
	.summary = "touch pages of a mapping in order",
	.validate = touch_sequential_validate,
	.bytes = touch_sequential_bytes,
	.run = touch_sequential_run,
	.move = touch_move,
};
