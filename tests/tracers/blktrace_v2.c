// SPDX-License-Identifier: GPL-2.0-only
/*
 * blktrace_v2 DEVICE BASE: records like blktrace until SIGINT, but asks the kernel
 * for records of version 8 (struct blk_io_trace2), which no released blktrace does.
 * Writes BASE.blktrace.0, .1, ... from the relay files, like blktrace.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/types.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CPUS_MAX 64

/* include/uapi/linux/blktrace_api.h since 7.0; libc's headers are older */
struct setup2 {
	char name[64];
	__u64 act_mask;
	__u32 buf_size, buf_nr;
	__u64 start_lba, end_lba;
	__u32 pid, flags;
	__u64 reserved[11];
};
#define SETUP2 _IOWR(0x12, 142, struct setup2)
#define START _IO(0x12, 116)
#define STOP _IO(0x12, 117)
#define TEARDOWN _IO(0x12, 118)

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig;
}

/* What is there now of each CPU's relay file. */
static int copy(const int *in, const int *out, int n)
{
	static char buf[1 << 16];
	ssize_t got;

	for (int i = 0; i < n; i++)
		while ((got = read(in[i], buf, sizeof(buf))) > 0)
			if (write(out[i], buf, (size_t)got) != got)
				return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct setup2 setup = { .act_mask = 0xffff, .buf_size = 1 << 19, .buf_nr = 4 };
	struct sigaction sa = { .sa_handler = on_signal };
	int in[CPUS_MAX], out[CPUS_MAX], n = 0, dev;
	char path[256];

	if (argc != 3)
		return 2;
	dev = open(argv[1], O_RDONLY | O_NONBLOCK);
	if (dev < 0 || ioctl(dev, SETUP2, &setup)) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (; n < CPUS_MAX; n++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/block/%.64s/trace%d", setup.name, n);
		in[n] = open(path, O_RDONLY | O_NONBLOCK);
		if (in[n] < 0)
			break;
		snprintf(path, sizeof(path), "%s.blktrace.%d", argv[2], n);
		out[n] = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	}
	sigaction(SIGINT, &sa, NULL);
	if (ioctl(dev, START))
		return 1;
	while (!stop && !copy(in, out, n))
		usleep(100000);
	if (ioctl(dev, STOP) || copy(in, out, n) || ioctl(dev, TEARDOWN))
		return 1;
	return 0;
}
