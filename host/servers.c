// SPDX-License-Identifier: GPL-2.0-only
#include "host/servers.h"

#include <errno.h>

#include "host/ceph.h"
#include "host/progress.h"

bool servers_needed(const struct experiment *exp)
{
	return experiment_on_ceph(exp);
}

int servers_check(const struct experiment *exp, char **version, struct err *e)
{
	*version = NULL;
	return experiment_on_ceph(exp) ? ceph_version(version, e) : 0;
}

u64 servers_memory(const struct experiment *exp)
{
	struct ceph_spec spec = ceph_spec_of(exp);

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

enum status servers_boot(struct boot *b, struct err *e)
{
	return experiment_on_ceph(b->exp) ? boot_with_ceph(b, e) : boot_run(b, e);
}
