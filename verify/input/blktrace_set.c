// SPDX-License-Identifier: GPL-2.0-only
/* Which files "x", "x.blktrace.0" or a directory stand for. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "verify/input/blktrace.h"

#define SUFFIX ".blktrace."

/* The number behind SUFFIX, or -1 if @name is no such file. */
static long number_of(const char *name)
{
	const char *p = strstr(name, SUFFIX), *next;
	char *end;
	long n;

	while (p && (next = strstr(p + 1, SUFFIX)))
		p = next;
	if (!p || p == name)
		return -1;
	p += strlen(SUFFIX);
	if (*p < '0' || *p > '9')
		return -1;
	n = strtol(p, &end, 10);
	return *end || n > INT32_MAX ? -1 : n;
}

/* By base name, then by number. */
static int compare(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t lx = (size_t)(strrchr(x, '.') - x), ly = (size_t)(strrchr(y, '.') - y);
	int ret = strncmp(x, y, MIN(lx, ly));
	long nx = number_of(x), ny = number_of(y);

	if (ret || lx != ly)
		return ret ? ret : lx < ly ? -1 : 1;
	return nx < ny ? -1 : nx > ny;
}

static void add(char ***names, unsigned int *n, char *name)
{
	*names = xrealloc(*names, *n + 1, sizeof(**names));
	(*names)[(*n)++] = name;
}

static void cleanup_closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* All files of @dir whose names begin with @base; NULL: any. */
static int scan(const char *dir, const char *base, char ***names, unsigned int *n, struct err *e)
{
	DIR *d __cleanup(cleanup_closedir) = opendir(*dir ? dir : "/");
	const struct dirent *de;
	size_t len = base ? strlen(base) : 0;

	if (!d)
		return err_errno(e, -errno, "%s", dir);
	while ((de = readdir(d))) {
		if (number_of(de->d_name) < 0)
			continue;
		if (base && (strncmp(de->d_name, base, len) ||
			     strncmp(de->d_name + len, SUFFIX, strlen(SUFFIX))))
			continue;
		if (*n == BLK_FILES_MAX)
			return err_set(e, -EINVAL, "%s: expected at most %u blktrace files", dir,
				       BLK_FILES_MAX);
		add(names, n, xasprintf("%s/%s", dir, de->d_name));
	}
	if (*n)
		qsort(*names, *n, sizeof(**names), compare);
	return 0;
}

int blk_find_files(const char *path, char ***names, unsigned int *n, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char *dir __cleanup_free = NULL;
	struct stat st;
	int ret;

	*names = NULL;
	*n = 0;
	if (!stat(path, &st)) {
		if (!S_ISDIR(st.st_mode)) {
			add(names, n, xstrdup(path));
			return 0;
		}
		ret = scan(path, NULL, names, n, e);
		if (!ret && !*n)
			ret = err_set(
				e, -ENOENT,
				"%s: expected a directory with files NAME.blktrace.N, found none",
				path);
		return ret;
	}
	dir = slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
	ret = scan(dir, slash ? slash + 1 : path, names, n, e);
	if (!ret && !*n)
		ret = err_set(e, -ENOENT, "%s: no such file, and no %s.blktrace.N either", path,
			      path);
	return ret;
}
