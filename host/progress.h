/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of a long step: on a terminal one line that is redrawn in place,
 * elsewhere a plain line now and then (so that a CI log stays readable).
 */
#ifndef BP_PROGRESS_H
#define BP_PROGRESS_H

#include "lib/util.h"

struct meter {
	FILE *out;
	bool tty;
	bool silent;  /* draws nothing until meter_end() (V=1 shows the full output) */
	u64 interval; /* ns between lines */
	u64 start;    /* CLOCK_MONOTONIC ns */
	u64 last;     /* when a line was drawn, 0: never */
	size_t drawn; /* columns on the terminal that must be erased */
	char label[128];
};

/* Starts a step that is called @label ("building kernel base"), drawing on stderr. */
void meter_start(struct meter *m, const char *label);

/*
 * Shows "LABEL: DETAIL, M:SS" if the last line is old enough (0.1 s on a
 * terminal, 10 s elsewhere): call it as often as you like.
 */
void meter_update(struct meter *m, const char *fmt, ...) __printf_like(2, 3);

/* Erases the terminal's line, so that a message can be printed. */
void meter_clear(struct meter *m);

/* The last line, always printed: "LABEL: DETAIL, M:SS". */
void meter_end(struct meter *m, const char *fmt, ...) __printf_like(2, 3);

/* Nanoseconds since meter_start(). */
u64 meter_elapsed(const struct meter *m);

/* "2:05" for 125 s, "1:00:00" above an hour; returns @buf of at least 24 bytes. */
char *elapsed_text(u64 ns, char *buf);

#endif
