// SPDX-License-Identifier: GPL-2.0-only
#include "plot/data.h"

#include <errno.h>
#include <string.h>

#include "verify/known.h"
#include "verify/model/model.h"
#include "verify/report/report.h"

#define FILES_MAX 256u

/* What one capture's reader fills in, each in a thread of its own. */
struct collected {
	const struct capture *capture;
	struct panel *panels; /* by the model's index of the phase */
	unsigned int n;
};

struct collector {
	struct collected *list;
	unsigned int n;
};

/* ---- while the captures are read ---- */

static void *collect_begin(void *arg, const struct capture *c)
{
	struct collector *all = arg;

	for (unsigned int i = 0; i < all->n; i++)
		if (all->list[i].capture == c)
			return &all->list[i];
	return NULL;
}

static struct panel *panel_of(struct collected *c, const struct model_phase *p)
{
	if (p->index >= c->n) {
		c->panels = xrealloc(c->panels, p->index + 1, sizeof(*c->panels));
		for (; c->n <= p->index; c->n++) {
			c->panels[c->n] = (struct panel){.strip.step = 1};
			memset(c->panels[c->n].strip.order, ORDER_UNKNOWN, PLOT_STRIP);
		}
	}
	/* another begin: what stood before the first marker is no phase */
	if (c->panels[p->index].begin_ns != p->stats.begin_ns) {
		struct panel *panel = &c->panels[p->index];

		panel->begin_ns = p->stats.begin_ns;
		panel->n_windows = panel->n_faults = panel->n_files = 0;
		panel->strip.step = 1;
		memset(panel->strip.order, ORDER_UNKNOWN, PLOT_STRIP);
	}
	return &c->panels[p->index];
}

/* The last element of the list: files beyond FILES_MAX are drawn nowhere. */
static u32 file_index(struct panel *p, u32 dev, u64 ino, u64 weight)
{
	unsigned int i = 0;

	while (i < p->n_files && (p->files[i].dev != dev || p->files[i].ino != ino))
		i++;
	if (i == FILES_MAX)
		return FILES_MAX;
	if (i == p->n_files) {
		p->files = xrealloc(p->files, ++p->n_files, sizeof(*p->files));
		p->files[i] = (struct plot_file){.dev = dev, .ino = ino};
	}
	p->files[i].weight += weight;
	return i;
}

/* Room for one more in a list that doubles; false when it is full. */
static bool grow(void *list, size_t n, size_t *size, size_t element)
{
	void **p = list;

	if (n < *size)
		return true;
	if (n >= PLOT_MARKS_MAX)
		return false;
	*size = MAX(*size * 2, (size_t)1024);
	*p = xrealloc(*p, *size, element);
	return true;
}

static bool waits(const struct window *w)
{
	return w->has_access && w->after_fault && w->cause != RA_MARKER;
}

static void add_fault(struct panel *p, u64 ts, u64 page, u32 file, bool waited)
{
	if (!grow(&p->faults, p->n_faults, &p->faults_size, sizeof(*p->faults))) {
		p->more = true;
		return;
	}
	p->faults[p->n_faults++] = (struct plot_fault){
		.ts = ts >= p->begin_ns ? ts - p->begin_ns : 0,
		.page = page,
		.file = file,
		.waited = waited,
	};
}

static void collect_window(void *o, const struct model_phase *phase, const struct window *w)
{
	struct panel *p = panel_of(o, phase);
	u32 file = file_index(p, w->dev, w->ino, w->size);

	if (waits(w))
		add_fault(p, w->ts, w->access, file, true);
	if (!grow(&p->windows, p->n_windows, &p->windows_size, sizeof(*p->windows))) {
		p->more = true;
		return;
	}
	p->windows[p->n_windows++] = (struct plot_window){
		.ts = w->ts >= p->begin_ns ? w->ts - p->begin_ns : 0,
		.start = w->start,
		.size = (u32)MIN(w->size, (u64)UINT32_MAX),
		.file = file,
		.cause = (u8)w->cause,
		.order = w->max_order,
	};
}

static void collect_fault(void *o, const struct model_phase *phase, const struct event *ev)
{
	struct panel *p = panel_of(o, phase);

	add_fault(p, ev->ts, ev->access.index, file_index(p, ev->dev, ev->ino, 0), false);
}

/* Orders of all files; a lone trace of several has a strip of the largest at each offset. */
static void collect_folio(void *o, const struct model_phase *phase, const struct event *ev)
{
	struct plot_strip *s = &panel_of(o, phase)->strip;
	u64 first = ev->folio.index, last = first + order_pages(ev->folio.order) - 1;

	if (ev->folio.order == ORDER_UNKNOWN || last < first || last > UINT64_MAX / 2)
		return;
	while (last / s->step >= PLOT_STRIP) {
		for (unsigned int i = 0; i < PLOT_STRIP / 2; i++) {
			u8 a = s->order[2 * i], b = s->order[2 * i + 1];

			s->order[i] = a == ORDER_UNKNOWN ? b : b == ORDER_UNKNOWN ? a : MAX(a, b);
		}
		memset(s->order + PLOT_STRIP / 2, ORDER_UNKNOWN, PLOT_STRIP / 2);
		s->step *= 2;
	}
	for (u64 i = first / s->step; i <= last / s->step; i++)
		if (s->order[i] == ORDER_UNKNOWN || s->order[i] < ev->folio.order)
			s->order[i] = ev->folio.order;
}

/* ---- afterwards ---- */

static void choose_file(struct panel *p)
{
	for (unsigned int i = 1; i < p->n_files; i++)
		if (p->files[i].weight > p->files[p->file].weight)
			p->file = i;
}

static void measure(struct panel *p, struct plot_phase *phase)
{
	u64 end = 0;

	choose_file(p);
	for (size_t i = 0; i < p->n_windows; i++)
		if (window_shown(p, &p->windows[i]) && p->windows[i].start < UINT64_MAX / 4)
			end = MAX(end, p->windows[i].start + p->windows[i].size);
	for (size_t i = 0; i < p->n_faults; i++)
		if (p->faults[i].file == p->file && p->faults[i].page < UINT64_MAX / 4)
			end = MAX(end, p->faults[i].page + 1);
	phase->end_page = MAX(phase->end_page, end);
	if (p->stats)
		phase->duration = MAX(phase->duration, p->stats->end_ns - p->stats->begin_ns);
}

/* Moves the panels of the phase named @name to its place among the kernels. */
static void place_panels(struct plot *p, struct plot_phase *phase)
{
	phase->panels = xcalloc(p->n_kernels, sizeof(*phase->panels));
	for (unsigned int k = 0; k < p->n_kernels; k++) {
		const struct capture_result *c = &p->analysis->captures[k];
		struct panel *panel = &phase->panels[k];
		struct collected *from = &p->collector->list[k];

		for (unsigned int i = 0; i < c->n_phases; i++) {
			if (strcmp(c->phases[i].name, phase->name))
				continue;
			if (i < from->n) {
				*panel = from->panels[i];
				from->panels[i] = (struct panel){0};
			}
			panel->stats = &c->phases[i];
			break;
		}
		panel->capture = c;
		measure(panel, phase);
	}
	phase->duration = MAX(phase->duration, 1000u);
	phase->end_page = MAX(phase->end_page, 1u);
}

static int choose_phases(struct plot *p, const char *only, struct err *e)
{
	const char **names;
	unsigned int n = analysis_phases(p->analysis, &names);

	p->phases = xcalloc(n, sizeof(*p->phases));
	for (unsigned int i = 0; i < n; i++) {
		if (only && strcmp(only, names[i]))
			continue;
		p->phases[p->n_phases].name = names[i];
		place_panels(p, &p->phases[p->n_phases++]);
	}
	if (!n)
		err_set(e, -EINVAL, "%s: there is no event in it that could be drawn",
			p->run->path);
	else if (!p->n_phases)
		unknown_word(e, "phase", only ? only : "", names, n, "the run has no such phase");
	free(names);
	return p->n_phases ? 0 : -EINVAL;
}

/* Of each kernel the one capture that is drawn; the others are not read. */
static int choose_captures(struct plot *p, unsigned int repeat, struct err *e)
{
	struct run *run = p->run;
	unsigned int n = 0;

	p->captures = run->n_captures;
	p->repeat = repeat;
	for (unsigned int i = 0; i < run->n_captures; i++) {
		struct capture *c = run->captures[i];

		/* a lone capture is drawn whatever its number */
		if (c->has_json && run->has_json && c->repeat != repeat)
			continue;
		run->captures[i] = run->captures[n];
		run->captures[n++] = c;
	}
	if (!n)
		return err_set(e, -EINVAL, "%s: there is no repeat %u of any kernel", run->path,
			       repeat);
	run->n_captures = n;
	return 0;
}

int plot_open(struct plot **out, const char *path, const struct plot_options *opt, struct err *e)
{
	struct plot *p = xcalloc(1, sizeof(*p));
	struct observer observer = {
		.begin = collect_begin,
		.window = collect_window,
		.fault = collect_fault,
		.folio = collect_folio,
	};
	struct analyze_options analyze_opt = {
		.stats = true, .partial = opt->partial, .observer = &observer};
	int ret;

	p->collector = xcalloc(1, sizeof(*p->collector));
	ret = run_open(&p->run, path, e);
	if (!ret)
		ret = choose_captures(p, opt->repeat, e);
	if (!ret) {
		p->collector->n = p->run->n_captures;
		p->collector->list = xcalloc(p->run->n_captures, sizeof(*p->collector->list));
		for (unsigned int i = 0; i < p->run->n_captures; i++)
			p->collector->list[i].capture = p->run->captures[i];
		observer.arg = p->collector;
		ret = analyze(p->run, &analyze_opt, &p->analysis, e);
	}
	if (!ret) {
		p->n_kernels = analysis_kernels(p->analysis, &p->kernels);
		p->page_size = capture_page_size(&p->analysis->captures[0]);
		/* reports are made of the analysis, and the options are gone by then */
		p->analysis->opt = NULL;
		ret = choose_phases(p, opt->phase, e);
	}
	if (ret) {
		plot_close(p);
		return ret;
	}
	*out = p;
	return 0;
}

static void panel_free(struct panel *p)
{
	free(p->windows);
	free(p->faults);
	free(p->files);
}

void plot_close(struct plot *p)
{
	for (unsigned int i = 0; i < p->n_phases; i++) {
		for (unsigned int k = 0; k < p->n_kernels; k++)
			panel_free(&p->phases[i].panels[k]);
		free(p->phases[i].panels);
	}
	for (unsigned int i = 0; i < p->collector->n; i++) {
		for (unsigned int k = 0; k < p->collector->list[i].n; k++)
			panel_free(&p->collector->list[i].panels[k]);
		free(p->collector->list[i].panels);
	}
	free(p->collector->list);
	free(p->collector);
	free(p->phases);
	free(p->kernels);
	analysis_free(p->analysis);
	if (p->run && p->captures)
		p->run->n_captures = p->captures;
	run_close(p->run);
	free(p);
}

void panel_findings(const struct panel *p, finding_fn fn, void *arg)
{
	for (unsigned int i = 0; p->stats && i < p->capture->n_results; i++) {
		const struct result *r = &p->capture->results[i];

		if (result_verdict(r) != VERDICT_FAIL || strcmp(r->phase, p->stats->name))
			continue;
		for (unsigned int k = 0; k < r->n_findings; k++)
			fn(arg, r, &r->findings[k]);
	}
}

size_t panel_marks(const struct panel *p)
{
	size_t n = p->n_windows;

	for (size_t i = 0; i < p->n_faults; i++)
		n += p->faults[i].waited;
	return n;
}
