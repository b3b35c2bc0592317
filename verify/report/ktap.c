// SPDX-License-Identifier: GPL-2.0-only
/*
 * KTAP version 1 (the kernel's Documentation/dev-tools/ktap.rst).  A test is
 * "what the experiment expects of this check here is so": a violation that is
 * expected on base is "ok".  What could not be decided is "not ok ... # SKIP",
 * so that a parser which knows no directives does not take it for a success.
 *
 *   KTAP version 1
 *   1..2
 *     KTAP version 1
 *     1..n
 *     ok 1 trace-complete: one-thread
 *   ok 1 base-1
 */
#include <string.h>

#include "verify/checks/check.h"
#include "verify/report/report.h"

/* Descriptions end at '#'; so no name may bring one. */
char *ktap_description(const char *s)
{
	char *p = printable(s);

	for (char *c = p; *c; c++)
		if (*c == '#')
			*c = '_';
	return p;
}

static void evidence(struct out *o, const struct result *r)
{
	if (r->detail[0])
		out_line(o, 0, "  # %s", r->detail);
	for (unsigned int i = 0; i < r->n_findings && result_verdict(r) == VERDICT_FAIL; i++) {
		const struct finding *f = &r->findings[i];

		out_line(o, 0, "  # %llu.%09llu s, CPU %u, %.16s-%d, event %llu, offset %lld: %s",
			 (unsigned long long)(f->ts / NSEC_PER_SEC),
			 (unsigned long long)(f->ts % NSEC_PER_SEC), f->cpu, f->comm, f->pid,
			 (unsigned long long)f->seq, f->has_offset ? (long long)f->offset : -1,
			 f->text);
	}
}

static void test_line(struct out *o, const struct result *r, unsigned int number,
		      bool never_applied)
{
	char *what __cleanup_free =
		xasprintf("%s%s%s", r->check->name, r->phase[0] ? ": " : "", r->phase);
	char *name __cleanup_free = ktap_description(what);
	enum verdict v = result_verdict(r);

	evidence(o, r);
	if (never_applied) {
		out_line(o, 0, "  not ok %u %s # not applicable, expected: violated", number, name);
		return;
	}
	switch (result_outcome(r)) {
	case OUTCOME_MET:
	case OUTCOME_REPORTED:
		if (r->expected == EXPECT_HOLDS)
			out_line(o, 0, "  ok %u %s", number, name);
		else
			out_line(o, 0, "  ok %u %s # %s, expected: %s", number, name,
				 verdict_name(v), expectation_name(r->expected));
		break;
	case OUTCOME_VIOLATED:
		out_line(o, 0, "  not ok %u %s", number, name);
		break;
	case OUTCOME_NOT_SHOWN:
		out_line(o, 0, "  not ok %u %s # %s, expected: violated", number, name,
			 verdict_name(v));
		break;
	case OUTCOME_UNDECIDED:
		out_line(o, 0, "  not ok %u %s # SKIP INCONCLUSIVE: %s", number, name,
			 reason_text(result_reason(r)));
		break;
	default:
		out_line(o, 0, "  ok %u %s # SKIP %s%s%s", number, name,
			 v == VERDICT_NA ? "not applicable" : "INCONCLUSIVE, nothing expected: ",
			 v == VERDICT_NA ? (r->detail[0] ? ": " : "")
					 : reason_text(result_reason(r)),
			 v == VERDICT_NA ? r->detail : "");
		break;
	}
}

/* One group of tests and, after it, its own line. */
static void group(struct out *o, const struct result *results, unsigned int n, unsigned int number,
		  const char *name)
{
	char *text __cleanup_free = ktap_description(name);
	struct tally t = {0};
	char words[256];

	out_raw(o, "  KTAP version 1\n");
	out_line(o, 0, "  1..%u", n);
	for (unsigned int i = 0; i < n; i++)
		test_line(o, &results[i], i + 1, result_never_applied(results, n, &results[i]));
	tally_results(&t, results, n);
	if (t.of[OUTCOME_VIOLATED] || t.of[OUTCOME_NOT_SHOWN])
		out_line(o, 0, "not ok %u %s", number, text);
	else if (status_of(&t) != STATUS_MET)
		out_line(o, 0, "not ok %u %s # SKIP %s", number, text,
			 status_words(&t, words, sizeof(words)));
	else
		out_line(o, 0, "ok %u %s", number, text);
}

static char *group_name(const struct verified *v, const struct capture *c, bool several)
{
	if (c && c->has_json)
		return xasprintf("%s%s%s-%u", several ? v->path : "", several ? "/" : "", c->kernel,
				 c->repeat);
	return c || several ? xasprintf("%s%s", v->path, c ? "" : ": between kernels")
			    : xstrdup("between kernels");
}

static void limit_lines(struct out *o, const struct analysis *a)
{
	struct changed_limit *limits __cleanup_free;
	unsigned int n = analysis_limits(a, &limits);

	for (unsigned int i = 0; i < n; i++)
		out_line(o, 0, "# limit %s.%s = %g instead of %g", limits[i].check->name,
			 limits[i].limit->name, limits[i].value, limits[i].limit->value);
}

void ktap_comment(struct out *o, const struct out *text)
{
	for (const char *p = text->text; p && *p;) {
		size_t n = strcspn(p, "\n");

		if (n)
			out_line(o, 0, "#| %.*s", (int)n, p);
		p += n + (p[n] == '\n');
	}
}

/*
 * What the text report says besides the verdicts, as diagnostic lines.  With the
 * bar none of them can look like a directive such as "# Subtest:".
 */
static void fact_lines(struct out *o, const struct analysis *a)
{
	struct summary *s = summary_new(a);
	struct out text = {0};

	text_what_ran(&text, a);
	text_figures(&text, s);
	text_path_hit(&text, s);
	text_costs(&text, s);
	text_reproduce(&text, a);
	summary_free(s);
	ktap_comment(o, &text);
	out_free(&text);
}

void report_ktap(struct out *o, const struct verified *v, unsigned int n)
{
	unsigned int total = 0, number = 0;

	for (unsigned int i = 0; i < n; i++)
		total += v[i].analysis ? v[i].analysis->n_captures + !!v[i].analysis->n_run_results
				       : 1;
	out_raw(o, "KTAP version 1\n");
	out_line(o, 0, "1..%u", total);
	for (unsigned int i = 0; i < n; i++) {
		const struct analysis *a = v[i].analysis;

		if (!a) {
			char *path __cleanup_free = ktap_description(v[i].path);

			out_line(o, 0, "not ok %u %s # ERROR %s", ++number, path, v[i].error.msg);
			continue;
		}
		fact_lines(o, a);
		limit_lines(o, a);
		for (unsigned int k = 0; k < a->n_captures; k++) {
			char *name __cleanup_free =
				group_name(&v[i], a->captures[k].capture, n > 1);

			group(o, a->captures[k].results, a->captures[k].n_results, ++number, name);
		}
		if (a->n_run_results) {
			char *name __cleanup_free = group_name(&v[i], NULL, n > 1);

			group(o, a->run_results, a->n_run_results, ++number, name);
		}
	}
}
