// SPDX-License-Identifier: GPL-2.0-only
#include "guest/block_feed.h"

#include <errno.h>
#include <sys/mman.h>

static void sem_take(sem_t *s)
{
	while (sem_wait(s) && errno == EINTR)
		;
}

static void fill(struct block_feed *f, struct block_batch *b)
{
	int ret = 1;

	for (b->n = 0; b->n < FEED_LINES && ret == 1; b->n += ret == 1)
		ret = block_plan_next(f->reader, f->plan, &f->cursor, &b->lines[b->n], &f->err);
	if (ret < 0)
		f->ret = ret;
	if (ret <= 0)
		atomic_store(&f->ended, true);
}

static void *feed_thread(void *arg)
{
	struct block_feed *f = arg;
	u32 i = 0;

	pthread_setname_np(pthread_self(), "plan");
	do {
		sem_take(&f->empty);
		if (atomic_load(&f->stop))
			break;
		fill(f, &f->batches[i]);
		i = (i + 1) % FEED_BATCHES;
		sem_post(&f->filled);
	} while (!atomic_load(&f->ended));
	/* one more, empty: the end */
	sem_take(&f->empty);
	f->batches[i].n = 0;
	sem_post(&f->filled);
	return NULL;
}

int block_feed_start(struct block_feed *f, struct plan_reader *reader,
		     const struct block_plan *plan, struct err *e)
{
	int value, ret;

	*f = (struct block_feed){.plan = plan, .reader = reader};
	f->batches = mmap(NULL, FEED_BATCHES * sizeof(*f->batches), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (f->batches == MAP_FAILED)
		return err_errno(e, -errno, "memory for the plan's lines");
	sem_init(&f->filled, 0, 0);
	sem_init(&f->empty, 0, FEED_BATCHES);
	ret = pthread_create(&f->thread, NULL, feed_thread, f);
	if (ret)
		return err_errno(e, -ret, "a thread for the plan");
	do {
		usleep(1000);
		sem_getvalue(&f->filled, &value);
	} while ((u32)value < FEED_BATCHES && !atomic_load(&f->ended));
	return 0;
}

bool block_feed_next(struct block_feed *f, struct block_line *l)
{
	struct block_batch *b = &f->batches[f->batch];

	if (f->over)
		return false;
	if (f->holding && f->line == b->n) {
		sem_post(&f->empty);
		f->holding = false;
		f->batch = (f->batch + 1) % FEED_BATCHES;
		b = &f->batches[f->batch];
	}
	if (!f->holding) {
		sem_take(&f->filled);
		f->holding = true;
		f->line = 0;
	}
	f->over = !b->n;
	if (!f->over)
		*l = b->lines[f->line++];
	return !f->over;
}

int block_feed_end(struct block_feed *f, struct err *e)
{
	if (!f->batches || f->batches == MAP_FAILED)
		return 0;
	atomic_store(&f->stop, true);
	/* it may wait for room: as often as it can */
	for (u32 i = 0; i < 2; i++)
		sem_post(&f->empty);
	pthread_join(f->thread, NULL);
	sem_destroy(&f->filled);
	sem_destroy(&f->empty);
	munmap(f->batches, FEED_BATCHES * sizeof(*f->batches));
	if (f->ret)
		*e = f->err;
	return f->ret;
}
