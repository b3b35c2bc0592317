// SPDX-License-Identifier: GPL-2.0-only
/* From fio's iolog to a plan of accesses: what comes out must be one. */
#include "tests/fuzz/fuzz_access.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const char *path = fuzz_file(data, size);

	fuzz_make_plan(path, SOURCE_IOLOG, false);
	fuzz_make_plan(path, SOURCE_IOLOG, true);
	return 0;
}
