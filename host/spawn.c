// SPDX-License-Identifier: GPL-2.0-only
#include "host/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/fileio.h"

static volatile sig_atomic_t caught;
static int wake[2] = {-1, -1};

static void on_signal(int sig)
{
	int saved = errno;

	caught = sig;
	if (write(wake[1], "", 1) < 0) {
		/* the pipe is full: it polls as readable already */
	}
	errno = saved;
}

void interrupt_setup(void)
{
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal}, old;
	size_t i;

	if (wake[0] < 0 && pipe2(wake, O_CLOEXEC | O_NONBLOCK))
		wake[0] = wake[1] = -1;
	for (i = 0; i < ARRAY_SIZE(sigs); i++) {
		/* nohup(1) has a reason */
		if (sigs[i] == SIGHUP && !sigaction(SIGHUP, NULL, &old) &&
		    old.sa_handler == SIG_IGN)
			continue;
		sigaction(sigs[i], &sa, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
}

int interrupt_signal(void)
{
	return caught;
}

int interrupt_fd(void)
{
	return wake[0];
}

/* ---- start ---- */

static void child_env(const struct spawn_options *opt)
{
	static const char *const keep[] = {"PATH", "HOME", "TMPDIR"};
	char *saved[ARRAY_SIZE(keep)];
	size_t i;

	if (opt->clean_env) {
		for (i = 0; i < ARRAY_SIZE(keep); i++) {
			const char *v = getenv(keep[i]);

			saved[i] = v ? xstrdup(v) : NULL;
		}
		clearenv();
		for (i = 0; i < ARRAY_SIZE(keep); i++)
			if (saved[i])
				setenv(keep[i], saved[i], 1);
		setenv("LC_ALL", "C", 1);
	}
	for (i = 0; opt->env && opt->env[i]; i++)
		putenv((char *)opt->env[i]);
}

/* In the child, between fork and exec.  Returns a negative errno only if it fails. */
static int become(const char *const argv[], const struct spawn_options *opt, pid_t parent)
{
	const char *in_path = opt->stdin_path ? opt->stdin_path : "/dev/null";
	sigset_t none;
	int in, out;
	size_t i;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	for (i = 1; i < NSIG; i++)
		signal((int)i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);

	in = open(in_path, O_RDONLY);
	if (in < 0)
		return -errno;
	out = opt->out_fd > 0 ? opt->out_fd : open("/dev/null", O_WRONLY);
	if (out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		return -errno;
	if (in > 2)
		close(in);
	for (i = 0; i < opt->n_keep_fds; i++)
		fcntl(opt->keep_fds[i], F_SETFD, 0);
	if (opt->cwd && chdir(opt->cwd))
		return -errno;
	child_env(opt);
	execvp(argv[0], (char *const *)argv);
	return -errno;
}

int child_start(struct child *c, const char *const argv[], const struct spawn_options *opt,
		struct err *e)
{
	static const struct spawn_options none;
	pid_t parent = getpid();
	int report[2], failed = 0;
	ssize_t n;

	memset(c, 0, sizeof(*c));
	c->pidfd = -1;
	/* a write after a successful exec is impossible: the descriptor is closed by it */
	if (pipe2(report, O_CLOEXEC))
		return err_errno(e, -errno, "%s: cannot start", argv[0]);
	fflush(NULL);
	c->pid = fork();
	if (c->pid < 0) {
		failed = -errno;
		c->pid = 0;
		close(report[0]);
		close(report[1]);
		return err_errno(e, failed, "%s: cannot start", argv[0]);
	}
	if (!c->pid) {
		failed = become(argv, opt ? opt : &none, parent);
		fd_write_all(report[1], &failed, sizeof(failed));
		_exit(127);
	}
	setpgid(c->pid, c->pid); /* whoever of the two comes first */
	close(report[1]);
	n = fd_read_full(report[0], &failed, sizeof(failed));
	close(report[0]);
	if (n == sizeof(failed)) {
		waitpid(c->pid, NULL, 0);
		c->pid = 0;
		/* a number that no file of ours can fail with */
		if (failed == -ENOENT)
			return err_set(e, -ENOPKG,
				       "%s: not found; `make deps` installs what is needed",
				       argv[0]);
		return err_errno(e, failed, "%s: cannot start", argv[0]);
	}
	c->pidfd = pidfd_open(c->pid, 0);
	if (c->pidfd < 0) {
		failed = -errno;
		child_end(c, 0);
		return err_errno(e, failed, "%s: pidfd_open", argv[0]);
	}
	fcntl(c->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;
}

/* ---- end ---- */

static void reaped(struct child *c, int status)
{
	c->status = status;
	c->pid = 0;
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
}

bool child_ended(struct child *c)
{
	int status;

	if (!c->pid)
		return true;
	if (waitpid(c->pid, &status, WNOHANG) != c->pid)
		return false;
	reaped(c, status);
	return true;
}

static u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000 + (u64)ts.tv_nsec / 1000000;
}

int child_wait(struct child *c, int timeout_ms)
{
	u64 end = now_ms() + (timeout_ms > 0 ? (u64)timeout_ms : 0);
	struct pollfd p[2];

	while (!child_ended(c)) {
		u64 now = now_ms();

		if (interrupt_signal())
			return -EINTR;
		if (timeout_ms >= 0 && now >= end)
			return -ETIMEDOUT;
		p[0] = (struct pollfd){.fd = c->pidfd, .events = POLLIN};
		p[1] = (struct pollfd){.fd = interrupt_fd(), .events = POLLIN};
		poll(p, 2, timeout_ms < 0 ? -1 : (int)(end - now));
	}
	return 0;
}

bool child_end(struct child *c, int grace_ms)
{
	pid_t group = c->pid;
	bool clean = false;
	int status;
	u64 end;

	if (!group)
		return true;
	kill(-group, SIGTERM);
	for (end = now_ms() + (u64)grace_ms; !clean && now_ms() < end;) {
		struct pollfd p = {.fd = c->pidfd, .events = POLLIN};

		poll(&p, 1, c->pidfd >= 0 ? 50 : 1);
		clean = child_ended(c);
	}
	/* the leader may be gone and others of its group not */
	kill(-group, SIGKILL);
	if (!clean && waitpid(group, &status, 0) == group)
		reaped(c, status);
	return clean;
}

char *status_text(int status, char *buf)
{
	const char *name;

	if (WIFSIGNALED(status)) {
		name = sigabbrev_np(WTERMSIG(status));
		if (name)
			snprintf(buf, STATUS_TEXT_MAX, "killed by SIG%s", name);
		else
			snprintf(buf, STATUS_TEXT_MAX, "killed by signal %d", WTERMSIG(status));
	} else {
		snprintf(buf, STATUS_TEXT_MAX, "exit status %d", WEXITSTATUS(status));
	}
	return buf;
}
