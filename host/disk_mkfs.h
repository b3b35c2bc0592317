/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * File systems whose test file a guest writes: no tool makes a file in an image
 * as the kernel lays it out, so mkfs makes an empty file system here and a boot
 * fills it (disk_spec.fill).
 */
#ifndef BP_DISK_MKFS_H
#define BP_DISK_MKFS_H

#include "lib/err.h"

struct filesystem {
	const char *name;
	const char *mkfs, *package; /* the program, and Debian's package that has it */
	u64 block_min, block_max;   /* powers of two between them */
	u64 image_min;		    /* bytes; the program makes nothing smaller */
	u32 overhead;		    /* of the file's size, one part in this many */
};

/* NULL if it is none that can be made here; "ext4" has a file of its own, disk_ext4.h. */
const struct filesystem *filesystem_find(const char *name);

/* "ext4, xfs, btrfs, f2fs": for messages. */
const char *filesystem_names(void);

/* -ENOPKG and a line unless the program that makes it is installed. */
int filesystem_tool_check(const struct filesystem *fs, struct err *e) __must_check;

/* Runs mkfs on the image, which has its final size. */
int filesystem_make(const struct filesystem *fs, const char *image, u64 block_size,
		    struct err *e) __must_check;

#endif
