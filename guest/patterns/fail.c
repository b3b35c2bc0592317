// SPDX-License-Identifier: GPL-2.0-only
/*
 * piece-copy with a fault of our own making, so that every way in which a run
 * can fail is seen to be reported: see "mode" below.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "guest/copy.h"
#include "guest/pattern.h"
#include "guest/patterns/list.h"
#include "guest/sys.h"

/* The smallest ring buffer that still takes events: a few pages. */
#define TINY_BUFFER (16u << 10)
#define WARM_PAGES 16

static bool fail_mode(const struct workload *w, const char *mode)
{
	return !strcmp(w->phase->mode, mode);
}

static int fail_validate(const struct workload *w, struct err *e)
{
	static const char *const modes[] = {
		"panic", "hang", "crash", "error", "bad-data", "warm-cache", "lost-events",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (fail_mode(w, modes[i]))
			return 0;
	return err_set(e, -EINVAL,
		       "mode '%s' is not one of panic, hang, crash, error, bad-data, warm-cache, "
		       "lost-events",
		       w->phase->mode);
}

static int fail_before_cold(struct workload *w, struct err *e)
{
	return fail_mode(w, "lost-events") ? tracer_resize(w->tracer, TINY_BUFFER, e) : 0;
}

static int fail_after_cold(struct workload *w, struct err *e)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), i;
	char byte;

	if (!fail_mode(w, "warm-cache"))
		return 0;
	for (i = 0; i < WARM_PAGES; i++)
		if (pread(w->fd, &byte, 1, (off_t)(w->start + i * page)) < 0)
			return err_errno(e, -errno, "warming the cache");
	return 0;
}

static int fail_move(struct stream *s, u64 off, u64 len)
{
	const struct workload *w = s->w;

	copy_ordered(s->buf, w->map + off, len, w->phase->order);
	if (s->index)
		return 0;
	/* after the first piece, so that the phase is really under way */
	if (fail_mode(w, "error"))
		return stream_fail(s, -EIO, "self test: the step fails");
	if (fail_mode(w, "crash"))
		*(volatile u8 *)(uintptr_t)w->map = 1; /* a read-only mapping */
	if (fail_mode(w, "panic"))
		return stream_fail(s, sys_write("/proc/sysrq-trigger", "c"),
				   "self test: the kernel did not panic");
	while (fail_mode(w, "hang"))
		sys_sleep_ms(1000);
	return 0;
}

static void fail_moved(struct stream *s, u64 off, u64 len)
{
	/* one word of the first piece of every thread */
	if (fail_mode(s->w, "bad-data") && len && !s->checked)
		s->buf[len / 2] ^= 0x80;
	(void)off;
}

const struct pattern pattern_fail = {
	.name = "fail",
	.summary = "self test: a phase that fails in a chosen way",
	.mapped = true,
	.piece_markers = true,
	.validate = fail_validate,
	.before_cold = fail_before_cold,
	.after_cold = fail_after_cold,
	.move = fail_move,
	.moved = fail_moved,
};
