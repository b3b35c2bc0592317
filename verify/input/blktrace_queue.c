// SPDX-License-Identifier: GPL-2.0-only
/* Block trace records in order of time, their numbers, and the events they become. */
#include <string.h>

#include "verify/input/blktrace.h"

#define COUNTERS_MAX (1u << 20)

/* ---- order of time ---- */

static bool earlier(const struct blk_record *a, const struct blk_record *b)
{
	return a->time < b->time || (a->time == b->time && a->off < b->off);
}

struct blk_record *blk_queue_head(const struct blk_queue *q)
{
	struct blk_record *f = q->n_fifo ? &q->fifo[q->fifo_head] : NULL;
	struct blk_record *h = q->n_heap ? &q->heap[0] : NULL;

	if (!f || !h)
		return f ? f : h;
	return earlier(h, f) ? h : f;
}

static void heap_push(struct blk_queue *q, const struct blk_record *r)
{
	u32 i, parent;

	if (q->n_heap == q->heap_size) {
		q->heap_size = q->heap_size ? q->heap_size * 2 : 64;
		q->heap = xrealloc(q->heap, q->heap_size, sizeof(*q->heap));
	}
	for (i = q->n_heap++; i; i = parent) {
		parent = (i - 1) / 2;
		if (!earlier(r, &q->heap[parent]))
			break;
		q->heap[i] = q->heap[parent];
	}
	q->heap[i] = *r;
}

static void heap_pop(struct blk_queue *q)
{
	struct blk_record moving = q->heap[--q->n_heap];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < q->n_heap) {
		if (child + 1 < q->n_heap && earlier(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!earlier(&q->heap[child], &moving))
			break;
		q->heap[i] = q->heap[child];
		i = child;
	}
	q->heap[i] = moving;
}

static void grow_fifo(struct blk_queue *q)
{
	u32 size = q->fifo_size ? q->fifo_size * 2 : 256;
	struct blk_record *bigger = xcalloc(size, sizeof(*bigger));

	for (u32 i = 0; i < q->n_fifo; i++)
		bigger[i] = q->fifo[(q->fifo_head + i) & (q->fifo_size - 1)];
	free(q->fifo);
	q->fifo = bigger;
	q->fifo_size = size;
	q->fifo_head = 0;
}

void blk_queue_push(struct blk_queue *q, const struct blk_record *r)
{
	u32 tail;

	q->n++;
	if (q->n_fifo) {
		tail = (q->fifo_head + q->n_fifo - 1) & (q->fifo_size - 1);
		if (earlier(r, &q->fifo[tail])) {
			heap_push(q, r);
			return;
		}
	}
	if (q->n_fifo == q->fifo_size)
		grow_fifo(q);
	q->fifo[(q->fifo_head + q->n_fifo) & (q->fifo_size - 1)] = *r;
	q->n_fifo++;
}

void blk_queue_pop(struct blk_queue *q)
{
	q->n--;
	if (q->n_heap && blk_queue_head(q) == &q->heap[0]) {
		heap_pop(q);
		return;
	}
	q->fifo_head = (q->fifo_head + 1) & (q->fifo_size - 1);
	q->n_fifo--;
}

void blk_queue_free(struct blk_queue *q)
{
	free(q->fifo);
	free(q->heap);
	memset(q, 0, sizeof(*q));
}

/* ---- numbers ---- */

struct blk_counter {
	u32 device, cpu, file; /* file + 1; 0: unused */
	u32 sequence;
	u64 time;
};

static struct blk_counter *find(const struct blk_counters *c, u32 file, u32 device, u32 cpu)
{
	u64 key = ((u64)device << 32 ^ (u64)cpu << 13 ^ file) * 0x9e3779b97f4a7c15ull;
	struct blk_counter *k;

	for (u32 i = (u32)(key >> 32);; i++) {
		k = &c->counter[i & (c->size - 1)];
		if (!k->file || (k->file == file + 1 && k->device == device && k->cpu == cpu))
			return k;
	}
}

static void grow_counters(struct blk_counters *c)
{
	struct blk_counters old = *c;

	c->size = old.size ? old.size * 2 : 64;
	c->counter = xcalloc(c->size, sizeof(*c->counter));
	for (u32 i = 0; i < old.size; i++) {
		const struct blk_counter *k = &old.counter[i];

		if (k->file)
			*find(c, k->file - 1, k->device, k->cpu) = *k;
	}
	free(old.counter);
}

bool blk_count(struct blk_counters *c, u32 file, struct blk_record *r)
{
	bool note = BLK_CATEGORY(r->action) & BLK_TC_NOTIFY;
	struct blk_counter *k;

	/* notes have no number, or in old kernels what was in memory before */
	if (note && !r->sequence)
		return true;
	if (2 * c->n >= c->size) {
		if (c->size == COUNTERS_MAX)
			return false;
		grow_counters(c);
	}
	k = find(c, file, r->device, r->cpu);
	if (note && r->sequence != k->sequence + 1)
		return true; /* but a writer other than the kernel may count them as well */
	if (!k->file) {
		*k = (struct blk_counter){.file = file + 1, .device = r->device, .cpu = r->cpu};
		c->n++;
	}
	if (r->sequence != k->sequence + 1) {
		r->lost = true;
		r->lost_from = k->time;
		/* a number that falls says that something is missing, not how much */
		r->lost_count = r->sequence > k->sequence ? r->sequence - k->sequence - 1 : 0;
	}
	k->sequence = r->sequence;
	k->time = r->time;
	return true;
}

void blk_counters_free(struct blk_counters *c)
{
	free(c->counter);
	memset(c, 0, sizeof(*c));
}

/* ---- events ---- */

static void blk_event(const struct blk_record *r, struct event *ev)
{
	*ev = (struct event){.ts = r->time,
			     .pid = (s32)r->pid,
			     .cpu = (u16)r->cpu,
			     .type = (u8)blk_event_type(r->action),
			     .dev = r->device};
	ev->sector = r->sector;
	ev->rq.bytes = r->bytes;
	ev->rq.flags = blk_flags(r->action);
	/* the kernel stores a negative errno in 16 bits; old ones a positive */
	ev->rq.error = (int16_t)r->error > 0 ? -(s32)r->error : (int16_t)r->error;
	ev->rq.sequence = r->sequence;
}

static void blk_lost(struct blk_record *r, struct event *ev)
{
	*ev = (struct event){
		.type = EV_LOST, .ts = r->time, .cpu = (u16)r->cpu, .dev = r->device, .pid = -1};
	ev->lost.from = r->lost_from;
	ev->lost.count = r->lost_count;
	r->lost = false;
}

int blk_emit(struct trace *t, const struct infile *f, struct blk_record *r, const char *what,
	     u32 read_ahead, u64 *last_time, bool *consumed, struct event *ev, struct err *e)
{
	if (r->time < *last_time)
		return damage_at(f, r->off, e,
				 "expected a %s that is at most %u %ss away from its place in time",
				 what, read_ahead, what);
	if (r->lost) {
		blk_lost(r, ev);
		return 1;
	}
	blk_event(r, ev);
	ev->seq = ++t->seq;
	*last_time = r->time;
	*consumed = true;
	return 1;
}
