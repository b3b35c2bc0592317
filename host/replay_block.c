// SPDX-License-Identifier: GPL-2.0-only
/* REPLAY= with a plan of block requests: its experiment, and the device that it is replayed to. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "host/replay.h"
#include "lib/fileio.h"
#include "lib/size.h"

#define PATTERN_BLOCK "replay-block"
/* Of the trace: a request is three events, and all of them are on one CPU. */
#define BYTES_PER_REQUEST 256u
#define TRACE_BUFFER_MAX (1ull << 30)
#define MEMORY_ROUND (64ull << 20)
#define COPY_BYTES (1u << 20)

static u64 round_up(u64 v, u64 to)
{
	return (v + to - 1) / to * to;
}

int replay_block_validate(const struct replay *r, const struct experiment *exp, struct err *e)
{
	if (!experiment_on_bare_disk(exp))
		return err_set(e, -EINVAL,
			       "experiment %s: a plan of block requests is replayed to a disk with "
			       "filesystem = " FILESYSTEM_NONE ", found '%s'",
			       exp->name, exp->filesystem);
	for (unsigned int i = 0; i < exp->n_phases; i++)
		if (strcmp(exp->phases[i].pattern, PATTERN_BLOCK))
			return err_set(e, -EINVAL,
				       "experiment %s, phase %s: %s is a plan of block requests, "
				       "which pattern " PATTERN_BLOCK " replays, found '%s'",
				       exp->name, exp->phases[i].name, r->path,
				       exp->phases[i].pattern);
	return 0;
}

int replay_block_experiment(struct replay *r, struct experiment *exp, struct err *e)
{
	const struct block_plan *p = &r->block;
	u64 buffer = MIN(p->requests, TRACE_BUFFER_MAX) * BYTES_PER_REQUEST;
	int ret = replay_block_validate(r, exp, e);

	if (ret)
		return ret;
	r->trace_buffer = buffer;
	for (unsigned int i = 0; i < exp->n_phases; i++) {
		struct phase *ph = &exp->phases[i];

		/* at recorded times the guest may have nothing to do for long */
		if (ph->timing == REPLAY_RECORDED)
			ph->timeout_s = (unsigned int)MIN(
				ph->timeout_s + p->ns / ph->speed * 100 / NSEC_PER_SEC, 86400u);
	}
	exp->file_size = p->sectors * SECTOR_SIZE;
	buffer = MIN(MAX(exp->trace_buffer, round_up(buffer, 1u << 20)), TRACE_BUFFER_MAX);
	exp->memory += (buffer - MIN(buffer, exp->trace_buffer)) * exp->cpus;
	exp->memory = round_up(exp->memory + 2 * p->largest, MEMORY_ROUND);
	exp->trace_buffer = buffer;
	return 0;
}

int replay_scratch(const struct replay *r, const char *dir, char **path, struct err *e)
{
	char *file __cleanup_free = xasprintf("%s/scratch.img", dir);
	u64 bytes = r->block.sectors * SECTOR_SIZE;
	char size[SIZE_TEXT_MAX];
	int fd __cleanup_close = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_errno(e, -errno, "%s", file);
	if (bytes > INT64_MAX || ftruncate(fd, (off_t)bytes))
		return err_errno(e, bytes > INT64_MAX ? -EFBIG : -errno,
				 "%s: the plan needs a device of %s", file, size_text(bytes, size));
	*path = file;
	file = NULL;
	return 0;
}

int replay_copy_plan(const char *from, const char *path, struct err *e)
{
	char *buf __cleanup_free = xmalloc(COPY_BYTES);
	int in __cleanup_close = open(from, O_RDONLY | O_CLOEXEC);
	int out __cleanup_close = -1;
	ssize_t n;
	int ret = 0;

	if (in < 0)
		return err_errno(e, -errno, "%s", from);
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (out < 0)
		return err_errno(e, -errno, "%s", path);
	while ((n = fd_read_full(in, buf, COPY_BYTES)) > 0 && !ret)
		ret = fd_write_all(out, buf, (size_t)n);
	if (n < 0 || ret)
		return err_errno(e, n < 0 ? (int)n : ret, "%s", n < 0 ? from : path);
	return 0;
}
