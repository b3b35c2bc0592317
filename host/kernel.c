// SPDX-License-Identifier: GPL-2.0-only
#include "host/kernel.h"

#include <errno.h>
#include <string.h>

#include "host/cache.h"
#include "host/kernel_build.h"
#include "host/kernel_image.h"
#include "host/source.h"
#include "host/source_commit.h"

/* measured: objects of base.config 210 MB, ccache's share and the image on top */
#define BUILD_BYTES 600000000ull

static enum kernel_result failed(int error, enum kernel_result otherwise)
{
	if (error == -EINTR)
		return KERNEL_INTERRUPTED;
	if (error == -ENOPKG)
		return KERNEL_TOOLS_MISSING;
	return error == -ENOSPC ? KERNEL_NO_SPACE : otherwise;
}

/* ---- a request ---- */

struct wanted {
	struct series series; /* empty for a kernel without patches */
	struct config config;
};

static void wanted_free(struct wanted *w)
{
	series_free(&w->series);
	config_free(&w->config);
}

static int load_patches(const struct kernel_request *req, struct series *s, struct err *e)
{
	const char *patches = req->spec->patches;
	char *path __cleanup_free = NULL;

	memset(s, 0, sizeof(*s));
	if (!*patches)
		return 0;
	if (req->patch_override)
		path = xstrdup(req->patch_override);
	else if (*patches == '/')
		path = xstrdup(patches);
	else
		path = xasprintf("%s/%s", req->data_dir, patches);
	return series_load(path, s, e);
}

static int load_wanted(const struct kernel_request *req, struct wanted *w, struct err *e)
{
	int ret;

	memset(w, 0, sizeof(*w));
	ret = config_load(req->data_dir, req->spec, req->arch, &w->config, e);
	if (!ret)
		ret = load_patches(req, &w->series, e);
	if (ret)
		wanted_free(w);
	return ret ? err_prefix(e, ret, "kernel %s", req->spec->name) : 0;
}

enum kernel_result kernel_check(const struct kernel_request *req, struct err *e)
{
	struct wanted w;
	int ret = load_wanted(req, &w, e);

	if (ret)
		return failed(ret, KERNEL_BAD_REQUEST);
	wanted_free(&w);
	return KERNEL_OK;
}

/* ---- the source ---- */

/* Whoever died while the tree was patched left a journal. */
static int restore(const char *root, const char *key, struct err *e)
{
	char *tree __cleanup_free = source_tree(root, key);
	char *journal __cleanup_free = source_journal(root, key);

	return overlay_restore(tree, journal, e);
}

static enum kernel_result open_source(const char *kdir, const char *commit, bool refresh,
				      bool verbose, struct kernel_source **out, struct err *e)
{
	struct kernel_source *src = xcalloc(1, sizeof(*src));
	char *root __cleanup_free = NULL;
	bool cached = false;
	int lock = -1, ret;

	ret = cache_open(&root, e);
	/* who finds everything built must not wait for another's build */
	if (!ret && !kdir && !refresh)
		cached = !source_debian_cached(root, src, e);
	if (!ret && !cached) {
		lock = cache_lock(root, e);
		ret = MIN(lock, 0);
	}
	if (!ret && commit)
		ret = source_commit_open(root, kdir, commit, src, e);
	else if (!ret && !cached)
		ret = kdir ? source_kdir_open(root, kdir, src, e)
			   : source_debian_open(root, refresh, verbose, src, e);
	cache_unlock(lock);
	if (ret) {
		free(src);
		return failed(ret, KERNEL_SOURCE_FAILED);
	}
	*out = src;
	return KERNEL_OK;
}

enum kernel_result kernel_source_open(const char *kdir, bool verbose, struct kernel_source **src,
				      struct err *e)
{
	return open_source(kdir, NULL, false, verbose, src, e);
}

enum kernel_result kernel_source_open_commit(const char *kdir, const char *commit, bool verbose,
					     struct kernel_source **src, struct err *e)
{
	return open_source(kdir, commit, false, verbose, src, e);
}

enum kernel_result kernel_source_refresh(bool verbose, struct err *e)
{
	struct kernel_source *src;
	enum kernel_result ret = open_source(NULL, NULL, true, verbose, &src, e);

	if (ret == KERNEL_OK)
		kernel_source_close(src);
	return ret;
}

void kernel_source_close(struct kernel_source *src)
{
	if (!src)
		return;
	source_reset(src);
	free(src);
}

/*
 * With the lock: the tree is unpatched and still what it was when it was
 * opened.  All kernels of a run must come from one source.
 */
static int settle_source(const char *root, const struct kernel_source *src, struct err *e)
{
	char *tree __cleanup_free = source_tree(root, src->key);
	char identity[HASH_HEX];
	int ret = restore(root, src->key, e);

	if (ret)
		return ret;
	if (!src->kdir) {
		if (access(tree, F_OK))
			return err_set(e, -ENOENT,
				       "the kernel source was removed from the cache "
				       "meanwhile; start again");
		return 0;
	}
	ret = src->commit ? source_commit_sync(root, src->kdir, src->key, src->commit, identity, e)
			  : source_kdir_sync(root, src->kdir, src->key, identity, e);
	if (!ret && strcmp(identity, src->identity))
		ret = err_set(e, -ESTALE,
			      "KDIR=%s was changed while the kernels were being built; "
			      "start again",
			      src->kdir);
	return ret;
}

/* ---- one build ---- */

struct job {
	const struct kernel_request *req;
	const struct kernel_source *src;
	struct wanted w;
	char *root;
	int lock;
	char *kernel; /* "Linux 7.3.4 (linux-source-7.3 7.3.4-1~bpo13+1)" */
	char *tree, *journal, *work;
	char *compiler;
	char key[HASH_HEX];
	struct overlay overlay;
};

static void job_free(struct job *j)
{
	overlay_free(&j->overlay);
	cache_unlock(j->lock);
	wanted_free(&j->w);
	free(j->root);
	free(j->kernel);
	free(j->tree);
	free(j->journal);
	free(j->work);
	free(j->compiler);
}

static int job_init(struct job *j, const struct kernel_source *src,
		    const struct kernel_request *req, struct err *e)
{
	int ret;

	memset(j, 0, sizeof(*j));
	j->lock = -1;
	j->req = req;
	j->src = src;
	ret = load_wanted(req, &j->w, e);
	if (!ret)
		ret = cache_open(&j->root, e);
	if (ret)
		return ret;
	j->kernel = xasprintf("Linux %s (%s)", src->version, src->name);
	j->tree = source_tree(j->root, src->key);
	j->journal = source_journal(j->root, src->key);
	j->work = xasprintf("%s/sources/.patching", j->root);
	return 0;
}

/* Takes the lock, puts the source in order and applies the patches to copies. */
static enum kernel_result job_prepare(struct job *j, struct err *e)
{
	int ret;

	if (j->lock < 0)
		j->lock = cache_lock(j->root, e);
	if (j->lock < 0)
		return failed(j->lock, KERNEL_CACHE_FAILED);
	ret = settle_source(j->root, j->src, e);
	if (ret)
		return failed(ret, KERNEL_SOURCE_FAILED);
	ret = overlay_prepare(j->tree, j->kernel, j->work, &j->w.series, &j->overlay, e);
	return ret ? failed(ret, KERNEL_PATCH_FAILED) : KERNEL_OK;
}

static int first_line(const char *program, char **line, struct err *e)
{
	const char *argv[] = {program, "--version", NULL};
	int ret = run_output(argv, NULL, line, e);

	if (!ret)
		(*line)[strcspn(*line, "\n")] = '\0';
	return ret;
}

/* Fails if a program that a build needs is missing; fills in what compiles and links. */
static int find_tools(struct job *j, struct err *e)
{
	static const char *const tools[] = {"make", "flex", "bison", "bc", "patch", "tar"};
	const struct arch *arch = j->req->arch;
	char *gcc_name __cleanup_free = xasprintf("%sgcc", arch->cross);
	char *ld_name __cleanup_free = xasprintf("%sld", arch->cross);
	char *gcc __cleanup_free = NULL;
	char *ld __cleanup_free = NULL;
	size_t i;
	int ret = first_line(gcc_name, &gcc, e);

	if (!ret)
		ret = first_line(ld_name, &ld, e);
	for (i = 0; i < ARRAY_SIZE(tools) && !ret; i++) {
		char *line __cleanup_free = NULL;

		ret = first_line(tools[i], &line, e);
	}
	if (!ret)
		j->compiler = xasprintf("%s; %s", gcc, ld);
	if (!ret || ret == -EINTR)
		return ret;
	return err_prefix(e, ret,
			  "building a kernel needs the packages that `make deps%s%s` installs",
			  arch->set ? " ARCH=" : "", arch->set ? arch->name : "");
}

/* A kernel that was built with these patches shows that they apply. */
static bool is_built(struct job *j)
{
	struct kernel_image *img = NULL;
	struct err e;

	if (find_tools(j, &e))
		return false;
	image_key(j->src->identity, &j->w.config, &j->w.series, j->compiler, j->key);
	if (image_load(j->root, j->key, j->req->arch, &j->w.series, &img, &e))
		return false;
	kernel_image_free(img);
	return true;
}

enum kernel_result kernel_check_apply(struct kernel_source *src, const struct kernel_request *req,
				      struct err *e)
{
	enum kernel_result res = KERNEL_OK;
	struct job j;
	int ret = job_init(&j, src, req, e);

	if (ret)
		res = failed(ret, KERNEL_BAD_REQUEST);
	else if (j.w.series.n && !is_built(&j))
		res = job_prepare(&j, e);
	job_free(&j);
	return res;
}

static bool touches_kconfig(const struct overlay *o)
{
	size_t i;

	for (i = 0; i < o->n; i++) {
		const char *slash = strrchr(o->files[i].path, '/');
		const char *name = slash ? slash + 1 : o->files[i].path;

		if (str_after(name, "Kconfig") || str_after(name, "Makefile") ||
		    str_after(o->files[i].path, "scripts/"))
			return true;
	}
	return false;
}

/* All that .config depends on. */
static void config_stamp(const struct job *j, char stamp[HASH_HEX])
{
	static const struct series none;

	image_key(j->src->identity, &j->w.config,
		  touches_kconfig(&j->overlay) ? &j->w.series : &none, j->compiler, stamp);
}

/* Object trees are shared by all variants of a source with one config and compiler. */
static char *objects_path(const struct job *j)
{
	struct hash *h = hash_new();
	char hex[HASH_HEX];

	hash_text(h, "config", j->w.config.text);
	hash_text(h, "compiler", j->compiler);
	if (j->req->arch != ARCH_DEFAULT)
		hash_text(h, "arch", j->req->arch->name);
	hash_end(h, hex);
	return xasprintf("%s/objects/%s@%.12s", j->root, j->src->key, hex);
}

static enum kernel_result make_kernel(struct job *j, struct build *b, struct err *e)
{
	char stamp[HASH_HEX];
	int ret;

	config_stamp(j, stamp);
	ret = build_config(b, &j->w.config, stamp, e);
	if (ret)
		return failed(ret, KERNEL_CONFIG_FAILED);
	ret = build_image(b, e);
	if (ret && b->no_space)
		return KERNEL_NO_SPACE;
	return ret ? failed(ret, KERNEL_BUILD_FAILED) : KERNEL_OK;
}

static enum kernel_result build_patched(struct job *j, struct build *b, struct err *e)
{
	enum kernel_result res;
	struct err restore_err;
	int ret = build_begin(b, e);

	if (!ret && j->overlay.n)
		ret = overlay_install(&j->overlay, j->tree, j->journal, e);
	res = ret ? failed(ret, KERNEL_CACHE_FAILED) : make_kernel(j, b, e);
	ret = overlay_restore(j->tree, j->journal, &restore_err);
	if (ret && res == KERNEL_OK) {
		*e = restore_err;
		return failed(ret, KERNEL_CACHE_FAILED);
	}
	return res;
}

static enum kernel_result build(struct job *j, struct kernel_image **out, struct err *e)
{
	char *objects __cleanup_free = objects_path(j);
	struct build b = {.root = j->root,
			  .name = j->req->spec->name,
			  .arch = j->req->arch,
			  .kernel = j->kernel,
			  .tree = j->tree,
			  .objects = objects,
			  .lock = j->lock,
			  .verbose = j->req->verbose};
	struct kernel_image *img;
	enum kernel_result res;
	int ret;

	ret = cache_need_space(j->root, BUILD_BYTES, "building a kernel", e);
	if (ret)
		return failed(ret, KERNEL_CACHE_FAILED);
	res = build_patched(j, &b, e);
	if (res != KERNEL_OK)
		return res;
	img = xcalloc(1, sizeof(*img));
	img->version = xstrdup(j->src->version);
	img->source = xstrdup(j->src->name);
	img->source_identity = xstrdup(j->src->identity);
	img->compiler = xstrdup(j->compiler);
	img->build_seconds = b.seconds;
	img->built = true;
	image_set_patches(img, &j->w.series);
	ret = image_publish(j->root, j->key, j->req->arch, objects, j->req->spec->name, img, e);
	if (ret) {
		kernel_image_free(img);
		return failed(ret, KERNEL_CACHE_FAILED);
	}
	*out = img;
	return KERNEL_OK;
}

/* From the cache, where it may have come from another directory with the same content. */
static int load_image(const struct job *j, struct kernel_image **img, struct err *e)
{
	int ret = image_load(j->root, j->key, j->req->arch, &j->w.series, img, e);

	if (!ret) {
		free((*img)->source);
		(*img)->source = xstrdup(j->src->name);
	}
	return ret;
}

static enum kernel_result get(struct job *j, struct kernel_image **img, struct err *e)
{
	enum kernel_result res;
	int ret = find_tools(j, e);

	if (ret)
		return failed(ret, KERNEL_TOOLS_MISSING);
	image_key(j->src->identity, &j->w.config, &j->w.series, j->compiler, j->key);
	ret = load_image(j, img, e);
	if (ret != -ENOENT)
		return ret ? failed(ret, KERNEL_CACHE_FAILED) : KERNEL_OK;
	j->lock = cache_lock(j->root, e);
	if (j->lock < 0)
		return failed(j->lock, KERNEL_CACHE_FAILED);
	/* whoever we waited for may have built it */
	ret = load_image(j, img, e);
	if (ret != -ENOENT)
		return ret ? failed(ret, KERNEL_CACHE_FAILED) : KERNEL_OK;
	res = job_prepare(j, e);
	return res == KERNEL_OK ? build(j, img, e) : res;
}

enum kernel_result kernel_get(struct kernel_source *src, const struct kernel_request *req,
			      struct kernel_image **img, struct err *e)
{
	enum kernel_result res;
	struct job j;
	int ret;

	*img = NULL;
	ret = job_init(&j, src, req, e);
	res = ret ? failed(ret, KERNEL_BAD_REQUEST) : get(&j, img, e);
	job_free(&j);
	return res;
}
