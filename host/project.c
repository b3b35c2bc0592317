// SPDX-License-Identifier: GPL-2.0-only
#include "host/project.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "guest/patterns/list.h"
#include "lib/size.h"
#include "verify/checks/check.h"

#define EXPERIMENTS_MAX 256

static bool is_there(const char *dir, const char *name)
{
	char *path __cleanup_free = xasprintf("%s/%s", dir, name);

	return !access(path, R_OK);
}

static bool same_dir(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int project_find(struct project *p, struct err *e)
{
	char bin[4096], *slash;
	char *prefix __cleanup_free = NULL;
	ssize_t n = readlink("/proc/self/exe", bin, sizeof(bin) - 1);

	memset(p, 0, sizeof(*p));
	if (n <= 0)
		return err_errno(e, -errno, "/proc/self/exe");
	bin[n] = '\0';
	slash = strrchr(bin, '/');
	*slash = '\0';
	slash = strrchr(bin, '/');
	prefix = slash > bin ? xstrndup(bin, (size_t)(slash - bin)) : xstrdup("/");
	if (is_there(prefix, "kconfigs")) {
		/* a run says where its files are: keep users' directories out of it */
		p->data = xstrdup(same_dir(prefix, ".") ? "." : prefix);
		p->agent = xasprintf("%s/build/agent", prefix);
		p->verify = xasprintf("%s/verify", bin);
	} else {
		p->data = xasprintf("%s/share/blkproof", prefix);
		p->agent = xasprintf("%s/agent", p->data);
		p->verify = xasprintf("%s/blkproof-verify", bin);
		if (!is_there(p->data, "kconfigs"))
			return err_set(e, -ENOENT, "neither %s/kconfigs nor %s/kconfigs is there",
				       prefix, p->data);
	}
	if (access(p->verify, X_OK)) {
		free(p->verify);
		p->verify = NULL;
	}
	return 0;
}

void project_free(struct project *p)
{
	free(p->data);
	free(p->agent);
	free(p->verify);
	memset(p, 0, sizeof(*p));
}

static int unknown(const char *dir, const char *name, struct err *e)
{
	char *names[EXPERIMENTS_MAX], *all = NULL, *dot;
	const char *near;
	struct dirent *entry;
	size_t n = 0, i, len;
	DIR *d = opendir(dir);
	FILE *f;

	while (d && n < EXPERIMENTS_MAX && (entry = readdir(d))) {
		dot = strrchr(entry->d_name, '.');
		if (dot && dot > entry->d_name && !strcmp(dot, ".ini"))
			names[n++] = xstrndup(entry->d_name, (size_t)(dot - entry->d_name));
	}
	if (d)
		closedir(d);
	f = open_memstream(&all, &len);
	for (i = 0; f && i < n; i++)
		fprintf(f, "%s%s", i ? ", " : "", names[i]);
	if (f)
		fclose(f);
	near = nearest_word(name, (const char *const *)names, n);
	if (near)
		err_set(e, -ENOENT, "unknown experiment '%s': did you mean %s? There are: %s", name,
			near, all ? all : "");
	else
		err_set(e, -ENOENT, "unknown experiment '%s'. There are: %s", name, all ? all : "");
	for (i = 0; i < n; i++)
		free(names[i]);
	free(all);
	return -ENOENT;
}

int project_experiment(const struct project *p, const char *name, struct experiment **exp,
		       struct err *e)
{
	char *dir __cleanup_free = xasprintf("%s/experiments", p->data);
	char *path __cleanup_free = NULL;
	size_t len = strlen(name);

	if (strchr(name, '/') || (len > 4 && !strcmp(name + len - 4, ".ini")))
		return experiment_load(name, exp, e);
	path = xasprintf("%s/%s.ini", dir, name);
	if (access(path, F_OK))
		return unknown(dir, name, e);
	return experiment_load(path, exp, e);
}

/* ---- validation ---- */

#define PATTERN_NAME(p) #p,
static const char *const pattern_names[] = { FOR_EACH_PATTERN(PATTERN_NAME) };

/* pattern_piece_copy is called piece-copy: list.h is the only list. */
static bool is_pattern(const char *symbol, const char *name)
{
	const char *s = str_after(symbol, "pattern_");

	for (; *s && *name; s++, name++)
		if (*s != *name && !(*s == '_' && *name == '-'))
			return false;
	return !*s && !*name;
}

static int pattern_check(const struct experiment *exp, const struct phase *phase, struct err *e)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pattern_names); i++)
		if (is_pattern(pattern_names[i], phase->pattern))
			return 0;
	return err_set(e, -EINVAL, "%s: line %d: phase %s: unknown pattern '%s'", exp->name,
		       phase->line, phase->name, phase->pattern);
}

static int check_check(const struct experiment *exp, const char *where, const char *name,
		       struct err *e)
{
	if (check_find(name))
		return 0;
	return err_set(e, -EINVAL, "%s: %s: unknown check '%s'", exp->name, where, name);
}

int experiment_validate(const struct experiment *exp, struct err *e)
{
	unsigned int i, j;
	int ret = 0;

	for (i = 0; i < exp->n_phases && !ret; i++) {
		ret = pattern_check(exp, &exp->phases[i], e);
		for (j = 0; j < exp->phases[i].n_checks && !ret; j++)
			ret = check_check(exp, exp->phases[i].name, exp->phases[i].checks[j], e);
	}
	for (i = 0; i < exp->n_expects && !ret; i++)
		ret = check_check(exp, "expect", exp->expects[i].check, e);
	for (i = 0; i < exp->n_limits && !ret; i++)
		if (*exp->limits[i].check)
			ret = check_check(exp, "limits", exp->limits[i].check, e);
	return ret;
}
