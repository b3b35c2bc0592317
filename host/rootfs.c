// SPDX-License-Identifier: GPL-2.0-only
#include "host/rootfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "host/hash.h"
#include "host/progress.h"
#include "host/source.h"
#include "host/spawn.h"
#include "lib/fileio.h"

#define IMAGE_BYTES "1G" /* sparse; the default packages take 330 MB */
#define LAST_LINE 256

/*
 * From the archive to the image, below fakeroot so that files belong to root:
 * each boot must be the same, so there is one machine-id, nothing that updates
 * itself, and no work that is left for a first boot; and there is something for
 * git to look at.  $1: the archive, $2: a directory to work in, $3: the image;
 * $3.tar is the same tree, for an NFS server.
 */
static const char make_script[] =
	"set -e\n"
	"umask 022\n"
	"r=$2/root\n"
	"mkdir \"$r\"\n"
	"tar -x -p -f \"$1\" -C \"$r\" --exclude=./dev/*\n"
	"echo blkproof > \"$r/etc/hostname\"\n"
	"echo 127.0.0.1 localhost blkproof > \"$r/etc/hosts\"\n"
	"echo 0123456789abcdef0123456789abcdef > \"$r/etc/machine-id\"\n"
	"for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \\\n"
	"	e2scrub_all.timer e2scrub_reap.service fstrim.timer man-db.timer \\\n"
	"	systemd-tmpfiles-clean.timer systemd-networkd-wait-online.service; do\n"
	"	ln -sf /dev/null \"$r/etc/systemd/system/$unit\"\n"
	"done\n"
	"g=$r/root/repo\n"
	"mkdir -p \"$g/src\"\n"
	"i=0\n"
	"while [ $i -lt 200 ]; do i=$((i + 1)); echo \"line $i\" > \"$g/src/file$i\"; done\n"
	"export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null\n"
	"export GIT_AUTHOR_NAME=blkproof GIT_AUTHOR_EMAIL=blkproof GIT_AUTHOR_DATE='1700000000 +0'\n"
	"export GIT_COMMITTER_NAME=blkproof GIT_COMMITTER_EMAIL=blkproof\n"
	"export GIT_COMMITTER_DATE='1700000000 +0'\n"
	"git -C \"$g\" -c init.defaultBranch=main init -q\n"
	"git -C \"$g\" add .\n"
	"git -C \"$g\" commit -q -m 'two hundred files'\n"
	"touch \"$r/etc/.updated\" \"$r/var/.updated\"\n"
	"tar -c -C \"$r\" -f \"$3.tar\" .\n"
	"mke2fs -q -F -t ext4 -b 4096 -m 0 -L blkproof-root \\\n"
	"	-E lazy_itable_init=0,lazy_journal_init=0 -d \"$r\" \"$3\" " IMAGE_BYTES "\n";

int rootfs_check(const char *packages, struct err *e)
{
	const char *p = packages;

	for (; *p; p++)
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) &&
		    !strchr("+-. ", *p))
			return err_set(e, -EINVAL,
				       "root_packages: '%c' is in no name of a Debian package", *p);
	return 0;
}

/* "a b  c" to "a,b,c"; also the text that the cache's key is made of. */
static char *package_list(const char *packages)
{
	char *copy __cleanup_free = xstrdup(*packages ? packages : ROOTFS_PACKAGES);
	char *list = xstrdup(""), *save = NULL;

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *more = xasprintf("%s%s%s", list, *list ? "," : "", w);

		free(list);
		list = more;
	}
	return list;
}

/* The machine's own suite: VERSION_CODENAME in /etc/os-release. */
static int own_suite(char *suite, size_t size, struct err *e)
{
	char *text __cleanup_free = NULL;
	char *at;
	int ret;

	ret = file_read("/etc/os-release", 65536, &text, NULL, e);
	if (ret)
		return ret;
	at = strstr(text, "\nVERSION_CODENAME=");
	if (!at || !strstr(text, "\nID=debian\n"))
		return err_set(e, -ENOENT, "a Debian root file system is made on Debian only");
	at += strlen("\nVERSION_CODENAME=");
	snprintf(suite, size, "%.*s", (int)MIN(strcspn(at, "\n"), size - 1), at);
	return 0;
}

static int own_mirror(char **mirror, struct err *e)
{
	static const char *const argv[] = {"apt-get", "indextargets", "--format",
					   "$(SITE)|$(CODENAME)|$(ORIGIN)", NULL};
	char *out __cleanup_free = NULL;
	int ret = run_output(argv, NULL, &out, e);

	if (ret)
		return err_prefix(e, ret, "cannot find this machine's Debian mirror");
	*mirror = debian_pick_mirror(out);
	return *mirror ? 0 : err_set(e, -ENOENT, "apt knows no Debian mirror on this machine");
}

struct step {
	struct meter m;
	char last[LAST_LINE];
};

static void step_line(void *ctx, char *line)
{
	struct step *s = ctx;

	if (*line)
		snprintf(s->last, sizeof(s->last), "%s", line);
}

static void step_tick(void *ctx)
{
	struct step *s = ctx;

	meter_update(&s->m, "running");
}

static int step(const char *what, const char *const argv[], const char *deb, bool verbose,
		struct err *e)
{
	struct step s = {.last = ""};
	struct run r = {
		.argv = argv, .line = step_line, .tick = step_tick, .ctx = &s, .echo = verbose};
	char status[STATUS_TEXT_MAX];
	int ret;

	meter_start(&s.m, what);
	s.m.silent = verbose;
	ret = run_program(&r, e);
	if (ret)
		meter_clear(&s.m);
	else
		meter_end(&s.m, "done");
	if (ret == -ENOPKG)
		return err_set(e, ret, "%s is not installed (Debian: %s)", argv[0], deb);
	if (ret > 0)
		return err_set(e, -EIO, "%s: %s failed, %s: %s", what, argv[0],
			       status_text(ret, status), s.last);
	return ret;
}

static int bootstrap(const char *list, const char *suite, const char *tar, const char *installed,
		     bool verbose, struct err *e)
{
	char *include __cleanup_free = xasprintf("--include=%s", list);
	char *hook __cleanup_free = NULL;
	char *mirror __cleanup_free = NULL;
	int ret = own_mirror(&mirror, e);

	if (ret)
		return ret;
	hook = xasprintf("--customize-hook=dpkg-query --admindir=\"$1/var/lib/dpkg\" -W > '%s'",
			 installed);
	const char *const argv[] = {"mmdebstrap", "--quiet", "--variant=minbase",
				    include,	  hook,	     suite,
				    tar,	  mirror,    NULL};

	return step("Debian root file system", argv, "mmdebstrap", verbose, e);
}

static int make_image(const char *list, const char *suite, const char *image, bool verbose,
		      struct err *e)
{
	char *work __cleanup_free = xasprintf("%s.work", image);
	char *tar __cleanup_free = xasprintf("%s/root.tar", work);
	char *tmp __cleanup_free = xasprintf("%s/image", work);
	char *packages __cleanup_free = xasprintf("%s/packages", work);
	char *beside __cleanup_free = xasprintf("%s.packages", image);
	char *tree __cleanup_free = xasprintf("%s.tar", tmp);
	char *archive __cleanup_free = xasprintf("%s.tar", image);
	const char *const argv[] = {"fakeroot", "sh", "-c", make_script, "rootfs",
				    tar,	work, tmp,  NULL};
	int ret;

	/* what a run that was killed has left */
	remove_tree(work);
	ret = make_dirs(work, e);
	if (!ret)
		ret = bootstrap(list, suite, tar, packages, verbose, e);
	if (!ret)
		ret = step("root file system's image", argv, "fakeroot", verbose, e);
	if (!ret && (rename(packages, beside) || rename(tree, archive) || rename(tmp, image)))
		ret = err_errno(e, -errno, "%s", image);
	remove_tree(work);
	return ret;
}

static int lock(int fd, const char *path, struct err *e)
{
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_errno(e, -errno, "%s", path);
		if (interrupt_signal())
			return err_set(e, -EINTR, "interrupted");
		usleep(200000);
	}
	return 0;
}

int rootfs_get(const char *packages, const char *cache, bool verbose, char **path, struct err *e)
{
	char *list __cleanup_free = package_list(packages);
	char *dir __cleanup_free = xasprintf("%s/disks", cache);
	char *image __cleanup_free = NULL;
	char *lockfile __cleanup_free = NULL;
	char suite[64], key[HASH_HEX];
	struct hash *h;
	int fd __cleanup_close = -1;
	int ret;

	ret = rootfs_check(packages, e);
	if (!ret)
		ret = own_suite(suite, sizeof(suite), e);
	if (!ret)
		ret = make_dirs(dir, e);
	if (ret)
		return ret;
	h = hash_new();
	hash_text(h, "suite", suite);
	hash_text(h, "packages", list);
	hash_text(h, "script", make_script);
	hash_end(h, key);
	image = xasprintf("%s/root-%s-%.16s.img", dir, suite, key);
	lockfile = xasprintf("%s.lock", image);
	fd = open(lockfile, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, -errno, "%s", lockfile);
	ret = lock(fd, lockfile, e);
	if (!ret && access(image, R_OK))
		ret = make_image(list, suite, image, verbose, e);
	if (ret)
		return ret;
	*path = image;
	image = NULL;
	return 0;
}

int rootfs_installed(const char *path, char **text, struct err *e)
{
	char *beside __cleanup_free = xasprintf("%s.packages", path);

	return file_read(beside, 1u << 20, text, NULL, e);
}
