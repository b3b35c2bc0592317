// SPDX-License-Identifier: GPL-2.0-only
/*
 * /init of a guest that replays /iolog by fio, for the bench: first as fast as
 * possible, then at recorded times, on a device whose queue is set as the block
 * replay sets it.  What the device was asked for, and when, QEMU's log tells.
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

static int fio(const char *no_stall)
{
	char stall[64];
	int status = -1;
	pid_t pid;

	snprintf(stall, sizeof(stall), "--replay_no_stall=%s", no_stall);
	pid = fork();
	if (!pid) {
		execl(PROGRAM_DIR "/fio", "fio", "--name=replay", "--read_iolog=/iolog",
		      "--direct=1", "--ioengine=io_uring", "--iodepth=252", "--thread",
		      "--output-format=terse", stall, (char *)NULL);
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
	put("/sys/block/vda/queue/scheduler", "none");
	put("/sys/block/vda/queue/nomerges", "2");
	printf("fio fast: status %d\n", fio("1"));
	printf("fio recorded: status %d\n", fio("0"));
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
