// SPDX-License-Identifier: GPL-2.0-only
#include "guest/handover.h"

#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "lib/contract.h"

#define ASK_SIGNAL SIGUSR1
#define INIT "/sbin/init"

void handover_prepare(sigset_t *old)
{
	sigset_t set;

	/* blocked signals wait, also those that PID 1 would otherwise never see */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, ASK_SIGNAL);
	sigprocmask(SIG_BLOCK, &set, old);
}

int handover_wait(pid_t worker, int *status)
{
	sigset_t set;
	pid_t got;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, ASK_SIGNAL);
	for (;;) {
		/* one SIGCHLD may stand for several children */
		while ((got = waitpid(-1, status, WNOHANG)) > 0)
			if (got == worker)
				return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		sig = sigwaitinfo(&set, NULL);
		if (sig == ASK_SIGNAL)
			return 1;
		if (sig < 0 && errno != EINTR)
			return -errno;
	}
}

int handover_exec(struct err *e)
{
	char *const argv[] = {(char *)INIT, NULL};
	char *const envp[] = {(char *)"TERM=vt220", (char *)"HOME=/", NULL};
	sigset_t none;

	if (chdir(GUEST_ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		return err_errno(e, -errno, "making " GUEST_ROOT " the root");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(INIT, argv, envp);
	return err_errno(e, -errno, "executing " INIT " of the root file system");
}

int handover_ask(void)
{
	return kill(1, ASK_SIGNAL) ? -errno : 0;
}
