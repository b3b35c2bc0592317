// SPDX-License-Identifier: GPL-2.0-only
/* The engine's ring and buffers, and what the kernel has. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "guest/block_engine_internal.h"
#include "lib/testdata.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* include/uapi/asm-generic/mman-common.h of Linux 6.1 */
#endif

#define HUGE (2u << 20)

/* Memory of whole huge pages, so that a request of any length has few segments. */
static int make_buffers(struct engine *en, struct err *e)
{
	struct iovec iov[2];
	size_t size, i;
	u8 *map;
	int ret;

	en->buffer_size = (MAX(en->feed->plan->largest, 4096u) + HUGE - 1) / HUGE * HUGE;
	size = 2 * en->buffer_size;
	map = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return err_errno(e, -errno, "a buffer of %zu bytes", size);
	en->buffers = map + (-(uintptr_t)map & (HUGE - 1));
	madvise(en->buffers, size, MADV_HUGEPAGE);
	testdata_fill(en->buffers, 0, size);
	/* where the fault found no huge page at once; since Linux 6.1 */
	if (madvise(en->buffers, size, MADV_COLLAPSE) &&
	    en->feed->plan->largest > en->o->scattered_max)
		return err_errno(
			e, -errno,
			"no huge pages for buffers of %zu bytes, and requests of more than "
			"%llu would be split; more memory in the experiment may help",
			size, (unsigned long long)en->o->scattered_max);
	for (i = 0; i < ARRAY_SIZE(iov); i++)
		iov[i] = (struct iovec){en->buffers + i * en->buffer_size, en->buffer_size};
	ret = io_uring_register_buffers(&en->ring, iov, ARRAY_SIZE(iov));
	return ret ? err_errno(e, ret, "io_uring: buffers of %zu bytes", size) : 0;
}

static int make_ring(struct engine *en, struct err *e)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			 IORING_SETUP_CQSIZE,
		.cq_entries = 4096,
	};
	int ret = io_uring_queue_init_params(2 * BATCH, &en->ring, &p);

	if (ret == -EINVAL) {
		/* before Linux 6.1 */
		p.flags = IORING_SETUP_CQSIZE;
		ret = io_uring_queue_init_params(2 * BATCH, &en->ring, &p);
	}
	if (ret == -ENOSYS)
		return err_set(e, ret,
			       "the kernel has no io_uring (CONFIG_IO_URING): kconfigs/"
			       "tracing.config asks for it");
	return ret ? err_errno(e, ret, "io_uring") : 0;
}

/*
 * The first flush makes io_uring start its kernel thread; a discard of nothing
 * tells whether the kernel knows the command.
 */
static int warm_up(struct engine *en, struct err *e)
{
	const struct block_line probe = {.op = BLOCK_DISCARD};
	struct block_engine_stats s = *en->s;
	int ret;

	ret = engine_put_flush(en, BLOCK_FLIGHT_MAX - 1, 0, e);
	if (!ret)
		ret = engine_drain(en, e);
	if (!ret)
		ret = engine_put_discard(en, &probe, e);
	if (!ret)
		ret = engine_drain(en, e);
	/* EINVAL for the empty range is what a kernel says that has it and whose device can */
	en->no_uring_discard = en->s->first_error == -EOPNOTSUPP;
	s.fsyncs = en->s->fsyncs;
	*en->s = s;
	return ret;
}

int engine_setup(struct engine *en, struct err *e)
{
	int ret = make_ring(en, e);

	if (ret)
		return ret;
	ret = make_buffers(en, e);
	if (!ret)
		ret = warm_up(en, e);
	if (ret)
		io_uring_queue_exit(&en->ring);
	return ret;
}
