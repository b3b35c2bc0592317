// SPDX-License-Identifier: GPL-2.0-only
#include "guest/counters.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_vmstat(void **state)
{
	static const struct {
		const char *text;
		int ret;
		u64 pgfault, pgmajfault, pgpgin;
	} cases[] = {
		{"nr_free_pages 12\npgpgin 7\npgfault 123\npgmajfault 45\n", 0, 123, 45, 7},
		/* a name that starts like another one, and no newline at the end */
		{"pgfaultx 9\npgfault 1\nxpgfault 8\npgmajfault 2", 0, 1, 2, 0},
		{"pgfault 18446744073709551615\npgmajfault 0\n", 0, UINT64_MAX, 0, 0},
		{"pgfault 18446744073709551616\npgmajfault 0\n", -EINVAL, 0, 0, 0},
		{"pgfault 1\n", -EINVAL, 0, 0, 0},
		{"pgmajfault 1\n", -EINVAL, 0, 0, 0},
		{"pgfault one\npgmajfault 1\n", -EINVAL, 0, 0, 0},
		{"pgfault \npgmajfault 1\n", -EINVAL, 0, 0, 0},
		{"pgfault 1 2\npgmajfault 1\n", -EINVAL, 0, 0, 0},
		{"pgfault\npgmajfault 1\n", -EINVAL, 0, 0, 0},
		{"", -EINVAL, 0, 0, 0},
	};
	struct vmstat v;
	size_t i;

	(void)state;
	assert_string_equal(vmstat_names[0], "pgfault");
	assert_string_equal(vmstat_names[1], "pgmajfault");
	assert_string_equal(vmstat_names[2], "pgpgin");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret = vmstat_parse(&v, cases[i].text);

		if (ret != cases[i].ret)
			fail_msg("case %zu: %d", i, ret);
		if (ret)
			continue;
		assert_int_equal(v.value[0], cases[i].pgfault);
		assert_int_equal(v.value[1], cases[i].pgmajfault);
		assert_int_equal(v.value[2], cases[i].pgpgin);
		assert_int_equal(v.known[2], !!strstr(cases[i].text, "pgpgin"));
	}
}

/* As Linux 7.3 writes it. */
static const char stats_text[] = "entries: 12\n"
				 "overrun: 34\n"
				 "commit overrun: 5\n"
				 "bytes: 7788\n"
				 "oldest event ts:     5.123456\n"
				 "now ts:    11.000001\n"
				 "dropped events: 6\n"
				 "read events: 789\n";

static void test_stats(void **state)
{
	static const struct ring_stats expected = {12, 34, 5, 6, 789};
	static const char *const names[] = {
		"entries", "overrun", "commit overrun", "dropped events", "read events",
	};
	char text[sizeof(stats_text)], *p;
	struct ring_stats s;
	size_t i;

	(void)state;
	assert_int_equal(ring_stats_parse(&s, stats_text), 0);
	assert_memory_equal(&s, &expected, sizeof(s));
	/* a counter that is not there must not read as "nothing lost" */
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		strcpy(text, stats_text);
		p = i == 1 ? strstr(text, "\noverrun") + 1 : strstr(text, names[i]);
		*p = 'X';
		if (!ring_stats_parse(&s, text))
			fail_msg("not missed: %s", names[i]);
	}
	assert_int_equal(ring_stats_parse(&s, ""), -EINVAL);
}

static void test_stats_text(void **state)
{
	static const struct ring_stats in = {1, 2, 3, 4, 5};
	struct ring_stats out;
	char text[256];

	(void)state;
	ring_stats_text(&in, text, sizeof(text));
	assert_int_equal(ring_stats_parse(&out, text), 0);
	assert_memory_equal(&in, &out, sizeof(in));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vmstat),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_stats_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
