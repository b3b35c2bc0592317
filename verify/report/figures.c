// SPDX-License-Identifier: GPL-2.0-only
/* The figures of the before/after table, and the grouping of verdicts. */
#include <math.h>
#include <string.h>

#include "verify/checks/check.h"
#include "verify/model/judge.h"
#include "verify/report/report.h"

const char *expectation_name(enum expectation e)
{
	static const char *const names[] = {"holds", "violated", "any"};

	return (unsigned int)e < ARRAY_SIZE(names) ? names[e] : "?";
}

const char *outcome_name(enum outcome o)
{
	static const char *const names[OUTCOMES] = {
		[OUTCOME_NONE] = "none",
		[OUTCOME_REPORTED] = "reported",
		[OUTCOME_MET] = "met",
		[OUTCOME_VIOLATED] = "violated",
		[OUTCOME_UNDECIDED] = "undecided",
		[OUTCOME_NOT_SHOWN] = "not-shown",
	};

	return (unsigned int)o < OUTCOMES ? names[o] : "?";
}

const struct phase_info *phase_info_of(const struct capture *c, const char *phase)
{
	for (unsigned int i = 0; i < c->n_phases; i++)
		if (!strcmp(c->phases[i].name, phase))
			return &c->phases[i];
	return NULL;
}

const struct phase_stats *phase_stats_of(const struct capture_result *c, const char *phase)
{
	for (unsigned int i = 0; i < c->n_phases; i++)
		if (!strcmp(c->phases[i].name, phase))
			return &c->phases[i];
	return NULL;
}

static bool get_major_faults(const struct capture_result *c, const struct phase_info *p,
			     const struct phase_stats *s __unused_arg, double *v)
{
	*v = p ? (double)p->pgmajfault : 0;
	return p && c->capture->has_json;
}

/* The device's own log where there is one: the guest can't tell what reached it. */
static bool has_host_log(const struct capture_result *c)
{
	return c->capture->has_json && c->capture->blktrace;
}

static bool get_read_requests(const struct capture_result *c,
			      const struct phase_info *p __unused_arg, const struct phase_stats *s,
			      double *v)
{
	*v = s ? (double)(has_host_log(c) ? s->host_requests : s->guest_requests) : 0;
	return s;
}

static bool get_device_ratio(const struct capture_result *c, const struct phase_info *p,
			     const struct phase_stats *s, double *v)
{
	if (!s || !p || !p->bytes_asked)
		return false;
	*v = (double)(has_host_log(c) ? s->host_bytes : s->guest_bytes) / (double)p->bytes_asked;
	return true;
}

/* Pages added by folios of any order, and of order 1 and above; false: orders not known. */
static bool metric_order_pages(const struct phase_stats *s, double *all, double *large,
			       unsigned int *largest)
{
	*all = *large = 0;
	*largest = 0;
	if (!s || s->folios_unknown_order)
		return false;
	for (unsigned int i = 0; i < ORDERS_MAX; i++) {
		double pages = ldexp((double)s->folios[i], (int)i);

		*all += pages;
		if (i)
			*large += pages;
		if (s->folios[i])
			*largest = i;
	}
	return *all > 0;
}

static bool get_largest_order(const struct capture_result *c __unused_arg,
			      const struct phase_info *p __unused_arg, const struct phase_stats *s,
			      double *v)
{
	double all, large;
	unsigned int largest;
	bool known = metric_order_pages(s, &all, &large, &largest);

	*v = largest;
	return known;
}

static bool get_large_share(const struct capture_result *c __unused_arg,
			    const struct phase_info *p __unused_arg, const struct phase_stats *s,
			    double *v)
{
	double all, large;
	unsigned int largest;

	if (!metric_order_pages(s, &all, &large, &largest))
		return false;
	*v = large / all;
	return true;
}

static bool get_marker_idle(const struct capture_result *c __unused_arg,
			    const struct phase_info *p __unused_arg, const struct phase_stats *s,
			    double *v)
{
	*v = s ? (double)s->marker_hits_idle : 0;
	return s;
}

static bool get_marker_followed(const struct capture_result *c __unused_arg,
				const struct phase_info *p __unused_arg,
				const struct phase_stats *s, double *v)
{
	*v = s ? (double)s->marker_hits - (double)s->marker_hits_idle : 0;
	return s;
}

static bool get_elapsed(const struct capture_result *c, const struct phase_info *p,
			const struct phase_stats *s __unused_arg, double *v)
{
	*v = p ? (double)p->elapsed_ns / 1e9 : 0;
	return p && c->capture->has_json;
}

const struct metric metrics[METRICS] = {
	[METRIC_MAJOR_FAULTS] = {"major-faults", "major faults", get_major_faults},
	[METRIC_READ_REQUESTS] = {"read-requests", "read requests", get_read_requests},
	[METRIC_DEVICE_RATIO] = {"device-bytes-ratio", "bytes read / asked", get_device_ratio},
	[METRIC_LARGEST_ORDER] = {"largest-folio-order", "largest folio order", get_largest_order},
	[METRIC_LARGE_FOLIO_SHARE] = {"large-folio-page-share", "pages in large folios",
				      get_large_share},
	[METRIC_MARKER_FOLLOWED] = {"marker-hits-followed", "marker hits, followed",
				    get_marker_followed},
	[METRIC_MARKER_IDLE] = {"marker-hits-idle", "marker hits, idle", get_marker_idle},
	[METRIC_ELAPSED] = {"elapsed-seconds", "elapsed", get_elapsed},
};

struct figure figure_of(const struct analysis *a, const char *kernel, const char *phase,
			enum metric_id m)
{
	struct figure f = {0};
	double sum = 0, squares = 0, v;

	/* two passes: the difference of large squares loses what it is to show */
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < a->n_captures; i++) {
			const struct capture_result *c = &a->captures[i];

			if (strcmp(c->capture->kernel, kernel) ||
			    !metrics[m].get(c, phase_info_of(c->capture, phase),
					    phase_stats_of(c, phase), &v))
				continue;
			if (!pass) {
				sum += v;
				f.n++;
			} else {
				squares += (v - f.mean) * (v - f.mean);
			}
		}
		if (!f.n)
			return f;
		f.mean = sum / f.n;
	}
	f.stdev = f.n > 1 ? sqrt(squares / (f.n - 1)) : 0;
	return f;
}

static bool add_name(const char ***names, unsigned int *n, const char *name)
{
	for (unsigned int i = 0; i < *n; i++)
		if (!strcmp((*names)[i], name))
			return false;
	*names = xrealloc(*names, *n + 1, sizeof(**names));
	(*names)[(*n)++] = name;
	return true;
}

unsigned int analysis_kernels(const struct analysis *a, const char ***names)
{
	unsigned int n = 0;

	*names = NULL;
	for (unsigned int i = 0; i < a->n_captures; i++)
		add_name(names, &n, a->captures[i].capture->kernel);
	return n;
}

unsigned int analysis_phases(const struct analysis *a, const char ***names)
{
	unsigned int n = 0;

	*names = NULL;
	for (unsigned int i = 0; i < a->n_captures; i++)
		for (unsigned int j = 0; j < a->captures[i].n_phases; j++)
			add_name(names, &n, a->captures[i].phases[j].name);
	return n;
}

unsigned int analysis_checks(const struct analysis *a, const struct check ***checks)
{
	unsigned int n = 0;

	*checks = NULL;
	for (unsigned int i = 0; i < a->n_captures; i++) {
		for (unsigned int j = 0; j < a->captures[i].n_results; j++) {
			const struct check *c = a->captures[i].results[j].check;
			unsigned int k = 0;

			while (k < n && (*checks)[k] != c)
				k++;
			if (k < n)
				continue;
			*checks = xrealloc(*checks, n + 1, sizeof(**checks));
			(*checks)[n++] = c;
		}
	}
	return n;
}

unsigned int analysis_limits(const struct analysis *a, struct changed_limit **limits)
{
	unsigned int n = 0;

	*limits = NULL;
	for (unsigned int i = 0; i < n_all_checks; i++) {
		const struct check *c = all_checks[i];
		double value[CHECK_LIMITS_MAX];

		if (!check_selected(c, a->opt))
			continue;
		check_limits(c, a->run->exp, a->opt, value);
		for (unsigned int k = 0; k < CHECK_LIMITS_MAX && c->limits[k].name; k++) {
			if (value[k] == c->limits[k].value)
				continue;
			*limits = xrealloc(*limits, n + 1, sizeof(**limits));
			(*limits)[n++] = (struct changed_limit){c, &c->limits[k], value[k]};
		}
	}
	return n;
}

struct cell cell_of(const struct analysis *a, const char *kernel, const struct check *check)
{
	struct cell cell = {0};

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];

		if (strcmp(c->capture->kernel, kernel))
			continue;
		for (unsigned int j = 0; j < c->n_results; j++) {
			if (c->results[j].check != check)
				continue;
			cell.verdicts[result_verdict(&c->results[j])]++;
			cell.outcomes[result_outcome(&c->results[j])]++;
			if (result_never_applied(c->results, c->n_results, &c->results[j]))
				cell.outcomes[OUTCOME_NOT_SHOWN]++;
		}
	}
	return cell;
}
