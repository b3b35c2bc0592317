// SPDX-License-Identifier: GPL-2.0-only
/*
 * pread() of the same pieces that piece-copy takes from a mapping: the control
 * for a change that only page faults should notice.  One open file for all
 * threads, as there.
 */
#include <errno.h>

#include "guest/pattern.h"
#include "guest/patterns/list.h"

static int pread_copy_move(struct stream *s, u64 off, u64 len)
{
	u64 done = 0;
	ssize_t n;

	while (done < len) {
		n = pread(s->fd, s->buf + done, len - done, (off_t)(off + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return stream_fail(s, -errno, "pread at %llu",
					   (unsigned long long)(off + done));
		if (!n)
			return stream_fail(s, -EIO, "pread at %llu: end of file",
					   (unsigned long long)(off + done));
		done += (u64)n;
	}
	return 0;
}

const struct pattern pattern_pread_copy = {
	.name = "pread-copy",
	.summary = "pread() pieces of the file",
	.piece_markers = true,
	.move = pread_copy_move,
};
