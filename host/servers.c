// SPDX-License-Identifier: GPL-2.0-only
#include "host/servers.h"

#include <errno.h>

#include "host/ceph.h"
#include "host/nfs.h"
#include "host/progress.h"

bool servers_needed(const struct experiment *exp)
{
	return experiment_on_ceph(exp) || exp->root == ROOT_NFS;
}

bool servers_need_root(const struct experiment *exp)
{
	return exp->root == ROOT_NFS;
}

int servers_check(const struct experiment *exp, char **version, struct err *e)
{
	*version = NULL;
	if (exp->root == ROOT_NFS)
		return nfs_may_serve(e) ?: nfs_version(version, e);
	return experiment_on_ceph(exp) ? ceph_version(version, e) : 0;
}

u64 servers_memory(const struct experiment *exp)
{
	struct ceph_spec spec = ceph_spec_of(exp);

	if (exp->root == ROOT_NFS)
		return NFS_MEMORY;
	return experiment_on_ceph(exp) ? ceph_memory(&spec) : 0;
}

static int servers_ceph_check(void *ctx, struct err *e)
{
	return ceph_check(ctx, e);
}

static int servers_ceph_counters(void *ctx, json_t **out, struct err *e)
{
	return ceph_counters(ctx, out, e);
}

static const struct boot_servers ceph_servers = {
	.check = servers_ceph_check,
	.counters = servers_ceph_counters,
};

static enum status boot_with_ceph(struct boot *b, struct err *e)
{
	char *dir __cleanup_free = xasprintf("%s/ceph", b->work);
	struct ceph_spec spec = ceph_spec_of(b->exp);
	enum status status = STATUS_SERVER;
	struct ceph *c = NULL;
	struct meter m;
	char label[80];
	int ret;

	snprintf(label, sizeof(label), "%.40s: Ceph cluster", b->label);
	meter_start(&m, label);
	meter_update(&m, "starting");
	ret = ceph_start(&c, &spec, dir, e);
	if (ret) {
		meter_clear(&m);
		if (ret == -EINTR)
			status = STATUS_INTERRUPTED;
		else if (ret == -ENOPKG)
			status = STATUS_RESOURCES;
	} else {
		meter_end(&m, "up");
		b->servers = &ceph_servers;
		b->servers_ctx = c;
		status = boot_run(b, e);
		b->servers_ctx = NULL;
	}
	ceph_stop(c);
	return status;
}

static int servers_nfs_check(void *ctx, struct err *e)
{
	return nfs_check(ctx, e);
}

static int servers_nfs_counters(void *ctx __unused_arg, json_t **out __unused_arg, struct err *e)
{
	return err_set(e, -ENOSYS, "the NFS server has no counters that a phase reports");
}

static const struct boot_servers nfs_servers = {
	.check = servers_nfs_check,
	.counters = servers_nfs_counters,
};

/* The guest has no disk with the root file system then. */
static enum status boot_with_nfs(struct boot *b, struct err *e)
{
	char *dir __cleanup_free = xasprintf("%s/nfs", b->work);
	char *tar __cleanup_free = xasprintf("%s.tar", b->root);
	const char *root = b->root;
	enum status status = STATUS_SERVER;
	struct nfs *n = NULL;
	struct meter m;
	char label[80];
	int ret;

	snprintf(label, sizeof(label), "%.40s: NFS server", b->label);
	meter_start(&m, label);
	meter_update(&m, "starting");
	ret = nfs_start(&n, tar, dir, e);
	if (ret) {
		meter_clear(&m);
		if (ret == -EINTR)
			status = STATUS_INTERRUPTED;
	} else {
		meter_end(&m, "up");
		b->servers = &nfs_servers;
		b->servers_ctx = n;
		b->root = NULL;
		status = boot_run(b, e);
		b->root = root;
		b->servers_ctx = NULL;
	}
	nfs_stop(n);
	return status;
}

enum status servers_boot(struct boot *b, struct err *e)
{
	if (b->exp->root == ROOT_NFS)
		return boot_with_nfs(b, e);
	return experiment_on_ceph(b->exp) ? boot_with_ceph(b, e) : boot_run(b, e);
}
