// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

#include "guest/block_engine_internal.h"
#include "guest/sys.h"

/* include/uapi/linux/blkdev.h of Linux 6.12; older headers lack it */
#ifndef BLOCK_URING_CMD_DISCARD
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif

#define LEAD_NS 2000000u /* from the decision to begin to the first request */
/*
 * The end of a wait is spun: a sleep ends late by an amount that is learned.  Not more of it than
 * this, since a CPU that spins is one that the device may lack, under TCG.
 */
#define SPIN_MIN_NS 50000u
#define SPIN_MAX_NS 300000u

/* ---- completions ---- */

static void complete(struct engine *en, const struct io_uring_cqe *cqe)
{
	u64 number = cqe->user_data & ~(LINKED_FLUSH | IS_FLUSH);
	u32 slot = (u32)(number % BLOCK_FLIGHT_MAX);
	int error = cqe->res < 0 ? cqe->res : 0;

	en->in_flight--;
	en->flushes -= !!(cqe->user_data & IS_FLUSH);
	if (!(cqe->user_data & LINKED_FLUSH)) {
		en->busy[slot] = 0;
		if (!error && (u32)cqe->res != en->expect[slot])
			error = -EIO; /* short */
		if (en->punted == number + 1)
			en->punted = 0;
	}
	if (!error)
		return;
	if (!en->s->failed++) {
		en->s->first_error = error;
		en->s->first_failed = number;
	}
}

static void reap(struct engine *en)
{
	struct io_uring_cqe *cqe;
	unsigned int head, n = 0;

	io_uring_for_each_cqe(&en->ring, head, cqe)
	{
		complete(en, cqe);
		n++;
	}
	io_uring_cq_advance(&en->ring, n);
}

static int submit(struct engine *en, struct err *e)
{
	int ret;

	while (en->unsubmitted) {
		/* runs the work of completions, too, which waits for a call like this */
		ret = io_uring_submit_and_get_events(&en->ring);
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN && ret != -EBUSY)
			return err_errno(e, ret, "io_uring: submission");
		if (ret > 0)
			en->unsubmitted -= MIN(en->unsubmitted, (u64)ret);
		reap(en);
	}
	return 0;
}

/* Waits for @n completions, at most @ns. */
static int wait_completions(struct engine *en, unsigned int n, u64 ns, struct err *e)
{
	struct __kernel_timespec ts = {.tv_sec = (s64)(ns / NSEC_PER_SEC),
				       .tv_nsec = (s64)(ns % NSEC_PER_SEC)};
	struct io_uring_cqe *cqe;
	int ret = submit(en, e);

	if (ret)
		return ret;
	ret = io_uring_wait_cqes(&en->ring, &cqe, n, &ts, NULL);
	if (ret < 0 && ret != -ETIME && ret != -EINTR && ret != -EAGAIN)
		return err_errno(e, ret, "io_uring: waiting");
	reap(en);
	return 0;
}

static int wait_completion(struct engine *en, u64 ns, struct err *e)
{
	return wait_completions(en, 1, ns, e);
}

/* ---- waits ---- */

/* Until the clock shows @target; completions are taken meanwhile. */
static int wait_until(struct engine *en, u64 target, struct err *e)
{
	u64 now = sys_now_ns(), wake, late;
	int ret;

	if (now < target) {
		ret = submit(en, e);
		if (ret)
			return ret;
	}
	while ((now = sys_now_ns()) < target) {
		if (target - now <= en->spin_ns) {
			/* what is linked behind a flush is submitted by such a call only */
			if (en->flushes)
				io_uring_get_events(&en->ring);
			continue;
		}
		wake = target - en->spin_ns;
		ret = wait_completion(en, wake - now, e);
		if (ret)
			return ret;
		now = sys_now_ns();
		if (now <= wake)
			continue; /* a completion ended it */
		late = now - wake;
		/* up at once, down slowly */
		en->spin_ns = MAX(late + late / 2, en->spin_ns - en->spin_ns / 64);
		en->spin_ns = MAX(SPIN_MIN_NS, MIN(SPIN_MAX_NS, en->spin_ns));
	}
	return 0;
}

/* Is the request still in flight?  Requests whose place was taken since have completed. */
static bool is_busy(const struct engine *en, u64 number)
{
	return en->next - number <= BLOCK_FLIGHT_MAX && en->busy[number % BLOCK_FLIGHT_MAX];
}

/*
 * All that must be over before @l may be submitted, for which it is time.
 * *@held_ns: how long that took.
 */
static int wait_for_others(struct engine *en, const struct block_line *l, u64 *held_ns,
			   struct err *e)
{
	u64 needs = l->preflush ? 2 : 1, from = 0;
	unsigned int n;
	bool full;
	int ret;

	*held_ns = 0;
	for (;;) {
		full = en->in_flight + needs > en->o->depth ||
		       en->busy[en->next % BLOCK_FLIGHT_MAX];
		if (!full && !en->punted)
			break;
		if (!from)
			from = sys_now_ns();
		/* several at once, so that as many are submitted in one call */
		n = full ? MIN(BATCH, (unsigned int)en->in_flight / 4 + 1) : 1;
		ret = wait_completions(en, n, NSEC_PER_SEC, e);
		if (ret)
			return ret;
	}
	if (from)
		*held_ns = sys_now_ns() - from;
	return 0;
}

static int wait_done(struct engine *en, u64 number, struct err *e)
{
	int ret = 0;

	while (!ret && is_busy(en, number))
		ret = wait_completion(en, NSEC_PER_SEC, e);
	return ret;
}

/* ---- submissions ---- */

static int get_sqe(struct engine *en, struct io_uring_sqe **sqe, struct err *e)
{
	int ret = 0;

	while (!ret && !(*sqe = io_uring_get_sqe(&en->ring)))
		ret = submit(en, e);
	en->unsubmitted++;
	en->in_flight++;
	return ret;
}

int engine_put_flush(struct engine *en, u64 user_data, unsigned int flags, struct err *e)
{
	struct io_uring_sqe *sqe;
	int ret = get_sqe(en, &sqe, e);

	if (ret)
		return ret;
	io_uring_prep_fsync(sqe, en->o->fd, 0);
	io_uring_sqe_set_flags(sqe, flags);
	sqe->user_data = user_data | IS_FLUSH;
	en->flushes++;
	en->s->fsyncs++;
	return 0;
}

/* Where the kernel has no such command: in this thread, which waits for it. */
static void discard_now(struct engine *en, const struct block_line *l)
{
	u64 range[2] = {l->sector << SECTOR_SHIFT, l->sectors << SECTOR_SHIFT};

	if (ioctl(en->o->fd, BLKDISCARD, range) && !en->s->failed++) {
		en->s->first_error = -errno;
		en->s->first_failed = en->next;
	}
}

int engine_put_discard(struct engine *en, const struct block_line *l, struct err *e)
{
	struct io_uring_sqe *sqe;
	int ret;

	if (en->no_uring_discard) {
		ret = submit(en, e);
		if (!ret)
			discard_now(en, l);
		en->busy[en->next % BLOCK_FLIGHT_MAX] = 0;
		return ret;
	}
	ret = get_sqe(en, &sqe, e);
	if (ret)
		return ret;
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->fd = en->o->fd;
	sqe->cmd_op = BLOCK_URING_CMD_DISCARD;
	sqe->addr = l->sector << SECTOR_SHIFT;
	sqe->addr3 = l->sectors << SECTOR_SHIFT;
	sqe->user_data = en->next;
	return 0;
}

static int put_data(struct engine *en, const struct block_line *l, struct err *e)
{
	unsigned int bytes = (unsigned int)(l->sectors << SECTOR_SHIFT);
	u64 offset = l->sector << SECTOR_SHIFT;
	struct io_uring_sqe *sqe;
	int ret = 0;

	if (l->preflush)
		ret = engine_put_flush(en, en->next | LINKED_FLUSH, IOSQE_IO_LINK, e);
	if (!ret)
		ret = get_sqe(en, &sqe, e);
	if (ret)
		return ret;
	if (l->op == BLOCK_READ)
		io_uring_prep_read_fixed(sqe, en->o->fd, en->buffers, bytes, offset, READ_BUFFER);
	else
		io_uring_prep_write_fixed(sqe, en->o->fd, en->buffers + en->buffer_size, bytes,
					  offset, WRITE_BUFFER);
	if (l->fua)
		sqe->rw_flags = RWF_DSYNC;
	sqe->user_data = en->next;
	en->expect[en->next % BLOCK_FLIGHT_MAX] = bytes;
	return 0;
}

static int put_zeroes(struct engine *en, const struct block_line *l, struct err *e)
{
	struct io_uring_sqe *sqe;
	int ret = get_sqe(en, &sqe, e);

	if (ret)
		return ret;
	io_uring_prep_fallocate(sqe, en->o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)(l->sector << SECTOR_SHIFT),
				(off_t)(l->sectors << SECTOR_SHIFT));
	sqe->user_data = en->next;
	return 0;
}

/* Puts the request into the ring; the caller submits. */
static int put(struct engine *en, const struct block_line *l, struct err *e)
{
	u32 slot = (u32)(en->next % BLOCK_FLIGHT_MAX);
	int ret;

	/* a kernel thread issues it */
	bool punt = l->preflush || l->op == BLOCK_FLUSH || l->op == BLOCK_WRITE_ZEROES;

	en->busy[slot] = 1;
	en->expect[slot] = 0;
	/* nor may it overtake what is submitted in the same call */
	ret = punt ? submit(en, e) : 0;
	if (ret)
		return ret;
	if (l->op == BLOCK_FLUSH)
		ret = engine_put_flush(en, en->next, 0, e);
	else if (l->op == BLOCK_DISCARD)
		ret = engine_put_discard(en, l, e);
	else if (l->op == BLOCK_WRITE_ZEROES)
		ret = put_zeroes(en, l, e);
	else
		ret = put_data(en, l, e);
	en->s->in_flight_max = MAX(en->s->in_flight_max, en->in_flight);
	if (!ret && punt) {
		en->punted = en->next + 1;
		ret = submit(en, e);
	}
	en->next++;
	return ret;
}

static u64 due(const struct engine *en, const struct block_line *l)
{
	if (en->o->speed <= 0)
		return 0;
	return en->s->start_ns + (u64)((double)l->ns / en->o->speed);
}

/* @begun: when its turn came, before it waited for anything. */
static void note_lateness(struct engine *en, u64 target, u64 begun, u64 held_ns, u64 now)
{
	struct block_engine_stats *s = en->s;
	u64 late = now > target ? now - target : 0;
	u64 inherited = begun > target ? MIN(begun - target, s->last_held_ns) : 0;

	if (en->o->speed <= 0)
		return;
	s->last_held_ns = MIN(inherited + held_ns, late);
	s->held += s->last_held_ns != 0;
	s->held_ns += held_ns;
	s->late_max_ns = MAX(s->late_max_ns, late);
	s->late_last_ns = (s64)(now - target);
}

int engine_drain(struct engine *en, struct err *e)
{
	int ret = 0;

	while (!ret && (en->in_flight || en->unsubmitted))
		ret = wait_completion(en, NSEC_PER_SEC, e);
	return ret;
}

static int play(struct engine *en, struct err *e)
{
	struct block_line l;
	u64 held = 0, awaited = 0, target, begun, now;
	int ret = 0;

	while (!ret && block_feed_next(en->feed, &l)) {
		if (l.op == BLOCK_DONE) {
			/* noted with the request that it holds */
			now = sys_now_ns();
			if (en->o->dependencies)
				ret = wait_done(en, l.request, e);
			awaited += sys_now_ns() - now;
			continue;
		}
		target = due(en, &l);
		now = sys_now_ns();
		/* what was awaited before its time has not made it late */
		awaited = now > target ? MIN(awaited, now - target) : 0;
		begun = now - awaited;
		if (now < target)
			ret = wait_until(en, target, e);
		if (!ret)
			ret = wait_for_others(en, &l, &held, e);
		if (!ret)
			ret = put(en, &l, e);
		/* alone, unless it is late already: then as many at once as there are */
		if (!ret && (en->unsubmitted >= BATCH || now < target))
			ret = submit(en, e);
		note_lateness(en, target, begun, held + awaited, sys_now_ns());
		awaited = 0;
		en->s->by_op[l.op]++;
		atomic_store_explicit(&en->s->issued, en->next, memory_order_relaxed);
	}
	return ret ? ret : engine_drain(en, e);
}

int block_engine_run(const struct block_engine_options *o, struct block_feed *feed,
		     struct block_engine_stats *s, int (*begin)(void *arg), void *arg,
		     struct err *e)
{
	struct engine *en = xcalloc(1, sizeof(*en));
	int ret;

	*en = (struct engine){.o = o, .s = s, .feed = feed, .spin_ns = 4 * SPIN_MIN_NS};
	ret = engine_setup(en, e);
	if (ret) {
		free(en);
		return ret;
	}
	ret = begin(arg);
	if (ret)
		err_errno(e, ret, "starting the trace");
	s->start_ns = sys_now_ns() + LEAD_NS;
	if (!ret)
		ret = play(en, e);
	s->elapsed_ns = sys_now_ns() - s->start_ns;
	io_uring_queue_exit(&en->ring);
	free(en);
	return ret;
}
