// SPDX-License-Identifier: GPL-2.0-only
#include "replay/strace_files.h"

#include <string.h>

#include "replay/text_lines.h"

#define TASK_SLOTS (2 * STRACE_TASKS_MAX)
#define FD_MAX (1 << 20)
/* Of all tables together: a fork bomb takes no more memory than this. */
#define ENTRIES_MAX (1u << 20)

struct fd_table {
	u32 refs, n, size;
	struct fd_entry {
		s64 fd;
		struct open_file *file;
	} * e;
};

struct strace_files {
	struct strace_task *tasks;
	u32 n_tasks, entries;
	struct strace_task *parent; /* of the next new task; NULL: nobody's */
	bool shares;
};

struct strace_files *strace_files_new(void)
{
	struct strace_files *s = xcalloc(1, sizeof(*s));

	s->tasks = xcalloc(TASK_SLOTS, sizeof(*s->tasks));
	return s;
}

static void put_file(struct open_file *f)
{
	if (f && !--f->refs)
		free(f);
}

static void put_table(struct strace_files *s, struct fd_table *t)
{
	if (!t || --t->refs)
		return;
	s->entries -= t->n;
	for (u32 i = 0; i < t->n; i++)
		put_file(t->e[i].file);
	free(t->e);
	free(t);
}

void strace_files_free(struct strace_files *s)
{
	for (u32 i = 0; i < TASK_SLOTS; i++) {
		strace_resume(&s->tasks[i]);
		put_table(s, s->tasks[i].table);
	}
	free(s->tasks);
	free(s);
}

static struct fd_entry *entry_of(const struct fd_table *t, s64 fd)
{
	for (u32 i = 0; i < t->n; i++)
		if (t->e[i].fd == fd)
			return &t->e[i];
	return NULL;
}

/* Takes over a reference to @f. */
static bool set(struct strace_files *s, struct fd_table *t, s64 fd, struct open_file *f)
{
	struct fd_entry *e = entry_of(t, fd);

	if (e) {
		put_file(e->file);
		e->file = f;
		return true;
	}
	if (fd < 0 || fd > FD_MAX || s->entries == ENTRIES_MAX) {
		put_file(f);
		return false;
	}
	if (t->n == t->size) {
		t->size = t->size ? 2 * t->size : 8;
		t->e = xrealloc(t->e, t->size, sizeof(*t->e));
	}
	t->e[t->n++] = (struct fd_entry){fd, f};
	s->entries++;
	return true;
}

static struct fd_table *new_table(void)
{
	struct fd_table *t = xcalloc(1, sizeof(*t));

	t->refs = 1;
	return t;
}

static struct fd_table *inherit(struct strace_files *s, struct fd_table *from, bool shares)
{
	struct fd_table *t;

	if (shares) {
		from->refs++;
		return from;
	}
	t = new_table();
	for (u32 i = 0; i < from->n; i++) {
		from->e[i].file->refs++;
		set(s, t, from->e[i].fd, from->e[i].file);
	}
	return t;
}

static struct strace_task *find_task(struct strace_files *s, u64 pid)
{
	u64 i = pid * 0x9e3779b97f4a7c15ull >> 32;

	for (i %= TASK_SLOTS; s->tasks[i].used; i = (i + 1) % TASK_SLOTS)
		if (s->tasks[i].pid == pid)
			break;
	return &s->tasks[i];
}

struct strace_task *strace_task(struct strace_files *s, u64 pid)
{
	struct strace_task *t = find_task(s, pid);

	if (t->used)
		return t;
	if (s->n_tasks == STRACE_TASKS_MAX)
		return NULL;
	s->n_tasks++;
	t->used = true;
	t->pid = pid;
	t->table = s->parent ? inherit(s, s->parent->table, s->shares) : new_table();
	s->parent = NULL;
	return t;
}

void strace_suspend(struct strace_task *t, const struct strace_line *l)
{
	strace_resume(t);
	t->suspended = true;
	snprintf(t->call, sizeof(t->call), "%s", l->call);
	for (u32 i = 0; i < l->n_args; i++)
		t->args[t->n_args++] = xstrdup(l->args[i]);
}

void strace_resume(struct strace_task *t)
{
	for (u32 i = 0; i < t->n_args; i++)
		free(t->args[i]);
	t->n_args = 0;
	t->suspended = false;
}

void strace_will_have_child(struct strace_files *s, struct strace_task *t, bool shares)
{
	s->parent = t;
	s->shares = shares;
}

void strace_child(struct strace_files *s, struct strace_task *t, s64 pid, bool shares)
{
	if (pid <= 0 || find_task(s, (u64)pid)->used)
		return;
	strace_will_have_child(s, t, shares);
	(void)strace_task(s, (u64)pid);
	s->parent = NULL;
}

struct open_file *strace_fd(struct strace_files *s __unused_arg, struct strace_task *t, s64 fd)
{
	struct fd_entry *e = entry_of(t->table, fd);

	return e ? e->file : NULL;
}

static enum open_kind kind_of(const char *path, size_t len, const char *flags)
{
	static const char *const others[] = {"/proc/", "/sys/", "/dev/"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (len >= strlen(others[i]) && !memcmp(path, others[i], strlen(others[i])))
			return OPEN_OTHER;
	if (strstr(flags, "O_DIRECTORY") || strstr(flags, "O_PATH"))
		return OPEN_OTHER;
	/* not O_DIRECTORY, which begins alike */
	return strstr(flags, "O_DIRECT") ? OPEN_DIRECT : OPEN_FILE;
}

struct open_file *strace_open(struct strace_files *s, struct strace_task *t, s64 fd,
			      const char *path, size_t len, const char *flags, bool attached)
{
	struct open_file *f = xcalloc(1, sizeof(*f));

	f->refs = 1;
	f->kind = kind_of(path, len, flags);
	f->key = text_hash(path, len);
	f->pos_known = !attached;
	return set(s, t->table, fd, f) ? f : NULL;
}

void strace_dup(struct strace_files *s, struct strace_task *t, s64 fd, s64 to)
{
	struct fd_entry *e = entry_of(t->table, fd);

	if (!e || fd == to)
		return;
	e->file->refs++;
	set(s, t->table, to, e->file);
}

void strace_close(struct strace_files *s, struct strace_task *t, s64 fd)
{
	struct fd_entry *e = entry_of(t->table, fd);

	if (!e)
		return;
	put_file(e->file);
	*e = t->table->e[--t->table->n];
	s->entries--;
}
