// SPDX-License-Identifier: GPL-2.0-only
/* Values of an experiment's keys: one setter for each kind. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/experiment_internal.h"
#include "lib/size.h"

int parser_fail(struct parser *p, const char *fmt, ...)
{
	char text[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!p->line) /* no line of a file */
		return err_set(p->e, -EINVAL, "%s: %s", p->name, text);
	return err_set(p->e, -EINVAL, "%s:%d: %s", p->name, p->line, text);
}

/* A setter's own message, with file and line in front. */
int parser_at_line(struct parser *p, int ret)
{
	if (ret && !p->line)
		return err_prefix(p->e, ret, "%s", p->name);
	return ret ? err_prefix(p->e, ret, "%s:%d", p->name, p->line) : 0;
}

static void *target_of(struct parser *p)
{
	if (p->phase)
		return p->phase;
	return p->kernel ? (void *)p->kernel : p->exp;
}

static void *member(struct parser *p, const struct key *key)
{
	return (char *)target_of(p) + key->offset;
}

int key_size(struct parser *p, const struct key *key, const char *value)
{
	u64 v;
	int ret = size_parse(value, key->name, &v, p->e);

	if (ret)
		return parser_at_line(p, ret);
	if (v < key->min || v > key->max) {
		char lo[SIZE_TEXT_MAX], hi[SIZE_TEXT_MAX];

		return parser_fail(p, "%s '%s' is out of range: %s to %s", key->name, value,
				   size_text(key->min, lo), size_text(key->max, hi));
	}
	*(u64 *)member(p, key) = v;
	return 0;
}

int key_number(struct parser *p, const struct key *key, const char *value)
{
	return parser_at_line(
		p, number_parse(value, key->name, key->min, key->max, member(p, key), p->e));
}

int key_uint(struct parser *p, const struct key *key, const char *value)
{
	u64 v;
	int ret = number_parse(value, key->name, key->min, key->max, &v, p->e);

	if (ret)
		return parser_at_line(p, ret);
	*(unsigned int *)member(p, key) = (unsigned int)v;
	return 0;
}

/* key->max is the size of the member, with NUL. */
int key_text(struct parser *p, const struct key *key, const char *value)
{
	if (strlen(value) >= key->max)
		return parser_fail(p, "%s is longer than %llu characters", key->name,
				   (unsigned long long)key->max - 1);
	strcpy(member(p, key), value);
	return 0;
}

static bool name_ok(const char *s)
{
	size_t n = strlen(s);

	if (!n || n >= NAME_LEN || *s == '-' || *s == '.')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("-_.", *s))
			return false;
	return true;
}

/* Names go into paths, markers and tables. */
int parser_check_name(struct parser *p, const char *what, const char *value)
{
	if (name_ok(value))
		return 0;
	return parser_fail(
		p, "%s '%s' is not a name: expected 1 to %d letters, digits, '-', '_' or '.'", what,
		value, NAME_LEN - 1);
}

int key_name(struct parser *p, const struct key *key, const char *value)
{
	int ret = parser_check_name(p, key->name, value);

	if (!ret)
		strcpy(member(p, key), value);
	return ret;
}

int key_bool(struct parser *p, const struct key *key, const char *value)
{
	bool yes = !strcmp(value, "yes");

	if (!yes && strcmp(value, "no"))
		return parser_fail(p, "%s '%s' is neither yes nor no", key->name, value);
	*(bool *)member(p, key) = yes;
	return 0;
}

int parser_word(struct parser *p, const char *name, const char *const *words, const char *value)
{
	char list[200] = "";
	size_t len = 0;

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], value))
			return i;
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					words[i]);
		assert(len < sizeof(list));
	}
	return parser_fail(p, "%s '%s' is not one of %s", name, value, list);
}

int key_word(struct parser *p, const struct key *key, const char *value)
{
	int i = parser_word(p, key->name, key->words, value);

	if (i < 0)
		return i;
	*(unsigned int *)member(p, key) = (unsigned int)i;
	return 0;
}

int key_hugepage(struct parser *p, const struct key *key, const char *value)
{
	static const char *const words[] = {"always", "madvise", "never", NULL};
	int i = parser_word(p, key->name, words, value);

	if (i >= 0)
		strcpy(member(p, key), value);
	return MIN(i, 0);
}

/* What the kernel would keep: a power of two of at least a page. */
int key_fault_around(struct parser *p, const struct key *key, const char *value)
{
	int ret = key_size(p, key, value);
	u64 v;

	if (ret)
		return ret;
	v = *(u64 *)member(p, key);
	if (v & (v - 1))
		return parser_fail(p, "%s '%s' is not a power of two", key->name, value);
	return 0;
}

int key_read_ahead(struct parser *p, const struct key *key, const char *value)
{
	p->exp->read_ahead_set = true;
	return key_number(p, key, value);
}

/* "256M", or a fraction of the file such as "1/8". */
int key_position(struct parser *p, const struct key *key, const char *value)
{
	struct position *pos = member(p, key);
	const char *slash = strchr(value, '/');
	char num[24];
	u64 n, d;
	int ret;

	if (!slash) {
		pos->den = 0;
		return parser_at_line(p, size_parse(value, key->name, &pos->bytes, p->e));
	}
	snprintf(num, sizeof(num), "%.*s", (int)MIN(slash - value, 20), value);
	ret = number_parse(num, key->name, 0, UINT32_MAX, &n, p->e);
	if (!ret)
		ret = number_parse(slash + 1, key->name, 1, UINT32_MAX, &d, p->e);
	if (ret || n >= d)
		return parser_fail(
			p, "%s '%s' is not a place in the file: a size, or a fraction below 1",
			key->name, value);
	pos->num = (u32)n;
	pos->den = (u32)d;
	return 0;
}

/* Words separated by blanks or commas into a list of names. */
static int split_names(struct parser *p, const struct key *key, const char *value,
		       char (*list)[NAME_LEN], unsigned int *n)
{
	char *copy __cleanup_free = xstrdup(value);
	char *save = NULL;
	int ret;

	*n = 0;
	for (char *w = strtok_r(copy, " \t,", &save); w; w = strtok_r(NULL, " \t,", &save)) {
		ret = parser_check_name(p, key->name, w);
		if (ret)
			return ret;
		if (*n == LIST_MAX)
			return parser_fail(p, "%s has more than %d names", key->name, LIST_MAX);
		strcpy(list[(*n)++], w);
	}
	return *n ? 0 : parser_fail(p, "%s is empty", key->name);
}

int key_checks(struct parser *p, const struct key *key, const char *value)
{
	return split_names(p, key, value, p->phase->checks, &p->phase->n_checks);
}

int key_config(struct parser *p, const struct key *key, const char *value)
{
	return split_names(p, key, value, p->kernel->config, &p->kernel->n_config);
}
