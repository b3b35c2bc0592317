// SPDX-License-Identifier: GPL-2.0-only
/* Run directories: a good one, and every way to spoil it with the message that it gets. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "lib/fileio.h"
#include "tests/unit/run_dir.h"
#include "verify/rundir.h"
#include "verify/sweep.h"

#define BASE "base-1/" CAPTURE_JSON

static char dir[] = "/tmp/test_rundir.XXXXXX";
static char *run_path;

static void test_good_run(void **state __unused_arg)
{
	const struct capture *c;
	struct run *run;
	struct err e;

	run_dir_make(run_path);
	if (run_open(&run, run_path, &e))
		fail_msg("%s", e.msg);
	assert_true(run->has_json);
	assert_string_equal(run->exp->name, "piece-copy");
	assert_int_equal(run->n_kernels, 2);
	assert_string_equal(run->kernels[1].patches[0].id, "8b47");
	assert_string_equal(run->accel_reason, "KVM: no hello");
	/* in the experiment's order, whatever run.json's is */
	assert_int_equal(run->n_captures, 2);
	assert_string_equal(run->captures[0]->kernel, "base");
	c = run->captures[1];
	assert_string_equal(c->kernel, "patched");
	assert_ptr_equal(c->run, run);
	assert_int_equal(c->file_dev, DEV(254, 1));
	assert_int_equal(c->file_ino, 12);
	assert_int_equal(c->queue_size, 256);
	assert_int_equal(c->read_ahead_kb, 8192);
	assert_int_equal(c->memory, 2147483648);
	assert_int_equal(c->n_phases, 2);
	assert_int_equal(c->phases[0].pgfault, 50);
	assert_int_equal(c->phases[0].pgmajfault, 3);
	assert_int_equal(c->phases[0].pgpgin_kb, 400);
	assert_int_equal(c->phases[0].loss.overrun, 11);
	assert_int_equal(c->phases[0].loss.commit_overrun, 22);
	assert_int_equal(c->phases[0].loss.dropped, 33);
	assert_int_equal(c->phases[0].loss.unread, 44);
	assert_true(c->phases[0].cold_known);
	assert_true(c->phases[0].clock_known);
	assert_int_equal(c->phases[0].clock_offset_ns, -77);
	assert_int_equal(c->phases[0].data_bad, 0);
	assert_int_equal(run->captures[0]->phases[0].data_bad, 8);
	assert_int_equal(run->captures[0]->phases[0].data_first_bad, 16);
	assert_false(c->phases[1].cold_known);
	assert_false(c->phases[1].clock_known);
	run_close(run);
}

static void test_spoiled(void **state __unused_arg)
{
	static const struct {
		const char *file, *from,
			*to;	 /* from NULL: the file goes away; to NULL: cut there */
		const char *msg; /* after the path of the run and "/" */
	} cases[] = {
		{RUN_JSON, NULL, NULL, "run.json is missing"},
		{RUN_EXPERIMENT, NULL, NULL,
		 "experiment.ini: the experiment of the run: No such file or directory"},
		{"base-1/trace.dat", NULL, NULL,
		 "base-1/trace.dat: the guest's trace: No such file or directory"},
		{"base-1/trace.dat", "\x17", NULL, "base-1/trace.dat: the guest's trace is empty"},
		{"base-1/virtio-blk.blktrace.0", NULL, NULL,
		 "base-1/virtio-blk.blktrace.0: the host's request log: No such file or directory"},
		{"base-1/virtio-blk.blktrace.0", "", NULL,
		 "base-1/virtio-blk.blktrace.0: the host's request log is empty"},
		{BASE, NULL, NULL, "base-1/capture.json: No such file or directory"},
		{BASE, "\"cpus\": 2", "\"sizes\": {\"trace\": 99}, \"cpus\": 2",
		 "base-1/trace.dat: the file ends at byte 24576: expected 99 bytes, as capture.json "
		 "says"},
		{BASE, "\"cpus\": 2", "\"sizes\": {\"blktrace\": 1}, \"cpus\": 2",
		 "base-1/virtio-blk.blktrace.0: the file ends at byte 48: expected 1 bytes, as "
		 "capture.json says"},
		{BASE, "\"cold\": {\"method\": \"cachestat\"", "\"cold\": {\"method\": 1",
		 "base-1/capture.json: phases[0].cold.method: expected a string, found a whole "
		 "number"},
		{BASE, "\"cpus\"", NULL,
		 "base-1/capture.json: ends too early, in line 3: the file is cut short"},
		{BASE, "{\"schema\"", NULL,
		 "base-1/capture.json: ends too early, in line 1: the file is cut short"},
		{BASE, "\"end\": {\"status\": \"ok\"}}", NULL,
		 "base-1/capture.json: ends too early, in line 31: the file is cut short"},
		{BASE, "\"cpus\": 2", "\"cpus\" 2",
		 "base-1/capture.json: line 3, column 49: ':' expected near '2'"},
		{BASE, "\"cpus\": 2", "\"cpus\": 2, \"cpus\": 3",
		 "base-1/capture.json: line 3, column 58: duplicate object key near '\"cpus\"'"},
		{BASE, "\"schema\": 1", "\"schema\": 2",
		 "base-1/capture.json: schema is 2, this verify reads 1"},
		{BASE, "\"schema\": 1, ", "",
		 "base-1/capture.json: schema: missing: expected a whole number"},
		{BASE, "\"bytes_asked\": 8192", "\"bytes_asked\": \"8192\"",
		 "base-1/capture.json: phases[1].bytes_asked: expected a whole number, found a "
		 "string"},
		{BASE, "\"bytes_asked\": 8192", "\"bytes_asked\": 81.92",
		 "base-1/capture.json: phases[1].bytes_asked: expected a whole number, found a "
		 "fraction"},
		{BASE, "\"bytes_asked\": 8192", "\"bytes_asked\": -1",
		 "base-1/capture.json: phases[1].bytes_asked: -1 is negative"},
		{BASE, "\"bytes_asked\": 8192, ", "",
		 "base-1/capture.json: phases[1].bytes_asked: missing: expected a whole number"},
		{BASE, "\"bytes_asked\": 8192", "\"bytes_asked\": null",
		 "base-1/capture.json: phases[1].bytes_asked: null: expected a whole number"},
		{BASE, "\"cpus\": 2", "\"cpus\": 4294967296",
		 "base-1/capture.json: cpus: 4294967296 is too large: at most 4294967295"},
		{BASE, "\"page_size\": 4096", "\"page_size\": 4097",
		 "base-1/capture.json: page_size: 4097 is not a power of two of at least 512"},
		{BASE, "\"major\": 254, \"minor\": 1", "\"major\": 4096, \"minor\": 1",
		 "base-1/capture.json: test_file: device 4096:1 is out of range"},
		{BASE, "\"pgmajfault\": 13", "\"pgmajfault\": 9",
		 "base-1/capture.json: phases[0]: vmstat.after.pgmajfault is 9, less than 10 "
		 "before"},
		{BASE, "\"end_ns\": 2000", "\"end_ns\": 999",
		 "base-1/capture.json: phases[0]: end_ns is before begin_ns"},
		{BASE, "\"begin_ns\": 3000", "\"begin_ns\": 1999",
		 "base-1/capture.json: phases[1]: begins before the phase before it ends"},
		{BASE, "\"name\": \"two\"", "\"name\": \"one\"",
		 "base-1/capture.json: phases[1]: name 'one' is that of phases[0] too"},
		{BASE, "\"name\": \"two\"", "\"name\": \"deux\"",
		 "base-1/capture.json: phases[1].name: found 'deux', but experiment.ini has "
		 "there two"},
		{BASE, "\"name\": \"two\"",
		 "\"name\": \"twotwotwotwotwotwotwotwotwotwotwotwotwotwotwotwo\"",
		 "base-1/capture.json: phases[1].name: 48 bytes long: at most 47"},
		{BASE, "\"dropped\": 30", "\"dropped\": []",
		 "base-1/capture.json: phases[0].loss.per_cpu[1].dropped: expected a whole "
		 "number, found an array"},
		{BASE, "\"cold\": {", "\"cold\": [{}], \"xcold\": {",
		 "base-1/capture.json: phases[0].cold: expected an object, found an array"},
		{BASE, "\"pairs\": 70", "\"pears\": 70",
		 "base-1/capture.json: phases[0].clock.pairs: missing: expected a whole number"},
		{BASE, "\"status\": \"ok\"",
		 "\"status\": \"failed\", \"reason\": \"guest panicked\"",
		 "base-1/capture.json: the capture did not finish: end.status is 'failed': guest "
		 "panicked"},
		{BASE, ",\n \"end\": {\"status\": \"ok\"}", "",
		 "base-1/capture.json: end: missing: expected an object"},
		{BASE, "\"kernel\": \"base\"", "\"kernel\": \"patched\"",
		 "base-1/capture.json: says kernel 'patched', repeat 1, which does not go with "
		 "run.json"},
		{BASE, "\"kernel\": \"base\"", "\"kernel\": \"ba\\u0000se\"",
		 "base-1/capture.json: line 1, column 36: \\u0000 is not allowed without "
		 "JSON_ALLOW_NUL near '\"ba\\u0000se\"'"},
		{RUN_JSON, "\"repeat\": 1", "\"repeat\": 2",
		 "run.json: captures: 'base-2' is missing (repeat is 2)"},
		{RUN_JSON, "\"repeat\": 1", "\"experiment_bytes\": 7, \"repeat\": 1",
		 "experiment.ini: the file ends at byte 349: expected 7 bytes, as run.json says"},
		{RUN_JSON, "\"patched-1\", ", "",
		 "run.json: captures: 'patched-1' is missing (repeat is 1)"},
		{RUN_JSON, "\"patched-1\", ", "\"base-1\", ",
		 "run.json: captures[1]: 'base-1' is listed twice"},
		{RUN_JSON, "\"patched-1\"", "\"patched-2\"",
		 "patched-2: the directory is missing; run.json lists this capture"},
		{RUN_JSON, "\"patched-1\"", "\"../x\"",
		 "run.json: captures[0]: '../x' is not the name of a capture directory"},
		{RUN_JSON, "\"patched-1\"", "7",
		 "run.json: captures[0]: expected a string, found a whole number"},
		{RUN_JSON, "\"captures\": [\"patched-1\", \"base-1\"]", "\"captures\": []",
		 "run.json: captures: expected 1 to 4096 elements, found 0"},
		{RUN_JSON, "\"name\": \"patched\"", "\"name\": \"base\"",
		 "run.json: kernels[1]: name 'base' is that of kernels[0] too"},
		{RUN_JSON, "\"id\": \"8b47\", ", "",
		 "run.json: kernels[1].patches[0].id: missing: expected a string"},
		{RUN_JSON, "\"used\": \"tcg\"", "\"used\": true",
		 "run.json: accelerator.used: expected a string, found true or false"},
		{RUN_JSON, "\"kernels\": [", "\"kernels\": 3, \"x\": [",
		 "run.json: kernels: expected an array, found a whole number"},
		{RUN_EXPERIMENT, "data-intact = violated", "data-intakt = violated",
		 "experiment.ini: expect: unknown check 'data-intakt'; "
		 "did you mean 'data-intact'?"},
		{RUN_EXPERIMENT, "[phase two]", "checks = cold-cash\n[phase two]",
		 "experiment.ini: checks: unknown check 'cold-cash'; did you mean 'cold-cache'?"},
		{RUN_EXPERIMENT, "[phase two]", "checks = cold-cache\n[phase two]",
		 "experiment.ini: [expect base one]: data-intact = violated, but that phase never "
		 "judges this check"},
		{RUN_EXPERIMENT, "[kernel patched]", "[kernel third]\n[kernel patched]",
		 "run.json: kernels: 'third' of experiment.ini is missing"},
		{RUN_EXPERIMENT, "[expect base",
		 "[phase three]\npattern = pread-copy\nthreads = 1\npiece = 8M\n[expect base",
		 "patched-1/capture.json: phases: 'three' of experiment.ini is missing"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path __cleanup_free = xasprintf("%s/%s", run_path, cases[i].file);
		struct run *run = NULL;
		const char *rest;
		struct err e = {""};

		run_dir_make(run_path);
		if (!cases[i].from) {
			assert_int_equal(unlink(path), 0);
		} else if (!cases[i].to) {
			char *text __cleanup_free = NULL;

			assert_int_equal(file_read(path, 1 << 20, &text, NULL, &e), 0);
			assert_non_null(strstr(text, cases[i].from));
			assert_int_equal(truncate(path, strstr(text, cases[i].from) - text), 0);
		} else {
			run_dir_replace(run_path, cases[i].file, cases[i].from, cases[i].to);
		}
		if (!run_open(&run, run_path, &e)) {
			run_close(run);
			fail_msg("row %zu was read; expected: %s", i, cases[i].msg);
		}
		rest = str_after(e.msg, run_path);
		if (!rest || strcmp(rest + strspn(rest, "/: "), cases[i].msg))
			fail_msg("row %zu:\n  found    %s\n  expected %s", i, rest ? rest : e.msg,
				 cases[i].msg);
		assert_null(strchr(e.msg, '\n'));
	}
}

/* Nothing of a good capture.json that is cut anywhere is taken for whole. */
static void test_truncated(void **state __unused_arg)
{
	char *path __cleanup_free = xasprintf("%s/" BASE, run_path);
	struct run *run;
	struct stat st;
	struct err e;

	run_dir_make(run_path);
	assert_int_equal(stat(path, &st), 0);
	/* the last two bytes are "}" and a newline, which may go */
	for (off_t n = st.st_size - 2; n >= 0; n -= n > 64 ? 61 : 1) {
		run_dir_make(run_path);
		assert_int_equal(truncate(path, n), 0);
		if (!run_open(&run, run_path, &e)) {
			run_close(run);
			fail_msg("cut at %lld: read as whole", (long long)n);
		}
	}
}

static void test_deep_json(void **state __unused_arg)
{
	const size_t n = 1 << 20;
	char *text __cleanup_free = xmalloc(n);
	struct run *run;
	struct err e;

	run_dir_make(run_path);
	memset(text, '[', n);
	run_dir_write(run_path, BASE, text, n);
	assert_true(run_open(&run, run_path, &e) < 0);
	assert_non_null(strstr(e.msg, "maximum parsing depth"));
	memset(text, ' ', n);
	run_dir_write(run_path, BASE, text, n);
	assert_true(run_open(&run, run_path, &e) < 0);
}

static void test_too_large(void **state __unused_arg)
{
	char *path __cleanup_free = xasprintf("%s/" BASE, run_path);
	struct run *run;
	struct err e;

	run_dir_make(run_path);
	assert_int_equal(truncate(path, JSON_FILE_MAX + 1ll), 0);
	assert_int_equal(run_open(&run, run_path, &e), -EFBIG);
}

/* A capture alone: judged by its run's phases, expected to hold everything. */
static void test_lone_capture(void **state __unused_arg)
{
	char *path __cleanup_free = xasprintf("%s/base-1/", run_path);
	char *ini __cleanup_free = xasprintf("%s/" RUN_EXPERIMENT, run_path);
	struct run *run;
	struct err e;

	run_dir_make(run_path);
	assert_int_equal(run_open(&run, path, &e), 0);
	assert_false(run->has_json);
	assert_int_equal(run->n_captures, 1);
	assert_non_null(run->exp);
	assert_int_equal(experiment_expects(run->exp, "base", "one", "data-intact"), EXPECT_HOLDS);
	run_close(run);
	unlink(ini);
	assert_int_equal(run_open(&run, path, &e), 0);
	assert_null(run->exp);
	assert_null(run->captures[0]->run);
	run_close(run);
}

static void test_files(void **state __unused_arg)
{
	struct run *run;
	struct err e;
	char *path;

	run_dir_make(run_path);
	path = xasprintf("%s/base-1/trace.dat", run_path);
	assert_int_equal(run_open(&run, path, &e), 0);
	assert_false(run->has_json);
	assert_string_equal(run->captures[0]->trace, path);
	assert_null(run->captures[0]->blktrace);
	assert_int_equal(run->captures[0]->n_phases, 1);
	run_close(run);
	free(path);

	path = xasprintf("%s/base-1/virtio-blk", run_path); /* base name of a set */
	assert_int_equal(run_open(&run, path, &e), 0);
	assert_string_equal(run->captures[0]->blktrace, path);
	assert_null(run->captures[0]->trace);
	run_close(run);
	free(path);

	path = xasprintf("%s/nothing", run_path);
	assert_int_equal(run_open(&run, path, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/nothing: No such file or directory"));
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(run_open(&run, path, &e), -ENOENT);
	assert_non_null(strstr(e.msg,
			       "/nothing: expected a run (run.json), a capture (capture.json) "
			       "or blktrace files in this directory, found none of them"));
	free(path);

	path = xasprintf("%s/base-1/capture.json", run_path);
	unlink(path);
	free(path);
	path = xasprintf("%s/base-1", run_path);
	assert_int_equal(run_open(&run, path, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "capture.json is missing; to verify the trace alone, name "));
	free(path);
}

/* RUN.JSON and CAPTURE.JSON in docs/blkproof-run.5 list the members, each as a line ".B name". */
static bool in_tables(const struct json_table *tables, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		const char *rest = str_after(name, tables[i].where);

		for (size_t k = 0; rest && k < tables[i].n; k++)
			if (!strcmp(rest, tables[i].fields[k].name))
				return true;
	}
	return false;
}

static void check_documented(const char *section, const struct json_table *tables, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < tables[i].n; k++) {
			char *line __cleanup_free =
				xasprintf("\n.B %s%s\n", tables[i].where, tables[i].fields[k].name);

			if (!strstr(section, line))
				fail_msg("docs/blkproof-run.5 lacks %s", line + 4);
		}
	}
	for (const char *p = section; (p = strstr(p, "\n.B ")); p++) {
		char *name __cleanup_free = xstrndup(p + 4, strcspn(p + 4, "\n"));

		if (!in_tables(tables, n, name))
			fail_msg("docs/blkproof-run.5 has %s, which nobody reads", name);
	}
}

static void test_docs(void **state __unused_arg)
{
	char *page __cleanup_free = NULL, *run, *capture, *osd, *sweep, *end;
	struct err e;

	if (file_read("docs/blkproof-run.5", 1 << 20, &page, NULL, &e))
		fail_msg("%s", e.msg);
	run = strstr(page, "\n.SH RUN.JSON\n");
	assert_non_null(run);
	capture = strstr(run, "\n.SH CAPTURE.JSON\n");
	assert_non_null(capture);
	*capture++ = '\0';
	osd = strstr(capture, "\n.SH OSD.JSON\n");
	assert_non_null(osd);
	*osd++ = '\0';
	sweep = strstr(osd, "\n.SH SWEEP.JSON\n");
	assert_non_null(sweep);
	*sweep++ = '\0';
	end = strstr(sweep, "\n.SH ");
	assert_non_null(end);
	*end = '\0';
	check_documented(sweep, sweep_tables, n_sweep_tables);
	check_documented(run, run_tables, n_run_tables);
	check_documented(capture, capture_tables, n_capture_tables);
	check_documented(osd, osd_tables, n_osd_tables);
}

/* Each OSD of the cluster must have its counters in osd.json: one that is left out read nothing. */
static void test_osds_of_experiment(void **state __unused_arg)
{
#define ONE_OSD "{\"osd.0\": {\"osd\": {\"op_r\": 1, \"op_r_out_bytes\": 4096}}}"
#define OSD_PHASE(name)                                                                            \
	"{\"name\": \"" name "\", \"before\": " ONE_OSD ", \"after\": " ONE_OSD "}"
	static const char osd_json[] =
		"{\"schema\": 1, \"phases\": [" OSD_PHASE("one") ", " OSD_PHASE("two") "]}";
	static const char *const kernels[] = {"base", "patched"};
	struct run *run = NULL;
	struct err e = {""};

	run_dir_make(run_path);
	run_dir_replace(run_path, RUN_EXPERIMENT, "filesystem = ext4", "filesystem = ceph");
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		char *json __cleanup_free = xasprintf("%s-1/" CAPTURE_JSON, kernels[i]);
		char *osd __cleanup_free = xasprintf("%s-1/" CAPTURE_OSD, kernels[i]);

		run_dir_replace(run_path, json, "\"filesystem\": \"ext4\"",
				"\"filesystem\": \"ceph\"");
		run_dir_write(run_path, osd, osd_json, strlen(osd_json));
	}
	if (run_open(&run, run_path, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(run->captures[0]->osds, 1);
	run_close(run);
	run_dir_replace(run_path, RUN_EXPERIMENT, "filesystem = ceph",
			"filesystem = ceph\nosds = 3");
	run = NULL;
	assert_int_equal(run_open(&run, run_path, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "osd.json: has counters of 1 OSD, but experiment.ini has 3"));
	run_close(run);
}

static int setup(void **state __unused_arg)
{
	if (!mkdtemp(dir))
		return -1;
	run_path = xasprintf("%s/run", dir);
	return 0;
}

static int teardown(void **state __unused_arg)
{
	free(run_path);
	return remove_tree(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_run),  cmocka_unit_test(test_spoiled),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_deep_json),
		cmocka_unit_test(test_too_large), cmocka_unit_test(test_lone_capture),
		cmocka_unit_test(test_files),	  cmocka_unit_test(test_docs),
		cmocka_unit_test(test_osds_of_experiment),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
