// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "verify/input/input.h"

/* ---- which checks, with which limits ---- */

bool check_selected(const struct check *c, const struct analyze_options *opt)
{
	if (!opt || !opt->checks)
		return true;
	for (unsigned int i = 0; i < opt->n_checks; i++)
		if (!strcmp(opt->checks[i], c->name))
			return true;
	return false;
}

static void set_limit(const struct check *c, double *limit, const char *check, const char *name,
		      double value)
{
	if (*check && strcmp(check, c->name))
		return;
	for (unsigned int i = 0; i < CHECK_LIMITS_MAX && c->limits[i].name; i++)
		if (!strcmp(c->limits[i].name, name))
			limit[i] = value;
}

void check_limits(const struct check *c, const struct experiment *exp,
		  const struct analyze_options *opt, double *limit)
{
	for (unsigned int i = 0; i < CHECK_LIMITS_MAX; i++)
		limit[i] = c->limits[i].value;
	for (unsigned int i = 0; exp && i < exp->n_limits; i++)
		set_limit(c, limit, exp->limits[i].check, exp->limits[i].name,
			  exp->limits[i].value);
	for (unsigned int i = 0; opt && i < opt->n_limits; i++)
		set_limit(c, limit, opt->limits[i].check, opt->limits[i].name,
			  opt->limits[i].value);
}

/* Has somebody made a list of checks for this phase? */
static bool named(const struct model *m, const struct model_phase *p)
{
	return (p->spec && p->spec->n_checks) || (m->opt && m->opt->checks);
}

void judges_start(struct model *m, struct model_phase *p)
{
	const struct experiment *exp = m->capture->run ? m->capture->run->exp : NULL;

	p->judges = xcalloc(n_all_checks, sizeof(*p->judges));
	p->n_judges = 0;
	for (unsigned int i = 0; i < n_all_checks; i++) {
		const struct check *c = all_checks[i];
		struct judge *j = &p->judges[p->n_judges];

		if (!c->ops || !check_selected(c, m->opt) ||
		    (p->spec && !phase_judges(p->spec, c->name)) || (c->named_only && !named(m, p)))
			continue;
		if (c->pattern && (!p->info || strcmp(p->info->pattern, c->pattern)))
			continue;
		p->n_judges++;
		j->check = c;
		j->model = m;
		j->phase = p;
		if (c->ops->folio) {
			assert(p->n_folio_judges < ARRAY_SIZE(p->folio_judges));
			p->folio_judges[p->n_folio_judges++] = j;
		}
		if (c->ops->read) {
			assert(p->n_read_judges < ARRAY_SIZE(p->read_judges));
			p->read_judges[p->n_read_judges++] = j;
		}
		if (c->ops->state_size)
			j->state = xcalloc(1, c->ops->state_size);
		check_limits(c, exp, m->opt, j->limit);
		j->result.check = c;
		j->result.capture = m->capture;
		snprintf(j->result.phase, sizeof(j->result.phase), "%s", p->stats.name);
		j->result.expected =
			exp ? experiment_expects(exp, m->capture->kernel, p->stats.name, c->name)
			    : EXPECT_HOLDS;
	}
}

void judges_free(struct model_phase *p)
{
	for (unsigned int i = 0; i < p->n_judges; i++) {
		free(p->judges[i].state);
		free(p->judges[i].streams);
	}
	free(p->judges);
	p->judges = NULL;
	p->n_judges = 0;
	p->n_folio_judges = 0;
	p->n_read_judges = 0;
}

void *judge_stream(struct judge *j, const struct stream *s)
{
	size_t size = j->check->ops->stream_size;

	if (s->index >= j->n_streams) {
		u32 n = MAX(j->n_streams * 2, 16u);

		while (n <= s->index)
			n *= 2;
		j->streams = xrealloc(j->streams, n, size);
		memset((char *)j->streams + j->n_streams * size, 0, (n - j->n_streams) * size);
		j->n_streams = n;
	}
	return (char *)j->streams + s->index * size;
}

/* ---- findings ---- */

struct finding finding_at(const struct model *m, u64 ts, u64 seq, u16 cpu, s32 pid, u64 page)
{
	return (struct finding){.ts = ts,
				.seq = seq,
				.cpu = cpu,
				.pid = pid,
				.offset = page << m->page_shift,
				.has_offset = true};
}

static bool worse(const struct finding *a, const struct finding *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	return a->ts < b->ts;
}

void judge_violation(struct judge *j, const struct finding *f)
{
	struct result *r = &j->result;
	unsigned int i = r->n_findings;

	r->violations++;
	if (i == FINDINGS_KEPT && !worse(f, &r->findings[i - 1]))
		return;
	if (i < FINDINGS_KEPT)
		r->n_findings++;
	else
		i--;
	for (; i && worse(f, &r->findings[i - 1]); i--)
		r->findings[i] = r->findings[i - 1];
	r->findings[i] = *f;
	if (j->model->trace && !r->findings[i].comm[0] && f->seq)
		snprintf(r->findings[i].comm, sizeof(r->findings[i].comm), "%s",
			 trace_comm(j->model->trace, f->pid));
}

void judge_detail(struct judge *j, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->result.detail, sizeof(j->result.detail), fmt, ap);
	va_end(ap);
}

void judge_undecided(struct judge *j, enum reason why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->result.detail, sizeof(j->result.detail), fmt, ap);
	va_end(ap);
	j->decided = true;
	j->result.verdict = why == WHY_NONE ? VERDICT_NA : VERDICT_INCONCLUSIVE;
	j->result.reason = why;
}

bool judge_no_streams(struct judge *j)
{
	if (j->phase->stats.pieces || j->phase->n_streams)
		return false;
	judge_undecided(j, WHY_NONE,
			"the trace has no markers of streams and pieces, and no task goes through "
			"a file from page to page");
	return true;
}

struct result *run_judge_result(struct run_judge *r, const char *phase)
{
	struct result *res;

	r->results = xrealloc(r->results, r->n_results + 1, sizeof(*r->results));
	res = &r->results[r->n_results++];
	*res = (struct result){.check = r->check, .expected = EXPECT_HOLDS};
	snprintf(res->phase, sizeof(res->phase), "%s", phase);
	return res;
}
