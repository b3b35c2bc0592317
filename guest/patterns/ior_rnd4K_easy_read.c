// SPDX-License-Identifier: GPL-2.0-only
/*
 * IO500's ior-rnd4K-easy-read: reads of "length" bytes at random multiples of
 * it, "count" of them.  Thread i of n makes reads i, i + n, i + 2n ...
 */
#include <errno.h>

#include "guest/pattern.h"
#include "guest/patterns/list.h"

static u64 blocks(const struct workload *w)
{
	return (w->file_size - w->start) / w->phase->length;
}

static int ior_rnd4K_easy_read_validate(const struct workload *w, struct err *e)
{
	const struct phase *p = w->phase;

	if (p->count > UINT64_MAX / p->length)
		return err_set(e, -ERANGE, "count times length is too large");
	if (!blocks(w))
		return err_set(e, -EINVAL, "length %llu does not fit behind start in the file",
			       (unsigned long long)p->length);
	return 0;
}

static u64 ior_rnd4K_easy_read_bytes(const struct workload *w)
{
	return w->phase->count * w->phase->length;
}

static int ior_rnd4K_easy_read_run(struct stream *s)
{
	const struct workload *w = s->w;
	const struct phase *p = w->phase;
	u64 k, block;
	int ret;

	ret = stream_begin(s, w->start, blocks(w) * p->length);
	for (k = s->index; k < p->count && !ret; k += w->n_streams) {
		/* numbers of blocks are numbers of words in a file of as many words */
		block = touch_offset(p->seed, k, 0, blocks(w) * 8, 8) / 8;
		ret = stream_move(s, w->start + block * p->length, p->length);
	}
	return ret;
}

const struct pattern pattern_ior_rnd4K_easy_read = {
	.name = "ior-rnd4K-easy-read",
	.summary = "pread() blocks at random",
	.own_file = true,
	.piece_markers = true,
	.validate = ior_rnd4K_easy_read_validate,
	.bytes = ior_rnd4K_easy_read_bytes,
	.run = ior_rnd4K_easy_read_run,
	.move = stream_pread,
};
