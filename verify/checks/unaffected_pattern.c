// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <string.h>

#include "verify/model/judge.h"
#include "verify/noise.h"

enum { LIMIT_MAX_BYTES, LIMIT_MAX_REQUESTS, LIMIT_MAX_OSD_REQUESTS };

/* Who counted; the first that knows it in all captures. */
enum source { OSDS, DEVICE, GUEST, SOURCES };

struct figures {
	unsigned int n;
	struct figure bytes, requests;
	enum reason reason;  /* a capture that can't be used */
	bool known[SOURCES]; /* in all captures */
	u64 strided;	     /* reads that were taken as strided */
	bool strided_known;  /* all captures have such events */
};

static struct figures figures_of(const struct run_judge *r, const char *kernel, unsigned int phase,
				 enum source source)
{
	struct figures f = {.known = {true, true, true}, .strided_known = true};
	double *bytes __cleanup_free = xcalloc(r->run->n_captures, sizeof(*bytes));
	double *requests __cleanup_free = xcalloc(r->run->n_captures, sizeof(*requests));

	for (unsigned int i = 0; i < r->run->n_captures; i++) {
		const struct phase_facts *pf = &r->facts[i * r->n_phases + phase];

		if (strcmp(r->run->captures[i]->kernel, kernel))
			continue;
		if (!pf->stats || !pf->usable) {
			f.reason = pf->reason;
			continue;
		}
		f.known[OSDS] &= pf->info && pf->info->osd_known;
		f.known[DEVICE] &= pf->host_known;
		f.strided += pf->stats->strided_reads;
		f.strided_known &= pf->stats->strided_known;
		if (source == OSDS && f.known[OSDS]) {
			bytes[f.n] = (double)pf->info->osd_read_bytes;
			requests[f.n] = (double)pf->info->osd_reads;
		} else if (source == DEVICE) {
			bytes[f.n] = (double)pf->stats->host_bytes;
			requests[f.n] = (double)pf->stats->host_requests;
		} else {
			bytes[f.n] = (double)pf->stats->guest_bytes;
			requests[f.n] = (double)pf->stats->guest_requests;
		}
		f.n++;
	}
	f.bytes = figure_from(bytes, f.n);
	f.requests = figure_from(requests, f.n);
	return f;
}

static double percent(double a, double b)
{
	return b > 0 ? 100 * (a - b) / b : 0;
}

/*
 * Where repeats show how much boots of one kernel differ, more than @limit is a
 * violation only if it is more than that; else nobody can tell.  One boot shows no noise, and
 * is held against the limit alone.
 */
static void finding_add(struct result *res, double limit, const char *what, const struct figure *k,
			const struct figure *base, double step)
{
	double a = k->mean, b = base->mean, by = percent(a, b), p = welch_p(base, k, step);
	size_t n = strlen(res->detail);
	struct finding *f;

	if (fabs(by) <= limit)
		return;
	if (!isnan(p) && p >= NOISE_LEVEL) {
		res->reason = WHY_NOISE;
		snprintf(res->detail + n, sizeof(res->detail) - n, ", p %.2f", p);
		return;
	}
	f = &res->findings[res->n_findings++];
	res->violations++;
	f->weight = fabs(by);
	snprintf(f->text, sizeof(f->text), "%s differ by %+.1f %% (%.0f, %.0f on the first kernel)",
		 what, by, a, b);
}

/* A read that a detector of strides takes for one although nothing here is strided. */
static void look_at_strides(struct result *res, const struct figures *k)
{
	size_t n = strlen(res->detail);
	struct finding *f;

	if (!k->strided_known) {
		snprintf(res->detail + n, sizeof(res->detail) - n,
			 ", strided reads not measurable");
		return;
	}
	snprintf(res->detail + n, sizeof(res->detail) - n, ", strided reads %llu",
		 (unsigned long long)k->strided);
	if (!k->strided)
		return;
	f = &res->findings[res->n_findings++];
	res->violations++;
	f->weight = (double)k->strided;
	snprintf(f->text, sizeof(f->text), "%llu reads were taken as strided",
		 (unsigned long long)k->strided);
}

static void compare(struct run_judge *r, unsigned int phase, const char *base, const char *kernel)
{
	static const char *const names[] = {", OSDs", "", ", guest's own"};
	struct result *res = run_judge_result(r, r->run->exp->phases[phase].name);
	struct figures b, k;
	enum source source;
	double bytes, requests, max_requests;

	res->expected = experiment_expects(r->run->exp, kernel, res->phase, r->check->name);
	for (source = OSDS; source < SOURCES; source++) {
		b = figures_of(r, base, phase, source);
		k = figures_of(r, kernel, phase, source);
		if (b.known[source] && k.known[source])
			break;
	}
	if (b.reason || k.reason || !b.n || !k.n || b.requests.mean <= 0) {
		res->verdict = VERDICT_INCONCLUSIVE;
		res->reason = b.reason ? b.reason : k.reason ? k.reason : WHY_NOTHING_TO_CHECK;
		snprintf(res->detail, sizeof(res->detail), "%s against %s: %s", kernel, base,
			 reason_text(res->reason));
		return;
	}
	bytes = percent(k.bytes.mean, b.bytes.mean);
	requests = percent(k.requests.mean, b.requests.mean);
	res->examined = b.n + k.n;
	snprintf(
		res->detail, sizeof(res->detail),
		"%s against %s: bytes %+.2f %% (%.0f, %.0f), requests %+.2f %% (%.0f, %.0f), n %u, %u%s",
		kernel, base, bytes, k.bytes.mean, b.bytes.mean, requests, k.requests.mean,
		b.requests.mean, k.n, b.n, names[source]);
	finding_add(res, r->limit[LIMIT_MAX_BYTES], source == OSDS ? "OSD bytes" : "device bytes",
		    &k.bytes, &b.bytes, SECTOR_SIZE);
	max_requests = r->limit[source == OSDS ? LIMIT_MAX_OSD_REQUESTS : LIMIT_MAX_REQUESTS];
	if (max_requests > 0)
		finding_add(res, max_requests, "requests", &k.requests, &b.requests, 1);
	if (source == OSDS)
		look_at_strides(res, &k);
	res->verdict = res->violations		 ? VERDICT_FAIL
		       : res->reason != WHY_NONE ? VERDICT_INCONCLUSIVE
						 : VERDICT_PASS;
	if (res->verdict == VERDICT_FAIL)
		res->reason = WHY_NONE;
}

/* The first kernel of the experiment is what the others are compared with. */
static void unaffected_pattern_run(struct run_judge *r)
{
	const struct experiment *exp = r->run->exp;

	for (unsigned int i = 0; i < exp->n_phases; i++) {
		if (!exp->phases[i].unaffected)
			continue;
		for (unsigned int k = 1; k < exp->n_kernels; k++)
			compare(r, i, exp->kernels[0].name, exp->kernels[k].name);
	}
}

static const struct run_check_ops unaffected_pattern_ops = {
	.run = unaffected_pattern_run,
};

const struct check check_unaffected_pattern = {
	.name = "unaffected-pattern",
	.summary = "patterns that should not change do not change",
	.explain =
		"A readahead patch is accepted for what it leaves alone as much as for what it\n"
		"improves: what does it do to randomish workloads?  An experiment marks the phases\n"
		"that its patch must not change (unaffected = yes).\n"
		"\n"
		"For each of them, the bytes that the device read, as a mean over the repeats, are\n"
		"compared with those of the experiment's first kernel.  They may differ, in either\n"
		"direction, by max-bytes per cent.  The number of read requests is shown beside\n"
		"them and is judged only if max-requests is not 0: into how many requests the same\n"
		"bytes are split depends on how pages happen to lie in memory (segments per\n"
		"request) and on the timing of threads, and differs by tens of per cent between\n"
		"two boots of one kernel.  The figures are those of the device's own log; where a\n"
		"capture has none, block_rq_issue of the guests is used for all.\n"
		"\n"
		"On CephFS they are those of the OSDs.  Nothing there depends on where pages lie, so\n"
		"requests are judged as well, by max-osd-requests, and no read may have been taken\n"
		"for one of a stride (ceph_strided_read events; not measurable on a kernel without\n"
		"them).\n"
		"\n"
		"With repeats, a difference beyond the limit that does not exceed the noise between\n"
		"boots (Welch's t test, p < 0.05) is INCONCLUSIVE; more boots can tell.\n"
		"A capture with lost events or a warm cache makes the comparison INCONCLUSIVE, and\n"
		"so does a kernel without any usable capture.\n"
		"\n"
		"Look further: the table of the report, with REPEAT=5.\n",
	.needs_json = true,
	.needs_cold = true,
	.limits = {[LIMIT_MAX_BYTES] = {"max-bytes", 2, "difference of bytes, per cent"},
		   [LIMIT_MAX_REQUESTS] = {"max-requests", 0,
					   "difference of requests, per cent; 0: not judged"},
		   [LIMIT_MAX_OSD_REQUESTS] =
			   {"max-osd-requests", 2,
			    "difference of OSDs' requests, per cent; 0: not judged"}},
	.run_ops = &unaffected_pattern_ops,
};
