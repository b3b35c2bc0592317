/* SPDX-License-Identifier: GPL-2.0-only */
/* Which file a descriptor is, as far as a trace of system calls tells: tasks, tables, open files.
 */
#ifndef BP_REPLAY_STRACE_FILES_H
#define BP_REPLAY_STRACE_FILES_H

#include "replay/strace_line.h"

#define STRACE_TASKS_MAX 16384u

enum open_kind {
	OPEN_FILE,   /* a regular file, as far as its path tells */
	OPEN_OTHER,  /* a directory; something in /proc, /sys, /dev; a pipe, a socket */
	OPEN_DIRECT, /* O_DIRECT: past the page cache */
};

/* What open(2) makes; descriptors that were duplicated or inherited share it. */
struct open_file {
	u32 refs;
	enum open_kind kind;
	u64 key; /* of the path */
	u64 pos;
	bool pos_known;
};

struct fd_table;

struct strace_task {
	u64 pid;
	bool used;
	struct fd_table *table;
	/* a call that has begun and not returned */
	bool suspended;
	char call[32];
	char *args[STRACE_ARGS];
	u32 n_args;
};

struct strace_files;

struct strace_files *strace_files_new(void) __must_check;
void strace_files_free(struct strace_files *s);

/* NULL: too many tasks. */
struct strace_task *strace_task(struct strace_files *s, u64 pid);

/* Keeps what an unfinished line says, until the task's call is resumed. */
void strace_suspend(struct strace_task *t, const struct strace_line *l);
void strace_resume(struct strace_task *t);

/*
 * @t is about to have a child: the next task that is new is that one, since its
 * lines may come before the call returns.
 */
void strace_will_have_child(struct strace_files *s, struct strace_task *t, bool shares);
/* The child is @pid; it shares @t's descriptors, or begins with a copy. */
void strace_child(struct strace_files *s, struct strace_task *t, s64 pid, bool shares);

/* NULL: not known. */
struct open_file *strace_fd(struct strace_files *s, struct strace_task *t, s64 fd);
/*
 * The descriptor is a newly opened file of this path (@len bytes); @flags as
 * strace prints them; @attached: it was open before, so the position is unknown.
 * NULL if there are too many.
 */
struct open_file *strace_open(struct strace_files *s, struct strace_task *t, s64 fd,
			      const char *path, size_t len, const char *flags, bool attached);
void strace_dup(struct strace_files *s, struct strace_task *t, s64 fd, s64 to);
void strace_close(struct strace_files *s, struct strace_task *t, s64 fd);

#endif
