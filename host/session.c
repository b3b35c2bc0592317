// SPDX-License-Identifier: GPL-2.0-only
#include "host/session.h"

#include <errno.h>
#include <string.h>

#include "host/cache.h"
#include "host/disk.h"
#include "host/qemu_run.h"
#include "host/rootfs.h"
#include "host/servers.h"
#include "host/source.h"
#include "host/sweep.h"
#include "verify/checks/check.h"

static struct disk_spec disk_of(const struct session *s, const struct point *p)
{
	return (struct disk_spec){
		.filesystem = p->exp->filesystem,
		.file_size = p->exp->file_size,
		.block_size = p->exp->block_size,
		.more = s->replay.n_sizes > 1 ? &s->replay.sizes[1] : NULL,
		.n_more = s->replay.n_sizes > 1 ? s->replay.n_sizes - 1 : 0,
		.mount_options = p->exp->mount_options,
	};
}

/* Is it an image that is kept in the cache? */
static bool needs_disk(const struct point *p)
{
	return !experiment_on_ceph(p->exp) && !experiment_on_bare_disk(p->exp);
}

/* A key as on the command line; the test file's size takes memory and buffers with it. */
static int apply_setting(struct experiment *exp, const char *key, const char *value, struct err *e)
{
	u64 before = exp->file_size, wanted;
	int ret = experiment_set(exp, key, value, e);

	if (ret || strcmp(key, "file_size"))
		return ret;
	wanted = exp->file_size;
	exp->file_size = before;
	experiment_resize(exp, wanted);
	return 0;
}

static int load(struct session *s, struct experiment **exp, struct err *e)
{
	const struct options *o = &s->opt;
	int ret = project_experiment(&s->project, o->experiment, exp, e);

	if (!ret && o->file_size)
		experiment_resize(*exp, o->file_size);
	if (!ret && o->replay)
		ret = replay_experiment(&s->replay, *exp, e);
	if (!ret && o->program)
		ret = experiment_run_program(*exp, o->program, o->args ? o->args : "", e);
	for (unsigned int i = 0; i < o->n_settings && !ret; i++) {
		ret = apply_setting(*exp, o->settings[i].key, o->settings[i].value, e);
		if (ret)
			err_prefix(e, ret, "--set %s=%s", o->settings[i].key, o->settings[i].value);
	}
	return ret;
}

static int add_point(struct session *s, const struct sweep_list *sweep, const char *value,
		     struct err *e)
{
	struct point *p;
	int ret;

	s->points = xrealloc(s->points, s->n_points + 1, sizeof(*s->points));
	p = &s->points[s->n_points];
	*p = (struct point){.exp = NULL};
	ret = load(s, &p->exp, e);
	if (ret)
		return ret;
	s->n_points++;
	if (!value)
		return 0;
	p->value = xstrdup(value);
	p->name = sweep_name(sweep->key, value);
	for (struct point *other = s->points; other < p; other++)
		if (!strcmp(other->name, p->name))
			return err_set(e, -EINVAL, "--sweep: %s is there twice", p->name);
	ret = apply_setting(p->exp, sweep->key, value, e);
	return ret ? err_prefix(e, ret, "--sweep") : 0;
}

static int add_points(struct session *s, struct err *e)
{
	struct sweep_list sweep = {.n = 0};
	int ret;

	if (!s->opt.sweep)
		return add_point(s, NULL, NULL, e);
	ret = sweep_list_parse(&sweep, s->opt.sweep, e);
	for (unsigned int i = 0; i < sweep.n && !ret; i++)
		ret = add_point(s, &sweep, sweep.values[i], e);
	sweep_list_free(&sweep);
	return ret;
}

/* All points boot the same kernels: if one needs more of them, all get it. */
static void complete_points(struct session *s)
{
	bool wide = false;

	for (unsigned int i = 0; i < s->n_points; i++)
		wide |= strcmp(s->points[i].exp->filesystem, "ext4") != 0;
	for (unsigned int i = 0; i < s->n_points && wide; i++)
		experiment_widen(s->points[i].exp);
}

/* Programs of two phases may be the same file, but not two files of one name. */
static int add_programs(struct session *s, struct err *e)
{
	const struct program_target target = {
		.machine = s->opt.arch->elf,
		.extra_dirs = s->opt.arch->lib_dirs,
	};
	int ret = 0;

	for (unsigned int i = 0; i < s->exp->n_phases && !ret; i++) {
		const char *path = s->exp->phases[i].program;
		bool known = false;

		if (strcmp(s->exp->phases[i].pattern, "program"))
			continue;
		for (unsigned int k = 0; k < i; k++) {
			const char *other = s->exp->phases[k].program;

			known |= !strcmp(path, other);
			if (*other && strcmp(path, other) &&
			    !strcmp(basename(path), basename(other)))
				return err_set(e, -EINVAL, "programs %s and %s have the same name",
					       other, path);
		}
		if (!known)
			ret = program_add(&s->programs, path, &target, e);
	}
	return ret;
}

/* Only files on a disk are made as a plan wants them, and only a plan says what to replay. */
static int replay_check(const struct session *s, const struct experiment *exp, struct err *e)
{
	for (unsigned int i = 0; i < exp->n_phases; i++) {
		const struct phase *ph = &exp->phases[i];

		if (strcmp(ph->pattern, "replay-access"))
			continue;
		if (!s->opt.replay)
			return err_set(e, -EINVAL,
				       "%s, phase %s: pattern replay-access needs a plan of "
				       "accesses: REPLAY=PLAN",
				       exp->name, ph->name);
		if (experiment_on_ceph(exp))
			return err_set(e, -EINVAL,
				       "%s: a plan is not replayed to filesystem = ceph; expected "
				       "ext4, xfs, btrfs or f2fs",
				       exp->name);
	}
	return 0;
}

static int validate_point(const struct session *s, const struct point *p, struct err *e)
{
	struct disk_spec disk = disk_of(s, p);
	int ret = experiment_validate(p->exp, e);

	if (!ret && s->opt.replay)
		ret = replay_validate(&s->replay, p->exp, e);
	if (!ret)
		ret = replay_check(s, p->exp, e);
	if (!ret)
		ret = rootfs_check(p->exp->root_packages, e);
	/* its packages run their scripts while it is made */
	if (!ret && p->exp->root != ROOT_NONE && !arch_is_host(s->opt.arch))
		ret = err_set(e, -EINVAL,
			      "--arch %s: a root file system is of this machine's own "
			      "architecture",
			      s->opt.arch->name);
	if (!ret && needs_disk(p))
		ret = disk_check(&disk, e);
	if (!ret && experiment_on_bare_disk(p->exp) &&
	    !(s->opt.replay && s->replay.kind == PLAN_BLOCK))
		ret = err_set(e, -EINVAL,
			      "filesystem = " FILESYSTEM_NONE " needs a plan of block requests: "
			      "REPLAY=PLAN");
	if (ret && p->name)
		err_prefix(e, ret, "%s", p->name);
	return ret;
}

/* Base is the commit that the series starts from, and every other kernel has the series. */
static int find_commits(struct session *s, struct err *e)
{
	struct options *o = &s->opt;
	bool patched = false;
	int ret;

	for (unsigned int k = 0; k < s->exp->n_kernels; k++)
		patched |= *s->exp->kernels[k].patches != '\0';
	if (!patched)
		return err_set(e, -EINVAL, "--commits: experiment %s has no patched kernel",
			       s->exp->name);
	ret = commits_resolve(&s->commits, o->kdir, o->commits, e);
	o->base_commit = s->commits.base;
	o->series = s->commits.mbox;
	return ret;
}

/*
 * A bisection looks at one kernel, the tree as it is: the experiment's first kernel
 * without patches.  What is expected of it there is of no matter.
 */
static int bisect_prepare(struct session *s, struct err *e)
{
	struct experiment *exp = s->exp;
	unsigned int k = 0;
	char *version, *cache;

	if (!check_find(s->opt.bisect))
		return err_set(e, -EINVAL,
			       "--bisect: no check is called '%s' (verify --list-checks)",
			       s->opt.bisect);
	while (k < exp->n_kernels && *exp->kernels[k].patches)
		k++;
	if (!s->opt.kdir)
		s->opt.kdir = ".";
	version = source_version(s->opt.kdir);
	if (!version)
		return err_set(e, -EINVAL, "--bisect: %s is no kernel tree (--kdir says which)",
			       s->opt.kdir);
	free(version);
	if (k == exp->n_kernels)
		return err_set(e, -EINVAL, "--bisect: every kernel of experiment %s is patched",
			       exp->name);
	if (!s->opt.traces_given) {
		/* in the kernel tree they would become part of what is bisected */
		if (cache_open(&s->bisect_traces, e))
			return -EINVAL;
		cache = s->bisect_traces;
		s->bisect_traces = xasprintf("%s/bisect", cache);
		free(cache);
		s->opt.traces = s->bisect_traces;
	}
	exp->kernels[0] = exp->kernels[k];
	exp->n_kernels = 1;
	exp->n_expects = 0;
	return 0;
}

enum status session_validate(struct session *s, struct err *e)
{
	const struct options *o = &s->opt;
	enum status status;
	int ret;

	ret = project_find(&s->project, o->arch, e);
	if (ret)
		return STATUS_RESOURCES;
	if (o->replay)
		ret = replay_load(&s->replay, o->replay, e);
	if (!ret)
		ret = add_points(s, e);
	if (ret)
		return STATUS_USAGE;
	s->exp = s->points[0].exp;
	if (o->bisect)
		ret = bisect_prepare(s, e);
	if (!ret && o->commits)
		ret = find_commits(s, e);
	if (ret)
		return STATUS_USAGE;
	complete_points(s);
	for (unsigned int i = 0; i < s->n_points && !ret; i++)
		ret = validate_point(s, &s->points[i], e);
	if (!ret)
		ret = add_programs(s, e);
	if (!ret && o->replay)
		replay_warn(&s->replay, s->exp);
	if (!ret && o->run)
		ret = run_name_check(o->traces, o->run, e);
	if (ret)
		return STATUS_USAGE;
	status = images_check(o, s->exp, s->project.data, e);
	if (status)
		return status;
	return run_traces_check(o->traces, e) ? STATUS_WRITE : STATUS_OK;
}

struct fill_context {
	struct session *s;
	const struct point *p;
};

static int fill(void *ctx, const char *image, const char *dir, struct err *e)
{
	const struct fill_context *c = ctx;

	return session_fill(c->s, c->p, image, dir, e);
}

/* @by_guest: those that need a kernel, or the others. */
static int make_disks(struct session *s, bool by_guest, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->n_points && !ret; i++) {
		struct point *p = &s->points[i];
		struct fill_context ctx = {s, p};
		struct disk_spec disk = disk_of(s, p);

		disk.fill = fill;
		disk.ctx = &ctx;
		if (needs_disk(p) && disk_needs_guest(&disk) == by_guest)
			ret = disk_get(&disk, s->cache, s->opt.verbose, &p->disk, e);
	}
	return ret;
}

static enum status resources(int ret)
{
	if (!ret)
		return STATUS_OK;
	return ret == -EINTR ? STATUS_INTERRUPTED : STATUS_RESOURCES;
}

enum status session_prepare(struct session *s, struct err *e)
{
	enum status status;
	int ret;

	ret = qemu_version(s->opt.arch, &s->qemu, e);
	for (unsigned int i = 0; i < s->n_points && !ret; i++) {
		const struct experiment *exp = s->points[i].exp;
		struct disk_spec disk = disk_of(s, &s->points[i]);

		if (needs_disk(&s->points[i]))
			ret = disk_tool_check(&disk, e);
		if (!ret && !s->servers)
			ret = servers_check(exp, &s->servers, e);
		if (!ret)
			ret = memory_check(exp->memory + servers_memory(exp), e);
	}
	if (!ret)
		ret = cache_open(&s->cache, e);
	if (!ret) {
		s->cache_in_use = cache_use(s->cache, e);
		ret = MIN(s->cache_in_use, 0);
	}
	if (!ret)
		ret = accel_choose(&s->accel, s->opt.accel, arch_is_host(s->opt.arch), s->cache, e);
	/* before minutes are spent on kernels */
	if (!ret)
		ret = make_disks(s, false, e);
	/* a sweep changes neither key: a point is the experiment with another number */
	if (!ret && s->exp->root != ROOT_NONE)
		ret = rootfs_get(s->exp->root_packages, s->cache, s->opt.verbose, &s->root, e);
	if (ret)
		return resources(ret);
	s->images = xcalloc(s->exp->n_kernels, sizeof(*s->images));
	status = images_get(&s->opt, s->exp, s->project.data, s->images, e);
	if (status)
		return status;
	ret = make_disks(s, true, e);
	return ret && s->fill_status ? s->fill_status : resources(ret);
}

bool session_needs_servers(const struct session *s)
{
	bool needed = false;

	for (unsigned int i = 0; i < s->n_points; i++)
		needed |= servers_needed(s->points[i].exp);
	return needed;
}

bool session_needs_root(const struct session *s)
{
	bool needed = false;

	for (unsigned int i = 0; i < s->n_points; i++)
		needed |= servers_need_root(s->points[i].exp);
	return needed;
}

void session_free(struct session *s)
{
	run_dir_close(&s->dir);
	if (s->images)
		images_free(s->images, s->exp->n_kernels);
	free(s->images);
	for (unsigned int i = 0; i < s->n_points; i++) {
		struct point *p = &s->points[i];

		free(p->value);
		free(p->name);
		free(p->dir);
		free(p->disk);
		experiment_free(p->exp);
	}
	free(s->points);
	commits_free(&s->commits);
	replay_free(&s->replay);
	program_free(&s->programs);
	project_free(&s->project);
	host_options_free(&s->opt);
	cache_unlock(s->cache_in_use);
	free(s->cache);
	free(s->plan);
	free(s->root);
	free(s->qemu);
	free(s->servers);
	free(s->bisect_traces);
}
