// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay_error PLAN LOG: how a device was asked for the requests of a plan, each
 * of which has a first sector of its own, first as fast as possible and then at
 * recorded times.  LOG is blktrace's, or QEMU's own request log.  Prints, for
 * whichever program replayed it: requests a second of the first, and of the
 * second the error of each request's time, from the median of its first 101.
 */
#include <string.h>

#include "host/reqlog.h"
#include "lib/block_plan.h"
#include "verify/input/input.h"

static u64 *at; /* by sector / 8: index of the plan's request + 1 */
static u64 n_plan, sectors;
static u64 *plan_ns;

static int load_plan(const char *path, struct err *e)
{
	struct block_cursor c = {0};
	struct block_plan p;
	struct plan_reader r;
	struct block_line l;
	int ret = plan_open(&r, path, false, e);

	if (!ret)
		ret = block_plan_header(&r, &p, e);
	if (ret)
		return ret;
	sectors = p.sectors;
	at = xcalloc(sectors, sizeof(*at));
	plan_ns = xcalloc(p.requests, sizeof(*plan_ns));
	while ((ret = block_plan_next(&r, &p, &c, &l, e)) == 1) {
		plan_ns[n_plan++] = l.ns;
		at[l.sector] = n_plan;
	}
	plan_close(&r);
	block_plan_free(&p);
	return ret;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const double *v, u64 n)
{
	double copy[101];

	memcpy(copy, v, n * sizeof(*v));
	qsort(copy, n, sizeof(*copy), by_value);
	return copy[n / 2];
}

static void report_fast(const u64 *ts)
{
	u64 begin = UINT64_MAX, end = 0, n = 0;

	for (u64 i = 0; i < n_plan; i++) {
		if (ts[i]) {
			begin = MIN(begin, ts[i]);
			end = MAX(end, ts[i]);
			n++;
		}
	}
	printf("fast: %llu of %llu requests, %.0f a second\n", (unsigned long long)n,
	       (unsigned long long)n_plan, n > 1 ? (double)n / ((double)(end - begin) / 1e9) : 0);
}

static void report_recorded(const u64 *ts)
{
	double *error = xcalloc(n_plan, sizeof(*error)), first, last;
	u64 n = 0;

	for (u64 i = 0; i < n_plan; i++)
		if (ts[i])
			error[n++] = ((double)ts[i] - (double)plan_ns[i]) / 1000;
	if (n >= 202) {
		first = median(error, 101);
		last = median(error + n - 101, 101) - first;
		for (u64 i = 0; i < n; i++) {
			error[i] -= first;
			error[i] = error[i] < 0 ? -error[i] : error[i];
		}
		qsort(error, n, sizeof(*error), by_value);
		printf("recorded: %llu of %llu requests, error median %.0f us, "
		       "99th percentile %.0f us, max %.0f us, final drift %.0f us\n",
		       (unsigned long long)n, (unsigned long long)n_plan, error[n / 2],
		       error[n - 1 - n / 100], error[n - 1], last);
	}
	free(error);
}

/* The first time that a request is seen is the fast replay's, the others are not. */
static int read_log(const char *path, struct err *e)
{
	u64 *seen[3];
	struct trace *t;
	struct event ev;
	int ret = trace_open(&t, path, 0, e);

	if (ret)
		return ret;
	for (int k = 0; k < 3; k++)
		seen[k] = xcalloc(n_plan, sizeof(u64));
	while ((ret = trace_next(t, &ev, e)) == 1) {
		u64 i;

		if (ev.type != EV_RQ_QUEUE || ev.sector >= sectors || !at[ev.sector])
			continue;
		i = at[ev.sector] - 1;
		for (int k = 0; k < 3; k++)
			if (!seen[k][i]) {
				seen[k][i] = ev.ts + 1;
				break;
			}
	}
	trace_close(t);
	report_fast(seen[0]);
	report_recorded(seen[1]);
	report_recorded(seen[2]);
	return ret;
}

int main(int argc, char **argv)
{
	struct reqlog l = {.n = 0};
	struct err e = {.msg = ""};
	char *made = NULL;
	int ret;

	if (argc != 3) {
		fprintf(stderr, "usage: replay_error PLAN LOG\n");
		return 2;
	}
	ret = load_plan(argv[1], &e);
	if (!ret && !strstr(argv[2], ".blktrace.")) {
		made = xasprintf("%s.blktrace.0", argv[2]);
		ret = reqlog_read(&l, argv[2], &e);
		if (!ret)
			ret = reqlog_write(&l, made, 0, &e);
	}
	if (!ret)
		ret = read_log(made ? made : argv[2], &e);
	if (ret)
		fprintf(stderr, "replay_error: %s\n", e.msg);
	return ret ? 1 : 0;
}
