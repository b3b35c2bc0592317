// SPDX-License-Identifier: GPL-2.0-only
#include "verify/report/compare.h"

#include <errno.h>
#include <string.h>

#include "verify/checks/check.h"

const char *change_name(enum change_kind k)
{
	static const char *const names[] = {"worse", "better", "undecided", "same"};

	return names[k];
}

/* ---- what is in common ---- */

static void add_text(char **list, const char *separator, const char *text)
{
	char *old = *list;

	*list = xasprintf("%s%s%s", old, *old ? separator : "", text);
	free(old);
}

static bool has_name(const char *const *names, unsigned int n, const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Of @names those that @others lack, appended to c->left_out. */
static void leave_out(struct comparison *c, const char *what, const char **names, unsigned int n,
		      const char **others, unsigned int n_others)
{
	char *list __cleanup_free = xstrdup("");
	char *text __cleanup_free = NULL;

	for (unsigned int i = 0; i < n; i++)
		if (!has_name(others, n_others, names[i]))
			add_text(&list, ", ",
				 what[0] == 'k' ? kernel_head(names[i]) : phase_label(names[i]));
	text = xasprintf("%s: %s", what, list);
	if (*list)
		add_text(&c->left_out, "; ", text);
}

/* ---- both as one analysis ---- */

struct merge {
	struct comparison *c;
	const struct analysis *side[2];
	const char **phases[2];
	unsigned int n_phases[2];
	struct analysis *all;
};

static bool in_common(const struct merge *m, const char *phase)
{
	return has_name(m->phases[0], m->n_phases[0], phase) &&
	       has_name(m->phases[1], m->n_phases[1], phase);
}

static void column_name(char *buf, size_t size, unsigned int side, const char *kernel)
{
	snprintf(buf, size, "%c%s%.44s", 'A' + (int)side, kernel[0] ? " " : "", kernel);
}

/* A copy of the capture under its column's name, with the phases that both sides have. */
static void take_capture(struct merge *m, unsigned int side, const struct capture_result *from)
{
	unsigned int i = m->all->n_captures++;
	struct capture_result *to = &m->all->captures[i];
	struct capture *c = &m->c->captures[i];

	*c = *from->capture;
	column_name(c->kernel, sizeof(c->kernel), side, from->capture->kernel);
	*to = *from;
	to->capture = c;
	to->phases = xcalloc(from->n_phases, sizeof(*to->phases));
	to->n_phases = 0;
	for (unsigned int k = 0; k < from->n_phases; k++)
		if (in_common(m, from->phases[k].name))
			to->phases[to->n_phases++] = from->phases[k];
	to->results = xcalloc(from->n_results, sizeof(*to->results));
	to->n_results = 0;
	for (unsigned int k = 0; k < from->n_results; k++) {
		if (!in_common(m, from->results[k].phase))
			continue;
		to->results[to->n_results] = from->results[k];
		to->results[to->n_results].capture = c;
		/* what an experiment expects of one of its kernels is nothing between runs */
		to->results[to->n_results++].expected = EXPECT_HOLDS;
	}
}

static void take_kernel(struct merge *m, unsigned int side, const char *kernel)
{
	const struct analysis *a = m->side[side];

	for (unsigned int i = 0; i < a->n_captures; i++)
		if (!strcmp(a->captures[i].capture->kernel, kernel))
			take_capture(m, side, &a->captures[i]);
}

/* Kernels of both, with what their patches touch, for the question whether that was hit. */
static void take_infos(struct merge *m, struct run *run)
{
	for (unsigned int s = 0; s < 2; s++) {
		const struct run *from = m->side[s]->run;

		run->kernels = xrealloc(run->kernels, run->n_kernels + from->n_kernels,
					sizeof(*run->kernels));
		for (unsigned int i = 0; i < from->n_kernels; i++)
			run->kernels[run->n_kernels++] = from->kernels[i];
	}
}

static int pair_kernels(struct merge *m, struct err *e)
{
	const char **a __cleanup_free, **b __cleanup_free;
	unsigned int n_a = analysis_kernels(m->side[0], &a), pairs = 0;
	unsigned int n_b = analysis_kernels(m->side[1], &b);

	if (n_a == 1 && n_b == 1) {
		take_kernel(m, 0, a[0]);
		take_kernel(m, 1, b[0]);
		return 0;
	}
	for (unsigned int i = 0; i < n_a; i++) {
		if (!has_name(b, n_b, a[i]))
			continue;
		take_kernel(m, 0, a[i]);
		take_kernel(m, 1, a[i]);
		pairs++;
	}
	leave_out(m->c, "kernels only in A", a, n_a, b, n_b);
	leave_out(m->c, "kernels only in B", b, n_b, a, n_a);
	if (!pairs)
		return err_set(e, -EINVAL,
			       "%s and %s have no kernel in common (%s); name captures to compare "
			       "kernels of different names",
			       m->c->path_a, m->c->path_b, m->c->left_out);
	return 0;
}

static int merge_sides(struct merge *m, struct err *e)
{
	struct comparison *c = m->c;
	unsigned int n = m->side[0]->n_captures + m->side[1]->n_captures;
	struct run *run = xcalloc(1, sizeof(*run));
	bool common = false;

	c->v.run = run;
	c->v.analysis = m->all = xcalloc(1, sizeof(*m->all));
	m->all->run = run;
	m->all->opt = m->side[0]->opt;
	m->all->pairs = true;
	m->all->captures = xcalloc(n, sizeof(*m->all->captures));
	c->captures = xcalloc(n, sizeof(*c->captures));
	/* which phases must not change, A says */
	run->exp = m->side[0]->run->exp;
	run->path = xasprintf("%s %s", c->path_a, c->path_b);
	c->v.path = run->path;
	take_infos(m, run);
	for (unsigned int s = 0; s < 2; s++)
		m->n_phases[s] = analysis_phases(m->side[s], &m->phases[s]);
	for (unsigned int i = 0; i < m->n_phases[0]; i++)
		common |= in_common(m, m->phases[0][i]);
	leave_out(c, "phases only in A", m->phases[0], m->n_phases[0], m->phases[1],
		  m->n_phases[1]);
	leave_out(c, "phases only in B", m->phases[1], m->n_phases[1], m->phases[0],
		  m->n_phases[0]);
	if (!common)
		return err_set(e, -EINVAL, "%s and %s have no phase in common (%s)", c->path_a,
			       c->path_b, *c->left_out ? c->left_out : "neither has any");
	return pair_kernels(m, e);
}

/* ---- what else differs ---- */

static const struct kernel_info *kernel_info_of(const struct run *run, const char *name)
{
	for (unsigned int i = 0; i < run->n_kernels; i++)
		if (!strcmp(run->kernels[i].name, name))
			return &run->kernels[i];
	return NULL;
}

static struct subject subject_of(const struct merge *m, unsigned int side, const char *column)
{
	struct subject s = {0};

	for (unsigned int i = 0; i < m->all->n_captures && !s.c; i++) {
		if (strcmp(m->all->captures[i].capture->kernel, column))
			continue;
		s.cr = &m->all->captures[i];
		s.c = s.cr->capture;
	}
	/* the name that the run knows it by stands behind "A " */
	if (s.c && strlen(column) > 2)
		s.k = kernel_info_of(m->side[side]->run, column + 2);
	return s;
}

/* ---- verdicts ---- */

/* Worse is larger; what does not apply is smallest. */
static unsigned int badness(enum verdict v)
{
	return v == VERDICT_FAIL ? 3 : v == VERDICT_INCONCLUSIVE ? 2 : v == VERDICT_PASS ? 1 : 0;
}

static enum verdict worst_of(const struct analysis *a, const char *column,
			     const struct check *check, const char *phase,
			     const struct result **from)
{
	enum verdict worst = VERDICT_NA;

	*from = NULL;
	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];

		if (strcmp(c->capture->kernel, column))
			continue;
		for (unsigned int k = 0; k < c->n_results; k++) {
			const struct result *r = &c->results[k];

			if (r->check != check || strcmp(r->phase, phase) ||
			    (*from && badness(result_verdict(r)) <= badness(worst)))
				continue;
			worst = result_verdict(r);
			*from = r;
		}
	}
	return worst;
}

static enum change_kind kind_of(enum verdict a, enum verdict b)
{
	bool decided_a = a == VERDICT_PASS || a == VERDICT_FAIL;
	bool decided_b = b == VERDICT_PASS || b == VERDICT_FAIL;

	if (decided_a && decided_b)
		return a == b ? CHANGE_NONE : b == VERDICT_FAIL ? CHANGE_WORSE : CHANGE_BETTER;
	return CHANGE_UNDECIDED;
}

static void compare_verdicts(struct comparison *c, const char *column_a, const char *column_b)
{
	const struct analysis *a = c->v.analysis;
	const struct check **checks __cleanup_free;
	const char **phases __cleanup_free;
	unsigned int n_checks = analysis_checks(a, &checks), n_phases = analysis_phases(a, &phases);

	for (unsigned int p = 0; p < n_phases; p++) {
		for (unsigned int i = 0; i < n_checks; i++) {
			const struct result *from_a, *from_b;
			struct change x = {.check = checks[i], .kernel = column_b};

			x.a = worst_of(a, column_a, checks[i], phases[p], &from_a);
			x.b = worst_of(a, column_b, checks[i], phases[p], &from_b);
			if (x.a == VERDICT_NA && x.b == VERDICT_NA)
				continue;
			x.phase = from_b ? from_b->phase : from_a->phase;
			x.from = from_b;
			x.kind = kind_of(x.a, x.b);
			c->changes = xrealloc(c->changes, c->n_changes + 1, sizeof(*c->changes));
			c->changes[c->n_changes++] = x;
			c->of[x.kind]++;
		}
	}
}

enum verify_status comparison_status(const struct comparison *c)
{
	if (c->of[CHANGE_WORSE])
		return STATUS_VIOLATED;
	if (c->of[CHANGE_UNDECIDED] || !c->n_changes)
		return STATUS_UNDECIDED;
	return STATUS_MET;
}

static void add_words(char *buf, size_t size, unsigned int n, const char *words)
{
	size_t len = strlen(buf);

	if (n)
		snprintf(buf + len, size - len, "%s%u %s", len ? "; " : "", n, words);
}

char *comparison_words(const struct comparison *c, char *buf, size_t size)
{
	buf[0] = '\0';
	add_words(buf, size, c->of[CHANGE_WORSE], "verdicts of B are worse than A's");
	add_words(buf, size, c->of[CHANGE_BETTER], "verdicts of B are better than A's");
	add_words(buf, size, c->of[CHANGE_UNDECIDED], "can't be compared");
	if (!c->n_changes)
		snprintf(buf, size, "no check could be compared");
	else if (!buf[0])
		snprintf(buf, size, "each of the %u verdicts is the same in A and B", c->n_changes);
	return buf;
}

/* ---- all of it ---- */

int comparison_make(struct comparison *c, const struct verified *a, const struct verified *b,
		    struct err *e)
{
	struct merge m = {.c = c, .side = {a->analysis, b->analysis}};
	const char **columns = NULL;
	unsigned int n = 0;
	int ret;

	*c = (struct comparison){.path_a = a->path, .path_b = b->path};
	c->left_out = xstrdup("");
	ret = merge_sides(&m, e);
	if (!ret)
		n = analysis_kernels(c->v.analysis, &columns);
	for (unsigned int k = 0; k + 1 < n; k += 2) {
		struct subject sa = subject_of(&m, 0, columns[k]);
		struct subject sb = subject_of(&m, 1, columns[k + 1]);

		compare_settings(c, &sa, &sb);
		compare_verdicts(c, columns[k], columns[k + 1]);
	}
	free(columns);
	free(m.phases[0]);
	free(m.phases[1]);
	if (!ret) {
		tally_analysis(&c->v.tally, c->v.analysis);
		c->v.status = comparison_status(c);
	} else {
		comparison_free(c);
	}
	return ret;
}

void comparison_free(struct comparison *c)
{
	struct analysis *a = c->v.analysis;

	for (unsigned int i = 0; a && i < a->n_captures; i++) {
		free(a->captures[i].phases);
		free(a->captures[i].results);
	}
	if (a)
		free(a->captures);
	free(a);
	if (c->v.run) {
		free(c->v.run->kernels);
		free(c->v.run->path);
	}
	free(c->v.run);
	free(c->captures);
	free(c->settings);
	free(c->changes);
	free(c->left_out);
	*c = (struct comparison){0};
}
