// SPDX-License-Identifier: GPL-2.0-only
/* replay-plan: makes a plan of a recorded workload. */
#include <errno.h>

#include "lib/version.h"
#include "replay/level.h"
#include "replay/status.h"
#include "verify/report/out.h"

static enum replay_status make(const struct replay_options *o, struct err *e)
{
	const struct level *level = o->level;
	struct source s;
	enum replay_status status = REPLAY_OK;
	int ret = source_open(&s, o->trace, e);

	if (ret) {
		status = REPLAY_INPUT;
	} else if (level ? !level->possible(&s, e) : !(level = level_of(&s, e))) {
		status = REPLAY_NOTHING;
	} else {
		ret = level->make(&s, o, e);
		if (ret)
			status = ret == -ENODATA ? REPLAY_NOTHING
				 : ret == -EROFS ? REPLAY_WRITE
						 : REPLAY_INPUT;
	}
	source_close(&s);
	return status;
}

int main(int argc, char *argv[])
{
	struct replay_options o;
	struct err e = {.msg = ""};
	enum replay_status status = REPLAY_OK;
	bool bad = replay_options_parse(&o, argc, argv, &e);

	if (bad)
		status = REPLAY_USAGE;
	else if (o.command == REPLAY_HELP)
		replay_options_help(stdout);
	else if (o.command == REPLAY_VERSION)
		puts("replay-plan (blkproof) " BLKPROOF_VERSION);
	else
		status = make(&o, &e);
	if (!status && (fflush(stdout) || ferror(stdout))) {
		err_errno(&e, errno ? -errno : -EIO, "standard output");
		status = REPLAY_WRITE;
	}
	if (status) {
		char *text __cleanup_free = printable(e.msg);

		fprintf(stderr, "replay-plan: %s\n", text);
	}
	if (bad)
		fputs("replay-plan --help lists the options\n", stderr);
	return (int)status;
}
