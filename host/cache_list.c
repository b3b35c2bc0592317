// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <dirent.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <jansson.h>

#include "host/cache.h"
#include "lib/fileio.h"

static u64 usage_sum; /* nftw() has no context argument */

static int add_usage(const char *path __unused_arg, const struct stat *st, int type,
		     struct FTW *ftw __unused_arg)
{
	if (type != FTW_NS)
		usage_sum += (u64)st->st_blocks * 512;
	return 0;
}

u64 disk_usage(const char *path)
{
	usage_sum = 0;
	nftw(path, add_usage, 16, FTW_PHYS);
	return usage_sum;
}

char *age_text(s64 seconds, char *buf)
{
	static const struct {
		s64 unit;
		const char *one, *many;
	} units[] = {{86400, "day", "days"}, {3600, "h", "h"}, {60, "min", "min"}, {1, "s", "s"}};
	size_t i = 0;
	s64 n;

	if (seconds < 0)
		seconds = 0;
	while (i + 1 < ARRAY_SIZE(units) && seconds < units[i].unit)
		i++;
	n = seconds / units[i].unit;
	snprintf(buf, 24, "%lld %s", (long long)n, n == 1 ? units[i].one : units[i].many);
	return buf;
}

char *usage_text(u64 bytes, char *buf)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	double v = (double)bytes;
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && v >= 999.5) {
		v /= 1000;
		i++;
	}
	snprintf(buf, 24, v < 9.95 && i ? "%.1f %s" : "%.0f %s", v, units[i]);
	return buf;
}

static int visible(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return d->d_name[0] != '.' && !(dot && !strcmp(dot, ".lock"));
}

static const char *member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "?";
}

/* "7.3.4 base.config +1 patch: subject", from meta.json; "" without one. */
static char *describe_image(const char *dir)
{
	char *path __cleanup_free = xasprintf("%s/meta.json", dir);
	json_t *meta = json_load_file(path, 0, NULL), *p;
	const char *subject;
	char *text;
	size_t n;

	if (!meta)
		return xstrdup("");
	n = json_array_size(json_object_get(meta, "patches"));
	p = json_array_get(json_object_get(meta, "patches"), 0);
	subject = n ? member(p, "subject") : "no patch";
	text = xasprintf("%s, config %.12s, %s%s", member(meta, "source"),
			 member(meta, "config_hash"), subject, n > 1 ? " ..." : "");
	json_decref(meta);
	return text;
}

static char *describe_source(const char *dir)
{
	char *path __cleanup_free = xasprintf("%s/source.json", dir);
	json_t *meta = json_load_file(path, 0, NULL);
	char *text = xstrdup(meta ? member(meta, "name") : "");

	json_decref(meta);
	return text;
}

static void list_dir(FILE *out, const char *root, const char *name, char *(*describe)(const char *))
{
	char *dir __cleanup_free = xasprintf("%s/%s", root, name);
	struct dirent **d;
	int n = scandir(dir, &d, visible, alphasort), i;
	char size[24], age[24];
	struct stat st;

	for (i = 0; i < n; i++) {
		char *path __cleanup_free = xasprintf("%s/%s", dir, d[i]->d_name);
		char *what __cleanup_free = describe ? describe(path) : xstrdup("");

		if (!stat(path, &st))
			fprintf(out, "  %8s  %8s  %s/%.40s  %s\n",
				usage_text(disk_usage(path), size),
				age_text((s64)(time(NULL) - st.st_mtime), age), name, d[i]->d_name,
				what);
		free(d[i]);
	}
	if (n >= 0)
		free(d);
}

int cache_list(FILE *out, struct err *e)
{
	char *root __cleanup_free = NULL;
	char *cc __cleanup_free = NULL;
	char size[24];
	int ret = cache_open(&root, e);

	if (ret)
		return ret;
	cc = xasprintf("%s/ccache", root);
	fprintf(out, "%s: %s\n", root, usage_text(disk_usage(root), size));
	fprintf(out, "  %8s  %8s\n", "size", "age");
	list_dir(out, root, "sources", describe_source);
	list_dir(out, root, "objects", NULL);
	list_dir(out, root, "images", describe_image);
	list_dir(out, root, "disks", NULL);
	list_dir(out, root, "sysroots", NULL); /* libraries of other architectures */
	list_dir(out, root, "bench", NULL);    /* traces of make bench */
	list_dir(out, root, "machines", NULL); /* packages of tests/long/other-machines.sh */
	fprintf(out, "  %8s  %8s  ccache\n", usage_text(disk_usage(cc), size), "");
	return 0;
}

int cache_clean(FILE *out, struct err *e)
{
	static const char *const parts[] = {"images",	"objects",   "sources", "disks",
					    "ccache",	"estimates", "apt",	"bench",
					    "machines", "bisect",    "tests",	"sysroots"};
	char *root __cleanup_free = NULL;
	char size[24];
	int unused, fd, ret;
	u64 before;
	size_t i;

	ret = cache_open(&root, e);
	if (ret)
		return ret;
	unused = cache_lock_unused(root, e);
	if (unused < 0)
		return unused;
	fd = cache_lock(root, e);
	if (fd < 0) {
		cache_unlock(unused);
		return fd;
	}
	before = disk_usage(root);
	for (i = 0; i < ARRAY_SIZE(parts) && !ret; i++) {
		char *path __cleanup_free = xasprintf("%s/%s", root, parts[i]);

		ret = remove_tree(path);
		if (ret)
			err_errno(e, ret, "%s: cannot be removed", path);
	}
	if (!ret)
		fprintf(out, "%s: %s freed\n", root, usage_text(before - disk_usage(root), size));
	cache_unlock(fd);
	cache_unlock(unused);
	return ret;
}
