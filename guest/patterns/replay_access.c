// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recorded workload's accesses again: one thread for each of its tasks, which
 * does what the plan says in the plan's order, as fast as it can or when it was
 * done.  Nothing orders the threads among each other but time.
 *
 * Open files carry readahead state, and a trace does not tell which tasks shared
 * one.  By default tasks that touch a mapping share it, as threads do, and tasks
 * that read have each opened the file, as programs do; the phase can say
 * otherwise.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>

#include "guest/pattern.h"
#include "guest/patterns/list.h"
#include "guest/replay.h"
#include "guest/sys.h"
#include "guest/workload.h"
#include "lib/testdata.h"

/* Of one call; what is longer is issued in several, and said to be. */
#define IOV 1024u

struct file_result {
	atomic_ullong accesses, bytes, major_faults;
};

struct replay_state {
	struct replay *r;
	struct queues queues;
	const u8 **maps; /* by file: shared by all tasks */
	struct file_result *results;
	atomic_ullong issued, beyond_end, cut_short, split, out_of_order;
	atomic_ullong late_ns, late_max_ns; /* recorded times: sum and maximum */
	atomic_ullong start_ns;
	u64 page;
};

/* One phase at a time. */
static struct replay_state state;

/* What a task has open for itself. */
struct task_files {
	struct stream *s;
	int *fds;
	const u8 **maps;
};

static bool shares(const struct workload *w, enum access_op op)
{
	if (w->phase->open == OPEN_AUTO)
		return op == ACCESS_TOUCH;
	return w->phase->open == OPEN_SHARED;
}

/* The open file behind /proc/self/fd: a new one of the same inode, without a look-up. */
static int task_fd(struct task_files *t, const struct record *r)
{
	char path[32];

	if (shares(t->s->w, (enum access_op)r->op))
		return state.r->files[r->file].fd;
	if (!t->fds[r->file]) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", state.r->files[r->file].fd);
		t->fds[r->file] = open(path, O_RDONLY | O_CLOEXEC);
	}
	return t->fds[r->file];
}

static const u8 *map_file(int fd, u64 size)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

static const u8 *task_map(struct task_files *t, const struct record *r)
{
	int fd;

	if (shares(t->s->w, ACCESS_TOUCH))
		return state.maps[r->file];
	if (!t->maps[r->file]) {
		fd = task_fd(t, r);
		t->maps[r->file] = fd < 0 ? NULL : map_file(fd, state.r->files[r->file].size);
	}
	return t->maps[r->file];
}

static void check_data(struct stream *s, const void *data, u32 file, u64 off, u64 len)
{
	u64 first = 0, salt = testdata_file(file);
	u64 bad = testdata_check(data, salt + off, len, &first);

	if (bad && (!s->bad || first - salt < s->first_bad))
		s->first_bad = first - salt;
	s->bad += bad;
	s->checked += len;
}

/* One load, which is the touch; then the whole page is compared, as a copy would read it. */
static void touch_page(struct stream *s, const u8 *map, const struct record *r, u64 page)
{
	u64 off = r->offset + page * state.page;
	u64 len = MIN(state.page, state.r->files[r->file].size - off);

	(void)*(const volatile u8 *)(map + off);
	check_data(s, map + off, r->file, off, len);
	atomic_fetch_add(&state.results[r->file].bytes, len);
	atomic_fetch_add_explicit(&s->done, len, memory_order_relaxed);
}

static int do_touch(struct task_files *t, const struct record *r, u64 len)
{
	const struct workload *w = t->s->w;
	const u8 *map = task_map(t, r);
	u64 pages = (len + state.page - 1) / state.page;
	u64 first = r->at == AT_UNKNOWN ? 0 : MIN((u64)r->at, pages - 1);

	if (!map)
		return stream_fail(t->s, -errno, "mapping file %u", r->file);
	touch_page(t->s, map, r, first);
	if (w->phase->touch == TOUCH_PAGE || (w->phase->touch == TOUCH_RUN && !r->run))
		return 0;
	for (u64 i = 0; i < pages; i++)
		if (i != first)
			touch_page(t->s, map, r, i);
	return 0;
}

/*
 * One call for the whole length, whatever the buffer's size: what does not fit
 * goes to the same bytes again.  What is in them at the end is compared.
 */
static int do_read(struct task_files *t, const struct record *r, u64 len)
{
	struct stream *s = t->s;
	u64 size = s->w->buf_size, done = 0, n_iov, last;
	struct iovec iov[IOV];
	int fd = task_fd(t, r);
	ssize_t n;

	if (fd < 0)
		return stream_fail(s, -errno, "opening file %u", r->file);
	while (done < len) {
		for (n_iov = 0, n = 0; n_iov < IOV && done + (u64)n < len; n_iov++) {
			iov[n_iov].iov_base = s->buf;
			iov[n_iov].iov_len = MIN(size, len - done - (u64)n);
			n += (ssize_t)iov[n_iov].iov_len;
		}
		n = preadv(fd, iov, (int)n_iov, (off_t)(r->offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return stream_fail(s, -errno, "file %u: read at %llu", r->file,
					   (unsigned long long)(r->offset + done));
		if (!n)
			return stream_fail(s, -EIO, "file %u: end of file at %llu", r->file,
					   (unsigned long long)(r->offset + done));
		atomic_fetch_add(&state.split, done != 0);
		last = (u64)n % size ? (u64)n % size : size;
		done += (u64)n;
		check_data(s, s->buf, r->file, r->offset + done - last, last);
	}
	return 0;
}

static int do_advice(struct task_files *t, const struct record *r, u64 len)
{
	static const int advice[ACCESS_OPS] = {
		[ACCESS_WILLNEED] = POSIX_FADV_WILLNEED,
		[ACCESS_DONTNEED] = POSIX_FADV_DONTNEED,
		[ACCESS_NORMAL] = POSIX_FADV_NORMAL,
		[ACCESS_RANDOM] = POSIX_FADV_RANDOM,
		[ACCESS_SEQUENTIAL] = POSIX_FADV_SEQUENTIAL,
	};
	int fd = task_fd(t, r), ret;

	if (fd < 0)
		return stream_fail(t->s, -errno, "opening file %u", r->file);
	if (r->op == ACCESS_READAHEAD)
		ret = readahead(fd, (off64_t)r->offset, len) ? errno : 0;
	else
		ret = posix_fadvise(fd, (off_t)r->offset, (off_t)len, advice[r->op]);
	return ret ? stream_fail(t->s, -ret, "file %u: %s at %llu", r->file, access_op_names[r->op],
				 (unsigned long long)r->offset)
		   : 0;
}

/* Of a run of our own: its stream is the task, and the checks find it again. */
static int do_mark(struct stream *s, const struct record *r)
{
	int ret = tracer_mark(s->w->tracer, "%s%u %llu %llu",
			      r->op == ACCESS_STREAM ? MARKER_STREAM : MARKER_PIECE, s->index,
			      (unsigned long long)r->offset, (unsigned long long)r->length);

	if (ret)
		return stream_fail(s, ret, "writing a marker");
	atomic_fetch_add(&state.issued, 1);
	return 0;
}

static u64 major_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (u64)u.ru_majflt;
}

static u64 timeval_ns(const struct timeval *tv)
{
	return (u64)tv->tv_sec * NSEC_PER_SEC + (u64)tv->tv_usec * 1000;
}

/* CPU time since the last call, of the calling thread. */
static void count_cpu_time(struct stream *s, struct rusage *last)
{
	struct rusage now;

	getrusage(RUSAGE_THREAD, &now);
	s->user_ns += timeval_ns(&now.ru_utime) - timeval_ns(&last->ru_utime);
	s->system_ns += timeval_ns(&now.ru_stime) - timeval_ns(&last->ru_stime);
	*last = now;
}

static int issue(struct task_files *t, const struct record *r)
{
	struct file_result *f = &state.results[r->file];
	u64 size = state.r->files[r->file].size, len, before;
	int ret;

	if (r->op >= ACCESS_STREAM)
		return do_mark(t->s, r);
	/* a length beyond the end is what the call asked for, and what it got was less */
	if (r->offset >= size || (!r->length && r->op <= ACCESS_TOUCH)) {
		atomic_fetch_add(&state.beyond_end, 1);
		return 0;
	}
	len = MIN(r->length, size - r->offset);
	atomic_fetch_add(&state.cut_short, len < r->length);
	before = major_faults();
	if (r->op == ACCESS_READ)
		ret = do_read(t, r, len);
	else if (r->op == ACCESS_TOUCH)
		ret = do_touch(t, r, len);
	else
		ret = do_advice(t, r, r->length);
	if (ret)
		return ret;
	atomic_fetch_add(&f->major_faults, major_faults() - before);
	atomic_fetch_add(&f->accesses, 1);
	if (r->op == ACCESS_READ) {
		atomic_fetch_add(&f->bytes, len);
		atomic_fetch_add_explicit(&t->s->done, len, memory_order_relaxed);
	}
	atomic_fetch_add(&state.issued, 1);
	return 0;
}

/* Waits for the record's time, and counts by how much it was missed. */
static void wait_for(const struct workload *w, const struct record *r)
{
	u64 due, now, max;
	struct timespec ts;

	if (w->phase->timing == REPLAY_FAST)
		return;
	due = atomic_load(&state.start_ns) +
	      (u64)((unsigned __int128)r->ns * 100 / w->phase->speed);
	ts.tv_sec = (time_t)(due / NSEC_PER_SEC);
	ts.tv_nsec = (long)(due % NSEC_PER_SEC);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
	now = sys_now_ns();
	atomic_fetch_add(&state.late_ns, now - due);
	max = atomic_load(&state.late_max_ns);
	while (now - due > max &&
	       !atomic_compare_exchange_weak(&state.late_max_ns, &max, now - due))
		;
}

static int replay_access_run(struct stream *s)
{
	u32 n = state.r->plan.n_files, seq = 0;
	int *fds __cleanup_free = xcalloc(n, sizeof(*fds));
	const u8 **maps __cleanup_free = xcalloc(n, sizeof(*maps));
	struct task_files t = {.s = s, .fds = fds, .maps = maps};
	unsigned long long zero = 0;
	struct rusage cpu;
	struct record r;
	u64 begin;
	int ret = 0;

	/* all threads' times count from the first one's start */
	atomic_compare_exchange_strong(&state.start_ns, &zero, sys_now_ns());
	getrusage(RUSAGE_THREAD, &cpu);
	while (!ret && queues_take(&state.queues, s->index, &r)) {
		atomic_fetch_add(&state.out_of_order, r.seq != seq++);
		wait_for(s->w, &r);
		begin = sys_now_ns();
		ret = issue(&t, &r);
		s->busy_ns += sys_now_ns() - begin;
	}
	count_cpu_time(s, &cpu);
	for (u32 i = 0; i < n; i++) {
		if (maps[i])
			munmap((void *)(uintptr_t)maps[i], state.r->files[i].size);
		if (fds[i] > 0)
			close(fds[i]);
	}
	return ret;
}

static int replay_access_before_cold(struct workload *w, struct err *e)
{
	struct replay *r = replay_get();

	if (!r)
		return err_set(e, -EINVAL, "replay-access: no plan");
	memset(&state, 0, sizeof(state));
	state.r = r;
	state.page = (u64)sysconf(_SC_PAGESIZE);
	state.maps = xcalloc(r->plan.n_files, sizeof(*state.maps));
	state.results = xcalloc(r->plan.n_files, sizeof(*state.results));
	return queues_open(&state.queues, r, w->phase->name, w->n_streams, QUEUES_LIMIT, e);
}

static int replay_access_after_cold(struct workload *w, struct err *e)
{
	for (u32 i = 0; i < state.r->plan.n_files && shares(w, ACCESS_TOUCH); i++) {
		state.maps[i] = map_file(state.r->files[i].fd, state.r->files[i].size);
		if (!state.maps[i])
			return err_errno(e, -errno, "mapping file %u", i);
	}
	return 0;
}

static int replay_access_after(struct workload *w __unused_arg, struct err *e)
{
	for (u32 i = 0; i < state.r->plan.n_files; i++)
		if (state.maps[i])
			munmap((void *)(uintptr_t)state.maps[i], state.r->files[i].size);
	free(state.maps);
	state.queues.bytes = 0; /* from now on: what was done */
	return queues_close(&state.queues, e);
}

/* Before the phase: what has been loaded, which is all unless the plan is large. */
static u64 replay_access_bytes(const struct workload *w)
{
	return MAX(state.queues.bytes, workload_done(w));
}

static void replay_access_cached(const struct workload *w __unused_arg, struct cache_pages *pages)
{
	struct cache_pages one;

	for (u32 i = 1; i < state.r->plan.n_files; i++) {
		if (cache_count(state.r->files[i].fd, state.r->files[i].size, &one)) {
			*pages = one; /* "unknown" */
			return;
		}
		pages->cache += one.cache;
		pages->dirty += one.dirty;
		pages->writeback += one.writeback;
		pages->evicted += one.evicted;
		pages->recently_evicted += one.recently_evicted;
	}
}

#define INT(v) ((json_int_t)atomic_load(&(v)))

static json_t *replay_access_result(const struct workload *w)
{
	json_t *files = json_array(), *j;
	u64 issued = atomic_load(&state.issued);

	for (u32 i = 0; i < state.r->plan.n_files; i++) {
		const struct file_result *f = &state.results[i];

		json_array_append_new(files, json_pack("{s:I, s:I, s:I}", "accesses",
						       INT(f->accesses), "bytes", INT(f->bytes),
						       "major_faults", INT(f->major_faults)));
	}
	j = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "planned",
		      (json_int_t)state.queues.records, "issued", (json_int_t)issued, "beyond_end",
		      INT(state.beyond_end), "cut_at_end", INT(state.cut_short), "split",
		      INT(state.split), "out_of_order", INT(state.out_of_order), "files", files);
	if (w->phase->timing == REPLAY_RECORDED)
		json_object_set_new(
			j, "late_ns",
			json_pack("{s:I, s:I}", "mean",
				  (json_int_t)(issued ? atomic_load(&state.late_ns) / issued : 0),
				  "max", INT(state.late_max_ns)));
	free(state.results);
	return j;
}

const struct pattern pattern_replay_access = {
	.name = "replay-access",
	.summary = "what a plan says that tasks read and touched",
	.before_cold = replay_access_before_cold,
	.after_cold = replay_access_after_cold,
	.after = replay_access_after,
	.bytes = replay_access_bytes,
	.cached = replay_access_cached,
	.result_name = "replay",
	.result = replay_access_result,
	.run = replay_access_run,
};
