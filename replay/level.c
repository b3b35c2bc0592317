// SPDX-License-Identifier: GPL-2.0-only
#include "replay/level.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fileio.h"
#include "replay/strace_line.h"

/* In the order in which they are tried. */
static const struct level *const levels[] = {&level_access, &level_block};

const struct level *level_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcmp(levels[i]->name, name))
			return levels[i];
	return NULL;
}

const struct level *level_of(const struct source *s, struct err *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		/* an iolog's files are devices more often than not */
		if (s->kind == SOURCE_IOLOG && levels[i] == &level_access)
			continue;
		if (levels[i]->possible(s, why))
			return levels[i];
	}
	return NULL;
}

static int open_run(struct source *s, struct err *e)
{
	int ret = run_open(&s->run, s->path, e);

	if (ret)
		return ret;
	if (s->run->n_captures != 1)
		return err_set(e, -EINVAL, "%s has %u captures: name one of them, such as %s",
			       s->path, s->run->n_captures, s->run->captures[0]->path);
	s->capture = s->run->captures[0];
	return 0;
}

static bool is_iolog(const char *path)
{
	static const char first[] = "fio version ";
	char head[sizeof(first) - 1];
	FILE *f __cleanup_fclose = fopen(path, "re");

	return f && fread(head, sizeof(head), 1, f) == 1 && !memcmp(head, first, sizeof(head));
}

/* Is one of the first lines one of strace -ttt? */
static bool is_strace(const char *path)
{
	char head[4096], *line = head, *newline;
	FILE *f __cleanup_fclose = fopen(path, "re");
	struct strace_line l;
	size_t n = f ? fread(head, 1, sizeof(head) - 1, f) : 0;
	bool found = false;

	head[n] = '\0';
	for (; !found && (newline = strchr(line, '\n')); line = newline + 1) {
		*newline = '\0';
		strace_parse(line, &l);
		found = l.kind != STRACE_NONE;
	}
	return found;
}

int source_open(struct source *s, const char *path, struct err *e)
{
	struct stat st;

	*s = (struct source){.path = path, .kind = SOURCE_TRACE};
	if (!stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
		return err_set(e, -EINVAL, "%s: at byte 0: expected a trace, the file is empty",
			       path);
	if (is_iolog(path)) {
		s->kind = SOURCE_IOLOG;
		return 0;
	}
	if (is_strace(path)) {
		s->kind = SOURCE_STRACE;
		return 0;
	}
	return open_run(s, e);
}

void source_close(struct source *s)
{
	if (s->run)
		run_close(s->run);
	s->run = NULL;
}
