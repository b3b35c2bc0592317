// SPDX-License-Identifier: GPL-2.0-only
#include "guest/frame.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "guest/mountopt.h"

static void test_header(void **state)
{
	static const u8 expected[FRAME_HEADER_SIZE] = {
		'B',  'P',  'W',  '1',				/* magic */
		0x05, 0x00, 0x00, 0x00,				/* FRAME_PAGES */
		0x04, 0x03, 0x02, 0x01,				/* seq */
		0x07, 0x00, 0x00, 0x00,				/* cpu */
		0x00, 0x10, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, /* len */
	};
	u8 out[FRAME_HEADER_SIZE];

	(void)state;
	frame_encode(out, FRAME_PAGES, 0x01020304, 7, 0x100001000ull);
	assert_memory_equal(out, expected, sizeof(out));
	assert_int_equal(sizeof(struct frame_header), FRAME_HEADER_SIZE);
}

static void test_progress(void **state)
{
	static const u8 expected[PROGRESS_SIZE] = {
		2, 0, 0, 0, 6, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
	};
	static const struct progress p = {.phase = 2, .phases = 6, .done = 256, .total = 65536};
	u8 out[PROGRESS_SIZE];

	(void)state;
	progress_encode(out, &p);
	assert_memory_equal(out, expected, sizeof(out));
	assert_int_equal(sizeof(struct progress), PROGRESS_SIZE);
}

/* A pipe stands for the port. */
static void test_send(void **state)
{
	struct port_state shared = {0};
	struct port port = {.state = &shared};
	u8 in[256], expected[FRAME_HEADER_SIZE];
	struct iovec iov[] = {{(void *)(uintptr_t) "name", 5}, {(void *)(uintptr_t) "text", 4}};
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	port.fd = fds[1];
	assert_int_equal(port_send_data(&port, FRAME_ALIVE, 0, NULL, 0), 0);
	assert_int_equal(port_send(&port, FRAME_FILE, 0, iov, 2), 0);
	assert_int_equal(shared.seq, 2);
	assert_int_equal(shared.pending, 0);
	assert_int_equal(read(fds[0], in, sizeof(in)), 2 * FRAME_HEADER_SIZE + 9);
	frame_encode(expected, FRAME_ALIVE, 0, 0, 0);
	assert_memory_equal(in, expected, sizeof(expected));
	frame_encode(expected, FRAME_FILE, 1, 0, 9);
	assert_memory_equal(in + FRAME_HEADER_SIZE, expected, sizeof(expected));
	assert_memory_equal(in + 2 * FRAME_HEADER_SIZE, "name\0text", 9);

	iov[1].iov_len = FRAME_MAX_PAYLOAD;
	assert_int_equal(port_send(&port, FRAME_FILE, 0, iov, 2), -EMSGSIZE);
	assert_int_equal(shared.seq, 2);

	/* a frame that somebody died in is filled up, and the next one found */
	shared.pending = 5000;
	assert_int_equal(port_repair(&port), 0);
	assert_int_equal(shared.pending, 0);
	close(fds[1]);
	{
		size_t n, have = 0;

		while ((n = (size_t)read(fds[0], in, sizeof(in))) > 0)
			have += n;
		assert_int_equal(have, 5000);
	}
	close(fds[0]);
}

static void test_mount_options(void **state)
{
	static const struct {
		const char *options;
		unsigned long flags;
		const char *data;
	} cases[] = {
		{"", 0, ""},
		{"ro", 1, ""},
		{"rw", 0, ""},
		{"defaults,noatime", 1024, ""},
		{"ro,data=ordered", 1, "data=ordered"},
		{"data=ordered,ro,noload", 1, "data=ordered,noload"},
		{",ro,,x,", 1, "x"},
		{"ronly,roo", 0, "ronly,roo"},
	};
	unsigned long flags;
	char data[32];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(mount_options(cases[i].options, &flags, data, sizeof(data)), 0);
		assert_int_equal(flags, cases[i].flags);
		assert_string_equal(data, cases[i].data);
	}
	assert_int_equal(mount_options("a,bcd", &flags, data, 5), -E2BIG);
	assert_int_equal(mount_options("a,bcd", &flags, data, 6), 0);
	assert_string_equal(data, "a,bcd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_send),
		cmocka_unit_test(test_mount_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
