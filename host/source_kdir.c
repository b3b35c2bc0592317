// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user's kernel tree, copied into the cache: what git tracks and what it
 * would (modified and new files, too), never what a build left there.
 *
 * A manifest keeps each file's SHA-256 and what stat() said about the user's
 * file when it was hashed.  The next time, only files whose stat() differs are
 * read, and only those whose content differs are written, so make rebuilds
 * what depends on them.  The identity is a hash over paths, modes and contents.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "host/cache.h"
#include "host/hash.h"
#include "host/overlay.h"
#include "host/progress.h"
#include "host/source.h"
#include "host/source_manifest.h"
#include "host/spawn.h"
#include "lib/fileio.h"

#define FILE_MAX (256u << 20)
#define COPY_BYTES 2200000000ull
/* a file changed again within this time of being hashed may have the same stat() */
#define RACY_NS (2 * (s64)NSEC_PER_SEC)

/* ---- hashing and copying ---- */

static s64 to_ns(struct timespec ts)
{
	return (s64)ts.tv_sec * (s64)NSEC_PER_SEC + ts.tv_nsec;
}

/* Reads a file's or a symbolic link's content. */
static int read_content(const char *path, unsigned int mode, char **data, size_t *len,
			struct err *e)
{
	char target[4096];
	ssize_t n;

	if (mode)
		return file_read(path, FILE_MAX, data, len, e);
	n = readlink(path, target, sizeof(target));
	if (n < 0 || n == sizeof(target))
		return err_errno(e, n < 0 ? -errno : -ENAMETOOLONG, "%s", path);
	*data = xstrndup(target, (size_t)n);
	*len = (size_t)n;
	return 0;
}

static void content_hash(const char *data, size_t len, char sha[HASH_HEX])
{
	struct hash *h = hash_new();

	hash_add(h, "content", data, len);
	hash_end(h, sha);
}

static int write_content(const char *path, unsigned int mode, const char *data, size_t len,
			 struct err *e)
{
	char *dir __cleanup_free = xstrdup(path);
	int fd, ret;

	*strrchr(dir, '/') = '\0';
	if (access(dir, F_OK)) {
		ret = make_dirs(dir, e);
		if (ret)
			return ret;
	}
	if (unlink(path) && errno != ENOENT)
		return err_errno(e, -errno, "%s", path);
	if (!mode)
		return symlink(data, path) ? err_errno(e, -errno, "%s", path) : 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return err_errno(e, -errno, "%s", path);
	ret = fd_write_all(fd, data, len);
	if (close(fd) && !ret)
		ret = -errno;
	return ret ? err_errno(e, ret, "%s", path) : 0;
}

/* Fills in @en from the user's tree; @old says what is known of it, @now when that was. */
static int examine(const char *kdir, struct entry *en, const struct entry *old, s64 when,
		   struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/%s", kdir, en->path);
	char *data __cleanup_free = NULL;
	struct stat st;
	size_t len;
	int ret;

	if (lstat(path, &st))
		return errno == ENOENT || errno == ENOTDIR ? 1 : err_errno(e, -errno, "%s", path);
	if (S_ISDIR(st.st_mode)) /* a submodule */
		return 1;
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(e, -EINVAL, "%s: neither a file nor a symbolic link", path);
	en->mode = S_ISLNK(st.st_mode) ? 0 : st.st_mode & 0100 ? 0755 : 0644;
	en->size = (u64)st.st_size;
	en->ino = st.st_ino;
	en->mtime = to_ns(st.st_mtim);
	en->ctime = to_ns(st.st_ctim);
	en->change = true;
	if (!old)
		return 0; /* hashed when it is copied */
	memcpy(en->sha, old->sha, sizeof(en->sha));
	if (en->mode == old->mode && en->size == old->size && en->ino == old->ino &&
	    en->mtime == old->mtime && en->ctime == old->ctime &&
	    MAX(en->mtime, en->ctime) < when - RACY_NS) {
		en->change = false;
		return 0;
	}
	ret = read_content(path, en->mode, &data, &len, e);
	if (ret)
		return ret;
	content_hash(data, len, en->sha);
	en->change = en->mode != old->mode || strcmp(en->sha, old->sha);
	return 0;
}

static int copy_entry(const char *kdir, const char *tree, struct entry *en, struct err *e)
{
	char *from __cleanup_free = xasprintf("%s/%s", kdir, en->path);
	char *to __cleanup_free = xasprintf("%s/%s", tree, en->path);
	char *data __cleanup_free = NULL;
	size_t len;
	int ret = read_content(from, en->mode, &data, &len, e);

	if (ret)
		return ret;
	content_hash(data, len, en->sha);
	return write_content(to, en->mode, data, len, e);
}

/* Copies what changed and removes what is gone. */
static int apply_changes(const char *kdir, const char *tree, struct manifest *now,
			 const struct manifest *old, struct err *e)
{
	struct meter m;
	size_t i;
	int ret = 0;

	meter_start(&m, "copying the kernel tree");
	for (i = 0; i < now->n && !ret; i++) {
		if (interrupt_signal())
			ret = err_set(e, -EINTR, "interrupted");
		else if (now->entries[i].change)
			ret = copy_entry(kdir, tree, &now->entries[i], e);
		meter_update(&m, "%zu of %zu files", i + 1, now->n);
	}
	for (i = 0; i < old->n && !ret; i++) {
		char *path __cleanup_free = xasprintf("%s/%s", tree, old->entries[i].path);

		if (!manifest_find(now, old->entries[i].path) && unlink(path) && errno != ENOENT)
			ret = err_errno(e, -errno, "%s", path);
	}
	meter_clear(&m);
	return ret;
}

static int examine_all(const char *root, const char *kdir, struct manifest *now,
		       const struct manifest *old, s64 when, size_t *changes, struct err *e)
{
	char **paths;
	size_t n, i, gone = 0;
	int ret = source_kdir_list(root, kdir, &now->text, &paths, &n, e);

	now->entries = xcalloc(n, sizeof(*now->entries));
	for (i = 0; i < n && ret >= 0; i++) {
		struct entry *en = &now->entries[now->n], *was;

		if (strchr(paths[i], '\n'))
			continue; /* none of the kernel's */
		en->path = paths[i];
		was = manifest_find(old, paths[i]);
		gone += was != NULL;
		ret = examine(kdir, en, was, when, e);
		gone -= was && ret == 1;
		if (ret == 0) {
			*changes += en->change;
			now->n++;
		}
	}
	free(paths);
	*changes += old->n - gone;
	return MIN(ret, 0);
}

static s64 file_time(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : to_ns(st.st_mtim);
}

int source_kdir_sync(const char *root, const char *kdir, const char *key, char hex[HASH_HEX],
		     struct err *e)
{
	char *dir __cleanup_free = source_dir(root, key);
	char *tree __cleanup_free = source_tree(root, key);
	char *journal __cleanup_free = source_journal(root, key);
	char *path __cleanup_free = xasprintf("%s/manifest", dir);
	struct manifest old = {0}, now = {0};
	size_t changes = 0;
	int ret;

	/* without a manifest nothing is known of the copy: it was cut short */
	if (access(path, F_OK)) {
		ret = source_remove(root, key, e);
		if (!ret)
			ret = cache_need_space(root, COPY_BYTES, "a copy of the kernel tree", e);
		if (ret)
			return ret;
	}
	ret = make_dirs(tree, e);
	if (!ret)
		ret = overlay_restore(tree, journal, e);
	if (!ret)
		ret = manifest_load(path, &old, e);
	if (!ret)
		ret = examine_all(root, kdir, &now, &old, file_time(path), &changes, e);
	if (!ret && changes) {
		unlink(path);
		ret = apply_changes(kdir, tree, &now, &old, e);
		if (!ret)
			ret = manifest_save(path, &now, e);
	}
	manifest_identity(&now, hex);
	manifest_free(&old);
	manifest_free(&now);
	return ret;
}

char *source_kdir_key(const char *real)
{
	char path_hash[HASH_HEX];
	struct hash *h = hash_new();

	hash_text(h, "kdir", real);
	hash_end(h, path_hash);
	return xasprintf("kdir-%.16s", path_hash);
}

int source_kdir_open(const char *root, const char *kdir, struct kernel_source *src, struct err *e)
{
	char *real __cleanup_free = realpath(kdir, NULL);
	char *version __cleanup_free = NULL;
	char *dir __cleanup_free = NULL;
	char identity[HASH_HEX];
	int ret;

	memset(src, 0, sizeof(*src));
	if (!real)
		return err_errno(e, -errno, "KDIR=%s", kdir);
	version = source_version(real);
	if (!version)
		return err_set(e, -EINVAL,
			       "KDIR=%s: not a kernel tree (no Makefile with a VERSION, "
			       "or no Kbuild)",
			       kdir);
	src->key = source_kdir_key(real);
	dir = source_dir(root, src->key);
	ret = make_dirs(dir, e);
	if (!ret)
		ret = source_kdir_sync(root, real, src->key, identity, e);
	if (!ret) {
		src->kdir = xstrdup(real);
		src->version = xstrdup(version);
		src->identity = xstrdup(identity);
		src->name = source_kdir_describe(real);
		ret = source_save(dir, src, e);
	}
	if (ret)
		source_reset(src);
	return ret;
}
