// SPDX-License-Identifier: GPL-2.0-only
#include "host/overlay.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "host/spawn.h"
#include "lib/fileio.h"

#define SOURCE_MAX (64u << 20)

/* Replaces @to by @from's content and mode, making directories; leaves an equal file alone. */
static int copy_file(const char *from, const char *to, struct err *e)
{
	char *dir __cleanup_free = xstrdup(to);
	char *data __cleanup_free = NULL;
	char *old __cleanup_free = NULL;
	size_t len, old_len;
	struct stat st, old_st;
	struct err ignored;
	int ret;

	ret = file_read(from, SOURCE_MAX, &data, &len, e);
	if (ret)
		return ret;
	if (stat(from, &st))
		return err_errno(e, -errno, "%s", from);
	if (!stat(to, &old_st) && old_st.st_mode == st.st_mode && old_st.st_size == st.st_size &&
	    !file_read(to, SOURCE_MAX, &old, &old_len, &ignored) && old_len == len &&
	    !memcmp(old, data, len))
		return 0;
	*strrchr(dir, '/') = '\0';
	ret = make_dirs(dir, e);
	if (!ret)
		ret = file_write_atomic(to, data, len, e);
	if (!ret && chmod(to, st.st_mode & 07777))
		ret = err_errno(e, -errno, "%s", to);
	return ret;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

/* Removes a file that a patch added, and directories that it leaves empty. */
static int remove_added(const char *tree, const char *path, struct err *e)
{
	char *full __cleanup_free = xasprintf("%s/%s", tree, path);
	char *slash;

	if (unlink(full) && errno != ENOENT)
		return err_errno(e, -errno, "%s", full);
	while ((slash = strrchr(full, '/')) && slash > full + strlen(tree)) {
		*slash = '\0';
		if (rmdir(full))
			break;
	}
	return 0;
}

/* ---- applying to copies ---- */

static int take_file(struct overlay *o, const char *tree, const char *path, struct err *e)
{
	char *from __cleanup_free = xasprintf("%s/%s", tree, path);
	char *to __cleanup_free = xasprintf("%s/%s", o->dir, path);
	struct overlay_file *f;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (!strcmp(o->files[i].path, path))
			return 0;
	o->files = xrealloc(o->files, o->n + 1, sizeof(*o->files));
	f = &o->files[o->n++];
	*f = (struct overlay_file){.path = xstrdup(path), .before = is_file(from)};
	return f->before ? copy_file(from, to, e) : 0;
}

static int take_files(struct overlay *o, const char *tree, const char *kernel,
		      const struct patch *p, struct err *e)
{
	size_t i;
	int ret;

	for (i = 0; i < p->n_files; i++) {
		const struct patch_file *f = &p->files[i];
		const char *name = f->old_path ? f->old_path : f->new_path;
		char *copy __cleanup_free = xasprintf("%s/%s", o->dir, name);

		ret = f->old_path ? take_file(o, tree, f->old_path, e) : 0;
		if (!ret && f->new_path)
			ret = take_file(o, tree, f->new_path, e);
		if (ret)
			return ret;
		if (f->old_path && !is_file(copy))
			return err_set(e, -EINVAL, "%s does not apply: %s has no file %s", p->file,
				       kernel, name);
		if (!f->old_path && is_file(copy))
			return err_set(e, -EINVAL,
				       "%s does not apply: it creates %s, which is in %s "
				       "already",
				       p->file, name, kernel);
	}
	return 0;
}

static void report_line(void *ctx, char *line)
{
	apply_report_line(ctx, line);
}

/* Returns patch's exit status, or a negative errno. */
static int run_patch(const char *dir, const char *diff, bool reverse, bool dry, int fuzz,
		     struct apply_report *r, struct err *e)
{
	char fuzz_arg[16];
	const char *argv[10] = {"patch", "-p1", "-f", "--no-backup-if-mismatch", "-r-", fuzz_arg};
	size_t n = 6;
	struct run run = {.argv = argv,
			  .line = report_line,
			  .ctx = r,
			  .opt = {.cwd = dir, .clean_env = true, .stdin_path = diff}};

	snprintf(fuzz_arg, sizeof(fuzz_arg), "-F%d", fuzz);
	argv[n++] = reverse ? "-R" : "-N";
	if (dry)
		argv[n++] = "--dry-run";
	memset(r, 0, sizeof(*r));
	return run_program(&run, e);
}

static int does_not_apply(const struct patch *p, const char *kernel, const struct apply_report *r,
			  struct err *e)
{
	const char *base = p->base_commit ? p->base_commit : "";

	if (!r->failed)
		return err_set(e, -EINVAL, "%s does not apply to %s: %s", p->file, kernel, r->last);
	return err_set(e, -EINVAL,
		       "%s does not apply to %s: hunk %u of %s, expected at line %lu%s%.40s",
		       p->file, kernel, r->hunk, r->file, r->line,
		       *base ? "; it was made for base-commit " : "", base);
}

/*
 * A patch that is there already can often be applied once more with fuzz; that
 * would compare two kernels of which neither is the one that was meant.
 */
static int apply_one(struct overlay *o, const char *kernel, struct patch *p, struct err *e)
{
	char *diff __cleanup_free = xasprintf("%s.diff", o->dir);
	struct apply_report r;
	int ret, clean;

	ret = file_write_atomic(diff, p->diff, strlen(p->diff), e);
	if (ret)
		return ret;
	clean = run_patch(o->dir, diff, false, true, 0, &r, e);
	ret = clean > 0 ? run_patch(o->dir, diff, true, true, 0, &r, e) : 1;
	if (!ret)
		ret = err_set(e, -EINVAL, "%s is in %s already", p->file, kernel);
	else if (clean >= 0 && ret > 0)
		ret = run_patch(o->dir, diff, false, false, (int)p->max_fuzz, &r, e);
	unlink(diff);
	if (clean < 0)
		return clean;
	if (ret > 0)
		return does_not_apply(p, kernel, &r, e);
	p->fuzz = r.fuzz;
	return ret;
}

int overlay_prepare(const char *tree, const char *kernel, const char *dir, struct series *s,
		    struct overlay *o, struct err *e)
{
	size_t i;
	int ret;

	memset(o, 0, sizeof(*o));
	o->dir = xstrdup(dir);
	remove_tree(dir);
	ret = make_dirs(dir, e);
	for (i = 0; i < s->n && !ret; i++) {
		ret = take_files(o, tree, kernel, &s->patches[i], e);
		if (!ret)
			ret = apply_one(o, kernel, &s->patches[i], e);
		/* a file may hold many */
		if (ret && ret != -EINTR && s->n > 1)
			err_prefix(e, ret, "patch %zu of %zu, \"%.80s\"", i + 1, s->n,
				   s->patches[i].subject);
	}
	for (i = 0; i < o->n && !ret; i++) {
		char *path __cleanup_free = xasprintf("%s/%s", dir, o->files[i].path);

		o->files[i].after = is_file(path);
	}
	if (ret)
		overlay_free(o);
	return ret;
}

void overlay_free(struct overlay *o)
{
	size_t i;

	if (o->dir)
		remove_tree(o->dir);
	for (i = 0; i < o->n; i++)
		free(o->files[i].path);
	free(o->files);
	free(o->dir);
	memset(o, 0, sizeof(*o));
}

/* ---- the journal: "list" with "M path" or "A path" lines, and originals below "orig" ---- */

static int write_journal(const struct overlay *o, const char *tree, const char *journal,
			 struct err *e)
{
	char *tmp __cleanup_free = xasprintf("%s.new", journal);
	char *list_path __cleanup_free = xasprintf("%s/list", tmp);
	char *list __cleanup_free = xstrdup("");
	int ret;
	size_t i;

	remove_tree(tmp);
	ret = make_dirs(tmp, e);
	for (i = 0; i < o->n && !ret; i++) {
		const struct overlay_file *f = &o->files[i];
		char *from __cleanup_free = xasprintf("%s/%s", tree, f->path);
		char *to __cleanup_free = xasprintf("%s/orig/%s", tmp, f->path);
		char *more = xasprintf("%s%c %s\n", list, f->before ? 'M' : 'A', f->path);

		free(list);
		list = more;
		if (f->before)
			ret = copy_file(from, to, e);
	}
	if (!ret)
		ret = file_write_atomic(list_path, list, strlen(list), e);
	if (!ret && rename(tmp, journal))
		ret = err_errno(e, -errno, "%s", journal);
	return ret;
}

/*
 * File times have the resolution of the kernel's tick, at most 10 ms.  An object
 * that was built in the same tick would look as new as the source that we are
 * about to write, and make would leave it as it is: of the wrong kernel.
 */
static void next_tick(void)
{
	const struct timespec tick = {.tv_nsec = 20 * 1000 * 1000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, NULL);
}

int overlay_install(const struct overlay *o, const char *tree, const char *journal, struct err *e)
{
	int ret = write_journal(o, tree, journal, e);
	size_t i;

	next_tick();
	for (i = 0; i < o->n && !ret; i++) {
		const struct overlay_file *f = &o->files[i];
		char *from __cleanup_free = xasprintf("%s/%s", o->dir, f->path);
		char *to __cleanup_free = xasprintf("%s/%s", tree, f->path);

		if (f->after)
			ret = copy_file(from, to, e);
		else if (unlink(to) && errno != ENOENT)
			ret = err_errno(e, -errno, "%s", to);
	}
	return ret;
}

static int restore_line(const char *tree, const char *journal, const char *line, struct err *e)
{
	const char *path = line + 2;
	char *from __cleanup_free = NULL;
	char *to __cleanup_free = NULL;

	if (line[0] == 'A')
		return remove_added(tree, path, e);
	from = xasprintf("%s/orig/%s", journal, path);
	to = xasprintf("%s/%s", tree, path);
	return copy_file(from, to, e);
}

int overlay_restore(const char *tree, const char *journal, struct err *e)
{
	char *list_path __cleanup_free = xasprintf("%s/list", journal);
	char *done __cleanup_free = xasprintf("%s.done", journal);
	char *list __cleanup_free = NULL;
	char *line, *save;
	int ret;

	if (access(journal, F_OK))
		return 0;
	ret = file_read(list_path, SOURCE_MAX, &list, NULL, e);
	if (ret)
		return ret;
	next_tick();
	for (line = strtok_r(list, "\n", &save); line && !ret; line = strtok_r(NULL, "\n", &save))
		ret = restore_line(tree, journal, line, e);
	if (ret)
		return ret;
	/* from here on the tree is good, whatever is left of the journal */
	remove_tree(done);
	if (rename(journal, done))
		return err_errno(e, -errno, "%s", journal);
	remove_tree(done);
	return 0;
}
