// SPDX-License-Identifier: GPL-2.0-only
/* From the plan's one sequence of records to a queue for each task. */
#include <errno.h>
#include <string.h>

#include "guest/replay.h"

static struct chunk *take_chunk(struct queues *qs)
{
	struct chunk *c = NULL;

	pthread_mutex_lock(&qs->lock);
	if (qs->free) {
		c = qs->free;
		qs->free = c->next;
	} else if (qs->chunks < qs->limit) {
		qs->chunks++;
		c = xmalloc(sizeof(*c));
		/* resident before the phase begins: what faults later is not the workload */
		memset(c, 0, sizeof(*c));
	}
	pthread_mutex_unlock(&qs->lock);
	if (c) {
		atomic_store(&c->next, NULL);
		atomic_store(&c->n, 0);
	}
	return c;
}

static void give_chunk(struct queues *qs, struct chunk *c)
{
	pthread_mutex_lock(&qs->lock);
	atomic_store(&c->next, qs->free);
	qs->free = c;
	pthread_cond_signal(&qs->freed);
	pthread_mutex_unlock(&qs->lock);
}

static void wake_tasks(struct queues *qs)
{
	if (!atomic_load(&qs->waiting))
		return;
	pthread_mutex_lock(&qs->lock);
	pthread_cond_broadcast(&qs->filled);
	pthread_mutex_unlock(&qs->lock);
}

/* Room for one more record of @q; NULL: all chunks are in use. */
static struct record *room(struct queues *qs, struct queue *q)
{
	struct chunk *c = q->tail;

	if (!c || atomic_load(&c->n) == CHUNK_RECORDS) {
		c = take_chunk(qs);
		if (!c)
			return NULL;
		if (q->tail)
			atomic_store(&q->tail->next, c);
		else
			atomic_store(&q->first, c);
		q->tail = c;
	}
	return &c->r[atomic_load(&c->n)];
}

/*
 * The record before it, which may be marked as part of a run as long as its chunk
 * is the last: a task gives no chunk back that has no successor.
 */
static struct record *previous(struct queue *q)
{
	unsigned int n = q->tail ? atomic_load(&q->tail->n) : 0;

	return n ? &q->tail->r[n - 1] : NULL;
}

static bool put(struct queues *qs, const struct access *a, u64 page)
{
	struct queue *q = &qs->q[a->task];
	struct record *before = previous(q), *r;
	bool run = before && a->op == ACCESS_TOUCH && before->op == ACCESS_TOUCH &&
		   before->file == a->file && before->offset + before->length == a->offset;

	if (run)
		__atomic_store_n(&before->run, 1, __ATOMIC_RELAXED);
	r = room(qs, q);
	if (!r)
		return false;
	r->ns = a->ns;
	r->offset = a->offset;
	r->length = a->length;
	r->file = a->file;
	r->at = a->at == ACCESS_AT_UNKNOWN ? AT_UNKNOWN : (u32)((a->at - a->offset) / page);
	r->seq = q->put++;
	r->op = (u8)a->op;
	__atomic_store_n(&r->run, run, __ATOMIC_RELAXED);
	atomic_fetch_add(&q->tail->n, 1);
	qs->records++;
	qs->bytes += a->op < ACCESS_STREAM ? a->length : 0;
	return true;
}

/* Until the phase's end (true) or until all chunks are in use, then @a waits for one. */
static bool load(struct queues *qs, struct access *a, bool *have)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);
	struct replay *r = qs->replay;
	u32 phase = qs->phase;

	while (!atomic_load(&qs->stopped)) {
		if (!*have) {
			int ret = access_plan_next(&r->reader, &r->plan, &phase, a, &qs->err);

			if (ret == 2) {
				r->at_phase = phase;
				break;
			}
			r->ended = ret <= 0;
			if (ret < 0)
				qs->error = ret;
			if (ret <= 0)
				break;
			if (a->task >= qs->n) {
				qs->error =
					plan_bad(&r->reader, &qs->err,
						 "task %u, and the phase has %u", a->task, qs->n);
				break;
			}
		}
		*have = !put(qs, a, page);
		if (*have)
			return false;
		wake_tasks(qs);
	}
	atomic_store(&qs->ended, true);
	wake_tasks(qs);
	return true;
}

struct loader {
	struct queues *qs;
	struct access a;
};

static void *loader_thread(void *arg)
{
	struct loader *l = arg;
	struct queues *qs = l->qs;
	bool have = true;

	while (!load(qs, &l->a, &have)) {
		pthread_mutex_lock(&qs->lock);
		while (!qs->free && !atomic_load(&qs->stopped))
			pthread_cond_wait(&qs->freed, &qs->lock);
		pthread_mutex_unlock(&qs->lock);
	}
	free(l);
	return NULL;
}

static int go_to_phase(struct replay *r, const char *name, u32 *phase, struct err *e)
{
	struct access a;
	int ret = 1;

	while (ret > 0 && !r->ended) {
		if (r->at_phase < r->plan.n_phases &&
		    !strcmp(r->plan.phases[r->at_phase].name, name)) {
			*phase = r->at_phase;
			return 0;
		}
		do {
			ret = access_plan_next(&r->reader, &r->plan, &r->at_phase, &a, e);
		} while (ret == 1);
		r->ended = ret <= 0;
	}
	return ret < 0 ? ret
		       : err_set(e, -EINVAL, "the plan has no phase %s, or has it further up",
				 name);
}

int queues_open(struct queues *qs, struct replay *r, const char *name, u32 tasks, u32 limit,
		struct err *e)
{
	struct loader *l;
	bool have = false;
	int ret;

	*qs = (struct queues){.replay = r, .n = tasks, .limit = limit + 2 * tasks};
	pthread_mutex_init(&qs->lock, NULL);
	pthread_cond_init(&qs->freed, NULL);
	pthread_cond_init(&qs->filled, NULL);
	qs->q = xcalloc(tasks, sizeof(*qs->q));
	ret = go_to_phase(r, name, &qs->phase, e);
	if (ret)
		return ret;
	l = xcalloc(1, sizeof(*l));
	l->qs = qs;
	if (load(qs, &l->a, &have)) {
		free(l);
		if (qs->error)
			*e = qs->err;
		return qs->error;
	}
	ret = pthread_create(&qs->thread, NULL, loader_thread, l);
	if (ret)
		return err_errno(e, -ret, "the plan's loader");
	qs->threaded = true;
	return 0;
}

/* Makes q->head a chunk with a record to take; false if there is none now. */
static bool ready(struct queues *qs, struct queue *q)
{
	struct chunk *next;

	if (!q->head)
		q->head = atomic_load(&q->first);
	if (q->head && q->taken == CHUNK_RECORDS) {
		next = atomic_load(&q->head->next);
		if (!next)
			return false;
		give_chunk(qs, q->head);
		q->head = next;
		q->taken = 0;
	}
	return q->head && q->taken < atomic_load(&q->head->n);
}

bool queues_take(struct queues *qs, u32 i, struct record *r)
{
	struct queue *q = &qs->q[i];
	bool ended;

	while (!ready(qs, q)) {
		/* what was put before the end was said is there by now */
		ended = atomic_load(&qs->ended);
		if (ready(qs, q))
			break;
		if (ended)
			return false;
		pthread_mutex_lock(&qs->lock);
		atomic_fetch_add(&qs->waiting, 1);
		/* the loader looks for who waits after it has put a record */
		if (!(q->head && q->taken < atomic_load(&q->head->n)) && !atomic_load(&qs->ended) &&
		    !(q->head ? atomic_load(&q->head->next) && q->taken == CHUNK_RECORDS
			      : atomic_load(&q->first) != NULL))
			pthread_cond_wait(&qs->filled, &qs->lock);
		atomic_fetch_sub(&qs->waiting, 1);
		pthread_mutex_unlock(&qs->lock);
	}
	*r = q->head->r[q->taken];
	r->run = __atomic_load_n(&q->head->r[q->taken++].run, __ATOMIC_RELAXED);
	return true;
}

static void free_list(struct chunk *c)
{
	struct chunk *next;

	for (; c; c = next) {
		next = atomic_load(&c->next);
		free(c);
	}
}

int queues_close(struct queues *qs, struct err *e)
{
	if (qs->threaded) {
		pthread_mutex_lock(&qs->lock);
		atomic_store(&qs->stopped, true);
		pthread_cond_signal(&qs->freed);
		pthread_mutex_unlock(&qs->lock);
		pthread_join(qs->thread, NULL);
	}
	free_list(qs->free);
	for (u32 i = 0; i < qs->n; i++)
		free_list(qs->q[i].head ? qs->q[i].head : atomic_load(&qs->q[i].first));
	free(qs->q);
	pthread_mutex_destroy(&qs->lock);
	pthread_cond_destroy(&qs->freed);
	pthread_cond_destroy(&qs->filled);
	if (qs->error)
		*e = qs->err;
	return qs->error;
}
