// SPDX-License-Identifier: GPL-2.0-only
/*
 * Touches "pages" pages in a row at each of "count" random places: the workload
 * that the 2009 thread asked about.  With 1 page, read-around is of no use and
 * has to end; with 2, the second page is a hit of the first one's read-around.
 */
#include <errno.h>
#include <sys/mman.h>

#include "guest/patterns/list.h"
#include "guest/touch.h"

static int touch_sparse_validate(const struct workload *w, struct err *e)
{
	const struct phase *p = w->phase;
	u64 off, len;

	if (touch_range(w, 0, p->pages, &off, &len))
		return err_set(e, -ERANGE, "a range of the file is smaller than %llu pages",
			       (unsigned long long)p->pages);
	return touch_validate(w, e);
}

static u64 touch_sparse_bytes(const struct workload *w)
{
	const struct phase *p = w->phase;

	return p->count * p->pages * p->length * p->threads;
}

static int touch_sparse_run(struct stream *s)
{
	const struct phase *p = s->w->phase;
	u64 page = touch_page_bytes(), off, len, k, i, at;
	int ret;

	ret = touch_range(s->w, s->index, p->pages, &off, &len);
	if (!ret)
		ret = touch_begin(s, off, len, PROT_READ);
	for (k = 0; k < p->count && !ret; k++) {
		at = off / page + touch_random(p->seed + s->index, k, len / page - p->pages + 1);
		for (i = 0; i < p->pages && !ret; i++)
			ret = touch_page(s, at + i);
	}
	return ret ? ret : touch_end(s);
}

const struct pattern pattern_touch_sparse = {
	.name = "touch-sparse",
	.summary = "touch a few pages at random places of a mapping",
	.validate = touch_sparse_validate,
	.bytes = touch_sparse_bytes,
	.run = touch_sparse_run,
	.move = touch_move,
};
