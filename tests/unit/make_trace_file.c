// SPDX-License-Identifier: GPL-2.0-only
/* The trace.dat file around the pages: see trace-cmd.dat.v6(5) and .v7(5). */
#include "tests/unit/make_trace_internal.h"

#include <fcntl.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/fileio.h"

enum { OPT_CPUSTAT = 2, OPT_BUFFER = 3, OPT_CLOCK = 4, OPT_UNAME = 5, OPT_CPUCOUNT = 8,
       OPT_STRINGS = 15, SEC_HEADER = 16, SEC_FTRACE, SEC_EVENTS, SEC_KALLSYMS, SEC_PRINTK,
       SEC_CMDLINES };

struct trace_builder *tb_new(unsigned int flags)
{
	struct trace_builder *tb = xcalloc(1, sizeof(*tb));

	tb->flags = flags;
	tb->long_size = flags & TB_LONG32 ? 4 : 8;
	tb->page_size = flags & TB_PAGE_64K ? 65536 : 4096;
	tb->n_buffers = 1;
	tb->buffer[0].name = xstrdup("");
	tb->cpus = 1;
	strcpy(tb->clock, "mono");
	return tb;
}

void tb_free(struct trace_builder *tb)
{
	for (unsigned int i = 0; i < tb->n_buffers; i++) {
		free(tb->buffer[i].name);
		for (unsigned int c = 0; c < TB_CPUS_MAX; c++)
			free(tb->buffer[i].cpu[c].pages.data);
	}
	free(tb->cmdlines.data);
	free(tb->options.data);
	free(tb);
}

void tb_comm(struct trace_builder *tb, int pid, const char *comm)
{
	char *line __cleanup_free = xasprintf("%d %s\n", pid, comm);

	bytes_add(&tb->cmdlines, line, strlen(line));
}

void tb_clock(struct trace_builder *tb, const char *clock)
{
	snprintf(tb->clock, sizeof(tb->clock), "%s", clock);
}

void tb_stats(struct trace_builder *tb, unsigned int cpu, u64 entries, u64 overrun,
	      u64 commit_overrun, u64 dropped)
{
	u64 *s = tb->stats[cpu];

	tb_cpus(tb, cpu + 1);
	s[0] = entries;
	s[1] = overrun;
	s[2] = commit_overrun;
	s[3] = dropped;
}

void tb_stats_early(struct trace_builder *tb, unsigned int cpu, u64 late)
{
	tb_cpus(tb, cpu + 1);
	tb->stats[cpu][4] = late;
}

void tb_instance(struct trace_builder *tb, const char *name)
{
	tb->current = 0;
	if (!name)
		return;
	while (++tb->current < tb->n_buffers) {
		if (!strcmp(tb->buffer[tb->current].name, name))
			return;
	}
	if (tb->n_buffers == TB_BUFFERS_MAX)
		abort();
	tb->buffer[tb->n_buffers++].name = xstrdup(name);
}

void tb_cpus(struct trace_builder *tb, unsigned int cpus)
{
	if (cpus > TB_CPUS_MAX)
		abort();
	tb->cpus = MAX(tb->cpus, cpus);
}

static void add_option(struct trace_builder *tb, struct bytes *b, unsigned int id,
		       const void *data, size_t len)
{
	tb_put(tb, b, id, 2);
	tb_put(tb, b, len, 4);
	bytes_add(b, data, len);
}

void tb_option(struct trace_builder *tb, unsigned int id, const void *data, size_t len)
{
	add_option(tb, &tb->options, id, data, len);
}

static void boundary(struct trace_builder *tb, u64 at)
{
	if (tb->n_boundaries && tb->boundary[tb->n_boundaries - 1] >= at)
		return;
	if (tb->n_boundaries == TB_BOUNDARIES_MAX)
		abort();
	tb->boundary[tb->n_boundaries++] = at;
}

const u64 *tb_boundaries(const struct trace_builder *tb, unsigned int *n)
{
	*n = tb->n_boundaries;
	return tb->boundary;
}

static size_t compress_block(const struct trace_builder *tb, const void *data, size_t len, u8 **out)
{
	size_t bound = tb->flags & TB_ZSTD ? ZSTD_compressBound(len) : compressBound(len);
	uLongf zlen = bound;

	*out = xmalloc(bound);
	if (tb->flags & TB_ZSTD)
		return ZSTD_compress(*out, bound, data, len, 1);
	if (compress(*out, &zlen, data, len) != Z_OK)
		abort();
	return zlen;
}

static bool compressed(const struct trace_builder *tb)
{
	return tb->flags & (TB_ZSTD | TB_ZLIB);
}

static void put_block(struct trace_builder *tb, struct bytes *f, const void *data, size_t len)
{
	u8 *z __cleanup_free = NULL;
	size_t zlen = compress_block(tb, data, len, &z);

	tb_put(tb, f, zlen, 4);
	tb_put(tb, f, len, 4);
	bytes_add(f, z, zlen);
}

/* A section of version 7; returns where its header is. */
static u64 section(struct trace_builder *tb, struct bytes *f, unsigned int id,
		   const struct bytes *b)
{
	bool z = compressed(tb) && id != 0 && id != OPT_STRINGS;
	u64 at = f->len;

	boundary(tb, at);
	tb_put(tb, f, id, 2);
	tb_put(tb, f, z, 2);
	tb_put(tb, f, 0, 4);
	tb_put(tb, f, b->len, 8);
	boundary(tb, f->len);
	if (z) {
		put_block(tb, f, b->data, b->len);
		tb_put_at(tb, f->data + at + 8, f->len - at - 16, 8);
	} else {
		bytes_add(f, b->data, b->len);
	}
	return at;
}

static void put_stats(struct trace_builder *tb, struct bytes *b)
{
	for (unsigned int c = 0; c < tb->cpus; c++) {
		const u64 *s = tb->stats[c];
		char *text __cleanup_free = xasprintf(
			"CPU: %u\nentries: %ju\noverrun: %ju\ncommit overrun: %ju\nbytes: 0\n"
			"oldest event ts:     0.000001\nnow ts:     9.000000\n"
			"dropped events: %ju\nread events: %ju\n",
			c, (uintmax_t)(s[0] + s[4]), (uintmax_t)s[1], (uintmax_t)s[2],
			(uintmax_t)s[3], (uintmax_t)(tb->buffer[0].cpu[c].events - s[4]));

		add_option(tb, b, OPT_CPUSTAT, text, strlen(text) + 1);
	}
}

static void put_header(struct trace_builder *tb, struct bytes *b)
{
	static const char header_event[] =
		"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
		"\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
		"\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
		"\tdata max type_len  == 28\n";
	struct bytes t = { 0 };

	tb_header_page(tb, &t);
	bytes_add(b, "header_page", 12);
	tb_put(tb, b, t.len, 8);
	bytes_add(b, t.data, t.len);
	bytes_add(b, "header_event", 13);
	tb_put(tb, b, strlen(header_event), 8);
	bytes_add(b, header_event, strlen(header_event));
	free(t.data);
}

/* The count, then each format with its size. */
static void put_formats(struct trace_builder *tb, struct bytes *b, const char *system)
{
	size_t at = b->len;
	struct bytes t = { 0 };
	u32 n = 0;

	tb_put(tb, b, 0, 4);
	while (t.len = 0, tb_format(tb, system, n, &t)) {
		tb_put(tb, b, t.len, 8);
		bytes_add(b, t.data, t.len);
		n++;
	}
	tb_put_at(tb, b->data + at, n, 4);
	free(t.data);
}

static void put_events(struct trace_builder *tb, struct bytes *b)
{
	tb_put(tb, b, tb_n_systems(), 4);
	for (unsigned int i = 0; i < tb_n_systems(); i++) {
		bytes_add(b, tb_system(i), strlen(tb_system(i)) + 1);
		put_formats(tb, b, tb_system(i));
	}
}

static void align_page(const struct trace_builder *tb, struct bytes *f)
{
	bytes_zero(f, (tb->page_size - f->len % tb->page_size) % tb->page_size);
}

/* The pages of one CPU, perhaps in compressed chunks of ten as trace-cmd makes them. */
static void put_cpu(struct trace_builder *tb, struct bytes *f, const struct bytes *pages, u64 *size)
{
	size_t chunk = 10 * tb->page_size, at = f->len;

	boundary(tb, at);
	if (pages->len && compressed(tb)) {
		tb_put(tb, f, (pages->len + chunk - 1) / chunk, 4);
		for (size_t i = 0; i < pages->len; i += chunk)
			put_block(tb, f, pages->data + i, MIN(chunk, pages->len - i));
	} else {
		bytes_add(f, pages->data ? pages->data : (u8 *)"", pages->len);
	}
	*size = f->len - at;
	if (*size && compressed(tb) && tb->flags & TB_SHORT_SIZES)
		*size -= 4;
	boundary(tb, f->len);
}

static void buffer7(struct trace_builder *tb, struct bytes *f, struct tb_buffer *buf,
		    struct bytes *options)
{
	struct bytes o = { 0 };
	u64 at = f->len, size;

	boundary(tb, at);
	tb_put(tb, f, OPT_BUFFER, 2);
	tb_put(tb, f, compressed(tb), 2);
	tb_put(tb, f, 0, 4);
	tb_put(tb, f, 0, 8);
	tb_put(tb, &o, at, 8);
	bytes_add(&o, buf->name, strlen(buf->name) + 1);
	bytes_add(&o, tb->clock, strlen(tb->clock) + 1);
	tb_put(tb, &o, tb->page_size, 4);
	tb_put(tb, &o, tb->cpus, 4);
	for (unsigned int c = 0; c < tb->cpus; c++) {
		if (buf->cpu[c].pages.len)
			align_page(tb, f);
		tb_put(tb, &o, c, 4);
		tb_put(tb, &o, f->len, 8);
		put_cpu(tb, f, &buf->cpu[c].pages, &size);
		tb_put(tb, &o, size, 8);
	}
	tb_put_at(tb, f->data + at + 8, f->len - at - 16, 8);
	add_option(tb, options, OPT_BUFFER, o.data, o.len);
	free(o.data);
}

static void option_offset(struct trace_builder *tb, struct bytes *o, unsigned int id, u64 at)
{
	u8 n[8];

	tb_put_at(tb, n, at, 8);
	add_option(tb, o, id, n, 8);
}

static void build7(struct trace_builder *tb, struct bytes *f)
{
	const char *z = tb->flags & TB_ZSTD ? "zstd" : tb->flags & TB_ZLIB ? "zlib" : "none";
	struct bytes b = { 0 }, o = { 0 };
	size_t start;
	u8 n[4];

	bytes_add(f, z, strlen(z) + 1);
	bytes_add(f, "1.0", 4);
	start = f->len;
	bytes_zero(f, 8);
	put_header(tb, &b);
	option_offset(tb, &o, SEC_HEADER, section(tb, f, SEC_HEADER, &b));
	b.len = 0;
	put_formats(tb, &b, "ftrace");
	option_offset(tb, &o, SEC_FTRACE, section(tb, f, SEC_FTRACE, &b));
	b.len = 0;
	put_events(tb, &b);
	option_offset(tb, &o, SEC_EVENTS, section(tb, f, SEC_EVENTS, &b));
	b.len = 0;
	tb_put(tb, &b, 0, 4);
	option_offset(tb, &o, SEC_KALLSYMS, section(tb, f, SEC_KALLSYMS, &b));
	option_offset(tb, &o, SEC_PRINTK, section(tb, f, SEC_PRINTK, &b));
	b.len = 0;
	tb_put(tb, &b, tb->cmdlines.len, 8);
	bytes_add(&b, tb->cmdlines.data, tb->cmdlines.len);
	option_offset(tb, &o, SEC_CMDLINES, section(tb, f, SEC_CMDLINES, &b));
	for (unsigned int i = 0; i < tb->n_buffers; i++)
		buffer7(tb, f, &tb->buffer[i], &o);
	put_stats(tb, &o);
	add_option(tb, &o, OPT_UNAME, "Linux test", 11);
	tb_put_at(tb, n, tb->cpus, 4);
	add_option(tb, &o, OPT_CPUCOUNT, n, 4);
	bytes_add(&o, tb->options.data, tb->options.len);
	option_offset(tb, &o, 0, 0);
	b.len = 0;
	bytes_add(&b, "", 1);
	section(tb, f, OPT_STRINGS, &b);
	/* last, so that no cut can leave all that is needed */
	tb_put_at(tb, f->data + start, section(tb, f, 0, &o), 8);
	free(b.data);
	free(o.data);
}

/* "flyrecord", the table and the data of one buffer; the table is filled in last. */
static void buffer6(struct trace_builder *tb, struct bytes *f, struct tb_buffer *buf, bool top)
{
	size_t table;
	u64 size;

	boundary(tb, f->len);
	bytes_add(f, "flyrecord", 10);
	table = f->len;
	bytes_zero(f, (size_t)16 * tb->cpus);
	boundary(tb, f->len);
	if (top) { /* the content of trace_clock, with its size */
		char *text __cleanup_free = xasprintf("[%s]\n", tb->clock);

		tb_put(tb, f, strlen(text), 8);
		bytes_add(f, text, strlen(text));
	}
	for (unsigned int c = 0; c < tb->cpus; c++) {
		align_page(tb, f);
		tb_put_at(tb, f->data + table + 16 * c, f->len, 8);
		put_cpu(tb, f, &buf->cpu[c].pages, &size);
		tb_put_at(tb, f->data + table + 16 * c + 8, size, 8);
	}
}

static void build6(struct trace_builder *tb, struct bytes *f)
{
	size_t at[TB_BUFFERS_MAX];
	struct bytes o = { 0 };

	boundary(tb, f->len);
	put_header(tb, f);
	boundary(tb, f->len);
	put_formats(tb, f, "ftrace");
	boundary(tb, f->len);
	put_events(tb, f);
	boundary(tb, f->len);
	tb_put(tb, f, 0, 4); /* kallsyms */
	boundary(tb, f->len);
	tb_put(tb, f, 0, 4); /* printk */
	boundary(tb, f->len);
	tb_put(tb, f, tb->cmdlines.len, 8);
	bytes_add(f, tb->cmdlines.data, tb->cmdlines.len);
	boundary(tb, f->len);
	tb_put(tb, f, tb->cpus, 4);
	bytes_add(f, "options  ", 10);
	put_stats(tb, &o);
	add_option(tb, &o, OPT_UNAME, "Linux test", 11);
	add_option(tb, &o, OPT_CLOCK, tb->clock, strlen(tb->clock) + 1);
	bytes_add(&o, tb->options.data, tb->options.len);
	bytes_add(f, o.data, o.len);
	for (unsigned int i = 1; i < tb->n_buffers; i++) {
		const char *name = tb->buffer[i].name;

		tb_put(tb, f, OPT_BUFFER, 2);
		tb_put(tb, f, 8 + strlen(name) + 1, 4);
		at[i] = f->len;
		bytes_zero(f, 8);
		bytes_add(f, name, strlen(name) + 1);
	}
	tb_put(tb, f, 0, 2);
	buffer6(tb, f, &tb->buffer[0], true);
	for (unsigned int i = 1; i < tb->n_buffers; i++) {
		tb_put_at(tb, f->data + at[i], f->len, 8);
		buffer6(tb, f, &tb->buffer[i], false);
	}
	free(o.data);
}

void tb_build(struct trace_builder *tb, u8 **data, size_t *len)
{
	struct bytes f = { 0 };
	unsigned int current = tb->current;

	for (tb->current = 0; tb->current < tb->n_buffers; tb->current++) {
		for (unsigned int c = 0; c < tb->cpus; c++)
			tb_new_page(tb, c);
	}
	tb->current = current;
	tb->n_boundaries = 0;
	boundary(tb, 0);
	bytes_add(&f, "\x17\x08\x44tracing", 10);
	boundary(tb, f.len);
	bytes_add(&f, tb->flags & TB_V6 ? "6" : "7", 2);
	tb_put(tb, &f, !!(tb->flags & TB_BIG_ENDIAN), 1);
	tb_put(tb, &f, tb->long_size, 1);
	tb_put(tb, &f, tb->page_size, 4);
	boundary(tb, f.len);
	if (tb->flags & TB_V6)
		build6(tb, &f);
	else
		build7(tb, &f);
	boundary(tb, f.len);
	*data = f.data;
	*len = f.len;
}

void tb_write(struct trace_builder *tb, const char *path)
{
	int fd __cleanup_close = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	u8 *data __cleanup_free = NULL;
	size_t len;

	tb_build(tb, &data, &len);
	if (fd < 0 || fd_write_all(fd, data, len)) {
		perror(path);
		abort();
	}
}
