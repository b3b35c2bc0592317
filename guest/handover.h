/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PID 1 gives itself up to the init of a root file system that the worker has
 * mounted at GUEST_ROOT.  The worker lives on as the reporter: its own root
 * stays the initramfs, so that counters and trace cost the measured file system
 * neither a fault nor a page.
 */
#ifndef BP_GUEST_HANDOVER_H
#define BP_GUEST_HANDOVER_H

#include <sys/types.h>

#include "lib/err.h"

/* Blocks what handover_wait() waits for; before the worker is forked.  @old: for the worker. */
void handover_prepare(sigset_t *old);

/*
 * PID 1: waits until the worker has ended (0, and its status) or asks for the
 * handover (1).  Orphans are reaped and ignored.
 */
int handover_wait(pid_t worker, int *status) __must_check;

/*
 * PID 1: makes GUEST_ROOT the root and executes its init.  Returns only if that
 * fails, with a negative errno and a line.
 */
int handover_exec(struct err *e) __must_check;

/* The worker: asks PID 1 for it. */
int handover_ask(void) __must_check;

#endif
