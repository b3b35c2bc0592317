// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "verify/input/input.h"
#include "verify/model/chains.h"
#include "verify/model/judge.h"

/* What the file says about itself; complete once all of it was read. */
static void summarize(struct trace_summary *s, const struct trace_info *info)
{
	snprintf(s->format, sizeof(s->format), "%s", info->format);
	s->clock_counts = info->clock_counts;
	snprintf(s->clock, sizeof(s->clock), "%s", info->clock);
	snprintf(s->uname, sizeof(s->uname), "%s", info->uname);
	snprintf(s->damage, sizeof(s->damage), "%s", info->damage ? info->damage : "");
	s->cpus = info->cpus;
	s->page_size = info->page_size;
	s->event_types = info->event_types;
	for (u32 i = 0; i < info->n_loss; i++) {
		s->loss.overrun += info->loss[i].overrun;
		s->loss.commit_overrun += info->loss[i].commit_overrun;
		s->loss.dropped += info->loss[i].dropped;
		s->loss.unread += info->loss[i].unread;
		s->loss.absent += info->loss[i].absent;
	}
}

static void take_span(struct trace_summary *s, const struct event *ev)
{
	if (s->lost_spans < SPANS_KEPT)
		s->spans[s->lost_spans] =
			(struct lost_span){ev->cpu, ev->lost.from, ev->ts, ev->lost.count};
	s->lost_spans++;
}

static int read_trace(struct model *m, struct trace *t, struct trace_summary *s,
		      void (*take)(struct model *, const struct event *), struct err *e)
{
	struct event ev;
	int ret;

	while ((ret = trace_next(t, &ev, e)) > 0) {
		if (ev.type == EV_LOST)
			take_span(s, &ev);
		else
			s->events++;
		take(m, &ev);
	}
	summarize(s, trace_info(t));
	return ret;
}

static int read_host(struct model *m, const struct capture *c, struct trace_summary *s,
		     unsigned int flags, struct err *e)
{
	struct trace *t;
	int ret;

	if (!c->blktrace || !c->trace)
		return 0;
	ret = trace_open(&t, c->blktrace, flags, e);
	if (ret < 0)
		return ret;
	ret = read_trace(m, t, s, model_host_event, e);
	if (!ret)
		m->host_read = !trace_info(t)->n_loss && !trace_info(t)->damage;
	trace_close(t);
	return ret;
}

/* Moves what the model found to the caller's result, and what run checks need to @facts. */
static void take_results(struct model *m, struct capture_result *cr)
{
	unsigned int n = 0;

	cr->n_phases = m->n_phases;
	cr->phases = xcalloc(m->n_phases, sizeof(*cr->phases));
	for (unsigned int i = 0; i < m->n_phases; i++) {
		cr->phases[i] = m->phases[i].stats;
		m->phases[i].stats.figures = NULL; /* the caller's from here on */
		n += m->phases[i].n_judges;
	}
	cr->results = xcalloc(n, sizeof(*cr->results));
	for (unsigned int i = 0; i < m->n_phases; i++)
		for (unsigned int k = 0; k < m->phases[i].n_judges; k++)
			cr->results[cr->n_results++] = m->phases[i].judges[k].result;
}

static void take_facts(const struct model *m, const struct capture_result *cr,
		       const struct experiment *exp, struct phase_facts *facts)
{
	for (unsigned int i = 0; i < exp->n_phases; i++) {
		struct phase_facts *f = &facts[i];

		f->capture = m->capture;
		f->reason = WHY_NOTHING_TO_CHECK;
		for (unsigned int k = 0; k < m->n_phases; k++) {
			const struct model_phase *p = &m->phases[k];
			char text[160];

			if (strcmp(p->stats.name, exp->phases[i].name))
				continue;
			f->stats = &cr->phases[k];
			f->info = p->info;
			f->usable = phase_is_whole(m, p, &f->reason, text, sizeof(text));
			f->host_known = p->stats.host_known;
			if (f->usable && p->info &&
			    (!p->info->cold_known || p->info->cached_before)) {
				f->usable = false;
				f->reason = WHY_CACHE_NOT_COLD;
			}
			break;
		}
	}
}

static int analyze_capture(const struct capture *c, const struct analyze_options *opt,
			   struct capture_result *cr, struct phase_facts *facts, struct err *e)
{
	const struct experiment *exp = c->run ? c->run->exp : NULL;
	unsigned int flags = opt && opt->partial ? INPUT_PARTIAL : 0;
	const char *path = c->trace ? c->trace : c->blktrace;
	struct trace *t = NULL;
	struct model *m;
	int ret = 0;

	cr->capture = c;
	if (path) {
		ret = trace_open(&t, path, flags, e);
		if (ret < 0)
			return ret;
	}
	m = model_new(c, opt, t ? trace_info(t) : NULL, t);
	if (t)
		ret = read_trace(m, t, c->trace ? &cr->guest : &cr->host, model_event, e);
	if (!ret)
		ret = read_host(m, c, &cr->host, flags, e);
	if (!ret) {
		model_finish(m);
		take_results(m, cr);
		if (m->chains)
			cr->chains = chains_take(m->chains);
		if (exp)
			take_facts(m, cr, exp, facts);
	}
	model_free(m);
	if (t)
		trace_close(t);
	return ret;
}

/* ---- captures side by side ---- */

#define THREADS_MAX 8u /* each has a model of its own in memory */

struct job {
	const struct capture *capture;
	struct capture_result *result;
	struct phase_facts *facts;
	int ret;
	struct err error;
};

struct jobs {
	const struct analyze_options *opt;
	struct job *list;
	unsigned int n;
	atomic_uint next;
};

static void *run_jobs(void *arg)
{
	struct jobs *jobs = arg;

	for (;;) {
		unsigned int i = atomic_fetch_add(&jobs->next, 1);
		struct job *j;

		if (i >= jobs->n)
			return NULL;
		j = &jobs->list[i];
		j->ret = analyze_capture(j->capture, jobs->opt, j->result, j->facts, &j->error);
	}
}

/* Captures share nothing, so that the result is the same whatever the number of threads. */
static int analyze_captures(struct jobs *jobs, struct err *e)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int n = MIN(MIN((unsigned int)MAX(cpus, 1), THREADS_MAX), jobs->n);
	pthread_t threads[THREADS_MAX];
	unsigned int started = 0;

	/* this thread is one of them, and enough if no other can be started */
	while (started + 1 < n && !pthread_create(&threads[started], NULL, run_jobs, jobs))
		started++;
	run_jobs(jobs);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (unsigned int i = 0; i < jobs->n; i++) {
		if (!jobs->list[i].ret)
			continue;
		*e = jobs->list[i].error;
		return jobs->list[i].ret;
	}
	return 0;
}

static void run_checks(struct analysis *a, const struct analyze_options *opt,
		       const struct phase_facts *facts)
{
	const struct experiment *exp = a->run->exp;

	for (unsigned int i = 0; i < n_all_checks; i++) {
		struct run_judge r = {.check = all_checks[i], .run = a->run, .facts = facts};

		if (!r.check->run_ops || !check_selected(r.check, opt))
			continue;
		r.n_phases = exp->n_phases;
		check_limits(r.check, exp, opt, r.limit);
		r.check->run_ops->run(&r);
		a->run_results = xrealloc(a->run_results, a->n_run_results + r.n_results,
					  sizeof(*a->run_results));
		if (r.n_results)
			memcpy(a->run_results + a->n_run_results, r.results,
			       r.n_results * sizeof(*r.results));
		a->n_run_results += r.n_results;
		free(r.results);
	}
}

int analyze(const struct run *run, const struct analyze_options *opt, struct analysis **out,
	    struct err *e)
{
	struct analysis *a = xcalloc(1, sizeof(*a));
	unsigned int n_phases = run->exp ? run->exp->n_phases : 0;
	struct phase_facts *facts = xcalloc((size_t)run->n_captures * n_phases, sizeof(*facts));
	struct jobs jobs = {.opt = opt, .n = run->n_captures};
	int ret;

	a->run = run;
	a->opt = opt;
	a->n_captures = run->n_captures;
	a->captures = xcalloc(run->n_captures, sizeof(*a->captures));
	jobs.list = xcalloc(run->n_captures, sizeof(*jobs.list));
	for (unsigned int i = 0; i < run->n_captures; i++)
		jobs.list[i] = (struct job){
			.capture = run->captures[i],
			.result = &a->captures[i],
			.facts = facts + (size_t)i * n_phases,
		};
	ret = analyze_captures(&jobs, e);
	free(jobs.list);
	/* one kernel alone, or a lone capture, has nothing to be compared with */
	if (!ret && run->exp && run->n_kernels > 1)
		run_checks(a, opt, facts);
	free(facts);
	if (ret) {
		analysis_free(a);
		return ret;
	}
	*out = a;
	return 0;
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	for (unsigned int i = 0; i < a->n_captures; i++) {
		for (unsigned int k = 0; k < a->captures[i].n_phases; k++)
			phase_figures_free(a->captures[i].phases[k].figures);
		free(a->captures[i].phases);
		chain_list_free(a->captures[i].chains);
		free(a->captures[i].results);
	}
	free(a->captures);
	free(a->run_results);
	free(a);
}
