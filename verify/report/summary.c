// SPDX-License-Identifier: GPL-2.0-only
#include "verify/report/summary.h"

#include <math.h>
#include <string.h>

#include "verify/report/report.h"

static size_t cell(const struct summary *s, enum metric_id m, unsigned int phase,
		   unsigned int kernel)
{
	return ((size_t)m * s->n_phases + phase) * s->n_kernels + kernel;
}

const struct figure *summary_figure(const struct summary *s, enum metric_id m, unsigned int phase,
				    unsigned int kernel)
{
	return &s->figures[cell(s, m, phase, kernel)];
}

double summary_p(const struct summary *s, enum metric_id m, unsigned int phase, unsigned int kernel)
{
	return s->p[cell(s, m, phase, kernel)];
}

bool summary_lossy(const struct summary *s, enum metric_id m, unsigned int phase,
		   unsigned int kernel)
{
	return s->lossy[cell(s, m, phase, kernel)];
}

bool summary_differs(const struct summary *s, enum metric_id m, unsigned int phase,
		     unsigned int kernel)
{
	double p = summary_p(s, m, phase, kernel);

	return !isnan(p) && p < NOISE_LEVEL;
}

unsigned int summary_reference(const struct summary *s, unsigned int kernel)
{
	return s->a->pairs ? kernel & ~1u : 0;
}

static unsigned int kernel_of(const struct summary *s, const struct capture *c)
{
	unsigned int k = 0;

	while (strcmp(s->kernels[k], c->kernel))
		k++;
	return k;
}

/*
 * Of one capture and phase, all metrics: pass 0 finds the mean, pass 1 sums the squares
 * around it, since the difference of large squares loses what it is to show.
 */
static void take_values(struct summary *s, const struct capture_result *c, unsigned int phase,
			unsigned int kernel, int pass)
{
	const struct phase_info *info = phase_info_of(c->capture, s->phases[phase]);
	const struct phase_stats *stats = phase_stats_of(c, s->phases[phase]);

	for (unsigned int m = 0; m < METRICS; m++) {
		struct figure *f = &s->figures[cell(s, m, phase, kernel)];
		double v;

		if (!metrics[m].get(c, info, stats, &v))
			continue;
		s->lossy[cell(s, m, phase, kernel)] |= metric_lossy(m, c, info, stats);
		if (!pass) {
			/* as figure_from(): that of equal values is exactly their value */
			f->mean += (v - f->mean) / ++f->n;
		} else {
			f->stdev += (v - f->mean) * (v - f->mean);
		}
	}
}

static void compute_figures(struct summary *s)
{
	size_t n = (size_t)METRICS * s->n_phases * s->n_kernels;

	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < s->a->n_captures; i++) {
			const struct capture_result *c = &s->a->captures[i];
			unsigned int k = kernel_of(s, c->capture);

			if (!pass)
				s->captures[k]++;
			for (unsigned int p = 0; p < s->n_phases; p++)
				take_values(s, c, p, k, pass);
		}
		for (size_t i = 0; i < n; i++) {
			struct figure *f = &s->figures[i];

			if (pass)
				f->stdev = f->n > 1 ? sqrt(f->stdev / (f->n - 1)) : 0;
		}
	}
}

static void compute_tests(struct summary *s)
{
	size_t n = (size_t)METRICS * s->n_phases * s->n_kernels;

	for (unsigned int m = 0; m < METRICS; m++) {
		for (unsigned int p = 0; p < s->n_phases; p++) {
			for (unsigned int k = 0; k < s->n_kernels; k++) {
				unsigned int ref = summary_reference(s, k);

				s->p[cell(s, m, p, k)] =
					ref == k || summary_lossy(s, m, p, ref) ||
							summary_lossy(s, m, p, k)
						? NAN
						: welch_p(summary_figure(s, m, p, ref),
							  summary_figure(s, m, p, k),
							  metrics[m].step);
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		s->n_tests += !isnan(s->p[i]);
	holm_correct(s->p, (unsigned int)n);
}

struct summary *summary_new(const struct analysis *a)
{
	struct summary *s = xcalloc(1, sizeof(*s));
	size_t n;

	s->a = a;
	s->n_kernels = analysis_kernels(a, &s->kernels);
	s->n_phases = analysis_phases(a, &s->phases);
	n = (size_t)METRICS * s->n_phases * s->n_kernels;
	s->captures = xcalloc(s->n_kernels, sizeof(*s->captures));
	s->figures = xcalloc(n, sizeof(*s->figures));
	s->lossy = xcalloc(n, sizeof(*s->lossy));
	s->p = xcalloc(n, sizeof(*s->p));
	compute_figures(s);
	compute_tests(s);
	for (unsigned int k = 0; k < s->n_kernels; k++)
		s->repeats |= s->captures[k] > 1;
	return s;
}

void summary_free(struct summary *s)
{
	if (!s)
		return;
	free(s->kernels);
	free(s->phases);
	free(s->captures);
	free(s->figures);
	free(s->lossy);
	free(s->p);
	free(s);
}
