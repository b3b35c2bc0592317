// SPDX-License-Identifier: GPL-2.0-only
#include "host/options.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host/status.h"
#include "lib/experiment.h"
#include "lib/plan.h"
#include "lib/size.h"

#define DEFAULT_EXPERIMENT "piece-copy"
#define REPLAY_EXPERIMENT "replay"
#define REPLAY_BLOCK_EXPERIMENT "replay-block"
#define DEFAULT_TRACES "traces"

struct option {
	const char *name;  /* with its dashes */
	const char *value; /* what --help calls its value; NULL: it takes none */
	const char *help;
	int (*set)(struct options *o, const char *value, struct err *e);
};

static int set_experiment(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->experiment = value;
	return 0;
}

static int set_patch(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->patch = value;
	return 0;
}

static int set_kdir(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->kdir = value;
	return 0;
}

static int set_commits(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->commits = value;
	return 0;
}

static int set_bisect(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->bisect = value;
	return 0;
}

static int set_run(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->run = value;
	return 0;
}

static int set_traces(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->traces = value;
	o->traces_given = true;
	return 0;
}

static int set_repeat(struct options *o, const char *value, struct err *e)
{
	u64 n = 0;
	int ret = number_parse(value, "--repeat", 1, REPEAT_MAX, &n, e);

	o->repeat = (unsigned int)n;
	return ret;
}

static int set_replay(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->replay = value;
	return 0;
}

static int set_accel(struct options *o, const char *value, struct err *e)
{
	int i;

	for (i = 0; accel_names[i]; i++)
		if (!strcmp(value, accel_names[i])) {
			o->accel = (enum accel_asked)i;
			return 0;
		}
	return err_set(e, -EINVAL, "--accel '%s': expected auto, kvm or tcg", value);
}

static int set_arch(struct options *o, const char *value, struct err *e)
{
	o->arch = arch_find(value, e);
	return o->arch ? 0 : -EINVAL;
}

static int set_file_size(struct options *o, const char *value, struct err *e)
{
	int ret = size_parse(value, "--file-size", &o->file_size, e);

	if (!ret && !o->file_size)
		return err_set(e, -EINVAL, "--file-size '%s': a file needs a size", value);
	return ret;
}

static int set_setting(struct options *o, const char *value, struct err *e)
{
	const char *equals = strchr(value, '=');

	if (!equals || equals == value || !equals[1])
		return err_set(e, -EINVAL, "--set '%s': expected KEY=VALUE", value);
	/* SET= of the Makefile is a list of words */
	for (const char *c = equals; *c; c++)
		if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
			return err_set(e, -EINVAL, "--set '%s': a blank in the value", value);
	if (o->n_settings == SETTINGS_MAX)
		return err_set(e, -EINVAL, "--set: more than %d", SETTINGS_MAX);
	o->settings[o->n_settings++] = (struct setting){
		.key = xstrndup(value, (size_t)(equals - value)),
		.value = equals + 1,
	};
	return 0;
}

static int set_program(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->program = value;
	return 0;
}

static int set_args(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->args = value;
	return 0;
}

static int set_sweep(struct options *o, const char *value, struct err *e __unused_arg)
{
	o->sweep = value;
	return 0;
}

static int set_image(struct options *o, const char *value, struct err *e)
{
	const char *equals = strchr(value, '=');

	if (!equals || equals == value || !equals[1])
		return err_set(e, -EINVAL, "--image '%s': expected KERNEL=FILE", value);
	if (o->n_images == OVERRIDES_MAX)
		return err_set(e, -EINVAL, "--image: more than %d", OVERRIDES_MAX);
	o->images[o->n_images++] = (struct image_override){
		.kernel = xstrndup(value, (size_t)(equals - value)),
		.path = equals + 1,
	};
	return 0;
}

static int set_verbose(struct options *o, const char *value __unused_arg,
		       struct err *e __unused_arg)
{
	o->verbose = true;
	return 0;
}

static int set_cache(struct options *o, const char *value __unused_arg, struct err *e __unused_arg)
{
	o->command = COMMAND_CACHE;
	return 0;
}

static int set_clean_cache(struct options *o, const char *value __unused_arg,
			   struct err *e __unused_arg)
{
	o->command = COMMAND_CLEAN_CACHE;
	return 0;
}

static int set_refresh_source(struct options *o, const char *value __unused_arg,
			      struct err *e __unused_arg)
{
	o->command = COMMAND_REFRESH_SOURCE;
	return 0;
}

static int set_needs(struct options *o, const char *value __unused_arg, struct err *e __unused_arg)
{
	o->command = COMMAND_NEEDS;
	return 0;
}

static int set_help(struct options *o, const char *value __unused_arg, struct err *e __unused_arg)
{
	o->command = COMMAND_HELP;
	return 0;
}

static int set_version(struct options *o, const char *value __unused_arg,
		       struct err *e __unused_arg)
{
	o->command = COMMAND_VERSION;
	return 0;
}

static const struct option options[] = {
	{"--experiment", "NAME", "experiments/NAME.ini, or a file (default " DEFAULT_EXPERIMENT ")",
	 set_experiment},
	{"--patch", "PATH", "a patch, mailbox or directory instead of the experiment's patches",
	 set_patch},
	{"--kdir", "DIR", "a kernel tree instead of Debian's newest source; never written to",
	 set_kdir},
	{"--commits", "BASE..TIP",
	 "commits of that tree, or one commit and its parent, as base "
	 "and patched",
	 set_commits},
	{"--file-size", "SIZE", "size of the test file instead of the experiment's, e.g. 16G",
	 set_file_size},
	{"--replay", "PLAN", "replay what replay-plan made of a trace (experiment: replay)",
	 set_replay},
	{"--set", "KEY=VALUE", "a key of the experiment's first section, e.g. filesystem=xfs",
	 set_setting},
	{"--sweep", "KEY:V1,V2...", "one run for each value of such a key, in one directory",
	 set_sweep},
	{"--program", "PATH", "a program to run on the test file instead of the phases",
	 set_program},
	{"--args", "ARGS", "its arguments; FILE stands for the test file's path", set_args},
	{"--repeat", "N", "boot each kernel N times, in turns (default 1)", set_repeat},
	{"--accel", "HOW", "auto, kvm or tcg (default auto: KVM if a guest really boots on it)",
	 set_accel},
	{"--arch", "NAME",
	 "architecture of the guests: x86_64, arm64 or, with pages of 64K, arm64-64k", set_arch},
	{"--run", "NAME", "name of the run (default: the next free runNNN)", set_run},
	{"--traces", "DIR", "where runs go (default " DEFAULT_TRACES ")", set_traces},
	{"--image", "KERNEL=FILE", "boot this kernel image as KERNEL instead of building one",
	 set_image},
	{"--bisect", "CHECK", "boot the kernel tree alone and end as git bisect run wants it",
	 set_bisect},
	{"--verbose", NULL, "show commands and the full output of builds", set_verbose},
	{"--cache", NULL, "list what the cache holds, and do nothing else", set_cache},
	{"--clean-cache", NULL, "empty the cache, and do nothing else", set_clean_cache},
	{"--refresh-source", NULL, "fetch the newest kernel source, and do nothing else",
	 set_refresh_source},
	{"--needs", NULL, "list what host/deps.sh installs for the experiment, and do nothing else",
	 set_needs},
	{"--help", NULL, "this text", set_help},
	{"--version", NULL, "the version", set_version},
};

/* "--name" or "--name=value"; *@value is NULL for the first. */
static const struct option *find(const char *arg, const char **value)
{
	const char *rest;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		rest = str_after(arg, options[i].name);
		if (!rest || (*rest && *rest != '='))
			continue;
		*value = *rest ? rest + 1 : NULL;
		return &options[i];
	}
	return NULL;
}

static int unknown(const char *arg, struct err *e)
{
	const char *names[ARRAY_SIZE(options)], *near;
	size_t i;

	if (*arg != '-')
		return err_set(e, -EINVAL, "unexpected argument '%s'", arg);
	for (i = 0; i < ARRAY_SIZE(options); i++)
		names[i] = options[i].name;
	near = nearest_word(arg, names, ARRAY_SIZE(options));
	return err_set(e, -EINVAL, "unknown option '%s'%s%s%s", arg, near ? ": did you mean " : "",
		       near ? near : "", near ? "?" : "");
}

/* By what the plan is of; a plan that can't be read is an error later. */
static const char *default_experiment(const struct options *o)
{
	struct plan_reader r;
	struct err ignored;
	struct stat st;
	bool block;

	if (!o->replay)
		return DEFAULT_EXPERIMENT;
	/* a pipe can be read once only */
	if (stat(o->replay, &st) || !S_ISREG(st.st_mode))
		return REPLAY_EXPERIMENT;
	block = !plan_open(&r, o->replay, false, &ignored) && r.kind == PLAN_BLOCK;
	plan_close(&r);
	return block ? REPLAY_BLOCK_EXPERIMENT : REPLAY_EXPERIMENT;
}

int host_options_parse(struct options *o, int argc, char *argv[], struct err *e)
{
	const struct option *opt;
	const char *value;
	int i, ret;

	*o = (struct options){
		.traces = DEFAULT_TRACES,
		.repeat = 1,
		.arch = ARCH_DEFAULT,
	};
	for (i = 1; i < argc; i++) {
		opt = find(argv[i], &value);
		if (!opt)
			return unknown(argv[i], e);
		if (!opt->value && value)
			return err_set(e, -EINVAL, "%s takes no value", opt->name);
		if (opt->value && !value) {
			if (++i == argc)
				return err_set(e, -EINVAL, "%s needs a value: %s", opt->name,
					       opt->value);
			value = argv[i];
		}
		if (opt->value && !*value)
			return err_set(e, -EINVAL, "%s: the value is empty", opt->name);
		ret = opt->set(o, value, e);
		if (ret)
			return ret;
	}
	if (o->replay && o->file_size)
		return err_set(e, -EINVAL, "--file-size: a replay's files have the plan's sizes");
	if (o->replay && o->program)
		return err_set(e, -EINVAL, "--replay and --program: one of them is what runs");
	o->experiment_default = default_experiment(o);
	if (!o->experiment)
		o->experiment = o->experiment_default;
	if (o->commits && !o->kdir)
		return err_set(e, -EINVAL, "--commits: of which tree? --kdir says it");
	if (o->commits && o->patch)
		return err_set(e, -EINVAL, "--commits and --patch: the commits are the patch");
	if (o->bisect && (o->patch || o->commits || o->sweep || o->n_images))
		return err_set(e, -EINVAL,
			       "--bisect: one kernel, as it is checked out: no --patch, --commits, "
			       "--sweep or --image");
	if (o->args && !o->program)
		return err_set(e, -EINVAL, "--args without --program");
	return 0;
}

void host_options_free(struct options *o)
{
	unsigned int i;

	for (i = 0; i < o->n_images; i++)
		free(o->images[i].kernel);
	o->n_images = 0;
	for (i = 0; i < o->n_settings; i++)
		free(o->settings[i].key);
	o->n_settings = 0;
}

void host_options_help(FILE *out)
{
	char left[48];
	size_t i;

	fputs("usage: boot-and-trace [option...]\n\n"
	      "Builds the kernels of an experiment, boots each under QEMU, runs access patterns\n"
	      "in the guest, and leaves traces of both sides in a directory for verify.\n\n",
	      out);
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		snprintf(left, sizeof(left), "%s%s%s", options[i].name, options[i].value ? " " : "",
			 options[i].value ? options[i].value : "");
		fprintf(out, "  %-20s %s\n", left, options[i].help);
	}
	fputs("\nexit status:\n", out);
	for (i = 0; status_texts[i].text; i++)
		fprintf(out, "  %3d  %s\n", (int)status_texts[i].status, status_texts[i].text);
}

static void variable(FILE *f, const char *name, const char *value)
{
	const char *s;

	if (!value)
		return;
	fprintf(f, " %s=", name);
	for (s = value; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("-_./,:+@%", *s))
			break;
	if (!*s) {
		fputs(value, f);
		return;
	}
	putc('\'', f);
	for (s = value; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", f);
		else
			putc(*s, f);
	}
	putc('\'', f);
}

/* "KEY=VALUE KEY=VALUE" */
static char *settings_text(const struct options *o)
{
	char *text = xstrdup("");

	for (unsigned int i = 0; i < o->n_settings; i++) {
		char *old __cleanup_free = text;

		text = xasprintf("%s%s%s=%s", old, *old ? " " : "", o->settings[i].key,
				 o->settings[i].value);
	}
	return text;
}

char *host_options_command(const struct options *o)
{
	char size[SIZE_TEXT_MAX], repeat[16];
	char *settings __cleanup_free = NULL;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return xstrdup("");
	fputs("make boot-and-trace", f);
	variable(f, "EXPERIMENT",
		 strcmp(o->experiment, o->experiment_default) ? o->experiment : NULL);
	variable(f, "REPLAY", o->replay);
	variable(f, "PATCH", o->patch);
	variable(f, "KDIR", o->kdir);
	variable(f, "COMMITS", o->commits);
	if (o->file_size) {
		size_text(o->file_size, size);
		/* "16 GiB" as it is typed: 16G */
		if (strchr(size, ' ')[1] == 'B')
			*strchr(size, ' ') = '\0';
		else
			memmove(strchr(size, ' '), (char[]){strchr(size, ' ')[1], '\0'}, 2);
		variable(f, "FILE_SIZE", size);
	}
	settings = settings_text(o);
	variable(f, "SET", *settings ? settings : NULL);
	variable(f, "SWEEP", o->sweep);
	variable(f, "PROGRAM", o->program);
	variable(f, "ARGS", o->args);
	if (o->repeat > 1) {
		snprintf(repeat, sizeof(repeat), "%u", o->repeat);
		variable(f, "REPEAT", repeat);
	}
	if (o->arch != ARCH_DEFAULT)
		variable(f, "ARCH", o->arch->name);
	if (o->accel != ACCEL_AUTO)
		variable(f, "ACCEL", accel_names[o->accel]);
	fclose(f);
	return text;
}
