// SPDX-License-Identifier: GPL-2.0-only
/* verify --stats --format json; docs/blkproof-json.5 lists every member. */
#include "verify/report/json_put.h"
#include "verify/report/report.h"

static void put_known(json_t *o, const char *name, bool known, u64 n)
{
	if (known)
		put_number(o, name, n);
	else
		put(o, name, json_null());
}

static void put_row(json_t *list, const struct phase_figures *f, enum ra_cause cause)
{
	const struct ra_row *r = &f->rows[cause];
	bool ra = !f->why[FIG_WINDOWS][0], io = !f->why[FIG_IO][0];
	bool carried = !f->why[FIG_CARRIED][0];
	json_t *e = new_element(list);

	put_text(e, "cause", ra_cause_name(cause));
	put_known(e, "ra_count", ra, r->ra);
	put_known(e, "io_count", io, r->io);
	put_known(e, "sync_count", io, r->sync);
	put_known(e, "mmap_count", !f->why[FIG_MMAP][0], r->mmap);
	put_known(e, "eof_count", !f->why[FIG_EOF][0], r->eof);
	put_known(e, "ra_pages", ra, r->size);
	put_known(e, "async_pages", ra, r->async_size);
	put_known(e, "io_pages", io, r->pages);
	put_known(e, "requests", carried, r->requests);
	put_known(e, "request_bytes", carried, r->request_bytes);
}

static void put_usage(json_t *o, const char *name, bool known, const struct page_usage *u)
{
	json_t *e;

	if (!known) {
		put(o, name, json_null());
		return;
	}
	e = object_of(o, name);
	put_number(e, "pages", u->pages);
	put_number(e, "used_pages", u->used);
	put_number(e, "mapped_pages", u->mapped);
	put_number(e, "huge_pages", u->huge);
	put_number(e, "never_seen_used_pages", usage_unused(u));
}

static void put_latency(json_t *o, const char *name, bool known, const struct latency *l)
{
	json_t *e;

	if (!known) {
		put(o, name, json_null());
		return;
	}
	e = object_of(o, name);
	put_number(e, "n", l->n);
	put_number(e, "min_ns", l->min);
	put_real(e, "mean_ns", (double)l->sum / (double)l->n);
	put_number(e, "max_ns", l->max);
}

static void put_depth(json_t *o, bool known, const struct request_figures *rf)
{
	if (known && rf->requests)
		put_real(o, "depth_mean", (double)rf->depth_sum / (double)rf->requests);
	else
		put(o, "depth_mean", json_null());
	put_known(o, "depth_max", known, rf->depth_max);
}

static json_t *put_side(json_t *o, const char *name, bool known, const struct request_figures *rf)
{
	json_t *e, *sizes;

	if (!known) {
		put(o, name, json_null());
		return NULL;
	}
	e = object_of(o, name);
	put_number(e, "requests", rf->requests);
	put_number(e, "bytes", rf->bytes);
	put_number(e, "largest_bytes", rf->largest);
	sizes = list_of(e, "by_size");
	for (unsigned int i = 0; i < SIZE_CLASSES; i++) {
		json_t *s = new_element(sizes);

		put_known(s, "up_to_bytes", i < SIZE_CLASSES - 1, size_class_bytes(i));
		put_number(s, "requests", rf->by_size[i]);
		put_number(s, "bytes", rf->bytes_by_size[i]);
	}
	return e;
}

static json_t *put_share(json_t *list, const struct figures_share *s)
{
	json_t *e = new_element(list);

	put_number(e, "faults", s->faults);
	put_number(e, "ra_count", s->windows);
	put_number(e, "io_count", s->ios);
	put_number(e, "pages_added", s->pages);
	return e;
}

static void put_files(json_t *o, const struct phase_figures *f)
{
	json_t *list = list_of(o, "files");

	for (u32 i = 0; i < f->n_files; i++) {
		const struct figures_share *s = &f->files[i];
		json_t *e = put_share(list, s);

		put_number(e, "major", s->dev >> 20);
		put_number(e, "minor", s->dev & 0xfffffu);
		put_number(e, "inode", s->ino);
		put_usage(e, "readahead_pages", !f->why[FIG_UNUSED][0], &s->usage);
	}
	put(o, "files_cut", json_boolean(f->more_files));
}

static void put_tasks(json_t *o, const struct phase_figures *f)
{
	json_t *list = list_of(o, "tasks");

	for (u32 i = 0; i < f->n_tasks; i++) {
		const struct figures_share *s = &f->tasks[i];
		json_t *e = put_share(list, s);

		put(e, "pid", json_integer(s->pid));
		put_text(e, "comm", s->comm);
		put_number(e, "requests", s->requests);
		put_number(e, "request_bytes", s->request_bytes);
	}
	put(o, "tasks_cut", json_boolean(f->more_tasks));
}

json_t *json_stats(const struct phase_stats *s, unsigned int by)
{
	const struct phase_figures *f = s->figures;
	json_t *o = json_object(), *list, *side;
	bool q2c = !f->why[FIG_GUEST_Q2C][0], d2c = !f->why[FIG_GUEST_D2C][0];
	bool host = !f->why[FIG_HOST_Q2C][0];

	put_text(o, "not_whole", f->lost);
	list = list_of(o, "not_measurable");
	for (unsigned int g = 0; g < FIG_GROUPS; g++) {
		json_t *e;

		if (!f->why[g][0])
			continue;
		e = new_element(list);
		put_text(e, "figure", figure_group_name(g));
		put_text(e, "reason", f->why[g]);
	}
	list = list_of(o, "readahead");
	for (unsigned int i = 0; i < RA_CAUSES; i++)
		put_row(list, f, i);
	put_usage(o, "readahead_pages", !f->why[FIG_UNUSED][0], &f->usage);
	side = put_side(o, "guest_reads", !f->why[FIG_GUEST][0], &f->guest);
	if (side) {
		put_latency(side, "q2c", q2c, &f->guest.q2c);
		put_latency(side, "d2c", d2c, &f->guest.d2c);
		put_depth(side, d2c, &f->guest);
	}
	side = put_side(o, "device_reads", !f->why[FIG_HOST][0], &f->host);
	if (side) {
		put_latency(side, "q2c", host, &f->host.q2c);
		put_depth(side, host, &f->host);
	}
	if (by & STATS_BY_FILE)
		put_files(o, f);
	if (by & STATS_BY_TASK)
		put_tasks(o, f);
	return o;
}
