// SPDX-License-Identifier: GPL-2.0-only
#include "guest/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "lib/fileio.h"
#include "lib/size.h"

static ssize_t read_path(char *buf, size_t size, const char *path)
{
	int fd __cleanup_close = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = fd_read_full(fd, buf, size);
	if (n < 0)
		return n;
	if ((size_t)n == size)
		return -EFBIG;
	buf[n] = '\0';
	return n;
}

static ssize_t __attribute__((format(printf, 3, 0)))
read_va(char *buf, size_t size, const char *fmt, va_list ap)
{
	char path[512];

	if ((size_t)vsnprintf(path, sizeof(path), fmt, ap) >= sizeof(path))
		return -ENAMETOOLONG;
	return read_path(buf, size, path);
}

ssize_t sys_read(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	n = read_va(buf, size, fmt, ap);
	va_end(ap);
	return n;
}

int sys_read_line(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	n = read_va(buf, size, fmt, ap);
	va_end(ap);
	if (n < 0)
		return (int)n;
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int sys_read_number(u64 *value, const char *fmt, ...)
{
	struct err ignored;
	char line[64];
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	n = read_va(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0)
		return (int)n;
	line[strcspn(line, "\n")] = '\0';
	return number_parse(line, "value", 0, UINT64_MAX, value, &ignored);
}

int sys_write(const char *path, const char *text)
{
	int fd __cleanup_close = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return fd_write_all(fd, text, strlen(text));
}

u64 sys_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

void sys_sleep_ms(unsigned int ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

void console_print(const char *fmt, ...)
{
	char line[512] = "blkproof: ";
	size_t n = strlen(line);
	va_list ap;
	int fd __cleanup_close = open("/dev/console", O_WRONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	n = strlen(line);
	line[n++] = '\n';
	/* a console that can't be written to leaves nobody to tell */
	(void)fd_write_all(fd, line, n);
}
