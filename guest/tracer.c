// SPDX-License-Identifier: GPL-2.0-only
#include "guest/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <tracefs.h>

#include "guest/sys.h"
#include "lib/fileio.h"

#define CPUS_MAX 256
#define SUBBUF_MAX (1u << 20)
/* As many pages as make a frame of about this size. */
#define FRAME_TARGET (1u << 20)

static const struct tracer_event wanted_events[] = {
	{"readahead", "page_cache_ra_unbounded", false, 0},
	{"readahead", "page_cache_ra_order", false, 0},
	{"readahead", "page_cache_sync_ra", false, 0},
	{"readahead", "page_cache_async_ra", false, 0},
	{"filemap", "mm_filemap_add_to_page_cache", false, 0},
	{"filemap", "mm_filemap_delete_from_page_cache", false, 0},
	{"filemap", "mm_filemap_fault", false, 0},
	{"filemap", "mm_filemap_get_pages", false, 0},
	{"filemap", "mm_filemap_map_pages", false, 0},
	{"block", "block_rq_issue", false, 0},
	{"block", "block_rq_complete", false, 0},
	{"netfs", "netfs_read", false, TRACER_CEPH},
	{"netfs", "netfs_rreq", false, TRACER_CEPH},
	{"netfs", "netfs_sreq", false, TRACER_CEPH},
	/* of our patch: a read() that was taken as one of a stride */
	{"ceph", "ceph_strided_read", false, TRACER_CEPH},
	{"block", "block_bio_queue", false, TRACER_BIO},
};

struct tracer {
	struct tracefs_instance *instance;
	struct tracer_event events[ARRAY_SIZE(wanted_events)];
	unsigned int n_events, sets;
	unsigned int cpus;
	int on_fd, marker_fd;
	u32 subbuf; /* bytes of a ring buffer page */
	u8 *pages;  /* FRAME_TARGET or one page, whichever is larger */
	size_t pages_size;
	struct ring_stats total[CPUS_MAX];
};

static int instance_write(struct tracer *t, const char *file, const char *text, struct err *e)
{
	char *path = tracefs_instance_get_file(t->instance, file);
	int ret;

	if (!path)
		return err_set(e, -ENOMEM, "tracefs %s: no path", file);
	ret = sys_write(path, text);
	if (ret)
		err_errno(e, ret, "tracefs: writing '%s' to %s", text, file);
	tracefs_put_tracing_file(path);
	return ret;
}

static int enable_events(struct tracer *t, struct err *e)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(wanted_events); i++) {
		struct tracer_event *ev = &t->events[t->n_events];

		if (wanted_events[i].set && !(wanted_events[i].set & t->sets))
			continue;
		*ev = wanted_events[i];
		t->n_events++;
		ev->enabled = !tracefs_event_enable(t->instance, ev->system, ev->name);
		n += ev->enabled;
	}
	return n ? 0 : err_set(e, -ENODEV, "the kernel has none of the trace events");
}

/* "8" in KiB where sub-buffers can be larger than a page; the page size elsewhere. */
static u32 subbuf_size(struct tracer *t)
{
	long long kb;

	if (!tracefs_instance_file_read_number(t->instance, "buffer_subbuf_size_kb", &kb) &&
	    kb > 0 && kb <= SUBBUF_MAX >> 10)
		return (u32)kb << 10;
	return (u32)sysconf(_SC_PAGESIZE);
}

int tracer_resize(struct tracer *t, u64 bytes, struct err *e)
{
	if (tracefs_instance_set_buffer_size(t->instance, (bytes + 1023) >> 10, -1))
		return err_errno(e, -errno, "ring buffer of %llu bytes per CPU",
				 (unsigned long long)bytes);
	return 0;
}

int tracer_open(struct tracer **out, u64 buffer_size, unsigned int sets, struct err *e)
{
	struct tracer *t = xcalloc(1, sizeof(*t));
	int ret;

	*out = t;
	t->sets = sets;
	t->cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
	if (t->cpus > CPUS_MAX)
		return err_set(e, -E2BIG, "%u CPUs are more than %d", t->cpus, CPUS_MAX);
	t->instance = tracefs_instance_create(TRACE_INSTANCE);
	if (!t->instance)
		return err_errno(e, errno ? -errno : -EIO, "tracefs instance '%s'", TRACE_INSTANCE);
	/* a new instance traces from its birth */
	t->on_fd = tracefs_trace_on_get_fd(t->instance);
	if (t->on_fd < 0 || tracer_off(t))
		return err_errno(e, -errno, "tracefs tracing_on");
	t->marker_fd = tracefs_instance_file_open(t->instance, "trace_marker", O_WRONLY);
	if (t->marker_fd < 0)
		return err_errno(e, -errno, "tracefs trace_marker");
	ret = instance_write(t, "trace_clock", TRACER_CLOCK, e);
	if (ret)
		return ret;
	ret = tracer_resize(t, buffer_size, e);
	if (ret)
		return ret;
	t->subbuf = subbuf_size(t);
	t->pages_size = MAX(FRAME_TARGET / t->subbuf, 1u) * t->subbuf;
	t->pages = xmalloc(t->pages_size);

	/* Names of threads are looked up when the buffer is read, long after they
	 * are gone; both files exist only at the top. */
	if (tracefs_instance_file_write(NULL, "saved_cmdlines_size", "4096") < 0)
		console_print("saved_cmdlines_size cannot be set; some task names may be missing");
	if (tracefs_option_enable(NULL, TRACEFS_OPTION_RECORD_CMD))
		console_print("option record-cmd cannot be set; task names may be missing");
	return enable_events(t, e);
}

const struct tracer_event *tracer_events(const struct tracer *t, unsigned int *n)
{
	*n = t->n_events;
	return t->events;
}

unsigned int tracer_cpus(const struct tracer *t)
{
	return t->cpus;
}

int tracer_clear(struct tracer *t, struct err *e)
{
	/* opening it for writing with O_TRUNC is what clears the buffer */
	if (tracefs_instance_file_clear(t->instance, "trace"))
		return err_errno(e, -errno, "tracefs: clearing the ring buffer");
	return 0;
}

int tracer_on(struct tracer *t)
{
	return write(t->on_fd, "1", 1) == 1 ? 0 : -errno;
}

int tracer_off(struct tracer *t)
{
	return write(t->on_fd, "0", 1) == 1 ? 0 : -errno;
}

int tracer_mark(struct tracer *t, const char *fmt, ...)
{
	char text[256] = MARKER_PREFIX;
	size_t n = sizeof(MARKER_PREFIX) - 1;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	va_end(ap);
	n = strlen(text);
	return write(t->marker_fd, text, n) == (ssize_t)n ? 0 : -errno;
}

static int cpu_stats(struct tracer *t, unsigned int cpu, struct ring_stats *s, struct err *e)
{
	char file[64];
	char *text;
	int ret;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	text = tracefs_instance_file_read(t->instance, file, NULL);
	if (!text)
		return err_errno(e, -errno, "tracefs %s", file);
	ret = ring_stats_parse(s, text);
	free(text);
	return ret ? err_set(e, ret, "tracefs %s has no counters that we know", file) : 0;
}

/* Fills the frame buffer with pages of one CPU; returns bytes, 0 at the end, or -errno. */
static ssize_t read_pages(struct tracer *t, int fd)
{
	size_t have = 0;
	ssize_t n;

	while (have + t->subbuf <= t->pages_size) {
		n = read(fd, t->pages + have, t->subbuf);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		/* a page that is not whole would shift all that follow it */
		if ((size_t)n != t->subbuf)
			return -EPROTO;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static int drain_cpu(struct tracer *t, struct port *port, unsigned int cpu, struct err *e)
{
	char file[64];
	ssize_t n;
	int fd __cleanup_close = -1;
	int ret;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	fd = tracefs_instance_file_open(t->instance, file, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return err_errno(e, -errno, "tracefs %s", file);
	while ((n = read_pages(t, fd)) > 0) {
		ret = port_send_data(port, FRAME_PAGES, cpu, t->pages, (size_t)n);
		if (ret)
			return err_errno(e, ret, "sending trace pages");
	}
	return n < 0 ? err_errno(e, (int)n, "reading tracefs %s", file) : 0;
}

int tracer_drain(struct tracer *t, struct port *port, struct cpu_drain *loss, struct err *e)
{
	struct ring_stats before, after;
	unsigned int cpu;
	int ret;

	for (cpu = 0; cpu < t->cpus; cpu++) {
		ret = cpu_stats(t, cpu, &before, e);
		if (!ret)
			ret = drain_cpu(t, port, cpu, e);
		if (!ret)
			ret = cpu_stats(t, cpu, &after, e);
		if (ret)
			return ret;
		loss[cpu] = (struct cpu_drain){
			.entries_read = after.read - before.read,
			.overrun = after.overrun,
			.commit_overrun = after.commit_overrun,
			.dropped = after.dropped,
			.unread = after.entries,
		};
		t->total[cpu].entries += after.entries;
		t->total[cpu].overrun += after.overrun;
		t->total[cpu].commit_overrun += after.commit_overrun;
		t->total[cpu].dropped += after.dropped;
		t->total[cpu].read += loss[cpu].entries_read;
	}
	return 0;
}

static int send_file(struct port *port, const char *name, const void *data, size_t len,
		     struct err *e)
{
	struct iovec iov[] = {
		{.iov_base = (void *)(uintptr_t)name, .iov_len = strlen(name) + 1},
		{.iov_base = (void *)(uintptr_t)data, .iov_len = len},
	};
	int ret = port_send(port, FRAME_FILE, 0, iov, ARRAY_SIZE(iov));

	return ret ? err_errno(e, ret, "sending %s", name) : 0;
}

/* A file of the top tracefs directory; @optional: its absence is no error. */
static int send_tracefs(struct port *port, const char *name, bool optional, struct err *e)
{
	char *data __cleanup_free = NULL;
	char *path = tracefs_get_tracing_file(name);
	size_t len;
	int ret;

	if (!path)
		return err_set(e, -ENOENT, "tracefs %s: no path", name);
	ret = file_read(path, FRAME_MAX_PAYLOAD / 2, &data, &len, e);
	tracefs_put_tracing_file(path);
	if (ret == -ENOENT && optional)
		return 0;
	return ret ? ret : send_file(port, name, data, len, e);
}

static int send_system(struct port *port, const char *system, struct err *e)
{
	char **events = tracefs_system_events(NULL, system);
	char name[256];
	unsigned int i;
	int ret = 0;

	/* a kernel without the system has said so in events_missing already */
	for (i = 0; events && events[i] && !ret; i++) {
		snprintf(name, sizeof(name), "events/%s/%s/format", system, events[i]);
		ret = send_tracefs(port, name, true, e);
	}
	tracefs_list_free(events);
	return ret;
}

static int send_format(struct port *port, const struct tracer_event *ev, struct err *e)
{
	char name[256];

	snprintf(name, sizeof(name), "events/%s/%s/format", ev->system, ev->name);
	return send_tracefs(port, name, false, e);
}

int tracer_send_formats(struct tracer *t, struct port *port, struct err *e)
{
	static const char *const systems[] = {"ftrace", "readahead", "filemap", "block"};
	unsigned int i;
	int ret;

	ret = send_tracefs(port, "events/header_page", false, e);
	if (!ret)
		ret = send_tracefs(port, "events/header_event", false, e);
	for (i = 0; i < ARRAY_SIZE(systems) && !ret; i++)
		ret = send_system(port, systems[i], e);
	for (i = 0; i < t->n_events && !ret; i++)
		if (t->events[i].set && t->events[i].enabled)
			ret = send_format(port, &t->events[i], e);
	/* No kallsyms: megabytes, and no event of ours prints an address as a symbol. */
	if (!ret)
		ret = send_tracefs(port, "printk_formats", true, e);
	return ret;
}

int tracer_send_tables(struct tracer *t, struct port *port, struct err *e)
{
	char name[64], text[256];
	unsigned int cpu;
	int ret;

	ret = send_tracefs(port, "saved_cmdlines", true, e);
	for (cpu = 0; cpu < t->cpus && !ret; cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
		ring_stats_text(&t->total[cpu], text, sizeof(text));
		ret = send_file(port, name, text, strlen(text), e);
	}
	return ret;
}
