// SPDX-License-Identifier: GPL-2.0-only
/* capture.json: what the agent and the host say about one boot. */
#include <errno.h>
#include <string.h>

#include "verify/rundir.h"

#define PHASES_MAX 4096 /* an experiment has at most a few hundred */
#define CPUS_MAX 8192

struct capture_extra {
	u32 schema;
	u32 file_major, file_minor;
	u32 disk_major, disk_minor; /* UINT32_MAX: not said */
	char status[16];
	char reason[256];
};

/* what is read is needed to judge or to print; the rest is only checked for its type */
static const struct json_field capture_fields[] = {
	FIELD("kernel", F_NAME, REQUIRED, struct capture, kernel),
	FIELD("repeat", F_U32, REQUIRED, struct capture, repeat),
	FIELD("accelerator", F_NAME, REQUIRED, struct capture, accel),
	FIELD("uname", F_TEXT, REQUIRED, struct capture, uname),
	FIELD("cmdline", F_TEXT, OPTIONAL, struct capture, cmdline),
	FIELD("cpu_model", F_TEXT, OPTIONAL, struct capture, cpu_model),
	FIELD("libc", F_TEXT, OPTIONAL, struct capture, libc),
	FIELD_ONLY("tunables", F_TEXT, OPTIONAL),
	FIELD("cpus", F_U32, REQUIRED, struct capture, cpus),
	FIELD("page_size", F_U32, REQUIRED, struct capture, page_size),
	FIELD("memory_bytes", F_U64, REQUIRED, struct capture, memory),
	FIELD_ONLY("trace_clock", F_TEXT, OPTIONAL),
	FIELD_ONLY("test_device.name", F_TEXT, OPTIONAL),
	FIELD_ONLY("test_device.size_bytes", F_U64, OPTIONAL),
	FIELD_ONLY("test_device.logical_block_size", F_U32, OPTIONAL),
	FIELD_ONLY("test_device.max_sectors_kb", F_U32, OPTIONAL),
	FIELD_ONLY("test_device.max_segments", F_U32, OPTIONAL),
	FIELD_ONLY("test_device.nr_requests", F_U32, OPTIONAL),
	FIELD("test_device.nr_tags", F_U32, OPTIONAL, struct capture, nr_tags),
	FIELD("test_device.scheduler", F_TEXT, OPTIONAL, struct capture, scheduler),
	FIELD("test_device.queue_size", F_U32, OPTIONAL, struct capture, queue_size),
	FIELD("test_device.seg_max", F_U32, OPTIONAL, struct capture, seg_max),
	FIELD_ONLY("test_file.path", F_TEXT, OPTIONAL),
	FIELD("test_file.ino", F_U64, REQUIRED, struct capture, file_ino),
	FIELD("test_file.size", F_U64, REQUIRED, struct capture, file_size),
	FIELD("test_file.filesystem", F_TEXT, OPTIONAL, struct capture, filesystem),
	FIELD("test_file.block_size", F_U32, OPTIONAL, struct capture, block_size),
	FIELD("knobs.read_ahead_kb", F_U64, REQUIRED, struct capture, read_ahead_kb),
	FIELD("knobs.transparent_hugepage", F_TEXT, OPTIONAL, struct capture, hugepage),
	FIELD("knobs.fault_around_bytes", F_TEXT, OPTIONAL, struct capture, fault_around),
	FIELD("knobs.mmap_readahead", F_TEXT, OPTIONAL, struct capture, mmap_readahead),
	FIELD("knobs.mount_options", F_TEXT, OPTIONAL, struct capture, mount_options),
	FIELD_ONLY("events", F_ARRAY, OPTIONAL),
	FIELD_ONLY("events_missing", F_ARRAY, OPTIONAL),
	FIELD_ONLY("qemu.argv", F_ARRAY, OPTIONAL),
	FIELD_ONLY("boot_ns", F_U64, OPTIONAL),
	FIELD("sizes.trace", F_U64, OPTIONAL, struct capture, trace_size),
	FIELD("sizes.blktrace", F_U64, OPTIONAL, struct capture, blktrace_size),
	FIELD("sizes.osd", F_U64, OPTIONAL, struct capture, osd_size),
	FIELD_ONLY("requests.reads", F_U64, OPTIONAL),
	FIELD_ONLY("requests.writes", F_U64, OPTIONAL),
	FIELD_ONLY("requests.flushes", F_U64, OPTIONAL),
	FIELD_ONLY("requests.other", F_U64, OPTIONAL),
	FIELD_ONLY("requests.failed", F_U64, OPTIONAL),
	FIELD_ONLY("test_files", F_ARRAY, OPTIONAL),
	FIELD_ONLY("phases", F_ARRAY, REQUIRED),
};

static const struct json_field extra_fields[] = {
	FIELD("schema", F_U32, REQUIRED, struct capture_extra, schema),
	FIELD("test_file.major", F_U32, REQUIRED, struct capture_extra, file_major),
	FIELD("test_file.minor", F_U32, REQUIRED, struct capture_extra, file_minor),
	FIELD("test_device.major", F_U32, OPTIONAL, struct capture_extra, disk_major),
	FIELD("test_device.minor", F_U32, OPTIONAL, struct capture_extra, disk_minor),
	FIELD("end.status", F_NAME, REQUIRED, struct capture_extra, status),
	FIELD("end.reason", F_TEXT, OPTIONAL, struct capture_extra, reason),
};

struct phase_extra {
	u32 major, minor;
	u64 fault_before, fault_after, major_before, major_after, pgpgin_before, pgpgin_after;
	u64 free_before, free_after;
	u64 first_bad;
};

static const struct json_field phase_fields[] = {
	FIELD("name", F_NAME, REQUIRED, struct phase_info, name),
	FIELD("pattern", F_NAME, REQUIRED, struct phase_info, pattern),
	FIELD_ONLY("params", F_OBJECT, OPTIONAL),
	FIELD("begin_ns", F_U64, REQUIRED, struct phase_info, begin_ns),
	FIELD("end_ns", F_U64, REQUIRED, struct phase_info, end_ns),
	FIELD("bytes_asked", F_U64, REQUIRED, struct phase_info, bytes_asked),
	FIELD("elapsed_ns", F_U64, REQUIRED, struct phase_info, elapsed_ns),
	FIELD_ONLY("wall_ns", F_U64, OPTIONAL),
	FIELD_ONLY("disk_quiet", F_BOOL, OPTIONAL),
	FIELD("clients", F_U32, OPTIONAL, struct phase_info, clients),
	FIELD("data.checked_bytes", F_U64, REQUIRED, struct phase_info, data_checked),
	FIELD("data.bad_bytes", F_U64, REQUIRED, struct phase_info, data_bad),
	FIELD("data.first_bad_offset", F_U64, OPTIONAL, struct phase_info, data_first_bad),
	FIELD_ONLY("cachestat.before", F_OBJECT, OPTIONAL),
	FIELD_ONLY("cachestat.after", F_OBJECT, OPTIONAL),
	FIELD("cachestat.after.cache", F_U64, OPTIONAL, struct phase_info, cached_after),
	FIELD("cpu_time.user_ns", F_U64, OPTIONAL, struct phase_info, user_ns),
	FIELD("cpu_time.system_ns", F_U64, OPTIONAL, struct phase_info, system_ns),
	FIELD_ONLY("loss.per_cpu", F_ARRAY, REQUIRED),
	FIELD("fault_around_bytes", F_U64, OPTIONAL, struct phase_info, fault_around),
	FIELD_ONLY("device", F_OBJECT, OPTIONAL),
	FIELD_ONLY("lru", F_OBJECT, OPTIONAL),
	FIELD_ONLY("nfs", F_OBJECT, OPTIONAL),
	FIELD_ONLY("cold", F_OBJECT, OPTIONAL),
	FIELD_ONLY("program", F_OBJECT, OPTIONAL),
	FIELD_ONLY("clock", F_OBJECT, OPTIONAL),
	FIELD_ONLY("replay", F_OBJECT, OPTIONAL),
	FIELD_ONLY("block_replay", F_OBJECT, OPTIONAL),
};

static const struct json_field device_fields[] = {
	FIELD("major", F_U32, REQUIRED, struct phase_extra, major),
	FIELD("minor", F_U32, REQUIRED, struct phase_extra, minor),
};

static const struct json_field vmstat_fields[] = {
	FIELD("vmstat.before.pgfault", F_U64, REQUIRED, struct phase_extra, fault_before),
	FIELD("vmstat.after.pgfault", F_U64, REQUIRED, struct phase_extra, fault_after),
	FIELD("vmstat.before.pgmajfault", F_U64, REQUIRED, struct phase_extra, major_before),
	FIELD("vmstat.after.pgmajfault", F_U64, REQUIRED, struct phase_extra, major_after),
	FIELD("vmstat.before.pgpgin", F_U64, OPTIONAL, struct phase_extra, pgpgin_before),
	FIELD("vmstat.after.pgpgin", F_U64, OPTIONAL, struct phase_extra, pgpgin_after),
	FIELD("vmstat.before.nr_free_pages", F_U64, OPTIONAL, struct phase_extra, free_before),
	FIELD("vmstat.after.nr_free_pages", F_U64, OPTIONAL, struct phase_extra, free_after),
};

static const struct json_field cold_fields[] = {
	FIELD("method", F_NAME, REQUIRED, struct phase_info, cold_method),
	FIELD("cached_pages", F_U64, REQUIRED, struct phase_info, cached_before),
	FIELD_ONLY("attempts", F_U64, OPTIONAL),
};

static const struct json_field lru_fields[] = {
	FIELD("file_pages", F_U64, REQUIRED, struct phase_info, lru_file),
	FIELD("unreferenced", F_U64, REQUIRED, struct phase_info, lru_unreferenced),
};

static const struct json_field nfs_fields[] = {
	FIELD("read_calls", F_U64, REQUIRED, struct phase_info, nfs_reads),
	FIELD("read_bytes", F_U64, REQUIRED, struct phase_info, nfs_read_bytes),
};

static const struct json_field program_fields[] = {
	FIELD_ONLY("argv", F_ARRAY, OPTIONAL),
	FIELD("exit_status", F_U32, OPTIONAL, struct phase_info, program_status),
	FIELD("signal", F_U32, OPTIONAL, struct phase_info, program_signal),
	FIELD_ONLY("output", F_TEXT, OPTIONAL),
	FIELD("output_bytes", F_U64, OPTIONAL, struct phase_info, program_output),
};

static const struct json_field clock_fields[] = {
	FIELD("offset_ns", F_S64, REQUIRED, struct phase_info, clock_offset_ns),
	FIELD("uncertainty_ns", F_U64, REQUIRED, struct phase_info, clock_uncertainty_ns),
	FIELD("pairs", F_U64, REQUIRED, struct phase_info, clock_pairs),
};

struct cpu_loss_json {
	u32 cpu;
	u64 entries_read;
	struct phase_loss loss;
};

static const struct json_field loss_fields[] = {
	FIELD("cpu", F_U32, REQUIRED, struct cpu_loss_json, cpu),
	FIELD("entries_read", F_U64, OPTIONAL, struct cpu_loss_json, entries_read),
	FIELD("overrun", F_U64, REQUIRED, struct cpu_loss_json, loss.overrun),
	FIELD("commit_overrun", F_U64, REQUIRED, struct cpu_loss_json, loss.commit_overrun),
	FIELD("dropped", F_U64, REQUIRED, struct cpu_loss_json, loss.dropped),
	FIELD("unread", F_U64, REQUIRED, struct cpu_loss_json, loss.unread),
};

#define TABLE(where, fields)                                                                       \
	{                                                                                          \
		where, fields, ARRAY_SIZE(fields)                                                  \
	}
const struct json_table capture_tables[] = {
	TABLE("", capture_fields),
	TABLE("", extra_fields),
	TABLE("phases[].", phase_fields),
	TABLE("phases[].", vmstat_fields),
	TABLE("phases[].cold.", cold_fields),
	TABLE("phases[].device.", device_fields),
	TABLE("phases[].lru.", lru_fields),
	TABLE("phases[].nfs.", nfs_fields),
	TABLE("phases[].program.", program_fields),
	TABLE("phases[].clock.", clock_fields),
	TABLE("phases[].loss.per_cpu[].", loss_fields),
	TABLE("phases[].replay.", replay_fields),
	TABLE("phases[].block_replay.", block_replay_fields),
	TABLE("phases[].block_replay.", block_timing_fields),
	TABLE("phases[].replay.files[].", replay_file_fields),
	TABLE("test_files[].", test_file_fields),
};
const size_t n_capture_tables = ARRAY_SIZE(capture_tables);

static int difference(const struct json_node *n, const char *name, u64 before, u64 after, u64 *to,
		      struct err *e)
{
	if (after < before)
		return json_fail(n, e, "vmstat.after.%s is %llu, less than %llu before", name,
				 (unsigned long long)after, (unsigned long long)before);
	*to = after - before;
	return 0;
}

static int load_vmstat(const struct json_node *n, struct phase_info *p, struct err *e)
{
	struct phase_extra x = {.free_before = UINT64_MAX, .free_after = UINT64_MAX};
	int ret;

	ret = json_fields(n, vmstat_fields, ARRAY_SIZE(vmstat_fields), &x, e);
	if (!ret)
		ret = difference(n, "pgfault", x.fault_before, x.fault_after, &p->pgfault, e);
	if (!ret)
		ret = difference(n, "pgmajfault", x.major_before, x.major_after, &p->pgmajfault, e);
	/* /proc/vmstat's pgpgin counts KiB */
	if (!ret)
		ret = difference(n, "pgpgin", x.pgpgin_before, x.pgpgin_after, &p->pgpgin_kb, e);
	p->memory_known = x.free_before <= INT64_MAX && x.free_after <= INT64_MAX;
	if (p->memory_known)
		p->memory_pages = (s64)x.free_before - (s64)x.free_after;
	return ret;
}

static int add(u64 *sum, u64 n, const struct json_node *where, struct err *e)
{
	if (__builtin_add_overflow(*sum, n, sum))
		return json_fail(where, e, "the sum over CPUs is too large");
	return 0;
}

static int load_loss(const struct json_node *n, struct phase_info *p, struct err *e)
{
	struct json_node list, cpu;
	int ret;

	ret = json_child(n, "loss.per_cpu", JSON_ARRAY, REQUIRED, &list, e);
	if (ret < 0)
		return ret;
	if (!json_array_size(list.value) || json_array_size(list.value) > CPUS_MAX)
		return json_fail(&list, e, "expected 1 to %d elements, found %zu", CPUS_MAX,
				 json_array_size(list.value));
	p->entries_known = true;
	for (size_t i = 0; i < json_array_size(list.value); i++) {
		struct cpu_loss_json l = {.entries_read = UINT64_MAX};

		ret = json_element(&list, i, JSON_OBJECT, &cpu, e);
		if (!ret)
			ret = json_fields(&cpu, loss_fields, ARRAY_SIZE(loss_fields), &l, e);
		if (!ret)
			ret = add(&p->loss.overrun, l.loss.overrun, &cpu, e);
		if (!ret)
			ret = add(&p->loss.commit_overrun, l.loss.commit_overrun, &cpu, e);
		if (!ret)
			ret = add(&p->loss.dropped, l.loss.dropped, &cpu, e);
		if (!ret)
			ret = add(&p->loss.unread, l.loss.unread, &cpu, e);
		if (l.entries_read == UINT64_MAX)
			p->entries_known = false;
		else if (!ret)
			ret = add(&p->entries_read, l.entries_read, &cpu, e);
		if (ret)
			return ret;
	}
	return 0;
}

/* Which file system a phase is about, if it is not the test file's. */
static int load_device(const struct json_node *n, struct phase_info *p, struct err *e)
{
	struct phase_extra x = {0};
	struct json_node sub;
	int ret;

	p->whole_system = !strncmp(p->pattern, "root-", 5);
	ret = json_child(n, "device", JSON_OBJECT, OPTIONAL, &sub, e);
	if (ret <= 0)
		return ret;
	ret = json_fields(&sub, device_fields, ARRAY_SIZE(device_fields), &x, e);
	if (!ret && (x.major > 0xfff || x.minor > 0xfffff))
		ret = json_fail(&sub, e, "device %u:%u is out of range", x.major, x.minor);
	p->dev = DEV(x.major, x.minor);
	return ret;
}

static int load_phase(const struct json_node *n, struct phase_info *p, struct err *e)
{
	struct json_node sub;
	int ret;

	p->system_ns = p->cached_after = UINT64_MAX;
	ret = json_fields(n, phase_fields, ARRAY_SIZE(phase_fields), p, e);
	if (ret)
		return ret;
	p->system_known = p->system_ns != UINT64_MAX;
	p->system_ns = p->system_known ? p->system_ns : 0;
	p->cached_after_known = p->cached_after != UINT64_MAX;
	p->cached_after = p->cached_after_known ? p->cached_after : 0;
	if (!p->name[0])
		return json_fail(n, e, "name is empty");
	if (p->end_ns < p->begin_ns)
		return json_fail(n, e, "end_ns is before begin_ns");
	ret = load_vmstat(n, p, e);
	if (!ret)
		ret = load_loss(n, p, e);
	if (ret)
		return ret;
	ret = json_child(n, "cold", JSON_OBJECT, OPTIONAL, &sub, e);
	if (ret > 0) {
		ret = json_fields(&sub, cold_fields, ARRAY_SIZE(cold_fields), p, e);
		/* from any other method a count of 0 would prove nothing */
		p->cold_known = !ret && (!strcmp(p->cold_method, "cachestat") ||
					 !strcmp(p->cold_method, "mount") ||
					 !strcmp(p->cold_method, "mincore"));
	}
	if (ret < 0)
		return ret;
	ret = load_device(n, p, e);
	if (ret < 0)
		return ret;
	ret = json_child(n, "lru", JSON_OBJECT, OPTIONAL, &sub, e);
	if (ret > 0)
		ret = json_fields(&sub, lru_fields, ARRAY_SIZE(lru_fields), p, e);
	if (!ret && p->lru_unreferenced > p->lru_file)
		return json_fail(&sub, e, "unreferenced is more than file_pages");
	if (ret < 0)
		return ret;
	ret = json_child(n, "nfs", JSON_OBJECT, OPTIONAL, &sub, e);
	if (ret > 0) {
		ret = json_fields(&sub, nfs_fields, ARRAY_SIZE(nfs_fields), p, e);
		p->nfs_known = !ret;
	}
	if (ret < 0)
		return ret;
	ret = json_child(n, "program", JSON_OBJECT, OPTIONAL, &sub, e);
	if (ret > 0) {
		p->program_status = UINT32_MAX;
		ret = json_fields(&sub, program_fields, ARRAY_SIZE(program_fields), p, e);
		p->program_ended = !ret && (p->program_status != UINT32_MAX || p->program_signal);
	}
	if (ret < 0)
		return ret;
	ret = json_child(n, "clock", JSON_OBJECT, OPTIONAL, &sub, e);
	if (ret > 0) {
		ret = json_fields(&sub, clock_fields, ARRAY_SIZE(clock_fields), p, e);
		p->clock_known = !ret;
	}
	if (ret >= 0)
		ret = replay_load_phase(n, p, e);
	return ret < 0 ? ret : block_replay_load_phase(n, p, e);
}

static int load_phases(const struct json_node *top, struct capture *c, struct err *e)
{
	struct json_node list, n;
	size_t count;
	int ret;

	ret = json_child(top, "phases", JSON_ARRAY, REQUIRED, &list, e);
	if (ret < 0)
		return ret;
	count = json_array_size(list.value);
	if (!count || count > PHASES_MAX)
		return json_fail(&list, e, "expected 1 to %d elements, found %zu", PHASES_MAX,
				 count);
	c->phases = xcalloc(count, sizeof(*c->phases));
	for (size_t i = 0; i < count; i++) {
		ret = json_element(&list, i, JSON_OBJECT, &n, e);
		c->n_phases++; /* what it allocates is freed whatever comes of it */
		if (!ret)
			ret = load_phase(&n, &c->phases[i], e);
		if (ret)
			return ret;
		for (size_t j = 0; j < i; j++)
			if (!strcmp(c->phases[i].name, c->phases[j].name))
				return json_fail(&n, e, "name '%s' is that of phases[%zu] too",
						 c->phases[i].name, j);
		if (i && c->phases[i].begin_ns < c->phases[i - 1].end_ns)
			return json_fail(&n, e, "begins before the phase before it ends");
	}
	return 0;
}

int capture_json_load(struct capture *c, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/" CAPTURE_JSON, c->path);
	json_t *root __cleanup_json = NULL;
	struct json_node top = {.file = path};
	struct capture_extra x = {.disk_major = UINT32_MAX, .disk_minor = UINT32_MAX};
	int ret;

	ret = json_load_object(path, &root, e);
	if (ret)
		return ret;
	top.value = root;
	ret = json_fields(&top, extra_fields, 1, &x, e);
	if (!ret && x.schema != RUN_SCHEMA)
		return json_fail(&top, e, "schema is %u, this verify reads %d", x.schema,
				 RUN_SCHEMA);
	/* before all else that may be missing because of it */
	if (!ret)
		ret = json_fields(&top, extra_fields + ARRAY_SIZE(extra_fields) - 2, 2, &x, e);
	if (!ret && strcmp(x.status, "ok"))
		return json_fail(&top, e, "the capture did not finish: end.status is '%s'%s%s",
				 x.status, x.reason[0] ? ": " : "", x.reason);
	if (!ret)
		ret = json_fields(&top, extra_fields, ARRAY_SIZE(extra_fields), &x, e);
	if (!ret)
		ret = json_fields(&top, capture_fields, ARRAY_SIZE(capture_fields), c, e);
	if (ret)
		return ret;
	if (!c->kernel[0] || !c->repeat)
		return json_fail(&top, e, "kernel is empty, or repeat is 0");
	if (c->page_size < 512 || c->page_size & (c->page_size - 1))
		return json_fail(&top, e, "page_size: %u is not a power of two of at least 512",
				 c->page_size);
	if (x.file_major > 0xfff || x.file_minor > 0xfffff)
		return json_fail(&top, e, "test_file: device %u:%u is out of range", x.file_major,
				 x.file_minor);
	c->file_dev = DEV(x.file_major, x.file_minor);
	/* an older capture's file system is on the disk itself */
	c->disk_dev = c->file_dev;
	if (x.disk_major <= 0xfff && x.disk_minor <= 0xfffff)
		c->disk_dev = DEV(x.disk_major, x.disk_minor);
	c->has_json = true;
	ret = test_files_load(&top, c, e);
	return ret ? ret : load_phases(&top, c, e);
}
