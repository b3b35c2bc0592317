/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel patches as people save them: git format-patch, b4 am, a mail client,
 * plain diffs; one, a series in an mbox, or a directory of them.
 */
#ifndef BP_PATCH_H
#define BP_PATCH_H

#include "lib/err.h"

struct patch_file {
	char *old_path; /* NULL: the patch creates the file */
	char *new_path; /* NULL: the patch deletes the file */
	unsigned int hunks;
	const char *bare; /* where in the diff it starts, if without a "diff --git" line */
};

struct patch {
	char *file;		    /* where it came from */
	char *subject;		    /* without the [PATCH n/m] in front */
	char *id;		    /* git patch-id --stable, 40 hex digits */
	char *base_commit;	    /* NULL if the patch does not say */
	char *change_id;	    /* NULL if the patch does not say */
	unsigned int number, total; /* n/m in the subject; 0 if it has none */
	unsigned int fuzz;	    /* context lines that had to be ignored to apply it */
	/*
	 * As many may be: at most 2, and so few that at least one line of context of each
	 * hunk still has to match.  A hunk with two lines of context applies with fuzz 2
	 * to any file whatever.
	 */
	unsigned int max_fuzz;
	char *diff; /* NUL-terminated, decoded, no carriage returns */
	struct patch_file *files;
	size_t n_files;
};

struct series {
	struct patch *patches;
	size_t n;
};

/*
 * Reads @path: a patch, an mbox, or a directory of either (in the order of a
 * quilt "series" file if it has one, else sorted by name; *.patch, *.diff,
 * *.mbox, *.mbx, *.eml).  Messages without a diff, such as cover letters, are
 * left out, but the trailers of a cover letter count for the patches after it.
 * Returns 0 and a series of at least one patch, or a negative errno with a
 * line.  series_free() frees its content.
 */
int series_load(const char *path, struct series *s, struct err *e) __must_check;
void series_free(struct series *s);

/* ---- parts, for tests ---- */

/*
 * Fills in files from @p->diff, checking that no hunk is cut off or damaged
 * and that every path stays inside the tree.  -EINVAL with a line that starts
 * with @p->file; -ENODATA if there is no diff in it.
 */
int patch_parse_files(struct patch *p, struct err *e) __must_check;

/*
 * The value of the last trailer @name ("base-commit") that starts a line of
 * @text and is all of [0-9A-Za-z._-]; NULL if there is none.  The caller frees it.
 */
char *patch_trailer(const char *text, const char *name) __must_check;

/* @subject without its bracketed prefixes; the caller frees it.  "[PATCH v2 2/5] x"
 * gives "x", *number 2, *total 5. */
char *patch_subject(const char *subject, unsigned int *number, unsigned int *total) __must_check;

/* Does @text start like a mail or an mbox, rather than like a bare diff? */
bool patch_is_mail(const char *text);

/* What patch(1) said about one run. */
struct apply_report {
	char file[256];	     /* the file of the first failure */
	unsigned int hunk;   /* the first hunk that failed there; 0: none */
	unsigned int failed; /* hunks that failed in all */
	unsigned long line;  /* where that hunk was expected */
	unsigned int fuzz;   /* largest fuzz of the hunks that applied */
	char last[256];	     /* the last line of output */
	char current[256];   /* the file that is being patched */
};

/* Takes one line of patch(1)'s output (LC_ALL=C) into account. */
void apply_report_line(struct apply_report *r, const char *line);

#endif
