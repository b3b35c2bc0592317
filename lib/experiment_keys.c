// SPDX-License-Identifier: GPL-2.0-only
/* Sections and keys of an experiment: one table of sections, one of keys for each. */
#include <errno.h>
#include <string.h>

#include "lib/experiment_internal.h"

#define PHASES_MAX 256u
#define KERNELS_MAX 16u

static const char *const expectation_names[] = {"holds", "violated", "any", NULL};

#define SIZE(n, type, lo, hi)                                                                      \
	{                                                                                          \
		.name = #n, .set = key_size, .offset = offsetof(struct type, n), .min = (lo),      \
		.max = (hi)                                                                        \
	}
#define NUMBER(n, type, fn, lo, hi)                                                                \
	{                                                                                          \
		.name = #n, .set = fn, .offset = offsetof(struct type, n), .min = (lo),            \
		.max = (hi)                                                                        \
	}
#define TEXT(n, type)                                                                              \
	{                                                                                          \
		.name = #n, .set = key_text, .offset = offsetof(struct type, n),                   \
		.max = sizeof(((struct type *)0)->n)                                               \
	}
#define KEY(n, type, fn)                                                                           \
	{                                                                                          \
		.name = #n, .set = fn, .offset = offsetof(struct type, n)                          \
	}

#define WORD(n, type, list)                                                                        \
	{                                                                                          \
		.name = #n, .set = key_word, .offset = offsetof(struct type, n), .words = (list)   \
	}

static const struct key experiment_keys[] = {
	TEXT(summary, experiment),
	SIZE(file_size, experiment, 1, 1ull << 44),
	KEY(filesystem, experiment, key_name),
	SIZE(block_size, experiment, 1024, 65536),
	TEXT(mount_options, experiment),
	NUMBER(read_ahead_kb, experiment, key_read_ahead, 0, 1u << 20),
	SIZE(memory, experiment, 256u << 20, MEMORY_MAX),
	NUMBER(cpus, experiment, key_uint, 1, 32),
	NUMBER(queue_size, experiment, key_uint, 0, 1024),
	KEY(scheduler, experiment, key_name),
	SIZE(trace_buffer, experiment, 64u << 10, TRACE_BUFFER_MAX),
	NUMBER(fault_around_bytes, experiment, key_fault_around, 4096, 2u << 20),
	KEY(transparent_hugepage, experiment, key_hugepage),
	NUMBER(osds, experiment, key_uint, 1, 16),
	WORD(osd_objectstore, experiment, osd_store_names),
	NUMBER(osd_replicas, experiment, key_uint, 1, 16),
	WORD(root, experiment, root_names),
	TEXT(root_packages, experiment),
};

static const struct key kernel_keys[] = {
	TEXT(patches, kernel_spec),
	TEXT(cmdline, kernel_spec),
	KEY(config, kernel_spec, key_config),
};

static const struct key phase_keys[] = {
	KEY(pattern, phase, key_name),
	NUMBER(threads, phase, key_uint, 1, 1024),
	KEY(start, phase, key_position),
	SIZE(piece, phase, 1, 1ull << 30),
	SIZE(chunk, phase, 0, 1ull << 40),
	WORD(order, phase, copy_order_names),
	NUMBER(count, phase, key_number, 1, 1ull << 32),
	SIZE(length, phase, 1, 1ull << 30),
	NUMBER(seed, phase, key_number, 0, UINT64_MAX),
	NUMBER(pages, phase, key_number, 1, 1u << 20),
	SIZE(cluster, phase, 4096, 1ull << 30),
	NUMBER(streams, phase, key_uint, 1, 1024),
	KEY(own_file, phase, key_bool),
	WORD(advice, phase, advice_names),
	NUMBER(fault_around_bytes, phase, key_fault_around, 4096, 2u << 20),
	WORD(timing, phase, replay_timing_names),
	NUMBER(speed, phase, key_uint, 1, 100000),
	WORD(touch, phase, replay_touch_names),
	WORD(open, phase, replay_open_names),
	KEY(mode, phase, key_name),
	NUMBER(clients, phase, key_uint, 1, 64),
	WORD(placement, phase, placement_names),
	KEY(lazyio, phase, key_bool),
	TEXT(program, phase),
	TEXT(args, phase),
	NUMBER(timeout_s, phase, key_uint, 1, 86400),
	KEY(checks, phase, key_checks),
	KEY(unaffected, phase, key_bool),
};

static int begin_experiment(struct parser *p, char *rest)
{
	return *rest ? parser_fail(p, "section [experiment] takes no name, found '%s'", rest) : 0;
}

const struct phase default_phase = {
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
	int ret = parser_check_name(p, "phase", rest);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < exp->n_phases; i++)
		if (!strcmp(exp->phases[i].name, rest))
			return parser_fail(p, "phase '%s' is there twice, first in line %d", rest,
					   exp->phases[i].line);
	if (exp->n_phases == PHASES_MAX)
		return parser_fail(p, "more than %u phases", PHASES_MAX);
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
	int ret = parser_check_name(p, "kernel", rest);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < exp->n_kernels; i++)
		if (!strcmp(exp->kernels[i].name, rest))
			return parser_fail(p, "kernel '%s' is there twice", rest);
	if (exp->n_kernels == KERNELS_MAX)
		return parser_fail(p, "more than %u kernels", KERNELS_MAX);
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
		return parser_fail(p, "section [expect] takes a kernel and perhaps a phase");
	ret = parser_check_name(p, "kernel", kernel);
	if (!ret && phase)
		ret = parser_check_name(p, "phase", phase);
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
	int i, ret = parser_check_name(p, "check", key);

	if (ret)
		return ret;
	i = parser_word(p, key, expectation_names, value);
	if (i < 0)
		return i;
	if (exp->n_expects == 4096)
		return parser_fail(p, "more than 4096 expectations");
	exp->expects = xrealloc(exp->expects, exp->n_expects + 1, sizeof(*exp->expects));
	p->target.value = (enum expectation)i;
	strcpy(p->target.check, key);
	exp->expects[exp->n_expects++] = p->target;
	return 0;
}

/* [limits CHECK] */
static int begin_limits(struct parser *p, char *rest)
{
	int ret = parser_check_name(p, "check", rest);

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
	int ret = parser_check_name(p, "limit", key);

	if (ret)
		return ret;
	errno = 0;
	v = strtod(value, &end);
	if (end == value || *end || errno || !(v >= 0 && v <= 1e18))
		return parser_fail(p, "%s '%s' is not a number from 0 to 1e18", key, value);
	if (exp->n_limits == 1024)
		return parser_fail(p, "more than 1024 limits");
	exp->limits = xrealloc(exp->limits, exp->n_limits + 1, sizeof(*exp->limits));
	l = &exp->limits[exp->n_limits++];
	*l = (struct limit){.value = v};
	strcpy(l->check, p->limit_check);
	strcpy(l->name, key);
	return 0;
}

const struct section sections[] = {
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

const size_t n_sections = ARRAY_SIZE(sections);

const struct key program_keys[2] = {TEXT(program, phase), TEXT(args, phase)};

const char *experiment_key(size_t i, const char **section)
{
	for (size_t k = 0; k < n_sections; k++) {
		if (i < sections[k].n_keys) {
			*section = sections[k].name;
			return sections[k].keys[i].name;
		}
		i -= sections[k].n_keys;
	}
	return NULL;
}
