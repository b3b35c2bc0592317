// SPDX-License-Identifier: GPL-2.0-only
#include "host/kernel_image.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "lib/fileio.h"

#define IMAGE_MAX (512u << 20)

void image_key(const char *source_identity, const struct config *config,
	       const struct series *patches, const char *compiler, char key[HASH_HEX])
{
	struct hash *h = hash_new();
	size_t i;

	hash_text(h, "format", BUILDER_FORMAT);
	hash_text(h, "source", source_identity);
	hash_text(h, "config", config->text);
	hash_text(h, "compiler", compiler);
	/* the default's keys are older than this */
	if (config->arch && config->arch != ARCH_DEFAULT)
		hash_text(h, "arch", config->arch->name);
	for (i = 0; i < patches->n; i++)
		hash_text(h, "patch", patches->patches[i].diff);
	hash_end(h, key);
}

static char *copy(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

void image_set_patches(struct kernel_image *img, const struct series *s)
{
	size_t i;

	img->patches = xcalloc(s->n, sizeof(*img->patches));
	img->n_patches = s->n;
	for (i = 0; i < s->n; i++) {
		const struct patch *p = &s->patches[i];

		img->patches[i] = (struct kernel_patch){
			.file = copy(p->file),
			.subject = copy(p->subject),
			.id = copy(p->id),
			.base_commit = copy(p->base_commit),
			.change_id = copy(p->change_id),
			.fuzz = p->fuzz,
		};
		patch_functions_find(&img->patches[i].functions, p->diff);
	}
}

void kernel_image_free(struct kernel_image *img)
{
	size_t i;

	if (!img)
		return;
	for (i = 0; i < img->n_patches; i++) {
		free(img->patches[i].file);
		free(img->patches[i].subject);
		free(img->patches[i].id);
		free(img->patches[i].base_commit);
		free(img->patches[i].change_id);
		patch_functions_free(&img->patches[i].functions);
	}
	free(img->patches);
	free(img->path);
	free(img->version);
	free(img->source);
	free(img->source_identity);
	free(img->compiler);
	free(img->config_hash);
	free(img->config_path);
	free(img->sha256);
	free(img);
}

/* ---- meta.json ---- */

static char *take(const json_t *o, const char *key)
{
	return copy(json_string_value(json_object_get(o, key)));
}

static int load_meta(struct kernel_image *img, const char *path)
{
	json_t *o = json_load_file(path, 0, NULL);
	const json_t *patches = json_object_get(o, "patches");
	size_t i;

	img->version = take(o, "version");
	img->source = take(o, "source");
	img->source_identity = take(o, "source_identity");
	img->compiler = take(o, "compiler");
	img->config_hash = take(o, "config_hash");
	img->sha256 = take(o, "sha256");
	img->build_seconds = json_real_value(json_object_get(o, "build_seconds"));
	/* subjects and files are today's; how well the diff applied is known from the build */
	for (i = 0; i < img->n_patches; i++)
		img->patches[i].fuzz = (unsigned int)json_integer_value(
			json_object_get(json_array_get(patches, i), "fuzz"));
	json_decref(o);
	return img->version && img->source && img->source_identity && img->compiler &&
			       img->config_hash && img->sha256
		       ? 0
		       : -EIO;
}

static void set(json_t *o, const char *key, const char *value)
{
	json_t *v = value ? json_string(value) : NULL;

	/* a subject in some other encoding is kept as far as JSON can */
	if (value && !v)
		v = json_string("(not UTF-8)");
	if (v)
		json_object_set_new(o, key, v);
}

static char *meta_text(const struct kernel_image *img, const char *name, const char *key)
{
	json_t *o = json_object(), *list = json_array();
	char *text;
	size_t i;

	set(o, "key", key);
	set(o, "name", name);
	set(o, "version", img->version);
	set(o, "source", img->source);
	set(o, "source_identity", img->source_identity);
	set(o, "compiler", img->compiler);
	set(o, "config_hash", img->config_hash);
	set(o, "sha256", img->sha256);
	json_object_set_new(o, "build_seconds", json_real(img->build_seconds));
	for (i = 0; i < img->n_patches; i++) {
		const struct kernel_patch *p = &img->patches[i];
		json_t *one = json_object();

		set(one, "file", p->file);
		set(one, "subject", p->subject);
		set(one, "id", p->id);
		set(one, "base_commit", p->base_commit);
		set(one, "change_id", p->change_id);
		json_object_set_new(one, "fuzz", json_integer(p->fuzz));
		json_array_append_new(list, one);
	}
	json_object_set_new(o, "patches", list);
	text = json_dumps(o, JSON_INDENT(2));
	json_decref(o);
	return text;
}

/* ---- images/KEY ---- */

int image_load(const char *root, const char *key, const struct arch *arch, const struct series *s,
	       struct kernel_image **out, struct err *e)
{
	char *dir __cleanup_free = xasprintf("%s/images/%s", root, key);
	char *meta __cleanup_free = xasprintf("%s/meta.json", dir);
	struct kernel_image *img;
	char sha[HASH_HEX];
	int ret;

	if (access(dir, F_OK))
		return -ENOENT;
	img = xcalloc(1, sizeof(*img));
	img->path = xasprintf("%s/%s", dir, arch->image);
	img->config_path = xasprintf("%s/config", dir);
	image_set_patches(img, s);
	ret = load_meta(img, meta);
	if (!ret)
		ret = hash_file(img->path, sha, e);
	if (!ret && strcmp(sha, img->sha256))
		ret = -EIO;
	if (!ret) {
		*out = img;
		return 0;
	}
	kernel_image_free(img);
	ret = remove_tree(dir);
	if (ret && ret != -ENOENT)
		return err_errno(e, ret, "%s: damaged, and cannot be removed", dir);
	return -ENOENT;
}

static int copy_file(const char *from, const char *to, struct err *e)
{
	char *data __cleanup_free = NULL;
	size_t len;
	int ret = file_read(from, IMAGE_MAX, &data, &len, e);

	return ret ? ret : file_write_atomic(to, data, len, e);
}

int image_publish(const char *root, const char *key, const struct arch *arch, const char *objects,
		  const char *name, struct kernel_image *img, struct err *e)
{
	char *dir __cleanup_free = xasprintf("%s/images/%s", root, key);
	char *tmp __cleanup_free = xasprintf("%s/images/.new", root);
	char *made __cleanup_free = xasprintf("%s/%s/%s", objects, arch->boot, arch->image);
	char *dot_config __cleanup_free = xasprintf("%s/.config", objects);
	char *tmp_image __cleanup_free = xasprintf("%s/%s", tmp, arch->image);
	char *tmp_config __cleanup_free = xasprintf("%s/config", tmp);
	char *tmp_meta __cleanup_free = xasprintf("%s/meta.json", tmp);
	char *text __cleanup_free = NULL;
	char hex[HASH_HEX];
	int ret;

	remove_tree(tmp);
	ret = make_dirs(tmp, e);
	if (!ret)
		ret = copy_file(made, tmp_image, e);
	if (!ret)
		ret = copy_file(dot_config, tmp_config, e);
	if (!ret)
		ret = hash_file(tmp_image, hex, e);
	if (!ret) {
		img->sha256 = xstrdup(hex);
		ret = hash_file(tmp_config, hex, e);
	}
	if (ret)
		return ret;
	img->config_hash = xstrdup(hex);
	text = meta_text(img, name, key);
	ret = file_write_atomic(tmp_meta, text, strlen(text), e);
	if (!ret && rename(tmp, dir))
		ret = err_errno(e, -errno, "%s", dir);
	img->path = xasprintf("%s/%s", dir, arch->image);
	img->config_path = xasprintf("%s/config", dir);
	return ret;
}
