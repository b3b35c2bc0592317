// SPDX-License-Identifier: GPL-2.0-only
#include "verify/input/comms.h"

#include <string.h>

struct comm_entry {
	s32 pid;
	bool used;
	char name[COMM_LEN];
};

static struct comm_entry *slot(const struct comms *c, s32 pid)
{
	u32 i = (u32)pid * 2654435761u; /* 2^32 / golden ratio: spreads neighbours */

	for (i &= c->size - 1; c->entry[i].used && c->entry[i].pid != pid;)
		i = (i + 1) & (c->size - 1);
	return &c->entry[i];
}

static void grow(struct comms *c)
{
	struct comms old = *c;

	c->size = old.size ? old.size * 2 : 256;
	c->entry = xcalloc(c->size, sizeof(*c->entry));
	for (u32 i = 0; i < old.size; i++) {
		if (old.entry[i].used)
			*slot(c, old.entry[i].pid) = old.entry[i];
	}
	free(old.entry);
}

void comms_set(struct comms *c, s32 pid, const char *name, size_t len)
{
	struct comm_entry *e;

	if (c->n * 2 >= c->size && c->size < COMMS_MAX)
		grow(c);
	e = slot(c, pid);
	if (!e->used) {
		if (c->n + 1 >= c->size) /* one slot stays free, so that searches end */
			return;
		c->n++;
	}
	e->used = true;
	e->pid = pid;
	memset(e->name, 0, sizeof(e->name));
	memcpy(e->name, name, strnlen(name, MIN(len, (size_t)COMM_LEN - 1)));
}

const char *comms_get(const struct comms *c, s32 pid)
{
	const struct comm_entry *e;

	if (!c->size)
		return NULL;
	e = slot(c, pid);
	return e->used ? e->name : NULL;
}

void comms_parse(struct comms *c, const char *text, size_t len)
{
	const char *end = text + len, *line = text, *eol;
	u64 pid;

	for (; line < end; line = eol + 1) {
		const char *p = line;

		eol = memchr(line, '\n', (size_t)(end - line));
		eol = eol ? eol : end;
		while (p < eol && *p == ' ')
			p++;
		for (pid = 0; p < eol && *p >= '0' && *p <= '9' && pid < INT32_MAX; p++)
			pid = pid * 10 + (u64)(*p - '0');
		if (p < eol && *p == ' ' && pid <= INT32_MAX)
			comms_set(c, (s32)pid, p + 1, (size_t)(eol - p - 1));
	}
}

void comms_free(struct comms *c)
{
	free(c->entry);
	memset(c, 0, sizeof(*c));
}
