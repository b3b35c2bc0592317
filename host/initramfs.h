/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes an initramfs: a cpio archive in "newc" format (the kernel's
 * Documentation/driver-api/early-userspace/buffer-format.rst).  Device nodes
 * are only entries in a file, so no privilege is needed.
 */
#ifndef BP_INITRAMFS_H
#define BP_INITRAMFS_H

#include "lib/err.h"

struct cpio_entry {
	const char *name; /* without a leading slash; parents come first */
	u32 mode;	  /* type and permissions, as in st_mode */
	u32 major, minor; /* of a device node */
	const void *data; /* of a regular file; may be NULL when @len is 0 */
	size_t len;
};

/* Appends the archive of @n entries to @f; 0 or a negative errno. */
int cpio_write(FILE *f, const struct cpio_entry *entries, size_t n) __must_check;

/*
 * Writes the guest's initramfs to @path: @agent (a static program of the ELF @machine) as /init,
 * @experiment (INI text) as GUEST_EXPERIMENT, a console and mount points, then
 * the @n entries of @more.
 * Returns 0, or a negative errno and a line; a missing or dynamically linked
 * agent is found here, not by a guest that does not boot.
 */
int initramfs_write(const char *path, const char *agent, unsigned int machine,
		    const char *experiment, const struct cpio_entry *more, size_t n,
		    struct err *e) __must_check;

#endif
