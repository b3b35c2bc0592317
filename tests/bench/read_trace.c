// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a trace as fast as the readers can and says how fast that was:
 * read_trace FILE prints events, seconds, events a second, seconds of CPU, and
 * peak memory in KiB.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "verify/input/input.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double cpu_seconds(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	struct event ev;
	struct trace *t;
	struct err e;
	double begin = now(), seconds;
	u64 events = 0;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: read_trace FILE\n");
		return 2;
	}
	ret = trace_open(&t, argv[1], 0, &e);
	if (!ret) {
		while ((ret = trace_next(t, &ev, &e)) == 1)
			events++;
		trace_close(t);
	}
	if (ret) {
		fprintf(stderr, "%s\n", e.msg);
		return 2;
	}
	seconds = now() - begin;
	getrusage(RUSAGE_SELF, &usage);
	printf("%" PRIu64 " events, %.3f s, %.0f events/s, %.3f s CPU, %ld KiB\n", events, seconds,
	       (double)events / seconds, cpu_seconds(&usage), usage.ru_maxrss);
	return 0;
}
