// SPDX-License-Identifier: GPL-2.0-only
#include "host/kernel_config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lib/fileio.h"

#define FRAGMENT_MAX (1u << 20)
#define NOT_SET " is not set"

void config_free(struct config *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->options[i].name);
		free(c->options[i].value);
		free(c->options[i].where);
	}
	free(c->options);
	free(c->text);
	memset(c, 0, sizeof(*c));
}

static size_t name_len(const char *p)
{
	size_t n = 0;

	if (!str_after(p, "CONFIG_"))
		return 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n > strlen("CONFIG_") ? n : 0;
}

/* A later fragment replaces what an earlier one said. */
static void set_option(struct config *c, struct config_option o)
{
	size_t i;

	for (i = 0; i < c->n && strcmp(c->options[i].name, o.name); i++)
		;
	if (i == c->n) {
		c->options = xrealloc(c->options, c->n + 1, sizeof(o));
		c->n++;
	} else {
		free(c->options[i].name);
		free(c->options[i].value);
		free(c->options[i].where);
	}
	c->options[i] = o;
}

static void add_text(struct config *c, const char *line)
{
	char *more = xasprintf("%s%s\n", c->text ? c->text : "", line);

	free(c->text);
	c->text = more;
}

static int parse_line(struct config *c, const char *line, const char *name, unsigned int number,
		      struct err *e)
{
	const char *p = line, *rest;
	struct config_option o = {0};
	size_t n;

	rest = str_after(line, "#? ");
	if (rest) {
		o.optional = true;
		p = rest;
	} else if (*line == '#') {
		p = line + 1 + strspn(line + 1, " ");
		n = name_len(p);
		if (!n || strcmp(p + n, NOT_SET))
			return 0; /* a comment */
	} else if (!*line) {
		return 0;
	}
	n = name_len(p);
	if (!n || (p[n] != '=' && strcmp(p + n, NOT_SET)) || (p[n] == '=' && !p[n + 1]))
		return err_set(e, -EINVAL,
			       "%s:%u: '%s' is not CONFIG_NAME=value or "
			       "'# CONFIG_NAME is not set'",
			       name, number, line);
	o.name = xstrndup(p, n);
	o.value = xstrdup(p[n] == '=' ? p + n + 1 : "n");
	o.where = xasprintf("%s:%u", name, number);
	add_text(c, p == line || !rest ? line : p);
	set_option(c, o);
	return 0;
}

/*
 * "#@ NAME..." in front of lines that only these architectures have, up to the next
 * empty line.  1: ours is one of them; 0: it is not; -EINVAL: there is no such one.
 */
static int parse_archs(const struct config *c, char *names, const char *file, unsigned int number,
		       struct err *e)
{
	const struct arch *own = c->arch ? c->arch : ARCH_DEFAULT;
	char *name, *save = NULL;
	struct err why;
	int ours = 0;

	for (name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		const struct arch *a = arch_find(name, &why);

		if (!a)
			return err_set(e, -EINVAL, "%s:%u: '%s' is no architecture", file, number,
				       name);
		ours |= a == own;
	}
	return ours;
}

int config_parse(struct config *c, const char *text, const char *name, struct err *e)
{
	char *copy __cleanup_free = xstrdup(text);
	char *line = copy, *end;
	unsigned int number = 0;
	bool ours = true;
	char *archs_at;
	int ret = 0;

	while (line && !ret) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		while (*line && isspace((unsigned char)line[strlen(line) - 1]))
			line[strlen(line) - 1] = '\0';
		archs_at = (char *)str_after(line, "#@ ");
		number++;
		if (archs_at) {
			ret = parse_archs(c, archs_at, name, number, e);
			ours = ret > 0;
			ret = MIN(ret, 0);
		} else if (!*line) {
			ours = true;
		} else if (ours) {
			ret = parse_line(c, line, name, number, e);
		}
		line = end ? end + 1 : NULL;
	}
	return ret;
}

static int load_fragment(struct config *c, const char *data_dir, const char *name, struct err *e)
{
	char *label __cleanup_free = xasprintf("kconfigs/%s.config", name);
	char *path __cleanup_free = xasprintf("%s/%s", data_dir, label);
	char *text __cleanup_free = NULL;
	int ret = file_read(path, FRAGMENT_MAX, &text, NULL, e);

	return ret ? ret : config_parse(c, text, label, e);
}

int config_load(const char *data_dir, const struct kernel_spec *spec, const struct arch *arch,
		struct config *c, struct err *e)
{
	unsigned int i;
	int ret;

	memset(c, 0, sizeof(*c));
	c->arch = arch;
	ret = load_fragment(c, data_dir, "base", e);
	for (i = 0; i < spec->n_config && !ret; i++)
		ret = load_fragment(c, data_dir, spec->config[i], e);
	if (ret)
		config_free(c);
	return ret;
}

char *config_value(const char *text, const char *name)
{
	const char *line = text, *p;

	for (; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		p = str_after(line, name);
		if (p && *p == '=')
			return xstrndup(p + 1, strcspn(p + 1, "\n"));
	}
	return xstrdup("n");
}

int config_check(const struct config *c, const char *result, const char *kernel, struct err *e)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct config_option *o = &c->options[i];
		char *got __cleanup_free = config_value(result, o->name);

		if (o->optional || !strcmp(got, o->value))
			continue;
		return err_set(e, -EINVAL,
			       "%s: asked for %s=%s, but %s has %s=%s after Kconfig "
			       "(unknown there, a dependency that is not met, or another option "
			       "selects it)",
			       o->where, o->name, o->value, kernel, o->name, got);
	}
	return 0;
}
