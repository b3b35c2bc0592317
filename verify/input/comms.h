/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of tasks by pid. */
#ifndef BP_COMMS_H
#define BP_COMMS_H

#include "lib/util.h"

#define COMM_LEN 16 /* TASK_COMM_LEN of the kernel, with NUL */
/* More pids than this are not remembered: a bound for hostile files (16 MiB). */
#define COMMS_MAX (1u << 19)

struct comm_entry;

struct comms {
	struct comm_entry *entry; /* open addressing */
	u32 n, size;
};

/* Sets the name of @pid (at most COMM_LEN - 1 bytes of @len); a later name wins. */
void comms_set(struct comms *c, s32 pid, const char *name, size_t len);
/* NULL if there is none. */
const char *comms_get(const struct comms *c, s32 pid);
/* Lines of "PID NAME", as in tracefs' saved_cmdlines. */
void comms_parse(struct comms *c, const char *text, size_t len);
void comms_free(struct comms *c);

#endif
