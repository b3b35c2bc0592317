// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/fuzz_input.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (size < 4 || (memcmp(data + 1, "tae", 3) && memcmp(data, "eat", 3)))
		return 0; /* another reader's */
	return fuzz_file(data, size);
}
