// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/fuzz_input.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (size < 3 || memcmp(data, "\x17\x08\x44", 3))
		return 0; /* another reader's */
	return fuzz_file(data, size);
}
