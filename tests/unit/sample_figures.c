// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/sample.h"

static void add_share(struct figures_share **list, u32 *n, struct figures_share s)
{
	*list = xrealloc(*list, *n + 1, sizeof(s));
	(*list)[(*n)++] = s;
}

void sample_add_figures(struct verified *v)
{
	struct capture_result *cr = &v->analysis->captures[0];
	struct phase_figures *f = xcalloc(1, sizeof(*f));

	cr->phases[0].figures = f;
	cr->phases[0].folios_unknown_order = 0;
	cr->host.lost_spans = 18;
	for (u32 i = 0; i < SPANS_KEPT; i++)
		cr->host.spans[i] =
			(struct lost_span){0, i * NSEC_PER_SEC, (i + 1) * NSEC_PER_SEC, i};
	f->rows[RA_READAROUND] = (struct ra_row){.ra = 383,
						 .io = 383,
						 .sync = 383,
						 .mmap = 383,
						 .eof = 185,
						 .size = 22980,
						 .pages = 9575,
						 .requests = 400,
						 .request_bytes = 9575 * 4096};
	f->rows[RA_SYNC_READ] = (struct ra_row){.ra = 12345678,
						.io = 499,
						.sync = 499,
						.eof = 324,
						.size = 2056,
						.async_size = 1542};
	f->usage = (struct page_usage){.pages = 9575, .used = 400, .mapped = 6000};
	f->seen = ~0ull;
	f->guest = (struct request_figures){.requests = 401,
					    .bytes = 9575 * 4096 + 4096,
					    .largest = 131072,
					    .queued = 500,
					    .q2c = {500, 500 * 123456, 1000, 9999999},
					    .d2c = {401, 401 * 99999, 900, 9000000},
					    .depth_sum = 802,
					    .depth_max = 6};
	f->guest.by_size[3] = 1;
	f->guest.by_size[8] = 300;
	f->guest.by_size[SIZE_CLASSES - 1] = 100;
	f->host = f->guest;
	snprintf(f->why[FIG_MMAP], sizeof(f->why[0]), "no mm_filemap_fault events in this trace");
	snprintf(f->lost, sizeof(f->lost),
		 "events lost: CPU 1 from 3.000000 to 4.500000 s and more");
	for (u32 i = 0; i < 22; i++)
		add_share(&f->files, &f->n_files,
			  (struct figures_share){.dev = DEV(259, 3),
						 .ino = 123456789 + i,
						 .faults = 1234567,
						 .windows = 383,
						 .ios = 380,
						 .pages = 9575 - i,
						 .usage = f->usage});
	add_share(&f->tasks, &f->n_tasks,
		  (struct figures_share){.pid = 4194303,
					 .comm = "fifteen-letters",
					 .faults = 383,
					 .windows = 383,
					 .ios = 383,
					 .pages = 9575,
					 .requests = 401,
					 .request_bytes = 9575 * 4096});
	f->more_tasks = true;
}
