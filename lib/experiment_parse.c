// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads experiments.  Syntax comes from libinih; what a key means, and every
 * message, from here.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <string.h>

#include "lib/experiment_internal.h"
#include "lib/fileio.h"

#define EXPERIMENT_MAX (256u << 10) /* bytes of INI text */

static int unknown_word(struct parser *p, const char *what, const char *word, const char *where,
			const char *const *known, size_t n)
{
	const char *near = nearest_word(word, known, n);

	return parser_fail(p, "unknown %s '%s'%s%s%s%s", what, word, where,
			   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int enter_section(struct parser *p, const char *name)
{
	const char *names[16];
	char copy[128], *rest;

	snprintf(copy, sizeof(copy), "%s", name);
	rest = copy + strcspn(copy, " \t");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	p->kind = NULL;
	p->phase = NULL;
	p->kernel = NULL;
	assert(n_sections <= ARRAY_SIZE(names));
	for (size_t i = 0; i < n_sections; i++) {
		names[i] = sections[i].name;
		if (!strcmp(copy, sections[i].name))
			p->kind = &sections[i];
	}
	if (!p->kind)
		return unknown_word(p, "section", copy, "", names, n_sections);
	return p->kind->begin(p, rest);
}

static int set_key(struct parser *p, const char *name, const char *value)
{
	const char *names[64];
	size_t n;

	if (!p->kind)
		return parser_fail(p, "key '%s' stands before the first [section]", name);
	if (p->kind->free_key)
		return p->kind->free_key(p, name, value);
	n = MIN(p->kind->n_keys, ARRAY_SIZE(names));
	for (size_t i = 0; i < n; i++) {
		names[i] = p->kind->keys[i].name;
		if (!strcmp(names[i], name))
			return p->kind->keys[i].set(p, &p->kind->keys[i], value);
	}
	return unknown_word(p, "key", name, "", names, n);
}

/* libinih calls this for each key; sections are entered by next_line(). */
static int handler(void *user, const char *section __unused_arg, const char *name,
		   const char *value)
{
	struct parser *p = user;

	if (!p->error)
		p->error = set_key(p, name, value);
	return !p->error;
}

static void set_defaults(struct experiment *exp, const char *name)
{
	const char *base = strrchr(name, '/');
	size_t n;

	base = base ? base + 1 : name;
	n = strlen(base);
	if (n > 4 && !strcmp(base + n - 4, ".ini"))
		n -= 4;
	snprintf(exp->name, sizeof(exp->name), "%.*s", (int)MIN(n, (size_t)NAME_LEN - 1), base);
	exp->file_size = 1u << 30;
	strcpy(exp->filesystem, "ext4");
	exp->block_size = 4096;
	strcpy(exp->mount_options, "ro");
	exp->read_ahead_kb = 128;
	exp->memory = 2ull << 30;
	exp->cpus = 2;
	exp->trace_buffer = 64u << 20;
	exp->osds = 1;
	exp->osd_replicas = 1;
}

/*
 * A root file system takes the guest over: its phases come last, the boot first
 * of them and once.
 */
static int check_root(struct parser *p, unsigned int i)
{
	const struct experiment *exp = p->exp;
	const struct phase *ph = &exp->phases[i];
	bool root = !strncmp(ph->pattern, "root-", 5), boot = !strcmp(ph->pattern, "root-boot");
	bool after_root = i && !strncmp(exp->phases[i - 1].pattern, "root-", 5);

	if (root && exp->root == ROOT_NONE)
		return parser_fail(p, "phase '%s' needs 'root' in [experiment]", ph->name);
	if (root && exp->root == ROOT_NFS && experiment_on_ceph(exp))
		return parser_fail(p, "phase '%s' with root = nfs: the test file cannot be on ceph",
				   ph->name);
	if (!root && after_root)
		return parser_fail(p, "phase '%s' comes after one of the root file system",
				   ph->name);
	if (boot && after_root)
		return parser_fail(p, "phase '%s' boots the root file system again", ph->name);
	if (root && !boot && !after_root)
		return parser_fail(p, "phase '%s' needs a phase with pattern root-boot before it",
				   ph->name);
	return 0;
}

/* IO500's sizes, where the phase does not say another; then the general ones. */
static void set_pattern_defaults(struct phase *ph)
{
	if (!strcmp(ph->pattern, "ior-hard-read")) {
		if (!ph->piece)
			ph->piece = 47008;
		/* processes take turns record by record: that is what is hard about it */
		if (!ph->chunk)
			ph->chunk = ph->piece;
	} else if (!strcmp(ph->pattern, "ior-easy-read") && !ph->piece) {
		ph->piece = 2u << 20;
	} else if (!strcmp(ph->pattern, "ior-rnd4K-easy-read") && !ph->length) {
		ph->length = 4096;
	}
	if (!ph->piece)
		ph->piece = 8u << 20;
	if (!ph->length)
		ph->length = 8;
}

/* What no single key can see. */
static int check_whole(struct parser *p)
{
	const struct experiment *exp = p->exp;

	if (!exp->n_phases)
		return err_set(p->e, -EINVAL, "%s: no [phase NAME] section", p->name);
	if (!exp->n_kernels)
		return err_set(p->e, -EINVAL, "%s: no [kernel NAME] section", p->name);
	if (exp->osd_replicas > exp->osds)
		return err_set(p->e, -EINVAL, "%s: osd_replicas is %u, more than osds, which is %u",
			       p->name, exp->osd_replicas, exp->osds);
	for (unsigned int i = 0; i < exp->n_phases; i++) {
		const struct phase *ph = &exp->phases[i];

		p->line = ph->line;
		if (!*ph->pattern)
			return parser_fail(p, "phase '%s' has no pattern", ph->name);
		if (position_bytes(&ph->start, exp->file_size, 1) >= exp->file_size)
			return parser_fail(p, "phase '%s' starts past the end of the file",
					   ph->name);
		if ((ph->clients > 1 || ph->lazyio) && !experiment_on_ceph(exp))
			return parser_fail(p, "phase '%s': %s needs filesystem = ceph", ph->name,
					   ph->lazyio ? "lazyio" : "more than one client");
		if (ph->clients > ph->threads)
			return parser_fail(p, "phase '%s' has %u clients, but only %u thread%s",
					   ph->name, ph->clients, ph->threads,
					   ph->threads == 1 ? "" : "s");
		if (check_root(p, i))
			return -EINVAL;
	}
	for (unsigned int i = 0; i < exp->n_expects; i++) {
		const struct expect *x = &exp->expects[i];
		bool kernel = false, phase = !*x->phase;

		for (unsigned int k = 0; k < exp->n_kernels; k++)
			kernel |= !strcmp(exp->kernels[k].name, x->kernel);
		for (unsigned int k = 0; k < exp->n_phases; k++)
			phase |= !strcmp(exp->phases[k].name, x->phase);
		if (!kernel || !phase)
			return err_set(p->e, -EINVAL, "%s: [expect %s%s%s]: no such %s", p->name,
				       x->kernel, *x->phase ? " " : "", x->phase,
				       kernel ? "phase" : "kernel");
	}
	return 0;
}

/*
 * What libinih reads from: one line at a time, counted so that messages can
 * name the line.  Sections are taken here and not from libinih, whose builds
 * differ in whether a section without keys is reported at all; so is what it
 * would do silently, cut a long line and continue a value over lines.
 */
struct line_source {
	const char *next;
	struct parser *p;
};

static void look_at_line(struct parser *p, const char *line, size_t n, size_t max)
{
	size_t blanks = strspn(line, " \t");
	const char *end;
	char name[96];

	if (n > max) {
		p->error = parser_fail(p, "the line is longer than %zu characters", max);
	} else if (isblank((unsigned char)*line) && !strchr(";#\r\n", line[blanks])) {
		p->error =
			parser_fail(p, "the line starts with a blank: values end with their line");
	} else if (*line == '[') {
		end = memchr(line, ']', n);
		if (!end) {
			p->error = parser_fail(p, "expected ']' at the end of the section's name");
			return;
		}
		snprintf(name, sizeof(name), "%.*s", (int)MIN(end - line - 1, 95), line + 1);
		p->error = enter_section(p, name);
	}
}

static char *next_line(char *buf, int size, void *stream)
{
	struct line_source *s = stream;
	struct parser *p = s->p;
	size_t n = strcspn(s->next, "\n");

	if (!*s->next || p->error)
		return NULL;
	p->line++;
	look_at_line(p, s->next, n, (size_t)size - 2);
	if (p->error)
		return NULL;
	memcpy(buf, s->next, n);
	buf[n] = '\0';
	s->next += n + (s->next[n] == '\n');
	return buf;
}

int experiment_parse(const char *text, const char *name, struct experiment **out, struct err *e)
{
	struct parser p = {.name = name, .e = e, .exp = xcalloc(1, sizeof(*p.exp))};
	struct line_source source = {.next = text, .p = &p};
	int line;

	set_defaults(p.exp, name);
	line = ini_parse_stream(next_line, &source, handler, &p);
	if (!p.error && line) {
		p.line = line;
		p.error = parser_fail(&p, "expected [section], key = value or a comment");
	}
	for (unsigned int i = 0; !p.error && i < p.exp->n_phases; i++)
		set_pattern_defaults(&p.exp->phases[i]);
	if (!p.error)
		p.error = check_whole(&p);
	if (p.error) {
		experiment_free(p.exp);
		return p.error;
	}
	*out = p.exp;
	return 0;
}

int experiment_check(struct experiment *exp, struct err *e)
{
	struct parser p = {.name = exp->name, .e = e, .exp = exp};

	return check_whole(&p);
}

int experiment_load(const char *path, struct experiment **exp, struct err *e)
{
	char *text __cleanup_free = NULL;
	size_t len;
	int ret = file_read(path, EXPERIMENT_MAX, &text, &len, e);

	if (!ret && memchr(text, '\0', len))
		ret = err_set(e, -EINVAL, "%s: not an INI file: it has NUL bytes", path);
	return ret ? ret : experiment_parse(text, path, exp, e);
}

int experiment_set(struct experiment *exp, const char *key, const char *value, struct err *e)
{
	struct parser p = {.name = "[experiment]", .e = e, .exp = exp, .kind = &sections[0]};

	/* it must read back from the run's experiment.ini */
	for (const char *c = value; *c; c++)
		if (iscntrl((unsigned char)*c))
			return parser_fail(&p, "%s: a control character in the value", key);

	return set_key(&p, key, value);
}

int experiment_run_program(struct experiment *exp, const char *program, const char *args,
			   struct err *e)
{
	struct phase ph = default_phase;
	struct parser p = {.name = "program", .e = e, .exp = exp, .phase = &ph};
	unsigned int n = 0;
	int ret;

	/* libinih would take the rest for a comment when the run is read back */
	if (strstr(program, " ;") || strstr(args, " ;"))
		return parser_fail(
			&p, "' ;' in a path or an argument cannot be kept in experiment.ini");
	ret = key_text(&p, &program_keys[0], program);
	if (!ret)
		ret = key_text(&p, &program_keys[1], args);
	if (ret)
		return ret;
	strcpy(ph.name, "program");
	strcpy(ph.pattern, "program");
	ph.piece = 8u << 20; /* of no use to it, but it must read back */
	ph.length = 8;
	ph.timeout_s = 1800; /* it cannot say that it makes progress */
	exp->phases[0] = ph;
	exp->n_phases = 1;
	for (unsigned int i = 0; i < exp->n_expects; i++)
		if (!*exp->expects[i].phase)
			exp->expects[n++] = exp->expects[i];
	exp->n_expects = n;
	return 0;
}
