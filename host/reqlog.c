// SPDX-License-Identifier: GPL-2.0-only
#include "host/reqlog.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/fileio.h"

#define LINE_MAX_BYTES 4096
#define FLIGHT_MAX 65536 /* far above queues times queue size */

struct reqlog_request {
	u64 ptr;
	u64 pop_ns;
	u64 sector;
	u32 bytes;
	u32 category; /* BT_C_READ, BT_C_WRITE, BT_C_FLUSH; 0: not known yet */
	u32 in_num, out_num;
	s32 ret;
};

static void add(struct reqlog *l, const struct reqlog_request *r, u64 ns, u32 act, u32 category)
{
	if (l->n == l->size) {
		l->size = l->size ? 2 * l->size : 1024;
		l->records = xrealloc(l->records, l->size, sizeof(*l->records));
	}
	l->records[l->n++] = (struct bt_record){
		.time = ns,
		.sector = r->sector,
		.bytes = r->bytes,
		.action = BT_ACT(act, category | r->category),
		.error = act == BT_COMPLETE ? (u16)r->ret : 0,
	};
}

static struct reqlog_request *find(struct reqlog *l, u64 ptr)
{
	size_t i;

	/* the youngest first: a pop and its handle_* line are neighbours */
	for (i = l->n_flight; i-- > 0;)
		if (l->flight[i].ptr == ptr)
			return &l->flight[i];
	return NULL;
}

static struct reqlog_request *start(struct reqlog *l, u64 ptr)
{
	struct reqlog_request *r = find(l, ptr);

	if (!r) {
		if (l->n_flight == FLIGHT_MAX)
			return NULL;
		if (l->n_flight == l->flight_size) {
			l->flight_size = l->flight_size ? 2 * l->flight_size : 64;
			l->flight = xrealloc(l->flight, l->flight_size, sizeof(*l->flight));
		}
		r = &l->flight[l->n_flight++];
	}
	memset(r, 0, sizeof(*r));
	r->ptr = ptr;
	return r;
}

static void finish(struct reqlog *l, struct reqlog_request *r)
{
	*r = l->flight[--l->n_flight];
}

/* @at: just behind the event's name; all numbers are there, and nothing after them. */
static bool fields(const char *at, const char *fmt, u64 *ptr, s64 *a, s64 *b)
{
	int end = -1;

	sscanf(at, fmt, ptr, a, b, &end);
	return end >= 0 && !at[end];
}

static int on_pop(struct reqlog *l, u64 ns, const char *at)
{
	struct reqlog_request *r;
	s64 in, out;
	u64 ptr;

	if (!fields(at, " vq 0x%*x elem 0x%" SCNx64 " in_num %" SCNd64 " out_num %" SCNd64 "%n",
		    &ptr, &in, &out) ||
	    in < 0 || out < 0 || in > 65536 || out > 65536)
		return -EBADMSG;
	/* a block request has a header to read and a status to write; others are the port's */
	if (!in || !out)
		return 0;
	r = start(l, ptr);
	if (!r)
		return -EBADMSG;
	r->pop_ns = ns;
	r->in_num = (u32)in;
	r->out_num = (u32)out;
	return 0;
}

static int on_handle(struct reqlog *l, u64 ns, const char *at, u32 category)
{
	struct reqlog_request *r;
	s64 sector, nsectors;
	u64 ptr;

	if (!fields(at, " vdev 0x%*x req 0x%" SCNx64 " sector %" SCNd64 " nsectors %" SCNd64 "%n",
		    &ptr, &sector, &nsectors) ||
	    nsectors < 0 || nsectors > UINT32_MAX / SECTOR_SIZE)
		return -EBADMSG;
	r = find(l, ptr);
	if (!r) {
		r = start(l, ptr);
		if (!r)
			return -EBADMSG;
		r->pop_ns = ns;
	}
	r->sector = (u64)sector; /* the guest's own number, out of the disk or not */
	r->bytes = (u32)nsectors * SECTOR_SIZE;
	r->category = category;
	if (category == BT_C_READ)
		l->reads++;
	else
		l->writes++;
	add(l, r, r->pop_ns, BT_QUEUE, BT_C_QUEUE);
	add(l, r, ns, BT_ISSUE, BT_C_ISSUE | BT_C_FS);
	return 0;
}

static int on_rw_complete(struct reqlog *l, const char *at)
{
	struct reqlog_request *r;
	s64 ret, unused;
	int end = -1;
	u64 ptr;

	(void)unused;
	sscanf(at, " vdev 0x%*x req 0x%" SCNx64 " ret %" SCNd64 "%n", &ptr, &ret, &end);
	if (end < 0 || at[end])
		return -EBADMSG;
	r = find(l, ptr);
	if (r)
		r->ret = ret < 0 && ret >= -4095 ? (s32)ret : 0;
	return 0;
}

static int on_complete(struct reqlog *l, u64 ns, const char *at)
{
	struct reqlog_request *r;
	int end = -1;
	s64 status;
	u64 ptr;

	sscanf(at, " vdev 0x%*x req 0x%" SCNx64 " status %" SCNd64 "%n", &ptr, &status, &end);
	if (end < 0 || at[end])
		return -EBADMSG;
	r = find(l, ptr);
	if (!r) {
		l->no_handle++;
		return 0;
	}
	if (status && !r->ret)
		r->ret = -EIO;
	if (!r->category) {
		if (r->in_num != 1 || r->out_num != 1) {
			l->others++;
			finish(l, r);
			return 0;
		}
		l->flushes++;
		r->category = BT_C_FLUSH;
		add(l, r, r->pop_ns, BT_QUEUE, BT_C_QUEUE);
		add(l, r, r->pop_ns, BT_ISSUE, BT_C_ISSUE | BT_C_FS);
	}
	if (r->ret)
		l->failed++;
	add(l, r, ns, BT_COMPLETE, BT_C_COMPLETE | BT_C_FS);
	finish(l, r);
	return 0;
}

/*
 * Is the line about another device than the log?  Its request, known from
 * virtqueue_pop, is forgotten.
 */
static bool is_foreign(struct reqlog *l, const char *event)
{
	const char *at = str_after(event, "virtio_blk_");
	struct reqlog_request *r;
	u64 vdev, ptr;

	at = at ? strchr(at, ' ') : NULL;
	if (!at || sscanf(at, " vdev 0x%" SCNx64 " req 0x%" SCNx64, &vdev, &ptr) != 2)
		return false;
	if (!l->vdev)
		l->vdev = vdev;
	if (vdev == l->vdev)
		return false;
	l->foreign++;
	r = find(l, ptr);
	if (r)
		finish(l, r);
	return true;
}

static int dispatch(struct reqlog *l, u64 ns, const char *event)
{
	const char *at;

	if (is_foreign(l, event))
		return 0;
	at = str_after(event, "virtqueue_pop ");
	if (at)
		return on_pop(l, ns, at - 1);
	at = str_after(event, "virtio_blk_handle_read ");
	if (at)
		return on_handle(l, ns, at - 1, BT_C_READ);
	at = str_after(event, "virtio_blk_handle_write ");
	if (at)
		return on_handle(l, ns, at - 1, BT_C_WRITE);
	at = str_after(event, "virtio_blk_rw_complete ");
	if (at)
		return on_rw_complete(l, at - 1);
	at = str_after(event, "virtio_blk_req_complete ");
	if (at)
		return on_complete(l, ns, at - 1);
	l->ignored++;
	return 0;
}

int reqlog_line(struct reqlog *l, const char *line, u64 number, struct err *e)
{
	u64 sec, usec;
	int end = -1;
	u32 pid;

	if (sscanf(line, "%" SCNu32 "@%" SCNu64 ".%6" SCNu64 ":%n", &pid, &sec, &usec, &end) < 3 ||
	    end < 0 || sec > UINT32_MAX) {
		/* QEMU's own messages go to the same file */
		if (!strstr(line, "virtio_blk_") && !strstr(line, "virtqueue_")) {
			l->ignored++;
			return 0;
		}
		return err_set(e, -EBADMSG, "request log, line %llu: no pid@seconds.us: '%.60s'",
			       (unsigned long long)number, line);
	}
	l->pid = pid;
	if (dispatch(l, sec * NSEC_PER_SEC + usec * 1000, line + end))
		return err_set(e, -EBADMSG, "request log, line %llu: can't be parsed: '%.120s'",
			       (unsigned long long)number, line);
	return 0;
}

int reqlog_read(struct reqlog *l, const char *path, struct err *e)
{
	FILE *f __cleanup_fclose = fopen(path, "re");
	char line[LINE_MAX_BYTES];
	u64 number = 0;
	size_t len;
	int ret;

	if (!f)
		return err_errno(e, -errno, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		number++;
		len = strlen(line);
		if (!len || line[len - 1] != '\n')
			return err_set(e, -EBADMSG, "request log, line %llu: cut off",
				       (unsigned long long)number);
		line[len - 1] = '\0';
		ret = reqlog_line(l, line, number, e);
		if (ret)
			return ret;
	}
	if (ferror(f))
		return err_errno(e, -EIO, "%s", path);
	return 0;
}

/* By time; records of one time stay in the log's order (sequence holds it). */
static int by_time(const void *a, const void *b)
{
	const struct bt_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : 1;
}

static int record_write(FILE *f, struct bt_record r, const void *pdu, u16 len)
{
	r.magic = htole32(BT_MAGIC | BT_VERSION);
	r.sequence = htole32(r.sequence);
	r.time = htole64(r.time);
	r.sector = htole64(r.sector);
	r.bytes = htole32(r.bytes);
	r.action = htole32(r.action);
	r.pid = htole32(r.pid);
	r.device = htole32(r.device);
	r.cpu = htole32(r.cpu);
	r.error = htole16(r.error);
	r.pdu_len = htole16(len);
	if (fwrite(&r, sizeof(r), 1, f) != 1 || (len && fwrite(pdu, len, 1, f) != 1))
		return -errno;
	return 0;
}

static int records_write(struct reqlog *l, FILE *f, u32 dev)
{
	static const char name[16] = "qemu";
	u32 clock[2] = {htole32((u32)(l->start_ns / NSEC_PER_SEC)),
			htole32((u32)(l->start_ns % NSEC_PER_SEC))};
	struct bt_record notify = {.action = BT_ACT(BT_N_TIMESTAMP, BT_C_NOTIFY), .device = dev};
	u32 sequence = 0;
	size_t i;
	int ret;

	/* as from the kernel, notifications are not part of the sequence of events */
	ret = record_write(f, notify, clock, sizeof(clock));
	notify.action = BT_ACT(BT_N_PROCESS, BT_C_NOTIFY);
	notify.pid = l->pid;
	if (!ret)
		ret = record_write(f, notify, name, sizeof(name));
	for (i = 0; i < l->n && !ret; i++) {
		struct bt_record r = l->records[i];

		r.sequence = ++sequence;
		r.time -= l->start_ns;
		r.pid = l->pid;
		r.device = dev;
		ret = record_write(f, r, NULL, 0);
	}
	return ret;
}

int reqlog_write(struct reqlog *l, const char *path, u32 dev, struct err *e)
{
	FILE *f;
	size_t i;
	int ret;

	if (l->n > UINT32_MAX - 2)
		return err_set(e, -EFBIG, "%s: more than 2^32 records", path);
	for (i = 0; i < l->n; i++)
		l->records[i].sequence = (u32)i;
	if (l->n)
		qsort(l->records, l->n, sizeof(*l->records), by_time);
	l->start_ns = l->n ? l->records[0].time : 0;
	f = fopen(path, "we");
	if (!f)
		return err_errno(e, -errno, "%s", path);
	ret = records_write(l, f, dev);
	if (fclose(f) && !ret)
		ret = -errno;
	if (ret)
		return err_errno(e, ret, "%s: cannot be written", path);
	return 0;
}

void reqlog_free(struct reqlog *l)
{
	free(l->records);
	free(l->flight);
	memset(l, 0, sizeof(*l));
}
