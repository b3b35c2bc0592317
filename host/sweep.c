// SPDX-License-Identifier: GPL-2.0-only
#include "host/sweep.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int sweep_list_parse(struct sweep_list *s, const char *text, struct err *e)
{
	const char *colon = strchr(text, ':'), *p;
	char separator = strchr(text, ';') ? ';' : ',';
	size_t len;

	memset(s, 0, sizeof(*s));
	if (!colon || colon == text)
		return err_set(e, -EINVAL, "--sweep '%s': expected KEY:VALUE,VALUE...", text);
	s->key = xstrndup(text, (size_t)(colon - text));
	for (p = colon + 1;; p += len + 1) {
		len = (size_t)(strchrnul(p, separator) - p);
		if (!len)
			return err_set(e, -EINVAL, "--sweep '%s': an empty value", text);
		if (s->n == SWEEP_MAX)
			return err_set(e, -EINVAL, "--sweep: more than %d values", SWEEP_MAX);
		s->values[s->n++] = xstrndup(p, len);
		if (!p[len])
			break;
	}
	if (s->n < 2)
		return err_set(e, -EINVAL, "--sweep '%s': one value is no sweep (--set sets it)",
			       text);
	return 0;
}

void sweep_list_free(struct sweep_list *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		free(s->values[i]);
	free(s->key);
	memset(s, 0, sizeof(*s));
}

char *sweep_name(const char *key, const char *value)
{
	char *name = xasprintf("%s=%.64s", key, value);

	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.+=", *c))
			*c = '_';
	return name;
}
