// SPDX-License-Identifier: GPL-2.0-only
#include "replay/access.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define RING 8192u
#define FILE_SLOTS 131072u
#define TASK_SLOTS 4096u

int access_begin(struct access_builder *b, const char *path, struct err *e)
{
	*b = (struct access_builder){.plan.page_size = 4096};
	b->ring = xcalloc(RING, sizeof(*b->ring));
	b->tasks = xcalloc(TASK_SLOTS, sizeof(*b->tasks));
	b->files = xcalloc(FILE_SLOTS, sizeof(*b->files));
	return plan_create(&b->w, path, PLAN_ACCESS, e) ? -EROFS : 0;
}

void access_abandon(struct access_builder *b)
{
	plan_abandon(&b->w);
	access_plan_free(&b->plan);
	free(b->ring);
	free(b->tasks);
	free(b->files);
	*b = (struct access_builder){.w = {.fd = -1, .body_fd = -1}};
}

/* ---- the ring ---- */

static void write_oldest(struct access_builder *b)
{
	const struct access *a = &b->ring[b->written++ % RING].a;
	struct access_phase *ph = &b->plan.phases[b->plan.n_phases - 1];

	if (a->op == ACCESS_READ)
		ph->longest = MAX(ph->longest, a->length);
	access_plan_put(&b->w, a);
}

static struct draft *draft_number(struct access_builder *b, u64 number)
{
	/* numbers count from 1, so that 0 is none */
	return number > b->written ? &b->ring[(number - 1) % RING] : NULL;
}

struct draft *access_latest(struct access_builder *b, const struct draft_task *t)
{
	return draft_number(b, t->latest);
}

struct draft *access_same(struct access_builder *b, const struct draft_task *t,
			  const struct draft_file *f, enum access_op op)
{
	struct draft *d = access_latest(b, t);

	return d && d->a.op == op && d->a.file == f->index ? d : NULL;
}

/* ---- phases ---- */

/* A name from a marker may be anything. */
static void phase_name(const struct access_plan *p, const char *name, char *out)
{
	static const char ok[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	size_t n = strlen(name);
	bool good = n && n < NAME_LEN && strspn(name, ok) == n && *name != '-' && *name != '.';

	for (u32 i = 0; i < p->n_phases; i++)
		good &= strcmp(p->phases[i].name, name) != 0;
	if (good)
		snprintf(out, NAME_LEN, "%s", name);
	else
		snprintf(out, NAME_LEN, "phase.%u", p->n_phases + 1);
}

void access_phase_end(struct access_builder *b)
{
	struct access_phase *ph = b->in_phase ? &b->plan.phases[b->plan.n_phases - 1] : NULL;

	if (!ph)
		return;
	while (b->written < b->begun)
		write_oldest(b);
	if (ph->records)
		ph->ns = b->last_ns - b->phase_ns;
	b->in_phase = false;
}

bool access_phase(struct access_builder *b, const char *name, u64 ns)
{
	struct access_plan *p = &b->plan;
	struct access_phase *ph;

	access_phase_end(b);
	if (p->n_phases == ACCESS_PHASES_MAX)
		return false;
	p->phases = xrealloc(p->phases, p->n_phases + 1, sizeof(*p->phases));
	ph = &p->phases[p->n_phases];
	*ph = (struct access_phase){.name = ""};
	phase_name(p, name, ph->name);
	p->n_phases++;
	memset(b->tasks, 0, TASK_SLOTS * sizeof(*b->tasks));
	b->last_task = NULL;
	b->phase_ns = b->last_ns = ns;
	b->in_phase = true;
	access_plan_put_phase(&b->w, ph->name);
	return true;
}

/* ---- tasks and files ---- */

static u64 mix(u64 v)
{
	v *= 0x9e3779b97f4a7c15ull;
	return v ^ v >> 32;
}

struct draft_task *access_task(struct access_builder *b, u64 id)
{
	struct access_phase *ph = &b->plan.phases[b->plan.n_phases - 1];
	struct draft_task *t = b->last_task;
	u64 i;

	if (t && t->id == id)
		return t;
	for (i = mix(id) % TASK_SLOTS; b->tasks[i].used; i = (i + 1) % TASK_SLOTS)
		if (b->tasks[i].id == id)
			return b->last_task = &b->tasks[i];
	if (ph->tasks == ACCESS_TASKS_MAX) {
		b->over_tasks++;
		return NULL;
	}
	b->tasks[i] = (struct draft_task){.id = id, .index = ph->tasks++, .used = true};
	return b->last_task = &b->tasks[i];
}

struct draft_file *access_file(struct access_builder *b, u32 dev, u64 ino)
{
	struct draft_file *f = b->last_file;
	u64 i;

	if (f && f->ino == ino && f->dev == dev)
		return f;
	for (i = mix(ino ^ (u64)dev << 40) % FILE_SLOTS; b->files[i].used; i = (i + 1) % FILE_SLOTS)
		if (b->files[i].ino == ino && b->files[i].dev == dev)
			return b->last_file = &b->files[i];
	if (b->n_files == FILE_SLOTS / 2)
		return NULL;
	b->n_files++;
	b->files[i] =
		(struct draft_file){.dev = dev, .ino = ino, .used = true, .index = UINT32_MAX};
	return b->last_file = &b->files[i];
}

/* Files are numbered as they are accessed first. */
static bool number_file(struct access_builder *b, struct draft_file *f)
{
	struct access_plan *p = &b->plan;

	if (f->index != UINT32_MAX)
		return true;
	if (p->n_files == ACCESS_FILES_MAX)
		return false;
	p->files = p->files ? p->files : xcalloc(ACCESS_FILES_MAX, sizeof(*p->files));
	f->index = p->n_files++;
	p->files[f->index] = (struct access_file){.dev = f->dev, .ino = f->ino};
	return true;
}

struct draft *access_add(struct access_builder *b, struct draft_task *t, struct draft_file *f,
			 enum access_op op, u64 ns, u64 offset, u64 length)
{
	struct draft *d;

	if (offset >= ACCESS_FILE_MAX) {
		b->over_size++;
		return NULL;
	}
	if (!f || !number_file(b, f)) {
		b->over_files++;
		return NULL;
	}
	if (ns < b->last_ns) {
		b->backwards++;
		ns = b->last_ns;
	}
	b->last_ns = ns;
	if (b->begun - b->written == RING)
		write_oldest(b);
	d = &b->ring[b->begun++ % RING];
	t->latest = b->begun;
	*d = (struct draft){.a = {.ns = ns - b->phase_ns,
				  .task = t->index,
				  .file = f->index,
				  .op = op,
				  .offset = offset,
				  .length = MIN(length, ACCESS_FILE_MAX - offset),
				  .at = ACCESS_AT_UNKNOWN}};
	b->plan.phases[b->plan.n_phases - 1].records++;
	b->records++;
	return d;
}

/* ---- the end ---- */

void access_note(struct access_builder *b, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (b->plan.n_notes == ACCESS_NOTES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	b->plan.notes[b->plan.n_notes++] = xstrdup(text);
}

static void note_left_out(struct access_builder *b)
{
	if (b->over_files)
		access_note(b, "left out: %" PRIu64 " accesses of files after the first %u",
			    b->over_files, ACCESS_FILES_MAX);
	if (b->over_tasks)
		access_note(b, "left out: %" PRIu64 " accesses of tasks after the first %u",
			    b->over_tasks, ACCESS_TASKS_MAX);
	if (b->over_size)
		access_note(b, "left out: %" PRIu64 " accesses beyond 16 TiB of a file",
			    b->over_size);
	if (b->backwards)
		access_note(b,
			    "times went backwards %" PRIu64 " times: such an access has the "
			    "time of the one before it",
			    b->backwards);
}

int access_finish(struct access_builder *b, const char *source, struct err *e)
{
	struct access_plan *p = &b->plan;
	u32 least = 0;
	int ret = 0;

	access_phase_end(b);
	if (!b->records)
		ret = err_set(e, -ENODATA, "%s: no access of a file that could be replayed%s",
			      source,
			      b->over_files + b->over_tasks + b->over_size
				      ? ": all are beyond what a plan can hold"
				      : "");
	for (u32 i = 0; i < FILE_SLOTS && !ret; i++) {
		const struct draft_file *f = &b->files[i];

		if (!f->used || f->index == UINT32_MAX)
			continue;
		p->files[f->index].size = MIN(MAX(f->size, 1), ACCESS_FILE_MAX);
		p->files[f->index].least = !f->exact;
		if (b->nameless)
			p->files[f->index].ino = p->files[f->index].dev = 0;
		least += !f->exact;
	}
	if (!ret) {
		if (least)
			access_note(b,
				    "sizes: the source does not tell the size of %u of %u files; "
				    "each is as large as what was seen of it",
				    least, p->n_files);
		note_left_out(b);
		p->source = xstrdup(source);
		access_plan_put_header(&b->w, p);
		ret = plan_finish(&b->w, e) ? -EROFS : 0;
	}
	access_abandon(b);
	return ret;
}

/* ---- the level ---- */

static bool access_possible(const struct source *s, struct err *why)
{
	if (s->kind != SOURCE_TRACE || s->capture->trace)
		return true;
	err_set(why, -ENODATA,
		"%s: block requests only; accesses are events of the page cache in "
		"a trace.dat",
		s->path);
	return false;
}

static int access_make(const struct source *s, const struct replay_options *o, struct err *e)
{
	struct access_builder b;
	int ret = access_begin(&b, o->output, e);

	if (!ret)
		ret = (s->kind == SOURCE_IOLOG	  ? access_from_iolog
		       : s->kind == SOURCE_STRACE ? access_from_strace
						  : access_from_trace)(s, o, &b, e);
	if (ret)
		access_abandon(&b);
	return ret;
}

const struct level level_access = {
	.name = "access",
	.possible = access_possible,
	.make = access_make,
};
