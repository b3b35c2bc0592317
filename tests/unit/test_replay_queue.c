// SPDX-License-Identifier: GPL-2.0-only
/* From a plan to a queue per task: each task gets its records, in order, in bounded memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "guest/replay.h"

#define TASKS 3
#define PER_TASK 20000u

static char path[64];

static int setup(void **state __unused_arg)
{
	int fd;

	strcpy(path, "/tmp/test_replay_queue.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state __unused_arg)
{
	return unlink(path);
}

/* The tasks' turns are uneven: the first has its last records long after the others'. */
static struct access record(u32 task, u32 i)
{
	return (struct access){.ns = i,
			       .task = task,
			       .op = i % 2 ? ACCESS_READ : ACCESS_TOUCH,
			       .offset = 4096ull * i,
			       .length = 4096,
			       .at = ACCESS_AT_UNKNOWN};
}

static void write_plan(u32 tasks_said)
{
	struct access_file file = {1ull << 40, false, 0, 12};
	struct access_phase ph[2] = {{"one", TASKS * PER_TASK, tasks_said, 0, 4096},
				     {"two", 1, 1, 0, 4096}};
	struct access_plan p = {.page_size = 4096,
				.files = &file,
				.n_files = 1,
				.phases = ph,
				.n_phases = 2,
				.source = (char *)"a test"};
	struct plan_writer w;
	struct access a;
	struct err e;

	assert_int_equal(plan_create(&w, path, PLAN_ACCESS, &e), 0);
	access_plan_put_phase(&w, "one");
	for (u32 t = 1; t < TASKS; t++)
		for (u32 i = 0; i < PER_TASK; i++) {
			a = record(t, i);
			access_plan_put(&w, &a);
			a = record(0, i);
			if (t == 1 && i < PER_TASK / 2)
				access_plan_put(&w, &a);
		}
	for (u32 i = PER_TASK / 2; i < PER_TASK; i++) {
		a = record(0, i);
		access_plan_put(&w, &a);
	}
	access_plan_put_phase(&w, "two");
	a = record(0, 77);
	access_plan_put(&w, &a);
	access_plan_put_header(&w, &p);
	assert_int_equal(plan_finish(&w, &e), 0);
}

static void open_replay(struct replay *r)
{
	struct err e = {.msg = ""};

	memset(r, 0, sizeof(*r));
	r->at_phase = UINT32_MAX;
	assert_int_equal(plan_open(&r->reader, path, false, &e), 0);
	if (access_plan_header(&r->reader, &r->plan, &e))
		fail_msg("%s", e.msg);
}

static void close_replay(struct replay *r)
{
	plan_close(&r->reader);
	access_plan_free(&r->plan);
}

struct consumer {
	struct queues *qs;
	u32 task, got, bad;
	pthread_t thread;
};

static void *consume(void *arg)
{
	struct consumer *c = arg;
	struct record r;

	for (; queues_take(c->qs, c->task, &r); c->got++) {
		struct access want = record(c->task, c->got);

		c->bad += r.seq != c->got || r.offset != want.offset || r.op != want.op ||
			  r.ns != want.ns;
	}
	return NULL;
}

/* @limit: much less than the plan, so that the loader has to wait for the tasks. */
static void run(u32 limit)
{
	struct consumer c[TASKS];
	struct queues qs;
	struct replay r;
	struct record last;
	struct err e = {.msg = ""};

	write_plan(TASKS);
	open_replay(&r);
	if (queues_open(&qs, &r, "one", TASKS, limit, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(qs.threaded, limit < 100);
	for (u32 t = 0; t < TASKS; t++) {
		c[t] = (struct consumer){.qs = &qs, .task = t};
		assert_int_equal(pthread_create(&c[t].thread, NULL, consume, &c[t]), 0);
	}
	for (u32 t = 0; t < TASKS; t++) {
		pthread_join(c[t].thread, NULL);
		assert_int_equal(c[t].got, PER_TASK);
		assert_int_equal(c[t].bad, 0);
	}
	assert_true(qs.chunks <= limit + 2 * TASKS);
	assert_int_equal(qs.records, TASKS * PER_TASK);
	assert_int_equal(queues_close(&qs, &e), 0);

	/* the next phase stands where this one ended; one that is past is not found again */
	assert_int_equal(queues_open(&qs, &r, "two", 1, limit, &e), 0);
	assert_true(queues_take(&qs, 0, &last));
	assert_int_equal(last.offset, 77 * 4096);
	assert_false(queues_take(&qs, 0, &last));
	assert_int_equal(queues_close(&qs, &e), 0);
	assert_int_equal(queues_open(&qs, &r, "one", TASKS, limit, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "no phase one, or has it further up"));
	assert_int_equal(queues_close(&qs, &e), 0);
	close_replay(&r);
}

static void test_loaded(void **state __unused_arg)
{
	run(1000);
}

static void test_streamed(void **state __unused_arg)
{
	run(2);
}

/* Ended before the tasks have taken anything: as when a phase fails. */
static void test_stopped(void **state __unused_arg)
{
	struct queues qs;
	struct replay r;
	struct err e;

	write_plan(TASKS);
	open_replay(&r);
	assert_int_equal(queues_open(&qs, &r, "one", TASKS, 2, &e), 0);
	assert_true(qs.threaded);
	assert_int_equal(queues_close(&qs, &e), 0);
	close_replay(&r);
}

/* A plan whose body has more tasks than its header says. */
static void test_liar(void **state __unused_arg)
{
	struct err e = {.msg = ""};
	struct queues qs;
	struct replay r;

	write_plan(2);
	open_replay(&r);
	assert_int_equal(queues_open(&qs, &r, "one", 2, 1000, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "task 2, and the phase has 2"));
	assert_int_equal(queues_close(&qs, &e), -EBADMSG);
	close_replay(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded),
		cmocka_unit_test(test_streamed),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_liar),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
