// SPDX-License-Identifier: GPL-2.0-only
/* The JSON report parses, has the members that docs/blkproof-json.5 lists, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fileio.h"
#include "tests/unit/sample.h"
#include "verify/report/compare.h"

static const struct options by_all = {.stats = true, .by = STATS_BY_FILE | STATS_BY_TASK};

static json_t *report(const struct verified *v, unsigned int n, int status)
{
	struct out o = {0};
	json_error_t je;
	json_t *root;

	report_json(&o, v, n, status, &by_all);
	for (size_t i = 0; i < o.len; i++)
		if (o.text[i] != '\n' && (o.text[i] < ' ' || o.text[i] > '~'))
			fail_msg("byte %#x at %zu", o.text[i] & 0xff, i);
	root = json_loadb(o.text, o.len, JSON_REJECT_DUPLICATES, &je);
	if (!root)
		fail_msg("line %d: %s", je.line, je.text);
	out_free(&o);
	return root;
}

static json_t *at(json_t *j, const char *name)
{
	j = json_object_get(j, name);
	if (!j)
		fail_msg("no member %s", name);
	return j;
}

static void test_values(void **state __unused_arg)
{
	struct verified *v = sample_run(&(struct sample_options){.kernels = 2, .repeats = 3});
	json_t *root = report(v, 1, 0), *input, *result;
	bool found = false;
	size_t i;

	assert_int_equal(json_integer_value(at(root, "schema")), REPORT_JSON_SCHEMA);
	assert_int_equal(json_integer_value(at(root, "exit_status")), 0);
	input = json_array_get(at(root, "inputs"), 0);
	assert_string_equal(json_string_value(at(input, "verdict")), "every expectation is met");
	assert_int_equal(json_array_size(at(input, "captures")), 6);
	result = json_array_get(at(json_array_get(at(input, "captures"), 0), "results"), 2);
	assert_string_equal(json_string_value(at(result, "check")), "no-sync-readaround-per-piece");
	assert_string_equal(json_string_value(at(result, "verdict")), "FAIL");
	assert_string_equal(json_string_value(at(result, "expected")), "violated");
	assert_string_equal(json_string_value(at(result, "outcome")), "met");
	assert_int_equal(json_array_size(at(result, "findings")), 2);
	for (i = 0; i < json_array_size(at(input, "figures")); i++) {
		json_t *f = json_array_get(at(input, "figures"), i);

		if (strcmp(json_string_value(at(f, "metric")), "major-faults") ||
		    strcmp(json_string_value(at(f, "phase")), "one-thread") ||
		    strcmp(json_string_value(at(f, "kernel")), "base"))
			continue;
		found = true; /* 97, 98 and 99 */
		assert_int_equal(json_integer_value(at(f, "n")), 3);
		assert_true(json_real_value(at(f, "mean")) == 98);
		assert_true(json_real_value(at(f, "stdev")) == 1);
	}
	assert_true(found);
	json_decref(root);
	sample_free(v);
}

/* Bytes that are no UTF-8, and control characters, make no report fail. */
static void test_ugly(void **state __unused_arg)
{
	struct verified *v =
		sample_run(&(struct sample_options){.kernels = 3, .repeats = 1, .ugly = true});

	snprintf(v->run->command, sizeof(v->run->command), "\xff\xfe make");
	json_decref(report(v, 1, 1));
	sample_free(v);
}

struct members {
	const char *names[512];
	size_t n;
};

static void add_member(struct members *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->names[i], name))
			return;
	assert_true(m->n < ARRAY_SIZE(m->names));
	m->names[m->n++] = xstrdup(name);
}

/* "inputs[].captures[].path", ... */
static void collect(json_t *j, const char *where, struct members *m)
{
	char *place __cleanup_free = NULL;
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_array(j)) {
		place = xasprintf("%s[]", where);
		json_array_foreach(j, i, value) collect(value, place, m);
	}
	if (!json_is_object(j))
		return;
	json_object_foreach(j, key, value)
	{
		char *name __cleanup_free = xasprintf("%s%s%s", where, *where ? "." : "", key);

		add_member(m, name);
		collect(value, name, m);
	}
}

/* A run held against one that is not quite the same. */
static json_t *compared(const struct verified *v)
{
	struct verified *w = sample_run(&(struct sample_options){.kernels = 2, .repeats = 1});
	struct comparison c;
	struct out o = {0};
	json_error_t je;
	struct err e;
	json_t *root;

	w->run->captures[0]->cpus = 4;
	if (comparison_make(&c, v, w, &e))
		fail_msg("%s", e.msg);
	report_compare_json(&o, &c, 0);
	root = json_loadb(o.text, o.len, JSON_REJECT_DUPLICATES, &je);
	if (!root)
		fail_msg("line %d: %s", je.line, je.text);
	comparison_free(&c);
	sample_free(w);
	out_free(&o);
	return root;
}

/* What B is against A, with the settings of one of the two changed. */
static void test_comparison(void **state __unused_arg)
{
	struct verified *v = sample_run(&(struct sample_options){.kernels = 2, .repeats = 1});
	struct verified *w = sample_run(&(struct sample_options){.kernels = 2, .repeats = 3});
	json_t *root, *c, *setting;
	struct comparison cmp;
	struct out o = {0};
	struct err e;

	w->run->captures[0]->read_ahead_kb = 128;
	assert_int_equal(comparison_make(&cmp, v, w, &e), 0);
	report_compare_json(&o, &cmp, 0);
	root = json_loadb(o.text, o.len, 0, NULL);
	c = at(root, "comparison");
	assert_int_equal(json_array_size(at(c, "settings")), 1);
	setting = json_array_get(at(c, "settings"), 0);
	assert_string_equal(json_string_value(at(setting, "name")), "read_ahead_kb");
	assert_string_equal(json_string_value(at(setting, "a")), "8192");
	assert_string_equal(json_string_value(at(setting, "b")), "128");
	json_decref(root);
	comparison_free(&cmp);
	out_free(&o);
	sample_free(v);
	sample_free(w);
}

static void test_docs(void **state __unused_arg)
{
	struct verified *v[] = {
		sample_run(&(struct sample_options){.kernels = 2, .repeats = 1}),
		sample_trace(),
		sample_error(),
	};
	struct verified all[ARRAY_SIZE(v)];
	char *page __cleanup_free = NULL, *from, *to;
	static const struct limit_override extra = {"major-faults-bounded", "extra", 3};
	static const struct analyze_options set = {.limits = &extra, .n_limits = 1};
	struct members m = {.n = 0};
	struct err e;
	json_t *root;

	v[0]->analysis->opt = &set;
	sample_add_figures(v[0]);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		all[i] = *v[i];
	root = report(all, ARRAY_SIZE(v), 2);
	collect(root, "", &m);
	json_decref(root);
	root = compared(v[0]);
	collect(root, "", &m);
	assert_true(m.n > 100);
	if (file_read("docs/blkproof-json.5", 1 << 20, &page, NULL, &e))
		fail_msg("%s", e.msg);
	from = strstr(page, "\n.SH MEMBERS\n");
	assert_non_null(from);
	to = strstr(from + 1, "\n.SH ");
	assert_non_null(to);
	*to = '\0';
	for (size_t i = 0; i < m.n; i++) {
		char *line __cleanup_free = xasprintf("\n.B %s\n", m.names[i]);

		if (!strstr(from, line))
			fail_msg("docs/blkproof-json.5 lacks %s", m.names[i]);
	}
	for (const char *p = from; (p = strstr(p, "\n.B ")); p++) {
		char *name __cleanup_free = xstrndup(p + 4, strcspn(p + 4, "\n"));
		size_t n = m.n;

		add_member(&m, name);
		if (m.n != n)
			fail_msg("docs/blkproof-json.5 has %s, which no report has", name);
	}
	for (size_t i = 0; i < m.n; i++)
		free((char *)m.names[i]);
	json_decref(root);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		sample_free(v[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_ugly),
		cmocka_unit_test(test_comparison),
		cmocka_unit_test(test_docs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
