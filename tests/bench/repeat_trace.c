// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a large trace.dat out of a captured one: repeat_trace IN TIMES OUT
 * writes the pages of IN, a trace.dat of version 6 without instances, TIMES
 * over, each round shifted in time so that it follows the one before.  The
 * time of a ring buffer page stands in its first 8 bytes; the records in it
 * are relative to that, so nothing else has to change.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/fileio.h"

#define PAGE 4096u
#define FLYRECORD "flyrecord" /* then, per CPU, offset and size of its pages: 8 bytes each */

struct cpu {
	u64 off, size;
};

static u64 get64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, 8);
	return v;
}

/* The table of CPUs, which ends where the first CPU's pages begin; returns their number. */
static u32 find_cpus(const u8 *d, size_t len, const u8 **table, struct cpu *cpu, u32 max)
{
	const u8 *at = memmem(d, len, FLYRECORD, sizeof(FLYRECORD));
	u32 n = 0;

	if (!at)
		return 0;
	*table = at + sizeof(FLYRECORD);
	for (const u8 *p = *table; n < max && range_ok((u64)(p - d), 16, len); p += 16) {
		struct cpu c = {get64(p), get64(p + 8)};

		if (c.off % PAGE || c.size % PAGE || !range_ok(c.off, c.size, len) || !c.off)
			break;
		cpu[n++] = c;
	}
	return n;
}

/* Time from the first page of all CPUs to the last one, and some to spare. */
static u64 time_span(const u8 *d, const struct cpu *cpu, u32 n)
{
	u64 first = UINT64_MAX, last = 0;

	for (u32 i = 0; i < n; i++)
		for (u64 at = 0; at < cpu[i].size; at += PAGE) {
			u64 ts = get64(d + cpu[i].off + at);

			first = MIN(first, ts);
			last = MAX(last, ts);
		}
	return last - first + NSEC_PER_SEC;
}

static int copy(const u8 *d, const u8 *table, const struct cpu *cpu, u32 n, u64 times, int out)
{
	u64 span = time_span(d, cpu, n), start = cpu[0].off, off;
	u8 page[PAGE];
	int ret;

	/* all that stands before the pages, with a table for the longer ones */
	ret = fd_write_all(out, d, (size_t)(table - d));
	off = start;
	for (u32 i = 0; i < n && !ret; i++) {
		u64 entry[2] = {off, cpu[i].size * times};

		off += entry[1];
		ret = fd_write_all(out, entry, sizeof(entry));
	}
	memset(page, 0, sizeof(page));
	if (!ret)
		ret = fd_write_all(out, page, start - (u64)(table - d) - 16 * (u64)n);
	for (u32 i = 0; i < n && !ret; i++)
		for (u64 t = 0; t < times && !ret; t++)
			for (u64 at = 0; at < cpu[i].size && !ret; at += PAGE) {
				u64 ts = get64(d + cpu[i].off + at) + t * span;

				memcpy(page, d + cpu[i].off + at, PAGE);
				memcpy(page, &ts, 8);
				ret = fd_write_all(out, page, PAGE);
			}
	return ret;
}

int main(int argc, char **argv)
{
	int in __cleanup_close = -1, out __cleanup_close = -1;
	struct cpu cpu[64];
	struct stat st;
	const u8 *table, *d;
	u32 n;
	int ret;

	if (argc != 4 || atoll(argv[2]) < 1) {
		fprintf(stderr, "usage: repeat_trace IN TIMES OUT\n");
		return 2;
	}
	in = open(argv[1], O_RDONLY);
	out = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (in < 0 || out < 0 || fstat(in, &st)) {
		perror("repeat_trace");
		return 2;
	}
	d = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, in, 0);
	n = d == MAP_FAILED ? 0 : find_cpus(d, (size_t)st.st_size, &table, cpu, 64);
	if (!n) {
		fprintf(stderr, "repeat_trace: %s: no trace.dat of version 6\n", argv[1]);
		return 2;
	}
	ret = copy(d, table, cpu, n, (u64)atoll(argv[2]), out);
	if (ret)
		fprintf(stderr, "repeat_trace: %s: %s\n", argv[3], strerror(-ret));
	return ret ? 2 : 0;
}
