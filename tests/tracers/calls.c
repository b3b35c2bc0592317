// SPDX-License-Identifier: GPL-2.0-only
/* In a guest that is traced: reads of a file of 8 MiB, to the byte, and every kind of advice. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	char buf[8192];
	void *map;

	if (fd < 0) {
		perror("calls FILE");
		return 1;
	}
	if (read(fd, buf, 5000) != 5000 || read(fd, buf, 100) != 100 ||
	    pread(fd, buf, 7, 1000000) != 7)
		return 1;
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL) || readahead(fd, 2 << 20, 128 << 10))
		return 1;
	map = mmap(NULL, 8 << 20, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED || madvise((char *)map + (4 << 20), 64 << 10, MADV_WILLNEED))
		return 1;
	return posix_fadvise(fd, 4096, 8192, POSIX_FADV_DONTNEED) != 0;
}
