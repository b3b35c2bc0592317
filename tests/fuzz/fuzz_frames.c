// SPDX-License-Identifier: GPL-2.0-only
/* The agent's frames, from the decoder to what is kept of them. */
#include "host/recording.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct phase phases[2] = { { .name = "one" }, { .name = "two" } };
	static const struct experiment exp = { .cpus = 2, .phases = phases, .n_phases = 2 };
	struct recording r;
	struct err e = { .msg = "" };

	recording_init(&r, &exp, "/tmp");
	if (recording_feed(&r, data, size, &e) && !*e.msg)
		abort();
	recording_free(&r);
	return 0;
}
