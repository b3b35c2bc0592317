// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads "length" bytes at "count" random offsets of a fresh mapping, without
 * any advice: what readahead should leave alone.  See touch_offset() for the
 * offsets; thread i of n makes touches i, i + n, i + 2n ...
 */
#include <errno.h>

#include "guest/copy.h"
#include "guest/pattern.h"
#include "guest/patterns/list.h"

static int random_touch_validate(const struct workload *w, struct err *e)
{
	const struct phase *p = w->phase;

	if (!p->count || !p->length)
		return err_set(e, -EINVAL, "random-touch needs count and length");
	if (p->count > UINT64_MAX / p->length)
		return err_set(e, -ERANGE, "count times length is too large");
	if (!range_ok(w->start, p->length, w->file_size))
		return err_set(e, -EINVAL, "length %llu does not fit behind start in the file",
			       (unsigned long long)p->length);
	return 0;
}

static u64 random_touch_bytes(const struct workload *w)
{
	return w->phase->count * w->phase->length;
}

static int random_touch_move(struct stream *s, u64 off, u64 len)
{
	copy_ordered(s->buf, s->w->map + off, len, ORDER_FORWARD);
	return 0;
}

static int random_touch_run(struct stream *s)
{
	const struct workload *w = s->w;
	const struct phase *p = w->phase;
	u64 k;
	int ret;

	ret = stream_begin(s, w->start, w->file_size - w->start);
	for (k = s->index; k < p->count && !ret; k += w->n_streams)
		ret = stream_move(s, touch_offset(p->seed, k, w->start, w->file_size, p->length),
				  p->length);
	return ret;
}

const struct pattern pattern_random_touch = {
	.name = "random-touch",
	.summary = "read a few bytes at random offsets of a mapping",
	.mapped = true,
	.validate = random_touch_validate,
	.bytes = random_touch_bytes,
	.run = random_touch_run,
	.move = random_touch_move,
};
