/* SPDX-License-Identifier: GPL-2.0-only */
/* Watches the guest's serial console, a file that QEMU appends to. */
#ifndef BP_CONSOLE_H
#define BP_CONSOLE_H

#include "lib/err.h"

struct console {
	int fd;
	char line[512]; /* the line that is not complete yet */
	size_t len;
	char *panic; /* the kernel's last words: "Kernel panic - not syncing: ..." */
	u64 bytes;
	u8 escape; /* in the middle of an escape code: enum in console.c */
};

/* @path may not exist yet. */
void console_init(struct console *c);
void console_free(struct console *c);

/* Reads what has been added. */
void console_poll(struct console *c, const char *path);

/* The same from memory, for tests and for console_poll(). */
void console_take(struct console *c, const char *data, size_t len);

/* Does the console end with a login prompt, "NAME login: "? */
bool console_at_login(const struct console *c);

/* Prints the last @lines lines of @path, each after two blanks, control characters removed. */
void console_tail(FILE *out, const char *path, unsigned int lines);

#endif
