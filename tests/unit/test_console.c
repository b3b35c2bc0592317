// SPDX-License-Identifier: GPL-2.0-only
/* The guest's console: panics, and the login prompt. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "host/console.h"

static const struct {
	const char *text;
	bool login;
	const char *panic;
} tests[] = {
	{"", false, NULL},
	{"Debian GNU/Linux 12 blkproof ttyS0\r\n\r\nblkproof login: ", true, NULL},
	{"\033[0m\033[32mblkproof\033[0m login: ", true, NULL},
	{"blkproof login: \033[6n", true, NULL},  /* asks the terminal where it is */
	{"blkproof login: \033[?25h", true, NULL},
	{"blkproof login: \0337", true, NULL},
	{"blkproof login: root", false, NULL},	  /* somebody typed */
	{"blkproof login: \r\n", false, NULL},
	{" login: ", false, NULL},		  /* no name */
	{"Last login: Tue Dec  1\r\n", false, NULL},
	{"[  OK  ] Started login service.\r\n", false, NULL},
	{"x\r\n[    1.0] Kernel panic - not syncing: Attempted to kill init!\r\n", false,
	 "Kernel panic - not syncing: Attempted to kill init!"},
	{"\033[31mKernel panic - not syncing: red\033[0m\r\n", false,
	 "Kernel panic - not syncing: red"},
	/* a code that was cut off by the end of its line does not swallow the next */
	{"\033[31\nKernel panic - not syncing: y\n", false, "Kernel panic - not syncing: y"},
};

static void check(size_t i, const struct console *c)
{
	if (console_at_login(c) != tests[i].login)
		fail_msg("%zu: login prompt: %d", i, console_at_login(c));
	if (!c->panic != !tests[i].panic || (c->panic && strcmp(c->panic, tests[i].panic)))
		fail_msg("%zu: panic '%s'", i, c->panic ? c->panic : "none");
}

static void test_take(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		struct console whole, bytes;
		size_t n = strlen(tests[i].text);

		console_init(&whole);
		console_take(&whole, tests[i].text, n);
		check(i, &whole);
		assert_int_equal(whole.bytes, n);
		/* what is read may end anywhere */
		console_init(&bytes);
		for (size_t k = 0; k < n; k++)
			console_take(&bytes, tests[i].text + k, 1);
		check(i, &bytes);
		console_free(&whole);
		console_free(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_take),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
