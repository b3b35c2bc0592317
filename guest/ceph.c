// SPDX-License-Identifier: GPL-2.0-only
/*
 * CephFS mounts.  Each has "noshare", so that it is a client of its own with
 * its own caps, its own connections and its own page cache, as if it were
 * another machine.
 */
#include "guest/ceph.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "guest/mountopt.h"
#include "guest/net.h"
#include "guest/sys.h"
#include "lib/fileio.h"
#include "lib/testdata.h"

#define DEBUG_DIR "/sys/kernel/debug/ceph"
#define WRITER GUEST_MOUNT "/writer"
#define WRITE_CHUNK (4u << 20)

static int mount_client(const struct agent *a, const char *dir, bool writer, struct err *e)
{
	const struct experiment *exp = a->exp;
	char extra[256], data[400];
	unsigned long flags;
	int ret;

	ret = mount_options(exp->mount_options, &flags, extra, sizeof(extra));
	if (ret)
		return err_set(e, ret, "mount_options '%s' are too long", exp->mount_options);
	if (writer)
		flags &= ~(unsigned long)MS_RDONLY;
	/*
	 * No checksums of data: an emulated CPU would spend more time on them than on
	 * what is measured.  The pattern compares every byte itself.
	 */
	snprintf(data, sizeof(data), "name=admin,noshare,nocrc,rasize=%llu%s%s",
		 (unsigned long long)exp->read_ahead_kb * 1024, *extra ? "," : "", extra);
	if (mkdir(dir, 0755) && errno != EEXIST)
		return err_errno(e, -errno, "mkdir %s", dir);
	if (mount(CEPH_MONITOR ":/", dir, "ceph", flags, data))
		return err_errno(e, -errno, "mount -t ceph -o '%s' " CEPH_MONITOR ":/ %s", data,
				 dir);
	return 0;
}

static int unmount(const char *dir, struct err *e)
{
	return umount2(dir, 0) ? err_errno(e, -errno, "unmounting %s", dir) : 0;
}

/*
 * The window of every mount, which the kernel may have rounded.  The name of a
 * mount's backing device is "ceph-" and a number.
 */
static int check_read_ahead(struct agent *a, struct err *e)
{
	DIR *dir = opendir("/sys/class/bdi");
	struct dirent *d;
	int ret = -ENOENT;

	while (dir && (d = readdir(dir))) {
		if (strncmp(d->d_name, "ceph-", 5))
			continue;
		ret = sys_read_number(&a->read_ahead_kb, "/sys/class/bdi/%s/read_ahead_kb",
				      d->d_name);
		if (ret || a->read_ahead_kb != a->exp->read_ahead_kb)
			break;
	}
	if (dir)
		closedir(dir);
	if (ret)
		return err_errno(e, ret, "/sys/class/bdi/ceph-*/read_ahead_kb");
	if (a->read_ahead_kb != a->exp->read_ahead_kb)
		return err_set(e, -EINVAL,
			       "read_ahead_kb: mounted with %llu, the kernel keeps %llu",
			       (unsigned long long)a->exp->read_ahead_kb,
			       (unsigned long long)a->read_ahead_kb);
	return 0;
}

static int write_file(struct agent *a, const char *path, struct err *e)
{
	int fd __cleanup_close = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	u8 *buf __cleanup_free = xmalloc(WRITE_CHUNK);
	u64 at, len, size = a->exp->file_size;
	int ret;

	if (fd < 0)
		return err_errno(e, -errno, "%s", path);
	for (at = 0; at < size; at += len) {
		len = MIN(size - at, (u64)WRITE_CHUNK);
		/* whole words, of which the file may want only a part */
		testdata_fill(buf, at, (len + 7) & ~7ull);
		ret = fd_write_all(fd, buf, len);
		if (ret)
			return err_errno(e, ret, "writing %s", path);
		agent_progress(a, 0, at + len, size);
	}
	/* the writer's unmount must find nothing left to do */
	if (fsync(fd))
		return err_errno(e, -errno, "fsync of %s", path);
	return 0;
}

int ceph_setup(struct agent *a, struct err *e)
{
	int ret;

	a->step = "bring up the network";
	ret = net_setup(e);
	if (ret)
		return ret;
	a->step = "mount CephFS";
	ret = mount_client(a, WRITER, true, e);
	if (!ret)
		ret = check_read_ahead(a, e);
	if (ret)
		return ret;
	a->step = "write the test file";
	ret = write_file(a, WRITER "/" TEST_FILE_NAME, e);
	if (!ret)
		ret = agent_test_file(a, WRITER "/" TEST_FILE_NAME, e);
	/* each mount is a device of its own; the file has one inode number in all of them */
	a->file.major = a->file.minor = 0;
	snprintf(a->file.path, sizeof(a->file.path), GUEST_MOUNT "/client-N/" TEST_FILE_NAME);
	return ret ? ret : unmount(WRITER, e);
}

/* One directory per client instance; what else is there has no osdc. */
static int each_client(int (*fn)(const char *name, int *sum), int *sum)
{
	DIR *dir = opendir(DEBUG_DIR);
	struct dirent *d;
	char path[300];
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (d = readdir(dir))) {
		snprintf(path, sizeof(path), DEBUG_DIR "/%s/osdc", d->d_name);
		if (d->d_name[0] != '.' && !access(path, F_OK))
			ret = fn(path, sum);
	}
	closedir(dir);
	return ret;
}

static int count_client(const char *path __unused_arg, int *sum)
{
	++*sum;
	return 0;
}

/* The first line of osdc is "REQUESTS n homeless n". */
static int add_requests(const char *path, int *sum)
{
	int n, homeless;
	char line[64];

	if (sys_read_line(line, sizeof(line), "%s", path) ||
	    sscanf(line, "REQUESTS %d homeless %d", &n, &homeless) != 2)
		return -ENODATA;
	*sum += n;
	return 0;
}

int ceph_in_flight(void)
{
	int n = 0, ret = each_client(add_requests, &n);

	return ret ? ret : n;
}

int ceph_mount_clients(struct agent *a, const struct phase *phase, unsigned int *counted,
		       struct err *e)
{
	char dir[40];
	unsigned int i;
	int n = 0, ret;

	if (phase->clients > CLIENTS_MAX)
		return err_set(e, -E2BIG, "%u clients are more than %d", phase->clients,
			       CLIENTS_MAX);
	for (i = 0; i < phase->clients; i++) {
		snprintf(dir, sizeof(dir), GUEST_MOUNT "/client-%u", i);
		ret = mount_client(a, dir, false, e);
		if (ret)
			return ret;
		snprintf(a->files.path[i], sizeof(a->files.path[i]), "%s/" TEST_FILE_NAME, dir);
		a->files.n = i + 1;
	}
	ret = check_read_ahead(a, e);
	if (ret)
		return ret;
	/* mounts that share a client share its page cache: then nothing here means anything */
	ret = each_client(count_client, &n);
	if (ret)
		return err_errno(e, ret, DEBUG_DIR);
	*counted = (unsigned int)n;
	if (*counted != phase->clients)
		return err_set(e, -EINVAL, DEBUG_DIR ": %d client instances, expected %u", n,
			       phase->clients);
	return 0;
}

int ceph_unmount_clients(struct agent *a, struct err *e)
{
	char dir[40];
	int ret = 0;

	for (; a->files.n && !ret; a->files.n--) {
		snprintf(dir, sizeof(dir), GUEST_MOUNT "/client-%u", a->files.n - 1);
		ret = unmount(dir, e);
	}
	return ret;
}
