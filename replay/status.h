/* SPDX-License-Identifier: GPL-2.0-only */
/* replay-plan's exit status table: one enum, one list of texts. */
#ifndef BP_REPLAY_STATUS_H
#define BP_REPLAY_STATUS_H

enum replay_status {
	REPLAY_OK = 0,
	REPLAY_USAGE = 1,
	REPLAY_INPUT = 2,
	REPLAY_NOTHING = 3,
	REPLAY_WRITE = 4,
};

struct replay_status_text {
	enum replay_status status;
	const char *text;
};

/* Every status, in order of its number; ends with a NULL text. */
extern const struct replay_status_text replay_status_texts[];

#endif
