/* SPDX-License-Identifier: GPL-2.0-only */
/* What the steps of the worker share. */
#ifndef BP_GUEST_AGENT_H
#define BP_GUEST_AGENT_H

#include <jansson.h>

#include "guest/frame.h"
#include "guest/tracer.h"
#include "lib/experiment.h"

struct agent {
	struct port *port;
	struct experiment *exp;
	struct tracer *tracer;
	char disk[32];	   /* "vda" */
	char file[64];	   /* path of the test file */
	u64 read_ahead_kb; /* as read back */
	u64 fault_around;  /* bytes, as read back outside of phases that change it; 0: unknown */
	const char *step;  /* what is being done, for messages */
};

/* Sends @json as a frame and frees it. */
int agent_send_json(struct port *port, enum frame_type type, json_t *json, struct err *e);

/* Mounts the test disk, sets the knobs, checks the test file. */
int disk_setup(struct agent *a, struct err *e) __must_check;

/* FRAME_HELLO's JSON: the guest part of capture.json (docs/blkproof-run.5). */
int hello_json(const struct agent *a, json_t **json, struct err *e) __must_check;

/* Runs phase @index and sends its pages and FRAME_PHASE. */
int phase_run(struct agent *a, unsigned int index, struct err *e) __must_check;

/* The whole experiment; on error a->step says where. */
int agent_run(struct agent *a, struct err *e) __must_check;

#endif
