/* SPDX-License-Identifier: GPL-2.0-only */
/* A good run directory of two kernels and two phases, for tests to spoil. */
#ifndef BP_TEST_RUN_DIR_H
#define BP_TEST_RUN_DIR_H

#include "lib/util.h"

/*
 * Makes the run afresh at @run.  base has wrong data in phase one, as the
 * experiment expects; patched has not.
 */
void run_dir_make(const char *run);

void run_dir_write(const char *run, const char *name, const char *data, size_t len);

/* The first @from in the file becomes @to. */
void run_dir_replace(const char *run, const char *name, const char *from, const char *to);

#endif
