// SPDX-License-Identifier: GPL-2.0-only
#include "host/recording.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/fileio.h"

#define FILES_MAX 4096
#define FILES_BYTES_MAX (64u << 20)

void recording_init(struct recording *r, const struct experiment *exp, const char *work)
{
	u32 i;

	memset(r, 0, sizeof(*r));
	r->exp = exp;
	r->n_phases = exp->n_phases;
	r->work = work;
	r->phases = json_array();
	r->counters = json_array();
	r->cpus = xcalloc(exp->cpus, sizeof(*r->cpus));
	for (i = 0; i < exp->cpus; i++)
		r->cpus[i].fd = -1;
}

void recording_free(struct recording *r)
{
	size_t i;

	if (!r->exp)
		return;
	for (i = 0; i < r->exp->cpus; i++)
		cleanup_close(&r->cpus[i].fd);
	for (i = 0; i < r->n_files; i++) {
		free(r->files[i].name);
		free(r->files[i].data);
	}
	free(r->files);
	free(r->cpus);
	free(r->error);
	json_decref(r->hello);
	json_decref(r->phases);
	json_decref(r->counters);
	frames_free(&r->frames);
	memset(r, 0, sizeof(*r));
}

const char *recording_phase(const struct recording *r)
{
	size_t n = json_array_size(r->phases);

	return n < r->n_phases ? r->exp->phases[n].name : NULL;
}

/* The frame's payload as a JSON object. */
static int object(const struct frame *f, json_t **out, struct err *e)
{
	json_error_t why;

	*out = json_loadb((const char *)f->data, f->len, JSON_REJECT_DUPLICATES, &why);
	if (*out && json_is_object(*out))
		return 0;
	err_set(e, -EBADMSG, "guest's %s frame is no JSON object%s%s", frame_type_name(f->type),
		*out ? "" : ": ", *out ? "" : why.text);
	json_decref(*out);
	*out = NULL;
	return -EBADMSG;
}

static int on_hello(struct recording *r, const struct frame *f, struct err *e)
{
	json_int_t cpus, page_size, major = 0, minor = 0;
	json_error_t why;
	int ret;

	if (r->hello)
		return err_set(e, -EBADMSG, "the guest said hello twice");
	ret = object(f, &r->hello, e);
	if (ret)
		return ret;
	/* a file system that has no disk has no test_device */
	if (json_unpack_ex(r->hello, &why, 0, "{s:I, s:I, s?{s:I, s:I}}", "cpus", &cpus,
			   "page_size", &page_size, "test_device", "major", &major, "minor",
			   &minor))
		return err_set(e, -EBADMSG, "guest's hello frame: %s", why.text);
	if (cpus != (json_int_t)r->exp->cpus)
		return err_set(e, -EBADMSG, "the guest has %lld CPUs, the experiment says %u", cpus,
			       r->exp->cpus);
	if (page_size < 4096 || page_size > 65536 || page_size & (page_size - 1))
		return err_set(e, -EBADMSG, "guest's hello frame: page_size %lld", page_size);
	if (major < 0 || major > 4095 || minor < 0 || minor > 0xfffff)
		return err_set(e, -EBADMSG, "guest's hello frame: device %lld:%lld", major, minor);
	return 0;
}

static int on_phase(struct recording *r, const struct frame *f, struct err *e)
{
	const char *due = recording_phase(r), *name;
	json_t *phase;
	int ret;

	ret = object(f, &phase, e);
	if (ret)
		return ret;
	name = json_string_value(json_object_get(phase, "name"));
	if (!r->hello || !due || !name || strcmp(due, name)) {
		json_decref(phase);
		return err_set(e, -EBADMSG, "the guest ended a phase that was not due");
	}
	json_array_append_new(r->phases, phase);
	return 0;
}

/* Twice in each phase: before it, and after it. */
static int on_counters(struct recording *r, const struct frame *f, struct err *e)
{
	const char *due = recording_phase(r), *phase = NULL, *when = NULL;
	size_t n = json_array_size(r->phases), have = json_array_size(r->counters);
	json_t *j;
	int ret;

	ret = object(f, &j, e);
	if (ret)
		return ret;
	json_unpack(j, "{s?s, s?s}", "phase", &phase, "when", &when);
	if (!r->hello || r->counters_due || !due || !phase || strcmp(due, phase) || !when ||
	    strcmp(when, have == n ? "before" : "after") ||
	    (have > n && json_object_get(json_array_get(r->counters, n), "after")))
		ret = err_set(e, -EBADMSG, "the guest asked for counters that were not due");
	else
		snprintf(r->counters_when, sizeof(r->counters_when), "%s", when);
	json_decref(j);
	r->counters_due = !ret;
	return ret;
}

void recording_counters(struct recording *r, json_t *counters)
{
	size_t n = json_array_size(r->phases);
	const char *phase = recording_phase(r);

	r->counters_due = false;
	if (json_array_size(r->counters) == n)
		json_array_append_new(r->counters, json_pack("{s:s}", "name", phase));
	json_object_set_new(json_array_get(r->counters, n), r->counters_when, counters);
}

static int on_file(struct recording *r, const struct frame *f, struct err *e)
{
	const u8 *nul = memchr(f->data, '\0', f->len);
	struct tracefs_file *file;

	if (!nul || nul == f->data)
		return err_set(e, -EBADMSG, "guest's file frame has no name");
	if (r->n_files == FILES_MAX || r->files_bytes + f->len > FILES_BYTES_MAX)
		return err_set(e, -EBADMSG, "the guest sends too many files of tracefs");
	r->files = xrealloc(r->files, r->n_files + 1, sizeof(*r->files));
	file = &r->files[r->n_files++];
	file->name = xstrdup((const char *)f->data);
	file->len = f->len - (size_t)(nul + 1 - f->data);
	file->data = xmalloc(file->len + 1);
	memcpy(file->data, nul + 1, file->len);
	file->data[file->len] = '\0';
	r->files_bytes += f->len;
	return 0;
}

static int spool_open(struct recording *r, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/pages.XXXXXX", r->work);
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0)
		return err_errno(e, -errno, "%s", path);
	unlink(path);
	return fd;
}

static int on_pages(struct recording *r, const struct frame *f, struct err *e)
{
	struct cpu_pages *c;
	int ret;

	if (f->cpu >= r->exp->cpus)
		return err_set(e, -EBADMSG, "guest's pages frame: CPU %u of %u", f->cpu,
			       r->exp->cpus);
	c = &r->cpus[f->cpu];
	if (c->fd < 0) {
		ret = spool_open(r, e);
		if (ret < 0)
			return ret;
		c->fd = ret;
	}
	ret = fd_write_all(c->fd, f->data, f->len);
	if (ret)
		return err_errno(e, ret, "%s: the guest's trace can't be kept", r->work);
	c->size += f->len;
	r->pages_bytes += f->len;
	return 0;
}

static int on_progress(struct recording *r, const struct frame *f, struct err *e)
{
	struct progress p;

	if (f->len != sizeof(p))
		return err_set(e, -EBADMSG, "guest's progress frame has %zu bytes", f->len);
	memcpy(&p, f->data, sizeof(p));
	p.phase = le32toh(p.phase);
	p.phases = le32toh(p.phases);
	p.done = le64toh(p.done);
	p.total = le64toh(p.total);
	if (p.phase >= r->exp->n_phases)
		return err_set(e, -EBADMSG, "guest's progress frame: phase %u of %u", p.phase,
			       r->exp->n_phases);
	/* a guest whose threads hang still reports, always the same */
	if (memcmp(&p, &r->progress, sizeof(p)))
		r->changes++;
	r->progress = p;
	return 0;
}

static int on_error(struct recording *r, const struct frame *f, struct err *e)
{
	const char *step = "", *reason = "";
	json_t *j;
	char *p;
	int ret;

	ret = object(f, &j, e);
	if (ret)
		return ret;
	json_unpack(j, "{s?s, s?s}", "step", &step, "reason", &reason);
	free(r->error);
	/* step "agent": PID 1 speaks of its worker, and the reason says it all */
	if (strcmp(step, "agent"))
		r->error = xasprintf("%.200s: %.700s", step, reason);
	else
		r->error = xasprintf("%.700s", reason);
	for (p = r->error; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	json_decref(j);
	return 0;
}

static int on_frame(void *arg, const struct frame *f, struct err *e)
{
	struct recording *r = arg;

	if (f->type != FRAME_PROGRESS)
		r->changes++;
	switch (f->type) {
	case FRAME_ALIVE:
		r->alive = true;
		return 0;
	case FRAME_HELLO:
		return on_hello(r, f, e);
	case FRAME_PROGRESS:
		return on_progress(r, f, e);
	case FRAME_PHASE:
		return on_phase(r, f, e);
	case FRAME_COUNTERS:
		return on_counters(r, f, e);
	case FRAME_FILE:
		return on_file(r, f, e);
	case FRAME_PAGES:
		return on_pages(r, f, e);
	case FRAME_ERROR:
		return on_error(r, f, e);
	case FRAME_DONE:
		if (!r->hello || recording_phase(r))
			return err_set(e, -EBADMSG, "the guest ended before its last phase");
		r->done = true;
		return 0;
	}
	return -EBADMSG; /* not reached: the decoder knows the types */
}

int recording_feed(struct recording *r, const void *data, size_t len, struct err *e)
{
	return frames_feed(&r->frames, data, len, on_frame, r, e);
}
