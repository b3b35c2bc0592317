// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "host/frames.h"

/* Builds a stream; a damaged header is written by changing its fields. */
struct stream {
	u8 data[4096];
	size_t len;
};

static void put(struct stream *s, u32 magic, u32 type, u32 seq, u64 len, const char *payload)
{
	struct frame_header h = {
		.magic = htole32(magic), .type = htole32(type), .seq = htole32(seq),
		.cpu = htole32(3), .len = htole64(len),
	};

	memcpy(s->data + s->len, &h, sizeof(h));
	s->len += sizeof(h);
	memcpy(s->data + s->len, payload, strlen(payload));
	s->len += strlen(payload);
}

struct seen {
	unsigned int n;
	char text[256];
	u32 cpu;
};

static int collect(void *arg, const struct frame *f, struct err *e __unused_arg)
{
	struct seen *s = arg;
	size_t n = strlen(s->text);

	s->n++;
	s->cpu = f->cpu;
	assert_int_equal(f->data[f->len], 0);
	snprintf(s->text + n, sizeof(s->text) - n, "%s:%s ", frame_type_name(f->type), f->data);
	return 0;
}

static void test_whole_and_split(void **state __unused_arg)
{
	struct stream s = { .len = 0 };
	size_t step, i;

	put(&s, FRAME_MAGIC, FRAME_ALIVE, 0, 0, "");
	put(&s, FRAME_MAGIC, FRAME_HELLO, 1, 5, "hello");
	put(&s, FRAME_MAGIC, FRAME_DONE, 2, 0, "");
	for (step = 1; step <= s.len; step++) {
		struct frames d = { .have = 0 };
		struct seen seen = { .n = 0 };
		struct err e;

		for (i = 0; i < s.len; i += step)
			assert_int_equal(frames_feed(&d, s.data + i, MIN(step, s.len - i), collect,
						     &seen, &e), 0);
		assert_int_equal(frames_end(&d, &e), 0);
		assert_int_equal(seen.n, 3);
		assert_int_equal(seen.cpu, 3);
		assert_string_equal(seen.text, "alive: hello:hello done: ");
		frames_free(&d);
	}
}

static const struct {
	u32 magic, type, seq;
	u64 len;
	const char *want;
} damaged[] = {
	{ 0x31575043, FRAME_HELLO, 1, 5, "magic 0x31575043 instead of 0x31575042 at byte 24" },
	{ FRAME_MAGIC, 0, 1, 5, "unknown type 0 at byte 24" },
	{ FRAME_MAGIC, FRAME_COUNTERS + 1, 1, 5, "unknown type 10" },
	{ FRAME_MAGIC, FRAME_HELLO, 2, 5, "number 2 where 1 was due" },
	{ FRAME_MAGIC, FRAME_HELLO, 0, 5, "number 0 where 1 was due" },
	{ FRAME_MAGIC, FRAME_HELLO, 1, FRAME_MAX_PAYLOAD + 1ull, "more than the maximum" },
	{ FRAME_MAGIC, FRAME_HELLO, 1, UINT64_MAX, "more than the maximum" },
};

static void test_damaged(void **state __unused_arg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(damaged); i++) {
		struct stream s = { .len = 0 };
		struct frames d = { .have = 0 };
		struct seen seen = { .n = 0 };
		struct err e = { .msg = "" };

		put(&s, FRAME_MAGIC, FRAME_ALIVE, 0, 0, "");
		put(&s, damaged[i].magic, damaged[i].type, damaged[i].seq, damaged[i].len, "hello");
		assert_int_equal(frames_feed(&d, s.data, s.len, collect, &seen, &e), -EBADMSG);
		if (!strstr(e.msg, damaged[i].want))
			fail_msg("'%s' lacks '%s'", e.msg, damaged[i].want);
		assert_int_equal(seen.n, 1);
		/* nothing after the damage is believed */
		s.len = 0;
		put(&s, FRAME_MAGIC, FRAME_ALIVE, 1, 0, "");
		assert_int_equal(frames_feed(&d, s.data, s.len, collect, &seen, &e), -EBADMSG);
		assert_int_equal(seen.n, 1);
		frames_free(&d);
	}
}

static void test_truncated(void **state __unused_arg)
{
	struct stream s = { .len = 0 };
	size_t cut;

	put(&s, FRAME_MAGIC, FRAME_HELLO, 0, 5, "hello");
	for (cut = 1; cut < s.len; cut++) {
		struct frames d = { .have = 0 };
		struct seen seen = { .n = 0 };
		struct err e = { .msg = "" };

		assert_int_equal(frames_feed(&d, s.data, cut, collect, &seen, &e), 0);
		assert_int_equal(frames_end(&d, &e), -EBADMSG);
		assert_non_null(strstr(e.msg, "the stream ends"));
		frames_free(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_and_split),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
