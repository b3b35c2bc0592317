/* SPDX-License-Identifier: GPL-2.0-only */
/* An ext4 file system with one preallocated file, made in an image file. */
#ifndef BP_DISK_EXT4_H
#define BP_DISK_EXT4_H

#include "lib/err.h"

/* Where a file's bytes are. */
struct disk_extents {
	struct disk_extent {
		u64 file, disk, length; /* bytes */
	} * e;				/* in order of file; the caller frees it */
	size_t n;
};

/* Runs mke2fs on the image, which has its final size, for so many files.  Same image for same
 * arguments. */
int ext4_make(const char *image, u64 block_size, u32 files, struct err *e) __must_check;

/*
 * Creates @n files of @sizes bytes, TEST_FILE_NAME, TEST_FILE_NAME.1 and so on, in
 * the root directory, all of their blocks allocated and marked as written; what
 * is in them is up to the caller.  x[i].e is for the caller to free, in any case.
 */
int ext4_add_files(const char *image, const u64 *sizes, u32 n, struct disk_extents *x,
		   struct err *e) __must_check;

#endif
