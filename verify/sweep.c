// SPDX-License-Identifier: GPL-2.0-only
#include "verify/sweep.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define RUNS_MAX 1024

static const struct json_field sweep_fields[] = {
	FIELD("schema", F_U32, REQUIRED, struct sweep, schema),
	FIELD("experiment", F_NAME, REQUIRED, struct sweep, experiment),
	FIELD("key", F_NAME, REQUIRED, struct sweep, key),
	FIELD("command", F_TEXT, OPTIONAL, struct sweep, command),
	FIELD_ONLY("runs", F_ARRAY, REQUIRED),
};

static const struct json_field run_fields[] = {
	FIELD("value", F_TEXT, REQUIRED, struct sweep_run, value),
	FIELD("run", F_NAME, REQUIRED, struct sweep_run, name),
};

#define TABLE(where, fields)                                                                       \
	{                                                                                          \
		where, fields, ARRAY_SIZE(fields)                                                  \
	}
const struct json_table sweep_tables[] = {
	TABLE("", sweep_fields),
	TABLE("runs[].", run_fields),
};
const size_t n_sweep_tables = ARRAY_SIZE(sweep_tables);

static int load_runs(struct sweep *s, const struct json_node *top, struct err *e)
{
	struct json_node list, n;
	size_t count;
	int ret = json_child(top, "runs", JSON_ARRAY, REQUIRED, &list, e);

	if (ret < 0)
		return ret;
	count = json_array_size(list.value);
	if (!count || count > RUNS_MAX)
		return json_fail(&list, e, "expected 1 to %d elements, found %zu", RUNS_MAX, count);
	s->runs = xcalloc(count, sizeof(*s->runs));
	for (s->n = 0; s->n < count; s->n++) {
		struct sweep_run *r = &s->runs[s->n];

		ret = json_element(&list, s->n, JSON_OBJECT, &n, e);
		if (!ret)
			ret = json_fields(&n, run_fields, ARRAY_SIZE(run_fields), r, e);
		if (ret)
			return ret;
		/* it becomes part of a path: nothing that leaves the run */
		if (!r->name[0] || r->name[0] == '.' || strchr(r->name, '/'))
			return json_fail(&n, e, "run '%.64s' is not the name of a directory",
					 r->name);
		for (unsigned int i = 0; i < s->n; i++)
			if (!strcmp(r->name, s->runs[i].name))
				return json_fail(&n, e, "run '%s' is listed twice", r->name);
	}
	return 0;
}

int sweep_load(struct sweep *s, const char *path, struct err *e)
{
	char *file __cleanup_free = xasprintf("%s/" RUN_SWEEP, path);
	json_t *root __cleanup_json = NULL;
	struct json_node top = {.file = file};
	int ret;

	memset(s, 0, sizeof(*s));
	if (access(file, F_OK))
		return 0;
	ret = json_load_object(file, &root, e);
	if (ret)
		return ret;
	top.value = root;
	ret = json_fields(&top, sweep_fields, ARRAY_SIZE(sweep_fields), s, e);
	if (!ret && s->schema != RUN_SCHEMA)
		ret = json_fail(&top, e, "schema is %u, this verify reads %d", s->schema,
				RUN_SCHEMA);
	if (!ret)
		ret = load_runs(s, &top, e);
	if (ret)
		sweep_free(s);
	return ret ? ret : 1;
}

void sweep_free(struct sweep *s)
{
	free(s->runs);
	memset(s, 0, sizeof(*s));
}
