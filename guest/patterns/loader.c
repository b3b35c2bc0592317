// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the dynamic loader does with a shared object, "count" times over: open,
 * read(832) for the ELF header, map the whole ("piece" bytes from the file's
 * start), touch the data at its end in order as relocation does, and then
 * "pages" random pages of the text before it.  The object is dropped from the
 * page cache after each turn, so every turn is a cold start of it; that is part
 * of the phase, and pages that were never used can still be told from its
 * events.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "guest/cache.h"
#include "guest/patterns/list.h"
#include "guest/sys.h"
#include "guest/touch.h"

#define ELF_HEADER 832
#define DATA_SHARE 16 /* one part in this many is data */
#define DROP_TRIES 100

static int loader_validate(const struct workload *w, struct err *e)
{
	const struct phase *p = w->phase;
	u64 page = touch_page_bytes();

	if (p->piece / page < 4 * DATA_SHARE || p->piece % page || p->piece > w->file_size)
		return err_set(e, -EINVAL,
			       "loader needs a piece in whole pages, %d at least and no larger "
			       "than the file",
			       4 * DATA_SHARE);
	if (p->threads != 1 || w->start)
		return err_set(e, -EINVAL, "loader has one thread, and starts at 0");
	if (p->length > ELF_HEADER)
		return err_set(e, -EINVAL, "loader needs a length of at most %d", ELF_HEADER);
	return touch_validate(w, e);
}

static u64 loader_data_pages(const struct phase *p)
{
	return p->piece / touch_page_bytes() / DATA_SHARE;
}

static u64 loader_bytes(const struct workload *w)
{
	const struct phase *p = w->phase;

	return p->count * (ELF_HEADER + (loader_data_pages(p) + p->pages) * p->length);
}

static int loader_drop(struct stream *s)
{
	struct cache_pages pages = {.cache = 0};
	unsigned int i;
	int ret = 0;

	/* pages that are still being read cannot be dropped yet */
	for (i = 0; i < DROP_TRIES; i++) {
		posix_fadvise(s->fd, 0, 0, POSIX_FADV_DONTNEED);
		ret = cache_count(s->fd, s->w->file_size, &pages);
		if (ret || !pages.cache)
			break;
		sys_sleep_ms(1);
	}
	if (ret || pages.cache)
		return stream_fail(s, ret ? ret : -EBUSY,
				   "%llu pages of the object cannot be dropped",
				   (unsigned long long)pages.cache);
	return 0;
}

static int loader_turn(struct stream *s, u64 turn)
{
	const struct phase *p = s->w->phase;
	u64 data = loader_data_pages(p), text = p->piece / touch_page_bytes() - data, i;
	int ret;

	ret = stream_move(s, 0, ELF_HEADER);
	if (!ret)
		ret = touch_begin(s, 0, p->piece, PROT_READ | PROT_EXEC);
	for (i = 0; i < data && !ret; i++)
		ret = touch_page(s, text + i);
	for (i = 0; i < p->pages && !ret; i++)
		ret = touch_page(s, touch_random(p->seed, turn * p->pages + i, text));
	return ret ? ret : touch_end(s);
}

static int loader_run(struct stream *s)
{
	const struct workload *w = s->w;
	int shared = s->fd, ret = 0;
	u64 k;

	for (k = 0; k < w->phase->count && !ret; k++) {
		/* a fresh open file: its readahead state is part of the pattern */
		s->fd = open(w->files->path[phase_client(w->phase, s->index)],
			     O_RDONLY | O_CLOEXEC);
		if (s->fd < 0) {
			ret = stream_fail(s, -errno, "%s",
					  w->files->path[phase_client(w->phase, s->index)]);
			break;
		}
		ret = loader_turn(s, k);
		if (!ret)
			ret = loader_drop(s);
		close(s->fd);
	}
	s->fd = shared;
	return ret;
}

const struct pattern pattern_loader = {
	.name = "loader",
	.summary = "read(832), then map and touch, as the dynamic loader does",
	.validate = loader_validate,
	.bytes = loader_bytes,
	.run = loader_run,
	.move = touch_move,
};
