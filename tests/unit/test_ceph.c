// SPDX-License-Identifier: GPL-2.0-only
/* What of the cluster can be tested without one; with one: tests/vm/ceph.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "host/asok.h"
#include "host/ceph.h"
#include "lib/fileio.h"

static void test_conf(void **state __unused_arg)
{
	struct ceph_spec s = {.osds = 3, .replicas = 2, .file_size = 64u << 20};
	char *text = ceph_conf(&s, "01234567-89ab-cdef-0123-456789abcdef");

	assert_non_null(strstr(text, "fsid = 01234567-89ab-cdef-0123-456789abcdef\n"));
	assert_non_null(strstr(text, "osd_pool_default_size = 2\n"));
	assert_non_null(strstr(text, "osd_objectstore = memstore\n"));
	assert_non_null(strstr(text, "memstore_device_bytes = 1073741824\n"));
	assert_null(strstr(text, "bluestore"));
	free(text);

	/* all of a large file may be on one OSD, and must not fill it */
	s.file_size = 28ull << 30;
	text = ceph_conf(&s, "x");
	assert_non_null(strstr(text, "memstore_device_bytes = 37849399296\n"));
	free(text);

	s.store = OSD_BLUESTORE;
	text = ceph_conf(&s, "x");
	assert_non_null(strstr(text, "osd_objectstore = bluestore\n"));
	assert_non_null(strstr(text, "bluestore_block_size = 75698798592\n"));
	assert_null(strstr(text, "memstore_device"));
	free(text);
}

static void test_memory(void **state __unused_arg)
{
	struct ceph_spec s = {.osds = 3, .replicas = 2, .file_size = 1u << 30};
	u64 in_memory = ceph_memory(&s);

	/* every copy of every byte */
	assert_true(in_memory > 2ull << 30);
	s.store = OSD_BLUESTORE;
	assert_true(ceph_memory(&s) < 1u << 30);
}

static const struct {
	const char *text, *want; /* what comes out, or the words of the error */
	bool good;
} answers[] = {
	{"{\"a\": 1}", "{\"a\":1}", true},
	{"{\"a\": 9223372036854775807}", "{\"a\":9223372036854775807}", true},
	{"{\"a\": 18446744073709551615, \"b\": 2}", "{\"a\":-1,\"b\":2}", true},
	{"{\"a\": 10000000000000000000}", "{\"a\":-8446744073709551616}", true},
	{"{\"a\": 9223372036854775808}", "expected a JSON object: too big integer", false},
	{"{\"18446744073709551615\": \"18446744073709551615\"}",
	 "{\"18446744073709551615\":\"18446744073709551615\"}", true},
	{"{\"a\\\"1\": \"\\\\\", \"b\": 18446744073709551614}", "{\"a\\\"1\":\"\\\\\",\"b\":-2}",
	 true},
	{"{\"a\": 1.5, \"a\": 2.25}", "{\"a\":2.25}", true},
	{"{\"a\": 99999999999999999999999}", "expected a JSON object: too big integer", false},
	{"[1]", "expected a JSON object: another type", false},
	{"{\"a\": nan}", "expected a JSON object: invalid token", false},
	{"{\"a\": 1", "expected a JSON object", false},
	{"\"\\", "expected a JSON object", false},
	{"", "expected a JSON object", false},
};

static void test_answers(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		char *text = xstrdup(answers[i].text), *out;
		struct err e = {""};
		json_t *j = asok_parse(text, strlen(text), &e);

		assert_int_equal(!!j, answers[i].good);
		out = j ? json_dumps(j, JSON_COMPACT) : xstrdup(e.msg);
		if (j ? strcmp(out, answers[i].want) : !strstr(out, answers[i].want))
			fail_msg("%zu: '%s' instead of '%s'", i, out, answers[i].want);
		free(out);
		free(text);
		json_decref(j);
	}
}

/* A daemon that answers @len bytes of @answer, whatever it is asked. */
static pid_t serve(const char *path, const char *answer, size_t len)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM, 0), c;
	char byte;
	pid_t pid;


	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	unlink(path);
	assert_int_equal(bind(s, (void *)&a, sizeof(a)), 0);
	assert_int_equal(listen(s, 1), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		c = accept(s, NULL, NULL);
		while (read(c, &byte, 1) == 1 && byte)
			;
		_exit(fd_write_all(c, answer, len) ? 1 : 0);
	}
	close(s);
	return pid;
}

static void test_command(void **state __unused_arg)
{
	static const struct {
		const char *answer;
		size_t len;
		int ret;
		const char *says;
	} tests[] = {
		{"\0\0\0\x08{\"a\": 1}", 12, 0, ""},
		{"\0\0\0\x09{\"a\": 1}", 12, -EPROTO, "the answer to 'perf dump' is cut"},
		{"\xff\xff\xff\xff{\"a\": 1}", 12, -EPROTO, "an answer of 4294967295 bytes"},
		{"\0\0", 2, -EPROTO, "no answer to 'perf dump'"},
		{"\0\0\0\x02[]", 6, -EPROTO, "admin socket x.asok: perf dump: expected a JSON"},
	};
	char dir[] = "/tmp/blkproof-test-ceph-XXXXXX";
	char *path;
	int dirfd, status;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/x.asok", dir);
	dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		pid_t pid = serve(path, tests[i].answer, tests[i].len);
		struct err e = {""};
		json_t *j = NULL;

		assert_int_equal(asok_command(dirfd, "x.asok", "perf dump", &j, &e), tests[i].ret);
		if (!strstr(e.msg, tests[i].says))
			fail_msg("%zu: '%s'", i, e.msg);
		if (!tests[i].ret)
			assert_int_equal(json_integer_value(json_object_get(j, "a")), 1);
		json_decref(j);
		waitpid(pid, &status, 0);
	}
	unlink(path);
	{
		struct err e = {""};
		json_t *j = NULL;

		assert_int_equal(asok_command(dirfd, "x.asok", "perf dump", &j, &e), -ENOENT);
		assert_non_null(strstr(e.msg, "admin socket x.asok"));
	}
	close(dirfd);
	remove_tree(dir);
	free(path);
}

/* The directory's own errors, as a user without the packages or the space sees them. */
static void test_start_fails(void **state __unused_arg)
{
	struct ceph_spec s = {.osds = 17, .replicas = 1};
	struct err e = {""};
	struct ceph *c;

	assert_int_equal(ceph_start(&c, &s, "/tmp/blkproof-test-none", &e), -E2BIG);
	ceph_stop(c);
	s.osds = 1;
	assert_int_equal(ceph_start(&c, &s, "/proc/blkproof-test", &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/proc/blkproof-test"));
	ceph_stop(c);
	ceph_stop(NULL);
}

/* The last lines that mean something, however often we ask a daemon how it is. */
static void test_log_tail(void **state __unused_arg)
{
	static const char *const asked = "12:00 1 mds.a asok_command: status {prefix=status}\n";
	char path[] = "/tmp/blkproof-test-ceph-log-XXXXXX", *tail;
	int fd = mkstemp(path);
	struct err e;

	assert_true(fd >= 0);
	tail = ceph_log_tail(path);
	assert_string_equal(tail, "");
	free(tail);
	assert_int_equal(fd_write_all(fd, "one\ntwo\nthree\nf\tour\n\n", 21), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(fd_write_all(fd, asked, strlen(asked)), 0);
	tail = ceph_log_tail(path);
	assert_string_equal(tail, "two | three | f?our");
	free(tail);
	/* what we asked is all that there is in the end: not the rest of a line of it either */
	for (int i = 0; i < 1000; i++)
		assert_int_equal(fd_write_all(fd, asked, strlen(asked)), 0);
	tail = ceph_log_tail(path);
	assert_string_equal(tail, "");
	free(tail);
	close(fd);
	/* less than three lines, the first without its start */
	assert_int_equal(file_write_atomic(path, "only", 4, &e), 0);
	tail = ceph_log_tail(path);
	assert_string_equal(tail, "only");
	free(tail);
	unlink(path);
	tail = ceph_log_tail(path);
	assert_string_equal(tail, "");
	free(tail);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conf),	cmocka_unit_test(test_memory),
		cmocka_unit_test(test_answers), cmocka_unit_test(test_command),
		cmocka_unit_test(test_start_fails),
		cmocka_unit_test(test_log_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
