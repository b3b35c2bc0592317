// SPDX-License-Identifier: GPL-2.0-only
#include "host/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "host/disk_ext4.h"
#include "host/disk_mkfs.h"
#include "host/hash.h"
#include "host/spawn.h"
#include "lib/fileio.h"
#include "lib/size.h"
#include "lib/testdata.h"

#define DISK_VERSION 1 /* of how images are made; part of their name in the cache */
#define FILE_MAX (8ull << 40)
#define WRITE_CHUNK (4u << 20)
#define MEMORY_RESERVE (256ull << 20) /* for QEMU itself and for us */

bool disk_needs_guest(const struct disk_spec *s)
{
	return strcmp(s->filesystem, "ext4") != 0;
}

int disk_check(const struct disk_spec *s, struct err *e)
{
	const struct filesystem *fs = filesystem_find(s->filesystem);
	u64 block = s->block_size;

	if (!fs)
		return err_set(e, -EINVAL, "filesystem '%s': a test disk can have %s",
			       s->filesystem, filesystem_names());
	if (block < fs->block_min || block > fs->block_max || block & (block - 1))
		return err_set(
			e, -EINVAL, "block_size %llu: %s has powers of two from %llu to %llu",
			(unsigned long long)block, fs->name, (unsigned long long)fs->block_min,
			(unsigned long long)fs->block_max);
	if (!s->file_size || s->file_size > FILE_MAX)
		return err_set(e, -EINVAL, "file_size %llu: at least 1 byte, at most 8 TiB",
			       (unsigned long long)s->file_size);
	if (s->n_more && disk_needs_guest(s))
		return err_set(e, -EINVAL, "filesystem %s: the files of a replay are on ext4 only",
			       fs->name);
	for (u32 i = 0; i < s->n_more; i++)
		if (!s->more[i] || s->more[i] > FILE_MAX)
			return err_set(e, -EINVAL,
				       "file %u has %llu bytes: at least 1 byte, at most 8 TiB",
				       i + 1, (unsigned long long)s->more[i]);
	return 0;
}

static u64 size_of(const struct disk_spec *s, u32 file)
{
	return file ? s->more[file - 1] : s->file_size;
}

/* All files in whole blocks; what they can add up to fits. */
static u64 files_size(const struct disk_spec *s)
{
	u64 sum = s->file_size;

	for (u32 i = 0; i < s->n_more; i++)
		sum += s->more[i] + 2 * s->block_size; /* its tail; its name */
	return sum;
}

int disk_tool_check(const struct disk_spec *s, struct err *e)
{
	return filesystem_tool_check(filesystem_find(s->filesystem), e);
}

/* The file, and what the file system needs for itself: bitmaps, inode tables, logs. */
static u64 image_size(const struct disk_spec *s)
{
	const struct filesystem *fs = filesystem_find(s->filesystem);
	u64 align = 1u << 20, files = files_size(s), more = files / 256 + (16u << 20);

	if (fs->overhead)
		more = files / fs->overhead + fs->image_min;
	return (files + more + align - 1) / align * align;
}

/* What it will occupy: an image is sparse but for the file and some metadata. */
static u64 image_usage(const struct disk_spec *s)
{
	const struct filesystem *fs = filesystem_find(s->filesystem);

	if (!fs->overhead)
		return image_size(s);
	return s->file_size + s->file_size / 64 + (160u << 20);
}

static int space_check(const char *dir, u64 bytes, struct err *e)
{
	char need[SIZE_TEXT_MAX], have[SIZE_TEXT_MAX];
	struct statvfs v;
	u64 avail;

	if (statvfs(dir, &v))
		return err_errno(e, -errno, "%s", dir);
	avail = (u64)v.f_bavail * v.f_frsize;
	if (avail >= bytes)
		return 0;
	return err_set(e, -ENOSPC, "%s: the test disk needs %s, and %s are free", dir,
		       size_text(bytes >> 20 << 20, need), size_text(avail >> 20 << 20, have));
}

int memory_check(u64 guest_bytes, struct err *e)
{
	char need[SIZE_TEXT_MAX], have[SIZE_TEXT_MAX];
	char *info __cleanup_free = NULL;
	const char *at;
	u64 avail;

	if (file_read("/proc/meminfo", 65536, &info, NULL, e))
		return 0; /* nothing is known: let QEMU try */
	at = strstr(info, "MemAvailable:");
	if (!at)
		return 0;
	avail = strtoull(at + strlen("MemAvailable:"), NULL, 10) << 10;
	if (avail >= guest_bytes + MEMORY_RESERVE)
		return 0;
	return err_set(e, -ENOMEM, "the guest needs %s of memory, and %s are available",
		       size_text(guest_bytes + MEMORY_RESERVE, need),
		       size_text(avail >> 20 << 20, have));
}

/* The content goes straight to where the file's extents are: one pass, no copy. */
static int fill(int fd, u32 file, u64 size, const struct disk_extents *x, struct meter *m,
		struct err *e)
{
	u64 salt = testdata_file(file);
	char total[SIZE_TEXT_MAX], now[SIZE_TEXT_MAX];
	u8 *buf __cleanup_free = xmalloc(WRITE_CHUNK);
	u64 at, len, file_at, done = 0;
	size_t i;

	size_text(size, total);
	for (i = 0; i < x->n; i++) {
		for (at = 0; at < x->e[i].length; at += len) {
			len = MIN(WRITE_CHUNK, x->e[i].length - at);
			file_at = x->e[i].file + at;
			testdata_fill(buf, salt + file_at, len);
			if (file_at + len > size)
				memset(buf + (size - file_at), 0, file_at + len - size);
			if (pwrite(fd, buf, len, (off_t)(x->e[i].disk + at)) != (ssize_t)len)
				return err_errno(e, errno ? -errno : -EIO, "test disk");
			done += len;
			if (interrupt_signal())
				return err_set(e, -EINTR, "interrupted");
			meter_update(m, "%s of %s", size_text(done >> 20 << 20, now), total);
		}
	}
	if (done < size)
		return err_set(e, -EIO, "test disk: only %llu of %llu bytes have a place",
			       (unsigned long long)done, (unsigned long long)size);
	return 0;
}

int disk_make(const struct disk_spec *s, const char *path, struct meter *m, struct err *e)
{
	struct disk_extents *x;
	u64 *sizes __cleanup_free = xcalloc(s->n_more + 1ul, sizeof(*sizes));
	int fd __cleanup_close = -1;
	u32 n = s->n_more + 1;
	int ret;

	ret = disk_check(s, e);
	if (ret)
		return ret;
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, -errno, "%s", path);
	if (ftruncate(fd, (off_t)image_size(s)))
		return err_errno(e, -errno, "%s", path);
	if (disk_needs_guest(s))
		return filesystem_make(filesystem_find(s->filesystem), path, s->block_size, e);
	for (u32 i = 0; i < n; i++)
		sizes[i] = size_of(s, i);
	x = xcalloc(n, sizeof(*x));
	ret = ext4_make(path, s->block_size, n, e);
	if (!ret)
		ret = ext4_add_files(path, sizes, n, x, e);
	for (u32 i = 0; i < n; i++) {
		if (!ret)
			ret = fill(fd, i, sizes[i], &x[i], m, e);
		free(x[i].e);
	}
	free(x);
	if (!ret && fsync(fd))
		ret = err_errno(e, -errno, "%s", path);
	return ret;
}

/* flock() that a signal can end. */
static int lock(int fd, const char *path, struct err *e)
{
	bool said = false;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_errno(e, -errno, "%s", path);
		if (interrupt_signal())
			return err_set(e, -EINTR, "interrupted");
		if (!said)
			fprintf(stderr, "waiting for another run that makes the same test disk\n");
		said = true;
		usleep(200000);
	}
	return 0;
}

static int fill_by_guest(const struct disk_spec *s, const char *dir, const char *image,
			 struct err *e)
{
	char *work __cleanup_free = xasprintf("%s/.filling-XXXXXX", dir);
	int ret;

	if (!mkdtemp(work))
		return err_errno(e, -errno, "%s", work);
	ret = s->fill(s->ctx, image, work, e);
	remove_tree(work);
	return ret;
}

static int make_locked(const struct disk_spec *s, const char *dir, const char *path, bool verbose,
		       struct err *e)
{
	char *tmp __cleanup_free = xasprintf("%s.tmp", path);
	char label[64], size[SIZE_TEXT_MAX];
	struct meter m;
	int ret;

	ret = space_check(dir, image_usage(s) + (16u << 20), e);
	if (ret)
		return ret;
	if (s->n_more)
		snprintf(label, sizeof(label), "test disk, %s with %u files", s->filesystem,
			 s->n_more + 1);
	else
		snprintf(label, sizeof(label), "test disk, %s with a file of %s", s->filesystem,
			 size_text(s->file_size, size));
	meter_start(&m, label);
	m.silent = verbose;
	ret = disk_make(s, tmp, &m, e);
	if (!ret && disk_needs_guest(s))
		ret = fill_by_guest(s, dir, tmp, e);
	if (!ret && rename(tmp, path))
		ret = err_errno(e, -errno, "%s", path);
	if (ret) {
		meter_clear(&m);
		unlink(tmp);
		return ret;
	}
	meter_end(&m, "done");
	return 0;
}

/* For the image's name: how many further files, and a hash of their sizes. */
static char *more_text(const struct disk_spec *s)
{
	char hex[HASH_HEX];
	struct hash *h;

	if (!s->n_more)
		return xstrdup("");
	h = hash_new();
	hash_add(h, "sizes", s->more, s->n_more * sizeof(*s->more));
	hash_end(h, hex);
	return xasprintf("+%u-%.16s", s->n_more, hex);
}

/*
 * The image's name.  Where a guest writes the file, so do the mount options that
 * shape it (compress, nodatasum); the rest of them only costs another image.
 */
static char *image_name(const struct disk_spec *s)
{
	char *more __cleanup_free = more_text(s);
	char hex[HASH_HEX];
	struct hash *h;
	bool plain = !disk_needs_guest(s) || !s->mount_options || !*s->mount_options ||
		     !strcmp(s->mount_options, "ro");

	if (!plain) {
		h = hash_new();
		hash_text(h, "mount options", s->mount_options);
		hash_end(h, hex);
	}
	return xasprintf("%s-%llu-%llu%s%s%.8s-v%d.img", s->filesystem,
			 (unsigned long long)s->block_size, (unsigned long long)s->file_size, more,
			 plain ? "" : "-", plain ? "" : hex, DISK_VERSION);
}

int disk_get(const struct disk_spec *s, const char *cache, bool verbose, char **path, struct err *e)
{
	char *dir __cleanup_free = xasprintf("%s/disks", cache);
	char *name __cleanup_free = NULL;
	char *image __cleanup_free = NULL;
	char *lockfile __cleanup_free = NULL;
	int fd __cleanup_close = -1;
	struct stat st;
	int ret;

	ret = disk_check(s, e);
	if (!ret)
		ret = make_dirs(dir, e);
	if (ret)
		return ret;
	name = image_name(s);
	image = xasprintf("%s/%s", dir, name);
	lockfile = xasprintf("%s.lock", image);
	fd = open(lockfile, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, -errno, "%s", lockfile);
	ret = lock(fd, lockfile, e);
	if (ret)
		return ret;
	if (stat(image, &st) || (u64)st.st_size != image_size(s)) {
		ret = make_locked(s, dir, image, verbose, e);
		if (ret)
			return ret;
	}
	*path = image;
	image = NULL;
	return 0;
}
