// SPDX-License-Identifier: GPL-2.0-only
/* Captures of a replay of block requests: a plan in memory, and what witnesses saw of it. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/fixture.h"

#define START (2 * NSEC_PER_SEC)

/* A plan of @n reads of 4096 bytes, one every 100 us, and what the guest's JSON says of it. */
void fx_replay_init(struct fixture *fx, unsigned int n, const char *action, const char *more)
{
	static char path[64];
	static int fd = -1;
	char *text = NULL;
	size_t len;
	FILE *f;

	fx_init(fx, 1);
	if (fd < 0)
		fd = memfd_create("plan", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	f = open_memstream(&text, &len);
	fprintf(f,
		"blkproof-plan 1 block\nsource x\naction %s\nsector-size 512\nsectors 1048576\n"
		"requests %u reads %u writes 0 fua 0 preflush 0 flushes 0 discards 0 write-zeroes 0\n"
		"largest 4096\nduration %u\nfolded 0\ndependencies no\n%sbegin\n",
		action, n, n, n * 100000, more);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "R %u %u 8\n", i * 100000, 8 * i);
	fprintf(f, "end %u\n", n);
	fclose(f);
	if (ftruncate(fd, 0) || pwrite(fd, text, len, 0) != (ssize_t)len)
		abort();
	free(text);
	fx->run.plan = path;
	snprintf(fx->specs[0].pattern, NAME_LEN, "replay-block");
	snprintf(fx->phases[0].pattern, NAME_LEN, "replay-block");
	fx->capture.blktrace = path; /* only whether there is one is looked at */
	fx->phases[0].block = (struct block_info){
		.known = true,
		.recorded = true,
		.speed = 100,
		.start_ns = START,
		.issued = n,
		.before = {2, 1, 1},
		.after = {n + 2, 1, 1},
	};
	fx_marker(fx, 1, "phase begin one");
}

/* A bio, and the request it becomes, of the plan's read @i, @late ns after its time. */
void fx_replay_read(struct fixture *fx, unsigned int i, u64 late)
{
	fx_replay_event(fx, EV_RQ_QUEUE, 8 * i, START + i * 100000ull + late);
	fx_replay_event(fx, EV_RQ_ISSUE, 8 * i, START + i * 100000ull + late + 1);
}

void fx_replay_event(struct fixture *fx, unsigned int type, u64 sector, u64 ts)
{
	struct event ev = {.type = (u8)type,
			   .ts = ts,
			   .seq = ++fx->seq,
			   .pid = 7,
			   .dev = FX_DEV,
			   .sector = sector,
			   .rq = {.bytes = 4096, .flags = RQ_READ}};

	fx->ts = MAX(fx->ts, ts);
	model_event(fx->m, &ev);
}

/* The device's log: @n reads of the kernel's before the phase, then the plan's first @reads. */
void fx_replay_host(struct fixture *fx, unsigned int n, unsigned int reads)
{
	struct event ev = {.type = EV_RQ_QUEUE, .rq = {.bytes = 4096, .flags = RQ_READ}};

	fx_marker(fx, 1, "phase end one");
	for (unsigned int i = 0; i < n + reads; i++) {
		ev.ts = i;
		ev.sector = i < n ? 0 : 8 * (i - n);
		model_host_event(fx->m, &ev);
	}
}
