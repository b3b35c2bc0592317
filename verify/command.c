// SPDX-License-Identifier: GPL-2.0-only
/* What bin/verify does: options, one input after the other, the report, the exit status. */
#include <errno.h>
#include <string.h>

#include "lib/fileio.h"
#include "lib/version.h"
#include "verify/command.h"
#include "verify/input/dump.h"
#include "verify/report/compare.h"
#include "verify/sweep.h"

/* The edge: one line, and nothing in it that talks to the terminal. */
static void complain(const char *msg)
{
	char *text __cleanup_free = printable(msg);

	fprintf(stderr, "verify: %s\n", text);
}

static int exit_status(const struct options *o, enum verify_status s)
{
	return o->bisect ? status_bisect(s) : (int)s;
}

/* Opens and judges v->path; what is wrong with it is kept in v->error. */
static void verify_one(struct verified *v, const struct analyze_options *opt)
{
	int ret = 0;

	/* what could not be read of a sweep is known already */
	if (!v->error.msg[0])
		ret = run_open(&v->run, v->path, &v->error);
	else
		ret = -EINVAL;
	if (!ret)
		ret = analyze(v->run, opt, &v->analysis, &v->error);
	if (ret) {
		v->analysis = NULL;
		v->status = STATUS_ERROR;
		complain(v->error.msg);
		return;
	}
	tally_analysis(&v->tally, v->analysis);
	v->status = status_of(&v->tally);
}

/* To the file, whole or not at all, or to standard output; a report that nobody got is an error. */
static int emit(const struct out *out, const char *path, struct err *e)
{
	const char *text = out->text ? out->text : "";
	int ret;

	if (path)
		return file_write_atomic(path, text, out->len, e);
	ret = fd_write_all(STDOUT_FILENO, text, out->len);
	return ret ? err_errno(e, ret, "standard output") : 0;
}

/* The command line's paths, with a sweep replaced by the runs that it is. */
struct inputs {
	struct verified *v;
	unsigned int n;
	struct sweep *sweeps; /* one per path; empty for what is none */
	char **owned;	      /* paths below sweeps */
	unsigned int n_owned;
};

static struct verified *add_input(struct inputs *in, const char *path)
{
	in->v = xrealloc(in->v, in->n + 1, sizeof(*in->v));
	in->v[in->n] = (struct verified){.path = path};
	return &in->v[in->n++];
}

static void inputs_init(struct inputs *in, const struct options *o)
{
	*in = (struct inputs){.sweeps = xcalloc(o->n_paths, sizeof(*in->sweeps))};
	for (unsigned int i = 0; i < o->n_paths; i++) {
		struct sweep *s = &in->sweeps[i];
		struct err e = {""};

		if (sweep_load(s, o->paths[i], &e) <= 0) {
			/* an error here is the input's own, told when its turn comes */
			add_input(in, o->paths[i])->error = e;
			continue;
		}
		for (unsigned int k = 0; k < s->n; k++) {
			char *path = xasprintf("%s/%s", o->paths[i], s->runs[k].name);
			struct verified *v = add_input(in, path);

			v->sweep_key = s->key;
			v->sweep_value = s->runs[k].value;
			in->owned = xrealloc(in->owned, in->n_owned + 1, sizeof(*in->owned));
			in->owned[in->n_owned++] = path;
		}
	}
}

static void inputs_free(struct inputs *in, const struct options *o)
{
	for (unsigned int i = 0; i < in->n; i++) {
		if (in->v[i].analysis)
			analysis_free(in->v[i].analysis);
		run_close(in->v[i].run);
	}
	for (unsigned int i = 0; i < in->n_owned; i++)
		free(in->owned[i]);
	for (unsigned int i = 0; i < o->n_paths; i++)
		sweep_free(&in->sweeps[i]);
	free(in->owned);
	free(in->sweeps);
	free(in->v);
}

/* One sweep and nothing else: then one table says it all. */
static bool is_sweep(const struct inputs *in, const struct options *o)
{
	return o->n_paths == 1 && in->n && in->v[0].sweep_key && !o->stats &&
	       o->chain.what == CHAIN_NONE;
}

static unsigned int text_width(const struct options *o)
{
	return o->format != FORMAT_TEXT ? 0 : o->mail ? MAIL_WIDTH : REPORT_WIDTH;
}

/* Writes @out, which it empties; the status, or that of a report that nobody got. */
static enum verify_status finish(struct out *out, const struct options *o,
				 enum verify_status status)
{
	struct out mail = {.width = REPORT_WIDTH};
	struct err e;

	if (o->mail)
		mail_wrap(&mail, out->text);
	if (emit(o->mail ? &mail : out, o->output, &e)) {
		complain(e.msg);
		status = STATUS_ERROR;
	}
	out_free(&mail);
	out_free(out);
	return status;
}

static enum verify_status compare_two(const struct inputs *in, const struct options *o)
{
	const struct verified *v = in->v;
	struct out out = {.width = text_width(o)};
	struct comparison c;
	enum verify_status status;
	struct err e;

	if (in->n != 2) {
		complain("--compare: a sweep is several runs; name one of them");
		return STATUS_ERROR;
	}
	if (!v[0].analysis || !v[1].analysis)
		return STATUS_ERROR;
	if (comparison_make(&c, &v[0], &v[1], &e)) {
		complain(e.msg);
		return STATUS_ERROR;
	}
	status = comparison_status(&c);
	if (o->format == FORMAT_TEXT)
		report_compare_text(&out, &c, exit_status(o, status));
	else if (o->format == FORMAT_KTAP)
		report_compare_ktap(&out, &c);
	else
		report_compare_json(&out, &c, exit_status(o, status));
	comparison_free(&c);
	return finish(&out, o, status);
}

static enum verify_status report_all(const struct inputs *in, const struct options *o)
{
	const struct verified *v = in->v;
	struct out out = {.width = text_width(o)};
	enum verify_status status = STATUS_MET;

	for (unsigned int i = 0; i < in->n; i++)
		status = status_worse(status, v[i].status);
	if (o->format == FORMAT_TEXT && is_sweep(in, o))
		report_sweep(&out, v, in->n, exit_status(o, status));
	else if (o->format == FORMAT_TEXT)
		report_text(&out, v, in->n, exit_status(o, status), o);
	else if (o->format == FORMAT_KTAP)
		report_ktap(&out, v, in->n);
	else
		report_json(&out, v, in->n, exit_status(o, status), o);
	return finish(&out, o, status);
}

static int verify_all(const struct options *o)
{
	const struct analyze_options opt = {
		.checks = o->checks,
		.n_checks = o->n_checks,
		.limits = o->limits,
		.n_limits = o->n_limits,
		.partial = o->partial,
		/* the report's costs are among them; who only bisects can do without */
		.stats = o->stats || (!o->bisect && !o->brief && o->chain.what == CHAIN_NONE),
		.chain = o->chain,
	};
	enum verify_status status;
	struct inputs in;

	inputs_init(&in, o);
	for (unsigned int i = 0; i < in.n; i++)
		verify_one(&in.v[i], &opt);
	status = o->compare ? compare_two(&in, o) : report_all(&in, o);
	inputs_free(&in, o);
	return exit_status(o, status);
}

/* A line before each trace says which one it is, if there are several. */
static int list_events(const struct options *o, const char *path, struct err *e)
{
	unsigned int flags = DUMP_EVENTS | (o->partial ? DUMP_PARTIAL : 0);
	struct run *run = NULL;
	int ret = run_open(&run, path, e);

	for (unsigned int i = 0; !ret && i < run->n_captures; i++) {
		const struct capture *c = run->captures[i];
		const char *traces[] = {c->trace, c->blktrace};
		bool several = o->n_paths > 1 || run->n_captures > 1 || (c->trace && c->blktrace);

		for (size_t k = 0; !ret && k < ARRAY_SIZE(traces); k++) {
			char *name __cleanup_free = traces[k] ? printable(traces[k]) : NULL;

			if (!name)
				continue;
			if (several)
				printf("# %s\n", name);
			ret = trace_dump(traces[k], stdout, flags, e);
		}
	}
	run_close(run);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = err_errno(e, -EIO, "standard output");
	return ret;
}

static int events_all(const struct options *o)
{
	int status = STATUS_MET;
	struct err e;

	for (unsigned int i = 0; i < o->n_paths; i++) {
		if (!list_events(o, o->paths[i], &e))
			continue;
		fflush(stdout);
		complain(e.msg);
		status = STATUS_ERROR;
	}
	return exit_status(o, status);
}

/* The experiment of a run, of a capture beside one, or an INI file itself. */
static int make_reproducer(struct out *out, const struct options *o, struct err *e)
{
	const char *path = o->paths[0], *dot = strrchr(path, '.');
	struct experiment *exp = NULL;
	struct run *run = NULL;
	int ret;

	if (dot && !strcmp(dot, ".ini")) {
		ret = experiment_load(path, &exp, e);
		if (!ret)
			ret = report_reproducer(out, exp, o->reproducer, e);
		experiment_free(exp);
		return ret;
	}
	ret = run_open(&run, path, e);
	if (!ret && !run->exp)
		ret = err_set(e, -EINVAL, "%s: no " RUN_EXPERIMENT " says what its phases do",
			      path);
	if (!ret)
		ret = report_reproducer(out, run->exp, o->reproducer, e);
	run_close(run);
	return ret;
}

static int reproducer(const struct options *o)
{
	struct out out = {0};
	int ret, status = STATUS_MET;
	struct err e;

	ret = make_reproducer(&out, o, &e);
	if (!ret)
		ret = emit(&out, o->output, &e);
	if (ret) {
		complain(e.msg);
		status = STATUS_ERROR;
	}
	out_free(&out);
	return exit_status(o, status);
}

static int print_words(const struct options *o)
{
	struct out out = {.width = REPORT_WIDTH};
	int status = STATUS_MET;
	struct err e;

	if (o->action == ACTION_EXPLAIN)
		report_explain(&out, o->explain);
	else if (o->action == ACTION_LIST_CHECKS)
		report_list_checks(&out);
	else if (o->action == ACTION_VERSION)
		out_raw(&out, "blkproof verify " BLKPROOF_VERSION "\n");
	else
		options_help(&out);
	if (emit(&out, o->output, &e)) {
		complain(e.msg);
		status = exit_status(o, STATUS_ERROR);
	}
	out_free(&out);
	return status;
}

int verify_main(int argc, char **argv)
{
	struct options o;
	struct err e;
	int status;

	if (options_parse(&o, argc, argv, &e)) {
		complain(e.msg);
		status = exit_status(&o, STATUS_ERROR);
	} else {
		status = o.action == ACTION_VERIFY	 ? verify_all(&o)
			 : o.action == ACTION_EVENTS	 ? events_all(&o)
			 : o.action == ACTION_REPRODUCER ? reproducer(&o)
							 : print_words(&o);
	}
	options_free(&o);
	return status;
}
