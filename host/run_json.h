/* SPDX-License-Identifier: GPL-2.0-only */
/* run.json: what was asked, and what did it (docs/blkproof-run.5). */
#ifndef BP_HOST_RUN_JSON_H
#define BP_HOST_RUN_JSON_H

#include "host/accel.h"
#include "host/kernel.h"

struct run_facts {
	const struct experiment *exp;
	size_t experiment_bytes;	    /* of experiment.ini */
	struct kernel_image *const *images; /* by exp->kernels */
	const char *command;
	const char *qemu_version;
	const char *servers_version; /* of the experiment's servers; NULL: none */
	const struct accel *accel;
	unsigned int repeat;
};

/* "base-1": the name of a capture's directory; the caller frees it. */
char *capture_name(const char *kernel, unsigned int repeat) __must_check;

/* Writes @path; 0 or a negative errno and a line. */
int run_json_write(const char *path, const struct run_facts *f, struct err *e) __must_check;

#endif
