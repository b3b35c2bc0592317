/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plans of kind "access": what tasks read and touched of files, above the page
 * cache (docs/blkproof-plan.5).
 */
#ifndef BP_ACCESS_PLAN_H
#define BP_ACCESS_PLAN_H

#include "lib/experiment.h"
#include "lib/plan.h"

#define ACCESS_FILES_MAX 4096u
#define ACCESS_TASKS_MAX 1024u /* of a phase: each becomes a thread */
#define ACCESS_PHASES_MAX 256u
#define ACCESS_NOTES_MAX 64u
#define ACCESS_FILE_MAX (1ull << 44) /* bytes of a file */
#define ACCESS_NS_MAX (1ull << 62)

enum access_op {
	ACCESS_READ,	  /* read(2), pread(2): offset and length */
	ACCESS_TOUCH,	  /* of a mapping: the pages that were mapped for it */
	ACCESS_READAHEAD, /* readahead(2) */
	ACCESS_WILLNEED,  /* fadvise64(2), as those below */
	ACCESS_DONTNEED,
	ACCESS_NORMAL, /* of the whole open file */
	ACCESS_SEQUENTIAL,
	ACCESS_RANDOM,
	/* no access: the markers of lib/contract.h, where the source is a run of our own */
	ACCESS_STREAM, /* the task's range */
	ACCESS_PIECE,  /* what it is about to copy of it */
	ACCESS_OPS
};
extern const char *const access_op_names[]; /* "read", "touch", ... */

#define ACCESS_AT_UNKNOWN UINT64_MAX

/* One line of the body. */
struct access {
	u64 ns;	  /* since the phase began */
	u32 task; /* from 0, of the phase */
	u32 file; /* from 0, of the plan */
	enum access_op op;
	u64 offset, length; /* bytes */
	u64 at;		    /* ACCESS_TOUCH: byte of the page that was touched, if it is known */
};

struct access_file {
	u64 size;
	bool least; /* the trace does not tell the size: it is at least this */
	u32 dev;    /* DEV() and inode in the source; 0: it has no such numbers */
	u64 ino;
};

struct access_phase {
	char name[NAME_LEN];
	u64 records;
	u32 tasks;
	u64 ns;	     /* time of the last record */
	u64 longest; /* bytes of the longest read; 0: there is none */
};

struct access_plan {
	u64 page_size;
	u64 read_ahead_kb; /* 0: the source does not tell */
	struct access_file *files;
	u32 n_files;
	struct access_phase *phases;
	u32 n_phases;
	char *source, *notes[ACCESS_NOTES_MAX];
	u32 n_notes;
};

/* The header, up to and with "begin"; access_plan_free() in any case. */
int access_plan_header(struct plan_reader *r, struct access_plan *p, struct err *e) __must_check;
void access_plan_free(struct access_plan *p);

/* Opens @path, reads its header, and closes it again. */
int access_plan_load(const char *path, struct access_plan *p, struct err *e) __must_check;

/*
 * The next line of the body.  Returns 1 with *@a, 2 where a phase begins
 * (*@phase is its index), 0 at the end, or -EBADMSG and a line.
 */
int access_plan_next(struct plan_reader *r, const struct access_plan *p, u32 *phase,
		     struct access *a, struct err *e) __must_check;

/*
 * Reads the body to its end: is it what the header says, phase by phase, and in
 * order of time?  0, or -EBADMSG and a line.
 */
int access_plan_check(struct plan_reader *r, const struct access_plan *p,
		      struct err *e) __must_check;

void access_plan_put_header(struct plan_writer *w, const struct access_plan *p);
void access_plan_put_phase(struct plan_writer *w, const char *name);
void access_plan_put(struct plan_writer *w, const struct access *a);

#endif
