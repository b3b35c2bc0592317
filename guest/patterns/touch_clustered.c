// SPDX-License-Identifier: GPL-2.0-only
/*
 * Touches "pages" random pages within each of "count" clusters of "cluster"
 * bytes, which lie at random places: what a program does that runs out of a
 * mapped executable, or a database with some locality.
 */
#include <errno.h>
#include <sys/mman.h>

#include "guest/patterns/list.h"
#include "guest/touch.h"

/* makes the places within a cluster independent of where the clusters are */
#define INNER_SEED 0x636c757374657273ull

static int touch_clustered_validate(const struct workload *w, struct err *e)
{
	const struct phase *p = w->phase;
	u64 off, len;

	if (touch_range(w, 0, p->cluster / touch_page_bytes(), &off, &len))
		return err_set(e, -ERANGE, "a range of the file is smaller than a cluster of %llu",
			       (unsigned long long)p->cluster);
	return touch_validate(w, e);
}

static u64 touch_clustered_bytes(const struct workload *w)
{
	const struct phase *p = w->phase;

	return p->count * p->pages * p->length * p->threads;
}

static int touch_clustered_run(struct stream *s)
{
	const struct phase *p = s->w->phase;
	u64 page = touch_page_bytes(), cluster = p->cluster / page, seed = p->seed + s->index;
	u64 off, len, k, i, at;
	int ret;

	ret = touch_range(s->w, s->index, cluster, &off, &len);
	if (!ret)
		ret = touch_begin(s, off, len, PROT_READ);
	for (k = 0; k < p->count && !ret; k++) {
		at = off / page + touch_random(seed, k, len / page - cluster + 1);
		for (i = 0; i < p->pages && !ret; i++)
			ret = touch_page(
				s, at + touch_random(seed ^ INNER_SEED, k * p->pages + i, cluster));
	}
	return ret ? ret : touch_end(s);
}

const struct pattern pattern_touch_clustered = {
	.name = "touch-clustered",
	.summary = "touch random pages in clusters of a mapping",
	.validate = touch_clustered_validate,
	.bytes = touch_clustered_bytes,
	.run = touch_clustered_run,
	.move = touch_move,
};
