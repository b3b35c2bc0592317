/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan of accesses that is replayed, from the guest's second disk. */
#ifndef BP_GUEST_REPLAY_H
#define BP_GUEST_REPLAY_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#include "guest/agent.h"
#include "lib/access_plan.h"

/* ---- the plan and its files ---- */

/* Where the disk with the plan is: "/dev/vdb"; 0, or -ENODEV and a line. */
int plan_disk(char *path, size_t size, struct err *e) __must_check;

struct replay_file {
	int fd; /* open all the time, so that the inode stays in memory */
	u64 size, ino;
};

struct replay {
	struct plan_reader reader;
	struct access_plan plan;
	struct replay_file *files; /* as plan.files */
	u32 at_phase;		   /* whose records are read next */
	bool ended;
};

/*
 * Opens plan and files, if a phase of the experiment replays accesses, and
 * compares their sizes; lasts as long as the process.
 */
int replay_setup(struct agent *a, struct err *e) __must_check;
struct replay *replay_get(void); /* NULL: nothing is replayed */

/* capture.json's "test_files"; NULL if nothing is replayed. */
json_t *replay_files_json(void);

/* ---- a phase's records, one queue for each task ---- */

#define AT_UNKNOWN UINT32_MAX

struct record {
	u64 ns, offset, length;
	u32 file;
	u32 at;	 /* touch: page of the range */
	u32 seq; /* of its task's records, from 0 */
	u8 op;	 /* enum access_op */
	u8 run;	 /* touch: the task's ranges before or after it are its neighbours; the
		    loader may set it while the record waits */
};

#define CHUNK_RECORDS 400u

struct chunk {
	struct chunk *_Atomic next;
	atomic_uint n; /* records that can be taken */
	struct record r[CHUNK_RECORDS];
};

struct queue {
	struct chunk *_Atomic first;
	struct chunk *head; /* the task's */
	unsigned int taken; /* of @head */
	struct chunk *tail; /* the loader's */
	u32 put;
};

/*
 * A loader fills the queues in the plan's order, and waits when @limit chunks
 * are in use: memory stays flat, whatever the plan's size.  Each queue has one
 * task that takes from it.
 */
struct queues {
	struct replay *replay;
	u32 phase, n;
	struct queue *q;
	struct chunk *free;
	u32 chunks, limit;
	u64 records, bytes; /* that were loaded */
	pthread_mutex_t lock;
	pthread_cond_t freed, filled;
	atomic_uint waiting; /* tasks */
	atomic_bool ended, stopped;
	bool threaded;
	pthread_t thread;
	int error;
	struct err err;
};

/*
 * Goes to phase @name and loads as much of it as @limit chunks hold, and two for
 * each task; if that is not all, a thread loads the rest while the queues are
 * emptied.
 */
#define QUEUES_LIMIT 2600u /* chunks of 16 KiB: a million records */
int queues_open(struct queues *qs, struct replay *r, const char *name, u32 tasks, u32 limit,
		struct err *e) __must_check;

/* The next record of task @i: true, or false after the last. */
bool queues_take(struct queues *qs, u32 i, struct record *r);

/* Ends the loader, and frees; its error, if it had one. */
int queues_close(struct queues *qs, struct err *e) __must_check;

#endif
