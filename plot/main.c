// SPDX-License-Identifier: GPL-2.0-only
/* bin/plot: a run, a capture or a trace as a picture or a page. */
#include <errno.h>
#include <string.h>

#include "lib/size.h"
#include "lib/version.h"
#include "plot/output.h"
#include "verify/report/out.h"

enum plot_status { PLOT_OK = 0, PLOT_FAILED = 2 };

struct plot_args {
	struct plot_options opt;
	const char *path, *output;
	bool help, version;
};

static int set_phase(struct plot_args *a, const char *arg, struct err *e __unused_arg)
{
	a->opt.phase = arg;
	return 0;
}

static int set_repeat(struct plot_args *a, const char *arg, struct err *e)
{
	u64 n;
	int ret = number_parse(arg, "--repeat", 1, 4096, &n, e);

	a->opt.repeat = ret ? 1 : (unsigned int)n;
	return ret;
}

static int set_output(struct plot_args *a, const char *arg, struct err *e __unused_arg)
{
	a->output = arg;
	return 0;
}

static int set_partial(struct plot_args *a, const char *arg __unused_arg,
		       struct err *e __unused_arg)
{
	a->opt.partial = true;
	return 0;
}

static int set_help(struct plot_args *a, const char *arg __unused_arg, struct err *e __unused_arg)
{
	a->help = true;
	return 0;
}

static int set_version(struct plot_args *a, const char *arg __unused_arg,
		       struct err *e __unused_arg)
{
	a->version = true;
	return 0;
}

/* Drives parsing and --help; a test holds docs/plot.1 against it. */
static const struct {
	const char *name;
	char letter;
	const char *arg, *help;
	int (*set)(struct plot_args *a, const char *arg, struct err *e);
} options[] = {
	{"output", 'o', "FILE", "where to: FILE.svg, FILE.png or FILE.html", set_output},
	{"phase", 'p', "NAME", "only this phase", set_phase},
	{"repeat", 'r', "N", "of repeated boots, the Nth (default 1)", set_repeat},
	{"partial", 0, NULL, "draw what stands before a file's damage", set_partial},
	{"help", 'h', NULL, "show this help", set_help},
	{"version", 'V', NULL, "show the version", set_version},
};

static void print_help(void)
{
	printf("usage: plot [OPTION]... PATH -o FILE.svg|FILE.png|FILE.html\n"
	       "\n"
	       "Draws a run, a capture or a trace.dat: file offset over time, a panel per\n"
	       "kernel, readahead windows by cause, folio orders, and where checks fail.\n"
	       "\n");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		char *name __cleanup_free =
			xasprintf("--%s%s%s", options[i].name, options[i].arg ? " " : "",
				  options[i].arg ? options[i].arg : "");
		char letter[5] = "    ";

		if (options[i].letter)
			snprintf(letter, sizeof(letter), "-%c, ", options[i].letter);
		printf("  %s%-19s %s\n", letter, name, options[i].help);
	}
	printf("\n"
	       "Exit status: 0, the picture is there; 2, usage error, an input that can't be\n"
	       "read or an output that can't be written.\n");
}

static int find_option(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (word[1] == '-' && strlen(options[i].name) == len - 2 &&
		    !strncmp(word + 2, options[i].name, len - 2))
			return (int)i;
		if (word[1] != '-' && len == 2 && options[i].letter && word[1] == options[i].letter)
			return (int)i;
	}
	return -1;
}

/* One option and perhaps its argument; returns the words that it took, or -EINVAL. */
static int take_option(struct plot_args *a, char **argv, struct err *e)
{
	const char *equals = argv[0][1] == '-' ? strchr(argv[0], '=') : NULL;
	size_t len = equals ? (size_t)(equals - argv[0]) : strlen(argv[0]);
	int i = find_option(argv[0], len);
	const char *arg = equals ? equals + 1 : NULL;

	if (i < 0)
		return err_set(e, -EINVAL, "unknown option '%.*s'; --help lists them", (int)len,
			       argv[0]);
	if (!options[i].arg && arg)
		return err_set(e, -EINVAL, "--%s takes no argument", options[i].name);
	if (options[i].arg && !arg) {
		arg = argv[1];
		if (!arg)
			return err_set(e, -EINVAL, "--%s needs an argument: %s", options[i].name,
				       options[i].arg);
		return options[i].set(a, arg, e) ? -EINVAL : 2;
	}
	return options[i].set(a, arg, e) ? -EINVAL : 1;
}

static int parse(struct plot_args *a, char **argv, struct err *e)
{
	bool words = false;

	*a = (struct plot_args){.opt.repeat = 1};
	for (int i = 1, n; argv[i]; i += n) {
		n = 1;
		if (!words && !strcmp(argv[i], "--")) {
			words = true;
		} else if (!words && argv[i][0] == '-' && argv[i][1]) {
			n = take_option(a, argv + i, e);
			if (n < 0)
				return n;
		} else if (a->path) {
			return err_set(e, -EINVAL, "one path at a time: found '%s' and '%s'",
				       a->path, argv[i]);
		} else {
			a->path = argv[i];
		}
	}
	if (a->help || a->version)
		return 0;
	if (!a->path)
		return err_set(
			e, -EINVAL,
			"nothing to draw: name a run, a capture or a trace.dat (see --help)");
	if (!a->output)
		return err_set(e, -EINVAL, "where to? -o FILE.svg, FILE.png or FILE.html");
	return output_known(a->output, e);
}

static int draw(const struct plot_args *a, struct err *e)
{
	struct plot *p;
	int ret = plot_open(&p, a->path, &a->opt, e);

	if (ret)
		return ret;
	ret = output_write(p, a->output, e);
	plot_close(p);
	return ret;
}

int main(int argc __unused_arg, char **argv)
{
	struct plot_args a;
	struct err e;
	int ret = parse(&a, argv, &e);

	if (!ret && a.help)
		print_help();
	else if (!ret && a.version)
		printf("blkproof plot " BLKPROOF_VERSION "\n");
	else if (!ret)
		ret = draw(&a, &e);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = err_errno(&e, -EIO, "standard output");
	if (ret) {
		/* nothing in a file's name may talk to the terminal */
		char *text __cleanup_free = printable(e.msg);

		fprintf(stderr, "plot: %s\n", text);
	}
	return ret ? PLOT_FAILED : PLOT_OK;
}
