// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

ssize_t fd_read_full(int fd, void *data, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = read(fd, (char *)data + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int fd_write_all(int fd, const void *data, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(fd, (const char *)data + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

int file_read(const char *path, size_t max, char **data, size_t *len, struct err *e)
{
	/* opening a FIFO would wait for a writer */
	int fd __cleanup_close = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *buf __cleanup_free = NULL;
	size_t size = 0, have = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return err_errno(e, -errno, "%s", path);
	/* what can be read once only would be empty for whoever reads it again */
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(e, -EINVAL, "%s: not a regular file", path);
	do {
		if (have + 1 >= size) {
			size = size ? size * 2 : 4096;
			buf = xrealloc(buf, size, 1);
		}
		n = fd_read_full(fd, buf + have, size - 1 - have);
		if (n < 0)
			return err_errno(e, (int)n, "%s", path);
		have += (size_t)n;
		if (have > max)
			return err_set(e, -EFBIG, "%s: larger than %zu bytes", path, max);
	} while (n > 0);
	buf[have] = '\0';
	*data = buf;
	buf = NULL;
	if (len)
		*len = have;
	return 0;
}

int file_write_atomic(const char *path, const void *data, size_t len, struct err *e)
{
	char *tmp __cleanup_free = xasprintf("%s.tmp.XXXXXX", path);
	int fd, ret;

	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, -errno, "%s", tmp);
	ret = fd_write_all(fd, data, len);
	if (!ret && fchmod(fd, 0644))
		ret = -errno;
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(tmp, path))
		ret = -errno;
	if (ret) {
		unlink(tmp);
		return err_errno(e, ret, "%s: cannot be written", path);
	}
	return 0;
}

int make_dirs(const char *path, struct err *e)
{
	char *copy __cleanup_free = xstrdup(path);
	char *p = copy;

	do {
		p = strchr(p + 1, '/');
		if (p)
			*p = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			return err_errno(e, -errno, "%s: cannot make the directory", copy);
		if (p)
			*p = '/';
	} while (p);
	return 0;
}

static int remove_one(const char *path, const struct stat *st __unused_arg, int type __unused_arg,
		      struct FTW *ftw __unused_arg)
{
	return remove(path) ? -errno : 0;
}

int remove_tree(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}

bool disk_is_full(const char *path)
{
	struct statvfs v;

	return !statvfs(path, &v) && (u64)v.f_bavail * v.f_frsize < 1u << 20;
}
