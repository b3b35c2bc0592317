// SPDX-License-Identifier: GPL-2.0-only
#include "verify/stats.h"

static const char *const group_names[FIG_GROUPS] = {
	[FIG_WINDOWS] = "windows",
	[FIG_IO] = "io",
	[FIG_MMAP] = "mmap",
	[FIG_EOF] = "eof",
	[FIG_ORDERS] = "folio-orders",
	[FIG_UNUSED] = "unused",
	[FIG_GUEST] = "guest-requests",
	[FIG_CARRIED] = "carried-requests",
	[FIG_GUEST_Q2C] = "guest-q2c",
	[FIG_GUEST_D2C] = "guest-d2c",
	[FIG_HOST] = "host-requests",
	[FIG_HOST_Q2C] = "host-q2c",
	[FIG_ASKED] = "bytes-asked",
};

const char *figure_group_name(enum figure_group g)
{
	return group_names[g];
}

void phase_figures_free(struct phase_figures *f)
{
	if (!f)
		return;
	free(f->files);
	free(f->tasks);
	free(f->by_file);
	free(f);
}

struct ra_row ra_total(const struct phase_figures *f)
{
	struct ra_row t = {0};

	for (unsigned int i = 0; i < RA_CAUSES; i++) {
		const struct ra_row *r = &f->rows[i];

		t.ra += r->ra;
		t.io += r->io;
		t.sync += r->sync;
		t.mmap += r->mmap;
		t.mmap_pages += r->mmap_pages;
		t.eof += r->eof;
		t.size += r->size;
		t.async_size += r->async_size;
		t.pages += r->pages;
		t.requests += r->requests;
		t.request_bytes += r->request_bytes;
	}
	return t;
}

u64 size_class_bytes(unsigned int size_class)
{
	return (u64)SECTOR_SIZE << size_class;
}
