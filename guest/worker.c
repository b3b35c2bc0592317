// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "guest/agent.h"
#include "guest/ceph.h"
#include "guest/knobs.h"
#include "guest/replay.h"
#include "guest/workload.h"

int agent_send_json(struct port *port, enum frame_type type, json_t *json, struct err *e)
{
	char *text __cleanup_free = NULL;
	int ret;

	/* NULL after a failed json_pack(): a wrong format string, or no memory */
	if (!json)
		return err_set(e, -ENOMEM, "frame %d: its JSON cannot be built", type);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	if (!text)
		return err_set(e, -EILSEQ, "frame %d: its JSON is not UTF-8", type);
	ret = port_send_data(port, type, 0, text, strlen(text));
	return ret ? err_errno(e, ret, "sending frame %d", type) : 0;
}

void agent_progress(const struct agent *a, unsigned int index, u64 done, u64 total)
{
	u8 payload[PROGRESS_SIZE];
	struct progress p = {
		.phase = index,
		.phases = a->exp->n_phases,
		.done = done,
		.total = total,
	};

	/* a port that fails here fails again where an error can be reported */
	progress_encode(payload, &p);
	port_send_data(a->port, FRAME_PROGRESS, 0, payload, sizeof(payload));
}

int agent_test_file(struct agent *a, const char *path, struct err *e)
{
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) || statvfs(path, &fs))
		return err_errno(e, -errno, "%s", path);
	if (!S_ISREG(st.st_mode) || (u64)st.st_size != a->exp->file_size)
		return err_set(e, -EINVAL, "%s: %lld bytes, expected a file of %llu", path,
			       (long long)st.st_size, (unsigned long long)a->exp->file_size);
	a->file = (struct test_file){
		.major = major(st.st_dev),
		.minor = minor(st.st_dev),
		.ino = st.st_ino,
		.size = (u64)st.st_size,
		.block_size = fs.f_bsize,
	};
	snprintf(a->file.path, sizeof(a->file.path), "%s", path);
	return 0;
}

/* A boot that only makes the test disk; the host needs no more of the hello than this. */
static int fill_run(struct agent *a, struct err *e)
{
	json_t *hello =
		json_pack("{s:I, s:I, s:{s:i, s:i}}", "cpus",
			  (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "page_size",
			  (json_int_t)sysconf(_SC_PAGESIZE), "test_device", "major", 0, "minor", 0);
	int ret = agent_send_json(a->port, FRAME_HELLO, hello, e);

	return ret ? ret : disk_fill(a, e);
}

bool agent_replays_requests(const struct experiment *exp)
{
	for (unsigned int i = 0; i < exp->n_phases; i++) {
		const struct phase *p = &exp->phases[i];

		/* a root file system's are no patterns */
		if (!root_phase(p) && pattern_named(p->pattern)->run_phase)
			return true;
	}
	return false;
}

int agent_run(struct agent *a, struct err *e)
{
	json_t *hello;
	unsigned int i, sets;
	int ret;

	a->step = "read the experiment";
	ret = experiment_load(GUEST_EXPERIMENT, &a->exp, e);
	if (ret)
		return ret;
	if (!access(GUEST_FILL, F_OK))
		return fill_run(a, e);
	for (i = 0; i < a->exp->n_phases && !ret; i++)
		if (!root_phase(&a->exp->phases[i]))
			ret = workload_check(&a->exp->phases[i], a->exp->file_size, e);
	if (ret)
		return ret;

	/* for the knobs that only debugfs shows; a kernel without it lacks them */
	(void)!mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);

	a->ceph = experiment_on_ceph(a->exp);
	ret = a->ceph ? ceph_setup(a, e) : disk_setup(a, e);
	if (!ret)
		ret = replay_setup(a, e);
	if (ret)
		return ret;

	a->step = "set up tracing";
	if (mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) && errno != EBUSY)
		return err_errno(e, -errno, "mounting tracefs");
	sets = a->ceph ? TRACER_CEPH : 0;
	if (agent_replays_requests(a->exp))
		sets |= TRACER_BIO;
	ret = tracer_open(&a->tracer, a->exp->trace_buffer, sets, e);
	if (ret)
		return ret;

	a->step = "set the knobs";
	ret = knobs_set(a->exp, &a->fault_around, e);
	if (ret)
		return ret;

	a->step = "describe the guest";
	ret = hello_json(a, &hello, e);
	if (!ret)
		ret = agent_send_json(a->port, FRAME_HELLO, hello, e);
	if (!ret)
		ret = tracer_send_formats(a->tracer, a->port, e);

	for (i = 0; i < a->exp->n_phases && !ret; i++) {
		a->step = "run a phase";
		ret = phase_run(a, i, e);
	}
	if (ret)
		return ret;
	a->step = "send the trace's tables";
	return tracer_send_tables(a->tracer, a->port, e);
}
