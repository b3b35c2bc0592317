// SPDX-License-Identifier: GPL-2.0-only
/*
 * Phases of a root file system.  The worker becomes their reporter: it was locked
 * into memory, its root stays the initramfs, and it sends nothing while something
 * is measured but a few bytes of progress.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "guest/agent.h"
#include "guest/counters.h"
#include "guest/handover.h"
#include "guest/lru.h"
#include "guest/nfs.h"
#include "guest/patterns/list.h"
#include "guest/phase.h"
#include "guest/sys.h"

#define TICK_MS 250
/* After a login prompt services still start; 2 s were not enough once in six boots. */
#define QUIET_MS 6000
#define QUIET_MAX_MS 120000
#define SETTLE_MS 3000
#define INT(v) ((json_int_t)(v))

struct root_snapshot {
	struct vmstat vm;
	u64 reads;	      /* requests that the root disk has completed; READ calls */
	struct nfs_reads nfs; /* only where the root is on NFS */
};

struct root_measurement {
	struct agent *a;
	unsigned int index;
	const struct phase *phase;
	struct root_snapshot before, after;
	u64 begin_ns, end_ns;
	struct lru_pages lru;
	bool lru_known, quiet;
	struct cpu_drain *loss;
	dev_t dev;
};

bool root_phase(const struct phase *phase)
{
	return !strncmp(phase->pattern, "root-", 5);
}

static int snapshot(const struct agent *a, struct root_snapshot *s, struct err *e)
{
	unsigned long long reads = 0;
	char line[256];
	int ret = vmstat_read(&s->vm);

	if (ret)
		return err_errno(e, ret, "/proc/vmstat");
	if (a->exp->root == ROOT_NFS) {
		ret = nfs_reads(&s->nfs);
		s->reads = s->nfs.calls;
		return ret ? err_errno(e, ret, "/proc/1/mountstats") : 0;
	}
	if (a->root_disk[0] &&
	    (sys_read_line(line, sizeof(line), "/sys/block/%s/stat", a->root_disk) ||
	     sscanf(line, "%llu", &reads) != 1))
		return err_set(e, -EIO, "/sys/block/%s/stat cannot be read", a->root_disk);
	s->reads = reads;
	return 0;
}

/* What the host takes for a sign of life: page faults grow as long as anything runs. */
static void tick(void *ctx)
{
	struct root_measurement *m = ctx;
	struct root_snapshot s;
	struct err e;

	if (!snapshot(m->a, &s, &e))
		agent_progress(m->a, m->index, s.reads, 0);
}

/* Waits until nothing was faulted in or read for @ms; false if that does not come. */
static bool wait_quiet(struct root_measurement *m, unsigned int ms, struct err *e)
{
	struct root_snapshot last, now;
	unsigned int waited, quiet = 0;

	if (snapshot(m->a, &last, e))
		return false;
	for (waited = 0; waited < QUIET_MAX_MS && quiet < ms; waited += TICK_MS) {
		sys_sleep_ms(TICK_MS);
		if (snapshot(m->a, &now, e))
			return false;
		/* [1]: pgmajfault */
		quiet = now.reads == last.reads && now.vm.value[1] == last.vm.value[1]
				? quiet + TICK_MS
				: 0;
		last = now;
		tick(m);
	}
	return quiet >= ms;
}

/* ---- root-boot ---- */

static int mount_root(struct agent *a, struct err *e)
{
	char device[64], path[128], text[32];
	u64 now;
	int ret;

	if (mkdir(GUEST_ROOT, 0755) && errno != EEXIST)
		return err_errno(e, -errno, "mkdir " GUEST_ROOT);
	if (a->exp->root == ROOT_NFS)
		return nfs_mount(GUEST_ROOT, a->exp->read_ahead_kb, e);
	disk_find(ROOT_DISK_SERIAL, a->root_disk, sizeof(a->root_disk));
	if (!a->root_disk[0])
		return err_set(e, -ENODEV, "no virtio-blk disk with serial '%s'", ROOT_DISK_SERIAL);
	snprintf(path, sizeof(path), "/sys/block/%s/queue/read_ahead_kb", a->root_disk);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)a->exp->read_ahead_kb);
	ret = sys_write(path, text);
	if (!ret)
		ret = sys_read_number(&now, "%s", path);
	if (ret || now != a->exp->read_ahead_kb)
		return err_errno(e, ret ? ret : -EINVAL, "%s", path);
	snprintf(device, sizeof(device), "/dev/%s", a->root_disk);
	if (mount(device, GUEST_ROOT, "ext4", MS_NOATIME, NULL))
		return err_errno(e, -errno, "mount -t ext4 %s " GUEST_ROOT, device);
	return 0;
}

/* Nothing of what ran before may still be cached. */
static int make_cold(const struct agent *a __unused_arg, struct err *e)
{
	if (umount(GUEST_MOUNT))
		return err_errno(e, -errno, "umount " GUEST_MOUNT);
	sync();
	if (sys_write("/proc/sys/vm/drop_caches", "3"))
		return err_set(e, -EIO, "the caches cannot be dropped");
	return 0;
}

/* The host has seen the login prompt when it sends its byte. */
static int wait_prompt(struct root_measurement *m, struct err *e)
{
	struct pollfd p = {.fd = m->a->port->fd, .events = POLLIN};
	char byte;
	int n;

	for (;;) {
		n = poll(&p, 1, TICK_MS);
		if (n < 0 && errno != EINTR)
			return err_errno(e, -errno, "waiting for the host");
		if (n > 0 && p.revents & POLLIN) {
			if (read(m->a->port->fd, &byte, 1) != 1 || byte != HOST_PROMPT)
				return err_set(e, -EPROTO, "the host said something unexpected");
			return 0;
		}
		tick(m);
	}
}

static int run_boot(struct root_measurement *m, struct err *e)
{
	int ret;

	m->a->root_runs = true;
	ret = handover_ask();
	if (ret)
		return err_errno(e, ret, "asking PID 1 for the handover");
	ret = wait_prompt(m, e);
	if (!ret)
		m->quiet = wait_quiet(m, QUIET_MS, e);
	return ret;
}

/* ---- root-session ---- */

static int run_session(struct root_measurement *m, struct err *e)
{
	int root __cleanup_close = open("/proc/1/root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int ret;

	if (root < 0)
		return err_errno(e, -errno, "/proc/1/root");
	ret = session_run(root, tick, m, e);
	if (!ret)
		m->quiet = wait_quiet(m, SETTLE_MS, e);
	return ret;
}

/* ---- both ---- */

static int measure(struct root_measurement *m, bool boot, struct err *e)
{
	struct agent *a = m->a;
	int ret, end;

	ret = tracer_clear(a->tracer, e);
	if (!ret)
		ret = snapshot(a, &m->before, e);
	if (ret)
		return ret;
	ret = tracer_on(a->tracer);
	m->begin_ns = sys_now_ns();
	if (!ret)
		ret = tracer_mark(a->tracer, MARKER_PHASE_BEGIN "%s", m->phase->name);
	if (ret)
		return err_errno(e, ret, "starting the trace");
	ret = boot ? run_boot(m, e) : run_session(m, e);
	if (ret)
		return ret;
	end = tracer_mark(a->tracer, MARKER_PHASE_END "%s", m->phase->name);
	m->end_ns = sys_now_ns();
	if (!end)
		end = tracer_off(a->tracer);
	if (end)
		return err_errno(e, end, "ending the trace");
	m->lru_known = !lru_read(&m->lru);
	return snapshot(a, &m->after, e);
}

static json_t *measurement_json(const struct root_measurement *m, bool boot)
{
	const struct agent *a = m->a;
	json_t *j;

	j = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:b}", "name", m->phase->name, "pattern",
		      m->phase->pattern, "begin_ns", INT(m->begin_ns), "end_ns", INT(m->end_ns),
		      "bytes_asked", INT(0), "elapsed_ns", INT(m->end_ns - m->begin_ns),
		      "disk_quiet", m->quiet);
	json_object_set_new(j, "data",
			    json_pack("{s:i, s:i, s:n}", "checked_bytes", 0, "bad_bytes", 0,
				      "first_bad_offset"));
	json_object_set_new(j, "vmstat",
			    json_pack("{s:o, s:o}", "before", phase_vmstat_json(&m->before.vm),
				      "after", phase_vmstat_json(&m->after.vm)));
	json_object_set_new(
		j, "device",
		json_pack("{s:i, s:i}", "major", (int)major(m->dev), "minor", (int)minor(m->dev)));
	if (a->fault_around)
		json_object_set_new(j, "fault_around_bytes", json_integer(INT(a->fault_around)));
	if (m->lru_known)
		json_object_set_new(j, "lru",
				    json_pack("{s:I, s:I}", "file_pages", INT(m->lru.file),
					      "unreferenced", INT(m->lru.unreferenced)));
	if (a->exp->root == ROOT_NFS)
		json_object_set_new(j, "nfs",
				    json_pack("{s:I, s:I}", "read_calls",
					      INT(m->after.nfs.calls - m->before.nfs.calls),
					      "read_bytes",
					      INT(m->after.nfs.bytes - m->before.nfs.bytes)));
	/* a file system that was mounted a moment ago has no file in the page cache */
	if (boot)
		json_object_set_new(j, "cold",
				    json_pack("{s:s, s:i}", "method", "mount", "cached_pages", 0));
	json_object_set_new(j, "loss", phase_loss_json(m->loss, tracer_cpus(a->tracer)));
	return j;
}

static int root_device(struct root_measurement *m, bool boot, struct err *e)
{
	const char *path = boot ? GUEST_ROOT : "/proc/1/root";
	struct stat st;

	if (stat(path, &st))
		return err_errno(e, -errno, "%s", path);
	m->dev = st.st_dev;
	return 0;
}

static int prepare(struct root_measurement *m, bool boot, struct err *e)
{
	int ret = 0;

	if (boot) {
		/* its own faults would be among those that are counted */
		if (mlockall(MCL_CURRENT | MCL_FUTURE))
			return err_errno(e, -errno, "mlockall");
		ret = make_cold(m->a, e);
		if (!ret)
			ret = mount_root(m->a, e);
	}
	return ret ? ret : root_device(m, boot, e);
}

int root_run(struct agent *a, unsigned int index, struct err *e)
{
	const struct phase *phase = &a->exp->phases[index];
	struct cpu_drain *loss __cleanup_free = xcalloc(tracer_cpus(a->tracer), sizeof(*loss));
	struct root_measurement m = {.a = a, .index = index, .phase = phase, .loss = loss};
	bool boot = !strcmp(phase->pattern, ROOT_BOOT);
	int ret;

	agent_progress(a, index, 0, 0);
	ret = prepare(&m, boot, e);
	if (!ret)
		ret = measure(&m, boot, e);
	if (!ret)
		ret = tracer_drain(a->tracer, a->port, loss, e);
	if (!ret)
		ret = agent_send_json(a->port, FRAME_PHASE, measurement_json(&m, boot), e);
	return ret ? err_prefix(e, ret, "phase %s", phase->name) : 0;
}
