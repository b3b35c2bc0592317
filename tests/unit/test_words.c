// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "host/sweep.h"
#include "lib/words.h"

static const struct {
	const char *text;
	const char *words; /* with '|' between them; NULL: refused */
} lines[] = {
	{"", ""},
	{"  ", ""},
	{"FILE 8", "FILE|8"},
	{"\ta  b\t", "a|b"},
	{"'a b' c", "a b|c"},
	{"\"a 'b\" c", "a 'b|c"},
	{"a\\ b '\\'", "a b|\\"},
	{"a'b'c", "abc"},
	{"'' x", "|x"},
	{"'a", NULL},
	{"a \"b", NULL},
};

static void test_split(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct err e = {""};
		char joined[64] = "";
		size_t n;
		char **words = words_split(lines[i].text, &n, &e);

		if (!lines[i].words) {
			assert_null(words);
			assert_non_null(strstr(e.msg, "never closed"));
			continue;
		}
		assert_non_null(words);
		for (size_t k = 0; k < n; k++) {
			strcat(joined, k ? "|" : "");
			strcat(joined, words[k]);
		}
		assert_null(words[n]);
		assert_string_equal(joined, lines[i].words);
		words_free(words);
	}
}

static void test_too_many(void **state __unused_arg)
{
	char text[2 * WORDS_MAX + 3];
	struct err e = {""};
	size_t n;

	for (size_t i = 0; i <= WORDS_MAX; i++)
		memcpy(text + 2 * i, "a ", 3);
	assert_null(words_split(text, &n, &e));
	assert_non_null(strstr(e.msg, "more than 256"));
	text[2 * WORDS_MAX] = '\0';
	char **words = words_split(text, &n, &e);

	assert_non_null(words);
	assert_int_equal(n, WORDS_MAX);
	words_free(words);
}

static void test_file(void **state __unused_arg)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{"FILE", "/mnt/f"},
		{"--in=FILE", "--in=/mnt/f"},
		{"FILE:FILE", "/mnt/f:/mnt/f"},
		{"FILES", "FILES"},
		{"MYFILE", "MYFILE"},
		{"_FILE", "_FILE"},
		{"file", "file"},
		{"", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = word_with_file(cases[i].word, "/mnt/f");

		assert_string_equal(got, cases[i].want);
		free(got);
	}
}

static void test_sweep(void **state __unused_arg)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{"read_ahead_kb", "expected KEY:VALUE"},
		{":1,2", "expected KEY:VALUE"},
		{"cpus:", "an empty value"},
		{"cpus:1,,2", "an empty value"},
		{"cpus:1,2,", "an empty value"},
		{"cpus:1", "one value is no sweep"},
	};
	struct sweep_list s;
	struct err e;
	char *name;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		e.msg[0] = '\0';
		assert_true(sweep_list_parse(&s, bad[i].text, &e) < 0);
		if (!strstr(e.msg, bad[i].want))
			fail_msg("'%s' lacks '%s'", e.msg, bad[i].want);
		sweep_list_free(&s);
	}
	assert_int_equal(sweep_list_parse(&s, "read_ahead_kb:128,512", &e), 0);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.key, "read_ahead_kb");
	assert_string_equal(s.values[1], "512");
	sweep_list_free(&s);
	/* values that have commas themselves */
	assert_int_equal(sweep_list_parse(&s, "mount_options:ro,noatime;ro", &e), 0);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.values[0], "ro,noatime");
	sweep_list_free(&s);
	name = sweep_name("mount_options", "ro,../x");
	assert_string_equal(name, "mount_options=ro_.._x");
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
