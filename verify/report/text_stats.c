// SPDX-License-Identifier: GPL-2.0-only
/* verify --stats: readahead, folios and pages of each phase; text_requests.c has the rest. */
#include <string.h>

#include "verify/report/report.h"
#include "verify/report/text_stats.h"

/* At most 6 columns, so that a row of eight fits; --format json has all digits. */
const char *short_count(u64 n, char *buf)
{
	if (n <= 999999)
		snprintf(buf, SHORT_COUNT_MAX, "%llu", (unsigned long long)n);
	else if (n <= 99999999)
		snprintf(buf, SHORT_COUNT_MAX, "%lluk", (unsigned long long)(n / 1000));
	else if (n <= 99999999999)
		snprintf(buf, SHORT_COUNT_MAX, "%lluM", (unsigned long long)(n / 1000000));
	else
		snprintf(buf, SHORT_COUNT_MAX, ">99999M");
	return buf;
}

void not_measurable(struct out *o, const char *what, const struct phase_figures *f,
		    enum figure_group g)
{
	if (f->why[g][0])
		out_line(o, 4, "  %s: not measurable: %s", what, f->why[g]);
}

/* ---- windows by cause ---- */

static void cell(char *row, size_t size, bool known, u64 n)
{
	char text[SHORT_COUNT_MAX];
	size_t len = strlen(row);

	snprintf(row + len, size - len, " %6s", known ? short_count(n, text) : "-");
}

static u64 mean(u64 sum, u64 n)
{
	return n ? (sum + n / 2) / n : 0;
}

static void ra_row_line(struct out *o, const char *name, const struct phase_figures *f,
			const struct ra_row *r)
{
	bool io = !f->why[FIG_IO][0];
	char row[100];

	snprintf(row, sizeof(row), "%-16s", name);
	cell(row, sizeof(row), true, r->ra);
	cell(row, sizeof(row), io, r->io);
	cell(row, sizeof(row), io, r->sync);
	cell(row, sizeof(row), !f->why[FIG_MMAP][0], r->mmap);
	cell(row, sizeof(row), !f->why[FIG_EOF][0], r->eof);
	cell(row, sizeof(row), r->ra, mean(r->size, r->ra));
	cell(row, sizeof(row), r->ra, mean(r->async_size, r->ra));
	cell(row, sizeof(row), io && r->io, mean(r->pages, r->io));
	out_line(o, 4, "%s", row);
}

void text_windows(struct out *o, const struct phase_figures *f)
{
	struct ra_row all = ra_total(f);

	out_line(o, 0, "%s", "");
	if (f->why[FIG_WINDOWS][0]) {
		not_measurable(o, "readahead by cause", f, FIG_WINDOWS);
		return;
	}
	out_line(o, 0, "readahead by         ra     io   sync   mmap    eof     ra  async     io");
	out_line(o, 0, "cause             count  count  count  count  count   size   size   size");
	for (unsigned int i = 0; i < RA_CAUSES; i++)
		if (f->rows[i].ra)
			ra_row_line(o, ra_cause_name(i), f, &f->rows[i]);
	ra_row_line(o, "all", f, &all);
	not_measurable(o, "io", f, FIG_IO);
	not_measurable(o, "mmap", f, FIG_MMAP);
	not_measurable(o, "eof", f, FIG_EOF);
	out_line(o, 2, "  ra: windows decided on; io: those that added a page; sync: of");
	out_line(o, 2, "  these, the task waits for a page in it; mmap: of these, directly");
	out_line(o, 2, "  after a fault; eof: windows that reach the end of the file.");
	out_line(o, 2, "  Sizes are means in pages: ra and async per window, io per io.");
}

static void carried_table(struct out *o, const struct phase_figures *f)
{
	u64 rest = f->guest.requests, rest_bytes = f->guest.bytes;

	out_line(o, 0, "%s", "");
	if (f->why[FIG_CARRIED][0]) {
		not_measurable(o, "requests by cause", f, FIG_CARRIED);
		return;
	}
	out_line(o, 0, "  requests by cause  requests           bytes     mean size");
	for (unsigned int i = 0; i <= RA_CAUSES; i++) {
		u64 n = i < RA_CAUSES ? f->rows[i].requests : rest;
		u64 bytes = i < RA_CAUSES ? f->rows[i].request_bytes : rest_bytes;

		if (i < RA_CAUSES) {
			rest -= MIN(n, rest);
			rest_bytes -= MIN(bytes, rest_bytes);
		}
		if (n)
			out_line(o, 4, "  %-18s %8llu %15llu %9.1f KiB",
				 i < RA_CAUSES ? ra_cause_name(i) : "no window's task",
				 (unsigned long long)n, (unsigned long long)bytes,
				 (double)bytes / (double)n / 1024);
	}
	out_line(o, 2, "  Inferred: a read that a task issues between its readahead decision");
	out_line(o, 2, "  and its next access is that window's; the trace does not name it.");
}

/* ---- folios and pages ---- */

static void orders_table(struct out *o, const struct phase_stats *s)
{
	const struct phase_figures *f = s->figures;
	u64 pages = 0;

	out_line(o, 0, "%s", "");
	if (f->why[FIG_ORDERS][0] || s->folios_unknown_order) {
		if (!f->why[FIG_ORDERS][0])
			out_line(o, 4, "  folio orders: not measurable: %llu folios have none",
				 (unsigned long long)s->folios_unknown_order);
		not_measurable(o, "folio orders", f, FIG_ORDERS);
		return;
	}
	for (unsigned int i = 0; i < ORDERS_MAX; i++)
		pages += s->folios[i] << i;
	out_line(o, 0, "  folios added, order     folios       pages   of pages");
	for (unsigned int i = 0; i < ORDERS_MAX; i++)
		if (s->folios[i])
			out_line(o, 4, "  %19u %10llu  %10llu    %5.1f %%", i,
				 (unsigned long long)s->folios[i],
				 (unsigned long long)(s->folios[i] << i),
				 100.0 * (double)(s->folios[i] << i) / (double)pages);
	out_line(o, 4, "  %19s            %10llu", "all", (unsigned long long)pages);
}

static void unused_table(struct out *o, const struct phase_figures *f, u32 page_size)
{
	const struct page_usage *u = &f->usage;
	u64 unused = usage_unused(u);

	out_line(o, 0, "%s", "");
	if (f->why[FIG_UNUSED][0]) {
		not_measurable(o, "unused readahead", f, FIG_UNUSED);
		return;
	}
	out_line(o, 0, "  pages that readahead added     pages           bytes      ratio");
	out_line(o, 4, "  all                       %10llu %15llu", (unsigned long long)u->pages,
		 (unsigned long long)(u->pages * page_size));
	out_line(o, 4, "  used: faulted or read     %10llu %15llu     %6.4f",
		 (unsigned long long)u->used, (unsigned long long)(u->used * page_size),
		 (double)u->used / (double)u->pages);
	out_line(o, 4, "  mapped, use not visible   %10llu %15llu     %6.4f",
		 (unsigned long long)u->mapped, (unsigned long long)(u->mapped * page_size),
		 (double)u->mapped / (double)u->pages);
	if (u->huge)
		out_line(o, 4, "  huge, use not visible     %10llu %15llu     %6.4f",
			 (unsigned long long)u->huge, (unsigned long long)(u->huge * page_size),
			 (double)u->huge / (double)u->pages);
	out_line(o, 4, "  never seen used           %10llu %15llu     %6.4f",
		 (unsigned long long)unused, (unsigned long long)(unused * page_size),
		 (double)unused / (double)u->pages);
	out_line(o, 2, "  Never seen used: pages that a readahead window added and that no");
	out_line(o, 2, "  fault, read or mapping touched until they were");
	out_line(o, 2, "  deleted or the phase ended.  A mapped page is used without an");
	out_line(o, 2, "  event, so the unused ones are between this and this plus mapped%s.",
		 u->huge ? " and huge" : "");
	if (u->huge)
		out_line(o, 2, "  Huge: of folios that are mapped as a whole, which is no event.");
	if (!(f->seen >> EV_MAP_PAGES & 1) && f->seen >> EV_FAULT & 1)
		out_line(o, 2,
			 "  No mm_filemap_map_pages event: right if fault_around_bytes is one "
			 "page, too large if they were not recorded.");
}

/* ---- all of it ---- */

static void phase_text(struct out *o, const struct capture *c, const struct phase_stats *s,
		       const struct phase_info *info, u32 page_size, unsigned int by)
{
	const struct phase_figures *f = s->figures;

	out_line(o, 0, "%s", "");
	out_line(o, 2, "Statistics of %s%s%s%s", c->has_json ? c->kernel : "the trace",
		 s->name[0] ? ", phase " : "", s->name, c->has_json ? " (the test file)" : "");
	if (c->has_json)
		out_line(o, 4, "  %s", c->path);
	out_line(o, 4, "  %llu.%06llu to %llu.%06llu s, %llu events",
		 (unsigned long long)(s->begin_ns / NSEC_PER_SEC),
		 (unsigned long long)(s->begin_ns % NSEC_PER_SEC / 1000),
		 (unsigned long long)(s->end_ns / NSEC_PER_SEC),
		 (unsigned long long)(s->end_ns % NSEC_PER_SEC / 1000),
		 (unsigned long long)s->events);
	if (f->lost[0])
		out_line(o, 4, "  NOT WHOLE: %s; every count is of what is left: a lower bound",
			 f->lost);
	text_windows(o, f);
	carried_table(o, f);
	orders_table(o, s);
	unused_table(o, f, page_size);
	text_requests(o, s, info);
	if (by & STATS_BY_FILE)
		text_by_file(o, f);
	if (by & STATS_BY_TASK)
		text_by_task(o, f);
}

void text_stats(struct out *o, const struct analysis *a, unsigned int by)
{
	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *cr = &a->captures[i];
		const struct capture *c = cr->capture;

		for (unsigned int k = 0; k < cr->n_phases; k++)
			if (cr->phases[k].figures)
				phase_text(o, c, &cr->phases[k],
					   c->has_json ? phase_info_of(c, cr->phases[k].name)
						       : NULL,
					   capture_page_size(cr), by);
	}
}

u32 capture_page_size(const struct capture_result *cr)
{
	u32 size = cr->capture->page_size ? cr->capture->page_size : cr->guest.page_size;

	return size ? size : 4096;
}
