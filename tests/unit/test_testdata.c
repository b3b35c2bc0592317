// SPDX-License-Identifier: GPL-2.0-only
#include "lib/testdata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SIZE 1024u /* bytes of the file that are looked at, from BASE on */
#define BASE 4096u

struct check_case {
	const char *what;
	u64 offset; /* from BASE */
	size_t len;
	s64 flip[3];	    /* bytes that are wrong, from BASE; -1: none */
	u64 bad, first_bad; /* first_bad from BASE */
};

static const struct check_case check_cases[] = {
	{"nothing", 0, 0, {-1, -1, -1}, 0, 0},
	{"whole and right", 0, SIZE, {-1, -1, -1}, 0, 0},
	{"first byte", 0, SIZE, {0, -1, -1}, 8, 0},
	{"last byte", 0, SIZE, {SIZE - 1, -1, -1}, 8, SIZE - 8},
	{"two bytes of one word", 0, SIZE, {16, 23, -1}, 8, 16},
	{"two words of one block", 0, SIZE, {64, 72, -1}, 16, 64},
	{"words of three blocks", 0, SIZE, {70, 200, 1000}, 24, 64},
	{"in the tail after the last block", 0, 72, {71, -1, -1}, 8, 64},
	{"just behind what is checked", 0, 72, {72, -1, -1}, 0, 0},
	{"just before what is checked", 72, 72, {71, -1, -1}, 0, 0},
	{"block that starts in the middle", 72, 200, {73, -1, -1}, 8, 72},
	{"unaligned start", 3, 100, {-1, -1, -1}, 0, 0},
	{"part of a first word", 3, 100, {3, -1, -1}, 5, 0},
	{"the other part is not asked for", 3, 100, {2, -1, -1}, 0, 0},
	{"part of a last word", 3, 100, {102, -1, -1}, 7, 96},
	{"a single byte", 13, 1, {13, -1, -1}, 1, 8},
	{"within one word", 9, 4, {10, -1, -1}, 4, 8},
};

static void test_check(void **state)
{
	u8 file[SIZE], copy[SIZE + 1];
	size_t i, k;

	(void)state;
	testdata_fill(file, BASE, SIZE);
	for (i = 0; i < ARRAY_SIZE(check_cases); i++) {
		const struct check_case *c = &check_cases[i];
		u64 first_bad = 1, bad;
		u8 *buf = copy + 1; /* of no alignment */

		memcpy(buf, file + c->offset, c->len);
		for (k = 0; k < ARRAY_SIZE(c->flip); k++)
			if (c->flip[k] >= (s64)c->offset && c->flip[k] < (s64)(c->offset + c->len))
				buf[c->flip[k] - (s64)c->offset] ^= 0x40;
		bad = testdata_check(buf, BASE + c->offset, c->len, &first_bad);
		if (bad != c->bad || first_bad != (c->bad ? BASE + c->first_bad : 1))
			fail_msg("%s: %llu bad from %llu", c->what, (unsigned long long)bad,
				 (unsigned long long)first_bad);
	}
}

/* Zeros, and right data from another place, must both be noticed in every word. */
static void test_displaced(void **state)
{
	u8 buf[SIZE] = {0};
	u64 first_bad;

	(void)state;
	assert_int_equal(testdata_check(buf, BASE, SIZE, &first_bad), SIZE);
	assert_int_equal(first_bad, BASE);
	testdata_fill(buf, BASE + 4096, SIZE);
	assert_int_equal(testdata_check(buf, BASE, SIZE, NULL), SIZE);
	assert_int_equal(testdata_check(buf, BASE + 4096, SIZE, NULL), 0);
}

/* The format of test files: these bytes must never change. */
static void test_format(void **state)
{
	static const u8 expected[] = {
		0xa8, 0xe0, 0x53, 0xfa, 0xcb, 0xcd, 0xbb, 0xf1, /* 8 * 0x9e3779b97f4a7c15 */
		0x50, 0xc1, 0xa7, 0xf4, 0x97, 0x9b, 0x77, 0xe3, /* 16 * */
	};
	u8 buf[16];

	(void)state;
	testdata_fill(buf, 0, sizeof(buf));
	assert_memory_equal(buf, expected, sizeof(buf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_displaced),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
