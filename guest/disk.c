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

#define DISK_TIMEOUT_MS 3000
#define DISK_RETRY_MS 20

static void disk_find(char *name, size_t size)
{
	struct dirent *d;
	char serial[64];
	DIR *dir = opendir("/sys/block");

	name[0] = '\0';
	while (dir && !name[0] && (d = readdir(dir))) {
		if (strncmp(d->d_name, "vd", 2) || strlen(d->d_name) >= size)
			continue;
		if (!sys_read_line(serial, sizeof(serial), "/sys/block/%s/serial", d->d_name) &&
		    !strcmp(serial, TEST_DISK_SERIAL))
			snprintf(name, size, "%.*s", (int)size - 1, d->d_name);
	}
	if (dir)
		closedir(dir);
}

static int set_read_ahead(struct agent *a, struct err *e)
{
	char path[128], text[32];
	u64 wanted = a->exp->read_ahead_kb;
	int ret;

	snprintf(path, sizeof(path), "/sys/block/%s/queue/read_ahead_kb", a->disk);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)wanted);
	ret = sys_write(path, text);
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

int disk_setup(struct agent *a, struct err *e)
{
	const struct experiment *exp = a->exp;
	char device[64], data[256];
	unsigned long flags;
	unsigned int ms;
	int ret;

	a->step = "find the test disk";
	for (ms = 0, disk_find(a->disk, sizeof(a->disk)); !a->disk[0] && ms < DISK_TIMEOUT_MS;
	     ms += DISK_RETRY_MS) {
		sys_sleep_ms(DISK_RETRY_MS);
		disk_find(a->disk, sizeof(a->disk));
	}
	if (!a->disk[0])
		return err_set(e, -ENODEV, "no virtio-blk disk with serial '%s'", TEST_DISK_SERIAL);

	a->step = "mount the test file system";
	ret = mount_options(exp->mount_options, &flags, data, sizeof(data));
	if (ret)
		return err_set(e, ret, "mount_options '%s' are too long", exp->mount_options);
	snprintf(device, sizeof(device), "/dev/%s", a->disk);
	if (mkdir(GUEST_MOUNT, 0755) && errno != EEXIST)
		return err_errno(e, -errno, "mkdir %s", GUEST_MOUNT);
	if (mount(device, GUEST_MOUNT, exp->filesystem, flags, data))
		return err_errno(e, -errno, "mount -t %s -o '%s' %s %s", exp->filesystem,
				 exp->mount_options, device, GUEST_MOUNT);

	a->step = "set read_ahead_kb";
	ret = set_read_ahead(a, e);
	if (ret)
		return ret;

	a->step = "open the test file";
	a->files.n = 1;
	snprintf(a->files.path[0], sizeof(a->files.path[0]), "%s/%s", GUEST_MOUNT, TEST_FILE_NAME);
	return agent_test_file(a, a->files.path[0], e);
}
