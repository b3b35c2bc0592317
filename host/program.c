// SPDX-License-Identifier: GPL-2.0-only
#include "host/program.h"

#include <elf.h>
#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>

#include "host/program_elf.h"
#include "lib/contract.h"
#include "lib/fileio.h"

#define FILE_MAX (256u << 20)
#define TOTAL_MAX (1ull << 30)
#define CONF_DEPTH 8
#define LIB_DIR PROGRAM_DIR "/lib"

/* ---- entries ---- */

static bool has_entry(const struct program_files *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->entries[i].name, name))
			return true;
	return false;
}

static void put_entry(struct program_files *f, char *name, u32 mode, char *data, size_t len)
{
	f->entries = xrealloc(f->entries, f->n + 1, sizeof(*f->entries));
	f->entries[f->n++] =
		(struct cpio_entry){.name = name, .mode = mode, .data = data, .len = len};
	f->bytes += len;
}

/* @guest is absolute; takes @data. */
static void add_file(struct program_files *f, const char *guest, char *data, size_t len)
{
	for (const char *slash = strchr(guest + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *dir = xstrndup(guest + 1, (size_t)(slash - guest - 1));

		if (has_entry(f, dir))
			free(dir);
		else
			put_entry(f, dir, S_IFDIR | 0755, NULL, 0);
	}
	put_entry(f, xstrdup(guest + 1), S_IFREG | 0755, data, len);
}

void program_free(struct program_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free((char *)f->entries[i].name);
		free((char *)f->entries[i].data);
	}
	free(f->entries);
	memset(f, 0, sizeof(*f));
}

char *program_guest_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return xasprintf(PROGRAM_DIR "/%s", slash ? slash + 1 : path);
}

/* ---- where libraries are ---- */

struct dirs {
	char **paths;
	size_t n;
};

static void add_dir(struct dirs *d, const char *path, size_t len)
{
	if (!len)
		return;
	d->paths = xrealloc(d->paths, d->n + 1, sizeof(*d->paths));
	d->paths[d->n++] = xstrndup(path, len);
}

static void dirs_free(struct dirs *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->paths[i]);
	free(d->paths);
	memset(d, 0, sizeof(*d));
}

/* "a:b", with $ORIGIN as the directory of @origin. */
static void add_list(struct dirs *d, const char *list, const char *origin)
{
	static const char *const names[] = {"$ORIGIN", "${ORIGIN}"};
	const char *slash = origin ? strrchr(origin, '/') : NULL;
	char *here __cleanup_free =
		slash ? xstrndup(origin, (size_t)(slash - origin)) : xstrdup(".");
	size_t len;

	for (const char *p = list; list && *p; p += len + (p[len] == ':')) {
		char *one __cleanup_free = NULL;

		len = strcspn(p, ":");
		one = xstrndup(p, len);
		for (size_t i = 0; origin && i < ARRAY_SIZE(names); i++) {
			char *at = strstr(one, names[i]), *old = one;

			if (!at)
				continue;
			one = xasprintf("%.*s%s%s", (int)(at - old), old, here,
					at + strlen(names[i]));
			free(old);
		}
		add_dir(d, one, strlen(one));
	}
}

/* ld.so.conf: a directory a line, "include GLOB", comments after '#'. */
static void add_conf(struct dirs *d, const char *path, unsigned int depth)
{
	char *text __cleanup_free = NULL;
	char *line, *save = NULL;
	struct err ignored;
	glob_t g;

	if (depth > CONF_DEPTH || file_read(path, 1u << 20, &text, NULL, &ignored))
		return;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *rest;

		line[strcspn(line, "#")] = '\0';
		line += strspn(line, " \t");
		for (size_t n = strlen(line); n && strchr(" \t/", line[n - 1]); n--)
			line[n - 1] = '\0';
		rest = str_after(line, "include");
		if (!rest || !strchr(" \t", *rest)) {
			add_dir(d, line, strlen(line));
			continue;
		}
		if (glob(rest + strspn(rest, " \t"), 0, NULL, &g))
			continue;
		for (size_t i = 0; i < g.gl_pathc; i++)
			add_conf(d, g.gl_pathv[i], depth + 1);
		globfree(&g);
	}
}

/* In ld.so(8)'s order, for what @info at @path needs; @rpath is the program's. */
static void search_dirs(struct dirs *d, const struct elf_info *info, const char *path,
			const char *rpath, const char *program, const struct program_target *t)
{
	if (!info->runpath) {
		add_list(d, info->rpath, path);
		add_list(d, rpath, program);
	}
	add_list(d, getenv("LD_LIBRARY_PATH"), NULL);
	add_list(d, info->runpath, path);
	add_conf(d, "/etc/ld.so.conf", 0);
	add_list(d, "/lib64:/usr/lib64:/lib:/usr/lib", NULL);
	add_list(d, t->extra_dirs, NULL);
}

/* ---- collecting ---- */

struct collector {
	struct program_files *f;
	const struct program_target *t;
	const char *program, *rpath;
	struct err *e;
};

static int add_library(struct collector *c, const char *name, const struct elf_info *user,
		       const char *user_path, bool optional);

static int add_needed(struct collector *c, const struct elf_info *info, const char *path)
{
	int ret = 0;

	for (size_t i = 0; i < info->n_needed && !ret; i++)
		ret = add_library(c, info->needed[i], info, path, false);
	return ret;
}

/* Loads @path if it is there and of the right machine; -ENOENT otherwise. */
static int load_library(struct collector *c, const char *path, const char *guest)
{
	char *data;
	struct elf_info info;
	struct err ignored;
	size_t len;
	int ret;

	if (access(path, R_OK) || file_read(path, FILE_MAX, &data, &len, &ignored))
		return -ENOENT;
	if (elf_read(&info, data, len, &ignored) || info.machine != c->t->machine) {
		free(data);
		return -ENOENT;
	}
	/* into the list before what it needs: libraries may need each other */
	add_file(c->f, guest, data, len);
	if (c->f->bytes > TOTAL_MAX)
		return err_set(c->e, -EFBIG, "more than 1 GiB of libraries");
	ret = add_needed(c, &info, path);
	return ret == -ENOENT ? -ENOLINK : ret;
}

static int add_library(struct collector *c, const char *name, const struct elf_info *user,
		       const char *user_path, bool optional)
{
	char *guest __cleanup_free = xasprintf(LIB_DIR "/%s", name);
	struct dirs d = {.n = 0};
	int ret = -ENOENT;

	if (strchr(name, '/'))
		return err_set(c->e, -ENOEXEC, "needs the library %s by its path", name);
	if (has_entry(c->f, guest + 1))
		return 0;
	search_dirs(&d, user, user_path, c->rpath, c->program, c->t);
	for (size_t i = 0; i < d.n && ret == -ENOENT; i++) {
		char *path __cleanup_free = xasprintf("%s/%s", d.paths[i], name);

		ret = load_library(c, path, guest);
	}
	dirs_free(&d);
	if (ret == -ENOENT && optional)
		return 0;
	return ret == -ENOENT ? err_set(c->e, ret, "needs the library %s, which is not there", name)
			      : ret;
}

/* The interpreter stays under its own name: the program's header says it. */
static int add_interpreter(struct collector *c, const char *path)
{
	char *data;
	size_t len;
	int ret;

	if (*path != '/')
		return err_set(c->e, -ENOEXEC, "its ELF interpreter '%s' is no path", path);
	if (has_entry(c->f, path + 1))
		return 0;
	ret = file_read(path, FILE_MAX, &data, &len, c->e);
	for (const char *dir = c->t->extra_dirs; ret && dir && *dir;
	     dir += strcspn(dir, ":"), dir += *dir == ':') {
		char *other __cleanup_free =
			xasprintf("%.*s/%s", (int)strcspn(dir, ":"), dir, strrchr(path, '/') + 1);

		ret = file_read(other, FILE_MAX, &data, &len, c->e);
	}
	if (ret)
		return err_prefix(c->e, ret, "its ELF interpreter");
	add_file(c->f, path, data, len);
	return 0;
}

static int add_program(struct collector *c, struct elf_info *info)
{
	int ret;

	if (!info->interpreter)
		return 0; /* static */
	c->rpath = info->runpath ? NULL : info->rpath;
	ret = add_interpreter(c, info->interpreter);
	if (!ret)
		ret = add_needed(c, info, c->program);
	/* glibc loads it by itself, for pthread_exit() and pthread_cancel() */
	return ret ? ret : add_library(c, "libgcc_s.so.1", info, c->program, true);
}

int program_add(struct program_files *f, const char *path, const struct program_target *t,
		struct err *e)
{
	char *guest __cleanup_free = program_guest_path(path);
	struct collector c = {.f = f, .t = t, .program = path, .e = e};
	struct elf_info info;
	struct stat st;
	char *data;
	size_t len;
	int ret;

	if (stat(path, &st))
		return err_errno(e, -errno, "program %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, -ENOEXEC, "program %s: not a file", path);
	ret = file_read(path, FILE_MAX, &data, &len, e);
	if (ret)
		return ret;
	ret = elf_read(&info, data, len, e);
	if (!ret && info.machine != t->machine)
		ret = err_set(e, -ENOEXEC, "for another machine than the guest's");
	if (!ret && !info.executable)
		ret = err_set(e, -ENOEXEC, "a library or an object, not a program");
	if (ret) {
		free(data);
		return err_prefix(e, ret, "program %s", path);
	}
	add_file(f, guest, data, len);
	ret = add_program(&c, &info);
	return ret ? err_prefix(e, ret, "program %s", path) : 0;
}
