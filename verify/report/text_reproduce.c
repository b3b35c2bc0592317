// SPDX-License-Identifier: GPL-2.0-only
/* How to get the same again: commands, and what names the kernels beyond doubt. */
#include <string.h>

#include "verify/report/report.h"

/* --set and --check, as they were given. */
static char *options_text(const struct analyze_options *opt)
{
	char *text = xstrdup("");

	for (unsigned int i = 0; opt && i < opt->n_checks; i++) {
		char *old __cleanup_free = text;

		text = xasprintf("%s--check %s ", old, opt->checks[i]);
	}
	for (unsigned int i = 0; opt && i < opt->n_limits; i++) {
		const struct limit_override *l = &opt->limits[i];
		char *old __cleanup_free = text;

		text = xasprintf("%s--set %s%s%s=%g ", old, l->check, *l->check ? "." : "", l->name,
				 l->value);
	}
	return text;
}

/* "base, patched": the kernels for which @text_of gives what it gives for @k; "" if @k is not the
 * first of them. */
static void same_kernels(const struct run *run, unsigned int k,
			 const char *(*text_of)(const struct kernel_info *), char *buf, size_t size)
{
	buf[0] = '\0';
	for (unsigned int i = 0; i < run->n_kernels; i++) {
		size_t len = strlen(buf);

		if (strcmp(text_of(&run->kernels[i]), text_of(&run->kernels[k])))
			continue;
		if (i < k)
			return;
		snprintf(buf + len, size - len, "%s%s", len ? ", " : "", run->kernels[i].name);
	}
}

static const char *config_of(const struct kernel_info *k)
{
	return k->config_hash;
}

static const char *source_of(const struct kernel_info *k)
{
	return k->source;
}

static void kernel_lines(struct out *o, const struct run *run)
{
	char names[400];

	for (unsigned int i = 0; i < run->n_kernels; i++) {
		same_kernels(run, i, source_of, names, sizeof(names));
		if (names[0] && run->kernels[i].source[0])
			out_line(o, 4, "  source of %s: %s", names, run->kernels[i].source);
	}
	for (unsigned int i = 0; i < run->n_kernels; i++) {
		same_kernels(run, i, config_of, names, sizeof(names));
		if (names[0] && run->kernels[i].config_hash[0]) {
			out_line(o, 4, "  SHA-256 of the .config of %s:", names);
			out_line(o, 4, "    %s", run->kernels[i].config_hash);
		}
	}
	for (unsigned int i = 0; i < run->n_kernels; i++) {
		for (unsigned int k = 0; k < run->kernels[i].n_patches; k++) {
			const struct patch_info *p = &run->kernels[i].patches[k];

			out_line(o, 4, "  %s: patch id %s", run->kernels[i].name, p->id);
			if (p->base_commit[0])
				out_line(o, 4, "    base-commit: %s", p->base_commit);
		}
	}
}

/* The first phase whose pattern there is a C program for; NULL if none has one. */
static const char *phase_to_reproduce(const struct experiment *exp)
{
	for (unsigned int i = 0; exp && i < exp->n_phases; i++) {
		struct out unused = {0};
		struct err e;
		int ret = report_reproducer(&unused, exp, exp->phases[i].name, &e);

		out_free(&unused);
		if (!ret)
			return exp->phases[i].name;
	}
	return NULL;
}

void text_reproduce(struct out *o, const struct analysis *a)
{
	const struct run *run = a->run;
	const char *phase = phase_to_reproduce(run->exp);
	char *options __cleanup_free = options_text(a->opt);

	text_heading(o, "How to reproduce");
	if (run->has_json)
		out_line(o, 6, "  %s", run->command);
	out_line(o, 6, "  bin/verify %s%s", options, run->path);
	if (phase)
		out_line(o, 6, "  bin/verify --reproducer %s %s > reproducer.c", phase, run->path);
	if (!run->has_json)
		return;
	out_line(o, 4, "  experiment, as it ran: %s/" RUN_EXPERIMENT, run->path);
	kernel_lines(o, run);
}
