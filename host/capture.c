// SPDX-License-Identifier: GPL-2.0-only
#include "host/capture.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host/reqlog.h"
#include "host/version.h"
#include "lib/contract.h"
#include "lib/fileio.h"
#include "verify/model/join.h"

static json_int_t number(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static u32 test_device(const struct recording *r)
{
	const json_t *dev = json_object_get(r->hello, "test_device");

	/* recording.c has checked the ranges */
	return (u32)number(dev, "major") << 20 | (u32)number(dev, "minor");
}

static int write_trace(struct boot *b, const char *path, struct err *e)
{
	const struct recording *r = &b->rec;
	const char *clock = json_string_value(json_object_get(r->hello, "trace_clock"));
	const char *uts = json_string_value(json_object_get(r->hello, "uname"));
	char *uname_text __cleanup_free =
		xasprintf("Linux %s %s", uts ? uts : "?", b->arch->machine);
	const struct tracedat t = {
		.files = r->files,
		.n_files = r->n_files,
		.cpus = r->cpus,
		.n_cpus = b->exp->cpus,
		.page_size = (u32)number(r->hello, "page_size"),
		.uname = uname_text,
		.clock = clock ? clock : "mono",
		.version = "blkproof " BLKPROOF_VERSION,
	};
	int ret = tracedat_write(&t, path, e);

	return ret == -ENODATA || ret == -EINVAL ? -EBADMSG : ret;
}

static int write_requests(struct boot *b, const char *path, json_t *capture, struct err *e)
{
	struct reqlog l = {.n = 0};
	int ret;

	ret = reqlog_read(&l, b->log, e);
	if (!ret && l.no_handle)
		ret = err_set(e, -EBADMSG, "request log: %llu completions of requests it lacks",
			      (unsigned long long)l.no_handle);
	if (!ret)
		ret = reqlog_write(&l, path, test_device(&b->rec), e);
	if (!ret)
		json_object_set_new(
			capture, "requests",
			json_pack("{s:I, s:I, s:I, s:I, s:I}", "reads", (json_int_t)l.reads,
				  "writes", (json_int_t)l.writes, "flushes", (json_int_t)l.flushes,
				  "other", (json_int_t)l.others, "failed", (json_int_t)l.failed));
	reqlog_free(&l);
	return ret;
}

/* Adds "clock" to each phase whose requests give it. */
static int join_clocks(struct boot *b, const char *trace, const char *requests, struct err *e)
{
	u32 n = (u32)json_array_size(b->rec.phases), i;
	struct join_phase *p = xcalloc(n, sizeof(*p));
	json_t *phase;
	int ret;

	for (i = 0; i < n; i++) {
		phase = json_array_get(b->rec.phases, i);
		p[i].begin_ns = (u64)number(phase, "begin_ns");
		p[i].end_ns = (u64)number(phase, "end_ns");
	}
	ret = join_capture(trace, requests, test_device(&b->rec), n, p, e);
	for (i = 0; i < n && !ret; i++)
		if (p[i].known)
			json_object_set_new(json_array_get(b->rec.phases, i), "clock",
					    json_pack("{s:I, s:I, s:I}", "offset_ns",
						      (json_int_t)p[i].offset_ns, "uncertainty_ns",
						      (json_int_t)p[i].uncertainty_ns, "pairs",
						      (json_int_t)p[i].pairs));
	free(p);
	/* what can't be read is what the guest sent */
	return ret ? -EBADMSG : 0;
}

/* Does a path begin here: is there a slash before the value's end? */
static bool is_path(const char *at)
{
	size_t n = strcspn(at, "/,= ");

	return at[n] == '/';
}

/*
 * @arg with "/a/b/name" or "a/b/name", alone or as a key's value, cut down to
 * "name": whose machine it was and where does not belong into a file that is
 * passed around.
 */
static json_t *arg_json(const char *arg)
{
	char *copy __cleanup_free = xstrdup(arg);
	char *to = copy, *from, *name;
	bool start = true;

	for (from = copy; *from; from++) {
		if (start && is_path(from)) {
			for (name = from; *from && (*from != ',' || from[1] == ','); from++)
				if (*from == '/')
					name = from + 1;
				else if (*from == ',')
					from++; /* a comma in the name */
			memmove(to, name, (size_t)(from - name));
			to += from - name;
			if (!*from)
				break;
		}
		start = *from == '=';
		*to++ = *from;
	}
	*to = '\0';
	return json_string(copy);
}

static json_t *argv_json(const struct qemu_args *a)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < a->n; i++)
		json_array_append_new(list, arg_json(a->argv[i]));
	return list;
}

static json_t *capture_json(struct boot *b, const char *kernel, unsigned int repeat)
{
	json_t *j = json_deep_copy(b->rec.hello);
	json_t *device = json_object_get(j, "test_device");
	unsigned int queue = b->exp->queue_size ? b->exp->queue_size : QEMU_QUEUE_SIZE;

	json_object_set_new(j, "schema", json_integer(RUN_SCHEMA));
	json_object_set_new(j, "kernel", json_string(kernel));
	json_object_set_new(j, "repeat", json_integer(repeat));
	json_object_set_new(j, "accelerator", json_string(b->accel));
	/* no device, no members of it: json_object_set_new() does nothing then */
	json_object_set_new(device, "queue_size", json_integer(queue));
	/* QEMU's device says so unless seg-max-adjust is turned off: two go to header and status */
	json_object_set_new(device, "seg_max", json_integer(queue - 2));
	json_object_set_new(j, "boot_ns", json_integer((json_int_t)b->alive_ns));
	json_object_set_new(j, "qemu", json_pack("{s:o}", "argv", argv_json(&b->args)));
	json_object_set_new(j, "end", json_pack("{s:s}", "status", "ok"));
	return j;
}

/* What verify holds the files against: a log cut between two records looks whole. */
static int add_size(json_t *capture, const char *name, const char *path, struct err *e)
{
	json_t *sizes = json_object_get(capture, "sizes");
	struct stat st;

	if (stat(path, &st))
		return err_errno(e, -errno, "%s", path);
	if (!sizes) {
		sizes = json_object();
		json_object_set_new(capture, "sizes", sizes);
	}
	json_object_set_new(sizes, name, json_integer(st.st_size));
	return 0;
}

/* The disk's side: its requests, and with them the clocks. */
static int write_disk(struct boot *b, const char *trace, json_t *capture, struct err *e)
{
	char *requests __cleanup_free = xasprintf("%s/" CAPTURE_BLKTRACE, b->dir);
	int ret;

	ret = write_requests(b, requests, capture, e);
	if (!ret)
		ret = join_clocks(b, trace, requests, e);
	return ret ? ret : add_size(capture, "blktrace", requests, e);
}

/* The servers' side: their counters around each phase. */
static int write_counters(struct boot *b, json_t *capture, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/" CAPTURE_OSD, b->dir);
	json_t *j = json_pack("{s:i, s:O}", "schema", RUN_SCHEMA, "phases", b->rec.counters);
	char *text = json_dumps(j, JSON_COMPACT);
	int ret;

	json_decref(j);
	ret = text ? file_write_atomic(path, text, strlen(text), e)
		   : err_set(e, -EBADMSG, "the OSDs' counters are not UTF-8");
	free(text);
	return ret ? ret : add_size(capture, "osd", path, e);
}

int capture_write(struct boot *b, const char *kernel, unsigned int repeat, struct err *e)
{
	char *trace __cleanup_free = xasprintf("%s/" CAPTURE_TRACE, b->dir);
	char *path __cleanup_free = xasprintf("%s/" CAPTURE_JSON, b->dir);
	json_t *j = capture_json(b, kernel, repeat);
	char *text = NULL;
	int ret;

	ret = write_trace(b, trace, e);
	if (!ret)
		ret = add_size(j, "trace", trace, e);
	if (!ret && b->disk)
		ret = write_disk(b, trace, j, e);
	if (!ret && b->servers)
		ret = write_counters(b, j, e);
	if (!ret) {
		json_object_set(j, "phases", b->rec.phases);
		text = json_dumps(j, JSON_INDENT(1));
		ret = text ? file_write_atomic(path, text, strlen(text), e)
			   : err_set(e, -EBADMSG, "the guest's JSON is not UTF-8");
	}
	free(text);
	json_decref(j);
	return ret;
}
