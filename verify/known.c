// SPDX-License-Identifier: GPL-2.0-only
#include "verify/known.h"

#include <errno.h>
#include <string.h>

#include "verify/checks/check.h"

int unknown_word(struct err *e, const char *what, const char *word, const char *const *known,
		 size_t n, const char *hint)
{
	const char *near = nearest_word(word, known, n);

	if (near)
		return err_set(e, -EINVAL, "unknown %s '%s'; did you mean '%s'?", what, word, near);
	return err_set(e, -EINVAL, "unknown %s '%s'; %s", what, word, hint);
}

const struct check *known_check(const char *name, struct err *e)
{
	const struct check *c = check_find(name);
	const char **names __cleanup_free = NULL;

	if (c)
		return c;
	names = xcalloc(n_all_checks, sizeof(*names));
	for (unsigned int i = 0; i < n_all_checks; i++)
		names[i] = all_checks[i]->name;
	unknown_word(e, "check", name, names, n_all_checks, "--list-checks lists them");
	return NULL;
}

static bool has_limit(const struct check *c, const char *name)
{
	for (unsigned int i = 0; i < CHECK_LIMITS_MAX && c->limits[i].name; i++)
		if (!strcmp(c->limits[i].name, name))
			return true;
	return false;
}

int known_limit(const struct check *only, const char *name, struct err *e)
{
	const char **names __cleanup_free =
		xcalloc((size_t)n_all_checks * CHECK_LIMITS_MAX, sizeof(*names));
	char *what __cleanup_free = xasprintf("limit of %s", only ? only->name : "any check");
	size_t n = 0;

	for (unsigned int i = 0; i < n_all_checks; i++) {
		const struct check *c = all_checks[i];

		if (only && c != only)
			continue;
		if (has_limit(c, name))
			return 0;
		for (unsigned int j = 0; j < CHECK_LIMITS_MAX && c->limits[j].name; j++)
			names[n++] = c->limits[j].name;
	}
	return unknown_word(e, what, name, names, n, "--list-checks lists them");
}

static int check_name_known(const char *where, const char *name, const struct check **c,
			    struct err *e)
{
	*c = known_check(name, e);
	return *c ? 0 : err_prefix(e, -EINVAL, "%s", where);
}

/* What host/ and users may leave to chance, a judge may not. */
static int expectation_possible(const struct experiment *exp, const struct expect *x,
				const struct check *c, struct err *e)
{
	/* a check between kernels says itself which phases it compares */
	if (x->value != EXPECT_VIOLATED || c->run_ops)
		return 0;
	for (unsigned int i = 0; i < exp->n_phases; i++) {
		const struct phase *p = &exp->phases[i];

		if ((!x->phase[0] || !strcmp(x->phase, p->name)) && phase_judges(p, x->check))
			return 0;
	}
	return err_set(e, -EINVAL, "[expect %s%s%s]: %s = violated, but %s judges this check",
		       x->kernel, x->phase[0] ? " " : "", x->phase, x->check,
		       x->phase[0] ? "that phase never" : "no phase");
}

int experiment_names_known(const struct experiment *exp, struct err *e)
{
	const struct check *c;
	int ret = 0;

	for (unsigned int i = 0; i < exp->n_phases && !ret; i++)
		for (unsigned int k = 0; k < exp->phases[i].n_checks && !ret; k++)
			ret = check_name_known("checks", exp->phases[i].checks[k], &c, e);
	for (unsigned int i = 0; i < exp->n_expects && !ret; i++) {
		ret = check_name_known("expect", exp->expects[i].check, &c, e);
		if (!ret)
			ret = expectation_possible(exp, &exp->expects[i], c, e);
	}
	for (unsigned int i = 0; i < exp->n_limits && !ret; i++) {
		c = NULL;
		if (exp->limits[i].check[0])
			ret = check_name_known("limits", exp->limits[i].check, &c, e);
		if (!ret)
			ret = known_limit(c, exp->limits[i].name, e);
	}
	return ret;
}
