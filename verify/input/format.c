// SPDX-License-Identifier: GPL-2.0-only
#include "verify/input/format.h"

#include <errno.h>
#include <string.h>

#include "lib/contract.h"
#include "verify/input/file.h"
#include "verify/input/format_text.h"
#include "verify/input/rwbs.h"

#define FORMAT_TEXT_MAX 65536
#define OFFSET_MAX 4096u

enum slot {
	F_DEV,
	F_INO,
	F_INDEX,
	F_LAST,
	F_PFN,
	F_ORDER,
	F_REQ,
	F_SIZE,
	F_ASYNC,
	F_RA_PAGES,
	F_MMAP_MISS,
	F_SECTOR,
	F_NR_SECTOR,
	F_BYTES,
	F_ERROR,
	F_RWBS,
	F_BUF,
	F_POS,
	F_LEN,
	F_INTERVAL,
	F_FROM,
	F_TO,
	F_REQUEST,
	F_FD,
	F_ADVICE,
	F_RET,
	F_SLOTS
};

/* Several names for one slot: the first that the format has. */
struct slot_name {
	enum slot slot;
	const char *name;
	bool required; /* without it the event is of no use: EV_OTHER */
};

struct decoder {
	u8 type;     /* enum event_type */
	u8 call;     /* EV_CALL, EV_CALL_EXIT: enum file_call */
	u32 min_len; /* the record must reach to the end of the last field used */
	struct field field[F_SLOTS];
	char name[64];
};

struct formats {
	bool swap; /* the file's byte order is not ours */
	bool have_common;
	struct field common_type, common_pid;
	u64 types;
	u32 caps;
	struct decoder *decoder;
	unsigned int n_decoders;
	u16 by_id[FORMAT_ID_MAX + 1]; /* index of the decoder plus 1; 0: none */
};

static const struct slot_name access_fields[] = {{F_INO, "i_ino", true},
						 {F_DEV, "s_dev", true},
						 {F_INDEX, "index", true},
						 {F_LAST, "last_index", false},
						 {0, NULL, false}};
static const struct slot_name folio_fields[] = {{F_INO, "i_ino", true},	   {F_DEV, "s_dev", true},
						{F_INDEX, "index", true},  {F_PFN, "pfn", false},
						{F_ORDER, "order", false}, {0, NULL, false}};
static const struct slot_name ra_fields[] = {
	{F_INO, "i_ino", true},		 {F_DEV, "s_dev", true},
	{F_INDEX, "index", true},	 {F_REQ, "req_count", false},
	{F_REQ, "nr_to_read", false},	 {F_SIZE, "size", false},
	{F_ASYNC, "async_size", false},	 {F_ASYNC, "lookahead_size", false},
	{F_RA_PAGES, "ra_pages", false}, {F_MMAP_MISS, "mmap_miss", false},
	{F_ORDER, "order", false},	 {0, NULL, false}};
static const struct slot_name rq_fields[] = {{F_DEV, "dev", true},
					     {F_SECTOR, "sector", true},
					     {F_NR_SECTOR, "nr_sector", true},
					     {F_BYTES, "bytes", false},
					     {F_ERROR, "error", false},
					     {F_ERROR, "errors", false},
					     {F_RWBS, "rwbs", true},
					     {0, NULL, false}};
static const struct slot_name rq_other_fields[] = {{F_DEV, "dev", false},
						   {F_SECTOR, "sector", false},
						   {F_NR_SECTOR, "nr_sector", false},
						   {F_RWBS, "rwbs", false},
						   {0, NULL, false}};
static const struct slot_name netfs_fields[] = {{F_INO, "netfs_inode", true},
						{F_REQUEST, "rreq", true},
						{F_POS, "start", true},
						{F_LEN, "len", true},
						{0, NULL, false}};
static const struct slot_name stride_fields[] = {{F_INO, "i_ino", true},
						 {F_DEV, "s_dev", true},
						 {F_POS, "pos", true},
						 {F_LEN, "len", true},
						 {F_INTERVAL, "interval", true},
						 {F_FROM, "from", true},
						 {F_TO, "to", true},
						 {0, NULL, false}};
static const struct slot_name call_fields[] = {
	{F_FD, "fd", false},	  {F_POS, "pos", false},       {F_POS, "offset", false},
	{F_POS, "off", false},	  {F_LEN, "count", false},     {F_LEN, "len", false},
	{F_LEN, "len_in", false}, {F_ADVICE, "advice", false}, {F_ADVICE, "behavior", false},
	{0, NULL, false}};
static const struct slot_name exit_fields[] = {{F_RET, "ret", true}, {0, NULL, false}};
static const struct slot_name marker_fields[] = {{F_BUF, "buf", true}, {0, NULL, false}};

static const struct event_spec {
	const char *system, *name;
	enum event_type type;
	const struct slot_name *fields;
	u8 call; /* enum file_call */
} specs[] = {
	{"ftrace", "print", EV_MARKER, marker_fields, 0},
	{"filemap", "mm_filemap_fault", EV_FAULT, access_fields, 0},
	{"filemap", "mm_filemap_get_pages", EV_GET_PAGES, access_fields, 0},
	{"filemap", "mm_filemap_map_pages", EV_MAP_PAGES, access_fields, 0},
	{"filemap", "mm_filemap_add_to_page_cache", EV_FOLIO_ADD, folio_fields, 0},
	{"filemap", "mm_filemap_delete_from_page_cache", EV_FOLIO_DELETE, folio_fields, 0},
	{"readahead", "page_cache_sync_ra", EV_RA_SYNC, ra_fields, 0},
	{"readahead", "page_cache_async_ra", EV_RA_ASYNC, ra_fields, 0},
	{"readahead", "page_cache_ra_order", EV_RA_ORDER, ra_fields, 0},
	{"readahead", "page_cache_ra_unbounded", EV_RA_UNBOUNDED, ra_fields, 0},
	{"netfs", "netfs_read", EV_NETFS_READ, netfs_fields, 0},
	{"ceph", "ceph_strided_read", EV_STRIDED_READ, stride_fields, 0},
	{"block", "block_bio_queue", EV_RQ_QUEUE, rq_fields, 0},
	{"block", "block_bio_backmerge", EV_RQ_MERGE, rq_fields, 0},
	{"block", "block_bio_frontmerge", EV_RQ_MERGE, rq_fields, 0},
	{"block", "block_getrq", EV_RQ_GET, rq_fields, 0},
	{"block", "block_rq_insert", EV_RQ_INSERT, rq_fields, 0},
	{"block", "block_rq_issue", EV_RQ_ISSUE, rq_fields, 0},
	{"block", "block_rq_complete", EV_RQ_COMPLETE, rq_fields, 0},
	{"block", "block_rq_requeue", EV_RQ_REQUEUE, rq_fields, 0},
	{"block", "block_rq_remap", EV_RQ_REMAP, rq_fields, 0},
	{"block", "block_bio_remap", EV_RQ_REMAP, rq_fields, 0},
	{"block", "block_plug", EV_RQ_OTHER, rq_other_fields, 0},
	{"block", "block_unplug", EV_RQ_OTHER, rq_other_fields, 0},
	{"block", "block_split", EV_RQ_OTHER, rq_other_fields, 0},
	{"block", "block_rq_merge", EV_RQ_OTHER, rq_other_fields, 0},
	{"block", "block_rq_error", EV_RQ_OTHER, rq_other_fields, 0},
	{"block", "block_bio_complete", EV_RQ_OTHER, rq_other_fields, 0},
	{"syscalls", "sys_enter_read", EV_CALL, call_fields, CALL_READ},
	{"syscalls", "sys_exit_read", EV_CALL_EXIT, exit_fields, CALL_READ},
	{"syscalls", "sys_enter_pread64", EV_CALL, call_fields, CALL_PREAD64},
	{"syscalls", "sys_exit_pread64", EV_CALL_EXIT, exit_fields, CALL_PREAD64},
	{"syscalls", "sys_enter_readahead", EV_CALL, call_fields, CALL_READAHEAD},
	{"syscalls", "sys_exit_readahead", EV_CALL_EXIT, exit_fields, CALL_READAHEAD},
	{"syscalls", "sys_enter_fadvise64", EV_CALL, call_fields, CALL_FADVISE64},
	{"syscalls", "sys_exit_fadvise64", EV_CALL_EXIT, exit_fields, CALL_FADVISE64},
	{"syscalls", "sys_enter_madvise", EV_CALL, call_fields, CALL_MADVISE},
	{"syscalls", "sys_exit_madvise", EV_CALL_EXIT, exit_fields, CALL_MADVISE},
	{"syscalls", "sys_enter_mmap", EV_CALL, call_fields, CALL_MMAP},
	{"syscalls", "sys_exit_mmap", EV_CALL_EXIT, exit_fields, CALL_MMAP},
	{"syscalls", "sys_enter_openat", EV_CALL, call_fields, CALL_OPENAT},
	{"syscalls", "sys_exit_openat", EV_CALL_EXIT, exit_fields, CALL_OPENAT},
};

struct formats *formats_new(bool big_endian)
{
	struct formats *f = xcalloc(1, sizeof(*f));

	f->swap = big_endian != HOST_BIG_ENDIAN;
	/* until a format says where: as on every kernel since 2.6.30 */
	f->common_type = (struct field){0, 2, false};
	f->common_pid = (struct field){4, 4, true};
	return f;
}

void formats_free(struct formats *f)
{
	if (!f)
		return;
	free(f->decoder);
	free(f);
}

u64 formats_types(const struct formats *f)
{
	return f->types;
}

u32 formats_caps(const struct formats *f)
{
	return f->caps;
}

static int check_field(const struct text_field *f, const char *name, bool text, struct err *e)
{
	if (f->field.off > OFFSET_MAX || f->size > OFFSET_MAX || f->dynamic)
		return err_set(e, -EBADMSG, "expected field \"%s\" at a fixed offset below %u",
			       name, OFFSET_MAX);
	if (!text && f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return err_set(e, -EBADMSG, "expected field \"%s\" of 1, 2, 4 or 8 bytes, found %u",
			       name, f->size);
	return 0;
}

static int take_common_field(const char *text, size_t len, const char *name, struct field *f,
			     struct err *e)
{
	struct text_field tf;
	int ret = format_field(text, len, name, &tf, e);

	if (!ret)
		return err_set(e, -EBADMSG, "expected field \"%s\"", name);
	if (ret > 0)
		ret = check_field(&tf, name, false, e);
	*f = tf.field;
	return ret;
}

static bool same(struct field a, struct field b)
{
	return a.off == b.off && a.size == b.size;
}

static int take_common(struct formats *f, const char *text, size_t len, struct err *e)
{
	struct field type = {0}, pid = {0};
	int ret;

	ret = take_common_field(text, len, "common_type", &type, e);
	if (!ret)
		ret = take_common_field(text, len, "common_pid", &pid, e);
	if (ret)
		return ret;
	if (f->have_common && (!same(type, f->common_type) || !same(pid, f->common_pid)))
		return err_set(e, -EBADMSG, "expected common fields as in the other events");
	f->have_common = true;
	f->common_type = type;
	f->common_pid = pid;
	return 0;
}

/* Fills in @d's fields; clears d->type if one that is required is not there. */
static int take_fields(const char *text, size_t len, const struct event_spec *spec,
		       struct decoder *d, struct err *e)
{
	for (const struct slot_name *s = spec->fields; s->name; s++) {
		bool is_text = s->slot == F_RWBS || s->slot == F_BUF;
		struct field *f = &d->field[s->slot];
		struct text_field tf;
		int ret;

		if (f->size) /* an earlier name of the same slot */
			continue;
		ret = format_field(text, len, s->name, &tf, e);
		if (!ret && s->required)
			d->type = EV_OTHER;
		if (ret > 0)
			ret = check_field(&tf, s->name, is_text, e);
		else if (!ret)
			continue;
		if (ret)
			return ret;
		*f = tf.field;
		if (s->slot == F_BUF)
			f->size = 1; /* reaches to the record's end; something must be there */
		if (s->slot == F_RWBS && !f->size)
			return err_set(e, -EBADMSG, "expected field \"rwbs\" of some size");
		d->min_len = MAX(d->min_len, (u32)f->off + f->size);
	}
	return 0;
}

static const struct event_spec *find_spec(const char *system, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		if (!strcmp(specs[i].name, name) && !strcmp(specs[i].system, system))
			return &specs[i];
	}
	return NULL;
}

int formats_add(struct formats *f, const char *system, const char *text, size_t len, struct err *e)
{
	struct decoder d = {0};
	const struct event_spec *spec;
	unsigned int id;
	int ret;

	if (len > FORMAT_TEXT_MAX || memchr(text, '\0', len) ||
	    !format_head(text, len, d.name, sizeof(d.name), &id))
		return err_set(e, -EBADMSG,
			       "expected an event format (\"name: ...\", \"ID: ...\") of system %s",
			       system);
	spec = find_spec(system, d.name);
	if (spec) {
		d.type = (u8)spec->type;
		d.call = spec->call;
		ret = take_common(f, text, len, e);
		if (!ret)
			ret = take_fields(text, len, spec, &d, e);
		if (ret)
			return err_prefix(e, ret, "event %s:%s", system, d.name);
		if (d.type != EV_OTHER)
			f->types |= 1ull << d.type;
		if (d.type == EV_FOLIO_ADD && d.field[F_ORDER].size)
			f->caps |= CAP_FOLIO_ORDER;
	}
	if (f->n_decoders == FORMAT_ID_MAX)
		return err_set(e, -EBADMSG, "expected at most %d events", FORMAT_ID_MAX);
	if (!(f->n_decoders & (f->n_decoders + 1)))
		f->decoder = xrealloc(f->decoder, 2 * (f->n_decoders + 1), sizeof(d));
	f->decoder[f->n_decoders++] = d;
	f->by_id[id] = (u16)f->n_decoders;
	return 0;
}

static inline u64 load(const u8 *data, struct field f, bool swap)
{
	const u8 *p = data + f.off;

	switch (f.size) {
	case 8:
		return load64(p, swap);
	case 4:
		return f.is_signed ? (u64)(s64)(s32)load32(p, swap) : load32(p, swap);
	case 2:
		return f.is_signed ? (u64)(s64)(int16_t)load16(p, swap) : load16(p, swap);
	case 1:
		return f.is_signed ? (u64)(s64)(int8_t)*p : *p;
	default:
		return 0;
	}
}

/* The number, capped: fields of u32 in struct event that a format may widen. */
static inline u32 load_u32(const u8 *data, struct field f, bool swap)
{
	u64 v = load(data, f, swap);

	return v > UINT32_MAX ? UINT32_MAX : (u32)v;
}

static inline u8 load_order(const u8 *data, struct field f, bool swap)
{
	u64 v = f.size ? load(data, f, swap) : ORDER_UNKNOWN;

	return v > ORDER_UNKNOWN ? ORDER_UNKNOWN : (u8)v;
}

static void decode_rq(const struct decoder *d, const u8 *data, bool swap, struct event *ev)
{
	u64 bytes;

	ev->sector = load(data, d->field[F_SECTOR], swap);
	if (ev->sector == UINT64_MAX)
		ev->sector = 0; /* "(sector_t)-1": no position, such as a flush */
	bytes = d->field[F_BYTES].size ? load(data, d->field[F_BYTES], swap)
				       : load(data, d->field[F_NR_SECTOR], swap) * SECTOR_SIZE;
	ev->rq.bytes = bytes > UINT32_MAX ? UINT32_MAX : (u32)bytes;
	ev->rq.flags = rwbs_flags((const char *)data + d->field[F_RWBS].off, d->field[F_RWBS].size);
	ev->rq.error = (s32)load(data, d->field[F_ERROR], swap);
	ev->rq.sequence = 0;
}

static void decode_marker(const struct decoder *d, const u8 *data, u32 len, struct event *ev,
			  char *text)
{
	const char *from = (const char *)data + d->field[F_BUF].off;
	size_t n = strnlen(from, len - d->field[F_BUF].off), skip = strlen(MARKER_PREFIX);

	if (n < skip || memcmp(from, MARKER_PREFIX, skip)) {
		ev->type = EV_OTHER; /* somebody else's text */
		return;
	}
	n = MIN(n - skip, (size_t)MARKER_TEXT_MAX - 1);
	memcpy(text, from + skip, n);
	while (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	ev->marker.text = text;
}

static const struct decoder *find_decoder(const struct formats *f, const u8 *data, u32 len)
{
	u64 id;

	if (len < (u32)f->common_type.off + f->common_type.size)
		return NULL;
	id = load(data, f->common_type, f->swap);
	return id <= FORMAT_ID_MAX && f->by_id[id] ? &f->decoder[f->by_id[id] - 1] : NULL;
}

const char *formats_name(const struct formats *f, const u8 *data, u32 len)
{
	const struct decoder *d = find_decoder(f, data, len);

	return d ? d->name : NULL;
}

int formats_decode(const struct formats *f, const u8 *data, u32 len, struct event *ev, char *text,
		   struct err *e)
{
	const struct decoder *d;
	const struct field *fl;
	bool swap = f->swap;

	if (len < (u32)f->common_pid.off + f->common_pid.size ||
	    len < (u32)f->common_type.off + f->common_type.size)
		return err_set(e, -EBADMSG, "expected an event with type and pid, found %u bytes",
			       len);
	ev->pid = (s32)load(data, f->common_pid, swap);
	ev->dev = 0;
	ev->unused = 0;
	d = find_decoder(f, data, len);
	if (!d || d->type == EV_OTHER) {
		ev->type = EV_OTHER;
		ev->ino = 0;
		return 0;
	}
	if (len < d->min_len)
		return err_set(e, -EBADMSG, "expected %u bytes of event %s, found %u", d->min_len,
			       d->name, len);
	fl = d->field;
	ev->type = d->type;
	ev->dev = load_u32(data, fl[F_DEV], swap);
	ev->ino = load(data, fl[F_INO], swap);
	switch (d->type) {
	case EV_FAULT:
	case EV_GET_PAGES:
	case EV_MAP_PAGES:
		ev->access.index = load(data, fl[F_INDEX], swap);
		ev->access.last = fl[F_LAST].size ? load(data, fl[F_LAST], swap) : ev->access.index;
		break;
	case EV_FOLIO_ADD:
	case EV_FOLIO_DELETE:
		ev->folio.index = load(data, fl[F_INDEX], swap);
		ev->folio.pfn = load(data, fl[F_PFN], swap);
		ev->folio.order = load_order(data, fl[F_ORDER], swap);
		break;
	case EV_RA_SYNC:
	case EV_RA_ASYNC:
	case EV_RA_ORDER:
	case EV_RA_UNBOUNDED:
		ev->ra.index = load(data, fl[F_INDEX], swap);
		ev->ra.req_count = load(data, fl[F_REQ], swap);
		ev->ra.size = load_u32(data, fl[F_SIZE], swap);
		ev->ra.async_size = load_u32(data, fl[F_ASYNC], swap);
		ev->ra.ra_pages = load_u32(data, fl[F_RA_PAGES], swap);
		ev->ra.mmap_miss = load_u32(data, fl[F_MMAP_MISS], swap);
		ev->ra.order = load_order(data, fl[F_ORDER], swap);
		break;
	case EV_CALL:
	case EV_CALL_EXIT:
		ev->call.call = d->call;
		ev->call.fd = load_u32(data, fl[F_FD], swap);
		ev->call.offset = load(data, fl[F_POS], swap);
		ev->call.length = load(data, fl[F_LEN], swap);
		ev->call.advice = (u8)MIN(load(data, fl[F_ADVICE], swap), 0xffull);
		ev->call.ret = (s64)load(data, fl[F_RET], swap);
		break;
	case EV_NETFS_READ:
		ev->netfs.request = load_u32(data, fl[F_REQUEST], swap);
		ev->netfs.pos = load(data, fl[F_POS], swap);
		ev->netfs.len = load(data, fl[F_LEN], swap);
		break;
	case EV_STRIDED_READ:
		ev->stride.pos = load(data, fl[F_POS], swap);
		ev->stride.len = load(data, fl[F_LEN], swap);
		ev->stride.interval = load(data, fl[F_INTERVAL], swap);
		ev->stride.from = load(data, fl[F_FROM], swap);
		ev->stride.to = load(data, fl[F_TO], swap);
		break;
	case EV_MARKER:
		decode_marker(d, data, len, ev, text);
		break;
	default:
		decode_rq(d, data, swap, ev);
		break;
	}
	return 0;
}
