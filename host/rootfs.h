/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Debian root file system as a disk image: mmdebstrap from the machine's own
 * mirror, made without root, kept in the cache under what went into it.
 */
#ifndef BP_ROOTFS_H
#define BP_ROOTFS_H

#include "lib/err.h"

/* What is installed where the experiment does not say. */
#define ROOTFS_PACKAGES "systemd-sysv udev dbus python3 git procps less iproute2 vim-tiny"

/* Are @packages, separated by blanks, names of Debian packages?  0 or -EINVAL and a line. */
int rootfs_check(const char *packages, struct err *e) __must_check;

/*
 * Finds or makes the image with @packages (ROOTFS_PACKAGES if empty) below
 * @cache.  Returns 0 and its path, which the caller frees; -ENOPKG if a program
 * is missing, -ENOENT without a Debian mirror, -EINTR after a signal; always with
 * a line.  The list of what was installed stands beside it, as NAME.packages, and
 * an archive of the same tree as NAME.tar.
 */
int rootfs_get(const char *packages, const char *cache, bool verbose, char **path,
	       struct err *e) __must_check;

/* "name version" lines of what is installed in image @path; the caller frees the text. */
int rootfs_installed(const char *path, char **text, struct err *e) __must_check;

#endif
