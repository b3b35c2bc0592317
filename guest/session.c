// SPDX-License-Identifier: GPL-2.0-only
/* An interactive session on a pseudo terminal of the root file system. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "guest/agent.h"
#include "guest/sys.h"

#define STEP_MS 100
#define SILENCE_MS 500	  /* a prompt, and then nothing */
#define COMMAND_MS 120000 /* for one line */

/*
 * What somebody types who logs in and looks around: the shell with its start
 * files, small programs, an editor, git and python with a few modules.  Each
 * line is typed when the prompt is there.
 */
static const char *const lines[] = {
	"ls -la /etc",
	"ps aux",
	"ip addr",
	"less -FX /etc/passwd",
	"vi -c q /etc/services",
	"git -C /root/repo status",
	"git -C /root/repo log",
	"python3 -c 'import json, re, asyncio, email, http.client, sqlite3, ssl'",
	"exit",
};

struct session {
	int terminal; /* our end */
	pid_t shell;
	char tail[64]; /* the last characters, without escape codes */
	size_t len;
	bool escape;
	unsigned int silent_ms;
	void (*tick)(void *ctx);
	void *ctx;
};

static void __attribute__((noreturn)) run_shell(int root, int terminal)
{
	char *const argv[] = {(char *)"-bash", NULL};
	char *const envp[] = {(char *)"HOME=/root",
			      (char *)"USER=root",
			      (char *)"SHELL=/bin/bash",
			      (char *)"TERM=linux",
			      (char *)"LANG=C.UTF-8",
			      (char *)"GIT_PAGER=cat",
			      (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
			      NULL};

	setsid();
	ioctl(terminal, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(terminal, fd);
	if (!fchdir(root) && !chroot(".") && !chdir("/root"))
		execve("/bin/bash", argv, envp);
	_exit(127);
}

/* The two ends of a new terminal of the devpts that the root file system has mounted. */
static int open_terminal(int root, int *ours, int *theirs, struct err *e)
{
	int unlock = 0;

	*ours = openat(root, "dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*ours < 0)
		return err_errno(e, -errno, "/dev/ptmx of the root file system");
	if (ioctl(*ours, TIOCSPTLCK, &unlock))
		return err_errno(e, -errno, "unlocking a terminal");
	*theirs = ioctl(*ours, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	return *theirs < 0 ? err_errno(e, -errno, "the other end of a terminal") : 0;
}

/* Keeps the end of what was printed; escape codes end with a letter. */
static void take(struct session *s, const char *text, ssize_t n)
{
	for (ssize_t i = 0; i < n; i++) {
		if (s->escape) {
			s->escape = !((text[i] >= 'A' && text[i] <= 'Z') ||
				      (text[i] >= 'a' && text[i] <= 'z'));
			continue;
		}
		s->escape = text[i] == '\033';
		if (text[i] < ' ')
			continue;
		if (s->len == sizeof(s->tail) - 1)
			memmove(s->tail, s->tail + 1, --s->len);
		s->tail[s->len++] = text[i];
	}
	s->tail[s->len] = '\0';
}

static bool at_prompt(const struct session *s)
{
	return s->len >= 2 && !strcmp(s->tail + s->len - 2, "# ") && s->silent_ms >= SILENCE_MS;
}

/* One look at the terminal; false once nobody has its other end any more. */
static bool look(struct session *s)
{
	struct pollfd p = {.fd = s->terminal, .events = POLLIN};
	char text[4096];
	ssize_t n;

	if (poll(&p, 1, STEP_MS) <= 0) {
		s->silent_ms += STEP_MS;
		return true;
	}
	n = read(s->terminal, text, sizeof(text));
	if (n <= 0)
		return n < 0 && errno == EINTR;
	take(s, text, n);
	s->silent_ms = 0;
	return true;
}

static int wait_for_prompt(struct session *s, const char *line, struct err *e)
{
	unsigned int ms;

	for (ms = 0; ms < COMMAND_MS; ms += STEP_MS) {
		if (!look(s))
			return err_set(e, -EPIPE, "the shell ended before '%s' was typed", line);
		if (at_prompt(s))
			return 0;
		s->tick(s->ctx);
	}
	return err_set(e, -ETIMEDOUT, "no prompt for '%s'; the terminal ends with '%s'", line,
		       s->tail);
}

static int type_lines(struct session *s, struct err *e)
{
	char text[256];
	int n, ret;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		ret = wait_for_prompt(s, lines[i], e);
		if (ret)
			return ret;
		n = snprintf(text, sizeof(text), "%s\n", lines[i]);
		s->len = 0;
		s->silent_ms = 0;
		if (write(s->terminal, text, (size_t)n) != n)
			return err_errno(e, errno ? -errno : -EIO, "typing '%s'", lines[i]);
	}
	while (look(s) && s->silent_ms < COMMAND_MS)
		s->tick(s->ctx);
	return 0;
}

int session_run(int root, void (*tick)(void *ctx), void *ctx, struct err *e)
{
	struct session s = {.terminal = -1, .tick = tick, .ctx = ctx};
	int theirs = -1, status = 0, ret;

	ret = open_terminal(root, &s.terminal, &theirs, e);
	if (!ret) {
		s.shell = fork();
		if (!s.shell)
			run_shell(root, theirs);
		if (s.shell < 0)
			ret = err_errno(e, -errno, "fork");
	}
	if (theirs >= 0)
		close(theirs);
	if (!ret) {
		ret = type_lines(&s, e);
		if (ret)
			kill(s.shell, SIGKILL);
		while (waitpid(s.shell, &status, 0) < 0 && errno == EINTR)
			;
		if (!ret && (!WIFEXITED(status) || WEXITSTATUS(status)))
			ret = err_set(e, -EIO, "the session's shell ended with wait status 0x%x",
				      (unsigned int)status);
	}
	if (s.terminal >= 0)
		close(s.terminal);
	return ret;
}
