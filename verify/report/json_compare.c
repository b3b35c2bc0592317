// SPDX-License-Identifier: GPL-2.0-only
/* verify --compare --format json; docs/blkproof-json.5 lists every member. */
#include "verify/checks/check.h"
#include "verify/report/compare.h"
#include "verify/report/json_put.h"

static void put_change(json_t *list, const struct change *x)
{
	json_t *e = new_element(list);

	put_text(e, "check", x->check->name);
	put_text(e, "phase", x->phase);
	put_text(e, "kernel", x->kernel);
	put_text(e, "a", verdict_name(x->a));
	put_text(e, "b", verdict_name(x->b));
	put_text(e, "change", change_name(x->kind));
}

/* The two as one input, and what B has to do with A. */
void report_compare_json(struct out *o, const struct comparison *c, int exit_status)
{
	json_t *root = new_report(exit_status), *e, *list;
	char words[256];

	put_input(list_of(root, "inputs"), &c->v, NULL);
	e = object_of(root, "comparison");
	put_text(e, "a", c->path_a);
	put_text(e, "b", c->path_b);
	put_text(e, "verdict", comparison_words(c, words, sizeof(words)));
	put_text(e, "not_compared", c->left_out);
	list = list_of(e, "settings");
	for (unsigned int i = 0; i < c->n_settings; i++) {
		json_t *s = new_element(list);

		put_text(s, "name", c->settings[i].name);
		put_text(s, "a", c->settings[i].a);
		put_text(s, "b", c->settings[i].b);
	}
	list = list_of(e, "verdicts");
	for (unsigned int i = 0; i < c->n_changes; i++)
		put_change(list, &c->changes[i]);
	print_report(o, root);
}
