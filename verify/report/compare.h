/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verify --compare A B: two runs, captures or traces side by side, whatever
 * machine they come from.  Kernels are paired by name, or, where each side has one only, whatever
 * their names; phases by name.  Each check is judged as in either alone, and
 * B is held against A.
 */
#ifndef BP_COMPARE_H
#define BP_COMPARE_H

#include "verify/report/report.h"

#define SETTING_MAX 200

/* Something of the two that is not the same, and may be why figures are not. */
struct setting {
	const char *name;
	char a[SETTING_MAX], b[SETTING_MAX];
};

enum change_kind { CHANGE_WORSE, CHANGE_BETTER, CHANGE_UNDECIDED, CHANGE_NONE };

/* The verdicts of one check in one phase, over all boots of a pair of kernels. */
struct change {
	const struct check *check;
	const char *phase;
	const char *kernel;	   /* B's column */
	enum verdict a, b;	   /* the worst of the boots; VERDICT_NA: does not apply */
	const struct result *from; /* where B's is from */
	enum change_kind kind;
};

struct comparison {
	struct verified v; /* both as one analysis with a column per kernel and side */
	const char *path_a, *path_b;
	struct setting *settings;
	unsigned int n_settings;
	struct change *changes; /* all that apply on a side */
	unsigned int n_changes;
	unsigned int of[CHANGE_NONE + 1];
	char *left_out;		  /* "phases only in A: x, y; kernels only in B: z"; "": nothing */
	struct capture *captures; /* owned, as what v points at */
};

/* What the program ends with: 0, 1 where B is worse, 3 where that can't be said. */
enum verify_status comparison_status(const struct comparison *c);
/* The last line: "no check is worse in B". @buf is returned. */
char *comparison_words(const struct comparison *c, char *buf, size_t size);
const char *change_name(enum change_kind k); /* "worse", ... */

/*
 * @a and @b were read; they must outlive *@c, which comparison_free() empties.  -EINVAL and a line
 * when they have no phase or no kernel in common.
 */
int comparison_make(struct comparison *c, const struct verified *a, const struct verified *b,
		    struct err *e) __must_check;
void comparison_free(struct comparison *c);

/* One side of a pair of kernels. */
struct subject {
	const struct capture_result *cr; /* the first of its captures */
	const struct capture *c;
	const struct kernel_info *k; /* NULL: not said */
};

/* Adds to c->settings what is not the same, if it is not there yet. */
void compare_settings(struct comparison *c, const struct subject *a, const struct subject *b);

void report_compare_text(struct out *o, const struct comparison *c, int exit_status);
void report_compare_ktap(struct out *o, const struct comparison *c);
void report_compare_json(struct out *o, const struct comparison *c, int exit_status);

#endif
