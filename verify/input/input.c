// SPDX-License-Identifier: GPL-2.0-only
/* Which reader a path needs, and what all readers have in common. */
#include "verify/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fileio.h"
#include "verify/input/reader.h"

/* blkparse text last: its probe is the least certain. */
static const struct reader *const readers[] = {&reader_tracedat, &reader_blktrace,
					       &reader_blkparse};

static int probe(struct trace *t, struct err *e)
{
	u8 head[4096];
	int fd __cleanup_close = -1;
	struct stat st;
	ssize_t n;

	if (stat(t->path, &st)) {
		/* "x" for x.blktrace.0 ... */
		t->reader = &reader_blktrace;
		return errno == ENOENT ? 0 : err_errno(e, -errno, "%s", t->path);
	}
	if (S_ISDIR(st.st_mode)) {
		t->reader = &reader_blktrace;
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "%s: not a regular file", t->path);
	fd = open(t->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, -errno, "%s", t->path);
	n = fd_read_full(fd, head, sizeof(head));
	if (n < 0)
		return err_errno(e, (int)n, "%s", t->path);
	if (!n)
		return err_set(e, -EINVAL, "%s: at byte 0: expected a trace, the file is empty",
			       t->path);
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		if (readers[i]->probe(head, (size_t)n)) {
			t->reader = readers[i];
			return 0;
		}
	}
	return err_set(
		e, -EINVAL,
		"%s: at byte 0: expected a trace.dat, blktrace or blkparse file, found neither",
		t->path);
}

int trace_open(struct trace **out, const char *path, unsigned int flags, struct err *e)
{
	struct trace *t = xcalloc(1, sizeof(*t));
	int ret;

	t->flags = flags;
	t->path = xstrdup(path);
	t->info.path = t->path;
	t->info.clock = "";
	t->info.uname = "";
	t->info.format = t->format;
	ret = probe(t, e);
	if (!ret)
		ret = t->reader->open(t, e);
	if (ret) {
		trace_close(t);
		return ret;
	}
	*out = t;
	return 0;
}

int trace_next(struct trace *t, struct event *ev, struct err *e)
{
	int ret;

	if (t->ended)
		return 0;
	ret = t->reader->next(t, ev, e);
	if (ret < 0 && !trace_damaged(t, ret, e))
		ret = 0;
	if (ret <= 0)
		t->ended = true;
	return ret;
}

const struct trace_info *trace_info(const struct trace *t)
{
	return &t->info;
}

const char *trace_comm(const struct trace *t, s32 pid)
{
	const char *name = comms_get(&t->comms, pid);

	if (name)
		return name;
	return pid ? "<...>" : "<idle>";
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	if (t->reader)
		t->reader->close(t);
	comms_free(&t->comms);
	free(t->loss);
	free(t->damage);
	free(t->path);
	free(t);
}

int trace_damaged(struct trace *t, int error, const struct err *e)
{
	if (!(t->flags & INPUT_PARTIAL))
		return error;
	if (!t->damage)
		t->damage = xstrdup(e->msg);
	t->info.damage = t->damage;
	return 0;
}

struct cpu_loss *trace_loss(struct trace *t, u32 cpu)
{
	u32 n = t->info.n_loss;

	/* most calls are for the CPU of the call before, which is the last */
	for (u32 i = n; i-- > 0;) {
		if (t->loss[i].cpu == cpu)
			return &t->loss[i];
	}
	t->loss = xrealloc(t->loss, n + 1, sizeof(*t->loss));
	t->loss[n] = (struct cpu_loss){.cpu = cpu};
	t->info.loss = t->loss;
	t->info.n_loss = n + 1;
	return &t->loss[n];
}
