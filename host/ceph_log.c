// SPDX-License-Identifier: GPL-2.0-only
#include "host/ceph.h"

#include <fcntl.h>
#include <string.h>

#include "lib/fileio.h"

#define LINES 3
#define TAIL_BYTES 65536
/* What our own asking for a daemon's state leaves in its log, many times a second. */
#define NOISE "asok_command:"

char *ceph_log_tail(const char *path)
{
	int fd __cleanup_close = open(path, O_RDONLY | O_CLOEXEC);
	char buf[TAIL_BYTES + 1], *line, *out = xstrdup("");
	unsigned int lines = 0;
	off_t size;
	ssize_t n;

	size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	if (size <= 0)
		return out;
	n = pread(fd, buf, TAIL_BYTES, MAX(size - TAIL_BYTES, (off_t)0));
	buf[MAX(n, (ssize_t)0)] = '\0';
	while (n > 0 && lines < LINES) {
		while (n > 0 && buf[n - 1] == '\n')
			buf[--n] = '\0';
		line = memrchr(buf, '\n', (size_t)n);
		line = line ? line + 1 : buf;
		if (line == buf && size > TAIL_BYTES)
			break; /* only the end of a line */
		for (char *p = line; *p; p++)
			*p = (unsigned char)*p < ' ' ? '?' : *p;
		if (*line && !strstr(line, NOISE)) {
			char *old __cleanup_free = out;

			out = xasprintf("%.220s%s%s", line, *old ? " | " : "", old);
			lines++;
		}
		n = line - buf;
		buf[n] = '\0';
	}
	return out;
}
