/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of the kernel that decide figures without being the patch. */
#ifndef BP_GUEST_KNOBS_H
#define BP_GUEST_KNOBS_H

#include "lib/experiment.h"

#define KNOB_FAULT_AROUND "/sys/kernel/debug/fault_around_bytes"
#define KNOB_HUGEPAGE "/sys/kernel/mm/transparent_hugepage/enabled"
#define KNOB_VARIANT "/sys/module/kernel/parameters/mmap_readahead"

/*
 * Writes those that the experiment gives and reads them back: an experiment
 * measured with others is another one.  Needs sysfs, and debugfs for
 * fault_around_bytes.  Leaves in *@fault_around what the kernel has now, 0 if it
 * does not say.
 */
int knobs_set(const struct experiment *exp, u64 *fault_around, struct err *e) __must_check;

/* Writes fault_around_bytes and reads it back. */
int knob_fault_around(u64 bytes, struct err *e) __must_check;

/* "never" out of "always madvise [never]"; what has no brackets stays as it is. */
void knob_selected(char *text);

#endif
