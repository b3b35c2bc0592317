/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of text formats, in bounded memory. */
#ifndef BP_REPLAY_TEXT_LINES_H
#define BP_REPLAY_TEXT_LINES_H

#include "lib/err.h"

#define TEXT_LINE_MAX 65536u

struct text_lines {
	const char *path; /* owned by the caller */
	FILE *f;
	char *buf;
	u64 number;   /* of the last line, from 1 */
	bool partial; /* a cut last line is left out, not an error */
	bool cut;     /* ... and there was one */
};

int text_lines_open(struct text_lines *t, const char *path, bool partial,
		    struct err *e) __must_check;

/*
 * 1 and the next line, without its newline; 0 at the end; -EBADMSG and a line if
 * it is too long, has NUL bytes, or has no newline.
 */
int text_lines_next(struct text_lines *t, char **line, struct err *e) __must_check;
void text_lines_close(struct text_lines *t);

/* "PATH:LINE: ..."; returns -EBADMSG. */
int text_lines_bad(const struct text_lines *t, struct err *e, const char *fmt, ...)
	__printf_like(3, 4);

/*
 * A number for a path, by which accesses of the same file are known: a hash,
 * which goes nowhere, so that the plan has nothing of the path.
 */
u64 text_hash(const char *text, size_t len);

#endif
