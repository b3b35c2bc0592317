// SPDX-License-Identifier: GPL-2.0-only
#include "host/netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "host/spawn.h"
#include "lib/fileio.h"

/* For @fn to end what it started once a signal has arrived. */
#define END_GRACE_MS 30000

/* Settings that forbid it, each with the value that does. */
static const struct {
	const char *path, *name, *value;
} forbidding[] = {
	{"/proc/sys/kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone", "0"},
	{"/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", "0"},
	{"/proc/sys/user/max_net_namespaces", "user.max_net_namespaces", "0"},
	{"/proc/sys/user/max_mnt_namespaces", "user.max_mnt_namespaces", "0"},
	{"/proc/sys/user/max_pid_namespaces", "user.max_pid_namespaces", "0"},
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	 "kernel.apparmor_restrict_unprivileged_userns", "1"},
};

/* The line for a namespace that the kernel refused with @error in @step. */
static int refused(int error, const char *step, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(forbidding); i++) {
		char *text __cleanup_free = NULL;
		struct err ignored;

		if (file_read(forbidding[i].path, 64, &text, NULL, &ignored))
			continue;
		text[strcspn(text, "\n")] = '\0';
		if (!strcmp(text, forbidding[i].value))
			return err_set(e, -EPERM,
				       "%s: %s; this machine forbids it with sysctl %s = %s", step,
				       strerror(-error), forbidding[i].name, text);
	}
	return err_set(e, error == -ENOSPC ? error : -EPERM,
		       "%s: %s; no sysctl forbids it, so perhaps a container's seccomp profile, or "
		       "a limit on nested namespaces, does",
		       step, strerror(-error));
}

/* ---- in the child ---- */

static int write_text(const char *path, const char *text)
{
	int fd __cleanup_close = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
}

/* We become root in there; that is what the kernel lets anyone map. */
static int map_ids(uid_t uid, gid_t gid, struct err *e)
{
	char map[32];
	int ret;

	ret = write_text("/proc/self/setgroups", "deny");
	if (!ret || ret == -ENOENT) {
		snprintf(map, sizeof(map), "0 %u 1\n", (unsigned int)uid);
		ret = write_text("/proc/self/uid_map", map);
	}
	if (!ret) {
		snprintf(map, sizeof(map), "0 %u 1\n", (unsigned int)gid);
		ret = write_text("/proc/self/gid_map", map);
	}
	return ret ? refused(ret, "user namespace: mapping our own id", e) : 0;
}

static int interface_up(int fd, struct ifreq *r)
{
	if (ioctl(fd, SIOCGIFFLAGS, r))
		return -errno;
	r->ifr_flags |= IFF_UP | IFF_RUNNING;
	return ioctl(fd, SIOCSIFFLAGS, r) ? -errno : 0;
}

static int loopback_up(struct err *e)
{
	int fd __cleanup_close = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r = {.ifr_name = "lo"};
	struct sockaddr_in *a = (struct sockaddr_in *)&r.ifr_addr;
	int ret;

	if (fd < 0)
		return err_errno(e, -errno, "network namespace: socket");
	ret = interface_up(fd, &r);
	/* a label of its own, so that 127.0.0.1 stays */
	strcpy(r.ifr_name, "lo:1");
	*a = (struct sockaddr_in){.sin_family = AF_INET};
	inet_pton(AF_INET, NETNS_ADDRESS, &a->sin_addr);
	if (!ret && ioctl(fd, SIOCSIFADDR, &r))
		ret = -errno;
	a->sin_addr.s_addr = INADDR_BROADCAST; /* a mask of 32 bits */
	if (!ret && ioctl(fd, SIOCSIFNETMASK, &r))
		ret = -errno;
	return ret ? err_errno(e, ret, "network namespace: its loopback device") : 0;
}

/* What to run in there, and as whom. */
struct job {
	int (*fn)(void *arg, struct err *e);
	void *arg;
	bool mapped; /* in a user namespace, whose root is: */
	uid_t uid;
	gid_t gid;
};

static int enter(const struct job *j, struct err *e)
{
	int ret = j->mapped ? map_ids(j->uid, j->gid, e) : 0;

	if (ret)
		return ret;
	/* only now: a change of credentials takes it away */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* what is mounted from here on is seen by nobody else */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return refused(-errno, "mount namespace", e);
	/* programs look for themselves in /proc.  A container that hides parts of its own
	 * refuses a new one, and the old one still serves what daemons and QEMU ask for. */
	(void)!mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	return loopback_up(e);
}

struct answer {
	int ret;
	struct err e;
};

static void __attribute__((noreturn)) child(const struct job *j, int pipe_fd)
{
	struct answer a = {.e.msg = ""};

	a.ret = enter(j, &a.e);
	if (!a.ret)
		a.ret = j->fn(j->arg, &a.e);
	fflush(NULL);
	fd_write_all(pipe_fd, &a, sizeof(a));
	/* the kernel kills what is left in the namespace */
	_exit(0);
}

/* ---- in the parent ---- */

/* Waits for the child's end, handing signals on. */
static void wait_for(pid_t pid, int pidfd)
{
	int sig, timeout = -1;
	struct pollfd p[2];
	bool told = false;
	int n;

	for (;;) {
		p[0] = (struct pollfd){.fd = pidfd, .events = POLLIN};
		p[1] = (struct pollfd){.fd = told ? -1 : interrupt_fd(), .events = POLLIN};
		n = poll(p, 2, timeout);
		sig = interrupt_signal();
		if (sig && !told) {
			kill(pid, sig);
			told = true;
			timeout = END_GRACE_MS;
		} else if (!n && told) {
			kill(pid, SIGKILL);
		}
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return;
	}
}

static int run(const struct job *j, struct err *e)
{
	const long flags = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | SIGCHLD;
	struct answer a;
	int fds[2], pidfd;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return err_errno(e, -errno, "pipe");
	fflush(NULL);
	/* as fork(): without a stack of its own the child goes on with a copy of ours */
	pid = (pid_t)syscall(SYS_clone, flags | (j->mapped ? CLONE_NEWUSER : 0), NULL, NULL, NULL,
			     NULL);
	if (!pid) {
		close(fds[0]);
		child(j, fds[1]);
	}
	n = errno;
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return refused(-(int)n,
			       j->mapped ? "user, network, mount and PID namespaces"
					 : "network, mount and PID namespaces",
			       e);
	}
	pidfd = pidfd_open(pid, 0);
	wait_for(pid, pidfd);
	cleanup_close(&pidfd);
	n = fd_read_full(fds[0], &a, sizeof(a));
	close(fds[0]);
	if (n != sizeof(a) && interrupt_signal())
		return err_set(e, -EINTR, "interrupted");
	if (n != sizeof(a))
		return err_set(e, -EIO, "what runs in the namespaces was killed");
	*e = a.e;
	return a.ret;
}

int netns_run(int (*fn)(void *arg, struct err *e), void *arg, struct err *e)
{
	const struct job j = {
		.fn = fn,
		.arg = arg,
		.mapped = true,
		.uid = geteuid(),
		.gid = getegid(),
	};

	return run(&j, e);
}

int netns_run_as_root(int (*fn)(void *arg, struct err *e), void *arg, struct err *e)
{
	const struct job j = {.fn = fn, .arg = arg};

	return run(&j, e);
}
