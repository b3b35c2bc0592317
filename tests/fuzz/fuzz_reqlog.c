// SPDX-License-Identifier: GPL-2.0-only
/* QEMU's request log: every line of the input, whatever the ones before it were. */
#include <string.h>

#include "host/reqlog.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = xstrndup((const char *)data, size), *line, *save = NULL;
	struct reqlog l = { .n = 0 };
	struct err e = { .msg = "" };
	u64 number = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (reqlog_line(&l, line, ++number, &e) && !*e.msg)
			abort();
	reqlog_free(&l);
	free(text);
	return 0;
}
