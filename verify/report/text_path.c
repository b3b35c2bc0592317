// SPDX-License-Identifier: GPL-2.0-only
/*
 * Was the changed path hit?  By the functions that the patch changes, where an
 * event of the trace lies in them, and by the readahead decisions.
 */
#include <string.h>

#include "verify/report/path.h"
#include "verify/report/report.h"

/* Linux 7.3, mm/filemap.c, mm/readahead.c, block/, fs/netfs/, and our patches: where trace_*() is
 * called. */
static const struct {
	const char *function;
	enum event_type type;
	bool shared; /* other functions have the event too: at most that often */
	bool added;  /* the patch brings the event: other kernels don't have it */
} events_in[] = {
	{"filemap_fault", EV_FAULT, false, false},
	{"filemap_get_pages", EV_GET_PAGES, false, false},
	{"filemap_map_pages", EV_MAP_PAGES, false, false},
	{"__filemap_add_folio", EV_FOLIO_ADD, false, false},
	{"__filemap_remove_folio", EV_FOLIO_DELETE, true, false},
	{"delete_from_page_cache_batch", EV_FOLIO_DELETE, true, false},
	{"page_cache_sync_ra", EV_RA_SYNC, false, false},
	{"page_cache_async_ra", EV_RA_ASYNC, false, false},
	{"page_cache_ra_order", EV_RA_ORDER, false, false},
	{"page_cache_ra_unbounded", EV_RA_UNBOUNDED, false, false},
	{"submit_bio_noacct_nocheck", EV_RQ_QUEUE, false, false},
	{"blk_mq_start_request", EV_RQ_ISSUE, false, false},
	{"blk_update_request", EV_RQ_COMPLETE, true, false},
	{"netfs_readahead", EV_NETFS_READ, true, false},
	{"netfs_rreq_expand", EV_NETFS_READ, true, false},
	{"ceph_stride_readahead", EV_STRIDED_READ, false, true},
};

/* Phases that must not change say nothing about the changed path. */
static bool phase_counts(const struct analysis *a, const char *name)
{
	const struct experiment *exp = a->run->exp;

	for (unsigned int i = 0; exp && i < exp->n_phases; i++)
		if (!strcmp(exp->phases[i].name, name))
			return !exp->phases[i].unaffected;
	return true;
}

typedef u64 (*value_fn)(const struct phase_stats *s, unsigned int row);

static struct figure path_figure(const struct analysis *a, const char *kernel, value_fn value,
				 unsigned int row)
{
	double *values __cleanup_free = xcalloc(a->n_captures, sizeof(*values));
	unsigned int n = 0;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];

		if (strcmp(c->capture->kernel, kernel))
			continue;
		for (unsigned int j = 0; j < c->n_phases; j++)
			if (phase_counts(a, c->phases[j].name))
				values[n] += (double)value(&c->phases[j], row);
		n++;
	}
	return figure_from(values, n);
}

/* Did a phase that counts here lose events? */
static bool path_lossy(const struct analysis *a, const char *kernel)
{
	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];

		if (strcmp(c->capture->kernel, kernel))
			continue;
		for (unsigned int j = 0; j < c->n_phases; j++)
			if (phase_counts(a, c->phases[j].name) && c->phases[j].figures &&
			    c->phases[j].figures->lost[0])
				return true;
	}
	return false;
}

/* ---- functions ---- */

static u64 type_value(const struct phase_stats *s, unsigned int type)
{
	return s->by_type[type];
}

static int event_in(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(events_in); i++)
		if (!strcmp(events_in[i].function, function))
			return (int)i;
	return -1;
}

static bool is_recorded(const struct analysis *a, enum event_type type, bool added)
{
	bool have = false, lack = false;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		bool has = a->captures[i].guest.event_types & 1ull << type;

		have |= has;
		lack |= !has;
	}
	return have && (added || !lack);
}

static void add_path(struct path *p, const struct touched *t)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (!strcmp(p->functions[i].touched->function, t->function) &&
		    !strcmp(p->functions[i].touched->file, t->file))
			return;
	p->functions = xrealloc(p->functions, p->n + 1, sizeof(*p->functions));
	p->functions[p->n++] = (struct path_function){.touched = t};
}

/* Variants of a kernel may share a patch. */
static bool seen_before(const struct run *run, unsigned int kernel, const char *id)
{
	for (unsigned int k = 0; k < kernel; k++)
		for (unsigned int i = 0; i < run->kernels[k].n_patches; i++)
			if (!strcmp(run->kernels[k].patches[i].id, id))
				return true;
	return false;
}

void path_find(struct path *p, const struct summary *s)
{
	const struct run *run = s->a->run;

	*p = (struct path){.n_kernels = s->n_kernels};
	for (unsigned int k = 0; k < run->n_kernels; k++) {
		for (unsigned int i = 0; i < run->kernels[k].n_patches; i++) {
			const struct patch_info *patch = &run->kernels[k].patches[i];

			if (seen_before(run, k, patch->id))
				continue;
			p->patched = true;
			p->known |= patch->touched_known;
			p->unnamed_hunks += patch->unnamed_hunks;
			for (unsigned int j = 0; j < patch->n_touched; j++)
				add_path(p, &patch->touched[j]);
		}
	}
	for (unsigned int i = 0; i < p->n; i++) {
		struct path_function *f = &p->functions[i];
		int e = event_in(f->touched->function);

		if (e < 0)
			continue;
		f->type = events_in[e].type;
		f->shared = events_in[e].shared;
		f->has_event = true;
		f->recorded = is_recorded(s->a, f->type, events_in[e].added);
		f->counts = xcalloc(s->n_kernels, sizeof(*f->counts));
		for (unsigned int k = 0; f->recorded && k < s->n_kernels; k++)
			f->counts[k] = path_figure(s->a, s->kernels[k], type_value, f->type);
	}
}

void path_free(struct path *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		free(p->functions[i].counts);
	free(p->functions);
}

static void functions_table(struct out *o, const struct summary *s, const struct path *p)
{
	unsigned int rows = 0;
	struct table t;

	table_init(&t, "changed function: its events", p->n, s->n_kernels);
	for (unsigned int k = 0; k < s->n_kernels; k++)
		table_head(&t, k, kernel_head(s->kernels[k]));
	for (unsigned int i = 0; i < p->n; i++) {
		const struct path_function *f = &p->functions[i];

		if (!f->has_event || !f->recorded)
			continue;
		for (unsigned int k = 0; k < s->n_kernels; k++) {
			char text[NUMBER_TEXT_MAX];

			table_cell(&t, rows, k, "%s%s%s", f->shared ? "at most " : "",
				   number_text(&f->counts[k], 0, text),
				   path_lossy(s->a, s->kernels[k]) ? " ?" : "");
		}
		table_label(&t, rows++, f->touched->function);
	}
	if (rows) {
		t.n_rows = rows;
		table_print(o, &t);
		t.n_rows = p->n;
		out_line(o, 4,
			 "  An event says that the function ran, not that its changed lines did; "
			 "what followed is below.");
	}
	table_free(&t);
}

/* " (new, called from page_cache_async_ra)" */
static void new_text(const struct touched *t, char *buf, size_t size)
{
	buf[0] = '\0';
	if (t->added)
		snprintf(buf, size, " (new%s%s)", t->called_from[0] ? ", called from " : "",
			 t->called_from);
}

static void unseen_lines(struct out *o, const struct path *p)
{
	unsigned int unseen = 0;

	for (unsigned int i = 0; i < p->n; i++) {
		const struct path_function *f = &p->functions[i];
		char text[128];

		if ((f->has_event && f->recorded) || ++unseen > PATH_UNSEEN_SHOWN)
			continue;
		new_text(f->touched, text, sizeof(text));
		out_line(o, 4, "  %s%s: %s", f->touched->function, text,
			 f->has_event ? "its event was not recorded; how often it ran is not known"
				      : "no event lies in it; how often it ran is not known");
	}
	if (unseen > PATH_UNSEEN_SHOWN)
		out_line(o, 4, "  and %u more functions without an event",
			 unseen - PATH_UNSEEN_SHOWN);
	if (p->unnamed_hunks)
		out_line(o, 4, "  %u %s of the patch %s in no function that it names",
			 p->unnamed_hunks, p->unnamed_hunks == 1 ? "hunk" : "hunks",
			 p->unnamed_hunks == 1 ? "changes something" : "change something");
}

static void function_lines(struct out *o, const struct summary *s)
{
	struct path p;

	path_find(&p, s);
	if (p.known) {
		functions_table(o, s, &p);
		unseen_lines(o, &p);
		if (!p.n && !p.unnamed_hunks)
			out_line(o, 4, "  The patch changes no function.");
		out_line(o, 0, "%s", "");
	} else if (p.patched) {
		out_line(o, 4, "  The run does not say which functions the patch changes.");
	}
	path_free(&p);
}

/* ---- readahead decisions ---- */

enum { ROW_HITS = RA_CAUSES, ROW_FOLLOWED, ROW_IDLE, PATH_ROWS };

static u64 row_value(const struct phase_stats *s, unsigned int row)
{
	switch (row) {
	case ROW_HITS:
		return s->marker_hits;
	case ROW_FOLLOWED:
		return s->marker_hits - MIN(s->marker_hits, s->marker_hits_idle);
	case ROW_IDLE:
		return s->marker_hits_idle;
	default:
		return s->windows[row];
	}
}

static const char *row_label(unsigned int row)
{
	switch (row) {
	case ROW_HITS:
		return "marker hits";
	case ROW_FOLLOWED:
		return "... readahead followed";
	case ROW_IDLE:
		return "... nothing followed";
	default:
		return ra_cause_name(row);
	}
}

static void causes_table(struct out *o, const struct summary *s)
{
	unsigned int rows = 0;
	bool differ = false;
	struct table t;

	table_init(&t, "windows by cause", PATH_ROWS, s->n_kernels);
	for (unsigned int k = 0; k < s->n_kernels; k++)
		table_head(&t, k, kernel_head(s->kernels[k]));
	for (unsigned int r = 0; r < PATH_ROWS; r++) {
		double reference = 0;
		bool any = false;

		for (unsigned int k = 0; k < s->n_kernels; k++) {
			struct figure f = path_figure(s->a, s->kernels[k], row_value, r);
			char text[NUMBER_TEXT_MAX];

			table_cell(&t, rows, k, "%s%s", number_text(&f, 0, text),
				   path_lossy(s->a, s->kernels[k]) ? " ?" : "");
			any = any || f.mean > 0;
			if (summary_reference(s, k) == k)
				reference = f.mean;
			else if (f.mean != reference)
				differ = true;
		}
		if (any)
			table_label(&t, rows++, row_label(r));
	}
	if (rows) {
		t.n_rows = rows;
		table_print(o, &t);
		t.n_rows = PATH_ROWS;
	} else {
		out_line(o, 2, "  no readahead decision is in the trace");
	}
	if (s->n_kernels > 1 && !differ)
		out_line(o, 2, "  No difference: nothing here shows that the changed code ran.");
	table_free(&t);
}

void text_path_hit(struct out *o, const struct summary *s)
{
	text_heading(o, s->n_kernels > 1 ? "Was the changed path hit (phases that may change)"
					 : "Readahead decisions");
	function_lines(o, s);
	causes_table(o, s);
}
