// SPDX-License-Identifier: GPL-2.0-only
#include "guest/touch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "guest/copy.h"

int touch_validate(const struct workload *w, struct err *e)
{
	const struct phase *p = w->phase;

	if (!p->length || p->length > touch_page_bytes() || p->length % 8)
		return err_set(
			e, -EINVAL,
			"%s needs a length of 8 to %llu bytes, in multiples of 8, found %llu",
			w->pattern->name, (unsigned long long)touch_page_bytes(),
			(unsigned long long)p->length);
	return 0;
}

/* 0 or a negative errno, whichever way the call at hand tells it. */
static int advise(const struct stream *s, u8 *map, u64 off, u64 len)
{
	int ret = 0;

	switch (s->w->phase->advice) {
	case ADVICE_NONE:
		break;
	case ADVICE_RANDOM:
		ret = madvise(map, len, MADV_RANDOM) ? -errno : 0;
		break;
	case ADVICE_SEQUENTIAL:
		ret = madvise(map, len, MADV_SEQUENTIAL) ? -errno : 0;
		break;
	case ADVICE_HUGEPAGE:
		ret = madvise(map, len, MADV_HUGEPAGE) ? -errno : 0;
		break;
	case ADVICE_WILLNEED:
		ret = madvise(map, len, MADV_WILLNEED) ? -errno : 0;
		break;
	case ADVICE_FADVISE_RANDOM:
		ret = -posix_fadvise(s->fd, (off_t)off, (off_t)len, POSIX_FADV_RANDOM);
		break;
	case ADVICE_FADVISE_SEQUENTIAL:
		ret = -posix_fadvise(s->fd, (off_t)off, (off_t)len, POSIX_FADV_SEQUENTIAL);
		break;
	case ADVICE_FADVISE_WILLNEED:
		ret = -posix_fadvise(s->fd, (off_t)off, (off_t)len, POSIX_FADV_WILLNEED);
		break;
	case ADVICE_READAHEAD:
		ret = readahead(s->fd, (off_t)off, len) ? -errno : 0;
		break;
	}
	return ret;
}

int touch_begin(struct stream *s, u64 off, u64 len, int prot)
{
	const char *advice = advice_names[s->w->phase->advice];
	void *map;
	int ret;

	ret = stream_begin(s, off, len);
	if (ret)
		return ret;
	map = mmap(NULL, len, prot, MAP_PRIVATE, s->fd, (off_t)off);
	if (map == MAP_FAILED)
		return stream_fail(s, -errno, "mapping %llu bytes at %llu", (unsigned long long)len,
				   (unsigned long long)off);
	s->map = map;
	s->map_off = off;
	s->map_len = len;
	ret = advise(s, map, off, len);
	return ret ? stream_fail(s, ret, "advice '%s'", advice) : 0;
}

int touch_end(struct stream *s)
{
	int ret = munmap((void *)(uintptr_t)s->map, s->map_len) ? -errno : 0;

	s->map = NULL;
	return ret ? stream_fail(s, ret, "munmap") : 0;
}

int touch_page(struct stream *s, u64 page)
{
	return stream_move(s, page * touch_page_bytes(), s->w->phase->length);
}

int touch_move(struct stream *s, u64 off, u64 len)
{
	ssize_t n;

	if (s->map) {
		copy_ordered(s->buf, s->map + (off - s->map_off), len, ORDER_FORWARD);
		return 0;
	}
	n = pread(s->fd, s->buf, len, (off_t)off);
	if (n == (ssize_t)len)
		return 0;
	return stream_fail(s, n < 0 ? -errno : -EIO, "read of %llu bytes at %llu",
			   (unsigned long long)len, (unsigned long long)off);
}
