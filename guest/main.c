// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of the guest.  It opens the port, says that the kernel boots, leaves
 * the experiment to a child and tells the host how that ended: a crash of the
 * child is reported, where a crash of PID 1 would only be a kernel panic.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "guest/agent.h"
#include "guest/handover.h"
#include "guest/sys.h"

/* How long the host may take to answer the last frame. */
#define ANSWER_MS 5000
/* What the worker exits with once its error has been sent. */
#define EXIT_REPORTED 3

static int mount_api(const char *type, const char *dir)
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		return -errno;
	if (mount(type, dir, type, 0, NULL) && errno != EBUSY)
		return -errno;
	return 0;
}

/*
 * An initramfs without /dev/console starts PID 1 with no open files.  Then the
 * port would become one of the standard ones, and a library's warning on
 * stderr a piece of a frame.
 */
static void open_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/console", O_RDWR | O_NOCTTY);
		if (fd < 0)
			fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

static void send_error(struct port *port, const char *step, const char *reason, int error)
{
	struct err ignored;

	console_print("%s: %s", step, reason);
	agent_send_json(port, FRAME_ERROR,
			json_pack("{s:s, s:s, s:i}", "step", step, "reason", reason, "errno",
				  error < 0 ? -error : error),
			&ignored);
}

static void __attribute__((noreturn)) power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	/* without ACPI there is no power off; the host sees a halt as the end too */
	reboot(RB_HALT_SYSTEM);
	for (;;)
		pause();
}

static int worker(struct port *port)
{
	struct agent a = {.port = port, .step = "start"};
	struct err e = {.msg = ""};
	int ret;

	ret = agent_run(&a, &e);
	if (ret)
		send_error(port, a.step, e.msg, ret);
	if (a.root_runs) {
		/* PID 1 is another's by now, and the disk a snapshot: nothing to shut down */
		if (!ret)
			port_send(port, FRAME_DONE, 0, NULL, 0);
		port_drain(port, ANSWER_MS);
		power_off();
	}
	return ret ? EXIT_REPORTED : 0;
}

/* Only if that fails does it come back: the worker is then of no more use. */
static void become_init(struct port *port, pid_t worker)
{
	struct err e;
	int ret = handover_exec(&e);

	kill(worker, SIGKILL);
	waitpid(worker, NULL, 0);
	port_repair(port);
	send_error(port, "start the root file system's init", e.msg, ret);
}

static void supervise(struct port *port)
{
	char reason[128];
	sigset_t old;
	pid_t pid;
	int status = 0, ret;

	handover_prepare(&old);
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		_exit(worker(port));
	}
	ret = pid < 0 ? -errno : handover_wait(pid, &status);
	if (ret > 0) {
		become_init(port, pid);
		return;
	}
	port_repair(port);
	if (ret) {
		send_error(port, "agent", "the worker cannot be started or waited for", ret);
	} else if (WIFSIGNALED(status)) {
		snprintf(reason, sizeof(reason), "agent crashed: signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
		send_error(port, "agent", reason, 0);
	} else if (!WEXITSTATUS(status)) {
		port_send(port, FRAME_DONE, 0, NULL, 0);
		console_print("done");
	} else if (WEXITSTATUS(status) != EXIT_REPORTED) {
		snprintf(reason, sizeof(reason), "agent crashed: exit status %d",
			 WEXITSTATUS(status));
		send_error(port, "agent", reason, 0);
	}
}

int main(void)
{
	static const struct {
		const char *type, *dir;
	} api[] = {{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"}};
	struct port port;
	unsigned int i;
	struct err e;
	int ret;

	/* as an ordinary program it would power off its user's machine */
	if (getpid() != 1) {
		fprintf(stderr, "agent: runs as PID 1 of a blkproof guest only\n");
		return 2;
	}
	for (i = 0; i < ARRAY_SIZE(api); i++) {
		ret = mount_api(api[i].type, api[i].dir);
		if (ret)
			console_print("mounting %s: %s", api[i].dir, strerror(-ret));
	}
	open_standard_files();
	ret = port_open(&port, &e);
	if (ret) {
		console_print("open the port: %s", e.msg);
		power_off();
	}
	port_send(&port, FRAME_ALIVE, 0, NULL, 0);
	console_print("agent is up");
	supervise(&port);
	port_drain(&port, ANSWER_MS);
	power_off();
}
