/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of procfs and sysfs, time, and lines on the console. */
#ifndef BP_GUEST_SYS_H
#define BP_GUEST_SYS_H

#include "lib/err.h"

/*
 * Reads the file named by @fmt into @buf, at most @size - 1 bytes, without
 * allocating (it is used while page faults are counted).  Returns the length
 * or -errno; -EFBIG if the file is longer.
 */
ssize_t sys_read(char *buf, size_t size, const char *fmt, ...) __printf_like(3, 4);

/* The first line of a file, without its newline; 0 or -errno. */
int sys_read_line(char *buf, size_t size, const char *fmt, ...) __printf_like(3, 4);

/* A file that holds one decimal number; 0 or -errno. */
int sys_read_number(u64 *value, const char *fmt, ...) __printf_like(2, 3);

/* Writes @text to a file that exists; 0 or -errno. */
int sys_write(const char *path, const char *text) __must_check;

/* CLOCK_MONOTONIC in ns: the trace clock "mono". */
u64 sys_now_ns(void);

void sys_sleep_ms(unsigned int ms);

/* One line on the console, "blkproof: " before it. */
void console_print(const char *fmt, ...) __printf_like(1, 2);

#endif
