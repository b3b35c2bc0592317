// SPDX-License-Identifier: GPL-2.0-only
/* What is counted and measured of a phase: one function per figure, and their table. */
#include <math.h>
#include <string.h>

#include "verify/report/report.h"

#define MIB 1048576.0

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

/*
 * What was read to serve the phase: by OSDs, where the file is on them.  False: it is
 * not known where in the device's log the phase is, or the log has holes there.
 */
static bool bytes_read(const struct capture_result *c, const struct phase_info *p,
		       const struct phase_stats *s, double *v)
{
	if (!s || !p || !p->bytes_asked)
		return false;
	if (p->osd_known)
		*v = (double)p->osd_read_bytes;
	else
		*v = (double)(has_host_log(c) ? s->host_bytes : s->guest_bytes);
	return p->osd_known || !has_host_log(c) || s->host_known;
}

static bool get_read_requests(const struct capture_result *c, const struct phase_info *p,
			      const struct phase_stats *s, double *v)
{
	if (p && p->osd_known) {
		*v = (double)p->osd_reads;
		return true;
	}
	/* the log is the test disk's, which such a phase does not read */
	if (p && p->whole_system) {
		*v = (double)p->nfs_reads;
		return p->nfs_known;
	}
	*v = s ? (double)(has_host_log(c) ? s->host_requests : s->guest_requests) : 0;
	return s && (!has_host_log(c) || s->host_known);
}

static bool get_device_ratio(const struct capture_result *c, const struct phase_info *p,
			     const struct phase_stats *s, double *v)
{
	double bytes;

	if (!bytes_read(c, p, s, &bytes))
		return false;
	*v = bytes / (double)p->bytes_asked;
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

/* ---- what it costs ---- */

static bool get_system(const struct capture_result *c __unused_arg, const struct phase_info *p,
		       const struct phase_stats *s __unused_arg, double *v)
{
	*v = p ? (double)p->system_ns / 1e9 : 0;
	return p && p->system_known;
}

/* Read from the device beyond what was asked for; below zero where the cache had some of it. */
static bool get_extra(const struct capture_result *c, const struct phase_info *p,
		      const struct phase_stats *s, double *v)
{
	double bytes;

	if (!bytes_read(c, p, s, &bytes))
		return false;
	*v = (bytes - (double)p->bytes_asked) / MIB;
	return true;
}

/* Of the pages that readahead added, those that no event shows in use, per cent. */
static bool get_unused(const struct capture_result *c __unused_arg,
		       const struct phase_info *p __unused_arg, const struct phase_stats *s,
		       double *v)
{
	const struct phase_figures *f = s ? s->figures : NULL;

	if (!f || f->why[FIG_UNUSED][0] || f->lost[0] || !f->usage.pages)
		return false;
	*v = 100 * (double)usage_unused(&f->usage) / (double)f->usage.pages;
	return true;
}

static bool get_cached(const struct capture_result *c, const struct phase_info *p,
		       const struct phase_stats *s __unused_arg, double *v)
{
	*v = p ? (double)p->cached_after * c->capture->page_size / MIB : 0;
	return p && p->cached_after_known;
}

static bool get_memory(const struct capture_result *c, const struct phase_info *p,
		       const struct phase_stats *s __unused_arg, double *v)
{
	*v = p ? (double)p->memory_pages * c->capture->page_size / MIB : 0;
	return p && p->memory_known;
}

static bool get_elapsed(const struct capture_result *c, const struct phase_info *p,
			const struct phase_stats *s __unused_arg, double *v)
{
	*v = p ? (double)p->elapsed_ns / 1e9 : 0;
	return p && c->capture->has_json;
}

bool metric_lossy(enum metric_id m, const struct capture_result *c, const struct phase_info *p,
		  const struct phase_stats *s)
{
	if (!s || !s->figures || !s->figures->lost[0])
		return false;
	if (metrics[m].source == SOURCE_DEVICE)
		return !(p && p->osd_known) && !has_host_log(c);
	return metrics[m].source == SOURCE_EVENTS;
}

const struct metric metrics[METRICS] = {
	[METRIC_MAJOR_FAULTS] = {"major-faults", "major faults", 0, 1, SOURCE_COUNTERS,
				 get_major_faults},
	[METRIC_READ_REQUESTS] = {"read-requests", "read requests", 0, 1, SOURCE_DEVICE,
				  get_read_requests},
	[METRIC_DEVICE_RATIO] = {"device-bytes-ratio", "bytes read / asked", DECIMALS_BY_SIZE, 0,
				 SOURCE_DEVICE, get_device_ratio},
	[METRIC_LARGEST_ORDER] = {"largest-folio-order", "largest folio order", 0, 1, SOURCE_EVENTS,
				  get_largest_order},
	[METRIC_LARGE_FOLIO_SHARE] = {"large-folio-page-share", "share of pages in large folios", 3,
				      0, SOURCE_EVENTS, get_large_share},
	[METRIC_MARKER_FOLLOWED] = {"marker-hits-followed", "marker hits, readahead followed", 0, 1,
				    SOURCE_EVENTS, get_marker_followed},
	[METRIC_MARKER_IDLE] = {"marker-hits-idle", "marker hits, nothing followed", 0, 1,
				SOURCE_EVENTS, get_marker_idle},
	[METRIC_ELAPSED] = {"elapsed-seconds", "elapsed, s", 2, 0, SOURCE_COUNTERS, get_elapsed},
	[METRIC_SYSTEM] = {"system-seconds", "system time, s", 2, 0, SOURCE_COUNTERS, get_system},
	[METRIC_EXTRA] = {"extra-mib-read", "read beyond what was asked for, MiB", 1, 4096 / MIB,
			  SOURCE_DEVICE, get_extra},
	[METRIC_UNUSED] = {"unused-readahead-percent", "readahead never seen used, % of its pages",
			   1, 0, SOURCE_EVENTS, get_unused},
	[METRIC_CACHED] = {"cached-mib", "page cache of the file after the phase, MiB", 1,
			   4096 / MIB, SOURCE_COUNTERS, get_cached},
	[METRIC_MEMORY] = {"memory-mib", "free memory that the phase took, MiB", 1, 4096 / MIB,
			   SOURCE_COUNTERS, get_memory},
};
