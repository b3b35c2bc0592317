// SPDX-License-Identifier: GPL-2.0-only
/* verify --compare, for people. */
#include <string.h>

#include "verify/checks/check.h"
#include "verify/report/compare.h"

#define CHANGES_SHOWN 30u

static void input_lines(struct out *o, char letter, const char *path, const struct comparison *c)
{
	const struct analysis *a = c->v.analysis;
	unsigned int boots = 0;

	for (unsigned int i = 0; i < a->n_captures; i++)
		boots += a->captures[i].capture->kernel[0] == letter;
	out_line(o, 5, "  %c: %s, %u %s", letter, path, boots, boots == 1 ? "capture" : "captures");
}

static void setting_lines(struct out *o, const struct comparison *c)
{
	text_heading(o, "What is not the same");
	if (!c->n_settings)
		out_line(o, 4, "  nothing that the inputs tell of");
	for (unsigned int i = 0; i < c->n_settings; i++) {
		const struct setting *s = &c->settings[i];

		out_line(o, 4, "  %s: %s in A, %s in B", s->name, s->a[0] ? s->a : "not said",
			 s->b[0] ? s->b : "not said");
	}
	if (*c->left_out)
		out_line(o, 4, "  not compared: %s", c->left_out);
}

static void evidence(struct out *o, const struct result *r)
{
	const struct finding *f = r ? r->findings : NULL;

	if (!r)
		return;
	if (r->detail[0])
		out_line(o, 6, "    %s", r->detail);
	if (result_verdict(r) == VERDICT_FAIL && r->n_findings)
		out_line(o, 6, "    at %llu.%09llu s, event %llu: %s",
			 (unsigned long long)(f->ts / NSEC_PER_SEC),
			 (unsigned long long)(f->ts % NSEC_PER_SEC), (unsigned long long)f->seq,
			 f->text);
}

static void change_lines(struct out *o, const struct comparison *c, enum change_kind kind,
			 const char *title)
{
	unsigned int shown = 0;

	if (!c->of[kind])
		return;
	text_heading(o, title);
	for (unsigned int i = 0; i < c->n_changes; i++) {
		const struct change *x = &c->changes[i];

		if (x->kind != kind || ++shown > CHANGES_SHOWN)
			continue;
		out_line(o, 4, "  %s, %s%s%s: %s in A, %s in B", x->check->name,
			 phase_label(x->phase), x->kernel[1] ? ", " : "",
			 x->kernel[1] ? x->kernel + 2 : "", verdict_name(x->a), verdict_name(x->b));
		if (kind != CHANGE_BETTER)
			evidence(o, x->from);
	}
	if (shown > CHANGES_SHOWN)
		out_line(o, 4, "  and %u more", shown - CHANGES_SHOWN);
}

static void compared(struct out *o, const struct comparison *c)
{
	out_line(o, 2, "Comparison of two inputs");
	text_heading(o, "What is compared");
	input_lines(o, 'A', c->path_a, c);
	input_lines(o, 'B', c->path_b, c);
	setting_lines(o, c);
}

void report_compare_text(struct out *o, const struct comparison *c, int exit_status)
{
	struct summary *s = summary_new(c->v.analysis);
	char words[256];

	compared(o, c);
	text_figures(o, s);
	text_matrix(o, c->v.analysis);
	text_limits(o, c->v.analysis);
	change_lines(o, c, CHANGE_WORSE, "Verdicts that are worse in B");
	change_lines(o, c, CHANGE_BETTER, "Verdicts that are better in B");
	change_lines(o, c, CHANGE_UNDECIDED, "What can't be compared");
	text_path_hit(o, s);
	text_costs(o, s);
	text_heading(o, "How to reproduce");
	out_line(o, 6, "  bin/verify --compare %s %s", c->path_a, c->path_b);
	out_line(o, 0, "%s", "");
	out_line(o, 2, "comparison: %s (exit status %d)", comparison_words(c, words, sizeof(words)),
		 exit_status);
	summary_free(s);
}

/*
 * A test is "this verdict is no worse in B"; what can't be compared is no "ok".
 * The facts stand in comments, as in any KTAP report.
 */
void report_compare_ktap(struct out *o, const struct comparison *c)
{
	struct summary *s = summary_new(c->v.analysis);
	struct out text = {0};

	compared(&text, c);
	text_figures(&text, s);
	text_path_hit(&text, s);
	text_costs(&text, s);
	summary_free(s);
	out_raw(o, "KTAP version 1\n");
	out_line(o, 0, "1..%u", c->n_changes);
	ktap_comment(o, &text);
	out_free(&text);
	for (unsigned int i = 0; i < c->n_changes; i++) {
		const struct change *x = &c->changes[i];
		char *what __cleanup_free =
			xasprintf("%s: %s%s%s", x->check->name, phase_label(x->phase),
				  x->kernel[1] ? ": " : "", x->kernel[1] ? x->kernel + 2 : "");
		char *name __cleanup_free = ktap_description(what);

		if (x->kind == CHANGE_UNDECIDED)
			out_line(o, 0, "not ok %u %s # SKIP %s in A, %s in B", i + 1, name,
				 verdict_name(x->a), verdict_name(x->b));
		else if (x->kind == CHANGE_NONE)
			out_line(o, 0, "ok %u %s", i + 1, name);
		else
			out_line(o, 0, "%sok %u %s # %s in A, %s in B",
				 x->kind == CHANGE_WORSE ? "not " : "", i + 1, name,
				 verdict_name(x->a), verdict_name(x->b));
	}
}
