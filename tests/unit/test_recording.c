// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "host/console.h"
#include "host/recording.h"

#define HELLO "{\"cpus\":2,\"page_size\":4096,\"test_device\":{\"major\":254,\"minor\":0}}"

static struct phase phases[] = { { .name = "one" }, { .name = "two" } };
static const struct experiment experiment = { .cpus = 2, .phases = phases, .n_phases = 2 };

struct step {
	u32 type, cpu;
	const char *payload;
	size_t len; /* 0: strlen */
};

/* Feeds the steps; returns what the last one gave. */
static int feed(struct recording *r, const struct step *s, size_t n, struct err *e)
{
	int ret = 0;
	size_t i;

	recording_init(r, &experiment, "/tmp");
	for (i = 0; i < n && s[i].type && !ret; i++) {
		size_t len = s[i].len ? s[i].len : s[i].payload ? strlen(s[i].payload) : 0;
		struct frame_header h = {
			.magic = htole32(FRAME_MAGIC), .type = htole32(s[i].type),
			.seq = htole32((u32)i), .cpu = htole32(s[i].cpu), .len = htole64(len),
		};

		ret = recording_feed(r, &h, sizeof(h), e);
		if (!ret && len)
			ret = recording_feed(r, s[i].payload, len, e);
	}
	return ret;
}

static const struct step whole[] = {
	{ FRAME_ALIVE, 0, "", 0 },
	{ FRAME_HELLO, 0, HELLO, 0 },
	{ FRAME_FILE, 0, "events/header_page\0abc", 22 },
	{ FRAME_PAGES, 1, "12345678", 0 },
	{ FRAME_PHASE, 0, "{\"name\":\"one\"}", 0 },
	{ FRAME_PAGES, 1, "abcd", 0 },
	{ FRAME_PHASE, 0, "{\"name\":\"two\"}", 0 },
	{ FRAME_DONE, 0, "", 0 },
};

static void test_whole(void **state __unused_arg)
{
	struct recording r;
	struct err e;
	char buf[16] = "";

	assert_int_equal(feed(&r, whole, ARRAY_SIZE(whole), &e), 0);
	assert_true(r.alive && r.done);
	assert_null(recording_phase(&r));
	assert_int_equal(r.n_files, 1);
	assert_string_equal(r.files[0].name, "events/header_page");
	assert_int_equal(r.files[0].len, 3);
	assert_int_equal(r.cpus[0].size, 0);
	assert_int_equal(r.cpus[1].size, 12);
	assert_int_equal(pread(r.cpus[1].fd, buf, sizeof(buf), 0), 12);
	assert_string_equal(buf, "12345678abcd");
	recording_free(&r);
}

static const struct {
	struct step steps[5];
	const char *want;
} refused[] = {
	{ { { FRAME_HELLO, 0, "{", 0 } }, "is no JSON object" },
	{ { { FRAME_HELLO, 0, "[1]", 0 } }, "is no JSON object" },
	{ { { FRAME_HELLO, 0, "{}", 0 } }, "hello frame" },
	{ { { FRAME_HELLO, 0, "{\"cpus\":3,\"page_size\":4096,\"test_device\":"
		"{\"major\":254,\"minor\":0}}", 0 } }, "has 3 CPUs, the experiment says 2" },
	{ { { FRAME_HELLO, 0, "{\"cpus\":2,\"page_size\":5000,\"test_device\":"
		"{\"major\":254,\"minor\":0}}", 0 } }, "page_size 5000" },
	{ { { FRAME_HELLO, 0, "{\"cpus\":2,\"page_size\":4096,\"test_device\":"
		"{\"major\":9999,\"minor\":0}}", 0 } }, "device 9999:0" },
	{ { { FRAME_HELLO, 0, HELLO, 0 }, { FRAME_HELLO, 0, HELLO, 0 } }, "hello twice" },
	{ { { FRAME_PHASE, 0, "{\"name\":\"one\"}", 0 } }, "was not due" },
	{ { { FRAME_HELLO, 0, HELLO, 0 }, { FRAME_PHASE, 0, "{\"name\":\"two\"}", 0 } },
	  "was not due" },
	{ { { FRAME_HELLO, 0, HELLO, 0 }, { FRAME_PHASE, 0, "{}", 0 } }, "was not due" },
	{ { { FRAME_HELLO, 0, HELLO, 0 }, { FRAME_DONE, 0, "", 0 } }, "before its last phase" },
	{ { { FRAME_PAGES, 2, "x", 0 } }, "CPU 2 of 2" },
	{ { { FRAME_PAGES, UINT32_MAX, "x", 0 } }, "CPU 4294967295 of 2" },
	{ { { FRAME_FILE, 0, "noname", 0 } }, "has no name" },
	{ { { FRAME_FILE, 0, "\0abc", 4 } }, "has no name" },
	{ { { FRAME_PROGRESS, 0, "short", 0 } }, "has 5 bytes" },
	{ { { FRAME_PROGRESS, 0, "\x09\0\0\0\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24 } },
	  "phase 9 of 2" },
	{ { { FRAME_ERROR, 0, "x", 0 } }, "is no JSON object" },
};

static void test_refused(void **state __unused_arg)
{
	struct recording r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		struct err e = { .msg = "" };

		if (feed(&r, refused[i].steps, ARRAY_SIZE(refused[i].steps), &e) != -EBADMSG ||
		    !strstr(e.msg, refused[i].want))
			fail_msg("'%s' lacks '%s'", e.msg, refused[i].want);
		recording_free(&r);
	}
}

static void test_error(void **state __unused_arg)
{
	static const struct {
		struct step step;
		const char *want;
	} t[] = {
		{ { FRAME_ERROR, 0, "{\"step\":\"run\",\"reason\":\"a\\u001b[31m\"}", 0 },
		  "run: a?[31m" },
		{ { FRAME_ERROR, 0, "{\"step\":\"agent\",\"reason\":\"agent crashed: x\"}", 0 },
		  "agent crashed: x" },
		{ { FRAME_ERROR, 0, "{}", 0 }, ": " },
	};
	struct recording r;
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(feed(&r, &t[i].step, 1, &e), 0);
		assert_string_equal(r.error, t[i].want);
		recording_free(&r);
	}
}

/* A report that says nothing new is no sign of life. */
static void test_progress(void **state __unused_arg)
{
	static const char p[24] = { [4] = 2, [8] = 1 };
	const struct step s[] = { { FRAME_PROGRESS, 0, p, 24 }, { FRAME_PROGRESS, 0, p, 24 } };
	struct recording r;
	struct err e;

	assert_int_equal(feed(&r, s, 2, &e), 0);
	assert_int_equal(r.changes, 1);
	assert_int_equal(r.progress.done, 1);
	recording_free(&r);
}

static const struct {
	const char *text, *panic;
} consoles[] = {
	{ "hello\r\nworld\r\n", NULL },
	{ "[    1.0] Kernel panic - not syncing: Fatal\r\n---\r\n",
	  "Kernel panic - not syncing: Fatal" },
	{ "Kernel panic - not syncing: cut", NULL }, /* the line is not complete yet */
	{ "Kernel panic - not syncing: a\nKernel panic - not syncing: b\n",
	  "Kernel panic - not syncing: a" },
};

static void test_console(void **state __unused_arg)
{
	struct console c;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(consoles); i++) {
		console_init(&c);
		/* byte by byte, as a slow guest has it */
		for (j = 0; consoles[i].text[j]; j++)
			console_take(&c, &consoles[i].text[j], 1);
		if (consoles[i].panic)
			assert_string_equal(c.panic, consoles[i].panic);
		else
			assert_null(c.panic);
		console_free(&c);
	}
	console_init(&c);
	for (i = 0; i < 100000; i++)
		console_take(&c, "x", 1);
	assert_true(c.len < sizeof(c.line));
	console_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_error),	 cmocka_unit_test(test_progress),
		cmocka_unit_test(test_console),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
