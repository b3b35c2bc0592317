// SPDX-License-Identifier: GPL-2.0-only
/* boot-and-trace: builds kernels, boots each under QEMU, and leaves a run for verify. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cache.h"
#include "host/capture.h"
#include "host/console.h"
#include "host/disk.h"
#include "host/images.h"
#include "host/netns.h"
#include "host/options.h"
#include "host/project.h"
#include "host/replay.h"
#include "host/run_dir.h"
#include "host/run_json.h"
#include "host/servers.h"
#include "host/spawn.h"
#include "host/version.h"
#include "lib/contract.h"
#include "lib/fileio.h"

#define CONSOLE_LINES 15

struct session {
	struct options opt;
	struct project project;
	struct experiment *exp;
	struct replay replay;
	struct kernel_image **images;
	struct accel accel;
	struct run_dir dir;
	char *cache, *disk, *qemu, *servers; /* disk NULL: none */
	int cache_in_use;		     /* -1: not yet */
};

static struct disk_spec disk_of(const struct session *s)
{
	return (struct disk_spec){
		.filesystem = s->exp->filesystem,
		.file_size = s->exp->file_size,
		.block_size = s->exp->block_size,
		.more = s->replay.n_sizes > 1 ? &s->replay.sizes[1] : NULL,
		.n_more = s->replay.n_sizes > 1 ? s->replay.n_sizes - 1 : 0,
	};
}

/* What the user asked for is looked at as a whole before anything is made. */
static enum status validate(struct session *s, struct err *e)
{
	const struct options *o = &s->opt;
	struct disk_spec disk;
	enum status status;
	int ret;

	ret = project_find(&s->project, e);
	if (ret)
		return STATUS_RESOURCES;
	ret = project_experiment(&s->project, o->experiment, &s->exp, e);
	if (!ret && o->file_size)
		experiment_resize(s->exp, o->file_size);
	if (!ret && o->replay)
		ret = replay_load(&s->replay, o->replay, e);
	if (!ret && o->replay)
		ret = replay_experiment(&s->replay, s->exp, e);
	if (!ret)
		ret = experiment_validate(s->exp, e);
	if (!ret && o->run)
		ret = run_name_check(o->traces, o->run, e);
	if (ret)
		return STATUS_USAGE;
	disk = disk_of(s);
	if (!experiment_on_ceph(s->exp) && disk_check(&disk, e))
		return STATUS_USAGE;
	status = images_check(o, s->exp, s->project.data, e);
	if (!status && run_traces_check(o->traces, e))
		status = STATUS_WRITE;
	return status;
}

static enum status prepare(struct session *s, struct err *e)
{
	struct disk_spec disk = disk_of(s);
	int ret;

	ret = qemu_version(&s->qemu, e);
	if (!ret)
		ret = servers_check(s->exp, &s->servers, e);
	if (!ret)
		ret = memory_check(s->exp->memory + servers_memory(s->exp), e);
	if (!ret)
		ret = cache_open(&s->cache, e);
	if (!ret) {
		s->cache_in_use = cache_use(s->cache, e);
		ret = MIN(s->cache_in_use, 0);
	}
	if (!ret)
		ret = accel_choose(&s->accel, s->opt.accel, s->cache, e);
	if (!ret && !experiment_on_ceph(s->exp))
		ret = disk_get(&disk, s->cache, s->opt.verbose, &s->disk, e);
	if (ret)
		return ret == -EINTR ? STATUS_INTERRUPTED : STATUS_RESOURCES;
	s->images = xcalloc(s->exp->n_kernels, sizeof(*s->images));
	return images_get(&s->opt, s->exp, s->project.data, s->images, e);
}

static enum status boot_once(struct session *s, unsigned int kernel, unsigned int repeat,
			     const char *dir, struct err *e)
{
	const char *name = s->exp->kernels[kernel].name;
	char *label __cleanup_free = xasprintf("%s %u/%u", name, repeat, s->opt.repeat);
	struct boot b = {
		.exp = s->exp,
		.label = label,
		.image = s->images[kernel]->path,
		.cmdline = s->exp->kernels[kernel].cmdline,
		.agent = s->project.agent,
		.disk = s->disk,
		.plan = s->opt.replay,
		.accel = s->accel.use,
		.dir = dir,
		.work = s->dir.work,
		.alive_timeout_s =
			strcmp(s->accel.use, "kvm") ? ALIVE_TIMEOUT_S : ACCEL_KVM_TIMEOUT_S,
		.verbose = s->opt.verbose,
	};
	enum status status;
	int ret;

	status = servers_boot(&b, e);
	if (b.rec.alive)
		s->accel.proved = true;
	if (!status) {
		ret = capture_write(&b, name, repeat, e);
		if (ret)
			status = ret == -EBADMSG ? STATUS_AGENT : STATUS_WRITE;
	}
	boot_free(&b);
	if (status && status != STATUS_INTERRUPTED && status != STATUS_WRITE &&
	    disk_is_full(s->dir.tmp)) {
		err_prefix(e, -ENOSPC, "%s: no space left on the device", s->opt.traces);
		status = STATUS_WRITE;
	}
	return status;
}

static enum status boot(struct session *s, unsigned int kernel, unsigned int repeat, struct err *e)
{
	char *name __cleanup_free = capture_name(s->exp->kernels[kernel].name, repeat);
	char *dir __cleanup_free = xasprintf("%s/%s", s->dir.tmp, name);
	char *console __cleanup_free = xasprintf("%s/" CAPTURE_CONSOLE, dir);
	enum status status;

	if (mkdir(dir, 0755)) {
		err_errno(e, -errno, "%s", dir);
		return STATUS_WRITE;
	}
	status = boot_once(s, kernel, repeat, dir, e);
	if ((status == STATUS_BOOT || status == STATUS_QEMU) &&
	    accel_fall_back(&s->accel, s->cache, e->msg)) {
		fprintf(stderr, "boot-and-trace: using TCG, which is slower: %s\n",
			s->accel.reason);
		status = boot_once(s, kernel, repeat, dir, e);
	}
	if (status && status != STATUS_INTERRUPTED && !access(console, R_OK)) {
		fprintf(stderr, "%s: the console's last lines:\n", name);
		console_tail(stderr, console, CONSOLE_LINES);
	}
	return status;
}

static enum status write_run(struct session *s, struct err *e)
{
	char *ini __cleanup_free = xasprintf("%s/" RUN_EXPERIMENT, s->dir.tmp);
	char *json __cleanup_free = xasprintf("%s/" RUN_JSON, s->dir.tmp);
	char *text __cleanup_free = experiment_text(s->exp);
	char *command __cleanup_free = host_options_command(&s->opt);
	const struct run_facts facts = {
		.exp = s->exp,
		.experiment_bytes = strlen(text),
		.images = s->images,
		.command = command,
		.qemu_version = s->qemu,
		.ceph_version = s->servers,
		.accel = &s->accel,
		.repeat = s->opt.repeat,
	};

	if (file_write_atomic(ini, text, strlen(text), e) || run_json_write(json, &facts, e))
		return STATUS_WRITE;
	return STATUS_OK;
}

/* verify's own verdict is for the user to read; the status of this program is about running. */
static void show_verdict(const struct session *s, const char *path)
{
	const char *const argv[] = {s->project.verify, "--brief", path, NULL};
	struct run r = {.argv = argv, .echo = true};
	struct err e;

	if (s->project.verify && run_program(&r, &e) < 0)
		fprintf(stderr, "boot-and-trace: %s\n", e.msg);
}

static enum status boot_all(struct session *s, struct err *e)
{
	unsigned int kernel, repeat;
	enum status status;

	/* in turns, so that what drifts on the host meets every kernel */
	for (repeat = 1; repeat <= s->opt.repeat; repeat++)
		for (kernel = 0; kernel < s->exp->n_kernels; kernel++) {
			status = boot(s, kernel, repeat, e);
			if (status)
				return status;
		}
	return write_run(s, e);
}

static int boot_all_isolated(void *arg, struct err *e)
{
	return (int)boot_all(arg, e);
}

/* With servers, in namespaces that end when the last boot has ended. */
static enum status boot_isolated(struct session *s, struct err *e)
{
	int ret = netns_run(boot_all_isolated, s, e);

	if (ret >= 0)
		return (enum status)ret;
	if (ret == -EINTR)
		return STATUS_INTERRUPTED;
	err_prefix(e, ret, "filesystem = %s needs servers in namespaces of their own",
		   s->exp->filesystem);
	return STATUS_RESOURCES;
}

static enum status run(struct session *s, struct err *e)
{
	char *path __cleanup_free = NULL;
	enum status status;

	status = validate(s, e);
	if (!status)
		status = prepare(s, e);
	if (status)
		return status;
	if (run_dir_open(&s->dir, s->opt.traces, s->opt.run, e))
		return STATUS_WRITE;
	status = servers_needed(s->exp) ? boot_isolated(s, e) : boot_all(s, e);
	if (status)
		return status;
	if (run_dir_publish(&s->dir, &path, e))
		return STATUS_WRITE;
	show_verdict(s, path);
	printf("%s\n", path);
	return STATUS_OK;
}

static enum status cache_command(const struct options *o, struct err *e)
{
	int ret = o->command == COMMAND_CACHE ? cache_list(stdout, e) : cache_clean(stdout, e);

	if (ret == -EINTR)
		return STATUS_INTERRUPTED;
	return ret ? STATUS_RESOURCES : STATUS_OK;
}

static void session_free(struct session *s)
{
	run_dir_close(&s->dir);
	if (s->images)
		images_free(s->images, s->exp->n_kernels);
	free(s->images);
	experiment_free(s->exp);
	replay_free(&s->replay);
	project_free(&s->project);
	host_options_free(&s->opt);
	cache_unlock(s->cache_in_use);
	free(s->cache);
	free(s->disk);
	free(s->qemu);
	free(s->servers);
}

int main(int argc, char *argv[])
{
	struct session s = {.dir.lock = -1, .cache_in_use = -1};
	struct err e = {.msg = ""};
	enum status status = STATUS_OK;
	int bad_options;

	interrupt_setup();
	/* a limit on file size is then an error of write(), with a message */
	signal(SIGXFSZ, SIG_IGN);
	bad_options = host_options_parse(&s.opt, argc, argv, &e);
	if (bad_options) {
		status = STATUS_USAGE;
	} else {
		switch (s.opt.command) {
		case COMMAND_HELP:
			host_options_help(stdout);
			break;
		case COMMAND_VERSION:
			puts("boot-and-trace (blkproof) " BLKPROOF_VERSION);
			break;
		case COMMAND_CACHE:
		case COMMAND_CLEAN_CACHE:
			status = cache_command(&s.opt, &e);
			break;
		case COMMAND_REFRESH_SOURCE:
			status = images_refresh_source(s.opt.verbose, &e);
			break;
		case COMMAND_RUN:
			status = run(&s, &e);
			break;
		}
	}
	session_free(&s);
	if (!status && (fflush(stdout) || ferror(stdout))) {
		err_errno(&e, errno ? -errno : -EIO, "standard output");
		status = STATUS_WRITE;
	}
	if (status)
		fprintf(stderr, "boot-and-trace: %s\n", e.msg);
	if (bad_options)
		fputs("boot-and-trace --help lists the options\n", stderr);
	return (int)status;
}
