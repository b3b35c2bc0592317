// SPDX-License-Identifier: GPL-2.0-only
/* Plans of kind access: read to their end, they keep to their header, or a line says why not. */
#include "tests/fuzz/fuzz_access.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	fuzz_read_plan(fuzz_file(data, size));
	return 0;
}
