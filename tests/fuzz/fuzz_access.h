/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzz drivers of access plans share: a reader that holds a plan to its
 * header, and the way from a source's text to a plan, which must read back.
 */
#ifndef BP_FUZZ_ACCESS_H
#define BP_FUZZ_ACCESS_H

#include <string.h>
#include <sys/mman.h>

#include "lib/fileio.h"
#include "replay/access.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* The number of accesses, or a negative errno with a message. */
static inline s64 fuzz_read_plan(const char *path)
{
	struct access_plan p = {.n_files = 0};
	struct plan_reader r;
	struct err e = {""};
	struct access a;
	u32 phase = 0;
	s64 n = 0;
	int ret = plan_open(&r, path, false, &e);

	if (!ret)
		ret = access_plan_header(&r, &p, &e);
	while (!ret && (ret = access_plan_next(&r, &p, &phase, &a, &e)) > 0) {
		if (ret == 1 && (a.file >= p.n_files || a.op >= ACCESS_OPS ||
				 a.task >= ACCESS_TASKS_MAX || a.offset > ACCESS_FILE_MAX))
			abort();
		if (ret == 2 && phase >= p.n_phases)
			abort();
		n += ret == 1;
		ret = 0;
	}
	if (ret > 0 || (ret < 0 && !*e.msg))
		abort();
	plan_close(&r);
	access_plan_free(&p);
	return ret ? ret : n;
}

static inline const char *fuzz_file(const u8 *data, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) || fd_write_all(fd, data, size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static inline void fuzz_make_plan(const char *path, enum source_kind kind, bool partial)
{
	static char out[] = "/tmp/fuzz_access.XXXXXX";
	static bool made;
	const struct source s = {.path = path, .kind = kind};
	const struct replay_options o = {.output = out, .partial = partial};
	struct err e = {""};
	int fd = made ? -1 : mkstemp(out);

	if (fd >= 0)
		close(fd);
	made = true;
	if (level_access.make(&s, &o, &e)) {
		if (!*e.msg)
			abort();
	} else if (fuzz_read_plan(out) <= 0) {
		abort();
	}
}

#endif
