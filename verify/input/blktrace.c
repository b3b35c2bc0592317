// SPDX-License-Identifier: GPL-2.0-only
/*
 * blktrace's binary files: records of version 7 (struct blk_io_trace) or 8
 * (struct blk_io_trace2), either byte order, one file per CPU.
 *
 *	v7, 48 bytes                       v8, 64 bytes
 *	 0 u32 magic 0x656174 << 8 | 7      0 u32 magic 0x656174 << 8 | 8
 *	 4 u32 sequence                     4 u32 sequence
 *	 8 u64 time, ns                     8 u64 time, ns
 *	16 u64 sector                      16 u64 sector
 *	24 u32 bytes                       24 u32 bytes
 *	28 u32 action                      28 u32 pid
 *	32 u32 pid                         32 u64 action
 *	36 u32 device                      40 u32 device
 *	40 u32 cpu                         44 u32 cpu
 *	44 u16 error                       48 u16 error
 *	46 u16 pdu_len                     50 u16 pdu_len, then 12 bytes of padding
 *
 * pdu_len bytes follow; with bit 8 of the action they begin with a cgroup's
 * id of 8 bytes.  The lower 16 bits of action say what happened, the upper
 * ones are categories.  Notes (category NOTIFY) have the sequence 0 and are
 * not events: PROCESS names a pid, TIMESTAMP the wall clock; only MESSAGE is
 * something that happened, and blkparse counts it.
 *
 * The kernel numbers the records of each device on each CPU from 1 and counts
 * those that it had to drop as well, so that every gap is a loss.  Whether a
 * file was cut between two records, nothing in it tells.
 *
 * Each CPU's records are in order of time, but a file may hold those of
 * several CPUs in pieces (blktrace to a pipe or over the net).  So records
 * are read ahead and sorted; a file that would need more than that is damage.
 */
#include "verify/input/blktrace.h"

#include <errno.h>
#include <string.h>

#define READ_AHEAD_TOTAL (512u << 10) /* records, all files together: at most 90 MiB */
#define READ_AHEAD_MAX (64u << 10)    /* of one file */

struct blktrace {
	struct blk_file *file;
	u32 n_files, read_ahead;
	u32 *heap; /* files, by the time of their next record */
	u32 n_heap;
	struct blk_counters counters;
	bool started, refill;
	u64 last_time;
};

static bool blktrace_probe(const u8 *head, size_t len)
{
	u32 magic = len >= 4 ? load32(head, false) : 0;

	return (magic & 0xffffff00u) == 0x65617400u ||
	       (swap32(magic, true) & 0xffffff00u) == 0x65617400u;
}

/* Not a note, or one that says something about the device. */
static bool is_event(const struct blk_record *r)
{
	return !(BLK_CATEGORY(r->action) & BLK_TC_NOTIFY) || BLK_ACT(r->action) == BLK_NOTE_MESSAGE;
}

/* ---- open: every record's header is looked at once ---- */

static int scan_file(struct trace *t, struct blk_file *bf, struct err *e)
{
	struct blk_record r;
	const u8 *pdu;
	int len;

	for (bf->end = 0; bf->end < bf->f.size; bf->end += (u64)len) {
		len = blk_read_record(bf, bf->end, &r, &pdu, e);
		if (len < 0)
			return trace_damaged(t, len, e);
		if (is_event(&r))
			t->info.event_types |= 1ull << blk_event_type(r.action);
		t->info.cpus = MAX(t->info.cpus, r.cpu + 1);
	}
	return 0;
}

static int blktrace_open(struct trace *t, struct err *e)
{
	struct blktrace *b = xcalloc(1, sizeof(*b));
	char **names;
	unsigned int n;
	bool any = false;
	int ret;

	t->priv = b;
	ret = blk_find_files(t->path, &names, &n, e);
	b->file = xcalloc(n, sizeof(*b->file));
	b->n_files = n;
	for (u32 i = 0; i < n; i++) {
		b->file[i].path = names[i];
		b->file[i].f.fd = -1;
	}
	free(names);
	for (u32 i = 0; i < n && !ret; i++) {
		ret = infile_open(&b->file[i].f, b->file[i].path, e);
		if (!ret)
			ret = scan_file(t, &b->file[i], e);
		any |= b->file[i].f.size != 0;
	}
	if (!ret && !any) /* a CPU without records is fine, a set without is not */
		ret = err_set(e, -EINVAL, "%s: at byte 0: expected blktrace records, %s empty",
			      t->path, n == 1 ? "the file is" : "all files are");
	if (ret)
		return ret;
	b->read_ahead = MAX(256u, MIN(READ_AHEAD_MAX, READ_AHEAD_TOTAL / n));
	t->info.kind = KIND_BLKTRACE;
	t->info.clock = "mono";
	snprintf(t->format, sizeof(t->format), "blktrace v%d%s", b->file[0].v8 ? 8 : 7,
		 b->file[0].swap == HOST_BIG_ENDIAN ? "" : " big-endian");
	return 0;
}

/* ---- order of time ---- */

static void note(struct trace *t, const struct blk_record *r, const u8 *pdu)
{
	u32 skip = r->action & BLK_CGROUP ? 8 : 0;

	if (BLK_ACT(r->action) == BLK_NOTE_PROCESS && pdu && r->pdu_len > skip)
		comms_set(&t->comms, (s32)r->pid, (const char *)pdu + skip, r->pdu_len - skip);
}

static int refill(struct trace *t, struct blk_file *bf, struct err *e)
{
	struct blktrace *b = t->priv;
	struct blk_record r;
	const u8 *pdu;
	int len;

	while (bf->pos < bf->end && bf->queue.n < b->read_ahead) {
		len = blk_read_record(bf, bf->pos, &r, &pdu, e);
		if (!len || len < 0)
			return len;
		if (!blk_count(&b->counters, (u32)(bf - b->file), &r))
			return damage_at(&bf->f, bf->pos, e,
					 "expected records of fewer devices and CPUs");
		bf->pos += (u64)len;
		if (is_event(&r))
			blk_queue_push(&bf->queue, &r);
		else
			note(t, &r, pdu);
	}
	return 0;
}

static bool file_before(const struct blktrace *b, u32 x, u32 y)
{
	const struct blk_record *a = blk_queue_head(&b->file[x].queue),
				*c = blk_queue_head(&b->file[y].queue);

	return a->time < c->time || (a->time == c->time && x < y);
}

static void sift_down(struct blktrace *b, u32 i)
{
	u32 child, moving = b->heap[i];

	while ((child = 2 * i + 1) < b->n_heap) {
		if (child + 1 < b->n_heap && file_before(b, b->heap[child + 1], b->heap[child]))
			child++;
		if (file_before(b, moving, b->heap[child]))
			break;
		b->heap[i] = b->heap[child];
		i = child;
	}
	b->heap[i] = moving;
}

static int start(struct trace *t, struct err *e)
{
	struct blktrace *b = t->priv;
	int ret;

	b->started = true;
	b->heap = xcalloc(b->n_files, sizeof(*b->heap));
	for (u32 i = 0; i < b->n_files; i++) {
		ret = refill(t, &b->file[i], e);
		if (ret < 0)
			return ret;
		if (blk_queue_head(&b->file[i].queue))
			b->heap[b->n_heap++] = i;
	}
	for (u32 i = b->n_heap / 2; i-- > 0;)
		sift_down(b, i);
	return 0;
}

/* Drops the record that was given last and reads on in its file. */
static int consume(struct trace *t, struct err *e)
{
	struct blktrace *b = t->priv;
	struct blk_file *bf = &b->file[b->heap[0]];
	int ret;

	b->refill = false;
	blk_queue_pop(&bf->queue);
	ret = refill(t, bf, e);
	if (ret < 0)
		return ret;
	if (!blk_queue_head(&bf->queue))
		b->heap[0] = b->heap[--b->n_heap];
	if (b->n_heap)
		sift_down(b, 0);
	return 0;
}

static int blktrace_next(struct trace *t, struct event *ev, struct err *e)
{
	struct blktrace *b = t->priv;
	struct blk_record *r;
	struct blk_file *bf;
	int ret = 0;

	if (!b->started)
		ret = start(t, e);
	else if (b->refill)
		ret = consume(t, e);
	if (ret)
		return ret;
	if (!b->n_heap)
		return 0;
	bf = &b->file[b->heap[0]];
	r = blk_queue_head(&bf->queue);
	return blk_emit(t, &bf->f, r, "record", b->read_ahead, &b->last_time, &b->refill, ev, e);
}

static void blktrace_close(struct trace *t)
{
	struct blktrace *b = t->priv;

	if (!b)
		return;
	for (u32 i = 0; i < b->n_files; i++) {
		infile_close(&b->file[i].f);
		free(b->file[i].path);
		free(b->file[i].win);
		blk_queue_free(&b->file[i].queue);
	}
	free(b->file);
	free(b->heap);
	blk_counters_free(&b->counters);
	free(b);
}

const struct reader reader_blktrace = {
	.name = "blktrace",
	.probe = blktrace_probe,
	.open = blktrace_open,
	.next = blktrace_next,
	.close = blktrace_close,
};
