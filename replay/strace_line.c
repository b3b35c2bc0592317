// SPDX-License-Identifier: GPL-2.0-only
#include "replay/strace_line.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define SECONDS_MAX 100000000000ull /* far beyond any date */

static bool digits(char **at, u64 *value)
{
	char *p = *at;
	u64 v = 0;

	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*p - '0'), &v))
			return false;
	if (p == *at)
		return false;
	*at = p;
	*value = v;
	return true;
}

/* "1234 " or "[pid  1234] " in front of a time. */
static bool take_pid(char **at, u64 *pid)
{
	char *p = *at;
	bool bracket = !strncmp(p, "[pid ", 5);

	p += bracket ? 5 : 0;
	p += strspn(p, " ");
	if (!digits(&p, pid))
		return false;
	if (bracket && *p++ != ']')
		return false;
	if (*p != ' ')
		return false;
	*at = p + strspn(p, " ");
	return true;
}

/* SECONDS.MICROS and a blank */
static bool take_time(char **at, u64 *ns)
{
	char *p = *at, *dot;
	u64 sec, usec;

	if (!digits(&p, &sec) || *p != '.' || sec > SECONDS_MAX)
		return false;
	dot = p++;
	if (!digits(&p, &usec) || p - dot != 7 || *p != ' ')
		return false;
	*ns = sec * NSEC_PER_SEC + usec * 1000;
	*at = p + strspn(p, " ");
	return true;
}

/*
 * Arguments up to the ')' that ends them, at commas outside of strings and
 * brackets.  Returns what follows the ')', or NULL if there is none.
 */
static char *take_args(char *p, struct strace_line *l)
{
	char *start;
	int depth = 0;

	p += strspn(p, " ");
	for (start = p; *p; p++) {
		if (*p == '"') {
			for (p++; *p && *p != '"'; p++)
				p += *p == '\\' && p[1];
			if (!*p)
				return NULL;
		} else if (*p == '<' && (p[1] == '/' || isalpha((unsigned char)p[1]))) {
			/* what -y says of a descriptor */
			p += strcspn(p, ">");
			if (!*p)
				return NULL;
		} else if (strchr("([{", *p)) {
			depth++;
		} else if (depth && strchr(")]}", *p)) {
			depth--;
		} else if (!depth && (*p == ',' || *p == ')')) {
			bool end = *p == ')';

			if (l->n_args < STRACE_ARGS && p > start)
				l->args[l->n_args++] = start;
			*p = '\0';
			if (end)
				return p + 1;
			start = p + 1 + strspn(p + 1, " ");
			p = start - 1;
		}
	}
	return NULL;
}

bool strace_number(const char *arg, s64 *value)
{
	char *end;

	errno = 0;
	*value = strtoll(arg, &end, 0);
	return end != arg && !errno;
}

static void take_result(char *p, struct strace_line *l)
{
	p += strspn(p, " ");
	if (*p != '=')
		return;
	p += 1 + strspn(p + 1, " ");
	l->has_result = strace_number(p, &l->result);
	p += strspn(p, "-0123456789");
	if (l->has_result && *p == '<' && strchr(p, '>'))
		l->result_path = p + 1;
}

/* What a line that is only begun says: its arguments so far. */
static void take_unfinished(char *p, char *mark, struct strace_line *l)
{
	*mark = '\0';
	while (mark > p && (mark[-1] == ' ' || mark[-1] == ','))
		*--mark = '\0';
	/* take_args() wants the bracket that is still to come */
	*mark = ')';
	mark[1] = '\0';
	take_args(p, l);
}

void strace_parse(char *line, struct strace_line *l)
{
	static const char unfinished[] = "<unfinished ...>";
	char *p = line, *end, *mark;
	size_t n;

	*l = (struct strace_line){.kind = STRACE_NONE};
	if (!take_time(&p, &l->ns) && !(take_pid(&p, &l->pid) && take_time(&p, &l->ns)))
		return;
	if (!strncmp(p, "+++", 3) || !strncmp(p, "---", 3)) {
		l->kind = STRACE_OTHER;
		return;
	}
	if (!strncmp(p, "<... ", 5)) {
		l->call = p + 5;
		mark = strstr(p, " resumed>");
		if (!mark)
			return;
		*mark = '\0';
		end = take_args(mark + strlen(" resumed>"), l);
		if (!end)
			return;
		take_result(end, l);
		l->kind = STRACE_RESUMED;
		return;
	}
	for (end = p; isalnum((unsigned char)*end) || *end == '_'; end++)
		;
	if (end == p || *end != '(')
		return;
	l->call = p;
	*end++ = '\0';
	n = strlen(end);
	if (n >= sizeof(unfinished) - 1 &&
	    !strcmp(end + n - (sizeof(unfinished) - 1), unfinished)) {
		take_unfinished(end, end + n - (sizeof(unfinished) - 1), l);
		l->kind = STRACE_UNFINISHED;
		return;
	}
	end = take_args(end, l);
	if (!end)
		return;
	take_result(end, l);
	l->kind = STRACE_CALL;
}
