/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Test disks: a raw image of a file system with one file, TEST_FILE_NAME, whose
 * content lib/testdata.h derives from the offset.  Made without root and
 * without a loop device; kept in the cache, since its content depends on
 * nothing but the parameters.
 */
#ifndef BP_DISK_H
#define BP_DISK_H

#include "host/progress.h"
#include "lib/err.h"

struct disk_spec {
	const char *filesystem; /* "ext4" */
	u64 file_size;
	u64 block_size;
	const u64 *more; /* sizes of further files, TEST_FILE_NAME.1 and so on */
	u32 n_more;
	const char *mount_options; /* what the file is written with, where a guest does */
	/*
	 * Boots a guest that writes the file into the file system in @image; work of
	 * its own goes to @dir.  Not needed for ext4, which is made here.
	 */
	int (*fill)(void *ctx, const char *image, const char *dir, struct err *e);
	void *ctx;
};

/* Is it one that needs .fill, hence a kernel? */
bool disk_needs_guest(const struct disk_spec *s);

/* Is the program installed that makes it?  0, or -ENOPKG and a line. */
int disk_tool_check(const struct disk_spec *s, struct err *e) __must_check;

/* Can such a disk be made?  0, or -EINVAL and a line; touches nothing. */
int disk_check(const struct disk_spec *s, struct err *e) __must_check;

/*
 * Finds or makes the disk below @cache (a directory that exists).  Returns 0
 * and its path, which the caller frees; -ENOSPC with a line that says how much
 * is missing, -ENOENT if mke2fs is not installed, -EINTR after a signal.  An
 * image appears under its name only when it is complete; a second process that
 * wants the same one waits.
 */
int disk_get(const struct disk_spec *s, const char *cache, bool verbose, char **path,
	     struct err *e) __must_check;

/* Makes the image at @path, which must not be in use; without the file if a guest writes it. */
int disk_make(const struct disk_spec *s, const char *path, struct meter *m,
	      struct err *e) __must_check;

/* Is this much memory available for a guest?  0, or -ENOMEM and a line. */
int memory_check(u64 guest_bytes, struct err *e) __must_check;

#endif
