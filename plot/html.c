// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page: plot/page.html with the data in it, and nothing that a browser would
 * have to fetch.  Marks are kept as they are up to MARKS_MAX in all; beyond it a panel has a grid
 * of cells instead, each with the windows that fall into it.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "plot/output.h"
#include "plot/page.h"
#include "plot/style.h"
#include "verify/checks/check.h"
#include "verify/report/json_put.h"
#include "verify/report/report.h"

#define MARKS_MAX 30000u /* about 25 bytes each */
#define CELLS_MAX 60000u /* about 20 bytes each */
#define FINDINGS_MAX 5u	 /* of one check, phase and kernel */

static void push(json_t *list, u64 n)
{
	if (json_array_append_new(list, json_integer((json_int_t)MIN(n, (u64)INT64_MAX)))) {
		fputs("out of memory\n", stderr);
		exit(2);
	}
}

static void push_order(json_t *list, u8 order)
{
	if (order == ORDER_UNKNOWN)
		json_array_append_new(list, json_integer(-1));
	else
		push(list, order);
}

static void colour_text(u32 rgb, char *buf)
{
	snprintf(buf, 8, "#%06x", rgb);
}

/* Flat: [time in us, page, pages, cause, order or -1], ... */
static void put_windows(json_t *o, const struct panel *p)
{
	json_t *list = list_of(o, "windows");

	for (size_t i = 0; i < p->n_windows; i++) {
		const struct plot_window *w = &p->windows[i];

		if (!window_shown(p, w))
			continue;
		push(list, w->ts / 1000);
		push(list, w->start);
		push(list, w->size);
		push(list, w->cause);
		push_order(list, w->order);
	}
}

static void put_faults(json_t *o, const struct panel *p)
{
	json_t *list = list_of(o, "faults");

	for (size_t i = 0; i < p->n_faults; i++) {
		if (!p->faults[i].waited || p->faults[i].file != p->file)
			continue;
		push(list, p->faults[i].ts / 1000);
		push(list, p->faults[i].page);
	}
}

/* ---- too many marks ---- */

struct grid {
	u32 columns, rows;
	struct grid_cell *cells;
};

struct grid_cell {
	u32 windows, faults;
	u8 cause, order; /* of the window that was decided last */
};

static struct grid_cell *cell_at(const struct grid *g, const struct plot_phase *phase, u64 ts,
				 u64 page)
{
	u64 x = (u64)((double)ts / (double)phase->duration * g->columns);
	u64 y = (u64)((double)page / (double)phase->end_page * g->rows);

	return &g->cells[MIN(y, (u64)g->rows - 1) * g->columns + MIN(x, (u64)g->columns - 1)];
}

/* Flat: [cell, windows, faults, cause, order or -1], ...; cell: row * columns + column */
static void put_grid(json_t *o, const struct plot_phase *phase, const struct panel *p, u32 cells)
{
	struct grid g = {.rows = MAX((u32)sqrt(cells / 1.5), 8u)};
	json_t *grid = object_of(o, "grid"), *list;

	g.columns = MAX(cells / g.rows, 8u);
	g.cells = xcalloc((size_t)g.columns * g.rows, sizeof(*g.cells));
	for (size_t i = 0; i < p->n_windows; i++) {
		const struct plot_window *w = &p->windows[i];
		struct grid_cell *c = cell_at(&g, phase, w->ts, w->start + w->size / 2);

		if (!window_shown(p, w))
			continue;
		c->windows++;
		c->cause = w->cause;
		c->order = w->order;
	}
	for (size_t i = 0; i < p->n_faults; i++)
		if (p->faults[i].waited && p->faults[i].file == p->file)
			cell_at(&g, phase, p->faults[i].ts, p->faults[i].page)->faults++;
	put_number(grid, "columns", g.columns);
	put_number(grid, "rows", g.rows);
	list = list_of(grid, "cells");
	for (u32 i = 0; i < g.columns * g.rows; i++) {
		const struct grid_cell *c = &g.cells[i];

		if (!c->windows && !c->faults)
			continue;
		push(list, i);
		push(list, c->windows);
		push(list, c->faults);
		push(list, c->cause);
		push_order(list, c->windows ? c->order : ORDER_UNKNOWN);
	}
	free(g.cells);
}

/* Flat: [first page, order], ... where the order changes; -1: nothing was added */
static void put_strip(json_t *o, const struct panel *p)
{
	json_t *list = list_of(o, "strip");

	for (unsigned int i = 0; i < PLOT_STRIP; i++) {
		u8 order = p->strip.order[i];

		if (i && order == p->strip.order[i - 1])
			continue;
		push(list, i * p->strip.step);
		push_order(list, order);
	}
	put_number(o, "strip_end", PLOT_STRIP * p->strip.step);
}

/* ---- findings ---- */

struct finding_list {
	const struct plot *plot;
	const struct panel *panel;
	json_t *list;
	const struct result *r;
	unsigned int n;
};

static void put_one(void *arg, const struct result *r, const struct finding *f)
{
	struct finding_list *l = arg;
	json_t *o;

	l->n = l->r == r ? l->n + 1 : 0;
	l->r = r;
	if (l->n >= FINDINGS_MAX)
		return;
	o = new_element(l->list);
	put_text(o, "check", r->check->name);
	put_text(o, "expected", expectation_name(r->expected));
	put_number(o, "violations", r->violations);
	put_text(o, "text", f->text);
	put_text(o, "task", f->comm);
	put(o, "pid", json_integer(f->pid));
	put_number(o, "cpu", f->cpu);
	put_number(o, "event", f->seq);
	put_number(o, "time_ns", f->ts);
	put_number(o, "at", f->ts > l->panel->begin_ns ? (f->ts - l->panel->begin_ns) / 1000 : 0);
	put(o, "page",
	    f->has_offset
		    ? json_integer((json_int_t)MIN(f->offset / l->plot->page_size, (u64)INT64_MAX))
		    : json_null());
}

/* ---- the whole ---- */

static void put_counts(json_t *o, const char *name, const u64 *counts, unsigned int n, bool known)
{
	json_t *list;

	if (!known) {
		put(o, name, json_null());
		return;
	}
	list = list_of(o, name);
	for (unsigned int i = 0; i < n; i++)
		push(list, counts[i]);
}

static void put_panel(json_t *list, const struct plot *p, const struct plot_phase *phase,
		      unsigned int kernel, unsigned int panels)
{
	const struct panel *panel = &phase->panels[kernel];
	u64 sizes[SIZE_CLASSES], orders[ORDERS_MAX];
	json_t *o = new_element(list);
	struct finding_list findings = {.plot = p, .panel = panel};

	put_text(o, "kernel", kernel_name(p, kernel));
	if (panel_marks(panel) <= MARKS_MAX / panels) {
		put_windows(o, panel);
		put_faults(o, panel);
	} else {
		put_grid(o, phase, panel, CELLS_MAX / panels);
	}
	put_strip(o, panel);
	put_counts(o, "requests", sizes, SIZE_CLASSES, request_counts(panel, sizes));
	put_counts(o, "orders", orders, ORDERS_MAX, order_pages_of(panel, orders));
	findings.list = list_of(o, "findings");
	panel_findings(panel, put_one, &findings);
}

static void put_style(json_t *root, const struct plot *p)
{
	json_t *causes = list_of(root, "causes"), *orders = list_of(root, "orders");
	json_t *kernels = list_of(root, "kernels");
	char colour[8];

	for (unsigned int i = 0; i < RA_CAUSES; i++) {
		json_t *o = new_element(causes);

		colour_text(cause_colour(i), colour);
		put_text(o, "name", ra_cause_name(i));
		put_text(o, "colour", colour);
	}
	for (unsigned int i = 0; i < ORDER_SHADES; i++) {
		colour_text(order_colour(i), colour);
		json_array_append_new(orders, json_string(colour));
	}
	for (unsigned int k = 0; k < p->n_kernels; k++) {
		json_t *o = new_element(kernels);

		colour_text(kernel_colour(k), colour);
		put_text(o, "name", kernel_name(p, k));
		put_text(o, "colour", colour);
	}
}

static json_t *make_data(const struct plot *p)
{
	char *title __cleanup_free = plot_title(p), *sub __cleanup_free = plot_subtitle(p);
	json_t *root = json_object(), *phases;
	unsigned int panels = p->n_phases * p->n_kernels;

	put_text(root, "title", title);
	put_text(root, "subtitle", sub);
	put_number(root, "page_size", p->page_size);
	put_style(root, p);
	phases = list_of(root, "phases");
	for (unsigned int i = 0; i < p->n_phases; i++) {
		const struct plot_phase *phase = &p->phases[i];
		char *name __cleanup_free = phase_title(p, phase);
		json_t *o = new_element(phases), *list;

		put_text(o, "name", name);
		put_number(o, "duration", MAX(phase->duration / 1000, 1u));
		put_number(o, "end_page", phase->end_page);
		list = list_of(o, "panels");
		for (unsigned int k = 0; k < p->n_kernels; k++)
			put_panel(list, p, phase, k, panels);
	}
	return root;
}

int html_make(const struct plot *p, char **text, size_t *len, struct err *e)
{
	static const char mark[] = "/*DATA*/";
	json_t *root = make_data(p);
	/* "</script>" in a name would end the script: JSON_ESCAPE_SLASH writes "<\/script>" */
	char *data = json_dumps(root, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH);
	const char *at = strstr(plot_page, mark);

	json_decref(root);
	if (!data || !at) {
		free(data);
		return err_set(e, -ENOMEM, "the page can't be made");
	}
	*text = xasprintf("%.*s%s%s", (int)(at - plot_page), plot_page, data, at + strlen(mark));
	*len = strlen(*text);
	free(data);
	return 0;
}
