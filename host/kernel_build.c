// SPDX-License-Identifier: GPL-2.0-only
#include "host/kernel_build.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

#include "host/progress.h"
#include "lib/fileio.h"

/* steps of a first build of base.config; later ones know better */
#define STEPS_DEFAULT 1650

/* ---- make's output ---- */

bool build_is_step(const char *line)
{
	const char *p = str_after(line, "  ");

	if (!p || !isupper((unsigned char)*p))
		return false;
	while (isupper((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_' || *p == '+')
		p++;
	/* "  HOSTCC  x", but also "  CC [M]  x" */
	return *p == ' ' && p[1] && (p[1] == ' ' || p[1] == '[');
}

int build_error_rank(const char *line)
{
	if (strstr(line, ": error: ") || strstr(line, ": fatal error: ") ||
	    strstr(line, ": Error: "))
		return 3;
	if (strstr(line, "undefined reference to") || strstr(line, "multiple definition of") ||
	    str_after(line, "ld: ") || str_after(line, "ERROR: modpost:"))
		return 2;
	if (strstr(line, "***"))
		return 1;
	return 0;
}

struct watch {
	struct build *b;
	struct meter m;
	unsigned int steps;
	unsigned int expected; /* 0: not known */
	int rank;
	char error[512];
	char last[512];
};

static void show(struct watch *w)
{
	if (w->expected && w->steps <= w->expected)
		meter_update(&w->m, "%u of about %u objects", w->steps, w->expected);
	else
		meter_update(&w->m, "%u objects", w->steps);
}

static void watch_line(void *ctx, char *line)
{
	struct watch *w = ctx;
	char *tree __cleanup_free = xasprintf("%s/", w->b->tree);
	const char *text = str_after(line, tree);
	int rank = build_error_rank(line);

	text = text ? text : line;
	if (build_is_step(line)) {
		w->steps++;
		show(w);
	}
	if (*line)
		snprintf(w->last, sizeof(w->last), "%s", text);
	if (strstr(line, "No space left on device"))
		w->b->no_space = true;
	if (rank > w->rank) {
		w->rank = rank;
		snprintf(w->error, sizeof(w->error), "%s", text);
	}
}

static void watch_tick(void *ctx)
{
	show(ctx);
}

/* ---- make ---- */

static unsigned int cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1u : (unsigned int)CPU_COUNT(&set);
}

static bool have_program(const char *name)
{
	const char *argv[] = {name, "--version", NULL};
	char *out __cleanup_free = NULL;
	struct err ignored;

	return !run_output(argv, NULL, &out, &ignored);
}

/*
 * Runs make @target.  Its environment is ours alone: MAKEFLAGS, ARCH or
 * CROSS_COMPILE of the caller would change the image and not its key.
 * Timestamp, user, host and number are fixed, so that equal input gives an
 * equal image.
 *
 * ccache's depend mode costs a first build 3 %, its usual one 20 %, as that
 * preprocesses each file by itself.  The price: objects of another config are
 * never found, since autoconf.h is part of all.
 */
static int run_make(struct watch *w, const char *target, const char *allconfig, const char *log,
		    struct err *e)
{
	struct build *b = w->b;
	char *output __cleanup_free = xasprintf("O=%s", b->objects);
	char *jobs __cleanup_free = xasprintf("-j%u", cpus());
	char *all __cleanup_free = xasprintf("KCONFIG_ALLCONFIG=%s", allconfig ? allconfig : "");
	char *cc_dir __cleanup_free = xasprintf("CCACHE_DIR=%s/ccache", b->root);
	char *cc __cleanup_free =
		xasprintf("CC=%s%sgcc", have_program("ccache") ? "ccache " : "", b->arch->cross);
	char *arch __cleanup_free = xasprintf("ARCH=%s", b->arch->karch ? b->arch->karch : "");
	char *cross __cleanup_free = xasprintf("CROSS_COMPILE=%s", b->arch->cross);
	bool foreign = b->arch->karch;
	const char *argv[] = {"make",
			      "--no-print-directory",
			      "-C",
			      b->tree,
			      output,
			      jobs,
			      cc,
			      target,
			      foreign ? arch : NULL,
			      foreign ? cross : NULL,
			      NULL};
	const char *env[] = {"KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970",
			     "KBUILD_BUILD_USER=blkproof",
			     "KBUILD_BUILD_HOST=blkproof",
			     "KBUILD_BUILD_VERSION=1",
			     cc_dir,
			     "CCACHE_MAXSIZE=2G",
			     "CCACHE_NOHASHDIR=1",
			     "CCACHE_DEPEND=1",
			     allconfig ? all : NULL,
			     NULL};
	struct run r = {
		.argv = argv,
		.log_path = log,
		.echo = b->verbose,
		.line = watch_line,
		.tick = watch_tick,
		.ctx = w,
		.opt = {.clean_env = true, .env = env, .keep_fds = &b->lock, .n_keep_fds = 1}};
	char *marker __cleanup_free = xasprintf("%s/.blkproof-building", b->objects);
	char *ended __cleanup_free = xasprintf("%s/.blkproof-ended", b->objects);
	int ret = run_program(&r, e);

	/* killed, it may have left half an object that looks whole; so may a dead machine,
	 * and so may we if we are killed: then the marker stays */
	if (r.killed)
		return ret;
	if (!file_write_atomic(ended, "", 0, &(struct err){""}))
		unlink(marker);
	return ret;
}

static s64 file_time(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	return (s64)st.st_mtim.tv_sec * (s64)NSEC_PER_SEC + st.st_mtim.tv_nsec;
}

static int mark_building(struct build *b, struct err *e)
{
	char *marker __cleanup_free = xasprintf("%s/.blkproof-building", b->objects);

	return file_write_atomic(marker, "", 0, e);
}

int build_begin(struct build *b, struct err *e)
{
	char *marker __cleanup_free = xasprintf("%s/.blkproof-building", b->objects);
	char *ended __cleanup_free = xasprintf("%s/.blkproof-ended", b->objects);
	bool doubt = !access(marker, F_OK);
	int ret = make_dirs(b->objects, e);

	if (!ret)
		ret = mark_building(b, e);
	if (ret)
		return ret;
	/* make decides by time: a clock that was set back hides that a file changed */
	if (!doubt && file_time(marker) >= file_time(ended)) {
		unlink(marker);
		return 0;
	}
	ret = remove_tree(b->objects);
	if (ret)
		return err_errno(e, ret, "%s: cannot be removed", b->objects);
	return make_dirs(b->objects, e);
}

static int build_failed(struct watch *w, const char *what, const char *log, int status,
			struct err *e)
{
	char buf[STATUS_TEXT_MAX];

	return err_set(e, -EIO, "%s %s: %s (%s; log: %s)", what, w->b->kernel,
		       w->rank ? w->error : w->last, status_text(status, buf), log);
}

/* ---- .config ---- */

/* tinyconfig is allnoconfig with these; a tree that lacks one has no use for it. */
static char *tiny_text(const char *tree, const struct arch *arch)
{
	const char *const names[] = {"kernel/configs/tiny-base.config",
				     "kernel/configs/tiny.config", arch->tiny};
	char *text = xstrdup("");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names) && names[i]; i++) {
		char *path __cleanup_free = xasprintf("%s/%s", tree, names[i]);
		char *one __cleanup_free = NULL;
		struct err ignored;
		char *more;

		if (file_read(path, 1 << 20, &one, NULL, &ignored))
			continue;
		more = xasprintf("%s%s\n", text, one);
		free(text);
		text = more;
	}
	return text;
}

/*
 * One allnoconfig with all fragments, rather than tinyconfig and then
 * olddefconfig: options that become visible only with ours stay off, which
 * leaves out mice, thermal zones and other things that no guest has: 160 of
 * 1270 objects.
 */
int build_config(struct build *b, const struct config *c, const char *stamp, struct err *e)
{
	char *tiny __cleanup_free = tiny_text(b->tree, b->arch);
	char *text __cleanup_free = xasprintf("%s%s", tiny, c->text);
	char *all __cleanup_free = xasprintf("%s/.blkproof-allconfig", b->objects);
	char *stamp_path __cleanup_free = xasprintf("%s/.blkproof-config", b->objects);
	char *config __cleanup_free = xasprintf("%s/.config", b->objects);
	char *log __cleanup_free = xasprintf("%s/config.log", b->objects);
	char *old __cleanup_free = NULL;
	char *result __cleanup_free = NULL;
	struct watch w = {.b = b};
	struct err ignored;
	int ret;

	if (!access(config, F_OK) && !file_read(stamp_path, 256, &old, NULL, &ignored) &&
	    !strcmp(old, stamp))
		return 0;
	unlink(stamp_path);
	unlink(log);
	ret = file_write_atomic(all, text, strlen(text), e);
	if (!ret)
		ret = mark_building(b, e);
	if (ret)
		return ret;
	w.m.silent = true;
	ret = run_make(&w, "allnoconfig", all, log, e);
	if (ret)
		return ret < 0 ? ret : build_failed(&w, "cannot configure", log, ret, e);
	ret = file_read(config, 1 << 22, &result, NULL, e);
	if (!ret)
		ret = config_check(c, result, b->kernel, e);
	return ret ? ret : file_write_atomic(stamp_path, stamp, strlen(stamp), e);
}

/* ---- the image ---- */

static unsigned int load_steps(const char *path)
{
	char *text __cleanup_free = NULL;
	struct err ignored;
	unsigned int n;

	if (file_read(path, 64, &text, NULL, &ignored) || sscanf(text, "%9u", &n) != 1)
		return STEPS_DEFAULT;
	return n;
}

static void save_steps(const char *path, unsigned int steps)
{
	char text[16];
	struct err ignored;

	snprintf(text, sizeof(text), "%u\n", steps);
	if (file_write_atomic(path, text, strlen(text), &ignored)) {
		/* an estimate less */
	}
}

int build_image(struct build *b, struct err *e)
{
	char *log __cleanup_free = xasprintf("%s/build.log", b->objects);
	char *first __cleanup_free = xasprintf("%s/vmlinux", b->objects);
	char *estimates __cleanup_free = xasprintf("%s/estimates", b->root);
	char *steps_path __cleanup_free =
		xasprintf("%s/%s", estimates, strrchr(b->objects, '/') + 1);
	char *label __cleanup_free = xasprintf("building kernel %s", b->name);
	bool whole = access(first, F_OK);
	struct watch w = {.b = b};
	int ret;

	ret = make_dirs(estimates, e);
	if (!ret)
		ret = mark_building(b, e);
	if (ret)
		return ret;
	unlink(log);
	meter_start(&w.m, label);
	w.m.silent = b->verbose;
	w.expected = whole ? load_steps(steps_path) : 0;
	ret = run_make(&w, b->arch->image, NULL, log, e);
	b->seconds = (double)meter_elapsed(&w.m) / (double)NSEC_PER_SEC;
	meter_clear(&w.m);
	if (ret)
		return ret < 0 ? ret : build_failed(&w, "cannot build", log, ret, e);
	if (whole)
		save_steps(steps_path, w.steps);
	meter_end(&w.m, "%u objects", w.steps);
	return 0;
}
