// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "host/netns.h"
#include "host/spawn.h"

#define PORT 6789

struct place {
	int fd; /* what the child wants to say */
};

/* What it looks like in there. */
static int look(void *arg, struct err *e)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	struct place *p = arg;

	dprintf(p->fd, "pid %d uid %u", (int)getpid(), (unsigned int)geteuid());
	inet_pton(AF_INET, NETNS_ADDRESS, &a.sin_addr);
	if (bind(server, (void *)&a, sizeof(a)) || listen(server, 1) ||
	    connect(client, (void *)&a, sizeof(a)))
		return err_errno(e, -errno, NETNS_ADDRESS);
	err_set(e, 0, "a line of its own");
	return 42;
}

static int run(int (*fn)(void *, struct err *), struct place *p, struct err *e)
{
	int ret = netns_run(fn, p, e);

	if (ret == -EPERM) {
		print_message("skipped: %s\n", e->msg);
		skip();
	}
	return ret;
}

static void test_place(void **state __unused_arg)
{
	struct err e = {""};
	struct place p;
	char text[64];
	int fds[2], i;
	ssize_t n;

	/* twice: neither the address nor the port is the machine's */
	for (i = 0; i < 2; i++) {
		assert_int_equal(pipe(fds), 0);
		p.fd = fds[1];
		assert_int_equal(run(look, &p, &e), 42);
		assert_string_equal(e.msg, "a line of its own");
		n = read(fds[0], text, sizeof(text) - 1);
		assert_true(n > 0);
		text[n] = '\0';
		assert_string_equal(text, "pid 1 uid 0");
		close(fds[0]);
		close(fds[1]);
	}
}

/* The machine's own root needs no user namespace; the rest is the same. */
static void test_place_as_root(void **state __unused_arg)
{
	struct err e = {""};
	struct place p;
	char text[64];
	int fds[2], ret;
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	p.fd = fds[1];
	ret = netns_run_as_root(look, &p, &e);
	if (geteuid() || ret == -EPERM) {
		assert_int_equal(ret, -EPERM);
		assert_non_null(strstr(e.msg, "network, mount and PID namespaces: "));
		close(fds[0]);
		close(fds[1]);
		return;
	}
	assert_int_equal(ret, 42);
	n = read(fds[0], text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, "pid 1 uid 0");
	close(fds[0]);
	close(fds[1]);
}

/* A daemon that does not want to end, and that holds a pipe of ours open. */
static void daemon_of(int fd)
{
	if (fork())
		return;
	setsid();
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	dprintf(fd, "x");
	for (;;)
		pause();
}

static int leave_behind(void *arg, struct err *e __unused_arg)
{
	daemon_of(((struct place *)arg)->fd);
	return 0;
}

static int killed(void *arg, struct err *e __unused_arg)
{
	daemon_of(((struct place *)arg)->fd);
	/* PID 1 ends by no signal that it sends itself, but by one that the CPU causes */
	signal(SIGILL, SIG_DFL);
	__builtin_trap();
}

/* Does the pipe end, so that nobody holds its other end any more? */
static void assert_ends(int fds[2])
{
	char c;

	close(fds[1]);
	while (read(fds[0], &c, 1) == 1)
		;
	close(fds[0]);
}

static void test_nothing_stays(void **state __unused_arg)
{
	struct err e = {""};
	struct place p;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	p.fd = fds[1];
	assert_int_equal(run(leave_behind, &p, &e), 0);
	assert_ends(fds);
	assert_int_equal(pipe(fds), 0);
	p.fd = fds[1];
	assert_int_equal(run(killed, &p, &e), -EIO);
	assert_string_equal(e.msg, "what runs in the namespaces was killed");
	assert_ends(fds);
}

static int wait_for_signal(void *arg, struct err *e)
{
	struct place *p = arg;

	daemon_of(p->fd);
	while (!interrupt_signal())
		usleep(1000);
	return err_set(e, 7, "signal %d", interrupt_signal());
}

/* A whole program, as main() would be; SIGKILL leaves it no time to clean up. */
static void test_signals(void **state __unused_arg)
{
	static const int sigs[] = {SIGINT, SIGTERM, SIGKILL};
	int fds[2], status;
	struct place p;
	struct err e;
	size_t i;
	pid_t pid;
	char c;

	for (i = 0; i < ARRAY_SIZE(sigs); i++) {
		assert_int_equal(pipe(fds), 0);
		fflush(NULL);
		pid = fork();
		if (!pid) {
			close(fds[0]);
			p.fd = fds[1];
			interrupt_setup();
			status = netns_run(wait_for_signal, &p, &e);
			if (status == -EPERM)
				dprintf(fds[1], "-");
			_exit(status == 7 ? 7 : 1);
		}
		close(fds[1]);
		assert_int_equal(read(fds[0], &c, 1), 1);
		if (c == '-')
			skip();
		kill(pid, sigs[i]);
		waitpid(pid, &status, 0);
		if (sigs[i] == SIGKILL)
			assert_true(WIFSIGNALED(status));
		else
			assert_int_equal(WEXITSTATUS(status), 7);
		while (read(fds[0], &c, 1) == 1)
			;
		close(fds[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_place_as_root),
		cmocka_unit_test(test_nothing_stays),
		cmocka_unit_test(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
