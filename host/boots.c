// SPDX-License-Identifier: GPL-2.0-only
/* The boots of a session: those of its run, and the one that makes a test disk. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host/capture.h"
#include "host/console.h"
#include "host/run_json.h"
#include "host/servers.h"
#include "host/session.h"
#include "lib/contract.h"
#include "lib/fileio.h"

#define CONSOLE_LINES 15

static struct boot new_boot(struct session *s, const struct point *p, unsigned int kernel)
{
	return (struct boot){
		.exp = p->exp,
		.arch = s->opt.arch,
		.image = s->images[kernel]->path,
		.cmdline = s->exp->kernels[kernel].cmdline,
		.agent = s->project.agent,
		.disk = p->disk,
		.root = s->root,
		.plan = s->plan,
		.files = s->programs.entries,
		.n_files = s->programs.n,
		.accel = s->accel.use,
		.work = s->dir.work,
		.alive_timeout_s =
			strcmp(s->accel.use, "kvm") ? ALIVE_TIMEOUT_S : ACCEL_KVM_TIMEOUT_S,
		.verbose = s->opt.verbose,
	};
}

/* KVM that boots nobody: says so; true if it is worth another try. */
static bool try_tcg(struct session *s, enum status status, const struct err *e)
{
	if ((status != STATUS_BOOT && status != STATUS_QEMU) ||
	    !accel_fall_back(&s->accel, s->cache, e->msg))
		return false;
	fprintf(stderr, "boot-and-trace: using TCG, which is slower: %s\n", s->accel.reason);
	return true;
}

static void show_console(enum status status, const char *name, const char *dir)
{
	char *console __cleanup_free = xasprintf("%s/" CAPTURE_CONSOLE, dir);

	if (!status || status == STATUS_INTERRUPTED || access(console, R_OK))
		return;
	fprintf(stderr, "%s: the console's last lines:\n", name);
	console_tail(stderr, console, CONSOLE_LINES);
}

/* The run is complete whatever became of the program; its user wants to know. */
static void say_programs(const char *capture, const json_t *phases)
{
	size_t i;
	json_t *phase;

	json_array_foreach(phases, i, phase)
	{
		const json_t *p = json_object_get(phase, "program");
		json_int_t status = json_integer_value(json_object_get(p, "exit_status"));
		json_int_t signal = json_integer_value(json_object_get(p, "signal"));
		const char *name = json_string_value(json_object_get(phase, "name"));

		if (!status && !signal)
			continue;
		fprintf(stderr,
			"%s: phase %s: the program ended with %s %lld; it wrote:\n%.2000s\n",
			capture, name ? name : "", signal ? "signal" : "status",
			(long long)(signal ? signal : status),
			json_string_value(json_object_get(p, "output")));
	}
}

static enum status boot_once(struct session *s, const struct point *p, unsigned int kernel,
			     unsigned int repeat, const char *dir, struct err *e)
{
	const char *name = s->exp->kernels[kernel].name;
	char *label __cleanup_free = xasprintf("%s%s%s %u/%u", p->name ? p->name : "",
					       p->name ? " " : "", name, repeat, s->opt.repeat);
	struct boot b = new_boot(s, p, kernel);
	char *scratch __cleanup_free = NULL;
	enum status status;
	int ret;

	b.label = label;
	b.dir = dir;
	if (experiment_on_bare_disk(p->exp)) {
		if (replay_scratch(&s->replay, s->dir.work, &scratch, e))
			return STATUS_RESOURCES;
		b.disk = scratch;
		b.scratch = true;
		b.sector = (unsigned int)s->replay.block.sector_size;
	}
	status = servers_boot(&b, e);
	if (b.rec.alive)
		s->accel.proved = true;
	if (!status) {
		say_programs(label, b.rec.phases);
		ret = capture_write(&b, name, repeat, e);
		if (ret)
			status = ret == -EBADMSG ? STATUS_AGENT : STATUS_WRITE;
	}
	boot_free(&b);
	if (scratch)
		unlink(scratch);
	if (status && status != STATUS_INTERRUPTED && status != STATUS_WRITE &&
	    disk_is_full(s->dir.tmp)) {
		err_prefix(e, -ENOSPC, "%s: no space left on the device", s->opt.traces);
		status = STATUS_WRITE;
	}
	return status;
}

enum status session_boot(struct session *s, const struct point *p, unsigned int kernel,
			 unsigned int repeat, struct err *e)
{
	char *name __cleanup_free = capture_name(s->exp->kernels[kernel].name, repeat);
	char *dir __cleanup_free = xasprintf("%s/%s", p->dir, name);
	enum status status;

	if (mkdir(dir, 0755)) {
		err_errno(e, -errno, "%s", dir);
		return STATUS_WRITE;
	}
	status = boot_once(s, p, kernel, repeat, dir, e);
	if (try_tcg(s, status, e))
		status = boot_once(s, p, kernel, repeat, dir, e);
	show_console(status, name, dir);
	return status;
}

static int copy_plan(const char *plan, const char *dir, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/" RUN_PLAN, dir);

	return replay_copy_plan(plan, path, e);
}

enum status session_boot_all(struct session *s, struct err *e)
{
	enum status status = STATUS_OK;

	for (unsigned int i = 0; i < s->n_points; i++) {
		struct point *p = &s->points[i];

		p->dir = p->name ? xasprintf("%s/%s", s->dir.tmp, p->name) : xstrdup(s->dir.tmp);
		if (p->name && mkdir(p->dir, 0755)) {
			err_errno(e, -errno, "%s", p->dir);
			return STATUS_WRITE;
		}
		/* each is a run that can be judged by itself */
		if (p->name && s->plan && copy_plan(s->plan, p->dir, e))
			return STATUS_WRITE;
	}
	for (unsigned int repeat = 1; repeat <= s->opt.repeat; repeat++)
		for (unsigned int i = 0; i < s->n_points; i++)
			for (unsigned int k = 0; k < s->exp->n_kernels && !status; k++)
				status = session_boot(s, &s->points[i], k, repeat, e);
	return status;
}

static enum status fill_once(struct session *s, const struct point *p, const char *image,
			     const char *dir, struct err *e)
{
	struct boot b = new_boot(s, p, 0);
	enum status status;

	b.label = "test disk";
	b.disk = image;
	b.dir = dir;
	b.work = dir;
	b.fill = true;
	status = boot_run(&b, e);
	if (b.rec.alive)
		s->accel.proved = true;
	boot_free(&b);
	return status;
}

int session_fill(struct session *s, const struct point *p, const char *image, const char *dir,
		 struct err *e)
{
	enum status status = fill_once(s, p, image, dir, e);

	if (try_tcg(s, status, e))
		status = fill_once(s, p, image, dir, e);
	show_console(status, "test disk", dir);
	if (!status)
		return 0;
	if (status == STATUS_INTERRUPTED)
		return -EINTR;
	s->fill_status = status;
	return err_prefix(e, -EIO, "making a test disk with %s", p->exp->filesystem);
}
