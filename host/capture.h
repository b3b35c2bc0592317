/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a capture directory from what a boot left. */
#ifndef BP_HOST_CAPTURE_H
#define BP_HOST_CAPTURE_H

#include "host/qemu_run.h"

/*
 * Writes trace.dat, the request log and capture.json into b->dir.  @repeat
 * counts from 1.  Returns 0, or a negative errno and a line: -EBADMSG for what
 * the guest or QEMU left, others for what can't be written.
 */
int capture_write(struct boot *b, const char *kernel, unsigned int repeat,
		  struct err *e) __must_check;

#endif
