/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line of what strace -ttt [-f] [-y] prints:
 *
 *	[PID] SECONDS.MICROS CALL(ARGUMENT, ...) = RESULT [ERRNO (text)] [<TIME>]
 *	[PID] SECONDS.MICROS CALL(ARGUMENT, ... <unfinished ...>
 *	[PID] SECONDS.MICROS <... CALL resumed>ARGUMENT, ...) = RESULT
 *	[PID] SECONDS.MICROS +++ exited with N +++ (or --- SIGNAL ---)
 *
 * where PID is "1234 " or "[pid  1234] ", and missing if there is one process.
 */
#ifndef BP_REPLAY_STRACE_LINE_H
#define BP_REPLAY_STRACE_LINE_H

#include "lib/util.h"

#define STRACE_ARGS 8

enum strace_kind {
	STRACE_NONE, /* no line of strace's */
	STRACE_CALL,
	STRACE_UNFINISHED,
	STRACE_RESUMED,
	STRACE_OTHER, /* an exit, a signal */
};

struct strace_line {
	enum strace_kind kind;
	u64 pid; /* 0: not said */
	u64 ns;
	const char *call;
	char *args[STRACE_ARGS]; /* of those that stand in this line; further ones are left out */
	u32 n_args;
	bool has_result; /* it has returned a number; not "?" */
	s64 result;
	const char *result_path; /* what -y adds to it, up to a '>'; or NULL */
};

/* Takes @line apart, in place. */
void strace_parse(char *line, struct strace_line *l);

/* A decimal or hexadecimal number at the start of @arg, perhaps negative; false if none. */
bool strace_number(const char *arg, s64 *value);

#endif
