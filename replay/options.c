// SPDX-License-Identifier: GPL-2.0-only
#include "replay/options.h"

#include <errno.h>
#include <string.h>

#include "lib/experiment.h"
#include "lib/size.h"
#include "replay/level.h"
#include "replay/status.h"

#define DEVICE_SIZE_MIN (1ull << 20)
#define DEVICE_SIZE_MAX (8ull << 50)

struct option {
	const char *name; /* without its dashes */
	char letter;	  /* 0: it has none */
	const char *value;
	const char *help;
	int (*set)(struct replay_options *o, const struct option *opt, const char *value,
		   struct err *e);
};

static int set_output(struct replay_options *o, const struct option *opt __unused_arg,
		      const char *value, struct err *e)
{
	if (!*value)
		return err_set(e, -EINVAL, "--output: the name of the file is empty");
	o->output = value;
	return 0;
}

/* --access, --block: a level is chosen by its name */
static int set_level(struct replay_options *o, const struct option *opt,
		     const char *value __unused_arg, struct err *e)
{
	const struct level *l = level_named(opt->name);

	if (o->level && o->level != l)
		return err_set(e, -EINVAL, "--%s and --%s: a plan has one level", o->level->name,
			       l->name);
	o->level = l;
	return 0;
}

static int set_partial(struct replay_options *o, const struct option *opt __unused_arg,
		       const char *value __unused_arg, struct err *e __unused_arg)
{
	o->partial = true;
	return 0;
}

static int set_action(struct replay_options *o, const struct option *opt, const char *value,
		      struct err *e)
{
	o->block_option = opt->name;
	if (!strcmp(value, "Q"))
		o->block.action = ACTION_Q;
	else if (!strcmp(value, "D"))
		o->block.action = ACTION_D;
	else
		return err_set(e, -EINVAL,
			       "--action '%s': expected Q, as submitted, or D, as issued", value);
	return 0;
}

static int set_device(struct replay_options *o, const struct option *opt, const char *value,
		      struct err *e)
{
	o->block_option = opt->name;
	if (!*value)
		return err_set(e, -EINVAL, "--device: the name is empty");
	o->block.device = value;
	return 0;
}

static int set_device_size(struct replay_options *o, const struct option *opt, const char *value,
			   struct err *e)
{
	o->block_option = opt->name;
	if (size_parse(value, "--device-size", &o->block.device_size, e))
		return -EINVAL;
	if (o->block.device_size < DEVICE_SIZE_MIN || o->block.device_size > DEVICE_SIZE_MAX)
		return err_set(e, -EINVAL, "--device-size '%s': expected 1 MiB to 8 PiB", value);
	return 0;
}

static int set_sector_size(struct replay_options *o, const struct option *opt, const char *value,
			   struct err *e)
{
	o->block_option = opt->name;
	if (number_parse(value, "--sector-size", 512, 4096, &o->block.sector_size, e))
		return -EINVAL;
	if (o->block.sector_size & (o->block.sector_size - 1))
		return err_set(e, -EINVAL, "--sector-size '%s': expected 512, 1024, 2048 or 4096",
			       value);
	return 0;
}

/* Options of the block level without a value */
static int set_block_flag(struct replay_options *o, const struct option *opt,
			  const char *value __unused_arg, struct err *e __unused_arg)
{
	o->block_option = opt->name;
	o->block.end_to_end |= !strcmp(opt->name, "end-to-end");
	o->block.fold |= !strcmp(opt->name, "fold");
	o->block.dependencies |= !strcmp(opt->name, "dependencies");
	return 0;
}

/* What goes together; an option of one level chooses it. */
static int check_block(struct replay_options *o, struct err *e)
{
	if (o->block_option && !o->level)
		o->level = level_named("block");
	if (o->block_option && strcmp(o->level->name, "block"))
		return err_set(e, -EINVAL, "--%s is about plans of block requests: not with --%s",
			       o->block_option, o->level->name);
	if (o->block.fold && !o->block.device_size)
		return err_set(e, -EINVAL, "--fold needs a --device-size to fold into");
	if (o->block.end_to_end && o->block.device)
		return err_set(e, -EINVAL, "--end-to-end and --device: one device has no order");
	return 0;
}

static int set_help(struct replay_options *o, const struct option *opt __unused_arg,
		    const char *value __unused_arg, struct err *e __unused_arg)
{
	o->command = REPLAY_HELP;
	return 0;
}

static int set_version(struct replay_options *o, const struct option *opt __unused_arg,
		       const char *value __unused_arg, struct err *e __unused_arg)
{
	if (o->command != REPLAY_HELP)
		o->command = REPLAY_VERSION;
	return 0;
}

static const struct option options[] = {
	{"output", 'o', "PLAN", "write the plan to this file (default: standard output)",
	 set_output},
	{"access", 0, NULL, "what tasks read and touched of files, above the page cache",
	 set_level},
	{"block", 0, NULL, "requests of block devices", set_level},
	{"action", 0, "Q|D", "requests as submitted, or as issued (default: D if traced)",
	 set_action},
	{"device", 0, "NAME", "of several devices only this one, e.g. 8,16", set_device},
	{"end-to-end", 0, NULL, "lay several devices one behind the other", set_block_flag},
	{"device-size", 0, "SIZE", "of the device to replay to (default: as needed)",
	 set_device_size},
	{"fold", 0, NULL, "move what lies beyond that size into the device", set_block_flag},
	{"sector-size", 0, "BYTES", "of the device to replay to (default 512)", set_sector_size},
	{"dependencies", 0, NULL, "keep what had completed before each request", set_block_flag},
	{"partial", 0, NULL, "of a damaged trace, take what stands before the damage", set_partial},
	{"help", 'h', NULL, "this text", set_help},
	{"version", 'V', NULL, "the version", set_version},
};

static int unknown(const char *arg, struct err *e)
{
	const char *names[ARRAY_SIZE(options)], *near = NULL;
	char *word __cleanup_free = xstrndup(arg, strcspn(arg, "="));

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		names[i] = options[i].name;
	if (arg[1] == '-')
		near = nearest_word(word + 2, names, ARRAY_SIZE(options));
	if (near)
		return err_set(e, -EINVAL, "unknown option '%s': did you mean --%s?", word, near);
	return err_set(e, -EINVAL, "unknown option '%s'", word);
}

/* "--name", "--name=value", "-o"; *@value is what is joined to it, or NULL. */
static const struct option *find(const char *arg, const char **value)
{
	*value = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const struct option *opt = &options[i];
		const char *rest = arg[1] == '-' ? str_after(arg + 2, opt->name) : NULL;

		if (arg[1] != '-' && opt->letter == arg[1]) {
			*value = arg[2] ? arg + 2 : NULL;
			return opt;
		}
		if (rest && (!*rest || *rest == '=')) {
			*value = *rest ? rest + 1 : NULL;
			return opt;
		}
	}
	return NULL;
}

int replay_options_parse(struct replay_options *o, int argc, char *argv[], struct err *e)
{
	bool only_paths = false;
	const struct option *opt;
	const char *value;
	int i, ret;

	*o = (struct replay_options){.command = REPLAY_MAKE};
	for (i = 1; i < argc; i++) {
		if (!only_paths && !strcmp(argv[i], "--")) {
			only_paths = true;
			continue;
		}
		if (only_paths || argv[i][0] != '-' || !argv[i][1]) {
			if (o->trace)
				return err_set(e, -EINVAL,
					       "a second trace '%s': a plan is made "
					       "of one",
					       argv[i]);
			o->trace = argv[i];
			continue;
		}
		opt = find(argv[i], &value);
		if (!opt)
			return unknown(argv[i], e);
		if (!opt->value && value)
			return err_set(e, -EINVAL, "--%s takes no value", opt->name);
		if (opt->value && !value) {
			if (++i == argc)
				return err_set(e, -EINVAL, "--%s needs a value: %s", opt->name,
					       opt->value);
			value = argv[i];
		}
		ret = opt->set(o, opt, value, e);
		if (ret)
			return ret;
	}
	if (o->command == REPLAY_MAKE && !o->trace)
		return err_set(e, -EINVAL, "no trace is named");
	return check_block(o, e);
}

void replay_options_help(FILE *out)
{
	char left[40];

	fputs("usage: replay-plan [option...] TRACE\n\n"
	      "Makes a plan of a recorded workload, to be replayed on other kernels with\n"
	      "make boot-and-trace REPLAY=PLAN.  TRACE is a capture of a run, a trace file\n"
	      "that verify reads, fio's iolog, or what strace -ttt -f has printed.\n\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const struct option *opt = &options[i];

		char letter[5] = "    ";

		if (opt->letter)
			snprintf(letter, sizeof(letter), "-%c, ", opt->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, opt->name, opt->value ? " " : "",
			 opt->value ? opt->value : "");
		fprintf(out, "  %-23s %s\n", left, opt->help);
	}
	fputs("\nexit status:\n", out);
	for (size_t i = 0; replay_status_texts[i].text; i++)
		fprintf(out, "  %3d  %s\n", (int)replay_status_texts[i].status,
			replay_status_texts[i].text);
}
