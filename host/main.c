// SPDX-License-Identifier: GPL-2.0-only
/* boot-and-trace: builds kernels, boots each under QEMU, and leaves a run for verify. */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>
#include <string.h>

#include "host/cache.h"
#include "host/netns.h"
#include "host/rootfs.h"
#include "host/run_json.h"
#include "host/session.h"
#include "host/spawn.h"
#include "host/version.h"
#include "lib/contract.h"
#include "lib/fileio.h"

#define BISECT_SKIP 125
#define BISECT_STOP 128

/* What was installed in the root file system that was booted. */
static int write_packages(const struct session *s, const struct point *p, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/" RUN_PACKAGES, p->dir);
	char *text __cleanup_free = NULL;
	int ret = rootfs_installed(s->root, &text, e);

	return ret ? ret : file_write_atomic(path, text, strlen(text), e);
}

static enum status write_point(struct session *s, const struct point *p, struct err *e)
{
	char *ini __cleanup_free = xasprintf("%s/" RUN_EXPERIMENT, p->dir);
	char *json __cleanup_free = xasprintf("%s/" RUN_JSON, p->dir);
	char *text __cleanup_free = experiment_text(p->exp);
	char *command __cleanup_free = host_options_command(&s->opt);
	const struct run_facts facts = {
		.exp = p->exp,
		.experiment_bytes = strlen(text),
		.images = s->images,
		.command = command,
		.qemu_version = s->qemu,
		.servers_version = s->servers,
		.accel = &s->accel,
		.repeat = s->opt.repeat,
	};

	if (s->root && write_packages(s, p, e))
		return STATUS_WRITE;
	if (file_write_atomic(ini, text, strlen(text), e) || run_json_write(json, &facts, e))
		return STATUS_WRITE;
	return STATUS_OK;
}

/* Which runs a sweep has, and what for: docs/blkproof-run.5. */
static enum status write_sweep(struct session *s, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/" RUN_SWEEP, s->dir.tmp);
	char *key __cleanup_free = xstrndup(s->opt.sweep, strcspn(s->opt.sweep, ":"));
	char *command __cleanup_free = host_options_command(&s->opt);
	char *text __cleanup_free = NULL;
	json_t *runs = json_array(), *j;

	for (unsigned int i = 0; i < s->n_points; i++)
		json_array_append_new(runs, json_pack("{s:s, s:s}", "value", s->points[i].value,
						      "run", s->points[i].name));
	j = json_pack("{s:i, s:s, s:s, s:s, s:o}", "schema", RUN_SCHEMA, "experiment", s->exp->name,
		      "key", key, "command", command, "runs", runs);
	text = j ? json_dumps(j, JSON_INDENT(1)) : NULL;
	json_decref(j);
	if (!text) {
		err_set(e, -EILSEQ, "%s: the command is not UTF-8", path);
		return STATUS_WRITE;
	}
	return file_write_atomic(path, text, strlen(text), e) ? STATUS_WRITE : STATUS_OK;
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
	enum status status = session_boot_all(s, e);

	for (unsigned int i = 0; i < s->n_points && !status; i++)
		status = write_point(s, &s->points[i], e);
	if (!status && s->opt.sweep)
		status = write_sweep(s, e);
	return status;
}

static int boot_all_isolated(void *arg, struct err *e)
{
	return (int)boot_all(arg, e);
}

/* With servers, in namespaces that end when the last boot has ended. */
static enum status boot_isolated(struct session *s, struct err *e)
{
	bool root = session_needs_root(s);
	int ret = root ? netns_run_as_root(boot_all_isolated, s, e)
		       : netns_run(boot_all_isolated, s, e);

	if (ret >= 0)
		return (enum status)ret;
	if (ret == -EINTR)
		return STATUS_INTERRUPTED;
	err_prefix(e, ret, "%s needs servers in namespaces of their own",
		   root ? "root = nfs" : "filesystem = ceph");
	return STATUS_RESOURCES;
}

/* *@path is where the run is, and the caller's. */
static enum status run(struct session *s, char **path, struct err *e)
{
	enum status status;

	status = session_validate(s, e);
	if (!status)
		status = session_prepare(s, e);
	if (status)
		return status;
	if (run_dir_open(&s->dir, s->opt.traces, s->opt.run, e))
		return STATUS_WRITE;
	if (s->opt.replay) {
		/* what is replayed is what lies beside the run, whatever becomes of the file */
		s->plan = xasprintf("%s/" RUN_PLAN, s->dir.tmp);
		if (replay_copy_plan(s->replay.path, s->plan, e))
			return STATUS_WRITE;
	}
	status = session_needs_servers(s) ? boot_isolated(s, e) : boot_all(s, e);
	if (status)
		return status;
	return run_dir_publish(&s->dir, path, e) ? STATUS_WRITE : STATUS_OK;
}

static enum status run_and_show(struct session *s, struct err *e)
{
	char *path __cleanup_free = NULL;
	enum status status = run(s, &path, e);

	if (status)
		return status;
	show_verdict(s, path);
	printf("%s\n", path);
	return STATUS_OK;
}

/*
 * For git bisect run: 0 good, 1 bad, 125 for a commit that can't be judged; above 127
 * git stops, which is right where nothing is known of any commit.
 */
static int bisect(struct session *s, struct err *e)
{
	char *path __cleanup_free = NULL;
	char *name __cleanup_free = NULL;
	char *capture __cleanup_free = NULL;
	enum status status = run(s, &path, e);
	int ret;

	switch (status) {
	case STATUS_OK:
		break;
	case STATUS_KERNEL:
	case STATUS_BOOT:
	case STATUS_PANIC:
	case STATUS_AGENT:
	case STATUS_HANG:
		fprintf(stderr, "boot-and-trace: this commit is skipped: %s\n", e->msg);
		return BISECT_SKIP;
	default:
		fprintf(stderr, "boot-and-trace: %s\n", e->msg);
		return status == STATUS_INTERRUPTED ? (int)status : BISECT_STOP;
	}
	name = capture_name(s->exp->kernels[0].name, 1);
	capture = xasprintf("%s/%s", path, name);
	const char *const argv[] = {s->project.verify, "--bisect", "--brief", "--check",
				    s->opt.bisect,     capture,	   NULL};
	struct run r = {.argv = argv, .echo = true};

	if (!s->project.verify) {
		fprintf(stderr, "boot-and-trace: verify is not there, which judges\n");
		return BISECT_STOP;
	}
	ret = run_program(&r, e);
	if (ret < 0 || !WIFEXITED(ret)) {
		fprintf(stderr, "boot-and-trace: verify: %s\n", ret < 0 ? e->msg : "it crashed");
		return ret == -EINTR ? (int)STATUS_INTERRUPTED : BISECT_STOP;
	}
	return WEXITSTATUS(ret);
}

static enum status cache_command(const struct options *o, struct err *e)
{
	int ret = o->command == COMMAND_CACHE ? cache_list(stdout, e) : cache_clean(stdout, e);

	if (ret == -EINTR)
		return STATUS_INTERRUPTED;
	return ret ? STATUS_RESOURCES : STATUS_OK;
}

/* Package sets of host/deps.sh, one a line: file systems' are called as they are. */
static enum status print_needs(struct session *s, struct err *e)
{
	static const char *const sets[] = {"ceph", "xfs", "btrfs", "f2fs"};
	enum status status = session_validate(s, e);

	if (!status && s->opt.arch->set)
		puts(s->opt.arch->set);
	for (size_t k = 0; k < ARRAY_SIZE(sets) && !status; k++)
		for (unsigned int i = 0; i < s->n_points; i++)
			if (!strcmp(s->points[i].exp->filesystem, sets[k])) {
				puts(sets[k]);
				break;
			}
	if (!status && s->exp->root != ROOT_NONE)
		puts("rootfs");
	if (!status && s->exp->root == ROOT_NFS)
		puts("nfs");
	return status;
}

static bool for_bisect(char *const argv[])
{
	for (; *argv; argv++)
		if (str_after(*argv, "--bisect"))
			return true;
	return false;
}

int main(int argc, char *argv[])
{
	struct session s = {.dir.lock = -1, .cache_in_use = -1};
	struct err e = {.msg = ""};
	enum status status = STATUS_OK;
	int bad_options, exit_status;

	interrupt_setup();
	/* a limit on file size is then an error of write(), with a message */
	signal(SIGXFSZ, SIG_IGN);
	bad_options = host_options_parse(&s.opt, argc, argv, &e);
	if (bad_options) {
		status = STATUS_USAGE;
	} else if (s.opt.bisect) {
		exit_status = bisect(&s, &e);
		session_free(&s);
		return exit_status;
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
		case COMMAND_NEEDS:
			status = print_needs(&s, &e);
			break;
		case COMMAND_RUN:
			status = run_and_show(&s, &e);
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
	/* a bisection must not take a usage error for a verdict */
	return bad_options && for_bisect(argv) ? BISECT_STOP : (int)status;
}
