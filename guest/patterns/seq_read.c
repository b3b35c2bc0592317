// SPDX-License-Identifier: GPL-2.0-only
/*
 * read() from the start of each thread's range to its end, "piece" bytes a
 * call.  Every thread has an open file, hence a position and a readahead
 * state, of its own.  No piece markers: records may be small and many.
 */
#include <errno.h>

#include "guest/pattern.h"
#include "guest/patterns/list.h"

static int seq_read_move(struct stream *s, u64 off, u64 len)
{
	u64 done = 0;
	ssize_t n;

	while (done < len) {
		n = read(s->fd, s->buf + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return stream_fail(s, -errno, "read at %llu",
					   (unsigned long long)(off + done));
		if (!n)
			return stream_fail(s, -EIO, "read at %llu: end of file",
					   (unsigned long long)(off + done));
		done += (u64)n;
	}
	return 0;
}

static int seq_read_run(struct stream *s)
{
	struct cursor c = {0};
	u64 off, len, at;
	int ret;

	layout_stream(&s->w->layout, s->index, &at, &len);
	ret = stream_begin(s, at, len);
	at = UINT64_MAX; /* the first read seeks */
	while (!ret && layout_next(&s->w->layout, s->index, &c, &off, &len)) {
		if (off != at && lseek(s->fd, (off_t)off, SEEK_SET) < 0)
			return stream_fail(s, -errno, "lseek to %llu", (unsigned long long)off);
		ret = stream_move(s, off, len);
		at = off + len;
	}
	return ret;
}

const struct pattern pattern_seq_read = {
	.name = "seq-read",
	.summary = "read() the file in order",
	.own_file = true,
	.run = seq_read_run,
	.move = seq_read_move,
};
