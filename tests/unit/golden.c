// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lib/fileio.h"

void check_golden(const char *name, const char *ext, const struct out *o)
{
	char *path __cleanup_free = xasprintf("tests/golden/%s.%s", name, ext);
	char *want __cleanup_free = NULL;
	struct err e;

	if (getenv("UPDATE_GOLDEN")) {
		assert_int_equal(file_write_atomic(path, o->text, o->len, &e), 0);
		return;
	}
	if (file_read(path, 1 << 20, &want, NULL, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(want, o->text);
}
