// SPDX-License-Identifier: GPL-2.0-only
#include "host/tracedat.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>

/* measured on a run's pages: level 12 saves another 9 % and takes four times as long */
#define ZSTD_LEVEL 6
#define ZSTD_LEVEL_SMALL 12
#define SMALL_BYTES (32u << 20)
#define CHUNK_PAGES 256 /* what a reader must hold in memory at a time */
#define CPUS_MAX 1024

/* ids of options and of the sections that some of them point to */
enum {
	ID_DONE = 0,
	ID_CPUSTAT = 2,
	ID_BUFFER = 3,
	ID_TRACECLOCK = 4,
	ID_UNAME = 5,
	ID_CPUCOUNT = 8,
	ID_VERSION = 9,
	ID_STRINGS = 15,
	ID_HEADER_INFO = 16,
	ID_FTRACE_EVENTS = 17,
	ID_EVENT_FORMATS = 18,
	ID_KALLSYMS = 19,
	ID_PRINTK = 20,
	ID_CMDLINES = 21,
};

#define SECTION_COMPRESSED 1

/* A buffer that grows; x86 guest and host, so the file's byte order is ours. */
struct blob {
	char *data;
	size_t len, size;
};

static void blob_put(struct blob *b, const void *data, size_t len)
{
	if (b->size - b->len < len) {
		b->size = MAX(2 * b->size, b->len + len);
		b->data = xrealloc(b->data, b->size, 1);
	}
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void blob_u16(struct blob *b, u16 v)
{
	blob_put(b, &v, sizeof(v));
}

static void blob_u32(struct blob *b, u32 v)
{
	blob_put(b, &v, sizeof(v));
}

static void blob_u64(struct blob *b, u64 v)
{
	blob_put(b, &v, sizeof(v));
}

static void blob_str(struct blob *b, const char *s)
{
	blob_put(b, s, strlen(s) + 1);
}

struct writer {
	FILE *f;
	ZSTD_CCtx *zstd;
	struct blob options;
	struct blob strings;
	struct err *e;
	int ret; /* the first error; later calls do nothing */
};

static void fail(struct writer *w, int ret)
{
	if (!w->ret)
		w->ret = ret ? ret : -EIO;
}

static void missing(struct writer *w, const char *what)
{
	if (!w->ret)
		w->ret = err_set(w->e, -ENODATA, "the guest sent no %s", what);
}

static void put(struct writer *w, const void *data, size_t len)
{
	if (!w->ret && len && fwrite(data, len, 1, w->f) != 1)
		fail(w, -errno);
}

static u64 where(struct writer *w)
{
	off_t at = ftello(w->f);

	if (at < 0)
		fail(w, -errno);
	return at < 0 ? 0 : (u64)at;
}

static void put_at(struct writer *w, u64 at, const void *data, size_t len)
{
	if (!w->ret && fseeko(w->f, (off_t)at, SEEK_SET))
		fail(w, -errno);
	put(w, data, len);
	if (!w->ret && fseeko(w->f, 0, SEEK_END))
		fail(w, -errno);
}

/* u32 compressed size, u32 size, data: the form of sections and of chunks of pages */
static void put_compressed(struct writer *w, const void *data, size_t len)
{
	size_t bound = ZSTD_compressBound(len), n;
	char *out __cleanup_free = xmalloc(bound);
	u32 sizes[2];

	n = ZSTD_compress2(w->zstd, out, bound, data, len);
	if (ZSTD_isError(n)) {
		fail(w, -EIO);
		return;
	}
	sizes[0] = (u32)n;
	sizes[1] = (u32)len;
	put(w, sizes, sizeof(sizes));
	put(w, out, n);
}

static u64 section_begin(struct writer *w, u16 id, u16 flags, const char *what)
{
	struct blob h = {.len = 0};
	u64 at = where(w);

	blob_u16(&h, id);
	blob_u16(&h, flags);
	blob_u32(&h, (u32)w->strings.len);
	blob_u64(&h, 0); /* section_end() */
	blob_str(&w->strings, what);
	put(w, h.data, h.len);
	free(h.data);
	return at;
}

static void section_end(struct writer *w, u64 at)
{
	u64 size = where(w) - at - 16;

	put_at(w, at + 8, &size, sizeof(size));
}

static void option(struct writer *w, u16 id, const void *data, size_t len)
{
	blob_u16(&w->options, id);
	blob_u32(&w->options, (u32)len);
	blob_put(&w->options, data, len);
}

/* A compressed section, and the option that says where it is.  Frees @b. */
static void section(struct writer *w, u16 id, const char *what, struct blob *b)
{
	u64 at = section_begin(w, id, SECTION_COMPRESSED, what);

	put_compressed(w, b->data, b->len);
	section_end(w, at);
	option(w, id, &at, sizeof(at));
	free(b->data);
}

const struct tracefs_file *tracefs_find(const struct tracedat *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->n_files; i++)
		if (!strcmp(t->files[i].name, name))
			return &t->files[i];
	return NULL;
}

static void blob_file(struct blob *b, const struct tracefs_file *f)
{
	blob_u64(b, f->len);
	blob_put(b, f->data, f->len);
}

static void header_info(struct writer *w, const struct tracedat *t)
{
	static const char *const names[] = {"header_page", "header_event"};
	const struct tracefs_file *f;
	struct blob b = {.len = 0};
	char path[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "events/%s", names[i]);
		f = tracefs_find(t, path);
		if (!f) {
			missing(w, path);
			free(b.data);
			return;
		}
		blob_str(&b, names[i]);
		blob_file(&b, f);
	}
	section(w, ID_HEADER_INFO, "headers", &b);
}

/* "events/SYSTEM/EVENT/format": puts SYSTEM's length in *@len and returns it, else NULL. */
static const char *format_system(const struct tracefs_file *f, size_t *len)
{
	const char *system = str_after(f->name, "events/"), *event, *end;

	event = system ? strchr(system, '/') : NULL;
	end = event ? strchr(event + 1, '/') : NULL;
	if (!end || strcmp(end, "/format"))
		return NULL;
	*len = (size_t)(event - system);
	return system;
}

/* Appends the formats of one system; returns how many. */
static u32 system_formats(struct blob *b, const struct tracedat *t, const char *system, size_t len)
{
	const char *s;
	size_t i, n;
	u32 count = 0;

	for (i = 0; i < t->n_files; i++) {
		s = format_system(&t->files[i], &n);
		if (!s || n != len || memcmp(s, system, n))
			continue;
		if (b)
			blob_file(b, &t->files[i]);
		count++;
	}
	return count;
}

static void ftrace_events(struct writer *w, const struct tracedat *t)
{
	struct blob b = {.len = 0};

	blob_u32(&b, system_formats(NULL, t, "ftrace", 6));
	system_formats(&b, t, "ftrace", 6);
	section(w, ID_FTRACE_EVENTS, "ftrace events", &b);
}

static void event_formats(struct writer *w, const struct tracedat *t)
{
	struct blob b = {.len = 0}, all = {.len = 0};
	const char *s, *before;
	u32 systems = 0;
	size_t i, j, n, m;

	for (i = 0; i < t->n_files; i++) {
		s = format_system(&t->files[i], &n);
		if (!s || (n == 6 && !memcmp(s, "ftrace", 6)))
			continue;
		for (j = 0; j < i; j++) {
			before = format_system(&t->files[j], &m);
			if (before && m == n && !memcmp(before, s, n))
				break;
		}
		if (j < i)
			continue;
		systems++;
		blob_put(&all, s, n);
		blob_put(&all, "", 1);
		blob_u32(&all, system_formats(NULL, t, s, n));
		system_formats(&all, t, s, n);
	}
	if (!systems)
		missing(w, "event formats");
	blob_u32(&b, systems);
	blob_put(&b, all.data, all.len);
	free(all.data);
	section(w, ID_EVENT_FORMATS, "event formats", &b);
}

static void tables(struct writer *w, const struct tracedat *t)
{
	const struct tracefs_file *f;
	struct blob b = {.len = 0};

	/*
	 * No event of ours needs symbols, which would be the largest part of a small
	 * trace; but trace-cmd convert fails on a file that has not even an empty table.
	 */
	blob_u32(&b, 0);
	section(w, ID_KALLSYMS, "kallsyms", &b);

	memset(&b, 0, sizeof(b));
	f = tracefs_find(t, "printk_formats");
	blob_u32(&b, f ? (u32)f->len : 0);
	if (f)
		blob_put(&b, f->data, f->len);
	section(w, ID_PRINTK, "trace_printk", &b);

	memset(&b, 0, sizeof(b));
	f = tracefs_find(t, "saved_cmdlines");
	blob_u64(&b, f ? f->len : 0);
	if (f)
		blob_put(&b, f->data, f->len);
	section(w, ID_CMDLINES, "command lines", &b);
}

static void facts(struct writer *w, const struct tracedat *t)
{
	const struct tracefs_file *f;
	struct blob text = {.len = 0};
	char name[48];
	u32 i;

	for (i = 0; i < t->n_cpus; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", i);
		f = tracefs_find(t, name);
		if (!f)
			continue;
		/* as trace-cmd writes it: the CPU's number stands in the text */
		text.len = 0;
		snprintf(name, sizeof(name), "CPU: %u\n", i);
		blob_put(&text, name, strlen(name));
		blob_put(&text, f->data, f->len);
		blob_put(&text, "", 1);
		option(w, ID_CPUSTAT, text.data, text.len);
	}
	text.len = 0;
	blob_put(&text, "[", 1);
	blob_put(&text, t->clock, strlen(t->clock));
	blob_put(&text, "]", 2);
	option(w, ID_TRACECLOCK, text.data, text.len);
	free(text.data);
	option(w, ID_UNAME, t->uname, strlen(t->uname) + 1);
	option(w, ID_VERSION, t->version, strlen(t->version) + 1);
	option(w, ID_CPUCOUNT, &t->n_cpus, sizeof(t->n_cpus));
}

/* One CPU's pages: u32 count of chunks, then the chunks. */
static void cpu_data(struct writer *w, const struct cpu_pages *c, u32 page_size)
{
	u64 chunk = (u64)CHUNK_PAGES * page_size, at;
	u32 count = (u32)((c->size + chunk - 1) / chunk);
	char *buf __cleanup_free = xmalloc(chunk);
	ssize_t n;

	put(w, &count, sizeof(count));
	for (at = 0; at < c->size && !w->ret; at += chunk) {
		chunk = MIN(chunk, c->size - at);
		n = pread(c->fd, buf, chunk, (off_t)at);
		if (n != (ssize_t)chunk) {
			fail(w, n < 0 ? -errno : -EIO);
			return;
		}
		put_compressed(w, buf, chunk);
	}
}

static void buffer(struct writer *w, const struct tracedat *t)
{
	u64 begin = section_begin(w, ID_BUFFER, SECTION_COMPRESSED, "flyrecord"), at;
	struct blob b = {.len = 0};
	u32 i;

	blob_u64(&b, begin);
	blob_str(&b, ""); /* the top instance: what report shows unasked */
	blob_str(&b, t->clock);
	blob_u32(&b, t->page_size);
	blob_u32(&b, t->n_cpus);
	for (i = 0; i < t->n_cpus; i++) {
		at = where(w);
		if (t->cpus[i].size)
			cpu_data(w, &t->cpus[i], t->page_size);
		blob_u32(&b, i);
		blob_u64(&b, at);
		blob_u64(&b, where(w) - at);
	}
	section_end(w, begin);
	option(w, ID_BUFFER, b.data, b.len);
	free(b.data);
}

static void options_section(struct writer *w, u64 pointer_at)
{
	u64 at, none = 0;

	option(w, ID_DONE, &none, sizeof(none));
	at = section_begin(w, ID_DONE, 0, "options");
	put(w, w->options.data, w->options.len);
	section_end(w, at);
	put_at(w, pointer_at, &at, sizeof(at));
	/* no option points to the strings: readers that want them look for the id */
	at = section_begin(w, ID_STRINGS, 0, "strings");
	put(w, w->strings.data, w->strings.len);
	section_end(w, at);
}

static void write_all(struct writer *w, const struct tracedat *t)
{
	struct blob h = {.len = 0};
	u64 pointer_at;

	blob_put(&h,
		 "\x17\x08\x44"
		 "tracing",
		 10);
	blob_str(&h, "7");
	blob_put(&h, "\0\x08", 2); /* little endian, 8-byte longs */
	blob_u32(&h, t->page_size);
	blob_str(&h, "zstd");
	blob_str(&h, ZSTD_versionString());
	pointer_at = h.len;
	blob_u64(&h, 0);
	put(w, h.data, h.len);
	free(h.data);

	header_info(w, t);
	ftrace_events(w, t);
	event_formats(w, t);
	tables(w, t);
	facts(w, t);
	buffer(w, t);
	options_section(w, pointer_at);
}

static int check(const struct tracedat *t, struct err *e)
{
	u32 i;

	if (t->page_size < 4096 || t->page_size > (1u << 20) || t->page_size & (t->page_size - 1))
		return err_set(e, -EINVAL, "a ring buffer page of %u bytes", t->page_size);
	if (!t->n_cpus || t->n_cpus > CPUS_MAX)
		return err_set(e, -EINVAL, "a trace of %u CPUs", t->n_cpus);
	for (i = 0; i < t->n_cpus; i++)
		if (t->cpus[i].size % t->page_size)
			return err_set(e, -EINVAL,
				       "CPU %u: %llu bytes of trace: no whole number of pages", i,
				       (unsigned long long)t->cpus[i].size);
	return 0;
}

int tracedat_write(const struct tracedat *t, const char *path, struct err *e)
{
	struct writer w = {.e = e};
	u64 bytes = 0;
	int level, ret;
	u32 i;

	ret = check(t, e);
	if (ret)
		return ret;
	w.f = fopen(path, "w+e");
	if (!w.f)
		return err_errno(e, -errno, "%s", path);
	for (i = 0; i < t->n_cpus; i++)
		bytes += t->cpus[i].size;
	level = bytes < SMALL_BYTES ? ZSTD_LEVEL_SMALL : ZSTD_LEVEL;
	w.zstd = ZSTD_createCCtx();
	/* the format has no checksum of its own: a flipped bit would be another event */
	if (!w.zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w.zstd, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w.zstd, ZSTD_c_checksumFlag, 1)))
		fail(&w, -EIO);
	e->msg[0] = '\0';
	if (!w.ret)
		write_all(&w, t);
	ZSTD_freeCCtx(w.zstd);
	if (fclose(w.f))
		fail(&w, -errno);
	free(w.options.data);
	free(w.strings.data);
	if (w.ret == -ENODATA && e->msg[0])
		return w.ret;
	if (w.ret)
		return err_errno(e, w.ret, "%s: cannot be written", path);
	return 0;
}
