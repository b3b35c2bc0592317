// SPDX-License-Identifier: GPL-2.0-only
/* One record of blktrace; include/uapi/linux/blktrace_api.h defines the layout. */
#include <errno.h>
#include <string.h>

#include "verify/input/blktrace.h"

#define MAGIC 0x65617400u
#define V7_SIZE 48u
#define V8_SIZE 64u
#define WINDOW (128u << 10) /* more than the largest record: 64 bytes and a pdu below 64 KiB */

/* Makes [off, off + len) available; len is below WINDOW. */
static const u8 *window(struct blk_file *bf, u64 off, u32 len, struct err *e)
{
	size_t n;

	if (off >= bf->win_off && range_ok(off - bf->win_off, len, bf->win_len))
		return bf->win + (off - bf->win_off);
	if (!bf->win) {
		bf->win_size = (size_t)MIN((u64)WINDOW, bf->f.size);
		bf->win = xmalloc(bf->win_size);
	}
	bf->win_len = 0;
	n = (size_t)MIN((u64)bf->win_size, bf->f.size - off);
	if (infile_read(&bf->f, off, bf->win, n, "blktrace records", e))
		return NULL;
	bf->win_off = off;
	bf->win_len = n;
	return bf->win;
}

static int record_damage(const struct blk_file *bf, u64 off, u32 want, const char *what,
			 struct err *e)
{
	return damage_at(&bf->f, off, e,
			 "expected %u bytes of a record%s, the file ends at byte %ju (truncated?)",
			 want, what, (uintmax_t)bf->f.size);
}

int blk_read_record(struct blk_file *bf, u64 off, struct blk_record *r, const u8 **pdu,
		    struct err *e)
{
	u32 magic, size;
	const u8 *p;
	bool swap;

	if (!range_ok(off, V7_SIZE, bf->f.size))
		return record_damage(bf, off, V7_SIZE, "", e);
	p = window(bf, off, V7_SIZE, e);
	if (!p)
		return -EBADMSG;
	magic = load32(p, false);
	swap = (magic & 0xffffff00u) != MAGIC;
	magic = swap32(magic, swap);
	if ((magic & 0xffffff00u) != MAGIC)
		return damage_at(&bf->f, off, e, "expected a record's magic 0x%x, found 0x%x",
				 MAGIC >> 8, load32(p, false));
	if (off && swap != bf->swap)
		return damage_at(&bf->f, off, e, "expected a record of the file's byte order");
	bf->swap = swap;
	magic &= 0xff;
	if (magic != 7 && magic != 8)
		return damage_at(&bf->f, off, e, "expected a record of version 7 or 8, found %u",
				 magic);
	bf->v8 |= magic == 8;
	size = magic == 8 ? V8_SIZE : V7_SIZE;
	if (!range_ok(off, size, bf->f.size))
		return record_damage(bf, off, size, "", e);
	p = window(bf, off, size, e);
	if (!p)
		return -EBADMSG;
	*r = (struct blk_record){.off = off,
				 .sequence = load32(p + 4, swap),
				 .time = load64(p + 8, swap),
				 .sector = load64(p + 16, swap),
				 .bytes = load32(p + 24, swap)};
	if (magic == 8) {
		r->pid = load32(p + 28, swap);
		r->action = load64(p + 32, swap);
		r->device = load32(p + 40, swap);
		r->cpu = load32(p + 44, swap);
		r->error = load16(p + 48, swap);
		r->pdu_len = load16(p + 50, swap);
	} else {
		r->action = load32(p + 28, swap);
		r->pid = load32(p + 32, swap);
		r->device = load32(p + 36, swap);
		r->cpu = load32(p + 40, swap);
		r->error = load16(p + 44, swap);
		r->pdu_len = load16(p + 46, swap);
	}
	if (r->cpu >= BLK_CPUS_MAX)
		return damage_at(&bf->f, off, e, "expected a record of a CPU below %u, found %u",
				 BLK_CPUS_MAX, r->cpu);
	if (!range_ok(off + size, r->pdu_len, bf->f.size))
		return record_damage(bf, off + size, r->pdu_len, "'s data", e);
	*pdu = NULL;
	if (r->pdu_len && BLK_CATEGORY(r->action) & BLK_TC_NOTIFY) {
		p = window(bf, off, size + r->pdu_len, e);
		if (!p)
			return -EBADMSG;
		*pdu = p + size;
	}
	return (int)(size + r->pdu_len);
}

/* enum blktrace_act */
static const u8 types[] = {
	[1] = EV_RQ_QUEUE,    [2] = EV_RQ_MERGE,   [3] = EV_RQ_MERGE,
	[4] = EV_RQ_GET,      [6] = EV_RQ_REQUEUE, [7] = EV_RQ_ISSUE,
	[8] = EV_RQ_COMPLETE, [12] = EV_RQ_INSERT, [15] = EV_RQ_REMAP,
};

unsigned int blk_event_type(u64 action)
{
	u32 act = BLK_ACT(action);

	if (BLK_CATEGORY(action) & BLK_TC_NOTIFY || act >= ARRAY_SIZE(types) || !types[act])
		return EV_RQ_OTHER;
	return types[act];
}

/* enum blktrace_cat */
enum {
	TC_READ = 1 << 0,
	TC_WRITE = 1 << 1,
	TC_FLUSH = 1 << 2,
	TC_SYNC = 1 << 3,
	TC_PC = 1 << 9,
	TC_AHEAD = 1 << 11,
	TC_META = 1 << 12,
	TC_DISCARD = 1 << 13,
	TC_FUA = 1 << 15,
	TC_ZONE = 31 << 17,
	TC_WRITE_ZEROES = 1 << 22
};

u32 blk_flags(u64 action)
{
	static const struct {
		u32 category, flag;
	} map[] = {{TC_READ, RQ_READ},	    {TC_WRITE, RQ_WRITE},
		   {TC_FLUSH, RQ_FLUSH},    {TC_SYNC, RQ_SYNC},
		   {TC_PC, RQ_PASSTHROUGH}, {TC_AHEAD, RQ_AHEAD},
		   {TC_META, RQ_META},	    {TC_DISCARD, RQ_DISCARD},
		   {TC_FUA, RQ_FUA},	    {TC_WRITE_ZEROES, RQ_WRITE_ZEROES}};
	u64 category = BLK_CATEGORY(action);
	u32 flags = 0;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		flags |= category & map[i].category ? map[i].flag : 0;
	/*
	 * READ and WRITE only tell the direction, which an empty flush (a
	 * "read"), a discard and the management of zones have as well.
	 */
	if (flags & RQ_DISCARD || category & TC_ZONE)
		flags &= ~(u32)(RQ_READ | RQ_WRITE);
	if (category & TC_ZONE)
		flags |= RQ_ZONE;
	if (flags & RQ_FLUSH)
		flags &= ~(u32)RQ_READ;
	return flags;
}
