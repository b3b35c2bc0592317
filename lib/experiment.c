// SPDX-License-Identifier: GPL-2.0-only
/*
 * The INI reader: one table of sections, one table of keys for each, each key
 * with a setter.  Syntax comes from libinih; what a key means, and every
 * message, from here.
 */
#include "lib/experiment.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <string.h>

#include "lib/fileio.h"
#include "lib/size.h"

#define EXPERIMENT_MAX (256u << 10) /* bytes of INI text */
#define PHASES_MAX 256u
#define KERNELS_MAX 16u
#define MEMORY_MAX (1ull << 40)
#define TRACE_BUFFER_MAX (4ull << 30)

const char *const copy_order_names[] = {"forward", "tail-first", "backward", "memcpy", NULL};
const char *const advice_names[] = {
	"none",
	"random",
	"sequential",
	"hugepage",
	"willneed",
	"fadvise-random",
	"fadvise-sequential",
	"fadvise-willneed",
	"readahead",
	NULL,
};
const char *const replay_timing_names[] = {"fast", "recorded", NULL};
const char *const replay_touch_names[] = {"run", "page", "range", NULL};
const char *const replay_open_names[] = {"auto", "shared", "per-task", NULL};
const char *const placement_names[] = {"interleaved", "blocked", NULL};
const char *const osd_store_names[] = {"memstore", "bluestore", NULL};
const char *const root_names[] = {"none", "virtio-blk", NULL};
static const char *const expectation_names[] = {"holds", "violated", "any", NULL};

struct parser {
	const char *name; /* of the file, for messages */
	int line;
	struct experiment *exp;
	struct err *e;
	int error;
	/* what the current section fills in */
	const struct section *kind;
	struct phase *phase;
	struct kernel_spec *kernel;
	struct expect target; /* kernel and phase of an [expect …] section */
	char limit_check[NAME_LEN];
};

struct key {
	const char *name;
	int (*set)(struct parser *p, const struct key *key, const char *value);
	size_t offset;
	u64 min, max;
	const char *const *words; /* set_word(): two or three of them */
};

struct section {
	const char *name;
	const struct key *keys;
	size_t n_keys;
	/* [NAME rest]: starts the thing that "rest" names */
	int (*begin)(struct parser *p, char *rest);
	/* keys that are names of checks instead of a table; takes key and value */
	int (*free_key)(struct parser *p, const char *key, const char *value);
};

static int __printf_like(2, 3) fail(struct parser *p, const char *fmt, ...)
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
static int at_line(struct parser *p, int ret)
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

static int set_size(struct parser *p, const struct key *key, const char *value)
{
	u64 v;
	int ret = size_parse(value, key->name, &v, p->e);

	if (ret)
		return at_line(p, ret);
	if (v < key->min || v > key->max) {
		char lo[SIZE_TEXT_MAX], hi[SIZE_TEXT_MAX];

		return fail(p, "%s '%s' is out of range: %s to %s", key->name, value,
			    size_text(key->min, lo), size_text(key->max, hi));
	}
	*(u64 *)member(p, key) = v;
	return 0;
}

static int set_number(struct parser *p, const struct key *key, const char *value)
{
	return at_line(p, number_parse(value, key->name, key->min, key->max, member(p, key), p->e));
}

static int set_uint(struct parser *p, const struct key *key, const char *value)
{
	u64 v;
	int ret = number_parse(value, key->name, key->min, key->max, &v, p->e);

	if (ret)
		return at_line(p, ret);
	*(unsigned int *)member(p, key) = (unsigned int)v;
	return 0;
}

/* key->max is the size of the member, with NUL. */
static int set_text(struct parser *p, const struct key *key, const char *value)
{
	if (strlen(value) >= key->max)
		return fail(p, "%s is longer than %llu characters", key->name,
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
static int check_name(struct parser *p, const char *what, const char *value)
{
	if (name_ok(value))
		return 0;
	return fail(p, "%s '%s' is not a name: expected 1 to %d letters, digits, '-', '_' or '.'",
		    what, value, NAME_LEN - 1);
}

static int set_name(struct parser *p, const struct key *key, const char *value)
{
	int ret = check_name(p, key->name, value);

	if (!ret)
		strcpy(member(p, key), value);
	return ret;
}

static int set_bool(struct parser *p, const struct key *key, const char *value)
{
	bool yes = !strcmp(value, "yes");

	if (!yes && strcmp(value, "no"))
		return fail(p, "%s '%s' is neither yes nor no", key->name, value);
	*(bool *)member(p, key) = yes;
	return 0;
}

static int word_index(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static int set_order(struct parser *p, const struct key *key, const char *value)
{
	int i = word_index(copy_order_names, value);

	if (i < 0)
		return fail(p, "%s '%s' is not one of forward, tail-first, backward, memcpy",
			    key->name, value);
	*(enum copy_order *)member(p, key) = (enum copy_order)i;
	return 0;
}

static int set_advice(struct parser *p, const struct key *key, const char *value)
{
	int i = word_index(advice_names, value);

	if (i < 0)
		return fail(p,
			    "%s '%s' is not one of none, random, sequential, hugepage, willneed, "
			    "fadvise-random, fadvise-sequential, fadvise-willneed, readahead",
			    key->name, value);
	*(enum advice *)member(p, key) = (enum advice)i;
	return 0;
}

static int set_root(struct parser *p, const struct key *key, const char *value)
{
	int i = word_index(root_names, value);

	if (i < 0)
		return fail(p, "%s '%s' is not one of none, virtio-blk", key->name, value);
	*(enum root_kind *)member(p, key) = (enum root_kind)i;
	return 0;
}

static int set_hugepage(struct parser *p, const struct key *key, const char *value)
{
	static const char *const words[] = {"always", "madvise", "never", NULL};

	if (word_index(words, value) < 0)
		return fail(p, "%s '%s' is not one of always, madvise, never", key->name, value);
	strcpy(member(p, key), value);
	return 0;
}

/* What the kernel would keep: a power of two of at least a page. */
static int set_fault_around(struct parser *p, const struct key *key, const char *value)
{
	int ret = set_size(p, key, value);
	u64 v;

	if (ret)
		return ret;
	v = *(u64 *)member(p, key);
	if (v & (v - 1))
		return fail(p, "%s '%s' is not a power of two", key->name, value);
	return 0;
}

/* One of key->words, as an enum. */
static int set_word(struct parser *p, const struct key *key, const char *value)
{
	int i = word_index(key->words, value);

	if (i < 0)
		return fail(p, "%s '%s' is not one of %s, %s%s%s", key->name, value, key->words[0],
			    key->words[1], key->words[2] ? ", " : "",
			    key->words[2] ? key->words[2] : "");
	*(unsigned int *)member(p, key) = (unsigned int)i;
	return 0;
}

static int set_read_ahead(struct parser *p, const struct key *key, const char *value)
{
	p->exp->read_ahead_set = true;
	return set_number(p, key, value);
}

/* "256M", or a fraction of the file such as "1/8". */
static int set_position(struct parser *p, const struct key *key, const char *value)
{
	struct position *pos = member(p, key);
	const char *slash = strchr(value, '/');
	char num[24];
	u64 n, d;
	int ret;

	if (!slash) {
		pos->den = 0;
		return at_line(p, size_parse(value, key->name, &pos->bytes, p->e));
	}
	snprintf(num, sizeof(num), "%.*s", (int)MIN(slash - value, 20), value);
	ret = number_parse(num, key->name, 0, UINT32_MAX, &n, p->e);
	if (!ret)
		ret = number_parse(slash + 1, key->name, 1, UINT32_MAX, &d, p->e);
	if (ret || n >= d)
		return fail(p, "%s '%s' is not a place in the file: a size, or a fraction below 1",
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
		ret = check_name(p, key->name, w);
		if (ret)
			return ret;
		if (*n == LIST_MAX)
			return fail(p, "%s has more than %d names", key->name, LIST_MAX);
		strcpy(list[(*n)++], w);
	}
	return *n ? 0 : fail(p, "%s is empty", key->name);
}

static int set_checks(struct parser *p, const struct key *key, const char *value)
{
	return split_names(p, key, value, p->phase->checks, &p->phase->n_checks);
}

static int set_config(struct parser *p, const struct key *key, const char *value)
{
	return split_names(p, key, value, p->kernel->config, &p->kernel->n_config);
}

#define SIZE(n, type, lo, hi)                                                                      \
	{                                                                                          \
		.name = #n, .set = set_size, .offset = offsetof(struct type, n), .min = (lo),      \
		.max = (hi)                                                                        \
	}
#define NUMBER(n, type, fn, lo, hi)                                                                \
	{                                                                                          \
		.name = #n, .set = fn, .offset = offsetof(struct type, n), .min = (lo),            \
		.max = (hi)                                                                        \
	}
#define TEXT(n, type)                                                                              \
	{                                                                                          \
		.name = #n, .set = set_text, .offset = offsetof(struct type, n),                   \
		.max = sizeof(((struct type *)0)->n)                                               \
	}
#define KEY(n, type, fn)                                                                           \
	{                                                                                          \
		.name = #n, .set = fn, .offset = offsetof(struct type, n)                          \
	}

#define WORD(n, type, list)                                                                        \
	{                                                                                          \
		.name = #n, .set = set_word, .offset = offsetof(struct type, n), .words = (list)   \
	}

static const struct key experiment_keys[] = {
	TEXT(summary, experiment),
	SIZE(file_size, experiment, 1, 1ull << 44),
	KEY(filesystem, experiment, set_name),
	SIZE(block_size, experiment, 1024, 65536),
	TEXT(mount_options, experiment),
	NUMBER(read_ahead_kb, experiment, set_read_ahead, 0, 1u << 20),
	SIZE(memory, experiment, 256u << 20, MEMORY_MAX),
	NUMBER(cpus, experiment, set_uint, 1, 32),
	NUMBER(queue_size, experiment, set_uint, 0, 1024),
	KEY(scheduler, experiment, set_name),
	SIZE(trace_buffer, experiment, 64u << 10, TRACE_BUFFER_MAX),
	NUMBER(fault_around_bytes, experiment, set_fault_around, 4096, 2u << 20),
	KEY(transparent_hugepage, experiment, set_hugepage),
	NUMBER(osds, experiment, set_uint, 1, 16),
	WORD(osd_objectstore, experiment, osd_store_names),
	NUMBER(osd_replicas, experiment, set_uint, 1, 16),
	KEY(root, experiment, set_root),
	TEXT(root_packages, experiment),
};

static const struct key kernel_keys[] = {
	TEXT(patches, kernel_spec),
	TEXT(cmdline, kernel_spec),
	KEY(config, kernel_spec, set_config),
};

static const struct key phase_keys[] = {
	KEY(pattern, phase, set_name),
	NUMBER(threads, phase, set_uint, 1, 1024),
	KEY(start, phase, set_position),
	SIZE(piece, phase, 1, 1ull << 30),
	SIZE(chunk, phase, 0, 1ull << 40),
	KEY(order, phase, set_order),
	NUMBER(count, phase, set_number, 1, 1ull << 32),
	SIZE(length, phase, 1, 1ull << 30),
	NUMBER(seed, phase, set_number, 0, UINT64_MAX),
	NUMBER(pages, phase, set_number, 1, 1u << 20),
	SIZE(cluster, phase, 4096, 1ull << 30),
	NUMBER(streams, phase, set_uint, 1, 1024),
	KEY(own_file, phase, set_bool),
	KEY(advice, phase, set_advice),
	NUMBER(fault_around_bytes, phase, set_fault_around, 4096, 2u << 20),
	WORD(timing, phase, replay_timing_names),
	NUMBER(speed, phase, set_uint, 1, 100000),
	WORD(touch, phase, replay_touch_names),
	WORD(open, phase, replay_open_names),
	KEY(mode, phase, set_name),
	NUMBER(clients, phase, set_uint, 1, 64),
	WORD(placement, phase, placement_names),
	KEY(lazyio, phase, set_bool),
	TEXT(program, phase),
	TEXT(args, phase),
	NUMBER(timeout_s, phase, set_uint, 1, 86400),
	KEY(checks, phase, set_checks),
	KEY(unaffected, phase, set_bool),
};

static int begin_experiment(struct parser *p, char *rest)
{
	return *rest ? fail(p, "section [experiment] takes no name, found '%s'", rest) : 0;
}

static const struct phase default_phase = {
	.threads = 1,
	.count = 1024,
	.seed = 1,
	.pages = 1,
	.cluster = 1u << 20,
	.streams = 1,
	.speed = 100,
	.clients = 1,
	.timeout_s = 300,
};

static int begin_phase(struct parser *p, char *rest)
{
	struct experiment *exp = p->exp;
	struct phase *ph;
	int ret = check_name(p, "phase", rest);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < exp->n_phases; i++)
		if (!strcmp(exp->phases[i].name, rest))
			return fail(p, "phase '%s' is there twice, first in line %d", rest,
				    exp->phases[i].line);
	if (exp->n_phases == PHASES_MAX)
		return fail(p, "more than %u phases", PHASES_MAX);
	exp->phases = xrealloc(exp->phases, exp->n_phases + 1, sizeof(*exp->phases));
	ph = &exp->phases[exp->n_phases++];
	*ph = default_phase;
	ph->line = p->line;
	strcpy(ph->name, rest);
	p->phase = ph;
	return 0;
}

static int begin_kernel(struct parser *p, char *rest)
{
	struct experiment *exp = p->exp;
	int ret = check_name(p, "kernel", rest);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < exp->n_kernels; i++)
		if (!strcmp(exp->kernels[i].name, rest))
			return fail(p, "kernel '%s' is there twice", rest);
	if (exp->n_kernels == KERNELS_MAX)
		return fail(p, "more than %u kernels", KERNELS_MAX);
	exp->kernels = xrealloc(exp->kernels, exp->n_kernels + 1, sizeof(*exp->kernels));
	p->kernel = &exp->kernels[exp->n_kernels++];
	*p->kernel = (struct kernel_spec){0};
	strcpy(p->kernel->name, rest);
	return 0;
}

/* [expect KERNEL] or [expect KERNEL PHASE] */
static int begin_expect(struct parser *p, char *rest)
{
	char *save = NULL, *kernel = strtok_r(rest, " \t", &save);
	char *phase = kernel ? strtok_r(NULL, " \t", &save) : NULL;
	int ret;

	if (!kernel || (phase && strtok_r(NULL, " \t", &save)))
		return fail(p, "section [expect] takes a kernel and perhaps a phase");
	ret = check_name(p, "kernel", kernel);
	if (!ret && phase)
		ret = check_name(p, "phase", phase);
	if (ret)
		return ret;
	p->target = (struct expect){0};
	strcpy(p->target.kernel, kernel);
	if (phase)
		strcpy(p->target.phase, phase);
	return 0;
}

static int expect_key(struct parser *p, const char *key, const char *value)
{
	struct experiment *exp = p->exp;
	int i = word_index(expectation_names, value);
	int ret = check_name(p, "check", key);

	if (ret)
		return ret;
	if (i < 0)
		return fail(p, "%s '%s' is not one of holds, violated, any", key, value);
	if (exp->n_expects == 4096)
		return fail(p, "more than 4096 expectations");
	exp->expects = xrealloc(exp->expects, exp->n_expects + 1, sizeof(*exp->expects));
	p->target.value = (enum expectation)i;
	strcpy(p->target.check, key);
	exp->expects[exp->n_expects++] = p->target;
	return 0;
}

/* [limits CHECK] */
static int begin_limits(struct parser *p, char *rest)
{
	int ret = check_name(p, "check", rest);

	if (!ret)
		strcpy(p->limit_check, rest);
	return ret;
}

static int limit_key(struct parser *p, const char *key, const char *value)
{
	struct experiment *exp = p->exp;
	struct limit *l;
	char *end;
	double v;
	int ret = check_name(p, "limit", key);

	if (ret)
		return ret;
	errno = 0;
	v = strtod(value, &end);
	if (end == value || *end || errno || !(v >= 0 && v <= 1e18))
		return fail(p, "%s '%s' is not a number from 0 to 1e18", key, value);
	if (exp->n_limits == 1024)
		return fail(p, "more than 1024 limits");
	exp->limits = xrealloc(exp->limits, exp->n_limits + 1, sizeof(*exp->limits));
	l = &exp->limits[exp->n_limits++];
	*l = (struct limit){.value = v};
	strcpy(l->check, p->limit_check);
	strcpy(l->name, key);
	return 0;
}

static const struct section sections[] = {
	{
		.name = "experiment",
		.begin = begin_experiment,
		.keys = experiment_keys,
		.n_keys = ARRAY_SIZE(experiment_keys),
	},
	{
		.name = "kernel",
		.begin = begin_kernel,
		.keys = kernel_keys,
		.n_keys = ARRAY_SIZE(kernel_keys),
	},
	{
		.name = "phase",
		.begin = begin_phase,
		.keys = phase_keys,
		.n_keys = ARRAY_SIZE(phase_keys),
	},
	{.name = "expect", .begin = begin_expect, .free_key = expect_key},
	{.name = "limits", .begin = begin_limits, .free_key = limit_key},
};

const char *experiment_key(size_t i, const char **section)
{
	for (size_t k = 0; k < ARRAY_SIZE(sections); k++) {
		if (i < sections[k].n_keys) {
			*section = sections[k].name;
			return sections[k].keys[i].name;
		}
		i -= sections[k].n_keys;
	}
	return NULL;
}

const char *nearest_word(const char *word, const char *const *known, size_t n)
{
	size_t len = strnlen(word, 64), best = len / 2 + 1;
	const char *found = NULL;
	size_t row[65];

	for (size_t k = 0; k < n; k++) {
		const char *w = known[k];

		/* Levenshtein's distance, one row at a time */
		for (size_t j = 0; j <= len; j++)
			row[j] = j;
		for (size_t i = 0; w[i]; i++) {
			size_t diagonal = row[0];

			row[0] = i + 1;
			for (size_t j = 0; j < len; j++) {
				size_t above = row[j + 1];
				size_t cost = diagonal + (w[i] != word[j]);

				row[j + 1] = MIN(cost, MIN(above, row[j]) + 1);
				diagonal = above;
			}
		}
		if (row[len] < best) {
			best = row[len];
			found = w;
		}
	}
	return found;
}

static int unknown_word(struct parser *p, const char *what, const char *word, const char *where,
			const char *const *known, size_t n)
{
	const char *near = nearest_word(word, known, n);

	return fail(p, "unknown %s '%s'%s%s%s%s", what, word, where, near ? "; did you mean '" : "",
		    near ? near : "", near ? "'?" : "");
}

static int enter_section(struct parser *p, const char *name)
{
	const char *names[ARRAY_SIZE(sections)];
	char copy[128], *rest;

	snprintf(copy, sizeof(copy), "%s", name);
	rest = copy + strcspn(copy, " \t");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	p->kind = NULL;
	p->phase = NULL;
	p->kernel = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		names[i] = sections[i].name;
		if (!strcmp(copy, sections[i].name))
			p->kind = &sections[i];
	}
	if (!p->kind)
		return unknown_word(p, "section", copy, "", names, ARRAY_SIZE(sections));
	return p->kind->begin(p, rest);
}

static int set_key(struct parser *p, const char *name, const char *value)
{
	const char *names[64];
	size_t n;

	if (!p->kind)
		return fail(p, "key '%s' stands before the first [section]", name);
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
		return fail(p, "phase '%s' needs 'root' in [experiment]", ph->name);
	if (!root && after_root)
		return fail(p, "phase '%s' comes after one of the root file system", ph->name);
	if (boot && after_root)
		return fail(p, "phase '%s' boots the root file system again", ph->name);
	if (root && !boot && !after_root)
		return fail(p, "phase '%s' needs a phase with pattern root-boot before it",
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
	struct experiment *exp = p->exp;

	if (!exp->n_phases)
		return err_set(p->e, -EINVAL, "%s: no [phase NAME] section", p->name);
	if (!exp->n_kernels)
		return err_set(p->e, -EINVAL, "%s: no [kernel NAME] section", p->name);
	if (exp->osd_replicas > exp->osds)
		return err_set(p->e, -EINVAL, "%s: osd_replicas is %u, but there are %u osds",
			       p->name, exp->osd_replicas, exp->osds);
	for (unsigned int i = 0; i < exp->n_phases; i++) {
		struct phase *ph = &exp->phases[i];

		p->line = ph->line;
		if (!*ph->pattern)
			return fail(p, "phase '%s' has no pattern", ph->name);
		set_pattern_defaults(ph);
		if (position_bytes(&ph->start, exp->file_size, 1) >= exp->file_size)
			return fail(p, "phase '%s' starts past the end of the file", ph->name);
		if ((ph->clients > 1 || ph->lazyio) && !experiment_on_ceph(exp))
			return fail(p, "phase '%s': %s needs filesystem = ceph", ph->name,
				    ph->lazyio ? "lazyio" : "more than one client");
		if (ph->clients > ph->threads)
			return fail(p, "phase '%s' has %u clients, but only %u threads", ph->name,
				    ph->clients, ph->threads);
		if (check_root(p, i))
			return -EINVAL;
	}
	for (unsigned int i = 0; i < exp->n_expects; i++) {
		struct expect *x = &exp->expects[i];
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
		p->error = fail(p, "the line is longer than %zu characters", max);
	} else if (isblank((unsigned char)*line) && !strchr(";#\r\n", line[blanks])) {
		p->error = fail(p, "the line starts with a blank: values end with their line");
	} else if (*line == '[') {
		end = memchr(line, ']', n);
		if (!end) {
			p->error = fail(p, "expected ']' at the end of the section's name");
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
		p.error = fail(&p, "expected [section], key = value or a comment");
	}
	if (!p.error)
		p.error = check_whole(&p);
	if (p.error) {
		experiment_free(p.exp);
		return p.error;
	}
	*out = p.exp;
	return 0;
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
			return fail(&p, "%s: a control character in the value", key);

	return set_key(&p, key, value);
}

int experiment_run_program(struct experiment *exp, const char *program, const char *args,
			   struct err *e)
{
	struct phase ph = default_phase;
	const struct key keys[] = {TEXT(program, phase), TEXT(args, phase)};
	struct parser p = {.name = "program", .e = e, .exp = exp, .phase = &ph};
	unsigned int n = 0;
	int ret;

	/* libinih would take the rest for a comment when the run is read back */
	if (strstr(program, " ;") || strstr(args, " ;"))
		return fail(&p, "' ;' in a path or an argument cannot be kept in experiment.ini");
	ret = set_text(&p, &keys[0], program);
	if (!ret)
		ret = set_text(&p, &keys[1], args);
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

void experiment_free(struct experiment *exp)
{
	if (!exp)
		return;
	free(exp->kernels);
	free(exp->phases);
	free(exp->expects);
	free(exp->limits);
	free(exp);
}

void experiment_resize(struct experiment *exp, u64 file_size)
{
	u64 times = (file_size + exp->file_size - 1) / exp->file_size;
	u64 buffer = exp->trace_buffer, more;

	if (times > 1) {
		/* never beyond what the keys accept: the result must read back */
		exp->trace_buffer = MAX(MIN(buffer * times, TRACE_BUFFER_MAX), buffer);
		more = file_size - exp->file_size + (exp->trace_buffer - buffer) * exp->cpus;
		exp->memory = MIN(exp->memory + more, MEMORY_MAX);
	}
	exp->file_size = file_size;
}

u64 position_bytes(const struct position *pos, u64 file_size, u64 align)
{
	u64 bytes = pos->bytes;

	if (pos->den)
		bytes = (u64)((unsigned __int128)file_size * pos->num / pos->den);
	return align > 1 ? bytes - bytes % align : bytes;
}

enum expectation experiment_expects(const struct experiment *exp, const char *kernel,
				    const char *phase, const char *check)
{
	enum expectation found = EXPECT_HOLDS;
	bool specific = false;

	for (unsigned int i = 0; exp && i < exp->n_expects; i++) {
		const struct expect *x = &exp->expects[i];

		if (strcmp(x->kernel, kernel) || strcmp(x->check, check))
			continue;
		if (*x->phase ? strcmp(x->phase, phase) : specific)
			continue;
		found = x->value;
		specific = *x->phase;
	}
	return found;
}

bool experiment_on_bare_disk(const struct experiment *exp)
{
	return !strcmp(exp->filesystem, FILESYSTEM_NONE);
}

bool experiment_on_ceph(const struct experiment *exp)
{
	return !strcmp(exp->filesystem, "ceph");
}

unsigned int phase_client(const struct phase *phase, unsigned int i)
{
	if (phase->placement == PLACE_INTERLEAVED)
		return i % phase->clients;
	return (unsigned int)((u64)i * phase->clients / phase->threads);
}

bool phase_judges(const struct phase *phase, const char *check)
{
	if (!phase->n_checks)
		return true;
	for (unsigned int i = 0; i < phase->n_checks; i++)
		if (!strcmp(phase->checks[i], check))
			return true;
	return false;
}
