// SPDX-License-Identifier: GPL-2.0-only
/* A child that we wait for, with its output line by line. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "host/spawn.h"
#include "lib/fileio.h"

#define LINE_MAX_BYTES (64u << 10)
#define OUTPUT_MAX (16u << 20)
#define TICK_MS 250

struct reader {
	struct run *r;
	int fd;
	int log;
	char *buf; /* LINE_MAX_BYTES + 1 */
	size_t have;
};

static void give_line(struct reader *rd, char *line)
{
	if (rd->r->line)
		rd->r->line(rd->r->ctx, line);
}

/* Hands out all whole lines, and at the end (or when full) the rest as well. */
static void give_lines(struct reader *rd, bool all)
{
	char *p = rd->buf, *end = rd->buf + rd->have, *nl;

	*end = '\0';
	while ((nl = memchr(p, '\n', (size_t)(end - p)))) {
		*nl = '\0';
		give_line(rd, p);
		p = nl + 1;
	}
	if (p < end && (all || (p == rd->buf && rd->have == LINE_MAX_BYTES))) {
		give_line(rd, p);
		p = end;
	}
	rd->have = (size_t)(end - p);
	memmove(rd->buf, p, rd->have);
}

/* Reads once.  Returns 1, 0 at the end of the output, or -EAGAIN. */
static int read_some(struct reader *rd)
{
	ssize_t n = read(rd->fd, rd->buf + rd->have, LINE_MAX_BYTES - rd->have);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : 0;
	if (rd->log >= 0)
		fd_write_all(rd->log, rd->buf + rd->have, (size_t)n);
	if (rd->r->echo)
		fd_write_all(STDERR_FILENO, rd->buf + rd->have, (size_t)n);
	rd->have += (size_t)n;
	give_lines(rd, n == 0);
	return n > 0;
}

static int read_until_end(struct run *r, struct reader *rd, struct child *c)
{
	time_t start = time(NULL);
	pid_t group = c->pid;
	int ret;

	for (;;) {
		struct pollfd p[2] = {{.fd = rd->fd, .events = POLLIN},
				      {.fd = interrupt_fd(), .events = POLLIN}};
		bool ended = child_ended(c);

		if (interrupt_signal())
			return -EINTR;
		if (r->timeout_s && time(NULL) - start >= r->timeout_s)
			return -ETIMEDOUT;
		if (!ended)
			poll(p, 2, TICK_MS);
		ret = read_some(rd);
		if (!ret)
			break;
		if (ret == -EAGAIN && ended) {
			/* something that it left behind holds the pipe open, maybe for ever */
			kill(-group, SIGKILL);
			break;
		}
		if (r->tick)
			r->tick(r->ctx);
	}
	give_lines(rd, true);
	while ((ret = child_wait(c, TICK_MS)) == -ETIMEDOUT)
		if (r->tick)
			r->tick(r->ctx);
	return ret;
}

int run_program(struct run *r, struct err *e)
{
	int fds[2], log __cleanup_close = -1, ret;
	struct reader rd = {.r = r};
	struct spawn_options opt = r->opt;
	struct child c;

	r->killed = false;
	if (r->log_path) {
		log = open(r->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (log < 0)
			return err_errno(e, -errno, "%s", r->log_path);
	}
	if (pipe2(fds, O_CLOEXEC))
		return err_errno(e, -errno, "%s: cannot start", r->argv[0]);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	opt.out_fd = fds[1];
	ret = child_start(&c, r->argv, &opt, e);
	close(fds[1]);
	if (ret) {
		close(fds[0]);
		return ret;
	}
	rd.fd = fds[0];
	rd.log = log;
	rd.buf = xmalloc(LINE_MAX_BYTES + 1);
	ret = read_until_end(r, &rd, &c);
	if (ret)
		r->killed = !child_end(&c, r->grace_ms ? r->grace_ms : 5000);
	close(fds[0]);
	free(rd.buf);
	if (ret == -EINTR)
		return err_set(e, ret, "interrupted");
	if (ret)
		return err_set(e, ret, "%s: did not end within %d s", r->argv[0], r->timeout_s);
	return c.status;
}

struct collect {
	char *text;
	size_t len, size;
	char last[256]; /* last line that is not empty */
};

static void collect_line(void *ctx, char *line)
{
	struct collect *o = ctx;
	size_t n = strlen(line);

	if (*line)
		snprintf(o->last, sizeof(o->last), "%s", line);
	if (o->len + n + 2 > OUTPUT_MAX)
		return;
	if (o->len + n + 2 > o->size) {
		o->size = 2 * (o->len + n + 2);
		o->text = xrealloc(o->text, o->size, 1);
	}
	memcpy(o->text + o->len, line, n);
	o->len += n;
	o->text[o->len++] = '\n';
	o->text[o->len] = '\0';
}

int run_output(const char *const argv[], const char *cwd, char **out, struct err *e)
{
	struct collect o = {.text = xstrdup("")};
	struct run r = {.argv = argv,
			.opt = {.cwd = cwd, .clean_env = true},
			.line = collect_line,
			.ctx = &o};
	char buf[STATUS_TEXT_MAX];
	int ret = run_program(&r, e);

	*out = o.text;
	if (ret > 0)
		return err_set(e, -EIO, "%s: %s%s%s", argv[0], status_text(ret, buf),
			       *o.last ? ": " : "", o.last);
	return ret;
}
