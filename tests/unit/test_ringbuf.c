// SPDX-License-Identifier: GPL-2.0-only
/* Pages of the ring buffer from commented bytes, in both byte orders. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "verify/input/ringbuf.h"

#define PAGE 96

static const struct ring_format little = { .swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
					   .long_size = 8, .commit = 8, .data = 16 };
static const struct ring_format big32 = { .swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
					  .big_endian = true, .long_size = 4, .commit = 8,
					  .data = 12 };

struct want {
	u64 ts;
	u32 len;
	u8 first; /* byte of the data */
};

struct test_case {
	const char *name;
	const struct ring_format *format;
	u8 page[PAGE];
	struct want events[4]; /* ends with ts 0 */
	bool missed;
	u64 missed_count;
	const char *error; /* NULL, or what was expected where */
	u32 error_pos;
};

static const struct test_case cases[] = {
	{"two events, little-endian",
	 &little,
	 {0xe8, 3, 0, 0, 0,    0, 0, 0,	 /* time 1000 */
	  16,	0, 0, 0, 0,    0, 0, 0,	 /* commit 16 */
	  0x41, 1, 0, 0, 0xaa, 0, 0, 0,	 /* type_len 1, delta 10; 4 bytes */
	  0x81, 2, 0, 0, 0xbb, 0, 0, 0}, /* type_len 1, delta 20 */
	 {{1010, 4, 0xaa}, {1030, 4, 0xbb}},
	 false,
	 0,
	 NULL,
	 0},
	{"two events, big-endian, 32-bit",
	 &big32,
	 {0,	0, 0, 0,  0,	0, 3, 0xe8, /* time 1000 */
	  0,	0, 0, 16,		    /* commit 16 */
	  0x08, 0, 0, 10, 0xaa, 0, 0, 0,    /* type_len 1, delta 10 */
	  0x08, 0, 0, 20, 0xbb, 0, 0, 0},   /* type_len 1, delta 20 */
	 {{1010, 4, 0xaa}, {1030, 4, 0xbb}},
	 false,
	 0,
	 NULL,
	 0},
	{"an empty page", &little, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {{0}}, false, 0, NULL, 0},
	{"long data counts its own length",
	 &little,
	 {0,	0, 0, 0, 0, 0, 0,    0, 16, 0,
	  0,	0, 0, 0, 0, 0, 0x20, 0, 0,  0, /* type_len 0, delta 1 */
	  12,	0, 0, 0,		       /* 12: 4 and 8 bytes of data */
	  0xcc, 0, 0, 0, 0, 0, 0,    0},
	 {{1, 8, 0xcc}},
	 false,
	 0,
	 NULL,
	 0},
	{"time extend",
	 &little,
	 {0,	0, 0, 0, 0,    0, 0, 0, 16, 0, 0, 0,
	  0,	0, 0, 0, 0xbe, 0, 0, 0, 2,  0, 0, 0, /* type 30, 5 + (2 << 27) */
	  0x21, 0, 0, 0, 0xdd, 0, 0, 0},	     /* delta 1 */
	 {{(2ull << 27) + 6, 4, 0xdd}},
	 false,
	 0,
	 NULL,
	 0},
	{"absolute time keeps the upper five bits",
	 &little,
	 {0,	0, 0, 0, 0,    0, 0, 0x08,			      /* time 1 << 59 */
	  16,	0, 0, 0, 0,    0, 0, 0,	   0xff, 0, 0, 0, 3, 0, 0, 0, /* type 31, 7 + (3 << 27) */
	  0x21, 0, 0, 0, 0xee, 0, 0, 0},
	 {{(1ull << 59) + (3ull << 27) + 8, 4, 0xee}},
	 false,
	 0,
	 NULL,
	 0},
	{"a discarded event keeps its time",
	 &little,
	 {0,	0, 0,	 0, 0,	  0, 0, 0, 20, 0, 0, 0, 0, 0,
	  0,	0, 0x7d, 0, 0,	  0, 8, 0, 0,  0, 1, 1, 1, 1, /* type 29, delta 3, 8 bytes */
	  0x21, 0, 0,	 0, 0x11, 0, 0, 0},
	 {{4, 4, 0x11}},
	 false,
	 0,
	 NULL,
	 0},
	{"padding without a delta ends the page",
	 &little,
	 {0,	0, 0, 0,    0,	  0, 0, 0,    24, 0, 0, 0,    0,    0,	  0,	0, 0x21,
	  0,	0, 0, 0x22, 0,	  0, 0, 0x1d, 0,  0, 0, 0xff, 0xff, 0xff, 0xff, /* type 29, delta 0
										 */
	  0x21, 0, 0, 0,    0x33, 0, 0, 0},
	 {{1, 4, 0x22}},
	 false,
	 0,
	 NULL,
	 0},
	{"missed events, not counted",
	 &little,
	 {0,	0, 0, 0, 0,    0, 0, 0, 8, 0, 0, 0x80, 0, 0, 0, 0, /* bit 31 */
	  0x21, 0, 0, 0, 0x44, 0, 0, 0, 9},
	 {{1, 4, 0x44}},
	 true,
	 0,
	 NULL,
	 0},
	{"missed events, 9 of them",
	 &little,
	 {0,	0, 0, 0, 0,    0, 0, 0, 8, 0, 0, 0xc0, 0, 0, 0, 0, /* bits 31 and 30 */
	  0x21, 0, 0, 0, 0x44, 0, 0, 0, 9},
	 {{1, 4, 0x44}},
	 true,
	 9,
	 NULL,
	 0},
	{"missed events, 9 of them, as 64-bit kernels write it",
	 &little,
	 {0,	0, 0, 0, 0,    0, 0, 0, 8, 0, 0, 0xc0, 0xff, 0xff, 0xff, 0xff, /* sign-extended */
	  0x21, 0, 0, 0, 0x44, 0, 0, 0, 9},
	 {{1, 4, 0x44}},
	 true,
	 9,
	 NULL,
	 0},
	{"an upper half that no sign explains",
	 &little,
	 {0,	0, 0, 0, 0,    0, 0, 0, 8, 0, 0, 0x80, 0xff, 0xff, 0xff, 0x7f,
	  0x21, 0, 0, 0, 0x44, 0, 0, 0, 9},
	 {{0}},
	 false,
	 0,
	 "the size of the page's records, found unknown flags",
	 8},
	{"missed events, big-endian, 32-bit",
	 &big32,
	 {0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 8, 0x08, 0, 0, 1, 0x44, 0, 0, 0, 0, 0, 0, 9},
	 {{1, 4, 0x44}},
	 true,
	 9,
	 NULL,
	 0},
	{"commit beyond the page",
	 &little,
	 {0, 0, 0, 0, 0, 0, 0, 0, 81},
	 {{0}},
	 false,
	 0,
	 "records that fit into the page",
	 8},
	{"unknown flags",
	 &little,
	 {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20},
	 {{0}},
	 false,
	 0,
	 "the size of the page's records, found unknown flags",
	 8},
	{"data beyond commit",
	 &little,
	 {0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x22, 0, 0, 0},
	 {{0}},
	 false,
	 0,
	 "a data record within the page's commit size",
	 16},
	{"half a header",
	 &little,
	 {0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0, 0, 0x55, 0, 0, 0},
	 {{1, 4, 0x55}},
	 false,
	 0,
	 "the header of a record within the page's commit size",
	 24},
	{"no second word",
	 &little,
	 {0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0x3e, 0, 0, 0},
	 {{0}},
	 false,
	 0,
	 "a record's second word within the commit size",
	 16},
	{"long data of length 3",
	 &little,
	 {0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 3, 0, 0, 0},
	 {{0}},
	 false,
	 0,
	 "the length of a record within the commit size",
	 20},
	{"long data beyond commit",
	 &little,
	 {0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
	 {{0}},
	 false,
	 0,
	 "the length of a record within the commit size",
	 20},
};

static void test_pages(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct test_case *c = &cases[i];
		struct ring_page p;
		struct ring_event ev;
		unsigned int n = 0;
		int ret = ring_load(c->format, &p, c->page, PAGE);

		print_message("  %s\n", c->name);
		if (!ret) {
			assert_int_equal(p.missed, c->missed);
			assert_int_equal(p.missed_count, c->missed_count);
		}
		while (!ret && (ret = ring_next(c->format, &p, &ev)) == 1) {
			assert_true(n < ARRAY_SIZE(c->events) && c->events[n].ts);
			assert_int_equal(ev.ts, c->events[n].ts);
			assert_int_equal(ev.len, c->events[n].len);
			assert_int_equal(ev.data[0], c->events[n].first);
			n++;
			ret = 0;
		}
		assert_int_equal(c->events[n].ts, 0);
		assert_int_equal(ret, c->error ? -EBADMSG : 0);
		if (c->error) {
			assert_string_equal(p.expected, c->error);
			assert_int_equal(p.pos, c->error_pos);
		}
	}
}

static const struct {
	const char *text;
	bool ok;
	unsigned int long_size, commit, data;
} headers[] = {
	{ "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n", true, 8, 8, 16 },
	{ "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n", true, 4, 8, 12 },
	{ "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n", false, 0, 0, 0 },
	{ "\tfield: u64 timestamp;\toffset:0;\tsize:4;\tsigned:0;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n", false, 0, 0, 0 },
	{ "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n", false, 0, 0, 0 },
	{ "", false, 0, 0, 0 },
};

static void test_header_page(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		struct ring_format f = { 0 };

		assert_int_equal(ring_format_parse(&f, headers[i].text, strlen(headers[i].text)),
				 headers[i].ok);
		assert_int_equal(f.long_size, headers[i].long_size);
		assert_int_equal(f.commit, headers[i].commit);
		assert_int_equal(f.data, headers[i].data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_pages),
					    cmocka_unit_test(test_header_page) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
