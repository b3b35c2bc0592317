/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that the host starts: make, apt-get, patch, QEMU.
 *
 * Every one gets a process group of its own, so that ending it ends all that
 * it started, and so that Ctrl-C reaches us alone: we then end what we started
 * in our own order.  A program dies with us (SIGTERM) even if we are killed.
 */
#ifndef BP_SPAWN_H
#define BP_SPAWN_H

#include <sys/types.h>

#include "lib/err.h"

/* ---- interrupts ---- */

/*
 * Makes SIGINT, SIGTERM and SIGHUP set a flag instead of ending the program,
 * and ignores SIGPIPE.  Call it once, from main(), before any other thread.
 */
void interrupt_setup(void);

/* The signal that arrived since interrupt_setup(), or 0. */
int interrupt_signal(void);

/* A descriptor that polls as readable once a signal has arrived, or -1 before
 * interrupt_setup().  Don't read from it: every poll loop must see it. */
int interrupt_fd(void);

/* ---- a child that runs beside us ---- */

struct spawn_options {
	const char *cwd;	/* NULL: ours */
	const char *const *env; /* "NAME=value" to set, NULL-terminated; NULL: none */
	bool clean_env;		/* start from PATH, HOME, TMPDIR and LC_ALL=C only */
	const char *stdin_path; /* NULL: /dev/null */
	int out_fd;		/* child's stdout and stderr; 0: /dev/null */
	const int *keep_fds;	/* descriptors that stay open in the child under their number */
	size_t n_keep_fds;
};

struct child {
	pid_t pid;  /* 0: not running */
	int pidfd;  /* polls as readable when it has ended */
	int status; /* as from waitpid(), once it has ended */
};

/*
 * Starts @argv (NULL-terminated, argv[0] looked up in PATH).  Returns 0, or a
 * negative errno with a line that names the program (-ENOPKG: not installed).
 * The caller ends it with child_wait() or child_end(), which free @c's
 * descriptor.
 */
int child_start(struct child *c, const char *const argv[], const struct spawn_options *opt,
		struct err *e) __must_check;

/* Has it ended?  Does not wait; fills in c->status and reaps it if so. */
bool child_ended(struct child *c);

/*
 * Waits at most @timeout_ms (-1: for ever) for the end.  Returns 0 with
 * c->status, -ETIMEDOUT, or -EINTR if a signal arrived first; in the last two
 * cases it still runs.
 */
int child_wait(struct child *c, int timeout_ms) __must_check;

/*
 * Ends it and its whole process group: SIGTERM, then SIGKILL after @grace_ms.
 * Reaps it.  Returns true if it ended before SIGKILL was needed.  Safe on a
 * child that has ended or never started.
 */
bool child_end(struct child *c, int grace_ms);

/* "exit status 2", "killed by SIGKILL" for a waitpid() status; returns @buf. */
#define STATUS_TEXT_MAX 64
char *status_text(int status, char *buf);

/* ---- a child that we wait for ---- */

struct run {
	const char *const *argv;
	struct spawn_options opt; /* out_fd is ours to set */
	const char *log_path;	  /* all output also goes here, appended; NULL: nowhere */
	bool echo;		  /* all output also goes to our stderr */
	/* called with each line of stdout and stderr, without its newline; may be NULL.
	 * A line longer than 64 KiB arrives in pieces. */
	void (*line)(void *ctx, char *line);
	/* called about four times a second; may be NULL */
	void (*tick)(void *ctx);
	void *ctx;
	int timeout_s; /* 0: none */
	int grace_ms;  /* from SIGTERM to SIGKILL; 0: 5000 */
	bool killed;   /* out: SIGKILL was needed, so its files may be half written */
};

/*
 * Runs it to its end.  Returns the waitpid() status (0 for success), or a
 * negative errno with a line: it could not be started, -EINTR (a signal
 * arrived; the whole group is gone), -ETIMEDOUT.  What it leaves behind in its
 * group with our pipe open is killed.
 */
int run_program(struct run *r, struct err *e) __must_check;

/*
 * run_program() for a program whose short output is wanted as one string
 * (stdout and stderr), at most 16 MiB, that the caller frees.  Clean environment.
 * Returns 0 on exit status 0, else -EIO (or as above) with a line that quotes
 * the last line of output.  *@out may be set on failure, too.
 */
int run_output(const char *const argv[], const char *cwd, char **out, struct err *e) __must_check;

#endif
