// SPDX-License-Identifier: GPL-2.0-only
#include "host/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>

#include "host/spawn.h"
#include "lib/fileio.h"

int cache_open(char **root, struct err *e)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int ret;

	/* the XDG base directory specification: a relative path is to be ignored */
	if (xdg && xdg[0] == '/')
		*root = xasprintf("%s/blkproof", xdg);
	else if (home && home[0] == '/')
		*root = xasprintf("%s/.cache/blkproof", home);
	else
		return err_set(e, -ENOENT, "no place for the cache: set HOME or XDG_CACHE_HOME");
	ret = make_dirs(*root, e);
	if (ret) {
		free(*root);
		*root = NULL;
	}
	return ret;
}

static void say_waiting(int fd, const char *for_what)
{
	char pid[32] = "";
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	if (n > 0)
		pid[strcspn(pid, "\n")] = '\0';
	if (*pid)
		fprintf(stderr, "waiting for %s (pid %s)\n", for_what, pid);
	else
		fprintf(stderr, "waiting for %s\n", for_what);
}

/* flock() that a signal can end.  Returns the descriptor. */
static int lock_file(const char *root, const char *name, int how, const char *for_what,
		     struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/%s", root, name);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	bool said = false;
	int ret;

	if (fd < 0)
		return err_errno(e, -errno, "%s", path);
	while (flock(fd, how | LOCK_NB)) {
		struct pollfd p = {.fd = interrupt_fd(), .events = POLLIN};

		ret = -errno;
		if (interrupt_signal())
			ret = err_set(e, -EINTR, "interrupted");
		else if (ret != -EWOULDBLOCK && ret != -EINTR)
			err_errno(e, ret, "%s: cannot lock", path);
		else
			ret = 0;
		if (ret) {
			close(fd);
			return ret;
		}
		if (!said)
			say_waiting(fd, for_what);
		said = true;
		poll(&p, 1, 200);
	}
	return fd;
}

int cache_lock(const char *root, struct err *e)
{
	int fd = lock_file(root, "lock", LOCK_EX, "another build", e);
	char text[32];

	if (fd < 0)
		return fd;
	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, text, strlen(text), 0) < 0) {
		/* only a courtesy to whoever waits */
	}
	return fd;
}

int cache_use(const char *root, struct err *e)
{
	return lock_file(root, "users", LOCK_SH, "the cache to be emptied", e);
}

int cache_lock_unused(const char *root, struct err *e)
{
	return lock_file(root, "users", LOCK_EX, "runs that use the cache", e);
}

void cache_unlock(int fd)
{
	if (fd >= 0)
		close(fd);
}

int cache_need_space(const char *root, u64 bytes, const char *what, struct err *e)
{
	struct statvfs s;
	u64 free_bytes;
	char need[24], have[24];

	if (statvfs(root, &s))
		return err_errno(e, -errno, "%s", root);
	free_bytes = (u64)s.f_bavail * s.f_frsize;
	if (free_bytes >= bytes)
		return 0;
	return err_set(e, -ENOSPC,
		       "not enough disk space for %s: %s needed in %s, %s free "
		       "(`make cache` lists what could go)",
		       what, usage_text(bytes, need), root, usage_text(free_bytes, have));
}
