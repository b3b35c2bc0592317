// SPDX-License-Identifier: GPL-2.0-only
#include "host/run_dir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/fileio.h"

#define TMP_PREFIX ".tmp-"
#define NAME_MAX_LEN 100

int run_name_check(const char *traces, const char *name, struct err *e)
{
	char *path __cleanup_free = NULL;
	const char *p;
	struct stat st;

	for (p = name; isalnum((unsigned char)*p) || strchr("-_.+", *p); p++)
		if (!*p)
			break;
	if (!*name || *p || *name == '.' || *name == '-' || strlen(name) > NAME_MAX_LEN)
		return err_set(e, -EINVAL,
			       "run name '%s': expected letters, digits and - _ . +, at most %d, "
			       "not starting with . or -",
			       name, NAME_MAX_LEN);
	path = xasprintf("%s/%s", traces, name);
	if (!lstat(path, &st))
		return err_set(e, -EEXIST, "%s exists, and no run is ever overwritten", path);
	return 0;
}

int run_traces_check(const char *traces, struct err *e)
{
	int ret = make_dirs(traces, e);

	if (!ret && access(traces, W_OK | X_OK))
		ret = err_errno(e, -errno, "%s: no run can be written there", traces);
	return ret;
}

static void remove_stale(const char *traces)
{
	DIR *d = opendir(traces);
	struct dirent *entry;
	char *path;
	int fd;

	if (!d)
		return;
	while ((entry = readdir(d))) {
		if (!str_after(entry->d_name, TMP_PREFIX))
			continue;
		path = xasprintf("%s/%s", traces, entry->d_name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0) {
			if (!flock(fd, LOCK_EX | LOCK_NB))
				remove_tree(path);
			close(fd);
		}
		free(path);
	}
	closedir(d);
}

/* -EAGAIN: it was taken for a stale one and removed. */
static int make_tmp(struct run_dir *r, struct err *e)
{
	char *path = xasprintf("%s/" TMP_PREFIX "XXXXXX", r->traces);
	struct stat st;
	int ret;

	if (!mkdtemp(path)) {
		ret = err_errno(e, -errno, "%s", path);
		free(path);
		return ret;
	}
	r->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->lock < 0 || flock(r->lock, LOCK_EX | LOCK_NB) || stat(path, &st)) {
		cleanup_close(&r->lock);
		r->lock = -1;
		rmdir(path);
		free(path);
		return -EAGAIN;
	}
	r->tmp = path;
	return chmod(path, 0755) ? err_errno(e, -errno, "%s", path) : 0;
}

int run_dir_open(struct run_dir *r, const char *traces, const char *name, struct err *e)
{
	int ret;

	memset(r, 0, sizeof(*r));
	r->lock = -1;
	r->traces = xstrdup(traces);
	r->name = name ? xstrdup(name) : NULL;
	ret = make_dirs(traces, e);
	if (ret)
		return ret;
	remove_stale(traces);
	/* another run's remove_stale() may see ours before it is locked */
	do {
		ret = make_tmp(r, e);
	} while (ret == -EAGAIN);
	if (ret)
		return ret;
	r->work = xasprintf("%s/work", r->tmp);
	if (mkdir(r->work, 0700))
		return err_errno(e, -errno, "%s", r->work);
	return 0;
}

/* One more than the highest runNNN that there is. */
static unsigned int next_number(const char *traces)
{
	unsigned int n, max = 0;
	struct dirent *entry;
	DIR *d = opendir(traces);
	int end;

	if (!d)
		return 1;
	while ((entry = readdir(d))) {
		end = 0;
		if (sscanf(entry->d_name, "run%9u%n", &n, &end) == 1 && !entry->d_name[end])
			max = MAX(max, n);
	}
	closedir(d);
	return max + 1;
}

/* Never replaces anything, not even an empty directory, as rename() would. */
static int publish_as(const struct run_dir *r, const char *path)
{
	return renameat2(AT_FDCWD, r->tmp, AT_FDCWD, path, RENAME_NOREPLACE) ? -errno : 0;
}

int run_dir_publish(struct run_dir *r, char **path, struct err *e)
{
	char *to = NULL;
	unsigned int n;
	int ret;

	ret = remove_tree(r->work);
	if (ret)
		return err_errno(e, ret, "%s", r->work);
	ret = -EEXIST;
	if (r->name) {
		to = xasprintf("%s/%s", r->traces, r->name);
		ret = publish_as(r, to);
	}
	/* another run may take the number between our look and our rename */
	for (n = next_number(r->traces); ret == -EEXIST; n++) {
		free(to);
		to = xasprintf("%s/run%03u", r->traces, n);
		ret = publish_as(r, to);
	}
	if (ret) {
		err_errno(e, ret, "%s: cannot be published", to);
		free(to);
		return ret;
	}
	free(r->tmp);
	r->tmp = NULL;
	*path = to;
	return 0;
}

void run_dir_close(struct run_dir *r)
{
	if (r->tmp)
		remove_tree(r->tmp);
	if (r->lock >= 0)
		close(r->lock);
	free(r->traces);
	free(r->name);
	free(r->tmp);
	free(r->work);
	memset(r, 0, sizeof(*r));
	r->lock = -1;
}
