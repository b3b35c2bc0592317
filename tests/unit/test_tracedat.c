// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "host/tracedat.h"

#define PAGE 4096u

/* header_page, header_event and one format, as a 7.x kernel prints them */
static char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static char header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n\n"
	"\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n"
	"\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";
static char ping_format[] =
	"name: ping\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 number;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"number=%llu\", REC->number\n";
static char cmdlines[] = "42 pinger\n";
static char stats[] = "entries: 0\noverrun: 0\n";

/* Fills one ring buffer page with @n events; numbers from @number on.  Returns the next. */
static u64 fill_page(u8 *page, u64 ts, u32 n, u64 number)
{
	size_t at = 16;
	u64 commit;
	u32 i;

	memset(page, 0, PAGE);
	memcpy(page, &ts, 8);
	for (i = 0; i < n; i++) {
		/* type_len 4: 16 bytes of payload; 1000 ns after the one before */
		u32 head = 4 | 1000u << 5;
		u16 type = 300;
		s32 pid = 42;

		memcpy(page + at, &head, 4);
		memcpy(page + at + 4, &type, 2);
		memcpy(page + at + 8, &pid, 4);
		memcpy(page + at + 12, &number, 8);
		number++;
		at += 20;
	}
	commit = at - 16;
	memcpy(page + 8, &commit, 8);
	return number;
}

static int spool(u32 pages, u32 per_page, u64 ts, u64 *number)
{
	char path[] = "/tmp/blkproof-spool-XXXXXX";
	int fd = mkstemp(path);
	u8 page[PAGE];
	u32 i;

	assert_true(fd >= 0);
	unlink(path);
	for (i = 0; i < pages; i++) {
		*number = fill_page(page, ts + i * 1000000ull, per_page, *number);
		assert_int_equal(write(fd, page, PAGE), PAGE);
	}
	return fd;
}

#define FILE_OF(n, text) { .name = (char *)(n), .data = (text), .len = sizeof(text) - 1 }

static const struct tracefs_file files[] = {
	FILE_OF("events/header_page", header_page),
	FILE_OF("events/header_event", header_event),
	FILE_OF("events/probe/ping/format", ping_format),
	FILE_OF("saved_cmdlines", cmdlines),
	FILE_OF("per_cpu/cpu0/stats", stats),
};

/* trace-cmd report's lines of our event; -1 without trace-cmd. */
static int report_lines(const char *path, char *first, size_t size)
{
	char *command __cleanup_free = xasprintf("trace-cmd report -i %s 2>&1", path);
	char line[512];
	int n = 0;
	FILE *f;

	if (system("command -v trace-cmd >/dev/null 2>&1"))
		return -1;
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, " ping: "))
			continue;
		if (!n++)
			snprintf(first, size, "%s", line);
	}
	assert_int_equal(pclose(f), 0);
	return n;
}

static void test_report(void **state __unused_arg)
{
	char path[] = "/tmp/blkproof-tracedat-XXXXXX", first[512] = "";
	u64 number = 1;
	struct cpu_pages cpus[3];
	struct tracedat t = {
		.files = files, .n_files = ARRAY_SIZE(files), .cpus = cpus, .n_cpus = 3,
		.page_size = PAGE, .uname = "Linux 7.3.4 x86_64", .clock = "mono",
		.version = "blkproof test",
	};
	struct err e = { .msg = "" };
	int fd = mkstemp(path), n;

	assert_true(fd >= 0);
	close(fd);
	/* more pages than fit in one chunk, an empty CPU, a CPU with one page */
	cpus[0] = (struct cpu_pages){ .fd = spool(600, 100, 5000000000ull, &number),
				      .size = 600 * PAGE };
	cpus[1] = (struct cpu_pages){ .fd = -1 };
	cpus[2] = (struct cpu_pages){ .fd = spool(1, 7, 6000000000ull, &number), .size = PAGE };
	if (tracedat_write(&t, path, &e))
		fail_msg("%s", e.msg);
	n = report_lines(path, first, sizeof(first));
	if (n >= 0) {
		assert_int_equal(n, 600 * 100 + 7);
		assert_non_null(strstr(first, "pinger-42"));
		assert_non_null(strstr(first, "5.000001"));
		assert_non_null(strstr(first, "number=1\n"));
	}
	close(cpus[0].fd);
	close(cpus[2].fd);
	unlink(path);
	if (n < 0) {
		print_message("trace-cmd is not installed\n");
		skip();
	}
}

static void test_errors(void **state __unused_arg)
{
	struct cpu_pages cpu = { .fd = -1, .size = 0 };
	struct tracedat good = {
		.files = files, .n_files = ARRAY_SIZE(files), .cpus = &cpu, .n_cpus = 1,
		.page_size = PAGE, .uname = "", .clock = "mono", .version = "",
	}, t;
	struct err e = { .msg = "" };

	t = good;
	t.page_size = 5000;
	assert_int_equal(tracedat_write(&t, "/dev/null", &e), -EINVAL);
	t = good;
	t.n_cpus = 0;
	assert_int_equal(tracedat_write(&t, "/dev/null", &e), -EINVAL);
	t = good;
	t.n_files = 1;
	assert_int_equal(tracedat_write(&t, "/dev/null", &e), -ENODATA);
	assert_string_equal(e.msg, "the guest sent no events/header_event");
	t = good;
	t.n_files = 2;
	assert_int_equal(tracedat_write(&t, "/dev/null", &e), -ENODATA);
	assert_string_equal(e.msg, "the guest sent no event formats");
	cpu.size = PAGE + 1;
	assert_int_equal(tracedat_write(&good, "/dev/null", &e), -EINVAL);
	assert_non_null(strstr(e.msg, "no whole number of pages"));
	cpu.size = 0;
	assert_int_equal(tracedat_write(&good, "/nonexistent/x", &e), -ENOENT);
	if (!access("/dev/full", W_OK)) {
		assert_int_equal(tracedat_write(&good, "/dev/full", &e), -ENOSPC);
		assert_non_null(strstr(e.msg, "No space left"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
