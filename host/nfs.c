// SPDX-License-Identifier: GPL-2.0-only
#include "host/nfs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "host/netns.h"
#include "host/spawn.h"
#include "lib/contract.h"
#include "lib/fileio.h"

#define PROGRAM "ganesha.nfsd"
#define PACKAGES "nfs-ganesha nfs-ganesha-vfs"
#define PORT 2049
#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)
#define UP_TIMEOUT_MS 60000
#define POLL_MS 100
#define END_GRACE_MS 2000

/*
 * The server gets a mount namespace of its own on top of ours, in which its
 * directory is at a fixed place and what else it would write to (state in /run,
 * blkid's cache, a file in /tmp to try locks on) is nobody's but its own, and
 * without the sockets there: it would ask rpcbind, nscd and D-Bus.
 * $1: its directory; the rest: its command.
 */
#define PLACE "/mnt"
static const char script[] = "set -e\n"
			     "mount --rbind \"$1\" " PLACE "\n"
			     "mount -t tmpfs -o mode=755 tmpfs /run\n"
			     "mount -t tmpfs -o mode=1777 tmpfs /tmp\n"
			     "shift\n"
			     "cd /\n"
			     "exec \"$@\"\n";

struct nfs {
	char *dir, *log;
	struct child server;
	bool mounted;
};

/* NFSv4 only: nothing registers with a portmapper, and there is no lock manager. */
static const char configuration[] =
	"NFS_CORE_PARAM {\n"
	"\tProtocols = 4;\n"
	"\tNFS_Port = " TEXT_OF(PORT) ";\n"
				      "\tBind_addr = " NETNS_ADDRESS ";\n"
				      "\tEnable_NLM = false;\n"
				      "\tEnable_RQUOTA = false;\n"
				      "\tEnable_UDP = false;\n"
				      "}\n"
				      "NFSV4 {\n"
				      "\tGraceless = true;\n"
				      "\tOnly_Numeric_Owners = true;\n"
				      "\tRecoveryBackend = fs;\n"
				      "\tRecoveryRoot = " PLACE "/state;\n"
				      "}\n"
				      "EXPORT {\n"
				      "\tExport_Id = 1;\n"
				      "\tPath = " PLACE "/export;\n"
				      "\tPseudo = " GUEST_NFS_EXPORT ";\n"
				      "\tAccess_Type = RW;\n"
				      "\tSquash = No_Root_Squash;\n"
				      "\tSecType = sys;\n"
				      "\tProtocols = 4;\n"
				      "\tTransports = TCP;\n"
				      "\tFSAL { Name = VFS; }\n"
				      "}\n"
				      "LOG { Default_Log_Level = EVENT; }\n";

int nfs_version(char **version, struct err *e)
{
	static const char *const argv[] = {PROGRAM, "-v", NULL};
	char *out __cleanup_free = NULL;
	const char *at;
	int ret = run_output(argv, NULL, &out, e);

	if (ret == -ENOPKG)
		return err_set(e, ret, PROGRAM " is not installed (Debian: " PACKAGES ")");
	if (ret)
		return ret;
	at = strstr(out, "V");
	*version = xstrndup(at ? at + 1 : out, strcspn(at ? at + 1 : out, " \n"));
	return 0;
}

/*
 * The server finds files again by their handles.  Kernels grant that to
 * CAP_DAC_READ_SEARCH in the first user namespace; in others for directories
 * alone, since Linux 6.11, which is not enough.  A container's root may lack it.
 */
int nfs_may_serve(struct err *e)
{
	struct {
		struct file_handle h;
		char bytes[MAX_HANDLE_SZ];
	} f = {.h.handle_bytes = 8, .h.handle_type = 1};
	int mount_fd __cleanup_close = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd __cleanup_close = -1;

	if (mount_fd < 0)
		return err_errno(e, -errno, "/");
	/* a handle of no file: what is allowed is asked before it is looked at */
	fd = open_by_handle_at(mount_fd, &f.h, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || errno != EPERM)
		return 0;
	return err_set(e, -EPERM,
		       "root = nfs needs %s: its NFS server opens files by handle, which the "
		       "kernel allows to root with CAP_DAC_READ_SEARCH alone; run it %s, or set "
		       "root = virtio-blk",
		       geteuid() ? "root" : "a root that may do so",
		       geteuid() ? "with sudo" : "outside this container");
}

static int make_tree(struct nfs *n, const char *tar, struct err *e)
{
	char *export __cleanup_free = xasprintf("%s/export", n->dir);
	const char *const argv[] = {"tar", "--numeric-owner", "-xpC", export, "-f", tar, NULL};
	struct run r = {.argv = argv};
	char status[STATUS_TEXT_MAX];
	int ret;

	if (mkdir(export, 0755))
		return err_errno(e, -errno, "%s", export);
	/* gone with the namespaces, however this ends */
	if (mount("tmpfs", export, "tmpfs", 0, "mode=755"))
		return err_errno(e, -errno, "mounting a tmpfs at %s", export);
	n->mounted = true;
	ret = run_program(&r, e);
	return ret > 0 ? err_set(e, -EIO, "tar -x of %s: %s", tar, status_text(ret, status)) : ret;
}

static int start(struct nfs *n, struct err *e)
{
	char *conf __cleanup_free = xasprintf("%s/ganesha.conf", n->dir);
	char *state __cleanup_free = xasprintf("%s/state", n->dir);
	const char *const argv[] = {"unshare",
				    "--mount",
				    "sh",
				    "-c",
				    script,
				    "nfs",
				    n->dir,
				    PROGRAM,
				    "-F",
				    "-L",
				    PLACE "/ganesha.log",
				    "-f",
				    PLACE "/ganesha.conf",
				    "-p",
				    PLACE "/pid",
				    NULL};
	int out __cleanup_close = open(n->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	struct spawn_options opt = {.clean_env = true, .out_fd = out};
	int ret;

	if (out < 0 || mkdir(state, 0755))
		return err_errno(e, -errno, "%s", n->dir);
	ret = file_write_atomic(conf, configuration, strlen(configuration), e);
	return ret ? ret : child_start(&n->server, argv, &opt, e);
}

int nfs_check(struct nfs *n, struct err *e)
{
	char *log __cleanup_free = NULL;
	char status[STATUS_TEXT_MAX];
	struct err ignored;
	size_t len = 0;

	if (!child_ended(&n->server))
		return 0;
	if (file_read(n->log, 16u << 20, &log, &len, &ignored))
		len = 0;
	while (len && log[len - 1] == '\n')
		log[--len] = '\0';
	return err_set(e, -ECHILD, "the NFS server ended with %s; its last words: %.300s",
		       status_text(n->server.status, status),
		       !len			 ? "(nothing)"
		       : memrchr(log, '\n', len) ? (char *)memrchr(log, '\n', len) + 1
						 : log);
}

static bool answers(void)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(PORT),
				       .sin_addr.s_addr = inet_addr(NETNS_ADDRESS)};
	int fd __cleanup_close = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && !connect(fd, (const struct sockaddr *)&to, sizeof(to));
}

static int wait_until_up(struct nfs *n, struct err *e)
{
	for (unsigned int ms = 0; ms < UP_TIMEOUT_MS; ms += POLL_MS) {
		int ret = nfs_check(n, e);

		if (ret)
			return ret;
		if (interrupt_signal())
			return err_set(e, -EINTR, "interrupted");
		if (answers())
			return 0;
		usleep(POLL_MS * 1000);
	}
	return err_set(e, -ETIMEDOUT, "the NFS server does not answer after %d s",
		       UP_TIMEOUT_MS / 1000);
}

int nfs_start(struct nfs **out, const char *tar, const char *dir, struct err *e)
{
	struct nfs *n = xcalloc(1, sizeof(*n));
	int ret;

	*out = n;
	n->dir = xstrdup(dir);
	n->log = xasprintf("%s/ganesha.log", dir);
	if (mkdir(dir, 0755))
		return err_errno(e, -errno, "%s", dir);
	ret = make_tree(n, tar, e);
	if (!ret)
		ret = start(n, e);
	return ret ? ret : wait_until_up(n, e);
}

void nfs_stop(struct nfs *n)
{
	char *export;

	if (!n)
		return;
	child_end(&n->server, END_GRACE_MS);
	export = xasprintf("%s/export", n->dir);
	if (n->mounted)
		umount2(export, MNT_DETACH);
	free(export);
	remove_tree(n->dir);
	free(n->dir);
	free(n->log);
	free(n);
}
