/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzz drivers of the readers share: the input becomes a file in
 * memory, which is read to its end, with and without INPUT_PARTIAL.  A reader
 * must neither crash nor hang, keep times in order, and name a byte in every
 * message about damage.
 */
#ifndef BP_FUZZ_INPUT_H
#define BP_FUZZ_INPUT_H

#include <string.h>
#include <sys/mman.h>

#include "lib/fileio.h"
#include "verify/input/dump.h"

static inline void fuzz_read(const char *path, unsigned int flags)
{
	char line[1400];
	struct trace *t;
	struct event ev;
	struct err e = { "" };
	u64 seq = 0, n = 0;
	int ret = trace_open(&t, path, flags, &e);

	if (ret) {
		if (ret > 0 || !*e.msg)
			abort();
		return;
	}
	while ((ret = trace_next(t, &ev, &e)) == 1) {
		if (ev.type >= EV_TYPES || (ev.type != EV_LOST && ev.seq != ++seq))
			abort();
		/* the text of a few is enough to touch every field */
		if (n++ < 64)
			event_text(t, &ev, line, sizeof(line));
	}
	if (ret > 0 || (ret < 0 && !*e.msg) || (flags & INPUT_PARTIAL && ret < 0))
		abort();
	if (trace_info(t)->damage && !*trace_info(t)->damage)
		abort();
	trace_close(t);
}

/* Runs the readers over @data twice; always returns 0, what libFuzzer wants. */
static inline int fuzz_file(const u8 *data, size_t size)
{
	static int fd = -1;
	char path[32];

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) || fd_write_all(fd, data, size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fuzz_read(path, 0);
	fuzz_read(path, INPUT_PARTIAL);
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif
