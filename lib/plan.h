/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plans: what a recorded workload did, as text to be replayed
 * (docs/blkproof-plan.5).  Common to every kind are the lines
 *
 *	blkproof-plan 1 KIND
 *	KEY VALUE...		the header: what is known as a whole
 *	begin
 *	...			the body, in order of time
 *	end LINES		lines of the body: a plan that was cut off has none
 *
 * Both are read and written line by line in flat memory, whatever the size.
 */
#ifndef BP_PLAN_H
#define BP_PLAN_H

#include "lib/err.h"

#define PLAN_MAGIC "blkproof-plan"
#define PLAN_VERSION 1
#define PLAN_LINE_MAX 512 /* bytes of a line, its newline included */

enum plan_kind { PLAN_ACCESS, PLAN_BLOCK, PLAN_KINDS };
extern const char *const plan_kind_names[]; /* "access", "block" */

struct plan_reader {
	const char *name; /* for messages; owned by the caller */
	enum plan_kind kind;
	u64 number; /* of the last line, from 1 */
	/* the rest is plan.c's */
	int fd;
	u8 *buf, *at, *end;
	bool in_body, ended;
	u64 body; /* lines of it so far */
};

/*
 * Opens the plan in @path, a file or a block device (what follows the last line
 * there is not looked at; @direct: past the page cache), and reads its first
 * line.  Returns 0, or a negative errno and a line; plan_close() in either case.
 */
int plan_open(struct plan_reader *r, const char *path, bool direct, struct err *e) __must_check;

/*
 * The next line, without its newline, valid until the next call.  Returns 1, or
 * 0 at "begin" (once) and after the last line; a plan without a proper end is
 * -EBADMSG and a line.
 */
int plan_next(struct plan_reader *r, char **line, struct err *e) __must_check;

/* "PLAN:LINE: ..."; returns -EBADMSG. */
int plan_bad(const struct plan_reader *r, struct err *e, const char *fmt, ...) __printf_like(3, 4);

/*
 * After the last line of a file (of a block device, what follows means nothing):
 * 0, or -EBADMSG and a line if there is more.
 */
int plan_no_more(struct plan_reader *r, struct err *e) __must_check;

void plan_close(struct plan_reader *r);

/*
 * The next word of *@at, which moves behind it; words are separated by one or
 * more blanks.  NULL if there is none.
 */
char *plan_word(char **at);

/*
 * The next word as a decimal number of at most @max; -EBADMSG with a line that
 * calls it @what.
 */
int plan_number(const struct plan_reader *r, char **at, const char *what, u64 max, u64 *value,
		struct err *e) __must_check;

/* ---- writing ---- */

struct plan_writer {
	const char *path; /* NULL: standard output */
	char *tmp;
	FILE *header; /* for lines of the header, at any time before plan_finish() */
	/* the rest is plan.c's */
	enum plan_kind kind;
	char *header_text;
	size_t header_len;
	int fd, body_fd;
	char *buf;
	size_t n;
	u64 lines;
	int error;
};

/*
 * Begins a plan.  The body is kept in a file without a name, since what the
 * header says is known only after it.  0, or a negative errno and a line;
 * plan_abandon() or plan_finish() in either case.
 */
int plan_create(struct plan_writer *w, const char *path, enum plan_kind kind,
		struct err *e) __must_check;

/*
 * Room for a line of the body of at most PLAN_LINE_MAX bytes; the caller writes
 * it there, with its newline, and passes its length to plan_put().  A line that
 * can't be written is an error of plan_finish().
 */
char *plan_room(struct plan_writer *w);
void plan_put(struct plan_writer *w, size_t len);

/* @value in decimal at @to; returns where it ends.  20 digits at most. */
char *plan_digits(char *to, u64 value);

/* Writes header and body, and gives the file its name; 0 or a line. */
int plan_finish(struct plan_writer *w, struct err *e) __must_check;
void plan_abandon(struct plan_writer *w);

#endif
