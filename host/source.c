// SPDX-License-Identifier: GPL-2.0-only
#include "host/source.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "host/cache.h"
#include "lib/fileio.h"

char *source_dir(const char *root, const char *key)
{
	return xasprintf("%s/sources/%s", root, key);
}

char *source_tree(const char *root, const char *key)
{
	return xasprintf("%s/sources/%s/tree", root, key);
}

char *source_journal(const char *root, const char *key)
{
	return xasprintf("%s/sources/%s/patched", root, key);
}

void source_reset(struct kernel_source *src)
{
	free(src->name);
	free(src->version);
	free(src->identity);
	free(src->key);
	free(src->kdir);
	free(src->commit);
	memset(src, 0, sizeof(*src));
}

/* The value of "NAME = value" in the head of a Makefile. */
static char *make_variable(const char *text, const char *name)
{
	const char *line = text, *p;

	for (; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		p = str_after(line, name);
		if (!p)
			continue;
		p += strspn(p, " \t");
		if (*p++ != '=')
			continue;
		p += strspn(p, " \t");
		return xstrndup(p, strcspn(p, " \t\n#"));
	}
	return NULL;
}

char *source_version(const char *tree)
{
	static const char *const names[] = {"VERSION", "PATCHLEVEL", "SUBLEVEL", "EXTRAVERSION"};
	char *path __cleanup_free = xasprintf("%s/Makefile", tree);
	char *kbuild __cleanup_free = xasprintf("%s/Kbuild", tree);
	char *text __cleanup_free = NULL;
	char *v[ARRAY_SIZE(names)] = {NULL};
	char *version = NULL;
	struct err ignored;
	size_t i;

	if (access(kbuild, F_OK) || file_read(path, 1 << 20, &text, NULL, &ignored))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		v[i] = make_variable(text, names[i]);
	if (v[0] && v[1] && v[2])
		version = xasprintf("%s.%s.%s%s", v[0], v[1], v[2], v[3] ? v[3] : "");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		free(v[i]);
	return version;
}

/* ---- source.json ---- */

static char *take(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? xstrdup(s) : NULL;
}

int source_load(const char *dir, struct kernel_source *src, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/source.json", dir);
	const char *slash = strrchr(dir, '/');
	json_t *o = json_load_file(path, 0, NULL);

	memset(src, 0, sizeof(*src));
	src->name = take(o, "name");
	src->version = take(o, "version");
	src->identity = take(o, "identity");
	src->kdir = take(o, "kdir");
	src->key = xstrdup(slash ? slash + 1 : dir);
	json_decref(o);
	if (src->name && src->version && src->identity)
		return 0;
	source_reset(src);
	return err_set(e, -EIO, "%s: missing or damaged (`make clean-cache` empties the cache)",
		       path);
}

int source_save(const char *dir, const struct kernel_source *src, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/source.json", dir);
	json_t *o = json_pack("{s:s, s:s, s:s}", "name", src->name, "version", src->version,
			      "identity", src->identity);
	char *text;
	int ret;

	if (o && src->kdir)
		json_object_set_new(o, "kdir", json_string(src->kdir));
	/* NULL for a name that is not UTF-8 */
	text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
	json_decref(o);
	if (!text)
		return err_set(e, -EILSEQ, "%s: the source's path is not UTF-8", path);
	ret = file_write_atomic(path, text, strlen(text), e);
	free(text);
	return ret;
}

static int remove_objects(const char *root, const char *key, struct err *e)
{
	char *objects __cleanup_free = xasprintf("%s/objects", root);
	DIR *d = opendir(objects);
	struct dirent *ent;
	int ret = 0;

	while (d && !ret && (ent = readdir(d))) {
		const char *rest = str_after(ent->d_name, key);
		char *path __cleanup_free = xasprintf("%s/%s", objects, ent->d_name);

		if (rest && *rest == '@')
			ret = remove_tree(path);
		if (ret)
			err_errno(e, ret, "%s: cannot be removed", path);
	}
	if (d)
		closedir(d);
	return ret;
}

int source_remove(const char *root, const char *key, struct err *e)
{
	char *dir __cleanup_free = source_dir(root, key);
	int ret = remove_objects(root, key, e);

	if (!ret) {
		ret = remove_tree(dir);
		if (ret)
			err_errno(e, ret, "%s: cannot be removed", dir);
	}
	return ret;
}
