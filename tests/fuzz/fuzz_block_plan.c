// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans of kind block: the input as a plan, as a fio iolog, and as blkparse's
 * text.  What is made of the latter two must be a plan that reads back.
 */
#include <string.h>
#include <sys/mman.h>

#include "lib/fileio.h"
#include "replay/block_trace.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Reads a plan: its lines, or a negative errno with a message. */
static int read_plan(const char *path)
{
	struct block_cursor c = {0};
	struct err e = {""};
	struct block_plan p;
	struct plan_reader r;
	struct block_line l;
	int ret = plan_open(&r, path, false, &e), n = 0;

	memset(&p, 0, sizeof(p));
	if (!ret)
		ret = block_plan_header(&r, &p, &e);
	while (!ret && (ret = block_plan_next(&r, &p, &c, &l, &e)) == 1) {
		if (l.ns > p.ns || l.op > BLOCK_DONE)
			abort();
		n++;
		ret = 0;
	}
	if (ret > 0 || (ret < 0 && !*e.msg))
		abort();
	plan_close(&r);
	block_plan_free(&p);
	return ret ? ret : n;
}

static void make(const char *path, bool iolog, const struct block_options *o)
{
	char out[64] = "/tmp/fuzz_block_plan.XXXXXX";
	struct block_plan p;
	struct plan_writer w;
	struct err e = {""};
	int fd = mkstemp(out), ret;

	if (fd < 0 || plan_create(&w, out, PLAN_BLOCK, &e))
		abort();
	ret = iolog ? block_plan_of_iolog(path, o, &w, &p, &e)
		    : block_plan_of_trace(path, false, o, &w, &p, &e);
	if (ret) {
		if (!*e.msg)
			abort();
		plan_abandon(&w);
	} else {
		block_plan_put_header(&w, &p);
		if (plan_finish(&w, &e) || read_plan(out) <= 0)
			abort();
	}
	block_plan_free(&p);
	close(fd);
	unlink(out);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct block_options options[] = {
		{.dependencies = true},
		{.action = ACTION_Q, .end_to_end = true},
		{.device_size = 1 << 20, .fold = true, .sector_size = 1024, .end_to_end = true},
	};
	int fd = memfd_create("fuzz", 0);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || fd_write_all(fd, data, size))
		abort();
	if (size && data[0] == 'b') {
		read_plan(path);
	} else if (size && data[0] == 'f') {
		make(path, true, &options[0]);
		for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
			struct block_options o = options[i];

			o.action = ACTION_AUTO;
			o.dependencies = false;
			make(path, true, &o);
		}
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(options); i++)
			make(path, false, &options[i]);
	}
	close(fd);
	return 0;
}
