// SPDX-License-Identifier: GPL-2.0-only
/* Records, pages and format texts of traces made for tests. */
#include "tests/unit/make_trace_internal.h"

#include <stdarg.h>
#include <string.h>

#define DELTA_MAX ((1u << 27) - 1)

enum field_kind {
	F_U8,
	F_U16,
	F_U32,
	F_S32,
	F_U64,
	F_LONG,
	F_INO,
	F_TEXT8,
	F_TEXT16,
	F_LOC,
	F_FLEX
};

struct field_desc {
	const char *type, *name;
	enum field_kind kind;
};

enum event_id { ID_PRINT = 5, ID_FAULT = 500, ID_GET, ID_MAP, ID_ADD, ID_DELETE, ID_SYNC, ID_ASYNC,
		ID_ORDER, ID_UNBOUNDED, ID_INSERT, ID_ISSUE, ID_COMPLETE, ID_OTHER,
		ID_CALLS };

struct event_desc {
	const char *system, *name;
	enum event_id id;
	struct field_desc field[12];
};

#define PAGE_CACHE_RANGE { { "u64", "i_ino", F_INO }, { "dev_t", "s_dev", F_U32 }, \
	{ "unsigned long", "index", F_LONG }, { "unsigned long", "last_index", F_LONG } }
#define FOLIO { { "u64", "i_ino", F_INO }, { "unsigned long", "pfn", F_LONG }, \
	{ "unsigned long", "index", F_LONG }, { "dev_t", "s_dev", F_U32 }, \
	{ "unsigned char", "order", F_U8 } }
#define RA_OP { { "u64", "i_ino", F_INO }, { "loff_t", "prev_pos", F_U64 }, \
	{ "unsigned long", "index", F_LONG }, { "unsigned long", "req_count", F_LONG }, \
	{ "dev_t", "s_dev", F_U32 }, { "unsigned int", "order", F_U32 }, \
	{ "unsigned int", "size", F_U32 }, { "unsigned int", "async_size", F_U32 }, \
	{ "unsigned int", "ra_pages", F_U32 }, { "unsigned int", "mmap_miss", F_U32 } }
#define BLOCK_RQ { { "dev_t", "dev", F_U32 }, { "sector_t", "sector", F_U64 }, \
	{ "unsigned int", "nr_sector", F_U32 }, { "unsigned int", "bytes", F_U32 }, \
	{ "unsigned short", "ioprio", F_U16 }, { "char", "rwbs", F_TEXT8 }, \
	{ "char", "comm", F_TEXT16 }, { "__data_loc char[]", "cmd", F_LOC } }

/* syscalls:sys_enter_*, sys_exit_*: numbers from ID_CALLS on, in this order */
#define CALL_NR { "int", "__syscall_nr", F_S32 }
#define CALL_EXIT { CALL_NR, { "long", "ret", F_U64 } }
#define CALL_ARG(t, n) { t, n, F_U64 }

static const struct event_desc events[] = {
	{ "ftrace", "print", ID_PRINT,
	  { { "unsigned long", "ip", F_LONG }, { "char", "buf", F_FLEX } } },
	{ "filemap", "mm_filemap_fault", ID_FAULT,
	  { { "u64", "i_ino", F_INO }, { "dev_t", "s_dev", F_U32 },
	    { "unsigned long", "index", F_LONG } } },
	{ "filemap", "mm_filemap_get_pages", ID_GET, PAGE_CACHE_RANGE },
	{ "filemap", "mm_filemap_map_pages", ID_MAP, PAGE_CACHE_RANGE },
	{ "filemap", "mm_filemap_add_to_page_cache", ID_ADD, FOLIO },
	{ "filemap", "mm_filemap_delete_from_page_cache", ID_DELETE, FOLIO },
	{ "readahead", "page_cache_sync_ra", ID_SYNC, RA_OP },
	{ "readahead", "page_cache_async_ra", ID_ASYNC, RA_OP },
	{ "readahead", "page_cache_ra_order", ID_ORDER,
	  { { "u64", "i_ino", F_INO }, { "dev_t", "s_dev", F_U32 },
	    { "unsigned long", "index", F_LONG }, { "unsigned int", "order", F_U32 },
	    { "unsigned int", "size", F_U32 }, { "unsigned int", "async_size", F_U32 },
	    { "unsigned int", "ra_pages", F_U32 } } },
	{ "readahead", "page_cache_ra_unbounded", ID_UNBOUNDED,
	  { { "u64", "i_ino", F_INO }, { "dev_t", "s_dev", F_U32 },
	    { "unsigned long", "index", F_LONG }, { "unsigned long", "nr_to_read", F_LONG },
	    { "unsigned long", "lookahead_size", F_LONG } } },
	{ "block", "block_rq_insert", ID_INSERT, BLOCK_RQ },
	{ "block", "block_rq_issue", ID_ISSUE, BLOCK_RQ },
	{ "block", "block_rq_complete", ID_COMPLETE,
	  { { "dev_t", "dev", F_U32 }, { "sector_t", "sector", F_U64 },
	    { "unsigned int", "nr_sector", F_U32 }, { "int", "error", F_S32 },
	    { "unsigned short", "ioprio", F_U16 }, { "char", "rwbs", F_TEXT8 },
	    { "__data_loc char[]", "cmd", F_LOC } } },
	{ "sched", "sched_wakeup", ID_OTHER,
	  { { "char", "comm", F_TEXT16 }, { "pid_t", "pid", F_S32 } } },
	{ "syscalls", "sys_enter_read", ID_CALLS,
	  { CALL_NR, CALL_ARG("unsigned int", "fd"), CALL_ARG("char *", "buf"),
	    CALL_ARG("size_t", "count") } },
	{ "syscalls", "sys_exit_read", ID_CALLS + 1, CALL_EXIT },
	{ "syscalls", "sys_enter_pread64", ID_CALLS + 2,
	  { CALL_NR, CALL_ARG("unsigned int", "fd"), CALL_ARG("char *", "buf"),
	    CALL_ARG("size_t", "count"), CALL_ARG("loff_t", "pos") } },
	{ "syscalls", "sys_exit_pread64", ID_CALLS + 3, CALL_EXIT },
	{ "syscalls", "sys_enter_readahead", ID_CALLS + 4,
	  { CALL_NR, CALL_ARG("int", "fd"), CALL_ARG("loff_t", "offset"),
	    CALL_ARG("size_t", "count") } },
	{ "syscalls", "sys_exit_readahead", ID_CALLS + 5, CALL_EXIT },
	{ "syscalls", "sys_enter_fadvise64", ID_CALLS + 6,
	  { CALL_NR, CALL_ARG("int", "fd"), CALL_ARG("loff_t", "offset"),
	    CALL_ARG("size_t", "len"), CALL_ARG("int", "advice") } },
	{ "syscalls", "sys_exit_fadvise64", ID_CALLS + 7, CALL_EXIT },
	{ "syscalls", "sys_enter_madvise", ID_CALLS + 8,
	  { CALL_NR, CALL_ARG("unsigned long", "start"), CALL_ARG("size_t", "len_in"),
	    CALL_ARG("int", "behavior") } },
	{ "syscalls", "sys_exit_madvise", ID_CALLS + 9, CALL_EXIT },
	{ "syscalls", "sys_enter_openat", ID_CALLS + 10,
	  { CALL_NR, CALL_ARG("int", "dfd"), CALL_ARG("const char *", "filename"),
	    CALL_ARG("int", "flags"), CALL_ARG("umode_t", "mode") } },
	{ "syscalls", "sys_exit_openat", ID_CALLS + 11, CALL_EXIT },
	{ "syscalls", "sys_enter_mmap", ID_CALLS + 12,
	  { CALL_NR, CALL_ARG("unsigned long", "addr"), CALL_ARG("unsigned long", "len"),
	    CALL_ARG("unsigned long", "fd"), CALL_ARG("unsigned long", "off") } },
	{ "syscalls", "sys_exit_mmap", ID_CALLS + 13, CALL_EXIT },
};

void bytes_add(struct bytes *b, const void *data, size_t len)
{
	if (b->len + len > b->size) {
		b->size = MAX(b->size * 2, b->len + len + 4096);
		b->data = xrealloc(b->data, b->size, 1);
	}
	if (data)
		memcpy(b->data + b->len, data, len);
	else
		memset(b->data + b->len, 0, len);
	b->len += len;
}

void bytes_zero(struct bytes *b, size_t len)
{
	bytes_add(b, NULL, len);
}

static void __printf_like(2, 3) bytes_text(struct bytes *b, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	bytes_add(b, line, (size_t)n);
}

void tb_put_at(const struct trace_builder *tb, u8 *at, u64 value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		at[tb->flags & TB_BIG_ENDIAN ? size - 1 - i : i] = (u8)(value >> 8 * i);
}

void tb_put(const struct trace_builder *tb, struct bytes *b, u64 value, unsigned int size)
{
	bytes_zero(b, size);
	tb_put_at(tb, b->data + b->len - size, value, size);
}

/* ---- layout of records: the tables above, as a C compiler would lay them out ---- */

static bool absent(const struct trace_builder *tb, const struct event_desc *d, unsigned int i)
{
	return tb->flags & TB_NO_ORDER && !strcmp(d->system, "filemap") &&
	       !strcmp(d->field[i].name, "order");
}

static unsigned int field_size(const struct trace_builder *tb, enum field_kind kind)
{
	switch (kind) {
	case F_U8:
		return 1;
	case F_U16:
		return 2;
	case F_U32:
	case F_S32:
	case F_LOC:
		return 4;
	case F_U64:
	case F_TEXT8:
		return 8;
	case F_TEXT16:
		return 16;
	case F_LONG:
		return tb->long_size;
	case F_INO:
		return tb->flags & TB_LONG_INO ? tb->long_size : 8;
	case F_FLEX:
		return 0;
	}
	abort();
}

static unsigned int field_align(const struct trace_builder *tb, enum field_kind kind)
{
	if (kind == F_TEXT8 || kind == F_TEXT16 || kind == F_FLEX)
		return 1;
	return field_size(tb, kind);
}

static unsigned int field_offset(const struct trace_builder *tb, const struct event_desc *d,
				 unsigned int n)
{
	unsigned int off = 8, align;

	for (unsigned int i = 0;; i++) {
		if (i < n && absent(tb, d, i))
			continue;
		align = field_align(tb, d->field[i].kind);
		off = (off + align - 1) / align * align;
		if (i == n)
			return off;
		off += field_size(tb, d->field[i].kind);
	}
}

void tb_header_page(const struct trace_builder *tb, struct bytes *b)
{
	unsigned int l = tb->long_size;

	bytes_text(b, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	bytes_text(b, "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n", l);
	bytes_text(b, "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n");
	bytes_text(b, "\tfield: char data;\toffset:%u;\tsize:%zu;\tsigned:1;\n", 8 + l,
		   tb->page_size - 8 - l);
}

static const char *const systems[] = { "filemap", "readahead", "block", "sched", "syscalls" };

unsigned int tb_n_systems(void)
{
	return ARRAY_SIZE(systems);
}

const char *tb_system(unsigned int i)
{
	return systems[i];
}

static void format_text(const struct trace_builder *tb, const struct event_desc *d,
			struct bytes *b)
{
	const char *type, *array;

	bytes_text(b, "name: %s\nID: %d\nformat:\n", d->name, d->id);
	bytes_text(b, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n");
	bytes_text(b, "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n");
	bytes_text(b, "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
		      "\tsigned:0;\n");
	bytes_text(b, "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(d->field) && d->field[i].name; i++) {
		const struct field_desc *f = &d->field[i];

		if (absent(tb, d, i))
			continue;
		type = f->kind == F_INO && tb->flags & TB_LONG_INO ? "unsigned long" : f->type;
		array = f->kind == F_TEXT8 ? "[8]" : f->kind == F_TEXT16 ? "[16]" :
			f->kind == F_FLEX ? "[]" : "";
		bytes_text(b, "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type, f->name,
			   array, field_offset(tb, d, i), field_size(tb, f->kind),
			   f->kind == F_S32 || *array != '\0');
	}
	if (d->id == ID_PRINT)
		bytes_text(b, "\nprint fmt: \"%%ps: %%s\", (void *)REC->ip, REC->buf\n");
	else
		bytes_text(b, "\nprint fmt: \"%s\"\n", d->name);
}

bool tb_format(const struct trace_builder *tb, const char *system, unsigned int i, struct bytes *b)
{
	if (tb->flags & TB_NO_RA && !strcmp(system, "readahead"))
		return false;
	for (unsigned int k = 0; k < ARRAY_SIZE(events); k++) {
		if (strcmp(events[k].system, system) || i--)
			continue;
		format_text(tb, &events[k], b);
		return true;
	}
	return false;
}

/* ---- pages ---- */

static struct tb_cpu *get_cpu(struct trace_builder *tb, unsigned int cpu)
{
	if (cpu >= TB_CPUS_MAX)
		abort();
	tb->cpus = MAX(tb->cpus, cpu + 1);
	return &tb->buffer[tb->current].cpu[cpu];
}

static void close_page(struct trace_builder *tb, struct tb_cpu *c)
{
	u64 flags = 0;
	u8 *page = c->pages.data + c->page;

	if (!c->open)
		return;
	c->open = false;
	if (c->missed) {
		flags = 1u << 31;
		if (c->missed_count) {
			flags |= 1u << 30;
			tb_put_at(tb, page + 8 + tb->long_size + c->fill, c->missed_count,
				  tb->long_size);
		}
	}
	/* as the kernel's int (1 << 31) does in a 64-bit long */
	if (flags && tb->long_size == 8)
		flags |= (u64)UINT32_MAX << 32;
	tb_put_at(tb, page + 8, c->fill | flags, tb->long_size);
	c->missed = false;
}

static void open_page(struct trace_builder *tb, struct tb_cpu *c, u64 ts)
{
	c->page = c->pages.len;
	bytes_zero(&c->pages, tb->page_size);
	tb_put_at(tb, c->pages.data + c->page, ts, 8);
	c->fill = 0;
	c->ts = ts;
	c->open = true;
}

/* Appends one ring buffer record: the header word, then @len bytes. */
static u8 *add_raw(struct trace_builder *tb, struct tb_cpu *c, unsigned int type_len, u32 delta,
		   size_t len)
{
	u8 *at = c->pages.data + c->page + 8 + tb->long_size + c->fill;
	u32 word = tb->flags & TB_BIG_ENDIAN ? type_len << 27 | delta : delta << 5 | type_len;

	tb_put_at(tb, at, word, 4);
	c->fill += 4 + len;
	return at + 4;
}

/* Room for @len bytes after a record header and perhaps a time extend. */
static u32 make_room(struct trace_builder *tb, struct tb_cpu *c, u64 ts, size_t len)
{
	size_t room = tb->page_size - 8 - tb->long_size;

	/* what missed events write at the end must fit as well */
	if (c->open && c->fill + 8 + 8 + len + tb->long_size > room)
		close_page(tb, c);
	if (!c->open)
		open_page(tb, c, ts);
	if (ts < c->ts)
		abort(); /* times fell: see the header */
	if (ts - c->ts > DELTA_MAX) {
		tb_put_at(tb, add_raw(tb, c, 30, (ts - c->ts) & DELTA_MAX, 4),
			  (ts - c->ts) >> 27, 4);
		c->ts = ts;
	}
	len = ts - c->ts;
	c->ts = ts;
	return (u32)len;
}

static void add_data(struct trace_builder *tb, unsigned int cpu, u64 ts, const struct bytes *data)
{
	struct tb_cpu *c = get_cpu(tb, cpu);
	size_t len = (data->len + 3) & ~(size_t)3;
	u32 delta = make_room(tb, c, ts, len + 4);
	u8 *at;

	if (len <= 28 * 4) {
		at = add_raw(tb, c, (unsigned int)len / 4, delta, len);
	} else {
		at = add_raw(tb, c, 0, delta, len + 4);
		tb_put_at(tb, at, len + 4, 4);
		at += 4;
	}
	memcpy(at, data->data, data->len);
	c->events++;
}

void tb_missed(struct trace_builder *tb, unsigned int cpu, u64 count)
{
	struct tb_cpu *c = get_cpu(tb, cpu);

	close_page(tb, c);
	c->missed = true;
	c->missed_count = count;
}

void tb_new_page(struct trace_builder *tb, unsigned int cpu)
{
	close_page(tb, get_cpu(tb, cpu));
}

void tb_discarded(struct trace_builder *tb, unsigned int cpu, u64 ts)
{
	struct tb_cpu *c = get_cpu(tb, cpu);
	u32 delta = make_room(tb, c, ts, 12);

	if (!delta) { /* the kernel, too, makes it 1: 0 would mean the rest of the page */
		delta = 1;
		c->ts++;
	}
	tb_put_at(tb, add_raw(tb, c, 29, delta, 12), 12, 4);
}

void tb_absolute(struct trace_builder *tb, unsigned int cpu, u64 ts)
{
	struct tb_cpu *c = get_cpu(tb, cpu);

	if (c->open && c->fill + 24 > tb->page_size - 8 - tb->long_size)
		close_page(tb, c);
	if (!c->open)
		open_page(tb, c, ts);
	tb_put_at(tb, add_raw(tb, c, 31, ts & DELTA_MAX, 4), ts >> 27 & 0xffffffffu, 4);
	c->ts = ts;
}

/* ---- events ---- */

static const struct event_desc *find(enum event_id id)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++) {
		if (events[i].id == id)
			return &events[i];
	}
	abort();
}

struct value {
	const char *name;
	u64 number;
	const char *text;
};

/* Fields that no value names are 0. */
static void add_event(struct trace_builder *tb, enum event_id id, unsigned int cpu, u64 ts,
		      int pid, const struct value *values, unsigned int n)
{
	const struct event_desc *d = find(id);
	static struct bytes rec;
	unsigned int off, size;

	rec.len = 0;
	tb_put(tb, &rec, id, 2);
	tb_put(tb, &rec, 0, 2);
	tb_put(tb, &rec, (u32)pid, 4);
	for (unsigned int i = 0; i < ARRAY_SIZE(d->field) && d->field[i].name; i++) {
		const struct value *v = NULL;

		if (absent(tb, d, i))
			continue;
		off = field_offset(tb, d, i);
		size = field_size(tb, d->field[i].kind);
		for (unsigned int k = 0; k < n; k++)
			v = strcmp(values[k].name, d->field[i].name) ? v : &values[k];
		if (d->field[i].kind == F_FLEX) {
			bytes_add(&rec, v->text, strlen(v->text) + 1);
			continue;
		}
		bytes_zero(&rec, off + size - rec.len);
		if (d->field[i].kind == F_LOC) /* an empty string after the fixed part */
			tb_put_at(tb, rec.data + off, (1u << 16) | (off + 4), 4);
		else if (v && v->text)
			memcpy(rec.data + off, v->text, MIN(strlen(v->text), size));
		else if (v)
			tb_put_at(tb, rec.data + off, v->number, size);
	}
	if (!strcmp(d->system, "block"))
		bytes_zero(&rec, 1);
	add_data(tb, cpu, ts, &rec);
}

#define EVENT(id, ...) do { \
	const struct value values_[] = { __VA_ARGS__ }; \
	add_event(tb, id, cpu, ts, pid, values_, ARRAY_SIZE(values_)); \
} while (0)

void tb_fault(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino, u64 index)
{
	EVENT(ID_FAULT, { "i_ino", ino, NULL }, { "s_dev", TB_DEV, NULL }, { "index", index, NULL });
}

void tb_get_pages(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino, u64 index,
		  u64 last)
{
	EVENT(ID_GET, { "i_ino", ino, NULL }, { "s_dev", TB_DEV, NULL }, { "index", index, NULL },
	      { "last_index", last, NULL });
}

void tb_map_pages(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino, u64 index,
		  u64 last)
{
	EVENT(ID_MAP, { "i_ino", ino, NULL }, { "s_dev", TB_DEV, NULL }, { "index", index, NULL },
	      { "last_index", last, NULL });
}

void tb_add_folio(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino, u64 index,
		  unsigned int order)
{
	EVENT(ID_ADD, { "i_ino", ino, NULL }, { "s_dev", TB_DEV, NULL }, { "index", index, NULL },
	      { "pfn", 0x1000 + index, NULL }, { "order", order, NULL });
}

void tb_delete_folio(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		     u64 index, unsigned int order)
{
	EVENT(ID_DELETE, { "i_ino", ino, NULL }, { "s_dev", TB_DEV, NULL }, { "index", index, NULL },
	      { "pfn", 0x1000 + index, NULL }, { "order", order, NULL });
}

#define RA_VALUES { "i_ino", ino, NULL }, { "s_dev", TB_DEV, NULL }, { "index", ra.index, NULL }, \
	{ "order", ra.order, NULL }, { "size", ra.size, NULL }, \
	{ "async_size", ra.async_size, NULL }, { "ra_pages", ra.ra_pages, NULL }, \
	{ "mmap_miss", ra.mmap_miss, NULL }, { "req_count", ra.req_count, NULL }, \
	{ "nr_to_read", ra.req_count, NULL }, { "lookahead_size", ra.async_size, NULL }

void tb_ra_sync(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		struct tb_ra ra)
{
	EVENT(ID_SYNC, RA_VALUES);
}

void tb_ra_async(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		 struct tb_ra ra)
{
	EVENT(ID_ASYNC, RA_VALUES);
}

void tb_ra_order(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		 struct tb_ra ra)
{
	EVENT(ID_ORDER, RA_VALUES);
}

void tb_ra_unbounded(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 ino,
		     struct tb_ra ra)
{
	EVENT(ID_UNBOUNDED, RA_VALUES);
}

#define RQ_VALUES { "dev", TB_DEV, NULL }, { "sector", sector, NULL }, \
	{ "nr_sector", bytes / 512, NULL }, { "bytes", bytes, NULL }, { "rwbs", 0, rwbs }, \
	{ "comm", 0, "task" }

void tb_rq_insert(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 sector,
		  u32 bytes, const char *rwbs)
{
	EVENT(ID_INSERT, RQ_VALUES);
}

void tb_rq_issue(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 sector,
		 u32 bytes, const char *rwbs)
{
	EVENT(ID_ISSUE, RQ_VALUES);
}

void tb_rq_complete(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, u64 sector,
		    u32 bytes, const char *rwbs, int error)
{
	EVENT(ID_COMPLETE, RQ_VALUES, { "error", (u64)(s64)error, NULL });
}

void tb_marker(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, const char *text)
{
	char *line __cleanup_free = xasprintf("%s\n", text);

	EVENT(ID_PRINT, { "buf", 0, line }, { "ip", 0xc0ffee, NULL });
}

void tb_other(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid)
{
	EVENT(ID_OTHER, { "comm", 0, "other" }, { "pid", 1, NULL });
}

void tb_call(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, const char *name, u64 fd,
	     u64 offset, u64 length, u64 advice)
{
	char *enter __cleanup_free = xasprintf("sys_enter_%s", name);

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(events[i].name, enter)) {
			EVENT(events[i].id, { "fd", fd, NULL }, { "count", length, NULL },
			      { "len", length, NULL }, { "len_in", length, NULL },
			      { "pos", offset, NULL }, { "offset", offset, NULL },
			      { "advice", advice, NULL }, { "behavior", advice, NULL });
			return;
		}
	abort();
}

void tb_call_exit(struct trace_builder *tb, unsigned int cpu, u64 ts, int pid, const char *name,
		  s64 ret)
{
	char *exit_name __cleanup_free = xasprintf("sys_exit_%s", name);

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(events[i].name, exit_name)) {
			EVENT(events[i].id, { "ret", (u64)ret, NULL });
			return;
		}
	abort();
}
