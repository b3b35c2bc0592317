// SPDX-License-Identifier: GPL-2.0-only
#include "guest/nfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "guest/net.h"
#include "guest/sys.h"
#include "lib/contract.h"

/* Every file system on a network has a readahead window of its own. */
static int set_window(const char *point, u64 read_ahead_kb, struct err *e)
{
	char path[128], text[32];
	struct stat st;
	u64 now;
	int ret;

	if (stat(point, &st))
		return err_errno(e, -errno, "%s", point);
	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb", major(st.st_dev),
		 minor(st.st_dev));
	snprintf(text, sizeof(text), "%llu", (unsigned long long)read_ahead_kb);
	ret = sys_write(path, text);
	if (!ret)
		ret = sys_read_number(&now, "%s", path);
	if (!ret && now != read_ahead_kb)
		ret = -EINVAL;
	return ret ? err_errno(e, ret, "%s", path) : 0;
}

/*
 * Newer clients ask for delegations of directories.  The server
 * answers that with an error that makes rename, fsync and others fail with
 * EREMOTEIO, in place of one that says it has none.
 */
static int no_directory_delegations(struct err *e)
{
	static const char path[] = "/sys/module/nfsv4/parameters/directory_delegations";
	int ret = sys_write(path, "N");

	return ret && ret != -ENOENT ? err_errno(e, ret, "%s", path) : 0;
}

int nfs_mount(const char *point, u64 read_ahead_kb, struct err *e)
{
	static const char source[] = HOST_ADDRESS ":" GUEST_NFS_EXPORT;
	static const char options[] =
		"vers=4.1,proto=tcp,sec=sys,addr=" HOST_ADDRESS ",clientaddr=" GUEST_NET_ADDRESS;
	int ret = net_setup(e);

	if (!ret)
		ret = no_directory_delegations(e);
	if (ret)
		return ret;
	if (mount(source, point, "nfs4", MS_NOATIME, options))
		return err_errno(e, -errno, "mount -t nfs4 -o %s %s %s", options, source, point);
	return set_window(point, read_ahead_kb, e);
}

/*
 * "device 10.99.0.1:/root mounted on / with fstype nfs4 statvers=1.1", then
 * indented lines: "bytes:" with those read by read(), written, by O_DIRECT both
 * ways, and from and to the server; and one for each operation, of which READ's
 * begins with the count of calls (net/sunrpc/stats.c, fs/nfs/super.c).
 */
int nfs_reads_parse(const char *text, struct nfs_reads *r)
{
	const char *fs = strstr(text, " with fstype nfs4 "), *end, *bytes, *calls;
	unsigned long long v;

	if (!fs)
		return -ENOENT;
	end = strstr(fs, "\ndevice ");
	bytes = strstr(fs, "\n\tbytes:");
	calls = strstr(fs, "\n\t        READ:");
	if (!bytes || !calls || (end && (bytes > end || calls > end)))
		return -EPROTO;
	if (sscanf(bytes, " bytes: %*u %*u %*u %*u %llu", &v) != 1)
		return -EPROTO;
	r->bytes = v;
	if (sscanf(calls, " READ: %llu", &v) != 1)
		return -EPROTO;
	r->calls = v;
	return 0;
}

int nfs_reads(struct nfs_reads *r)
{
	static char text[65536];
	ssize_t n = sys_read(text, sizeof(text), "/proc/1/mountstats");

	return n < 0 ? (int)n : nfs_reads_parse(text, r);
}
