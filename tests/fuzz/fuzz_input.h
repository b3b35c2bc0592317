/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzz drivers of the readers share: the input becomes a file in
 * memory, which is read to its end, with and without INPUT_PARTIAL, and then
 * judged as bin/verify would with --stats and --chain, in all three formats.  A
 * reader must neither crash nor hang, keep times in order, and name a byte in
 * every message about damage.
 */
#ifndef BP_FUZZ_INPUT_H
#define BP_FUZZ_INPUT_H

#include <string.h>
#include <sys/mman.h>

#include "lib/fileio.h"
#include "verify/input/dump.h"
#include "verify/report/report.h"

static inline void fuzz_read(const char *path, unsigned int flags)
{
	char line[1400];
	struct trace *t;
	struct event ev;
	struct err e = {""};
	u64 seq = 0, n = 0;
	int ret = trace_open(&t, path, flags, &e);

	if (ret) {
		if (ret > 0 || !*e.msg)
			abort();
		return;
	}
	while ((ret = trace_next(t, &ev, &e)) == 1) {
		if (ev.type >= EV_TYPES || (ev.type != EV_LOST && ev.seq != ++seq))
			abort();
		/* the text of a few is enough to touch every field */
		if (n++ < 64)
			event_text(t, &ev, line, sizeof(line));
	}
	if (ret > 0 || (ret < 0 && !*e.msg) || (flags & INPUT_PARTIAL && ret < 0))
		abort();
	if (trace_info(t)->damage && !*trace_info(t)->damage)
		abort();
	trace_close(t);
}

/* All that bin/verify does with a file: nothing that was damaged or not looked at passes. */
static inline void fuzz_verify(const char *path)
{
	const struct options o = {.stats = true,
				  .partial = true,
				  .by = STATS_BY_FILE | STATS_BY_TASK,
				  .chain = {CHAIN_OFFSET, 4096, ""}};
	const struct analyze_options opt = {.partial = true, .stats = true, .chain = o.chain};
	struct verified v = {.path = path};

	if (!run_open(&v.run, path, &v.error) && !analyze(v.run, &opt, &v.analysis, &v.error)) {
		tally_analysis(&v.tally, v.analysis);
		v.status = status_of(&v.tally);
		if (v.status == STATUS_MET)
			abort();
	} else {
		v.status = STATUS_ERROR;
		if (!*v.error.msg)
			abort();
	}
	for (unsigned int i = 0; i < 3; i++) {
		struct out out = {.width = i ? 0 : REPORT_WIDTH};

		if (!i)
			report_text(&out, &v, 1, (int)v.status, &o);
		else if (i == 1)
			report_ktap(&out, &v, 1);
		else
			report_json(&out, &v, 1, (int)v.status, &o);
		if (!out.len)
			abort();
		out_free(&out);
	}
	analysis_free(v.analysis);
	run_close(v.run);
}

/* Runs the readers over @data twice; always returns 0, what libFuzzer wants. */
static inline int fuzz_file(const u8 *data, size_t size)
{
	static int fd = -1;
	char path[32];

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) || fd_write_all(fd, data, size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fuzz_read(path, 0);
	fuzz_read(path, INPUT_PARTIAL);
	fuzz_verify(path);
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif
