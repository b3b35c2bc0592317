// SPDX-License-Identifier: GPL-2.0-only
/* The level of block devices: requests, as they were submitted or issued. */
#include <errno.h>
#include <inttypes.h>

#include "replay/block_trace.h"
#include "replay/level.h"

/* What a user has to know before it is replayed; the plan's notes say it all. */
static void warn(const struct block_plan *p)
{
	for (u32 i = 0; i < p->n_notes; i++)
		fprintf(stderr, "replay-plan: note: %s\n", p->notes[i]);
	if (p->folded)
		fprintf(stderr,
			"replay-plan: note: %" PRIu64 " requests were moved into the device "
			"(--fold)\n",
			p->folded);
}

static bool block_possible(const struct source *s, struct err *why)
{
	if (s->kind != SOURCE_STRACE)
		return true;
	err_set(why, -ENODATA,
		"%s: system calls only; what they asked of a device, it does not tell", s->path);
	return false;
}

static int block_make(const struct source *s, const struct replay_options *o, struct err *e)
{
	struct block_plan p = {.source = NULL};
	struct plan_writer w;
	const char *path;
	int ret;

	ret = plan_create(&w, o->output, PLAN_BLOCK, e);
	if (ret) {
		plan_abandon(&w);
		return -EROFS;
	}
	if (s->kind == SOURCE_IOLOG) {
		ret = block_plan_of_iolog(s->path, &o->block, &w, &p, e);
	} else {
		/* of a capture, what the device was asked for rather than what the guest believes
		 */
		path = s->capture->blktrace ? s->capture->blktrace : s->capture->trace;
		ret = block_plan_of_trace(path, o->partial, &o->block, &w, &p, e);
	}
	if (ret) {
		plan_abandon(&w);
	} else {
		block_plan_put_header(&w, &p);
		ret = plan_finish(&w, e) ? -EROFS : 0;
	}
	if (!ret)
		warn(&p);
	block_plan_free(&p);
	return ret;
}

const struct level level_block = {
	.name = "block",
	.possible = block_possible,
	.make = block_make,
};
