/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of the loader behind run_open(); verify/capture.h is its public face. */
#ifndef BP_RUNDIR_H
#define BP_RUNDIR_H

#include "verify/capture.h"
#include "verify/json.h"

/*
 * Every member of run.json and capture.json, as docs/blkproof-run.5 lists them
 * (a test compares).  Arrays of objects have a table of their own.
 */
struct json_table {
	const char *where; /* "run.json", "capture.json phases[]", ... */
	const struct json_field *fields;
	size_t n;
};
extern const struct json_table run_tables[];
extern const size_t n_run_tables;
extern const struct json_table capture_tables[];
extern const size_t n_capture_tables;

/* What run.json says besides what struct run keeps. */
struct run_json {
	u32 schema, repeat;
	char experiment[NAME_LEN];
	u64 experiment_bytes; /* 0: not said */
	char (*captures)[2 * NAME_LEN];
	size_t n_captures;
};

/* Reads DIR/run.json into @run; the caller frees j->captures. */
int run_json_load(struct run *run, struct run_json *j, struct err *e) __must_check;

/* Reads DIR/capture.json into @c, whose path is set. */
int capture_json_load(struct capture *c, struct err *e) __must_check;

/* replay_json.c */
extern const struct json_field test_file_fields[3], replay_fields[9], replay_file_fields[3];

/* capture.json's "test_files", and "replay" of a phase. */
int test_files_load(const struct json_node *top, struct capture *c, struct err *e) __must_check;
int replay_load_phase(const struct json_node *phase, struct phase_info *p,
		      struct err *e) __must_check;
/* block_replay_json.c */
#define BLOCK_REPLAY_FIELDS 28
extern const struct json_field block_replay_fields[BLOCK_REPLAY_FIELDS], block_timing_fields[1];
int block_replay_load_phase(const struct json_node *phase, struct phase_info *p,
			    struct err *e) __must_check;

/* What capture_json_load() has allocated, after a failure as well. */
void capture_json_free(struct capture *c);

/*
 * Reads DIR/osd.json, whose path is c->osd, into c->phases: what each OSD counted
 * in each phase, summed over OSDs.
 */
int osd_json_load(struct capture *c, struct err *e) __must_check;
extern const struct json_table osd_tables[];
extern const size_t n_osd_tables;

/* Stops with a line unless @path is a regular file that is not empty. */
int expect_file(const char *path, const char *what, struct err *e) __must_check;

#endif
