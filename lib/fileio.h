/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BP_FILEIO_H
#define BP_FILEIO_H

#include <sys/types.h>

#include "lib/err.h"

/*
 * Reads a whole regular file of at most @max bytes into a NUL-terminated buffer that
 * the caller frees.  Works for procfs and sysfs, whose st_size says nothing.
 * Returns 0 or a negative errno (-EFBIG beyond @max) with a line in @e.
 */
int file_read(const char *path, size_t max, char **data, size_t *len, struct err *e) __must_check;

/* Writes all of @data, restarting after EINTR and short writes; 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t len) __must_check;

/* Reads until @len bytes or end of file; returns the count or -errno. */
ssize_t fd_read_full(int fd, void *data, size_t len) __must_check;

/*
 * Replaces @path by @data: written and fsynced under a temporary name in the
 * same directory, then renamed.  Nobody ever sees half of it.
 */
int file_write_atomic(const char *path, const void *data, size_t len, struct err *e) __must_check;

/* mkdir -p; 0 or -errno with a line. */
int make_dirs(const char *path, struct err *e) __must_check;

/* rm -r; 0 or -errno.  Does not follow symbolic links; a missing path is success. */
int remove_tree(const char *path);

/*
 * Has the file system of @path less than 1 MiB left?  For files that another
 * program writes: QEMU drops what it can't write to its log and console
 * without a word.
 */
bool disk_is_full(const char *path);

#endif
