// SPDX-License-Identifier: GPL-2.0-only
#include "verify/options.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/size.h"
#include "verify/checks/check.h"
#include "verify/known.h"
#include "verify/report/out.h"

const char *const format_names[] = {"text", "ktap", "json", NULL};

static int set_format(struct options *o, const char *arg, struct err *e)
{
	for (unsigned int i = 0; format_names[i]; i++) {
		if (strcmp(arg, format_names[i]))
			continue;
		o->format = i;
		return 0;
	}
	return unknown_word(e, "format", arg, format_names, ARRAY_SIZE(format_names) - 1,
			    "expected text, ktap or json");
}

static int set_check(struct options *o, const char *arg, struct err *e)
{
	for (;;) {
		size_t n = strcspn(arg, ",");
		char *name __cleanup_free = xstrndup(arg, n);
		const struct check *c = known_check(name, e);

		if (!c)
			return -EINVAL;
		o->checks = xrealloc(o->checks, o->n_checks + 1, sizeof(*o->checks));
		o->checks[o->n_checks++] = c->name;
		if (!arg[n])
			return 0;
		arg += n + 1;
	}
}

static int set_limit(struct options *o, const char *arg, struct err *e)
{
	const char *equals = strchr(arg, '='), *dot;
	const struct check *c = NULL;
	struct limit_override l = {0};
	char *left __cleanup_free = NULL;
	const char *name;
	char *end;

	if (!equals || equals == arg)
		return err_set(e, -EINVAL, "--set '%s': expected check.limit=value or limit=value",
			       arg);
	left = xstrndup(arg, (size_t)(equals - arg));
	name = left;
	dot = strchr(left, '.');
	if (dot) {
		left[dot - left] = '\0';
		c = known_check(left, e);
		if (!c)
			return -EINVAL;
		name = dot + 1;
	}
	if (known_limit(c, name, e))
		return -EINVAL;
	errno = 0;
	l.value = strtod(equals + 1, &end);
	if (end == equals + 1 || *end || errno || !isfinite(l.value) || l.value < 0)
		return err_set(e, -EINVAL, "--set %s: '%s' is not a number of at least 0", name,
			       equals + 1);
	snprintf(l.check, sizeof(l.check), "%s", c ? c->name : "");
	snprintf(l.name, sizeof(l.name), "%s", name);
	o->limits = xrealloc(o->limits, o->n_limits + 1, sizeof(*o->limits));
	o->limits[o->n_limits++] = l;
	return 0;
}

static int set_bisect(struct options *o, const char *arg __unused_arg, struct err *e __unused_arg)
{
	o->bisect = true;
	return 0;
}

static int set_brief(struct options *o, const char *arg __unused_arg, struct err *e __unused_arg)
{
	o->brief = true;
	return 0;
}

static int set_compare(struct options *o, const char *arg __unused_arg, struct err *e __unused_arg)
{
	o->compare = true;
	return 0;
}

static int set_mail(struct options *o, const char *arg __unused_arg, struct err *e __unused_arg)
{
	o->mail = true;
	return 0;
}

static int set_partial(struct options *o, const char *arg __unused_arg, struct err *e __unused_arg)
{
	o->partial = true;
	return 0;
}

static int set_stats(struct options *o, const char *arg __unused_arg, struct err *e __unused_arg)
{
	o->stats = true;
	return 0;
}

static int set_by(struct options *o, const char *arg, struct err *e)
{
	static const char *const names[] = {"file", "task"};

	o->stats = true;
	if (!strcmp(arg, "file"))
		o->by |= STATS_BY_FILE;
	else if (!strcmp(arg, "task"))
		o->by |= STATS_BY_TASK;
	else
		return unknown_word(e, "--by", arg, names, ARRAY_SIZE(names),
				    "expected file or task");
	return 0;
}

/* "event=N" or "offset=N", then ",phase=NAME" */
static int set_chain(struct options *o, const char *arg, struct err *e)
{
	const char *number, *phase = strchr(arg, ',');
	char *left __cleanup_free = xstrndup(arg, strcspn(arg, ","));

	number = str_after(left, "event=");
	o->chain.what = CHAIN_EVENT;
	if (!number) {
		number = str_after(left, "offset=");
		o->chain.what = CHAIN_OFFSET;
	}
	if (!number || (phase && !str_after(phase, ",phase=")))
		return err_set(e, -EINVAL,
			       "--chain '%s': expected event=NUMBER or offset=BYTES, then perhaps "
			       ",phase=NAME",
			       arg);
	if (phase && (!phase[7] || strlen(phase + 7) >= sizeof(o->chain.phase)))
		return err_set(e, -EINVAL, "--chain '%s': no phase can have that name", arg);
	if (phase)
		snprintf(o->chain.phase, sizeof(o->chain.phase), "%s", phase + 7);
	return number_parse(number,
			    o->chain.what == CHAIN_EVENT ? "--chain event" : "--chain offset",
			    o->chain.what == CHAIN_EVENT, 1ull << 62, &o->chain.value, e);
}

static int set_output(struct options *o, const char *arg, struct err *e)
{
	if (!*arg)
		return err_set(e, -EINVAL, "--output: the name of the file is empty");
	o->output = arg;
	return 0;
}

static int set_action(struct options *o, enum action action, struct err *e)
{
	/* --help wins; of two others, the user can't mean both */
	if (o->action == ACTION_HELP)
		return 0;
	if (o->action != ACTION_VERIFY && o->action != action && action != ACTION_HELP)
		return err_set(e, -EINVAL,
			       "only one of --events, --list-checks, --explain, --reproducer and "
			       "--version at a time");
	o->action = action;
	return 0;
}

static int set_events(struct options *o, const char *arg __unused_arg, struct err *e)
{
	return set_action(o, ACTION_EVENTS, e);
}

static int set_list(struct options *o, const char *arg __unused_arg, struct err *e)
{
	return set_action(o, ACTION_LIST_CHECKS, e);
}

static int set_explain(struct options *o, const char *arg, struct err *e)
{
	o->explain = known_check(arg, e);
	return o->explain ? set_action(o, ACTION_EXPLAIN, e) : -EINVAL;
}

static int set_reproducer(struct options *o, const char *arg, struct err *e)
{
	o->reproducer = arg;
	return set_action(o, ACTION_REPRODUCER, e);
}

static int set_help(struct options *o, const char *arg __unused_arg, struct err *e)
{
	return set_action(o, ACTION_HELP, e);
}

static int set_version(struct options *o, const char *arg __unused_arg, struct err *e)
{
	return set_action(o, ACTION_VERSION, e);
}

const struct option_desc option_table[] = {
	{"format", 'f', "FORMAT", "text (default), ktap or json", set_format},
	{"check", 'c', "NAME", "only this check; may be repeated, or a,b,c", set_check},
	{"set", 's', "LIMIT=VALUE", "change a limit: check.limit=value, or limit=value", set_limit},
	{"compare", 0, NULL, "hold the second of two paths against the first", set_compare},
	{"mail", 'm', NULL, "the text report, safe to stand in a patch mail", set_mail},
	{"stats", 0, NULL, "statistics of each phase in place of the verdicts", set_stats},
	{"by", 0, "WHAT", "statistics by file or by task as well; may be repeated", set_by},
	{"chain", 0, "WHERE", "event=N or offset=BYTES: from access to device", set_chain},
	{"events", 0, NULL, "list the events as they were understood", set_events},
	{"list-checks", 0, NULL, "list the checks, with their limits", set_list},
	{"explain", 0, "CHECK", "say what a check means and why it matters", set_explain},
	{"reproducer", 0, "PHASE", "print the phase's pattern as a C program", set_reproducer},
	{"bisect", 0, NULL, "exit status for git bisect run: 0, 1 or 125", set_bisect},
	{"brief", 'b', NULL, "of the text report only the verdicts", set_brief},
	{"partial", 0, NULL, "read what stands before a file's damage", set_partial},
	{"output", 'o', "FILE", "write the report to FILE, whole or not at all", set_output},
	{"help", 'h', NULL, "show this help", set_help},
	{"version", 'V', NULL, "show the version", set_version},
};
const unsigned int n_option_table = ARRAY_SIZE(option_table);

static const struct option_desc *find_long(const char *name, size_t len)
{
	for (unsigned int i = 0; i < n_option_table; i++)
		if (strlen(option_table[i].name) == len &&
		    !strncmp(option_table[i].name, name, len))
			return &option_table[i];
	return NULL;
}

static const struct option_desc *find_letter(char letter)
{
	for (unsigned int i = 0; i < n_option_table; i++)
		if (option_table[i].letter && option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

static int unknown_option(const char *arg, struct err *e)
{
	const char *names[ARRAY_SIZE(option_table)];
	char *word __cleanup_free = xstrndup(arg + 2, strcspn(arg + 2, "="));
	const char *near;

	for (unsigned int i = 0; i < n_option_table; i++)
		names[i] = option_table[i].name;
	near = nearest_word(word, names, n_option_table);
	if (near)
		return err_set(e, -EINVAL, "unknown option '--%s'; did you mean '--%s'?", word,
			       near);
	return err_set(e, -EINVAL, "unknown option '--%s'; --help lists them", word);
}

/* "--name", "--name=arg", "--name arg"; returns how many words it took, or -errno. */
static int parse_long(struct options *o, char **argv, struct err *e)
{
	const char *name = argv[0] + 2;
	size_t len = strcspn(name, "=");
	const struct option_desc *d = find_long(name, len);
	const char *arg = name[len] ? name + len + 1 : NULL;
	int words = 1;

	if (!d)
		return unknown_option(argv[0], e);
	if (!d->arg && arg)
		return err_set(e, -EINVAL, "--%s takes no argument", d->name);
	if (d->arg && !arg) {
		arg = argv[1];
		words = 2;
		if (!arg)
			return err_set(e, -EINVAL, "--%s needs an argument: %s", d->name, d->arg);
	}
	return d->set(o, arg, e) ? -EINVAL : words;
}

/* "-hV", "-oFILE", "-o FILE" */
static int parse_letters(struct options *o, char **argv, struct err *e)
{
	for (const char *p = argv[0] + 1; *p; p++) {
		const struct option_desc *d = find_letter(*p);

		if (!d)
			return err_set(e, -EINVAL, "unknown option '-%c'; --help lists them", *p);
		if (d->arg && p[1])
			return d->set(o, p + 1, e) ? -EINVAL : 1;
		if (d->arg && !argv[1])
			return err_set(e, -EINVAL, "-%c needs an argument: %s", *p, d->arg);
		if (d->arg)
			return d->set(o, argv[1], e) ? -EINVAL : 2;
		if (d->set(o, NULL, e))
			return -EINVAL;
	}
	return 1;
}

static int check_paths(const struct options *o, struct err *e)
{
	if (o->action == ACTION_EVENTS && (!o->n_paths || o->output))
		return err_set(e, -EINVAL,
			       o->n_paths ? "--events writes to standard output, not to a file"
					  : "--events: name a run, a capture or a trace file");
	if (o->stats && o->format == FORMAT_KTAP)
		return err_set(e, -EINVAL, "--stats has no ktap format: text or json");
	if (o->chain.what != CHAIN_NONE && (o->format != FORMAT_TEXT || o->stats))
		return err_set(e, -EINVAL, "--chain prints text alone, and no statistics");
	if (o->compare && o->n_paths != 2)
		return err_set(e, -EINVAL, "--compare: name two paths, found %u", o->n_paths);
	if (o->compare && (o->stats || o->brief || o->chain.what != CHAIN_NONE))
		return err_set(e, -EINVAL, "--compare goes with no --stats, --brief or --chain");
	if (o->mail && o->format != FORMAT_TEXT)
		return err_set(e, -EINVAL, "--mail is for the text format");
	if (o->action == ACTION_VERIFY && !o->n_paths)
		return err_set(
			e, -EINVAL,
			"nothing to verify: name a run, a capture or a trace file (see --help)");
	if (o->action == ACTION_REPRODUCER && o->n_paths != 1)
		return err_set(e, -EINVAL,
			       "--reproducer: name one run, or an experiment's .ini file");
	if ((o->action == ACTION_LIST_CHECKS || o->action == ACTION_EXPLAIN) && o->n_paths)
		return err_set(e, -EINVAL, "--%s takes no path, found '%s'",
			       o->action == ACTION_EXPLAIN ? "explain" : "list-checks",
			       o->paths[0]);
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct err *e)
{
	int i = 1, n;

	*o = (struct options){0};
	o->paths = xcalloc((size_t)argc + 1, sizeof(*o->paths));
	/* before all else, since an error in what stands before it depends on it */
	for (int j = 1; j < argc && strcmp(argv[j], "--"); j++)
		if (!strcmp(argv[j], "--bisect"))
			o->bisect = true;
	while (i < argc) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1]) {
			o->paths[o->n_paths++] = argv[i++];
			continue;
		}
		n = argv[i][1] == '-' ? parse_long(o, argv + i, e) : parse_letters(o, argv + i, e);
		if (n < 0)
			return n;
		i += n;
	}
	while (i < argc)
		o->paths[o->n_paths++] = argv[i++];
	return check_paths(o, e);
}

void options_free(struct options *o)
{
	free(o->checks);
	free(o->limits);
	free(o->paths);
	*o = (struct options){0};
}

void options_help(struct out *out)
{
	out_raw(out, "usage: verify [OPTION]... PATH...\n"
		     "\n"
		     "Judges a run directory, a capture directory or a trace file (trace.dat,\n"
		     "blktrace, blkparse text) by invariants of readahead and block I/O.\n"
		     "\n");
	for (unsigned int i = 0; i < n_option_table; i++) {
		const struct option_desc *d = &option_table[i];
		char *name __cleanup_free =
			xasprintf("--%s%s%s", d->name, d->arg ? " " : "", d->arg ? d->arg : "");
		char letter[5] = "    ";

		if (d->letter)
			snprintf(letter, sizeof(letter), "-%c, ", d->letter);
		out_line(out, 26, "  %s%-19s %s", letter, name, d->help);
	}
	out_raw(out, "\n"
		     "Exit status, the worst of several paths' (2, 1, 3, 0):\n"
		     "  0  every expectation is met\n"
		     "  1  a check that should hold is violated\n"
		     "  2  usage error, or an input that can't be read (--bisect: 125)\n"
		     "  3  no violation, but a verdict is inconclusive, or base does not show\n"
		     "     the problem that the patch claims to fix (--bisect: 125)\n");
}
