/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds a plan of kind "access" from accesses as a source tells them, in flat
 * memory: they wait in a ring, since later events may add to what is known of
 * one, and leave it in order of time.
 */
#ifndef BP_REPLAY_ACCESS_H
#define BP_REPLAY_ACCESS_H

#include "lib/access_plan.h"
#include "replay/level.h"

/* An access that is still in the ring. */
struct draft {
	struct access a;
	u64 page, last; /* pages, of the last event that was taken for it */
	bool mapped;	/* ACCESS_TOUCH: its pages are known from an event */
};

struct draft_task {
	u64 id; /* as the source says: a pid */
	u32 index;
	bool used;
	u64 latest; /* its last draft: number from 1; 0: none */
};

struct draft_file {
	u32 dev;
	u64 ino;
	u64 size;   /* bytes that it has at least */
	bool exact; /* ... and no more */
	bool used;
	u32 index; /* in the plan; UINT32_MAX: not accessed so far */
};

struct access_builder {
	struct access_plan plan;
	struct plan_writer w;
	struct draft *ring;
	u64 begun, written; /* drafts that were begun; that have left the ring */
	struct draft_task *tasks;
	struct draft_file *files;
	u32 n_files; /* in the table, accessed or not */
	struct draft_file *last_file;
	struct draft_task *last_task;
	bool nameless; /* the source has no device and inode: what files have is a key of ours */
	bool in_phase;
	u64 phase_ns, last_ns;
	u64 records; /* of all phases */
	/* accesses that are not in the plan */
	u64 over_files, over_tasks, over_size, backwards;
};

/* Begins a plan that goes to @path; access_abandon() or access_finish() in either case. */
int access_begin(struct access_builder *b, const char *path, struct err *e) __must_check;

/* A phase begins at @ns; the one before has ended.  False: there are too many. */
bool access_phase(struct access_builder *b, const char *name, u64 ns);
void access_phase_end(struct access_builder *b);

/* NULL, and counted: there are too many. */
struct draft_task *access_task(struct access_builder *b, u64 id);
/* The file, whether it was accessed or not; NULL: there are too many. */
struct draft_file *access_file(struct access_builder *b, u32 dev, u64 ino);

static inline void access_size(struct draft_file *f, u64 bytes)
{
	if (bytes > f->size && !f->exact)
		f->size = bytes;
}

/* The task's last access, if more may still be learned of it; else NULL. */
struct draft *access_latest(struct access_builder *b, const struct draft_task *t);

/* The last access of @t if it is of this kind and file; else NULL. */
struct draft *access_same(struct access_builder *b, const struct draft_task *t,
			  const struct draft_file *f, enum access_op op);

/* A new one at time @ns; NULL, and counted, if it can't be in the plan. */
struct draft *access_add(struct access_builder *b, struct draft_task *t, struct draft_file *f,
			 enum access_op op, u64 ns, u64 offset, u64 length);

/* One thing that the source does not tell, for the reader of the plan. */
void access_note(struct access_builder *b, const char *fmt, ...) __printf_like(2, 3);

/* Writes the plan; @source says what it was made of.  0, -ENODATA or -EROFS and a line. */
int access_finish(struct access_builder *b, const char *source, struct err *e) __must_check;
void access_abandon(struct access_builder *b);

/* From a trace.dat's events; from fio's iolog; from strace's text. */
int access_from_trace(const struct source *s, const struct replay_options *o,
		      struct access_builder *b, struct err *e) __must_check;
int access_from_iolog(const struct source *s, const struct replay_options *o,
		      struct access_builder *b, struct err *e) __must_check;
int access_from_strace(const struct source *s, const struct replay_options *o,
		       struct access_builder *b, struct err *e) __must_check;

#endif
