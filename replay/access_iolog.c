// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses from fio's iolog (fio(1), TRACE FILE FORMAT):
 *
 *	fio version 2 iolog			fio version 3 iolog
 *	FILE add|open|close			USEC FILE add|open|close
 *	FILE ACTION OFFSET LENGTH		USEC FILE ACTION OFFSET LENGTH
 *	FILE wait USEC 0
 *
 * of which the reads are taken.  The log is one job's, so there is one task.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "replay/access.h"
#include "replay/text_lines.h"

#define USEC_MAX (ACCESS_NS_MAX / 1000)

struct iolog {
	struct text_lines *t;
	struct access_builder *b;
	struct draft_task *task;
	u32 version;
	u64 usec, writes;
};

static int number(const struct iolog *l, char **at, const char *what, u64 max, u64 *value,
		  struct err *e)
{
	const char *word = plan_word(at), *p = word ? word : "";
	u64 v = 0;

	do {
		if (*p < '0' || *p > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*p - '0'), &v))
			break;
	} while (*++p);
	if (!word || *p || v > max)
		return text_lines_bad(l->t, e,
				      "expected %s, a number from 0 to %llu, found '%.40s'", what,
				      (unsigned long long)max, word ? word : "");
	*value = v;
	return 0;
}

static int on_io(struct iolog *l, const char *file, const char *action, char *at, struct err *e)
{
	static const char *const others[] = {"write", "trim", "sync", "datasync"};
	u64 offset = 0, length = 0;
	struct draft_file *f;
	bool known = !strcmp(action, "read") || !strcmp(action, "wait");
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		known |= !strcmp(action, others[i]);
	if (!known)
		return text_lines_bad(l->t, e, "expected an action such as read, found '%.40s'",
				      action);
	ret = number(l, &at, "an offset", UINT64_MAX, &offset, e);
	if (!ret)
		ret = number(l, &at, "a length", UINT64_MAX, &length, e);
	if (ret)
		return ret;
	if (!strcmp(action, "wait")) {
		if (offset > USEC_MAX - l->usec)
			return text_lines_bad(l->t, e, "waits add up to more than %llu us",
					      (unsigned long long)USEC_MAX);
		l->usec += offset;
		return 0;
	}
	if (strcmp(action, "read")) {
		l->writes++;
		return 0;
	}
	if (!length)
		return 0;
	f = access_file(l->b, 0, text_hash(file, strlen(file)));
	if (access_add(l->b, l->task, f, ACCESS_READ, l->usec * 1000, offset, length))
		access_size(f,
			    length < ACCESS_FILE_MAX - offset ? offset + length : ACCESS_FILE_MAX);
	return 0;
}

static int on_line(struct iolog *l, char *line, struct err *e)
{
	const char *file, *action;
	int ret = 0;

	if (!*line)
		return 0;
	if (l->version == 3)
		ret = number(l, &line, "a time in us", USEC_MAX, &l->usec, e);
	if (ret)
		return ret;
	file = plan_word(&line);
	action = plan_word(&line);
	if (!action)
		return text_lines_bad(l->t, e, "expected a file and what was done to it");
	if (!strcmp(action, "add") || !strcmp(action, "open") || !strcmp(action, "close"))
		return 0;
	return on_io(l, file, action, line, e);
}

static int first_line(struct iolog *l, struct err *e)
{
	char *line = NULL;
	int ret = text_lines_next(l->t, &line, e);

	if (ret < 0)
		return ret;
	if (ret && !strcmp(line, "fio version 2 iolog"))
		l->version = 2;
	else if (ret && !strcmp(line, "fio version 3 iolog"))
		l->version = 3;
	else
		return text_lines_bad(l->t, e,
				      "expected fio's iolog of version 2 or 3, found "
				      "'%.60s'",
				      ret ? line : "");
	return 0;
}

int access_from_iolog(const struct source *s, const struct replay_options *o,
		      struct access_builder *b, struct err *e)
{
	struct text_lines t;
	struct iolog l = {.t = &t, .b = b};
	char *line, source[40];
	int ret = text_lines_open(&t, s->path, o->partial, e);

	if (!ret)
		ret = first_line(&l, e);
	if (!ret) {
		access_phase(b, "replay", 0);
		l.task = access_task(b, 0);
	}
	while (!ret && (ret = text_lines_next(&t, &line, e)) > 0)
		ret = on_line(&l, line, e);
	if (!ret) {
		b->nameless = true;
		access_note(b, "tasks: the log does not tell which task did what; it is replayed "
			       "as one");
		if (l.writes)
			access_note(b, "left out: %" PRIu64 " writes, trims and syncs", l.writes);
		if (t.cut)
			access_note(b, "damaged: the log was read up to where it was cut off");
		snprintf(source, sizeof(source), "fio iolog v%u", l.version);
		ret = access_finish(b, source, e);
	}
	text_lines_close(&t);
	return ret;
}
