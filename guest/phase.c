// SPDX-License-Identifier: GPL-2.0-only
/*
 * One phase: everything allocated, threads parked, the cache made cold, and
 * only then counters, trace, markers and the pattern.  Nothing is written out
 * before the tracing is off again.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "guest/agent.h"
#include "guest/cache.h"
#include "guest/ceph.h"
#include "guest/knobs.h"
#include "guest/lru.h"
#include "guest/phase.h"
#include "guest/sys.h"
#include "guest/workload.h"

#define PROGRESS_MS 250
/* Readahead may still be under way when the last copy has ended. */
#define QUIET_TIMEOUT_MS 5000
#define QUIET_POLL_MS 2
/* For the host to ask every server, of which some may be busy. */
#define COUNTERS_TIMEOUT_MS 60000

struct snapshot {
	struct vmstat vm;
	struct cache_pages cache;
};

struct measurement {
	unsigned int cold_attempts;
	struct snapshot before, after;
	u64 begin_ns, end_ns; /* around the markers */
	u64 wall_ns;
	unsigned int clients; /* that the kernel counts; 0: it does not say */
	bool quiet;	      /* no request was in flight when tracing was switched off */
	u64 fault_around;     /* bytes, as read back; 0: the kernel does not say */
	struct lru_pages lru;
	bool lru_known;
	struct cpu_drain *loss;
};

static int take_snapshot(struct snapshot *s, const struct workload *w, struct err *e)
{
	int ret = vmstat_read(&s->vm);

	if (ret)
		return err_errno(e, ret, "/proc/vmstat");
	/* not fatal: FRAME_PHASE then has no "cold", and verify cannot decide */
	if (!cache_count_all(w->fds, w->files->n, w->file_size, &s->cache) && w->pattern->cached)
		w->pattern->cached(w, &s->cache);
	return 0;
}

/* Requests in flight; -errno if the kernel does not say. */
static int in_flight(const struct agent *a)
{
	unsigned long long reads, writes;
	char line[64];

	if (a->ceph)
		return ceph_in_flight();
	if (sys_read_line(line, sizeof(line), "/sys/block/%s/inflight", a->disk) ||
	    sscanf(line, "%llu %llu", &reads, &writes) != 2)
		return -ENODATA;
	return (int)MIN(reads + writes, (unsigned long long)INT_MAX);
}

bool phase_wait_quiet(const struct agent *a)
{
	unsigned int ms;
	int n = 1;

	for (ms = 0; ms < QUIET_TIMEOUT_MS && n > 0; ms += QUIET_POLL_MS) {
		n = in_flight(a);
		if (n > 0)
			sys_sleep_ms(QUIET_POLL_MS);
	}
	return !n;
}

/*
 * Servers have counters of their own, which only the host can read: it does so
 * before it answers.
 */
static int host_counters(const struct agent *a, const struct workload *w, const char *when,
			 struct err *e)
{
	int ret;

	if (!a->ceph)
		return 0;
	ret = agent_send_json(a->port, FRAME_COUNTERS,
			      json_pack("{s:s, s:s}", "phase", w->phase->name, "when", when), e);
	if (!ret)
		ret = port_answer(a->port, COUNTERS_TIMEOUT_MS, e);
	return ret;
}

static void run_streams(const struct agent *a, unsigned int index, struct workload *w,
			struct measurement *m)
{
	unsigned int finished = 0;
	u64 total = workload_bytes(w);
	u64 begin = sys_now_ns();

	workload_start(w);
	while (finished < w->n_streams) {
		workload_wait(w, PROGRESS_MS, &finished);
		if (finished == w->n_streams)
			break;
		agent_progress(a, index, workload_done(w), total);
	}
	m->wall_ns = sys_now_ns() - begin;
}

/* The traced part. */
static int measure(const struct agent *a, unsigned int index, struct workload *w,
		   struct measurement *m, struct err *e)
{
	int ret;

	ret = host_counters(a, w, "before", e);
	if (!ret)
		ret = take_snapshot(&m->before, w, e);
	if (!ret)
		ret = tracer_clear(a->tracer, e);
	if (ret)
		return ret;
	ret = tracer_on(a->tracer);
	m->begin_ns = sys_now_ns();
	if (!ret)
		ret = tracer_mark(a->tracer, MARKER_PHASE_BEGIN "%s", w->phase->name);
	if (ret)
		return err_errno(e, ret, "starting the trace");

	run_streams(a, index, w, m);

	ret = tracer_mark(a->tracer, MARKER_PHASE_END "%s", w->phase->name);
	m->end_ns = sys_now_ns();
	m->quiet = phase_wait_quiet(a);
	if (!ret)
		ret = tracer_off(a->tracer);
	if (ret)
		return err_errno(e, ret, "ending the trace");
	/* not fatal: a kernel without page flags has a figure less */
	m->lru_known = !lru_read(&m->lru);
	ret = take_snapshot(&m->after, w, e);
	return ret ? ret : host_counters(a, w, "after", e);
}

/* ---- FRAME_PHASE ---- */

#define INT(v) ((json_int_t)(v))

json_t *phase_vmstat_json(const struct vmstat *v)
{
	json_t *j = json_object();
	unsigned int i;

	for (i = 0; i < n_vmstat_names; i++)
		if (v->known[i])
			json_object_set_new(j, vmstat_names[i], json_integer(INT(v->value[i])));
	return j;
}

static json_t *cache_json(const struct cache_pages *c)
{
	if (!strcmp(c->method, "unknown"))
		return json_null();
	if (strcmp(c->method, "cachestat"))
		return json_pack("{s:I}", "cache", INT(c->cache));
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "cache", INT(c->cache), "dirty",
			 INT(c->dirty), "writeback", INT(c->writeback), "evicted", INT(c->evicted),
			 "recently_evicted", INT(c->recently_evicted));
}

static json_t *params_json(const struct workload *w)
{
	const struct phase *p = w->phase;

	return json_pack("{s:i, s:I, s:I, s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:i, s:b, s:s, s:s,"
			 " s:i, s:s, s:b}",
			 "threads", (int)p->threads, "start", INT(w->start), "piece", INT(p->piece),
			 "chunk", INT(p->chunk), "order", copy_order_names[p->order], "count",
			 INT(p->count), "length", INT(p->length), "seed", INT(p->seed), "pages",
			 INT(p->pages), "cluster", INT(p->cluster), "streams", (int)p->streams,
			 "own_file", p->own_file, "advice", advice_names[p->advice], "mode",
			 p->mode, "clients", (int)p->clients, "placement",
			 placement_names[p->placement], "lazyio", p->lazyio);
}

json_t *phase_loss_json(const struct cpu_drain *loss, unsigned int cpus)
{
	json_t *j = json_array();
	unsigned int i;

	for (i = 0; i < cpus; i++)
		json_array_append_new(j, json_pack("{s:i, s:I, s:I, s:I, s:I, s:I}", "cpu", (int)i,
						   "entries_read", INT(loss[i].entries_read),
						   "overrun", INT(loss[i].overrun),
						   "commit_overrun", INT(loss[i].commit_overrun),
						   "dropped", INT(loss[i].dropped), "unread",
						   INT(loss[i].unread)));
	return json_pack("{s:o}", "per_cpu", j);
}

static json_t *phase_json(const struct agent *a, const struct workload *w,
			  const struct measurement *m)
{
	u64 checked = 0, bad = 0, first_bad = UINT64_MAX, elapsed = 0, user = 0, system = 0;
	unsigned int i;
	json_t *j;

	for (i = 0; i < w->n_streams; i++) {
		const struct stream *s = &w->streams[i];

		checked += s->checked;
		bad += s->bad;
		if (s->bad)
			first_bad = MIN(first_bad, s->first_bad);
		elapsed = MAX(elapsed, s->busy_ns);
		user += s->user_ns;
		system += s->system_ns;
	}
	j = json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:b}", "name", w->phase->name,
		      "pattern", w->phase->pattern, "params", params_json(w), "begin_ns",
		      INT(m->begin_ns), "end_ns", INT(m->end_ns), "bytes_asked",
		      INT(workload_bytes(w)), "elapsed_ns", INT(elapsed), "wall_ns",
		      INT(m->wall_ns), "disk_quiet", m->quiet);
	if (m->clients)
		json_object_set_new(j, "clients", json_integer(INT(m->clients)));
	/* no proof at all where nothing could be counted: a 0 would read as a cold cache */
	if (strcmp(m->before.cache.method, "unknown"))
		json_object_set_new(j, "cold",
				    json_pack("{s:s, s:I, s:i}", "method", m->before.cache.method,
					      "cached_pages", INT(m->before.cache.cache),
					      "attempts", (int)m->cold_attempts));
	json_object_set_new(j, "data",
			    json_pack("{s:I, s:I, s:o}", "checked_bytes", INT(checked), "bad_bytes",
				      INT(bad), "first_bad_offset",
				      bad ? json_integer(INT(first_bad)) : json_null()));
	json_object_set_new(j, "vmstat",
			    json_pack("{s:o, s:o}", "before", phase_vmstat_json(&m->before.vm),
				      "after", phase_vmstat_json(&m->after.vm)));
	json_object_set_new(j, "cachestat",
			    json_pack("{s:o, s:o}", "before", cache_json(&m->before.cache), "after",
				      cache_json(&m->after.cache)));
	if (m->fault_around)
		json_object_set_new(j, "fault_around_bytes", json_integer(INT(m->fault_around)));
	if (m->lru_known)
		json_object_set_new(j, "lru",
				    json_pack("{s:I, s:I}", "file_pages", INT(m->lru.file),
					      "unreferenced", INT(m->lru.unreferenced)));
	json_object_set_new(
		j, "cpu_time",
		json_pack("{s:I, s:I}", "user_ns", INT(user), "system_ns", INT(system)));
	if (w->pattern->result)
		json_object_set_new(j, w->pattern->result_name, w->pattern->result(w));
	json_object_set_new(j, "loss", phase_loss_json(m->loss, tracer_cpus(a->tracer)));
	return j;
}

static int run_prepared(struct agent *a, unsigned int index, struct workload *w,
			struct measurement *m, struct err *e)
{
	const struct pattern *p = w->pattern;
	int ret = 0;

	if (p->before_cold)
		ret = p->before_cold(w, e);
	if (ret)
		return ret;
	m->cold_attempts = cache_make_cold(w->fds, w->files->n, w->file_size);
	if (p->after_cold)
		ret = p->after_cold(w, e);
	if (!ret)
		ret = workload_map(w, e);
	if (!ret)
		ret = measure(a, index, w, m, e);
	if (!ret)
		ret = workload_join(w, e);
	if (!ret && p->after)
		ret = p->after(w, e);
	if (!ret)
		ret = tracer_drain(a->tracer, a->port, m->loss, e);
	/* undo what before_cold may have done to the ring buffer */
	if (!ret && p->before_cold)
		ret = tracer_resize(a->tracer, a->exp->trace_buffer, e);
	if (!ret)
		ret = agent_send_json(a->port, FRAME_PHASE, phase_json(a, w, m), e);
	return ret;
}

int phase_run(struct agent *a, unsigned int index, struct err *e)
{
	const struct phase *phase = &a->exp->phases[index];
	const struct pattern *pattern = pattern_named(phase->pattern);
	struct cpu_drain *loss __cleanup_free = xcalloc(tracer_cpus(a->tracer), sizeof(*loss));
	struct measurement m = {.loss = loss};
	struct workload w;
	u64 fault_around = phase->fault_around_bytes;
	int ret = 0;

	if (root_phase(phase))
		return root_run(a, index, e);
	console_print("phase %u/%u %s", index + 1, a->exp->n_phases, phase->name);
	agent_progress(a, index, 0, 0);
	if (pattern->run_phase) {
		ret = pattern->run_phase(a, index, e);
		return ret ? err_prefix(e, ret, "phase %s", phase->name) : 0;
	}
	if (fault_around)
		ret = knob_fault_around(fault_around, e);
	m.fault_around = fault_around ? fault_around : a->fault_around;
	if (!ret && a->ceph)
		ret = ceph_mount_clients(a, phase, &m.clients, e);
	if (!ret)
		ret = workload_setup(&w, phase, &a->files, a->exp->file_size, a->tracer, e);
	if (!ret)
		ret = run_prepared(a, index, &w, &m, e);
	if (ret)
		return err_prefix(e, ret, "phase %s", phase->name);
	workload_free(&w);
	if (a->ceph) {
		ret = ceph_unmount_clients(a, e);
		if (ret)
			return err_prefix(e, ret, "phase %s", phase->name);
	}
	if (fault_around && a->fault_around)
		ret = knob_fault_around(a->fault_around, e);
	return ret;
}
