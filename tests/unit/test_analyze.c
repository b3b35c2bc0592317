// SPDX-License-Identifier: GPL-2.0-only
/* analyze() on whole runs: files, several captures, checks over the run. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fileio.h"
#include "tests/unit/make_trace.h"
#include "verify/checks/check.h"
#include "verify/result.h"

#define INO 12
#define PID 100
#define RA 2048

static const char ini[] = "[experiment]\n"
			  "summary = test\n"
			  "file_size = 1G\n"
			  "filesystem = ext4\n"
			  "read_ahead_kb = 8192\n"
			  "memory = 1G\n"
			  "cpus = 1\n"
			  "trace_buffer = 1M\n"
			  "[kernel base]\n"
			  "[kernel patched]\n"
			  "[phase copy]\n"
			  "pattern = piece-copy\n"
			  "threads = 1\n"
			  "piece = 8M\n"
			  "order = tail-first\n"
			  "[phase random]\n"
			  "pattern = random-touch\n"
			  "threads = 1\n"
			  "count = 10\n"
			  "length = 8\n"
			  "seed = 1\n"
			  "checks = trace-complete\n"
			  "unaffected = yes\n"
			  "[expect base]\n"
			  "no-sync-readaround-per-piece = violated\n";

static char dir[] = "/tmp/blkproof-test-analyze-XXXXXX";

/* One capture: a copy that reads around per piece or does not, then @requests of 4 KiB. */
static void make_trace(const char *path, bool base, unsigned int requests, bool lost)
{
	struct trace_builder *tb = tb_new(TB_V7);
	u64 ts = 1000000, page = 65536;

	tb_comm(tb, PID, "agent");
	tb_marker(tb, 0, ts += 1000, 1, "blkproof: phase begin copy");
	tb_marker(tb, 0, ts += 1000, PID, "blkproof: stream 0 268435456 805306368");
	for (unsigned int p = 0; p < 6; p++, page += RA) {
		char text[80];

		snprintf(text, sizeof(text), "blkproof: piece 0 %llu 8388608",
			 (unsigned long long)page * 4096);
		tb_marker(tb, 0, ts += 1000, PID, text);
		if (base || !p) {
			tb_fault(tb, 0, ts += 1000, PID, INO, page + RA - 1);
			tb_ra_order(tb, 0, ts += 1000, PID, INO,
				    (struct tb_ra){.index = page + RA / 2 - 1,
						   .size = RA,
						   .async_size = RA / 4,
						   .ra_pages = RA});
			tb_add_folio(tb, 0, ts += 1000, PID, INO, page + RA / 2 - 1, 0);
		}
	}
	tb_marker(tb, 0, ts += 1000, 1, "blkproof: phase end copy");
	tb_marker(tb, 0, ts += 1000, 1, "blkproof: phase begin random");
	if (lost)
		tb_missed(tb, 0, 5);
	for (unsigned int i = 0; i < requests; i++) {
		tb_rq_issue(tb, 0, ts += 1000, PID, i * 800, 4096, "RA");
		tb_rq_complete(tb, 0, ts += 1000, PID, i * 800, 4096, "RA", 0);
	}
	tb_marker(tb, 0, ts += 1000, 1, "blkproof: phase end random");
	tb_write(tb, path);
	tb_free(tb);
}

static struct capture *make_capture(struct run *run, const char *kernel, unsigned int repeat,
				    unsigned int requests, bool lost)
{
	struct capture *c = xcalloc(1, sizeof(*c));

	c->run = run;
	c->has_json = true;
	c->repeat = repeat;
	c->trace = xasprintf("%s/%s-%u.dat", dir, kernel, repeat);
	snprintf(c->kernel, sizeof(c->kernel), "%s", kernel);
	c->page_size = 4096;
	c->file_dev = TB_DEV;
	c->disk_dev = TB_DEV;
	c->file_ino = INO;
	c->file_size = 1u << 30;
	c->read_ahead_kb = 8192;
	c->n_phases = 2;
	c->phases = xcalloc(2, sizeof(*c->phases));
	for (unsigned int i = 0; i < 2; i++) {
		snprintf(c->phases[i].name, NAME_LEN, "%s", i ? "random" : "copy");
		c->phases[i].cold_known = true;
		c->phases[i].end_ns = UINT64_MAX;
		c->phases[i].data_checked = 8;
		c->phases[i].bytes_asked = 8;
	}
	make_trace(c->trace, !strcmp(kernel, "base"), requests, lost);
	return c;
}

static void make_run(struct run *run, const unsigned int requests[4], bool lost)
{
	struct err e;

	*run = (struct run){.has_json = true, .n_captures = 4, .n_kernels = 2};
	if (experiment_parse(ini, "test", &run->exp, &e))
		fail_msg("%s", e.msg);
	run->captures = xcalloc(4, sizeof(*run->captures));
	for (unsigned int i = 0; i < 4; i++)
		run->captures[i] = make_capture(run, i < 2 ? "base" : "patched", i % 2 + 1,
						requests[i], lost && i == 3);
}

static void free_run(struct run *run)
{
	for (unsigned int i = 0; i < run->n_captures; i++) {
		free(run->captures[i]->trace);
		free(run->captures[i]->phases);
		free(run->captures[i]);
	}
	free(run->captures);
	experiment_free(run->exp);
}

static const struct result *find(const struct capture_result *cr, const char *phase,
				 const char *check)
{
	for (unsigned int i = 0; i < cr->n_results; i++)
		if (!strcmp(cr->results[i].phase, phase) &&
		    !strcmp(cr->results[i].check->name, check))
			return &cr->results[i];
	return NULL;
}

static void test_run(void **state)
{
	static const unsigned int same[4] = {100, 102, 101, 103};
	struct analyze_options opt = {0};
	struct analysis *a;
	struct run run;
	struct err e;
	const struct result *r;

	(void)state;
	make_run(&run, same, false);
	if (analyze(&run, &opt, &a, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(a->n_captures, 4);
	r = find(&a->captures[0], "copy", "no-sync-readaround-per-piece");
	assert_int_equal(r->verdict, VERDICT_FAIL);
	assert_int_equal(r->violations, 4);
	assert_int_equal(r->expected, EXPECT_VIOLATED);
	assert_string_equal(r->findings[0].comm, "agent");
	assert_int_equal(r->findings[0].offset, (65536ull + 3 * RA - 1) * 4096);
	assert_ptr_equal(r->capture, run.captures[0]);
	r = find(&a->captures[2], "copy", "no-sync-readaround-per-piece");
	assert_int_equal(r->verdict, VERDICT_PASS);
	assert_int_equal(r->expected, EXPECT_HOLDS);
	/* the phase lists its checks */
	assert_null(find(&a->captures[0], "random", "no-sync-readaround-per-piece"));
	assert_non_null(find(&a->captures[0], "random", "trace-complete"));
	assert_int_equal(a->captures[0].phases[1].guest_requests, 100);
	assert_int_equal(a->captures[0].phases[1].guest_bytes, 100 * 4096);
	analysis_free(a);
	free_run(&run);
}

static void test_unaffected(void **state)
{
	static const struct {
		unsigned int requests[4];
		bool lost;
		enum verdict verdict;
		enum reason reason;
		const char *says;
	} cases[] = {
		/* means 101 and 102: +0.99 % */
		{{100, 102, 101, 103}, false, VERDICT_PASS, WHY_NONE, "bytes +0.99 %"},
		{{100, 100, 102, 102}, false, VERDICT_PASS, WHY_NONE, "bytes +2.00 %"},
		{{100, 100, 110, 111}, false, VERDICT_FAIL, WHY_NONE, "bytes +10.50 %"},
		{{100, 100, 90, 89}, false, VERDICT_FAIL, WHY_NONE, "bytes -10.50 %"},
		{{100, 100, 103, 103}, false, VERDICT_FAIL, WHY_NONE, "bytes +3.00 %"},
		/* two boots of one kernel differ as much: more of them would tell */
		{{100, 100, 102, 103}, false, VERDICT_INCONCLUSIVE, WHY_NOISE, "bytes +2.50 %"},
		{{90, 110, 100, 120}, false, VERDICT_INCONCLUSIVE, WHY_NOISE, "p 0."},
		{{100, 100, 100, 100}, true, VERDICT_INCONCLUSIVE, WHY_EVENTS_LOST, "lost"},
		{{0, 0, 0, 0}, false, VERDICT_INCONCLUSIVE, WHY_NOTHING_TO_CHECK, "nothing"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct analyze_options opt = {0};
		struct analysis *a;
		struct run run;
		struct err e;
		const struct result *r;

		make_run(&run, cases[i].requests, cases[i].lost);
		if (analyze(&run, &opt, &a, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(a->n_run_results, 1);
		r = &a->run_results[0];
		assert_null(r->capture);
		assert_string_equal(r->phase, "random");
		assert_string_equal(r->check->name, "unaffected-pattern");
		if (r->verdict != cases[i].verdict || r->reason != cases[i].reason ||
		    !strstr(r->detail, cases[i].says))
			fail_msg("case %zu: %s (%s): %s", i, verdict_name(r->verdict),
				 reason_id(r->reason), r->detail);
		assert_int_equal(r->violations > 0, r->verdict == VERDICT_FAIL);
		analysis_free(a);
		free_run(&run);
	}
}

/* On CephFS the OSDs' bytes and requests count, and no read may be taken for strided. */
static void test_unaffected_osds(void **state)
{
	static const struct {
		u64 bytes[4], reads[4]; /* base 1, 2, patched 1, 2; MiB */
		enum verdict verdict;
		const char *says;
	} cases[] = {
		{{1000, 1000, 1020, 1020}, {100, 100, 98, 98}, VERDICT_PASS,
		 "bytes +2.00 % (1069547520, 1048576000), requests -2.00 % (98, 100), n 2, 2, OSDs, "
		 "strided reads not measurable"},
		{{1000, 1000, 1021, 1021}, {100, 100, 100, 100}, VERDICT_FAIL, "bytes +2.10 %"},
		{{1000, 1000, 1000, 1000}, {100, 100, 103, 103}, VERDICT_FAIL, "requests +3.00 %"},
		{{0, 0, 0, 0}, {0, 0, 0, 0}, VERDICT_INCONCLUSIVE, "nothing to check"},
	};
	static const unsigned int device[4] = {100, 100, 200, 200};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct analyze_options opt = {0};
		const struct result *r;
		struct analysis *a;
		struct run run;
		struct err e;

		make_run(&run, device, false);
		for (unsigned int c = 0; c < 4; c++) {
			struct phase_info *p = &run.captures[c]->phases[1];
			unsigned int k = (strcmp(run.captures[c]->kernel, "base") ? 2 : 0) +
					 run.captures[c]->repeat - 1;

			p->osd_known = true;
			p->osd_read_bytes = cases[i].bytes[k] << 20;
			p->osd_reads = cases[i].reads[k];
		}
		if (analyze(&run, &opt, &a, &e))
			fail_msg("%s", e.msg);
		r = &a->run_results[0];
		if (r->verdict != cases[i].verdict || !strstr(r->detail, cases[i].says))
			fail_msg("case %zu: %s: %s", i, verdict_name(r->verdict), r->detail);
		analysis_free(a);
		free_run(&run);
	}
}

static void test_warm_repeat(void **state)
{
	static const unsigned int same[4] = {100, 100, 100, 100};
	struct analyze_options opt = {0};
	struct analysis *a;
	struct run run;
	struct err e;

	(void)state;
	make_run(&run, same, false);
	run.captures[1]->phases[1].cached_before = 1;
	assert_int_equal(analyze(&run, &opt, &a, &e), 0);
	assert_int_equal(a->run_results[0].reason, WHY_CACHE_NOT_COLD);
	analysis_free(a);
	free_run(&run);
}

static void test_unreadable(void **state)
{
	static const unsigned int same[4] = {1, 1, 1, 1};
	struct analyze_options opt = {0};
	struct analysis *a;
	struct run run;
	struct err e;

	(void)state;
	make_run(&run, same, false);
	unlink(run.captures[2]->trace);
	assert_int_equal(analyze(&run, &opt, &a, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "patched-1.dat"));
	free_run(&run);
}

static int setup(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int teardown(void **state)
{
	(void)state;
	return remove_tree(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_unaffected),
		cmocka_unit_test(test_unaffected_osds),
		cmocka_unit_test(test_warm_repeat),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
