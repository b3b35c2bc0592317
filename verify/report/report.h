/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports: from what the analysis found to text, KTAP or JSON. */
#ifndef BP_REPORT_H
#define BP_REPORT_H

#include <jansson.h>

#include "verify/options.h"
#include "verify/report/out.h"
#include "verify/report/summary.h"
#include "verify/status.h"

/* One PATH of the command line and what came of it. */
struct verified {
	const char *path;
	struct run *run;	   /* NULL when it could not be opened */
	struct analysis *analysis; /* NULL when it could not be read */
	struct err error;	   /* why; valid when analysis is NULL */
	struct tally tally;
	enum verify_status status;
	const char *sweep_key, *sweep_value; /* of a run that is part of a sweep; else NULL */
};

/*
 * The report of all inputs; @exit_status is what the program will end with,
 * @opt may be NULL.
 */
void report_text(struct out *o, const struct verified *v, unsigned int n, int exit_status,
		 const struct options *opt);
void report_ktap(struct out *o, const struct verified *v, unsigned int n);
void report_json(struct out *o, const struct verified *v, unsigned int n, int exit_status,
		 const struct options *opt);

/* KTAP: lines of @text as comments; a name that can't end the description (the caller's). */
void ktap_comment(struct out *o, const struct out *text);
char *ktap_description(const char *s) __must_check;

#define REPORT_JSON_SCHEMA 1

/*
 * --mail: a text report of MAIL_WIDTH columns as it can stand below the "---" of
 * a patch: no line can be taken for the beginning of a diff or of a mail.
 */
#define MAIL_GUARD "| "
#define MAIL_WIDTH (REPORT_WIDTH - 2)
void mail_wrap(struct out *to, const char *text);
bool mail_line_unsafe(const char *line, size_t n);

/* Instead of the whole reports: one table over the @n runs of one sweep. */
void report_sweep(struct out *o, const struct verified *v, unsigned int n, int exit_status);

/* --stats: the figures of every phase; @by as options.by */
void text_stats(struct out *o, const struct analysis *a, unsigned int by);
json_t *json_stats(const struct phase_stats *s, unsigned int by) __must_check;
/* Bytes; 4096 if neither the capture nor its trace says. */
u32 capture_page_size(const struct capture_result *cr);

/* --chain */
void text_chains(struct out *o, const struct analysis *a);

/* --explain and --list-checks */
void report_explain(struct out *o, const struct check *c);
void report_list_checks(struct out *o);

/*
 * --reproducer: the access pattern of a phase as a stand-alone C program.
 * -EINVAL and a line if there is no such phase.
 */
int report_reproducer(struct out *o, const struct experiment *exp, const char *phase,
		      struct err *e) __must_check;

/* ---- grouping ---- */

/* Names in the order in which they appear; the arrays are the caller's, the names not. */
unsigned int analysis_kernels(const struct analysis *a, const char ***names);
unsigned int analysis_phases(const struct analysis *a, const char ***names);
unsigned int analysis_checks(const struct analysis *a, const struct check ***checks);

const struct phase_info *phase_info_of(const struct capture *c, const char *phase);
const struct phase_stats *phase_stats_of(const struct capture_result *c, const char *phase);

/* The verdicts of one check on one kernel, over its phases and captures. */
struct cell {
	unsigned int verdicts[VERDICT_NA + 1];
	unsigned int outcomes[OUTCOMES];
};
struct cell cell_of(const struct analysis *a, const char *kernel, const struct check *check);

/* A limit that is not what the check would have it: of the experiment, or of --set. */
struct changed_limit {
	const struct check *check;
	const struct check_limit *limit;
	double value;
};
/* Those of the checks that ran; the array is the caller's. */
unsigned int analysis_limits(const struct analysis *a, struct changed_limit **limits);

const char *expectation_name(enum expectation e); /* "holds", "violated", "any" */
const char *outcome_name(enum outcome o);	  /* "met", "violated", "undecided", ... */

/* ---- parts of the text report ---- */

void text_heading(struct out *o, const char *text);
const char *accel_name(const char *accel); /* "TCG", "KVM" */
/* Kernels and phases as tables call them. */
const char *kernel_head(const char *kernel);
const char *phase_label(const char *phase);
/* Who saw the requests that the tables count. */
const char *requests_witness(const struct capture *c);
/* "97", "0.52"; of several boots "96.7 +- 0.6"; @decimals may be DECIMALS_BY_SIZE */
#define NUMBER_TEXT_MAX 64
const char *number_text(const struct figure *f, int decimals, char *buf);

void text_what_ran(struct out *o, const struct analysis *a);
/* The OSDs' bytes by readers, clients and mount, as patches to CephFS show them. */
void text_osd_bytes(struct out *o, const struct summary *s);
void text_figures(struct out *o, const struct summary *s);
/* How true a replay was, and figures by its files; nothing if nothing was replayed. */
void text_replay(struct out *o, const struct summary *s);
void text_costs(struct out *o, const struct summary *s);
void text_path_hit(struct out *o, const struct summary *s);
/* Of phases of a root file system; nothing without one. */
void text_mmap(struct out *o, const struct summary *s);
void text_limits(struct out *o, const struct analysis *a);
void text_matrix(struct out *o, const struct analysis *a);
void text_findings(struct out *o, const struct analysis *a);
void text_between_kernels(struct out *o, const struct summary *s);
/* A finding: where, and what. */
void text_finding(struct out *o, const struct finding *f);
/* Why a result has no verdict; the caller frees it. */
char *why_text(const struct result *r) __must_check;
void text_reproduce(struct out *o, const struct analysis *a);

#endif
