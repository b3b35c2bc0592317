/* SPDX-License-Identifier: GPL-2.0-only */
/* boot-and-trace's exit status table: one enum, one list of texts. */
#ifndef BP_STATUS_H
#define BP_STATUS_H

enum status {
	STATUS_OK = 0,
	STATUS_USAGE = 1,
	STATUS_RESOURCES = 2,
	STATUS_KERNEL = 3,
	STATUS_QEMU = 4,
	STATUS_BOOT = 5,
	STATUS_PANIC = 6,
	STATUS_AGENT = 7,
	STATUS_HANG = 8,
	STATUS_WRITE = 9,
	STATUS_SERVER = 10,
	STATUS_INTERRUPTED = 130,
};

struct status_text {
	enum status status;
	const char *text;
};

/* Every status, in order of its number; ends with a NULL text. */
extern const struct status_text status_texts[];

#endif
