// SPDX-License-Identifier: GPL-2.0-only
#include "host/ceph.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "host/asok.h"
#include "host/netns.h"
#include "host/spawn.h"
#include "lib/fileio.h"

#define UP_TIMEOUT_S 90
#define POLL_MS 20
#define DAEMONS_MAX 18 /* a monitor, a metadata server, 16 OSDs */

struct daemon {
	char name[16]; /* "osd.0": of its log, its data and its socket */
	struct child child;
};

struct ceph {
	struct ceph_spec spec;
	char *dir;
	int dirfd;
	char fsid[40];
	struct daemon daemons[DAEMONS_MAX];
	unsigned int n;
};

static const struct {
	const char *program, *package;
} programs[] = {
	{"ceph-mon", "ceph-mon"}, {"monmaptool", "ceph-common"}, {"ceph-osd", "ceph-osd"},
	{"ceph-mds", "ceph-mds"}, {"ceph", "ceph-common"},
};

/* "ceph version 16.2.15 (618f...) pacific (stable)" */
int ceph_version(char **version, struct err *e)
{
	const char *at;

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const char *const argv[] = {programs[i].program, "--version", NULL};
		char *out __cleanup_free = NULL;
		int ret;

		/* monmaptool knows no --version and says so with a status of its own */
		ret = run_output(argv, NULL, &out, e);
		if (ret == -ENOPKG)
			return err_set(e, ret,
				       "%s is not installed (Debian: %s); host/deps.sh ceph "
				       "installs what a cluster needs",
				       programs[i].program, programs[i].package);
		if (ret == -EINTR)
			return ret;
		if (i || ret)
			continue;
		at = str_after(out, "ceph version ");
		at = at ? at : out;
		*version = xstrndup(at, strcspn(at, " \n"));
	}
	return *version ? 0 : err_prefix(e, -EIO, "the cluster's programs do not run");
}

/* ---- what went wrong ---- */

static char *log_tail(const struct ceph *c, const char *name)
{
	char *path __cleanup_free = xasprintf("%s/%s.log", c->dir, name);

	return ceph_log_tail(path);
}

int ceph_check(struct ceph *c, struct err *e)
{
	for (unsigned int i = 0; i < c->n; i++) {
		struct daemon *d = &c->daemons[i];
		char *log __cleanup_free = NULL;
		char status[STATUS_TEXT_MAX];

		if (!child_ended(&d->child))
			continue;
		log = log_tail(c, d->name);
		return err_set(e, -ECHILD, "ceph %s ended with %s; the end of its log: %s", d->name,
			       status_text(d->child.status, status), *log ? log : "(nothing)");
	}
	return 0;
}

/* ---- steps ---- */

/* Runs a program of the cluster's to its end; -EIO with what it said last. */
static int run_tool(struct ceph *c, const char *const argv[], const char *input, struct err *e)
{
	char *in __cleanup_free = input ? xasprintf("%s/%s", c->dir, input) : NULL;
	char *log __cleanup_free = xasprintf("%s/tools.log", c->dir);
	struct run r = {.argv = argv,
			.opt = {.cwd = c->dir, .clean_env = true, .stdin_path = in},
			.log_path = log,
			.timeout_s = UP_TIMEOUT_S};
	char status[STATUS_TEXT_MAX];
	char *said __cleanup_free = NULL;
	int ret = run_program(&r, e);

	if (ret <= 0)
		return ret;
	said = log_tail(c, "tools");
	return err_set(e, -EIO, "%s: %s: %s", argv[0], status_text(ret, status), said);
}

static int start_daemon(struct ceph *c, const char *kind, unsigned int id, struct err *e)
{
	struct daemon *d = &c->daemons[c->n];
	bool osd = !strcmp(kind, "osd");
	char program[16], name[8];
	/*
	 * Fetching its configuration makes a daemon forget the fsid until the monitor's map
	 * has arrived, and the monitor refuses what it asks for before ("wrong fsid").
	 */
	const char *const argv[] = {program, "-c", "ceph.conf",	      "-i",
				    name,    "-f", "--no-mon-config", NULL};
	struct spawn_options opt = {.cwd = c->dir, .clean_env = true};
	int log __cleanup_close = -1;
	char *path __cleanup_free;
	int ret;

	snprintf(program, sizeof(program), "ceph-%s", kind);
	/* monitors and metadata servers have names, OSDs have numbers */
	snprintf(name, sizeof(name), osd ? "%u" : "a", id);
	snprintf(d->name, sizeof(d->name), "%s.%s", kind, name);
	path = xasprintf("%s/%s.log", c->dir, d->name);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (log < 0)
		return err_errno(e, -errno, "%s", path);
	opt.out_fd = log;
	ret = child_start(&d->child, argv, &opt, e);
	if (!ret)
		c->n++;
	return ret;
}

static int make_files(struct ceph *c, struct err *e)
{
	char *conf __cleanup_free = NULL;
	char *text __cleanup_free = NULL;
	char *path __cleanup_free = xasprintf("%s/ceph.conf", c->dir);
	int ret;

	ret = file_read("/proc/sys/kernel/random/uuid", sizeof(c->fsid), &text, NULL, e);
	if (ret)
		return ret;
	snprintf(c->fsid, sizeof(c->fsid), "%.36s", text);
	conf = ceph_conf(&c->spec, c->fsid);
	ret = file_write_atomic(path, conf, strlen(conf), e);
	for (unsigned int i = 0; i < c->spec.osds + 2 && !ret; i++) {
		char *dir __cleanup_free = i < 2 ? xasprintf("%s/%s", c->dir, i ? "mds" : "mon")
						 : xasprintf("%s/osd.%u", c->dir, i - 2);

		if (mkdir(dir, 0700))
			ret = err_errno(e, -errno, "%s", dir);
	}
	return ret;
}

static int make_monitor(struct ceph *c, struct err *e)
{
	const char *const map[] = {"monmaptool", "--create", "--addv", "a", "[v1:" CEPH_MONITOR "]",
				   "--fsid",	 c->fsid,    "monmap", NULL};
	const char *const mkfs[] = {"ceph-mon", "-c",	    "ceph.conf", "-i", "a",
				    "--mkfs",	"--monmap", "monmap",	 NULL};
	int ret = run_tool(c, map, NULL, e);

	return ret ? ret : run_tool(c, mkfs, NULL, e);
}

/* A UUID for OSD @i that is no other's: the cluster's, with its last digits replaced. */
static void osd_uuid(const struct ceph *c, unsigned int i, char uuid[40])
{
	memcpy(uuid, c->fsid, sizeof(c->fsid));
	snprintf(uuid + 32, 8, "%04x", i & 0xffff);
}

static int make_osds(struct ceph *c, struct err *e)
{
	char uuid[40], id[12];
	const char *const mkfs[] = {"ceph-osd", "-c",	      "ceph.conf", "-i", id,
				    "--mkfs",	"--osd-uuid", uuid,	   NULL};
	int ret = 0;

	for (unsigned int i = 0; i < c->spec.osds && !ret; i++) {
		osd_uuid(c, i, uuid);
		snprintf(id, sizeof(id), "%u", i);
		ret = run_tool(c, mkfs, NULL, e);
	}
	return ret;
}

/* As daemons (see start_daemon()), ceph(1) may be refused before its first command. */
#define REFUSED "problem getting command descriptions"
#define TRIES 20

static int try_commands(struct ceph *c, bool *refused, struct err *e)
{
	const char *const argv[] = {"ceph", "-c", "ceph.conf", "--connect-timeout", "60", NULL};
	char *log __cleanup_free = xasprintf("%s/tools.log", c->dir);
	char *said __cleanup_free = NULL;
	struct err unreadable;
	const char *error;
	int ret;

	unlink(log);
	ret = run_tool(c, argv, "commands", e);
	if (!file_read(log, 1u << 20, &said, NULL, &unreadable))
		*refused = strstr(said, REFUSED);
	if (ret || !said)
		return ret;
	/* it goes on after a command that fails, and ends with 0 */
	error = strstr(said, "Error ");
	if (!error)
		return 0;
	return err_set(e, -EIO, "ceph: %.*s", (int)MIN(strcspn(error, "\n"), (size_t)300), error);
}

/* Commands to the monitor, one a line: each program start of ceph(1) would cost 0.3 s. */
static int mon_commands(struct ceph *c, const char *commands, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/commands", c->dir);
	bool refused = true;
	int ret = file_write_atomic(path, commands, strlen(commands), e);

	for (int i = 0; !ret && refused && i < TRIES; i++) {
		refused = false;
		ret = try_commands(c, &refused, e);
		if (refused && i < TRIES - 1)
			ret = 0;
	}
	return ret;
}

static int register_osds(struct ceph *c, struct err *e)
{
	char *commands = xstrdup(""), uuid[40];
	int ret;

	for (unsigned int i = 0; i < c->spec.osds; i++) {
		char *old __cleanup_free = commands;

		osd_uuid(c, i, uuid);
		commands = xasprintf("%sosd new %s %u\n", old, uuid, i);
	}
	ret = mon_commands(c, commands, e);
	free(commands);
	return ret;
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

/* Without a manager the cluster's health is never OK: the metadata server's state is what counts.
 */
static int wait_until_up(struct ceph *c, struct err *e)
{
	u64 end = now_ms() + UP_TIMEOUT_S * 1000;
	char state[32] = "no answer";
	char *log __cleanup_free = NULL;
	struct err ignored;
	json_t *status;
	int ret;

	while (now_ms() < end) {
		ret = ceph_check(c, e);
		if (ret)
			return ret;
		if (interrupt_signal())
			return err_set(e, -EINTR, "interrupted");
		if (!asok_command(c->dirfd, "mds.a.asok", "status", &status, &ignored)) {
			const char *s = json_string_value(json_object_get(status, "state"));

			snprintf(state, sizeof(state), "%s", s ? s : "?");
			json_decref(status);
			if (!strcmp(state, "up:active"))
				return 0;
		}
		usleep(POLL_MS * 1000);
	}
	log = log_tail(c, "mds.a");
	return err_set(e, -ETIMEDOUT,
		       "its metadata server is in state '%s' after %d s; the end of its log: %s",
		       state, UP_TIMEOUT_S, *log ? log : "(nothing)");
}

/*
 * What is to blame for a start that failed with @ret: a tool that waited in vain says less
 * than the daemon that it waited for, one that has ended or one that does not answer.
 */
static int not_up(struct ceph *c, int ret, struct err *e)
{
	char *silent __cleanup_free = xstrdup("");
	struct err why;

	if (ret == -EINTR)
		return ret;
	if (ceph_check(c, &why)) {
		*e = why;
		return ret;
	}
	for (unsigned int i = 0; i < c->n; i++) {
		char *socket __cleanup_free = xasprintf("%s.asok", c->daemons[i].name);
		char *old __cleanup_free = silent;
		json_t *answer = NULL;

		if (asok_command(c->dirfd, socket, "version", &answer, &why))
			silent = xasprintf("%s%s%s", old, *old ? ", " : "; no answer from ",
					   c->daemons[i].name);
		else
			silent = xstrdup(old);
		json_decref(answer);
	}
	return err_prefix(e, ret, "the Ceph cluster is not up%s", silent);
}

int ceph_start(struct ceph **out, const struct ceph_spec *s, const char *dir, struct err *e)
{
	struct ceph *c = xcalloc(1, sizeof(*c));
	unsigned int i;
	int ret;

	*out = c;
	c->spec = *s;
	c->dir = xstrdup(dir);
	c->dirfd = -1;
	if (s->osds + 2 > DAEMONS_MAX)
		return err_set(e, -E2BIG, "%u OSDs are more than %d", s->osds, DAEMONS_MAX - 2);
	if (mkdir(dir, 0700))
		return err_errno(e, -errno, "%s", dir);
	c->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->dirfd < 0)
		return err_errno(e, -errno, "%s", dir);
	ret = make_files(c, e);
	if (!ret)
		ret = make_monitor(c, e);
	if (!ret)
		ret = start_daemon(c, "mon", 0, e);
	if (!ret)
		ret = make_osds(c, e);
	if (!ret)
		ret = register_osds(c, e);
	for (i = 0; i < s->osds && !ret; i++)
		ret = start_daemon(c, "osd", i, e);
	if (!ret)
		ret = start_daemon(c, "mds", 0, e);
	if (!ret)
		ret = mon_commands(c,
				   "osd pool create metadata\nosd pool create data\n"
				   "fs new blkproof metadata data\n",
				   e);
	if (!ret)
		ret = wait_until_up(c, e);
	return ret ? not_up(c, ret, e) : 0;
}

int ceph_counters(struct ceph *c, json_t **out, struct err *e)
{
	json_t *all = json_object(), *one;
	char osd[16], socket[24];
	int ret;

	for (unsigned int i = 0; i < c->spec.osds; i++) {
		snprintf(osd, sizeof(osd), "osd.%u", i);
		snprintf(socket, sizeof(socket), "%s.asok", osd);
		ret = asok_command(c->dirfd, socket, "perf dump", &one, e);
		if (ret) {
			struct err why;

			/* it may have died just now */
			if (ceph_check(c, &why))
				*e = why;
			json_decref(all);
			return ret;
		}
		json_object_set_new(all, osd, one);
	}
	*out = all;
	return 0;
}

void ceph_stop(struct ceph *c)
{
	if (!c)
		return;
	/* nothing of it is wanted any more, so nobody need shut down cleanly */
	while (c->n)
		child_end(&c->daemons[--c->n].child, 0);
	cleanup_close(&c->dirfd);
	remove_tree(c->dir);
	free(c->dir);
	free(c);
}
