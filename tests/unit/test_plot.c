// SPDX-License-Identifier: GPL-2.0-only
/* What bin/plot collects of the example run, against what verify counts; and its page's data. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "plot/output.h"
#include "plot/style.h"
#include "verify/event.h"

static struct plot *open_example(const char *path, const char *phase)
{
	const struct plot_options opt = {.phase = phase, .repeat = 1};
	struct plot *p;
	struct err e;

	if (plot_open(&p, path, &opt, &e))
		fail_msg("%s", e.msg);
	return p;
}

/* Every window that verify counts is a mark, under its cause, within the phase and the file. */
static void check_panel(const struct plot_phase *phase, const struct panel *p)
{
	u64 by_cause[RA_CAUSES] = {0}, waited = 0, pages = 0;

	assert_non_null(p->stats);
	for (size_t i = 0; i < p->n_windows; i++) {
		const struct plot_window *w = &p->windows[i];

		by_cause[w->cause]++;
		pages += w->size;
		assert_true(window_shown(p, w));
		assert_true(w->ts <= phase->duration);
		assert_true(w->start + w->size <= phase->end_page);
	}
	for (unsigned int c = 0; c < RA_CAUSES; c++) {
		assert_int_equal(by_cause[c], p->stats->windows[c]);
		pages -= p->stats->window_pages[c];
	}
	assert_int_equal(pages, 0);
	for (size_t i = 0; i < p->n_faults; i++)
		waited += p->faults[i].waited;
	assert_int_equal(p->n_faults - waited, p->stats->faults);
	assert_true(waited <= p->stats->windows[RA_READAROUND] + p->stats->windows[RA_UNKNOWN]);
}

static void test_run(void **state __unused_arg)
{
	struct plot *p = open_example("traces/example", NULL);
	u64 sizes[SIZE_CLASSES], orders[ORDERS_MAX], n = 0;
	const struct panel *base, *patched;

	assert_int_equal(p->n_kernels, 2);
	assert_int_equal(p->n_phases, 4);
	for (unsigned int i = 0; i < p->n_phases; i++)
		for (unsigned int k = 0; k < p->n_kernels; k++)
			check_panel(&p->phases[i], &p->phases[i].panels[k]);
	base = &p->phases[0].panels[0];
	patched = &p->phases[0].panels[1];
	assert_true(base->n_windows > 15);
	/* the strip: nothing but order 0 on base, large folios on patched, at the end of the file
	 */
	for (unsigned int i = 0; i < PLOT_STRIP; i++)
		assert_true(base->strip.order[i] == ORDER_UNKNOWN || !base->strip.order[i]);
	assert_true(patched->strip.order[(24u << 20) / 4096 / patched->strip.step - 1] >= 8);
	assert_true(request_counts(base, sizes));
	for (unsigned int i = 0; i < SIZE_CLASSES; i++)
		n += sizes[i];
	assert_int_equal(n, base->stats->host_requests);
	assert_true(order_pages_of(patched, orders));
	assert_true(orders[8] > orders[0]);
	plot_close(p);
}

static void test_trace(void **state __unused_arg)
{
	struct plot *p = open_example("traces/example/base-1/trace.dat", NULL);

	/* markers make phases without a capture.json too */
	assert_int_equal(p->n_kernels, 1);
	assert_int_equal(p->n_phases, 4);
	assert_true(p->phases[0].panels[0].n_windows > 15);
	plot_close(p);
	p = open_example("traces/example/base-1/trace.dat", "pread-copy");
	assert_int_equal(p->n_phases, 1);
	plot_close(p);
}

static void test_errors(void **state __unused_arg)
{
	struct plot_options opt = {.phase = "one-threat", .repeat = 1};
	struct plot *p;
	struct err e;

	assert_true(plot_open(&p, "traces/example", &opt, &e) < 0);
	assert_non_null(strstr(e.msg, "did you mean 'one-thread'"));
	opt = (struct plot_options){.repeat = 3};
	assert_true(plot_open(&p, "traces/example", &opt, &e) < 0);
	assert_true(plot_open(&p, "traces/none", &opt, &e) < 0);
}

/* The data in the page is JSON, and its lists are as long as they should be. */
static void test_page(void **state __unused_arg)
{
	struct plot *p = open_example("traces/example", NULL);
	char *text, *from, *to;
	json_error_t je;
	json_t *root, *panel;
	struct err e;
	size_t len;

	assert_int_equal(html_make(p, &text, &len, &e), 0);
	assert_int_equal(strlen(text), len);
	from = strstr(text, "id=\"data\">");
	assert_non_null(from);
	from += strlen("id=\"data\">");
	to = strstr(from, "</script>");
	assert_non_null(to);
	root = json_loadb(from, (size_t)(to - from), 0, &je);
	if (!root)
		fail_msg("line %d: %s", je.line, je.text);
	panel = json_array_get(
		json_object_get(json_array_get(json_object_get(root, "phases"), 0), "panels"), 0);
	assert_int_equal(json_array_size(json_object_get(panel, "windows")),
			 5 * p->phases[0].panels[0].n_windows);
	assert_true(json_array_size(json_object_get(panel, "findings")) > 3);
	json_decref(root);
	free(text);
	plot_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
