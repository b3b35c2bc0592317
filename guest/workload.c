// SPDX-License-Identifier: GPL-2.0-only
#include "guest/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "guest/patterns/list.h"
#include "guest/sys.h"
#include "lib/testdata.h"

/*
 * Buffers start this far into their mapping.  Large mappings are all aligned
 * alike, so that without it source and destination of a copy always fall into
 * the same slot of QEMU's direct-mapped TLB and each access evicts the other:
 * copies are five times slower under TCG.
 */
#define BUFFER_SKEW (256u << 10)
/* Documentation/userspace-api/ioctl/ioctl-number.rst: fs/ceph/ioctl.h, which no package has */
#define CEPH_IOC_LAZYIO _IO(0x97, 4)
/* Small, since mlockall() makes all of it resident. */
#define STACK_SIZE (256u << 10)

#define PATTERN_ENTRY(p, with_pieces) {&p, with_pieces},
static const struct {
	const struct pattern *pattern;
	bool pieces;
} all_patterns[] = {FOR_EACH_PATTERN(PATTERN_ENTRY)};

static void find_pattern(struct workload *w, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_patterns); i++)
		if (!strcmp(all_patterns[i].pattern->name, name)) {
			w->pattern = all_patterns[i].pattern;
			w->pieces = all_patterns[i].pieces;
		}
}

const struct pattern *pattern_named(const char *name)
{
	struct workload w = {.pattern = NULL};

	find_pattern(&w, name);
	return w.pattern;
}

int stream_fail(struct stream *s, int error, const char *fmt, ...)
{
	va_list ap;
	char what[512];

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	s->error = error ? error : -EIO;
	return err_errno(&s->err, s->error, "thread %u: %s", s->index, what);
}

int stream_begin(struct stream *s, u64 off, u64 len)
{
	int ret = tracer_mark(s->w->tracer, MARKER_STREAM "%u %llu %llu", s->index,
			      (unsigned long long)off, (unsigned long long)len);

	return ret ? stream_fail(s, ret, "writing a marker") : 0;
}

static u64 timeval_ns(const struct timeval *tv)
{
	return (u64)tv->tv_sec * NSEC_PER_SEC + (u64)tv->tv_usec * 1000;
}

int stream_move(struct stream *s, u64 off, u64 len)
{
	const struct pattern *p = s->w->pattern;
	struct rusage before, after;
	u64 begin, end, first_bad = 0, bad;
	int ret;

	if (p->piece_markers) {
		ret = tracer_mark(s->w->tracer, MARKER_PIECE "%u %llu %llu", s->index,
				  (unsigned long long)off, (unsigned long long)len);
		if (ret)
			return stream_fail(s, ret, "writing a marker");
	}
	getrusage(RUSAGE_THREAD, &before);
	begin = sys_now_ns();
	ret = p->move(s, off, len);
	end = sys_now_ns();
	getrusage(RUSAGE_THREAD, &after);
	if (ret)
		return ret;
	s->busy_ns += end - begin;
	s->user_ns += timeval_ns(&after.ru_utime) - timeval_ns(&before.ru_utime);
	s->system_ns += timeval_ns(&after.ru_stime) - timeval_ns(&before.ru_stime);
	atomic_fetch_add_explicit(&s->done, len, memory_order_relaxed);

	if (p->moved)
		p->moved(s, off, len);
	bad = testdata_check(s->buf, off, len, &first_bad);
	if (bad && (!s->bad || first_bad < s->first_bad))
		s->first_bad = first_bad;
	s->bad += bad;
	s->checked += len;
	return 0;
}

int stream_run_pieces(struct stream *s)
{
	struct cursor c = {0};
	u64 off, len;
	int ret;

	layout_stream(&s->w->layout, s->index, &off, &len);
	ret = stream_begin(s, off, len);
	while (!ret && layout_next(&s->w->layout, s->index, &c, &off, &len))
		ret = stream_move(s, off, len);
	return ret;
}

static void *stream_thread(void *arg)
{
	struct stream *s = arg;
	struct workload *w = s->w;
	const struct pattern *p = w->pattern;
	char name[16];

	/* the name is what the trace shows, so it is set before the first event */
	snprintf(name, sizeof(name), "piece-%u", s->index);
	pthread_setname_np(pthread_self(), name);
	pthread_barrier_wait(&w->ready);
	pthread_barrier_wait(&w->go);
	/* an error is kept in @s for workload_join() */
	if (p->run)
		p->run(s);
	else
		stream_run_pieces(s);
	sem_post(&w->finished);
	return NULL;
}

/* Everything of @w that needs no file and no memory. */
static int workload_init(struct workload *w, const struct phase *phase, u64 file_size,
			 struct err *e)
{
	int ret;

	*w = (struct workload){
		.phase = phase,
		.file_size = file_size,
		.start = position_bytes(&phase->start, file_size, (u64)sysconf(_SC_PAGESIZE)),
		.n_streams = phase->threads,
		.fd = -1,
	};
	find_pattern(w, phase->pattern);
	if (!w->pattern)
		return err_set(e, -EINVAL, "no pattern named '%s'", phase->pattern);
	if (!w->n_streams)
		return err_set(e, -EINVAL, "a phase needs at least one thread");
	/* a page at least: patterns may read more in one call than they touch at a place */
	w->buf_size = w->pieces ? phase->piece : MAX(phase->length, 4096u);
	if (w->pieces) {
		ret = layout_init(&w->layout, file_size, w->start, phase->piece, phase->chunk,
				  phase->threads);
		if (ret == -ERANGE)
			return err_set(e, ret, "the file is too small for %u threads",
				       phase->threads);
		if (ret)
			return err_set(e, ret,
				       "pattern %s needs piece, threads, and a start in the file",
				       w->pattern->name);
	}
	return w->pattern->validate ? w->pattern->validate(w, e) : 0;
}

/*
 * Half of the memory at most: the rest is for the page cache.  Without this
 * the kernel would kill the agent, which tells nobody why.
 */
static int check_memory(const struct workload *w, struct err *e)
{
	u64 needed = w->n_streams * (u64)(w->buf_size + BUFFER_SKEW);
	struct sysinfo mem;
	u64 total;

	if (sysinfo(&mem))
		return err_errno(e, -errno, "sysinfo");
	total = (u64)mem.totalram * mem.mem_unit;
	if (needed <= total / 2)
		return 0;
	return err_set(e, -ENOMEM, "%u buffers of %zu bytes are more than half of %llu MiB memory",
		       w->n_streams, w->buf_size, (unsigned long long)(total >> 20));
}

int workload_check(const struct phase *phase, u64 file_size, struct err *e)
{
	struct workload w;
	int ret = workload_init(&w, phase, file_size, e);

	if (!ret)
		ret = check_memory(&w, e);
	return ret ? err_prefix(e, ret, "phase %s", phase->name) : 0;
}

static bool own_file(const struct workload *w)
{
	return w->pattern->own_file || w->phase->own_file;
}

int stream_pread(struct stream *s, u64 off, u64 len)
{
	u64 done = 0;
	ssize_t n;

	while (done < len) {
		n = pread(s->fd, s->buf + done, len - done, (off_t)(off + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return stream_fail(s, -errno, "pread at %llu",
					   (unsigned long long)(off + done));
		if (!n)
			return stream_fail(s, -EIO, "pread at %llu: end of file",
					   (unsigned long long)(off + done));
		done += (u64)n;
	}
	return 0;
}

/* @client of the files, as the phase wants it to be open. */
static int open_file(const struct workload *w, unsigned int client, int *fd, struct err *e)
{
	const char *path = w->files->path[client];

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return err_errno(e, -errno, "%s", path);
	if (w->phase->lazyio && ioctl(*fd, CEPH_IOC_LAZYIO))
		return err_errno(e, -errno, "%s: LAZYIO", path);
	return 0;
}

static int setup_stream(struct workload *w, struct stream *s, struct err *e)
{
	unsigned int client;
	void *map;

	map = mmap(NULL, w->buf_size + BUFFER_SKEW, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (map == MAP_FAILED)
		return err_errno(e, -errno, "a buffer of %zu bytes", w->buf_size);
	s->buf = (u8 *)map + BUFFER_SKEW;
	client = phase_client(w->phase, s->index);
	s->fd = w->fds[client];
	return own_file(w) ? open_file(w, client, &s->fd, e) : 0;
}

static int start_threads(struct workload *w, struct err *e)
{
	pthread_attr_t attr;
	unsigned int i;
	int ret = 0;

	pthread_barrier_init(&w->ready, NULL, w->n_streams + 1);
	pthread_barrier_init(&w->go, NULL, w->n_streams + 1);
	sem_init(&w->finished, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	for (i = 0; i < w->n_streams && !ret; i++)
		ret = pthread_create(&w->streams[i].thread, &attr, stream_thread, &w->streams[i]);
	pthread_attr_destroy(&attr);
	if (ret)
		return err_errno(e, -ret, "thread %u of %u", i, w->n_streams);
	pthread_barrier_wait(&w->ready);
	return 0;
}

int workload_setup(struct workload *w, const struct phase *phase, const struct test_files *files,
		   u64 file_size, struct tracer *tracer, struct err *e)
{
	unsigned int i;
	int ret;

	ret = workload_init(w, phase, file_size, e);
	if (ret)
		return ret;
	w->tracer = tracer;
	w->files = files;

	/* fresh open files each time: their readahead state is part of what is measured */
	w->fds = xcalloc(files->n, sizeof(*w->fds));
	for (i = 0; i < files->n; i++) {
		ret = open_file(w, i, &w->fds[i], e);
		if (ret)
			return ret;
	}
	w->fd = w->fds[0];
	w->streams = xcalloc(w->n_streams, sizeof(*w->streams));
	for (i = 0; i < w->n_streams && !ret; i++) {
		w->streams[i].w = w;
		w->streams[i].index = i;
		ret = setup_stream(w, &w->streams[i], e);
	}
	if (!ret)
		ret = start_threads(w, e);
	if (ret)
		return ret;
	/* stacks, buffers, code and heap; never what is mapped later, the test file */
	if (mlockall(MCL_CURRENT))
		return err_errno(e, -errno, "mlockall");
	return 0;
}

u64 workload_bytes(const struct workload *w)
{
	return w->pattern->bytes ? w->pattern->bytes(w) : layout_bytes(&w->layout);
}

int workload_map(struct workload *w, struct err *e)
{
	void *map;

	if (!w->pattern->mapped)
		return 0;
	map = mmap(NULL, w->file_size, PROT_READ, MAP_PRIVATE, w->fd, 0);
	if (map == MAP_FAILED)
		return err_errno(e, -errno, "mapping %s", w->files->path[0]);
	w->map = map;
	return 0;
}

void workload_start(struct workload *w)
{
	pthread_barrier_wait(&w->go);
}

void workload_wait(struct workload *w, unsigned int ms, unsigned int *finished)
{
	struct timespec ts;
	u64 until = sys_now_ns() + ms * 1000000ull;

	ts.tv_sec = (time_t)(until / NSEC_PER_SEC);
	ts.tv_nsec = (long)(until % NSEC_PER_SEC);
	while (*finished < w->n_streams) {
		if (!sem_clockwait(&w->finished, CLOCK_MONOTONIC, &ts))
			++*finished;
		else if (errno != EINTR)
			break;
	}
}

u64 workload_done(const struct workload *w)
{
	unsigned int i;
	u64 done = 0;

	for (i = 0; i < w->n_streams; i++)
		done += atomic_load_explicit(&w->streams[i].done, memory_order_relaxed);
	return done;
}

int workload_join(struct workload *w, struct err *e)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < w->n_streams; i++) {
		pthread_join(w->streams[i].thread, NULL);
		if (w->streams[i].error && !ret) {
			ret = w->streams[i].error;
			*e = w->streams[i].err;
		}
	}
	return ret;
}

void workload_free(struct workload *w)
{
	unsigned int i;

	if (w->map)
		munmap((void *)(uintptr_t)w->map, w->file_size);
	for (i = 0; i < w->n_streams; i++) {
		if (own_file(w) && w->streams[i].fd >= 0)
			close(w->streams[i].fd);
		munmap(w->streams[i].buf - BUFFER_SKEW, w->buf_size + BUFFER_SKEW);
	}
	for (i = 0; i < w->files->n; i++)
		close(w->fds[i]);
	free(w->fds);
	free(w->streams);
	pthread_barrier_destroy(&w->ready);
	pthread_barrier_destroy(&w->go);
	sem_destroy(&w->finished);
}
