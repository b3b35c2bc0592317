// SPDX-License-Identifier: GPL-2.0-only
/* The evidence: where checks do not hold, what could not be decided, and why. */
#include <string.h>

#include "verify/checks/check.h"
#include "verify/report/report.h"

#define FINDINGS_SHOWN 3  /* of one unexpected failure */
#define FAILURES_SHOWN 10 /* unexpected ones of one check on one kernel */

void text_finding(struct out *o, const struct finding *f)
{
	char offset[48] = "", event[48] = "";

	if (f->seq)
		snprintf(event, sizeof(event), ", event %llu", (unsigned long long)f->seq);
	if (f->has_offset)
		snprintf(offset, sizeof(offset), ", offset %llu", (unsigned long long)f->offset);
	/* a finding about a whole phase has a time, but no event, CPU or task */
	if (f->ts && !f->seq && !f->pid)
		out_line(o, 6, "    at %llu.%09llu s%s: %s",
			 (unsigned long long)(f->ts / NSEC_PER_SEC),
			 (unsigned long long)(f->ts % NSEC_PER_SEC), offset, f->text);
	else if (f->ts)
		out_line(o, 6, "    at %llu.%09llu s, CPU %u, %.16s-%d%s%s: %s",
			 (unsigned long long)(f->ts / NSEC_PER_SEC),
			 (unsigned long long)(f->ts % NSEC_PER_SEC), f->cpu,
			 f->comm[0] ? f->comm : "<...>", f->pid, event, offset, f->text);
	else
		out_line(o, 6, "    %s%s", f->text, offset);
}

/* " on base-1, phase one-thread" */
static void where_text(const struct result *r, bool repeats, char *buf, size_t size)
{
	const struct capture *c = r->capture;
	int n = 0;

	buf[0] = '\0';
	if (c && c->kernel[0] && repeats)
		n = snprintf(buf, size, " on %s-%u", c->kernel, c->repeat);
	else if (c && c->kernel[0])
		n = snprintf(buf, size, " on %s", c->kernel);
	if (r->phase[0])
		snprintf(buf + n, size - (size_t)n, ", phase %s", r->phase);
}

static void failure(struct out *o, const struct result *r, bool repeats, unsigned int shown,
		    const char *expected)
{
	char where[160];

	where_text(r, repeats, where, sizeof(where));
	out_line(o, 4, "  FAIL%s %s%s: %llu %s%s%s", expected, r->check->name, where,
		 (unsigned long long)r->violations, r->violations == 1 ? "violation" : "violations",
		 r->detail[0] ? "; " : "", r->detail);
	for (unsigned int i = 0; i < MIN(shown, r->n_findings); i++)
		text_finding(o, &r->findings[i]);
	if (r->n_findings > shown && shown > 1)
		out_line(o, 6, "    ... and more: %llu in all, --format json has the worst %u",
			 (unsigned long long)r->violations, r->n_findings);
}

static double weight(const struct result *r)
{
	return r->n_findings ? r->findings[0].weight : (double)r->violations;
}

struct failures {
	const struct result *worst; /* of those that were expected */
	unsigned int n_expected, n_shown, n_hidden;
};

static void failures_of(struct out *o, const struct analysis *a, const char *kernel,
			const struct check *check, bool repeats)
{
	struct failures f = {0};

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];

		for (unsigned int j = 0; j < c->n_results; j++) {
			const struct result *r = &c->results[j];

			if (strcmp(c->capture->kernel, kernel) || r->check != check ||
			    r->verdict != VERDICT_FAIL)
				continue;
			if (result_outcome(r) == OUTCOME_VIOLATED) {
				if (f.n_shown++ < FAILURES_SHOWN)
					failure(o, r, repeats, FINDINGS_SHOWN, "");
				else
					f.n_hidden++;
				continue;
			}
			f.n_expected++;
			if (!f.worst || weight(r) > weight(f.worst))
				f.worst = r;
		}
	}
	if (f.n_hidden)
		out_line(o, 4, "  ... and in %u more of the phases and boots", f.n_hidden);
	/* what was expected needs one proof, not all of them */
	if (f.worst)
		failure(o, f.worst, repeats, 1,
			result_outcome(f.worst) == OUTCOME_MET ? " (as expected)"
							       : " (nothing was expected)");
	if (f.n_expected > 1)
		out_line(o, 4, "    (and in %u more of the phases and boots)", f.n_expected - 1);
}

static bool has_verdict(const struct analysis *a, enum verdict v)
{
	for (unsigned int i = 0; i < a->n_captures; i++)
		for (unsigned int j = 0; j < a->captures[i].n_results; j++)
			if (result_verdict(&a->captures[i].results[j]) == v)
				return true;
	return false;
}

static bool same_reason(const struct result *a, const struct result *b)
{
	return a->check == b->check && result_verdict(a) == result_verdict(b) &&
	       result_reason(a) == result_reason(b) && !strcmp(a->detail, b->detail);
}

/* Appends to a list of words until it is too long to read. */
static void add_word(char *list, size_t size, const char *word)
{
	size_t n = strlen(list);

	if (n + strlen(word) + 8 < size)
		snprintf(list + n, size - n, "%s%s", n ? ", " : "", word);
	else if (n && !strstr(list, ", ..."))
		snprintf(list + n, size - n, ", ...");
}

/* "events lost: CPU 0 ..."; a detail that says the reason itself is enough. */
char *why_text(const struct result *r)
{
	const char *reason = reason_text(result_reason(r));

	if (result_verdict(r) == VERDICT_NA)
		return xstrdup(r->detail[0] ? r->detail : "does not apply");
	if (!r->detail[0] || str_after(r->detail, reason))
		return xstrdup(r->detail[0] ? r->detail : reason);
	return xasprintf("%s: %s", reason, r->detail);
}

/* One line for all phases of a capture that have the same verdict for the same reason. */
static void undecided_of(struct out *o, const struct capture_result *c, enum verdict v,
			 bool repeats)
{
	for (unsigned int i = 0; i < c->n_results; i++) {
		const struct result *r = &c->results[i];
		char *why __cleanup_free = NULL;
		char where[160], phases[400] = "";
		struct result whole = *r;
		bool seen = false;

		if (result_verdict(r) != v)
			continue;
		for (unsigned int j = 0; j < i && !seen; j++)
			seen = same_reason(&c->results[j], r);
		if (seen)
			continue;
		for (unsigned int j = i; j < c->n_results; j++)
			if (same_reason(&c->results[j], r) && c->results[j].phase[0])
				add_word(phases, sizeof(phases), c->results[j].phase);
		whole.phase[0] = '\0';
		where_text(&whole, repeats, where, sizeof(where));
		why = why_text(r);
		out_line(o, 4, "  %s%s%s%s: %s", r->check->name, where, phases[0] ? ", in " : "",
			 phases, why);
	}
}

/* Is it the first result of the analysis that does not apply for this reason? */
static bool first_of_reason(const struct analysis *a, const struct result *r)
{
	for (unsigned int i = 0; i < a->n_captures; i++) {
		for (unsigned int j = 0; j < a->captures[i].n_results; j++) {
			const struct result *x = &a->captures[i].results[j];

			if (x->verdict == VERDICT_NA && !strcmp(x->detail, r->detail))
				return x == r;
		}
	}
	return false;
}

/* Appends @word unless it stands in the list. */
static void add_new_word(char *list, size_t size, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ','))
			return;
	add_word(list, size, word);
}

/* A line per reason with the checks, which are many, and the kernels if it is not all of them. */
static void not_applicable(struct out *o, const struct analysis *a, const struct result *r,
			   unsigned int n_kernels)
{
	char checks[600] = "", kernels[400] = "";
	const char **names __cleanup_free = xcalloc(a->n_captures, sizeof(*names));
	unsigned int n = 0;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture_result *c = &a->captures[i];
		bool here = false, seen = false;

		for (unsigned int j = 0; j < c->n_results; j++) {
			const struct result *x = &c->results[j];

			if (x->verdict != VERDICT_NA || strcmp(x->detail, r->detail))
				continue;
			here = true;
			add_new_word(checks, sizeof(checks), x->check->name);
		}
		for (unsigned int k = 0; k < n; k++)
			seen |= !strcmp(names[k], c->capture->kernel);
		if (!here || seen)
			continue;
		names[n++] = c->capture->kernel;
		add_word(kernels, sizeof(kernels), c->capture->kernel);
	}
	out_line(o, 4, "  %s%s%s: %s", r->detail[0] ? r->detail : "does not apply",
		 n < n_kernels ? ", on " : "", n < n_kernels ? kernels : "", checks);
}

static void not_applicable_section(struct out *o, const struct analysis *a, unsigned int n_kernels)
{
	if (!has_verdict(a, VERDICT_NA))
		return;
	out_line(o, 0, "%s", "");
	out_line(o, 2, "Not applicable here");
	for (unsigned int i = 0; i < a->n_captures; i++)
		for (unsigned int j = 0; j < a->captures[i].n_results; j++)
			if (a->captures[i].results[j].verdict == VERDICT_NA &&
			    first_of_reason(a, &a->captures[i].results[j]))
				not_applicable(o, a, &a->captures[i].results[j], n_kernels);
}

static void section(struct out *o, const struct analysis *a, enum verdict v, const char *title,
		    bool repeats)
{
	if (!has_verdict(a, v))
		return;
	out_line(o, 0, "%s", "");
	out_line(o, 2, "%s", title);
	for (unsigned int i = 0; i < a->n_captures; i++)
		undecided_of(o, &a->captures[i], v, repeats);
}

/* Is a check that should be violated on a capture fine, or without a verdict, there? */
static void not_shown(struct out *o, const struct analysis *a, bool repeats)
{
	bool title = false;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		for (unsigned int j = 0; j < a->captures[i].n_results; j++) {
			const struct capture_result *c = &a->captures[i];
			const struct result *r = &c->results[j];
			bool never = result_never_applied(c->results, c->n_results, r);
			char where[160];

			if (result_outcome(r) != OUTCOME_NOT_SHOWN && !never)
				continue;
			if (!title) {
				out_line(o, 0, "%s", "");
				out_line(o, 2, "What should be violated, and is not");
				title = true;
			}
			where_text(r, repeats, where, sizeof(where));
			out_line(o, 4, "  %s %s%s%s%s", never ? "n/a" : "PASS", r->check->name,
				 where, r->detail[0] ? ": " : "", r->detail);
		}
	}
}

static bool has_repeats(const struct analysis *a)
{
	for (unsigned int i = 0; i < a->n_captures; i++)
		if (a->captures[i].capture->repeat > 1)
			return true;
	return false;
}

void text_findings(struct out *o, const struct analysis *a)
{
	const char **kernels __cleanup_free;
	const struct check **checks __cleanup_free;
	unsigned int n_kernels = analysis_kernels(a, &kernels);
	unsigned int n_checks = analysis_checks(a, &checks);
	bool repeats = has_repeats(a);

	if (has_verdict(a, VERDICT_FAIL)) {
		out_line(o, 0, "%s", "");
		out_line(o, 2, "Where checks do not hold, and the worst place");
		for (unsigned int k = 0; k < n_kernels; k++)
			for (unsigned int i = 0; i < n_checks; i++)
				failures_of(o, a, kernels[k], checks[i], repeats);
	}
	not_shown(o, a, repeats);
	section(o, a, VERDICT_INCONCLUSIVE, "What could not be decided", repeats);
	not_applicable_section(o, a, n_kernels);
}
