// SPDX-License-Identifier: GPL-2.0-only
#include "replay/status.h"

#include <stddef.h>

const struct replay_status_text replay_status_texts[] = {
	{REPLAY_OK, "the plan is written"},
	{REPLAY_USAGE, "usage error"},
	{REPLAY_INPUT, "the trace can't be read, or is damaged"},
	{REPLAY_NOTHING, "the trace has nothing that can be replayed at this level"},
	{REPLAY_WRITE, "the plan can't be written"},
	{0, NULL},
};
