// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses from strace's text: reads of regular files, by following descriptors
 * from where they were opened (or, with -y, from what strace says of them) and
 * their file positions.  What is read of a mapping is no system call, so strace
 * does not tell it.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "replay/access.h"
#include "replay/strace_files.h"
#include "replay/strace_line.h"
#include "replay/text_lines.h"

/* A system call, whole: of one line, or of two. */
struct call {
	const char *name;
	char *args[STRACE_ARGS];
	u32 n_args;
	s64 result;
	const char *path; /* what -y says of the result, or NULL */
	u64 ns;
	struct strace_task *task;
};

struct reading {
	struct access_builder *b;
	struct strace_files *files;
	u64 lines, others; /* of strace; that are not */
	u64 at_end, failed, unknown_fd, unknown_pos, direct, writes, mappings, madvises;
};

static bool arg_number(const struct call *c, u32 i, s64 *value)
{
	return i < c->n_args && strace_number(c->args[i], value);
}

/* The open file of descriptor argument @i; one that strace -y names is made known by that. */
static struct open_file *file_arg(struct reading *r, const struct call *c, u32 i)
{
	struct open_file *f;
	const char *path;
	s64 fd;

	if (!arg_number(c, i, &fd) || fd < 0)
		return NULL;
	f = strace_fd(r->files, c->task, fd);
	path = f ? NULL : strchr(c->args[i], '<');
	if (path && path[1] == '/')
		f = strace_open(r->files, c->task, fd, path + 1, strcspn(path + 1, ">"), "", true);
	return f;
}

static void add(struct reading *r, const struct call *c, struct open_file *f, enum access_op op,
		u64 offset, u64 length, u64 got)
{
	struct draft_task *t = access_task(r->b, c->task->pid);
	struct draft_file *file;

	if (!t)
		return;
	file = access_file(r->b, 0, f->key);
	if (!access_add(r->b, t, file, op, c->ns, offset, length))
		return;
	access_size(file, got < ACCESS_FILE_MAX - offset ? offset + got : ACCESS_FILE_MAX);
}

/* @offset: argument with the offset; 0: the file's position. */
static void on_read(struct reading *r, const struct call *c, struct open_file *f, u32 count,
		    u32 offset)
{
	s64 asked = c->result, at = 0;

	if (c->result <= 0) {
		r->at_end += !c->result;
		r->failed += c->result < 0;
		return;
	}
	if (count)
		arg_number(c, count, &asked);
	if (offset && !arg_number(c, offset, &at))
		return;
	if (!offset && !f->pos_known) {
		r->unknown_pos++;
		return;
	}
	if (at < 0)
		return;
	add(r, c, f, ACCESS_READ, offset ? (u64)at : f->pos, (u64)MAX(asked, c->result),
	    (u64)c->result);
	if (!offset)
		f->pos += (u64)c->result;
}

static void on_fadvise(struct reading *r, const struct call *c, struct open_file *f)
{
	static const struct {
		const char *name;
		enum access_op op;
	} advice[] = {
		{"POSIX_FADV_WILLNEED", ACCESS_WILLNEED},
		{"POSIX_FADV_DONTNEED", ACCESS_DONTNEED},
		{"POSIX_FADV_NORMAL", ACCESS_NORMAL},
		{"POSIX_FADV_RANDOM", ACCESS_RANDOM},
		{"POSIX_FADV_SEQUENTIAL", ACCESS_SEQUENTIAL},
	};
	s64 offset, length;

	if (c->result || c->n_args < 4 || !arg_number(c, 1, &offset) ||
	    !arg_number(c, 2, &length) || offset < 0 || length < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(advice); i++)
		if (!strcmp(c->args[3], advice[i].name))
			add(r, c, f, advice[i].op, (u64)offset, (u64)length, 0);
}

static void on_file(struct reading *r, const struct call *c, struct open_file *f)
{
	s64 offset, length;

	if (!strcmp(c->name, "read"))
		on_read(r, c, f, 2, 0);
	else if (!strcmp(c->name, "pread64"))
		on_read(r, c, f, 2, 3);
	else if (!strcmp(c->name, "readv"))
		on_read(r, c, f, 0, 0);
	else if (!strcmp(c->name, "preadv") || !strcmp(c->name, "preadv2"))
		on_read(r, c, f, 0, 3);
	else if (!strcmp(c->name, "fadvise64"))
		on_fadvise(r, c, f);
	else if (!strcmp(c->name, "readahead") && !c->result && arg_number(c, 1, &offset) &&
		 arg_number(c, 2, &length) && offset >= 0 && length > 0)
		add(r, c, f, ACCESS_READAHEAD, (u64)offset, (u64)length, 0);
}

/* Calls that read: the descriptor is their first argument. */
static bool is_read(const char *name)
{
	static const char *const names[] = {"read",    "pread64",   "readv",	"preadv",
					    "preadv2", "fadvise64", "readahead"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void on_access_call(struct reading *r, const struct call *c)
{
	struct open_file *f = file_arg(r, c, 0);

	if (!f)
		r->unknown_fd++;
	else if (f->kind == OPEN_FILE)
		on_file(r, c, f);
	else
		r->direct += f->kind == OPEN_DIRECT;
}

static void on_open(struct reading *r, const struct call *c, u32 path)
{
	const char *text, *flags = c->n_args > path + 1 ? c->args[path + 1] : "";
	size_t len;

	if (c->result < 0 || c->n_args <= path)
		return;
	text = c->path;
	len = text ? strcspn(text, ">") : 0;
	if (!text && c->args[path][0] == '"') {
		text = c->args[path] + 1;
		len = strlen(text);
		len -= len && text[len - 1] == '"';
	}
	if (text)
		strace_open(r->files, c->task, c->result, text, len, flags, false);
}

static void on_move(struct reading *r, const struct call *c)
{
	struct open_file *f = file_arg(r, c, 0);

	if (!f || c->result < 0)
		return;
	if (!strcmp(c->name, "lseek")) {
		f->pos = (u64)c->result;
		f->pos_known = true;
	} else {
		f->pos += (u64)c->result;
		r->writes += f->kind == OPEN_FILE;
	}
}

static void on_dup(struct reading *r, const struct call *c)
{
	s64 fd;

	if (c->result < 0 || !arg_number(c, 0, &fd) ||
	    (!strcmp(c->name, "fcntl") && (c->n_args < 2 || strncmp(c->args[1], "F_DUPFD", 7))))
		return;
	strace_dup(r->files, c->task, fd, c->result);
}

static void on_mmap(struct reading *r, const struct call *c)
{
	struct open_file *f = c->n_args > 4 ? file_arg(r, c, 4) : NULL;

	r->mappings += f && f->kind == OPEN_FILE;
}

static bool is_clone(const char *name)
{
	return !strcmp(name, "clone") || !strcmp(name, "clone3") || !strcmp(name, "fork") ||
	       !strcmp(name, "vfork");
}

static bool shares_files(const struct call *c)
{
	for (u32 i = 0; i < c->n_args; i++)
		if (strstr(c->args[i], "CLONE_FILES"))
			return true;
	return false;
}

static void on_call(struct reading *r, const struct call *c)
{
	s64 fd;

	if (is_read(c->name))
		on_access_call(r, c);
	else if (!strcmp(c->name, "openat") || !strcmp(c->name, "openat2"))
		on_open(r, c, 1);
	else if (!strcmp(c->name, "open") || !strcmp(c->name, "creat"))
		on_open(r, c, 0);
	else if (!strcmp(c->name, "close") && arg_number(c, 0, &fd))
		strace_close(r->files, c->task, fd);
	else if (!strcmp(c->name, "lseek") || !strcmp(c->name, "write") ||
		 !strcmp(c->name, "writev"))
		on_move(r, c);
	else if (!strncmp(c->name, "dup", 3) || !strcmp(c->name, "fcntl"))
		on_dup(r, c);
	else if (!strcmp(c->name, "mmap"))
		on_mmap(r, c);
	else if (!strcmp(c->name, "madvise"))
		r->madvises++;
	else if (is_clone(c->name))
		strace_child(r->files, c->task, c->result, shares_files(c));
}

/* A descriptor's path as strace -y adds it to the result: "= 3</etc/passwd>". */
static const char *result_path(const struct strace_line *l)
{
	return l->result_path && *l->result_path == '/' ? l->result_path : NULL;
}

/* 0, or an error if the trace has too many of something. */
static int on_line(struct reading *r, struct strace_line *l)
{
	struct strace_task *t = strace_task(r->files, l->pid);
	struct call c = {.name = l->call,
			 .result = l->result,
			 .path = result_path(l),
			 .ns = l->ns,
			 .task = t};
	u32 n;

	if (!t)
		return -E2BIG;
	if (l->kind == STRACE_UNFINISHED) {
		strace_suspend(t, l);
		c.n_args = t->n_args;
		memcpy(c.args, t->args, sizeof(c.args));
		if (is_clone(l->call))
			strace_will_have_child(r->files, t, shares_files(&c));
		return 0;
	}
	if (l->kind == STRACE_RESUMED) {
		if (!t->suspended || strcmp(t->call, l->call))
			return 0; /* its beginning is not in the trace */
		memcpy(c.args, t->args, sizeof(c.args));
		c.n_args = t->n_args;
		for (n = 0; n < l->n_args && c.n_args < STRACE_ARGS; n++)
			c.args[c.n_args++] = l->args[n];
	} else {
		memcpy(c.args, l->args, sizeof(c.args));
		c.n_args = l->n_args;
	}
	if (l->has_result && (l->kind == STRACE_CALL || l->kind == STRACE_RESUMED))
		on_call(r, &c);
	if (l->kind == STRACE_RESUMED)
		strace_resume(t);
	return 0;
}

static void add_notes(const struct reading *r)
{
	struct access_builder *b = r->b;

	if (r->mappings)
		access_note(b,
			    "touches: %" PRIu64 " mappings of files; what was touched of them is "
			    "no system call",
			    r->mappings);
	if (r->madvises)
		access_note(b, "left out: %" PRIu64 " calls of madvise, whose file is not known",
			    r->madvises);
	if (r->writes)
		access_note(b, "left out: %" PRIu64 " writes", r->writes);
	if (r->direct)
		access_note(b, "left out: %" PRIu64 " reads past the page cache (O_DIRECT)",
			    r->direct);
	if (r->at_end + r->failed)
		access_note(b,
			    "left out: %" PRIu64 " reads at the end of a file, %" PRIu64
			    " that failed",
			    r->at_end, r->failed);
	if (r->unknown_fd)
		access_note(b,
			    "left out: %" PRIu64
			    " reads of descriptors that are no files, or whose opening is not in "
			    "the trace",
			    r->unknown_fd);
	if (r->unknown_pos)
		access_note(b, "left out: %" PRIu64 " reads at a file position that is not known",
			    r->unknown_pos);
	if (r->others)
		access_note(b, "left out: %" PRIu64 " lines that are not strace's", r->others);
}

int access_from_strace(const struct source *s, const struct replay_options *o,
		       struct access_builder *b, struct err *e)
{
	struct text_lines t;
	struct reading r = {.b = b, .files = strace_files_new()};
	struct strace_line l;
	char *line;
	int ret = text_lines_open(&t, s->path, o->partial, e);

	while (!ret && (ret = text_lines_next(&t, &line, e)) > 0) {
		ret = 0;
		if (!*line)
			continue;
		strace_parse(line, &l);
		if (l.kind == STRACE_NONE) {
			r.others++;
			continue;
		}
		if (!r.lines++)
			access_phase(b, "replay", l.ns);
		if (on_line(&r, &l))
			ret = text_lines_bad(&t, e, "more than %u tasks, or too many open files",
					     STRACE_TASKS_MAX);
	}
	if (!ret && !r.lines)
		ret = err_set(e, -EBADMSG,
			      "%s: no line is one of strace -ttt: expected [PID] SECONDS.MICROS "
			      "CALL(...) = RESULT",
			      s->path);
	if (!ret) {
		b->nameless = true;
		add_notes(&r);
		if (t.cut)
			access_note(b, "damaged: the text was read up to where it was cut off");
		ret = access_finish(b, "strace", e);
	}
	strace_files_free(r.files);
	text_lines_close(&t);
	return ret;
}
