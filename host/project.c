// SPDX-License-Identifier: GPL-2.0-only
#include "host/project.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "guest/patterns/list.h"
#include "lib/layout.h"
#include "lib/size.h"
#include "lib/words.h"
#include "verify/known.h"

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

int project_find(struct project *p, const struct arch *arch, struct err *e)
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
		p->agent = xasprintf("%s/build/%s%sagent", prefix, arch->build,
				     *arch->build ? "/" : "");
		p->verify = xasprintf("%s/verify", bin);
	} else {
		p->data = xasprintf("%s/share/blkproof", prefix);
		p->agent = xasprintf("%s/agent%s%s", p->data, *arch->build ? "-" : "", arch->build);
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

void experiment_widen(struct experiment *exp)
{
	static const char *const wide[] = {"net", "ceph", "rootfs", "filesystems", "tracing"};

	for (unsigned int k = 0; k < exp->n_kernels; k++) {
		struct kernel_spec *spec = &exp->kernels[k];
		bool has = false;

		for (unsigned int i = 0; i < spec->n_config; i++)
			has |= !strcmp(spec->config[i], "filesystems");
		if (has)
			continue;
		if (spec->n_config && spec->n_config < LIST_MAX) {
			strcpy(spec->config[spec->n_config++], "filesystems");
			continue;
		}
		for (spec->n_config = 0; spec->n_config < ARRAY_SIZE(wide); spec->n_config++)
			strcpy(spec->config[spec->n_config], wide[spec->n_config]);
	}
}

/* ---- validation ---- */

#define PATTERN_ENTRY(p, with_pieces) {#p, with_pieces},
static const struct {
	const char *symbol; /* pattern_piece_copy: called piece-copy */
	bool pieces;
} patterns[] = {FOR_EACH_PATTERN(PATTERN_ENTRY)};

static int __printf_like(3, 4)
	phase_error(const struct phase *phase, struct err *e, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, -EINVAL, "line %d: phase %s: %s", phase->line, phase->name, text);
}

/* Can every thread have a piece?  The guest asks the same, minutes later. */
static int layout_check(const struct experiment *exp, const struct phase *phase, struct err *e)
{
	u64 start = position_bytes(&phase->start, exp->file_size, 1);
	char size[SIZE_TEXT_MAX], piece[SIZE_TEXT_MAX];
	struct layout l;

	if (!layout_init(&l, exp->file_size, start, phase->piece, phase->chunk, phase->threads))
		return 0;
	return phase_error(phase, e, "%u thread%s with pieces of %s %s not fit into a file of %s",
			   phase->threads, phase->threads > 1 ? "s" : "",
			   size_text(phase->piece, piece), phase->threads > 1 ? "do" : "does",
			   size_text(exp->file_size, size));
}

/* The pattern program, and no other, has a program. */
static int program_check(const struct phase *phase, struct err *e)
{
	char **words;
	size_t n;

	if (strcmp(phase->pattern, "program"))
		return 0;
	if (!*phase->program)
		return phase_error(phase, e, "pattern program needs the key program");
	if (phase->threads != 1)
		return phase_error(phase, e, "pattern program: threads are the program's own");
	words = words_split(phase->args, &n, e);
	if (!words)
		return phase_error(phase, e, "args: a quote that is never closed, or too many");
	words_free(words);
	return 0;
}

static int phase_check(const struct experiment *exp, const struct phase *phase, struct err *e)
{
	char names[ARRAY_SIZE(patterns)][NAME_LEN];
	const char *known[ARRAY_SIZE(patterns) + 2];
	const char *near;

	if (!strcmp(phase->pattern, ROOT_BOOT) || !strcmp(phase->pattern, ROOT_SESSION))
		return 0;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		snprintf(names[i], NAME_LEN, "%s", str_after(patterns[i].symbol, "pattern_"));
		for (char *c = names[i]; *c; c++)
			*c = *c == '_' ? '-' : *c;
		known[i] = names[i];
		if (!strcmp(names[i], phase->pattern))
			return patterns[i].pieces ? layout_check(exp, phase, e)
						  : program_check(phase, e);
	}
	known[ARRAY_SIZE(patterns)] = ROOT_BOOT;
	known[ARRAY_SIZE(patterns) + 1] = ROOT_SESSION;
	near = nearest_word(phase->pattern, known, ARRAY_SIZE(known));
	return phase_error(phase, e, "unknown pattern '%s'%s%s%s", phase->pattern,
			   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* What QEMU and the guest would refuse minutes later. */
static int guest_check(const struct experiment *exp, struct err *e)
{
	static const char *const schedulers[] = {"none", "mq-deadline", "kyber", "bfq"};
	unsigned int queue = exp->queue_size;
	const char *near;
	size_t i;

	if (queue && (queue & (queue - 1) || queue < 4))
		return err_set(e, -EINVAL, "queue_size %u: expected a power of two from 4 to 1024",
			       queue);
	if (exp->memory & ((1u << 20) - 1))
		return err_set(e, -EINVAL, "memory: expected a multiple of 1M");
	for (i = 0; i < ARRAY_SIZE(schedulers) && strcmp(schedulers[i], exp->scheduler); i++)
		;
	if (!*exp->scheduler || i < ARRAY_SIZE(schedulers))
		return 0;
	near = nearest_word(exp->scheduler, schedulers, ARRAY_SIZE(schedulers));
	return err_set(e, -EINVAL, "scheduler '%s': expected none, mq-deadline, kyber or bfq%s%s%s",
		       exp->scheduler, near ? "; did you mean '" : "", near ? near : "",
		       near ? "'?" : "");
}

/* Without a CephFS client in the kernel the guest's mount would fail, after a full build. */
static int ceph_kernels_check(const struct experiment *exp, struct err *e)
{
	for (unsigned int k = 0; k < exp->n_kernels; k++) {
		const struct kernel_spec *spec = &exp->kernels[k];
		bool has = !spec->n_config;

		for (unsigned int i = 0; i < spec->n_config; i++)
			has |= !strcmp(spec->config[i], "ceph");
		if (!has)
			return err_set(e, -EINVAL,
				       "kernel %s: filesystem = ceph needs 'net ceph' in its "
				       "config",
				       spec->name);
	}
	return 0;
}

int experiment_validate(struct experiment *exp, struct err *e)
{
	int ret = experiment_check(exp, e);

	if (ret)
		return ret;
	ret = experiment_names_known(exp, e);
	if (!ret)
		ret = guest_check(exp, e);
	if (!ret && experiment_on_ceph(exp))
		ret = ceph_kernels_check(exp, e);

	for (unsigned int i = 0; i < exp->n_phases && !ret; i++)
		ret = phase_check(exp, &exp->phases[i], e);
	return ret ? err_prefix(e, ret, "%s", exp->name) : 0;
}
