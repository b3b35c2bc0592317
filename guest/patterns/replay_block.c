// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay-block: the requests of a plan, issued to the scratch disk.  It has no
 * test file, and so no streams: it runs its phase by itself.
 */
#include <errno.h>
#include <string.h>

#include "guest/block_engine.h"
#include "guest/block_queue.h"
#include "guest/pattern.h"
#include "guest/patterns/list.h"
#include "guest/phase.h"
#include "guest/replay.h"
#include "guest/sys.h"

#define PROGRESS_MS 250

#define INT(v) ((json_int_t)(v))

struct block_phase {
	struct agent *a;
	unsigned int index;
	const struct phase *phase;
	struct plan_reader reader;
	struct block_plan plan;
	struct block_engine_options options;
	struct block_engine_stats stats;
	struct block_counts before, after;
	struct vmstat vm_before, vm_after;
	u64 begin_ns, end_ns;
	bool quiet;
	/* the thread that submits */
	struct block_feed feed;
	struct err err;
	int ret;
	atomic_bool over;
};

/* Write-zeroes and empty writes that flush: sysfs has them among the writes, the device's log not.
 */
static u64 no_writes_so_far;

static int counts_read(struct block_phase *b, struct block_counts *c, struct err *e)
{
	int ret = block_counts_read(b->a->disk, c, e);

	c->writes -= MIN(c->writes,
			 no_writes_so_far + b->stats.fsyncs + b->stats.by_op[BLOCK_WRITE_ZEROES]);
	return ret;
}

/* Right before the first request, in the thread that submits. */
static int begin(void *arg)
{
	struct block_phase *b = arg;
	struct err e;
	int ret;

	ret = counts_read(b, &b->before, &e);
	if (!ret)
		ret = vmstat_read(&b->vm_before);
	if (!ret)
		ret = tracer_clear(b->a->tracer, &e);
	if (!ret)
		ret = tracer_on(b->a->tracer);
	b->begin_ns = sys_now_ns();
	if (!ret)
		ret = tracer_mark(b->a->tracer, MARKER_PHASE_BEGIN "%s", b->phase->name);
	return ret;
}

static void *submit_thread(void *arg)
{
	struct block_phase *b = arg;
	cpu_set_t cpus;

	pthread_setname_np(pthread_self(), "replay");
	/* one CPU, so one queue of the device; not the first, which does everything else */
	CPU_ZERO(&cpus);
	CPU_SET((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, &cpus);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	b->ret = block_engine_run(&b->options, &b->feed, &b->stats, begin, b, &b->err);
	atomic_store(&b->over, true);
	return NULL;
}

static int run(struct block_phase *b, struct err *e)
{
	struct agent *a = b->a;
	pthread_t thread;
	int ret, end;

	ret = block_feed_start(&b->feed, &b->reader, &b->plan, e);
	if (ret)
		return ret;
	ret = pthread_create(&thread, NULL, submit_thread, b);
	if (ret) {
		err_errno(e, -ret, "a thread to submit requests");
		ret = -ret;
	} else {
		while (!atomic_load(&b->over)) {
			agent_progress(a, b->index, atomic_load(&b->stats.issued),
				       b->plan.requests);
			sys_sleep_ms(PROGRESS_MS);
		}
		pthread_join(thread, NULL);
		ret = b->ret;
		if (ret)
			*e = b->err;
	}
	end = block_feed_end(&b->feed, &b->err);
	if (end && !ret) {
		*e = b->err;
		ret = end;
	}
	return ret;
}

static int measure(struct block_phase *b, struct err *e)
{
	int ret = run(b, e), off;

	off = tracer_mark(b->a->tracer, MARKER_PHASE_END "%s", b->phase->name);
	b->end_ns = sys_now_ns();
	b->quiet = phase_wait_quiet(b->a);
	if (!off)
		off = tracer_off(b->a->tracer);
	if (!ret && off)
		ret = err_errno(e, off, "ending the trace");
	if (!ret)
		ret = counts_read(b, &b->after, e);
	no_writes_so_far += b->stats.fsyncs + b->stats.by_op[BLOCK_WRITE_ZEROES];
	if (!ret)
		ret = vmstat_read(&b->vm_after);
	return ret;
}

static json_t *result_json(const struct block_phase *b)
{
	const struct block_engine_stats *s = &b->stats;
	json_t *j, *by_op = json_object();

	for (unsigned int i = 0; i < BLOCK_OPS; i++)
		json_object_set_new(by_op, block_op_names[i], json_integer(INT(s->by_op[i])));
	j = json_pack("{s:s, s:i, s:b, s:i, s:I, s:o, s:I, s:I, s:I, s:I}", "timing",
		      replay_timing_names[b->phase->timing], "speed", (int)b->phase->speed,
		      "dependencies", b->options.dependencies && b->plan.dependencies, "depth",
		      (int)b->options.depth, "issued", INT(atomic_load(&s->issued)), "by_op", by_op,
		      "failed", INT(s->failed), "start_ns", INT(s->start_ns), "elapsed_ns",
		      INT(s->elapsed_ns), "in_flight_max", INT(s->in_flight_max));
	if (s->failed)
		json_object_set_new(j, "first_failed",
				    json_pack("{s:I, s:i}", "request", INT(s->first_failed),
					      "errno", -s->first_error));
	if (b->phase->timing == REPLAY_RECORDED)
		json_object_set_new(j, "lateness",
				    json_pack("{s:I, s:I, s:I, s:I, s:I}", "max_ns",
					      INT(s->late_max_ns), "last_ns", INT(s->late_last_ns),
					      "held", INT(s->held), "held_ns", INT(s->held_ns),
					      "last_held_ns", INT(s->last_held_ns)));
	json_object_set_new(j, "device_before", block_counts_json(&b->before));
	json_object_set_new(j, "device_after", block_counts_json(&b->after));
	return j;
}

static json_t *block_phase_json(const struct block_phase *b, const struct cpu_drain *loss)
{
	return json_pack(
		"{s:s, s:s, s:{}, s:I, s:I, s:I, s:I, s:I, s:b, s:{s:I, s:I}, "
		"s:{s:o, s:o}, s:o, s:o}",
		"name", b->phase->name, "pattern", b->phase->pattern, "params", "begin_ns",
		INT(b->begin_ns), "end_ns", INT(b->end_ns), "bytes_asked", INT(0), "elapsed_ns",
		INT(b->stats.elapsed_ns), "wall_ns", INT(b->stats.elapsed_ns), "disk_quiet",
		b->quiet, "data", "checked_bytes", INT(0), "bad_bytes", INT(0), "vmstat", "before",
		phase_vmstat_json(&b->vm_before), "after", phase_vmstat_json(&b->vm_after), "loss",
		phase_loss_json(loss, tracer_cpus(b->a->tracer)), "block_replay", result_json(b));
}

static int prepared(struct block_phase *b, struct err *e)
{
	struct cpu_drain *loss __cleanup_free = xcalloc(tracer_cpus(b->a->tracer), sizeof(*loss));
	struct block_queue queue = {.fd = -1};
	char disk[64];
	int ret;

	ret = plan_disk(disk, sizeof(disk), e);
	if (!ret)
		ret = plan_open(&b->reader, disk, true, e);
	b->reader.name = "the plan";
	if (!ret)
		ret = block_plan_header(&b->reader, &b->plan, e);
	if (!ret)
		ret = block_queue_setup(b->a->disk, &b->plan, &queue, e);
	b->options.fd = queue.fd;
	b->options.depth = queue.depth;
	b->options.scattered_max = queue.scattered_max;
	if (!ret)
		ret = measure(b, e);
	if (!ret)
		ret = tracer_drain(b->a->tracer, b->a->port, loss, e);
	if (!ret)
		ret = agent_send_json(b->a->port, FRAME_PHASE, block_phase_json(b, loss), e);
	return ret;
}

static int replay_block_run_phase(struct agent *a, unsigned int index, struct err *e)
{
	const struct phase *phase = &a->exp->phases[index];
	struct block_phase b = {
		.a = a,
		.index = index,
		.phase = phase,
		.reader.fd = -1,
		.options = {.fd = -1,
			    .speed = phase->timing == REPLAY_FAST ? 0 : phase->speed / 100.0,
			    .dependencies = true},
	};
	int ret = prepared(&b, e);

	if (b.options.fd >= 0)
		close(b.options.fd);
	plan_close(&b.reader);
	block_plan_free(&b.plan);
	return ret;
}

const struct pattern pattern_replay_block = {
	.name = "replay-block",
	.run_phase = replay_block_run_phase,
};
