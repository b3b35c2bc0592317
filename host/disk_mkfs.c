// SPDX-License-Identifier: GPL-2.0-only
#include "host/disk_mkfs.h"

#include <errno.h>
#include <string.h>

#include "host/spawn.h"

/* Fixed: nothing depends on its being unique, and it shows whose disk it is. */
#define IMAGE_UUID "6d0a3c1e-2b5f-4f0e-9a67-626c6b70726f"
#define LAST_LINE 256

static const struct filesystem filesystems[] = {
	{
		.name = "ext4",
		.mkfs = "mke2fs",
		.package = "e2fsprogs",
		.block_min = 1024,
		.block_max = 4096,
	},
	{
		.name = "xfs",
		.mkfs = "mkfs.xfs",
		.package = "xfsprogs",
		.block_min = 1024,
		.block_max = 65536,
		.image_min = 512u << 20, /* 300 MB since xfsprogs 5.19; the log grows with it */
		.overhead = 64,
	},
	{
		.name = "btrfs",
		.mkfs = "mkfs.btrfs",
		.package = "btrfs-progs",
		.block_min = 4096,
		.block_max = 65536,
		.image_min = 768u << 20, /* chunks of data and, twice, of metadata */
		.overhead = 8,
	},
	{
		.name = "f2fs",
		.mkfs = "mkfs.f2fs",
		.package = "f2fs-tools",
		.block_min = 4096, /* f2fs-tools 1.15 knows no other */
		.block_max = 4096,
		.image_min = 256u << 20,
		.overhead = 8, /* it keeps segments free to clean into */
	},
};

const struct filesystem *filesystem_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(filesystems); i++)
		if (!strcmp(filesystems[i].name, name))
			return &filesystems[i];
	return NULL;
}

const char *filesystem_names(void)
{
	return "ext4, xfs, btrfs or f2fs";
}

static void keep_line(void *ctx, char *line)
{
	char *last = ctx;

	if (*line)
		snprintf(last, LAST_LINE, "%s", line);
}

/* Debian has these in /usr/sbin, which is not in a plain user's PATH. */
static int run_mkfs(const struct filesystem *fs, const char *const *argv, struct err *e)
{
	const char *path = getenv("PATH");
	char *with_sbin __cleanup_free =
		xasprintf("PATH=%s:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin");
	const char *const env[] = {with_sbin, NULL};
	char status[STATUS_TEXT_MAX], last[LAST_LINE] = "";
	struct run r = {.argv = argv, .opt = {.env = env}, .line = keep_line, .ctx = last};
	int ret = run_program(&r, e);

	if (ret > 0)
		ret = err_set(e, -EIO, "%s: %s: %s", fs->mkfs, status_text(ret, status), last);
	if (ret == -ENOPKG || (ret == -EIO && strstr(last, "not found")))
		return err_set(e, -ENOPKG,
			       "%s is not installed, which makes test disks with %s (Debian: %s; "
			       "`make deps FS=%s`)",
			       fs->mkfs, fs->name, fs->package, fs->name);
	return ret;
}

int filesystem_tool_check(const struct filesystem *fs, struct err *e)
{
	const char *const argv[] = {"sh", "-c", "command -v \"$0\" || { echo not found; exit 1; }",
				    fs->mkfs, NULL};

	return run_mkfs(fs, argv, e);
}

int filesystem_make(const struct filesystem *fs, const char *image, u64 block_size, struct err *e)
{
	char *size __cleanup_free = xasprintf("%llu", (unsigned long long)block_size);
	char *xfs_block __cleanup_free = xasprintf("size=%s", size);
	const char *const xfs[] = {"mkfs.xfs",	       "-q",  "-f",	  "-b",
				   xfs_block,	       "-L",  "blkproof", "-m",
				   "uuid=" IMAGE_UUID, image, NULL};
	const char *const btrfs[] = {"mkfs.btrfs", "-q", "-f",	     "-s",  size, "-L",
				     "blkproof",   "-U", IMAGE_UUID, image, NULL};
	const char *const f2fs[] = {"mkfs.f2fs", "-q", "-f", "-l", "blkproof", image, NULL};

	if (!strcmp(fs->name, "xfs"))
		return run_mkfs(fs, xfs, e);
	return run_mkfs(fs, strcmp(fs->name, "btrfs") ? f2fs : btrfs, e);
}
