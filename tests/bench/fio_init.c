// SPDX-License-Identifier: GPL-2.0-only
/*
 * /init of a guest that replays /iolog by fio, for the bench: first as fast as
 * possible, then at recorded times, then from blktrace at recorded times, on a
 * device whose queue is set, and with the events traced, as by the block replay.
 * What the device was asked for, and when, QEMU's log tells.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/contract.h"

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	if (fd >= 0)
		close(fd);
}

static int fio(const char *log, const char *no_stall)
{
	char stall[64], read[64];
	int status = -1;
	pid_t pid;

	snprintf(read, sizeof(read), "--read_iolog=%s", log);
	snprintf(stall, sizeof(stall), "--replay_no_stall=%s", no_stall);
	pid = fork();
	if (!pid) {
		execl(PROGRAM_DIR "/fio", "fio", "--name=replay", read, "--direct=1",
		      "--ioengine=io_uring", "--iodepth=252", "--thread", "--output-format=terse",
		      stall, "--replay_redirect=/dev/vda", (char *)NULL);
		perror(PROGRAM_DIR "/fio");
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		perror("fio");
	return status;
}

int main(void)
{
	int fd = open("/dev/console", O_RDWR);

	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	setenv("LD_LIBRARY_PATH", PROGRAM_DIR "/lib", 1);
	mkdir("/tmp", 0777);
	mkdir("/dev", 0755);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mkdir("/dev/shm", 0777);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	/* what the block replay's guest traces, so that neither has it easier */
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	put("/sys/kernel/tracing/trace_clock", "mono");
	put("/sys/kernel/tracing/buffer_size_kb", "32768");
	put("/sys/kernel/tracing/events/block/block_bio_queue/enable", "1");
	put("/sys/kernel/tracing/events/block/block_rq_issue/enable", "1");
	put("/sys/kernel/tracing/events/block/block_rq_complete/enable", "1");
	put("/sys/block/vda/queue/scheduler", "none");
	put("/sys/block/vda/queue/nomerges", "2");
	printf("fio fast: status %d\n", fio("/iolog", "1"));
	printf("fio recorded: status %d\n", fio("/iolog", "0"));
	printf("fio recorded, blktrace: status %d\n", fio("/trace.blktrace.0", "0"));
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
