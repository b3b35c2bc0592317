// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "guest/agent.h"
#include "guest/mountopt.h"
#include "guest/sys.h"
#include "lib/fileio.h"
#include "lib/testdata.h"

#define DISK_TIMEOUT_MS 3000
#define DISK_RETRY_MS 20

static void disk_find_now(const char *wanted, char *name, size_t size)
{
	struct dirent *d;
	char serial[64];
	DIR *dir = opendir("/sys/block");

	name[0] = '\0';
	while (dir && !name[0] && (d = readdir(dir))) {
		if (strncmp(d->d_name, "vd", 2) || strlen(d->d_name) >= size)
			continue;
		if (!sys_read_line(serial, sizeof(serial), "/sys/block/%s/serial", d->d_name) &&
		    !strcmp(serial, wanted))
			snprintf(name, size, "%.*s", (int)size - 1, d->d_name);
	}
	if (dir)
		closedir(dir);
}

void disk_find(const char *serial, char *name, size_t size)
{
	unsigned int ms;

	disk_find_now(serial, name, size);
	for (ms = 0; !name[0] && ms < DISK_TIMEOUT_MS; ms += DISK_RETRY_MS) {
		sys_sleep_ms(DISK_RETRY_MS);
		disk_find_now(serial, name, size);
	}
}

/* Writes @text to a knob of the disk's queue. */
static int set_queue(const struct agent *a, const char *name, const char *text, struct err *e)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", a->disk, name);
	ret = sys_write(path, text);
	return ret ? err_errno(e, ret, "writing '%s' to %s", text, path) : 0;
}

/*
 * btrfs reads ahead by a backing_dev_info of its own, /sys/class/bdi/btrfs-N,
 * whatever the disk's queue says; the guest has one such file system.
 */
static int find_own_bdi(char *path, size_t size)
{
	DIR *dir = opendir("/sys/class/bdi");
	struct dirent *d;
	int ret = -ENOENT;

	while (dir && ret && (d = readdir(dir)))
		if (!strncmp(d->d_name, "btrfs-", 6)) {
			snprintf(path, size, "/sys/class/bdi/%s/read_ahead_kb", d->d_name);
			ret = 0;
		}
	if (dir)
		closedir(dir);
	return ret;
}

static int set_read_ahead(struct agent *a, struct err *e)
{
	char path[384], text[32];
	u64 wanted = a->exp->read_ahead_kb;
	int ret;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)wanted);
	ret = set_queue(a, "read_ahead_kb", text, e);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/sys/block/%s/queue/read_ahead_kb", a->disk);
	if (!strcmp(a->exp->filesystem, "btrfs")) {
		ret = find_own_bdi(path, sizeof(path));
		if (!ret)
			ret = sys_write(path, text);
	}
	if (!ret)
		ret = sys_read_number(&a->read_ahead_kb, "%s", path);
	if (ret)
		return err_errno(e, ret, "%s", path);
	/* the kernel rounds to pages; an experiment measured with another window is another one */
	if (a->read_ahead_kb != wanted)
		return err_set(e, -EINVAL, "read_ahead_kb: wrote %llu, the kernel keeps %llu",
			       (unsigned long long)wanted, (unsigned long long)a->read_ahead_kb);
	return 0;
}

/* The kernel takes a scheduler's name or fails; the one in brackets is the one in use. */
static int set_scheduler(const struct agent *a, struct err *e)
{
	char *in_use __cleanup_free = xasprintf("[%s]", a->exp->scheduler);
	char line[256];
	int ret;

	if (!*a->exp->scheduler)
		return 0;
	ret = set_queue(a, "scheduler", a->exp->scheduler, e);
	if (ret)
		return ret;
	ret = sys_read_line(line, sizeof(line), "/sys/block/%s/queue/scheduler", a->disk);
	if (ret)
		return err_errno(e, ret, "/sys/block/%s/queue/scheduler", a->disk);
	if (!strstr(line, in_use) && strcmp(line, a->exp->scheduler))
		return err_set(e, -EINVAL, "scheduler: wrote %s, the kernel has %s",
			       a->exp->scheduler, line);
	return 0;
}

/*
 * What the kernel says of the mount, proc_pid_mountinfo(5): "ID PARENT MAJOR:MINOR
 * ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPER_OPTIONS".  The device is that of
 * the super block, which events carry; stat() of a file on btrfs has another.
 */
static int read_mount(struct agent *a, struct err *e)
{
	char *text __cleanup_free = xmalloc(65536);
	char options[256], super[256], type[NAME_LEN], point[64];
	char *line, *save = NULL, *dash;
	ssize_t n = sys_read(text, 65536, "/proc/self/mountinfo");

	if (n < 0)
		return err_errno(e, (int)n, "/proc/self/mountinfo");
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		dash = strstr(line, " - ");
		if (!dash ||
		    sscanf(line, "%*s %*s %u:%u %*s %63s %255s", &a->fs_major, &a->fs_minor, point,
			   options) != 4 ||
		    strcmp(point, GUEST_MOUNT) ||
		    sscanf(dash, " - %47s %*s %255s", type, super) != 2)
			continue;
		if (strcmp(type, a->exp->filesystem))
			return err_set(e, -EINVAL, "asked for %s, the kernel has mounted %s",
				       a->exp->filesystem, type);
		snprintf(a->mount_options, sizeof(a->mount_options), "%s; super block: %s", options,
			 super);
		return 0;
	}
	return err_set(e, -ENOENT, "/proc/self/mountinfo does not list " GUEST_MOUNT);
}

static int find(struct agent *a, struct err *e)
{

	a->step = "find the test disk";
	disk_find(TEST_DISK_SERIAL, a->disk, sizeof(a->disk));
	if (!a->disk[0])
		return err_set(e, -ENODEV, "no virtio-blk disk with serial '%s'", TEST_DISK_SERIAL);
	return 0;
}

static int find_and_mount(struct agent *a, const char *options, struct err *e)
{
	const struct experiment *exp = a->exp;
	char device[64], data[256];
	unsigned long flags;
	int ret = find(a, e);

	if (ret)
		return ret;
	a->step = "mount the test file system";
	ret = mount_options(options, &flags, data, sizeof(data));
	if (ret)
		return err_set(e, ret, "mount_options '%s' are too long", options);
	snprintf(device, sizeof(device), "/dev/%s", a->disk);
	if (mkdir(GUEST_MOUNT, 0755) && errno != EEXIST)
		return err_errno(e, -errno, "mkdir %s", GUEST_MOUNT);
	if (mount(device, GUEST_MOUNT, exp->filesystem, flags, data)) {
		ret = err_errno(e, -errno, "mount -t %s -o '%s' %s %s", exp->filesystem, options,
				device, GUEST_MOUNT);
		return ret == -ENODEV
			       ? err_prefix(e, ret, "this kernel has no file system %s built in",
					    exp->filesystem)
			       : ret;
	}
	return read_mount(a, e);
}

/* A device that is replayed to, with nothing on it: what stands for the file is the device. */
static int bare_disk(struct agent *a, struct err *e)
{
	char line[64];
	int ret = find(a, e);

	if (!ret)
		ret = set_scheduler(a, e);
	if (ret)
		return ret;
	ret = sys_read_number(&a->read_ahead_kb, "/sys/block/%s/queue/read_ahead_kb", a->disk);
	if (!ret)
		ret = sys_read_line(line, sizeof(line), "/sys/block/%s/dev", a->disk);
	if (!ret && sscanf(line, "%u:%u", &a->file.major, &a->file.minor) != 2)
		ret = -EINVAL;
	return ret ? err_errno(e, ret, "/sys/block/%s", a->disk) : 0;
}

int disk_setup(struct agent *a, struct err *e)
{
	const struct experiment *exp = a->exp;
	int ret;

	if (experiment_on_bare_disk(exp))
		return bare_disk(a, e);
	ret = find_and_mount(a, exp->mount_options, e);
	if (ret)
		return ret;
	a->step = "set read_ahead_kb";
	ret = set_read_ahead(a, e);
	if (ret)
		return ret;
	a->step = "set the scheduler";
	ret = set_scheduler(a, e);
	if (ret)
		return ret;

	a->step = "open the test file";
	a->files.n = 1;
	snprintf(a->files.path[0], sizeof(a->files.path[0]), "%s/%s", GUEST_MOUNT, TEST_FILE_NAME);
	ret = agent_test_file(a, a->files.path[0], e);
	/* not st_dev: on btrfs that is the subvolume's, and no event has it */
	a->file.major = a->fs_major;
	a->file.minor = a->fs_minor;
	return ret;
}

/* ---- set-up boot ---- */

#define FILL_PATH GUEST_MOUNT "/" TEST_FILE_NAME
#define FILL_CHUNK (1u << 20)
/* Written back now and then, so that progress is shown of what is on the disk. */
#define FILL_SYNC (32u << 20)

static int fill_file(struct agent *a, int fd, struct err *e)
{
	u8 *buf __cleanup_free = xmalloc(FILL_CHUNK);
	u64 at, len, size = a->exp->file_size;
	int ret;

	for (at = 0; at < size; at += len) {
		len = MIN(FILL_CHUNK, size - at);
		/* whole words; what is too much of the last one is not written */
		testdata_fill(buf, at, (len + 7) / 8 * 8);
		ret = fd_write_all(fd, buf, len);
		if (!ret && !((at + len) % FILL_SYNC) && fdatasync(fd))
			ret = -errno;
		if (ret)
			return err_errno(e, ret, "%s at %llu", FILL_PATH, (unsigned long long)at);
		agent_progress(a, 0, at + len, size);
	}
	return fsync(fd) ? err_errno(e, -errno, "%s", FILL_PATH) : 0;
}

int disk_fill(struct agent *a, struct err *e)
{
	char options[sizeof(a->exp->mount_options) + 4];
	int fd, ret;

	/* the options that shape what is written, such as compress, hold here too */
	mount_options_writable(a->exp->mount_options, options, sizeof(options));
	ret = find_and_mount(a, options, e);
	if (ret)
		return ret;
	a->step = "write the test file";
	fd = open(FILL_PATH, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, -errno, "%s", FILL_PATH);
	ret = fill_file(a, fd, e);
	if (close(fd) && !ret)
		ret = err_errno(e, -errno, "%s", FILL_PATH);
	/* only then is the journal empty, and a read-only mount writes nothing */
	if (!ret && umount(GUEST_MOUNT))
		ret = err_errno(e, -errno, "unmounting %s", GUEST_MOUNT);
	return ret;
}
