/* SPDX-License-Identifier: GPL-2.0-only */
/* What the steps of the worker share. */
#ifndef BP_GUEST_AGENT_H
#define BP_GUEST_AGENT_H

#include <jansson.h>

#include "guest/frame.h"
#include "guest/pattern.h"
#include "guest/tracer.h"
#include "lib/experiment.h"

/* What capture.json says of the test file. */
struct test_file {
	char path[64];
	unsigned int major, minor; /* 0 and 0: every client's is another */
	u64 ino, size, block_size;
};

struct agent {
	struct port *port;
	struct experiment *exp;
	struct tracer *tracer;
	bool ceph;     /* the file is on CephFS, and there is no disk */
	char disk[32]; /* "vda" */
	struct test_files files;
	struct test_file file;
	u64 read_ahead_kb; /* as read back */
	u64 fault_around;  /* bytes, as read back outside of phases that change it; 0: unknown */
	/* of the mounted file system, as the kernel lists it */
	unsigned int fs_major, fs_minor; /* super block's device, which events name */
	char mount_options[640];
	const char *step;   /* what is being done, for messages */
	bool root_runs;	    /* PID 1 is, or may be, the root file system's init */
	char root_disk[32]; /* "vdb"; "" without one */
};

/* Sends @json as a frame and frees it. */
int agent_send_json(struct port *port, enum frame_type type, json_t *json, struct err *e);

/* FRAME_PROGRESS of phase @index, from 0. */
void agent_progress(const struct agent *a, unsigned int index, u64 done, u64 total);

/* Fills in a->file from the test file at @path, which must have the experiment's size. */
int agent_test_file(struct agent *a, const char *path, struct err *e) __must_check;

/* Mounts the test disk, sets the knobs, checks the test file. */
int disk_setup(struct agent *a, struct err *e) __must_check;

/*
 * Instead of the experiment: writes the test file into the file system of the
 * test disk, which has just been made and is writable, and unmounts it.
 */
int disk_fill(struct agent *a, struct err *e) __must_check;

/* FRAME_HELLO's JSON: the guest part of capture.json (docs/blkproof-run.5). */
int hello_json(const struct agent *a, json_t **json, struct err *e) __must_check;

/* Runs phase @index and sends its pages and FRAME_PHASE. */
int phase_run(struct agent *a, unsigned int index, struct err *e) __must_check;

/* The disk with this serial ("vdb"), waiting a while for it; "" in @name if there is none. */
void disk_find(const char *serial, char *name, size_t size);

/* Is this a phase of the root file system (guest/root.c), not of the test file? */
bool root_phase(const struct phase *phase);

/*
 * Runs it: "root-boot" mounts the root file system afresh, lets PID 1 become its
 * init, and measures until the host has seen the login prompt and nothing has
 * happened for a while; "root-session" types an interactive session after that.
 */
int root_run(struct agent *a, unsigned int index, struct err *e) __must_check;

/*
 * An interactive shell on a terminal of the running root file system @root (an
 * O_PATH descriptor): types a session and waits for its end.  @tick is called
 * now and then.
 */
int session_run(int root, void (*tick)(void *ctx), void *ctx, struct err *e) __must_check;

/* The whole experiment; on error a->step says where. */
int agent_run(struct agent *a, struct err *e) __must_check;

/* Does a phase of the experiment submit requests itself? */
bool agent_replays_requests(const struct experiment *exp);

#endif
