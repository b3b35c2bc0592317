// SPDX-License-Identifier: GPL-2.0-only
/* run_open(): from what the user named to captures with their files. */
#include "verify/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "verify/known.h"

#define TRACE_MAGIC "\x17\x08\x44tracing"

static bool exists(const char *dir, const char *name)
{
	char *path __cleanup_free = xasprintf("%s/%s", dir, name);
	struct stat st;

	return !stat(path, &st);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int expect_file(const char *path, const char *what, struct err *e)
{
	struct stat st;

	if (stat(path, &st))
		return err_errno(e, -errno, "%s: %s", path, what);
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "%s: %s is not a regular file", path, what);
	if (!st.st_size)
		return err_set(e, -EINVAL, "%s: %s is empty", path, what);
	return 0;
}

static struct capture *add_capture(struct run *run, const char *path)
{
	struct capture *c = xcalloc(1, sizeof(*c));

	c->path = xstrdup(path);
	run->captures = xrealloc(run->captures, run->n_captures + 1, sizeof(struct capture *));
	run->captures[run->n_captures++] = c;
	return c;
}

/*
 * A log that was cut between two records looks whole to its reader, so the host
 * writes down how long it was.
 */
static int expect_size(const char *path, u64 size, const char *says, struct err *e)
{
	struct stat st;

	if (!size)
		return 0;
	if (stat(path, &st))
		return err_errno(e, -errno, "%s", path);
	if ((u64)st.st_size == size)
		return 0;
	return err_set(e, -EINVAL,
		       "%s: the file ends at byte %llu: expected %llu bytes, as %s says", path,
		       (unsigned long long)st.st_size, (unsigned long long)size, says);
}

/* The capture in directory @path, which was made by blkproof: it is whole or an error. */
static int open_capture(struct run *run, const char *path, struct err *e)
{
	struct capture *c = add_capture(run, path);
	int ret;

	ret = capture_json_load(c, e);
	if (ret)
		return ret;
	c->trace = xasprintf("%s/" CAPTURE_TRACE, path);
	ret = expect_file(c->trace, "the guest's trace", e);
	if (!ret)
		ret = expect_size(c->trace, c->trace_size, CAPTURE_JSON, e);
	if (ret)
		return ret;
	/* a network file system has servers instead of a disk, hence their counters */
	if (!strcmp(c->filesystem, "ceph")) {
		c->osd = xasprintf("%s/" CAPTURE_OSD, path);
		ret = expect_file(c->osd, "the OSDs' counters", e);
		if (!ret)
			ret = expect_size(c->osd, c->osd_size, CAPTURE_JSON, e);
		return ret ? ret : osd_json_load(c, e);
	}
	c->blktrace = xasprintf("%s/" CAPTURE_BLKTRACE, path);
	ret = expect_file(c->blktrace, "the host's request log", e);
	if (!ret)
		ret = expect_size(c->blktrace, c->blktrace_size, CAPTURE_JSON, e);
	return ret;
}

static int kernel_index(const struct run *run, const char *name)
{
	for (unsigned int i = 0; i < run->n_kernels; i++)
		if (!strcmp(run->kernels[i].name, name))
			return (int)i;
	return -1;
}

static int compare_captures(const void *a, const void *b, void *arg)
{
	const struct capture *ca = *(struct capture *const *)a, *cb = *(struct capture *const *)b;
	int ka = kernel_index(arg, ca->kernel), kb = kernel_index(arg, cb->kernel);

	if (ka != kb)
		return ka < kb ? -1 : 1;
	return ca->repeat < cb->repeat ? -1 : ca->repeat > cb->repeat;
}

/* Every phase of the experiment, and no other, in every capture: nothing may go unjudged. */
static int check_phases(const struct experiment *exp, const struct capture *c, struct err *e)
{
	for (unsigned int i = 0; i < MAX(exp->n_phases, c->n_phases); i++) {
		if (i >= c->n_phases)
			return err_set(e, -EINVAL,
				       "%s/" CAPTURE_JSON ": phases: '%s' of " RUN_EXPERIMENT
				       " is missing",
				       c->path, exp->phases[i].name);
		if (i >= exp->n_phases || strcmp(exp->phases[i].name, c->phases[i].name))
			return err_set(e, -EINVAL,
				       "%s/" CAPTURE_JSON
				       ": phases[%u].name: found '%s', but " RUN_EXPERIMENT
				       " has %s%s",
				       c->path, i, c->phases[i].name,
				       i < exp->n_phases ? "there " : "no more phases",
				       i < exp->n_phases ? exp->phases[i].name : "");
	}
	if (c->osd && c->osds != exp->osds)
		return err_set(e, -EINVAL,
			       "%s: has counters of %u OSD%s, but " RUN_EXPERIMENT " has %u",
			       c->osd, c->osds, c->osds == 1 ? "" : "s", exp->osds);
	return 0;
}

/* Every kernel of the experiment was booted as often as run.json says. */
static int check_complete(const struct run *run, const struct run_json *j, struct err *e)
{
	for (unsigned int i = 0; i < run->exp->n_kernels; i++)
		if (kernel_index(run, run->exp->kernels[i].name) < 0)
			return err_set(e, -EINVAL,
				       "%s/" RUN_JSON ": kernels: '%s' of " RUN_EXPERIMENT
				       " is missing",
				       run->path, run->exp->kernels[i].name);
	for (unsigned int i = 0; i < run->n_kernels; i++) {
		for (u32 r = 1; r <= j->repeat; r++) {
			bool found = false;

			for (unsigned int k = 0; k < run->n_captures && !found; k++)
				found = run->captures[k]->repeat == r &&
					!strcmp(run->captures[k]->kernel, run->kernels[i].name);
			if (!found)
				return err_set(e, -EINVAL,
					       "%s/" RUN_JSON
					       ": captures: '%s-%u' is missing (repeat is %u)",
					       run->path, run->kernels[i].name, r, j->repeat);
		}
	}
	return 0;
}

static int open_captures(struct run *run, const struct run_json *j, struct err *e)
{
	for (size_t i = 0; i < j->n_captures; i++) {
		char *path __cleanup_free = xasprintf("%s/%s", run->path, j->captures[i]);
		char name[2 * NAME_LEN];
		struct capture *c;
		int ret;

		if (!is_directory(path))
			return err_set(e, -ENOENT,
				       "%s: the directory is missing; " RUN_JSON
				       " lists this capture",
				       path);
		ret = open_capture(run, path, e);
		if (ret)
			return ret;
		c = run->captures[i];
		c->run = run;
		snprintf(name, sizeof(name), "%s-%u", c->kernel, c->repeat);
		if (strcmp(name, j->captures[i]) || kernel_index(run, c->kernel) < 0)
			return err_set(
				e, -EINVAL,
				"%s/" CAPTURE_JSON
				": says kernel '%s', repeat %u, which does not go with " RUN_JSON,
				path, c->kernel, c->repeat);
		ret = check_phases(run->exp, c, e);
		if (ret)
			return ret;
	}
	qsort_r(run->captures, run->n_captures, sizeof(struct capture *), compare_captures, run);
	return check_complete(run, j, e);
}

/* A replay has its plan beside run.json; what it lacks is told by whoever needs it. */
static void find_plan(struct run *run, const char *dir)
{
	char *path __cleanup_free = xasprintf("%s/" RUN_PLAN, dir);

	if (!access(path, R_OK))
		run->plan = xstrdup(path);
}

static int open_run(struct run *run, struct err *e)
{
	char *ini __cleanup_free = xasprintf("%s/" RUN_EXPERIMENT, run->path);
	struct run_json j = {0};
	int ret;

	find_plan(run, run->path);
	ret = run_json_load(run, &j, e);
	if (!ret)
		ret = expect_file(ini, "the experiment of the run", e);
	if (!ret)
		ret = expect_size(ini, j.experiment_bytes, RUN_JSON, e);
	if (!ret)
		ret = experiment_load(ini, &run->exp, e);
	if (!ret) {
		/* in the run it is experiment.ini, whatever its name was */
		memcpy(run->exp->name, j.experiment, sizeof(run->exp->name));
		if (experiment_names_known(run->exp, e))
			ret = err_prefix(e, -EINVAL, "%s", ini);
	}
	if (!ret) {
		ret = open_captures(run, &j, e);
	}
	free(j.captures);
	return ret;
}

/*
 * A capture on its own is expected to hold every check that applies.  Which
 * checks apply to which phase, its run's experiment says, if it stands beside.
 */
static int open_lone_capture(struct run *run, const char *path, struct err *e)
{
	char *ini __cleanup_free = xasprintf("%s/../" RUN_EXPERIMENT, path);
	char *up __cleanup_free = xasprintf("%s/..", path);
	int ret;

	find_plan(run, up);
	ret = open_capture(run, path, e);
	if (ret || access(ini, R_OK))
		return ret;
	ret = experiment_load(ini, &run->exp, e);
	if (ret)
		return ret;
	if (experiment_names_known(run->exp, e))
		return err_prefix(e, -EINVAL, "%s", ini);
	run->exp->n_expects = 0;
	run->captures[0]->run = run;
	return check_phases(run->exp, run->captures[0], e);
}

/* Is there a file PREFIX.blktrace.N in @dir (any PREFIX when it is NULL)? */
static bool has_blktrace(const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	bool found = false;

	if (!d)
		return false;
	while (!found && (de = readdir(d))) {
		const char *p =
			prefix ? str_after(de->d_name, prefix) : strstr(de->d_name, ".blktrace.");

		found = p && str_after(p, ".blktrace.");
	}
	closedir(d);
	return found;
}

static bool is_blktrace_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir __cleanup_free =
		slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");

	return has_blktrace(dir, slash ? slash + 1 : path);
}

static bool is_trace_dat(const char *path)
{
	char magic[sizeof(TRACE_MAGIC) - 1];
	FILE *f __cleanup_fclose = fopen(path, "re");

	return f && fread(magic, sizeof(magic), 1, f) == 1 &&
	       !memcmp(magic, TRACE_MAGIC, sizeof(magic));
}

/* What else it is, the reader finds out from the content. */
static void open_trace_file(struct run *run, const char *path)
{
	struct capture *c = add_capture(run, path);

	if (!is_directory(path) && is_trace_dat(path))
		c->trace = xstrdup(path);
	else
		c->blktrace = xstrdup(path);
	c->phases = xcalloc(1, sizeof(*c->phases));
	c->n_phases = 1;
	c->phases[0].end_ns = UINT64_MAX;
}

static int open_any(struct run *run, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st)) {
		int ret = -errno;

		if (!is_blktrace_base(path))
			return err_errno(e, ret, "%s", path);
		open_trace_file(run, path);
		return 0;
	}
	if (!S_ISDIR(st.st_mode)) {
		open_trace_file(run, path);
		return 0;
	}
	if (exists(path, RUN_JSON))
		return open_run(run, e);
	if (exists(path, CAPTURE_JSON))
		return open_lone_capture(run, path, e);
	if (exists(path, CAPTURE_TRACE))
		return err_set(e, -ENOENT,
			       "%s: " CAPTURE_JSON
			       " is missing; to verify the trace alone, name %s/" CAPTURE_TRACE,
			       path, path);
	if (exists(path, RUN_EXPERIMENT))
		return err_set(e, -ENOENT, "%s: " RUN_JSON " is missing", path);
	if (!has_blktrace(path, NULL))
		return err_set(e, -ENOENT,
			       "%s: expected a run (" RUN_JSON "), a capture (" CAPTURE_JSON
			       ") or blktrace files in this directory, found none of them",
			       path);
	open_trace_file(run, path);
	return 0;
}

int run_open(struct run **out, const char *path, struct err *e)
{
	struct run *run = xcalloc(1, sizeof(*run));
	int ret;

	run->path = xstrdup(path);
	/* "run/" and "run" are the same, and look the same in messages */
	for (size_t n = strlen(path); n > 1 && run->path[n - 1] == '/'; n--)
		run->path[n - 1] = '\0';
	ret = open_any(run, run->path, e);
	if (ret) {
		run_close(run);
		return ret;
	}
	*out = run;
	return 0;
}

void run_close(struct run *run)
{
	if (!run)
		return;
	for (unsigned int i = 0; i < run->n_captures; i++) {
		struct capture *c = run->captures[i];

		free(c->path);
		free(c->trace);
		free(c->blktrace);
		free(c->osd);
		capture_json_free(c);
		free(c);
	}
	for (unsigned int i = 0; i < run->n_kernels; i++) {
		for (unsigned int j = 0; j < run->kernels[i].n_patches; j++)
			free(run->kernels[i].patches[j].touched);
		free(run->kernels[i].patches);
	}
	free(run->captures);
	free(run->kernels);
	experiment_free(run->exp);
	free(run->path);
	free(run->plan);
	free(run);
}

bool capture_is_like(const struct capture *a, const struct capture *b)
{
	return a->file_size == b->file_size && a->page_size == b->page_size &&
	       a->block_size == b->block_size && a->read_ahead_kb == b->read_ahead_kb &&
	       a->cpus == b->cpus && !strcmp(a->filesystem, b->filesystem);
}
