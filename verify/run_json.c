// SPDX-License-Identifier: GPL-2.0-only
/* run.json: what was asked, and what did it. */
#include <errno.h>
#include <string.h>

#include "verify/rundir.h"

#define RUN_KERNELS_MAX 64
#define PATCHES_MAX 1024
#define TOUCHED_MAX 4096 /* functions of one patch */
#define CAPTURES_MAX 4096

static const struct json_field run_fields[] = {
	FIELD("date", F_TEXT, REQUIRED, struct run, date),
	FIELD("command", F_TEXT, REQUIRED, struct run, command),
	FIELD_ONLY("blkproof_version", F_TEXT, REQUIRED),
	FIELD("host.cpu", F_TEXT, OPTIONAL, struct run, host_cpu),
	FIELD_ONLY("host.cpus", F_U32, OPTIONAL),
	FIELD("host.uname", F_TEXT, OPTIONAL, struct run, host_uname),
	FIELD("qemu.version", F_TEXT, OPTIONAL, struct run, qemu_version),
	FIELD("ceph.version", F_TEXT, OPTIONAL, struct run, ceph_version),
	FIELD("nfs.version", F_TEXT, OPTIONAL, struct run, nfs_version),
	FIELD_ONLY("accelerator.asked", F_TEXT, OPTIONAL),
	FIELD("accelerator.used", F_NAME, REQUIRED, struct run, accel),
	FIELD("accelerator.reason", F_TEXT, OPTIONAL, struct run, accel_reason),
	FIELD_ONLY("kernels", F_ARRAY, REQUIRED),
	FIELD_ONLY("captures", F_ARRAY, REQUIRED),
};

static const struct json_field extra_fields[] = {
	FIELD("schema", F_U32, REQUIRED, struct run_json, schema),
	FIELD("repeat", F_U32, REQUIRED, struct run_json, repeat),
	FIELD("experiment", F_NAME, REQUIRED, struct run_json, experiment),
	FIELD("experiment_bytes", F_U64, OPTIONAL, struct run_json, experiment_bytes),
};

static const struct json_field kernel_fields[] = {
	FIELD("name", F_NAME, REQUIRED, struct kernel_info, name),
	FIELD("version", F_TEXT, OPTIONAL, struct kernel_info, version),
	FIELD("source", F_TEXT, OPTIONAL, struct kernel_info, source),
	FIELD("config_hash", F_TEXT, OPTIONAL, struct kernel_info, config_hash),
	FIELD_ONLY("image_sha256", F_TEXT, OPTIONAL),
	FIELD_ONLY("compiler", F_TEXT, OPTIONAL),
	FIELD_ONLY("patches", F_ARRAY, REQUIRED),
};

static const struct json_field patch_fields[] = {
	FIELD("file", F_TEXT, REQUIRED, struct patch_info, file),
	FIELD("id", F_TEXT, REQUIRED, struct patch_info, id),
	FIELD("subject", F_TEXT, OPTIONAL, struct patch_info, subject),
	FIELD("fuzz", F_U32, OPTIONAL, struct patch_info, fuzz),
	FIELD("base_commit", F_TEXT, OPTIONAL, struct patch_info, base_commit),
	FIELD("change_id", F_TEXT, OPTIONAL, struct patch_info, change_id),
	FIELD_ONLY("touched", F_ARRAY, OPTIONAL),
	FIELD("unnamed_hunks", F_U32, OPTIONAL, struct patch_info, unnamed_hunks),
};

static const struct json_field touched_fields[] = {
	FIELD("file", F_TEXT, REQUIRED, struct touched, file),
	FIELD("function", F_TEXT, REQUIRED, struct touched, function),
	FIELD_ONLY("added", F_BOOL, REQUIRED),
	FIELD("called_from", F_TEXT, OPTIONAL, struct touched, called_from),
};

#define TABLE(where, fields)                                                                       \
	{                                                                                          \
		where, fields, ARRAY_SIZE(fields)                                                  \
	}
const struct json_table run_tables[] = {
	TABLE("", run_fields),
	TABLE("", extra_fields),
	TABLE("kernels[].", kernel_fields),
	TABLE("kernels[].patches[].", patch_fields),
	TABLE("kernels[].patches[].touched[].", touched_fields),
};
const size_t n_run_tables = ARRAY_SIZE(run_tables);

/* Member @name of @n, an array of @min to @max elements. */
static int bounded_list(const struct json_node *n, const char *name, size_t min, size_t max,
			struct json_node *list, struct err *e)
{
	size_t count;
	int ret = json_child(n, name, JSON_ARRAY, REQUIRED, list, e);

	if (ret < 0)
		return ret;
	count = json_array_size(list->value);
	if (count < min || count > max)
		return json_fail(list, e, "expected %zu to %zu elements, found %zu", min, max,
				 count);
	return 0;
}

static int load_touched(const struct json_node *patch, struct patch_info *p, struct err *e)
{
	struct json_node list, n;
	size_t count;
	int ret;

	if (!json_is_array(json_object_get(patch->value, "touched")))
		return 0; /* the run does not say */
	ret = bounded_list(patch, "touched", 0, TOUCHED_MAX, &list, e);
	if (ret)
		return ret;
	count = json_array_size(list.value);
	p->touched = xcalloc(count, sizeof(*p->touched));
	p->touched_known = true;
	for (size_t i = 0; i < count; i++) {
		struct touched *t = &p->touched[i];

		ret = json_element(&list, i, JSON_OBJECT, &n, e);
		if (!ret)
			ret = json_fields(&n, touched_fields, ARRAY_SIZE(touched_fields), t, e);
		if (ret)
			return ret;
		t->added = json_is_true(json_object_get(n.value, "added"));
		p->n_touched++;
	}
	return 0;
}

static int load_kernel(const struct json_node *n, struct kernel_info *k, struct err *e)
{
	struct json_node list, patch;
	size_t count;
	int ret;

	ret = json_fields(n, kernel_fields, ARRAY_SIZE(kernel_fields), k, e);
	if (!ret)
		ret = bounded_list(n, "patches", 0, PATCHES_MAX, &list, e);
	if (ret)
		return ret;
	count = json_array_size(list.value);
	k->patches = xcalloc(count, sizeof(*k->patches));
	for (size_t i = 0; i < count; i++) {
		ret = json_element(&list, i, JSON_OBJECT, &patch, e);
		if (!ret)
			ret = json_fields(&patch, patch_fields, ARRAY_SIZE(patch_fields),
					  &k->patches[i], e);
		k->n_patches++;
		if (!ret)
			ret = load_touched(&patch, &k->patches[i], e);
		if (ret)
			return ret;
	}
	return 0;
}

static int load_kernels(const struct json_node *top, struct run *run, struct err *e)
{
	struct json_node list, n;
	size_t count;
	int ret;

	ret = bounded_list(top, "kernels", 1, RUN_KERNELS_MAX, &list, e);
	if (ret)
		return ret;
	count = json_array_size(list.value);
	run->kernels = xcalloc(count, sizeof(*run->kernels));
	for (size_t i = 0; i < count; i++) {
		ret = json_element(&list, i, JSON_OBJECT, &n, e);
		/* before it can fail half way, so that run_close() frees its patches */
		run->n_kernels++;
		if (!ret)
			ret = load_kernel(&n, &run->kernels[i], e);
		if (ret)
			return ret;
		for (size_t j = 0; j < i; j++)
			if (!strcmp(run->kernels[i].name, run->kernels[j].name))
				return json_fail(&n, e, "name '%s' is that of kernels[%zu] too",
						 run->kernels[i].name, j);
	}
	return 0;
}

/* The name becomes part of a path: nothing that leaves the run. */
static bool plain_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

static int load_captures(const struct json_node *top, struct run_json *j, struct err *e)
{
	struct json_node list, n;
	size_t count;
	int ret;

	ret = bounded_list(top, "captures", 1, CAPTURES_MAX, &list, e);
	if (ret)
		return ret;
	count = json_array_size(list.value);
	j->captures = xcalloc(count, sizeof(*j->captures));
	for (size_t i = 0; i < count; i++) {
		const char *name;

		ret = json_element(&list, i, JSON_STRING, &n, e);
		if (ret)
			return ret;
		name = json_string_value(n.value);
		if (!plain_name(name) || strlen(name) >= sizeof(j->captures[i]))
			return json_fail(&n, e, "'%.64s' is not the name of a capture directory",
					 name);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(name, j->captures[k]))
				return json_fail(&n, e, "'%s' is listed twice", name);
		snprintf(j->captures[i], sizeof(j->captures[i]), "%s", name);
		j->n_captures++;
	}
	return 0;
}

int run_json_load(struct run *run, struct run_json *j, struct err *e)
{
	char *path __cleanup_free = xasprintf("%s/" RUN_JSON, run->path);
	json_t *root __cleanup_json = NULL;
	struct json_node top = {.file = path};
	int ret;

	ret = json_load_object(path, &root, e);
	if (ret)
		return ret;
	top.value = root;
	ret = json_fields(&top, extra_fields, 1, j, e);
	if (!ret && j->schema != RUN_SCHEMA)
		return json_fail(&top, e, "schema is %u, this verify reads %d", j->schema,
				 RUN_SCHEMA);
	if (!ret)
		ret = json_fields(&top, extra_fields, ARRAY_SIZE(extra_fields), j, e);
	if (!ret)
		ret = json_fields(&top, run_fields, ARRAY_SIZE(run_fields), run, e);
	if (!ret)
		ret = load_kernels(&top, run, e);
	if (!ret)
		ret = load_captures(&top, j, e);
	if (!ret)
		run->has_json = true;
	return ret;
}
