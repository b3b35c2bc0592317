/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of the readers: a trace as text, and files in a directory of their own. */
#ifndef BP_TRACE_TEXT_H
#define BP_TRACE_TEXT_H

#include "lib/err.h"

/* Set-up and tear-down of a group: makes and enters an empty directory; leaves and removes it. */
int scratch_enter(void **state);
int scratch_leave(void **state);

void put_file(const char *path, const void *data, size_t len);

/*
 * Dumps @path as trace_dump() does with @flags; *@ret is what that returned
 * and @e its message.  The caller frees the text.
 */
char *trace_text(const char *path, unsigned int flags, int *ret, struct err *e);

/* The number of lines in @text that contain @word. */
unsigned int lines_with(const char *text, const char *word);

#endif
