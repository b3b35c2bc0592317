// SPDX-License-Identifier: GPL-2.0-only
#include "replay/calls.h"

#include <string.h>

/* Tasks at a time; two that fall on one place forget each other. */
#define SLOTS 4096u
#define FDS 8u

/* A descriptor of a task whose file is known from a read. */
struct known_fd {
	u32 fd;
	struct draft_file *file; /* NULL: none */
	u64 end;		 /* byte after the last read(2); UINT64_MAX: not known */
};

struct task_call {
	s32 pid;
	bool used, in_call, begun; /* begun: its first page was read */
	u8 call, advice;
	u32 fd;
	u64 offset, length;
	u64 start;		 /* of a read that has begun */
	struct draft_file *file; /* what the call turned out to be about */
	u64 ra_first, ra_end;	 /* pages that it read ahead */
	struct known_fd fds[FDS];
	u32 next; /* of fds[] to be replaced */
};

struct calls {
	struct task_call task[SLOTS];
	struct calls_count count;
};

struct calls *calls_new(void)
{
	return xcalloc(1, sizeof(struct calls));
}

void calls_free(struct calls *c)
{
	free(c);
}

const struct calls_count *calls_count(const struct calls *c)
{
	return &c->count;
}

static struct task_call *slot_of(struct calls *c, s32 pid)
{
	return &c->task[((u32)pid * 0x9e3779b1u) >> 20 & (SLOTS - 1)];
}

/* The task's call, NULL if it is in none that is known. */
static struct task_call *call_of(struct calls *c, s32 pid)
{
	struct task_call *t = slot_of(c, pid);

	return t->used && t->pid == pid && t->in_call ? t : NULL;
}

static struct known_fd *fd_of(struct task_call *t, u32 fd)
{
	for (u32 i = 0; i < FDS; i++)
		if (t->fds[i].file && t->fds[i].fd == fd)
			return &t->fds[i];
	return NULL;
}

static void forget_fd(struct task_call *t, u32 fd)
{
	struct known_fd *k = fd_of(t, fd);

	if (k)
		k->file = NULL;
}

void calls_enter(struct calls *c, const struct event *ev)
{
	struct task_call *t = slot_of(c, ev->pid);

	c->count.enters++;
	if (!t->used || t->pid != ev->pid)
		*t = (struct task_call){.pid = ev->pid, .used = true};
	t->in_call = true;
	t->begun = false;
	t->file = NULL;
	t->ra_first = UINT64_MAX;
	t->ra_end = 0;
	t->call = ev->call.call;
	t->fd = ev->call.fd;
	t->offset = ev->call.offset;
	t->length = ev->call.length;
	t->advice = ev->call.advice;
}

int calls_read(struct calls *c, const struct event *ev, const struct draft_file *f, u32 shift,
	       u64 *offset, u64 *length)
{
	struct task_call *t = call_of(c, ev->pid);
	const struct known_fd *k;

	if (!t || (t->call != CALL_READ && t->call != CALL_PREAD64) || !t->length)
		return 0;
	if (t->begun)
		return 2;
	k = fd_of(t, t->fd);
	/* where in its page read(2) begins, only the end of the one before it tells */
	t->start = ev->access.index << shift;
	if (t->call == CALL_PREAD64 && t->offset >> shift == ev->access.index)
		t->start = t->offset;
	else if (t->call == CALL_READ && k && k->file == f && k->end != UINT64_MAX &&
		 k->end >> shift == ev->access.index)
		t->start = k->end;
	t->begun = true;
	t->file = (struct draft_file *)f;
	c->count.exact++;
	*offset = t->start;
	*length = t->length;
	return 1;
}

void calls_readahead(struct calls *c, const struct event *ev, struct draft_file *f)
{
	struct task_call *t = call_of(c, ev->pid);

	if (!t || t->begun)
		return;
	t->file = f;
	t->ra_first = MIN(t->ra_first, ev->ra.index);
	t->ra_end = MAX(t->ra_end, ev->ra.index + MIN(ev->ra.req_count, 1ull << 40));
}

/* After a read: its descriptor's file and position. */
static void read_ended(struct task_call *t, s64 ret)
{
	struct known_fd *k = fd_of(t, t->fd);

	if (!t->begun)
		return;
	if (!k) {
		k = &t->fds[t->next++ % FDS];
		*k = (struct known_fd){.fd = t->fd, .end = UINT64_MAX};
	}
	k->file = t->file;
	if (t->call == CALL_READ)
		k->end = ret > 0 ? t->start + (u64)ret : UINT64_MAX;
	if (ret > 0)
		access_size(t->file, t->start + (u64)ret);
}

static bool advice_op(u8 advice, enum access_op *op)
{
	/* POSIX_FADV_*, from 0 */
	static const enum access_op ops[] = {ACCESS_NORMAL, ACCESS_RANDOM, ACCESS_SEQUENTIAL,
					     ACCESS_WILLNEED, ACCESS_DONTNEED};

	if (advice >= ARRAY_SIZE(ops))
		return false;
	*op = ops[advice];
	return true;
}

bool calls_exit(struct calls *c, const struct event *ev, u32 shift, struct draft_file **f,
		enum access_op *op, u64 *offset, u64 *length)
{
	struct task_call *t = call_of(c, ev->pid);
	const struct known_fd *k;

	if (!t || t->call != ev->call.call)
		return false;
	t->in_call = false;
	k = fd_of(t, t->fd);
	*f = t->file ? t->file : k ? k->file : NULL;
	*offset = t->offset;
	*length = t->length;
	switch (t->call) {
	case CALL_READ:
	case CALL_PREAD64:
		read_ended(t, ev->call.ret);
		return false;
	case CALL_OPENAT:
		if (ev->call.ret >= 0)
			forget_fd(t, (u32)MIN(ev->call.ret, (s64)UINT32_MAX));
		return false;
	case CALL_MMAP:
		c->count.mappings += ev->call.ret > 0 && t->fd != UINT32_MAX;
		return false;
	case CALL_READAHEAD:
		*op = ACCESS_READAHEAD;
		break;
	case CALL_FADVISE64:
		if (!advice_op(t->advice, op))
			return false;
		break;
	default:
		/* madvise: of a mapping, of which only what it reads ahead tells the file */
		*op = ACCESS_WILLNEED;
		*f = t->file;
		*offset = t->ra_end > t->ra_first ? t->ra_first << shift : 0;
		*length = t->ra_end > t->ra_first ? (t->ra_end - t->ra_first) << shift : 0;
		break;
	}
	if (ev->call.ret)
		return false;
	c->count.nowhere += !*f;
	return *f != NULL;
}
