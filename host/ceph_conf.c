// SPDX-License-Identifier: GPL-2.0-only
/* What a cluster for one small experiment needs that Ceph's defaults do not give it. */
#include "host/ceph.h"
#include "host/netns.h"

#define PGS 8
/* A bluestore has a write-ahead log and a database beside the objects. */
#define BLUESTORE_MIN (4ull << 30)
#define MIB(n) ((u64)(n) << 20)

static const char common[] =
	"[global]\n"
	"fsid = %s\n"
	"mon_initial_members = a\n"
	"mon_host = [v1:" CEPH_MONITOR "]\n"
	"public_addr = " HOST_ADDRESS "\n"
	"cluster_addr = " HOST_ADDRESS "\n"
	"# in a network namespace nobody else can ask\n"
	"auth_cluster_required = none\n"
	"auth_service_required = none\n"
	"auth_client_required = none\n"
	"# nothing outside of this directory; short names for sockets, whose paths are limited\n"
	"run_dir = .\n"
	"admin_socket = $name.asok\n"
	"mon_data = mon\n"
	"osd_data = osd.$id\n"
	"mds_data = mds\n"
	"keyring = keyring\n"
	"crash_dir = crash\n"
	"pid_file =\n"
	"log_file =\n"
	"log_to_stderr = true\n"
	"mon_cluster_log_to_file = false\n"
	"# one host, perhaps one OSD\n"
	"mon_allow_pool_size_one = true\n"
	"osd_pool_default_min_size = 1\n"
	"osd_crush_chooseleaf_type = 0\n"
	"osd_crush_initial_weight = 1\n"
	"osd_pool_default_pg_autoscale_mode = off\n"
	"# the defaults are made for elections over a network, and cost seconds for each step\n"
	"paxos_propose_interval = 0.05\n"
	"paxos_min_wait = 0.01\n"
	"# a host under load is no reason to give up an OSD\n"
	"osd_heartbeat_grace = 120\n"
	"mds_beacon_grace = 120\n"
	"# as the guest's mounts: nocrc\n"
	"ms_crc_data = false\n"
	"# nothing but what the guest asks for\n"
	"osd_scrub_min_interval = 1e9\n"
	"osd_scrub_max_interval = 1e9\n"
	"osd_deep_scrub_interval = 1e9\n";

/* The largest share that one OSD may get, which is all of it if the hash is unkind. */
static u64 store_bytes(const struct ceph_spec *s)
{
	return s->file_size + s->file_size / 4 + MIB(256);
}

char *ceph_conf(const struct ceph_spec *s, const char *fsid)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return xstrdup("");
	fprintf(f, common, fsid);
	fprintf(f, "osd_pool_default_pg_num = %d\nosd_pool_default_pgp_num = %d\n", PGS, PGS);
	fprintf(f, "osd_pool_default_size = %u\n", s->replicas);
	fprintf(f, "osd_objectstore = %s\n", osd_store_names[s->store]);
	if (s->store == OSD_MEMSTORE)
		fprintf(f, "memstore_device_bytes = %llu\n",
			(unsigned long long)MAX(store_bytes(s), MIB(1024)));
	else
		fprintf(f,
			"bluestore_block_size = %llu\nbluestore_block_create = true\n"
			"bluestore_cache_autotune = false\nbluestore_cache_size = %llu\n",
			(unsigned long long)MAX(2 * store_bytes(s), BLUESTORE_MIN),
			(unsigned long long)MIB(64));
	fclose(f);
	return text;
}

u64 ceph_memory(const struct ceph_spec *s)
{
	u64 bytes = MIB(150) + s->osds * MIB(s->store == OSD_MEMSTORE ? 80 : 250);

	if (s->store == OSD_MEMSTORE)
		bytes += s->file_size * s->replicas;
	return bytes;
}

struct ceph_spec ceph_spec_of(const struct experiment *exp)
{
	return (struct ceph_spec){
		.osds = exp->osds,
		.replicas = exp->osd_replicas,
		.store = exp->osd_objectstore,
		.file_size = exp->file_size,
	};
}
