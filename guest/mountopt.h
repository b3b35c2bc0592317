/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BP_GUEST_MOUNTOPT_H
#define BP_GUEST_MOUNTOPT_H

#include "lib/util.h"

/*
 * Splits "ro,noatime,data=ordered" as mount(8) does: words that mount(2) takes
 * as flags go to *@flags, the rest, comma-separated, to @data.  Returns 0, or
 * -E2BIG when @data is too small.
 */
int mount_options(const char *options, unsigned long *flags, char *data, size_t size) __must_check;

/* @options without "ro": as the file system was mounted when its file was written. */
void mount_options_writable(const char *options, char *out, size_t size);

#endif
