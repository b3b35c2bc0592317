// SPDX-License-Identifier: GPL-2.0-only
/* verify --stats: requests on both sides, and figures by file and by task. */
#include <string.h>

#include "lib/size.h"
#include "verify/report/text_stats.h"

#define SHARES_SHOWN 20u

static void side_cell(char *row, size_t size, bool known, u64 n)
{
	char text[24] = "-";
	size_t len = strlen(row);

	if (known)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	snprintf(row + len, size - len, " %14s", text);
}

static void sizes_table(struct out *o, const struct phase_figures *f)
{
	bool guest = !f->why[FIG_GUEST][0], host = !f->why[FIG_HOST][0];
	char row[100], size[SIZE_TEXT_MAX];

	out_line(o, 0, "%s", "");
	not_measurable(o, "requests", f, FIG_GUEST);
	not_measurable(o, "device's requests", f, FIG_HOST);
	if (!guest && !host)
		return;
	out_line(o, 0, "  read requests, up to         issued         device");
	for (unsigned int i = 0; i < SIZE_CLASSES; i++) {
		if (!f->guest.by_size[i] && !f->host.by_size[i])
			continue;
		snprintf(row, sizeof(row), "  %-19s",
			 i < SIZE_CLASSES - 1 ? size_text(size_class_bytes(i), size) : "more");
		side_cell(row, sizeof(row), guest, f->guest.by_size[i]);
		side_cell(row, sizeof(row), host, f->host.by_size[i]);
		out_line(o, 4, "%s", row);
	}
	snprintf(row, sizeof(row), "  %-19s", "all");
	side_cell(row, sizeof(row), guest, f->guest.requests);
	side_cell(row, sizeof(row), host, f->host.requests);
	out_line(o, 4, "%s", row);
	snprintf(row, sizeof(row), "  %-19s", "bytes");
	side_cell(row, sizeof(row), guest, f->guest.bytes);
	side_cell(row, sizeof(row), host, f->host.bytes);
	out_line(o, 4, "%s", row);
}

static void ratio_line(struct out *o, const struct phase_figures *f, const struct phase_info *info)
{
	bool host = !f->why[FIG_HOST][0];
	u64 bytes = host ? f->host.bytes : f->guest.bytes;

	if (f->why[FIG_ASKED][0] || (!host && f->why[FIG_GUEST][0])) {
		not_measurable(o, "bytes read / asked", f,
			       f->why[FIG_ASKED][0] ? FIG_ASKED : FIG_GUEST);
		return;
	}
	out_line(o, 4, "  bytes asked %llu, read %llu (%s)%s",
		 (unsigned long long)info->bytes_asked, (unsigned long long)bytes,
		 host ? "device" : "issued", f->lost[0] ? "; ratio: not measurable" : "");
	if (!f->lost[0])
		out_line(o, 4, "  read / asked %.4f", (double)bytes / (double)info->bytes_asked);
}

static void latency_line(struct out *o, const char *name, const struct latency *l)
{
	out_line(o, 4, "  %-16s %9llu %13.3f %13.3f %13.3f", name, (unsigned long long)l->n,
		 (double)l->min / 1e3, (double)l->sum / (double)l->n / 1e3, (double)l->max / 1e3);
}

static void depth_line(struct out *o, const char *name, const struct request_figures *rf)
{
	out_line(o, 4, "  %-16s %9llu               %13.3f %13llu", name,
		 (unsigned long long)rf->requests, (double)rf->depth_sum / (double)rf->requests,
		 (unsigned long long)rf->depth_max);
}

static void latency_table(struct out *o, const struct phase_figures *f)
{
	bool q2c = !f->why[FIG_GUEST_Q2C][0], d2c = !f->why[FIG_GUEST_D2C][0];
	bool host = !f->why[FIG_HOST_Q2C][0];

	out_line(o, 0, "%s", "");
	if (q2c || d2c || host) {
		out_line(o, 0,
			 "  reads, us                n           min          mean"
			 "           max");
		if (q2c)
			latency_line(o, "Q2C", &f->guest.q2c);
		if (d2c)
			latency_line(o, "D2C", &f->guest.d2c);
		if (host)
			latency_line(o, "device Q2C", &f->host.q2c);
		if (d2c)
			depth_line(o, "queue depth", &f->guest);
		if (host)
			depth_line(o, "device depth", &f->host);
		out_line(o, 2,
			 "  Depth: reads issued and not completed when one is issued, itself");
		out_line(o, 2, "  included.");
	}
	not_measurable(o, "Q2C", f, FIG_GUEST_Q2C);
	not_measurable(o, "D2C, queue depth", f, FIG_GUEST_D2C);
	not_measurable(o, "device Q2C, device depth", f, FIG_HOST_Q2C);
}

/* A file on a network file system: there is no disk whose requests could be shown. */
static void osd_lines(struct out *o, const struct phase_info *info)
{
	out_line(o, 0, "%s", "");
	out_line(o, 4, "  OSDs: %llu read requests, %llu bytes; asked %llu",
		 (unsigned long long)info->osd_reads, (unsigned long long)info->osd_read_bytes,
		 (unsigned long long)info->bytes_asked);
	if (info->bytes_asked)
		out_line(o, 4, "  read / asked %.4f",
			 (double)info->osd_read_bytes / (double)info->bytes_asked);
}

void text_requests(struct out *o, const struct phase_stats *s, const struct phase_info *info)
{
	if (info && info->osd_known) {
		osd_lines(o, info);
		return;
	}
	sizes_table(o, s->figures);
	ratio_line(o, s->figures, info);
	latency_table(o, s->figures);
}

static void more_lines(struct out *o, u32 n, bool more, const char *what)
{
	if (n > SHARES_SHOWN)
		out_line(o, 4, "  and %u more, --format json has them", n - SHARES_SHOWN);
	if (more)
		out_line(o, 4, "  and %s beyond the first %u, which were not counted", what,
			 SHARES_MAX);
}

void text_by_file(struct out *o, const struct phase_figures *f)
{
	bool unused = !f->why[FIG_UNUSED][0];

	out_line(o, 0, "%s", "");
	if (!f->n_files) {
		out_line(o, 4, "  by file: not measurable: no event of the page cache is there");
		return;
	}
	out_line(o, 0, "  by file: dev, inode   faults     ra     io      pages  never seen used");
	for (u32 i = 0; i < MIN(f->n_files, SHARES_SHOWN); i++) {
		const struct figures_share *s = &f->files[i];
		char name[40], a[SHORT_COUNT_MAX], b[SHORT_COUNT_MAX], c[SHORT_COUNT_MAX];
		char d[32] = "-";

		snprintf(name, sizeof(name), "%u,%u %llu", s->dev >> 20, s->dev & 0xfffffu,
			 (unsigned long long)s->ino);
		if (unused)
			snprintf(d, sizeof(d), "%llu", (unsigned long long)usage_unused(&s->usage));
		out_line(o, 4, "  %-20s %7s %6s %6s %10llu %16s", name, short_count(s->faults, a),
			 short_count(s->windows, b), short_count(s->ios, c),
			 (unsigned long long)s->pages, d);
	}
	more_lines(o, f->n_files, f->more_files, "files");
}

void text_by_task(struct out *o, const struct phase_figures *f)
{
	out_line(o, 0, "%s", "");
	if (!f->n_tasks) {
		out_line(o, 4, "  by task: nothing happened");
		return;
	}
	out_line(o, 0, "  by task               faults     ra     io      pages         requests");
	for (u32 i = 0; i < MIN(f->n_tasks, SHARES_SHOWN); i++) {
		const struct figures_share *s = &f->tasks[i];
		char name[40], a[SHORT_COUNT_MAX], b[SHORT_COUNT_MAX], c[SHORT_COUNT_MAX];

		/* the number matters more than the end of the name */
		snprintf(name, sizeof(name), "%.12s-%d", s->comm[0] ? s->comm : "?", s->pid);
		out_line(o, 4, "  %-20.20s %7s %6s %6s %10llu %16llu", name,
			 short_count(s->faults, a), short_count(s->windows, b),
			 short_count(s->ios, c), (unsigned long long)s->pages,
			 (unsigned long long)s->requests);
	}
	more_lines(o, f->n_tasks, f->more_tasks, "tasks");
}
