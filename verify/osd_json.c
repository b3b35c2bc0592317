// SPDX-License-Identifier: GPL-2.0-only
/* osd.json: what every OSD of a cluster counted before and after each phase. */
#include <errno.h>
#include <string.h>

#include "verify/rundir.h"

#define OSDS_MAX 1024

/* Of Ceph's "perf dump", which has hundreds of others. */
struct osd_counters {
	u64 op_r, op_r_out_bytes;
};

static const struct json_field counter_fields[] = {
	FIELD("osd.op_r", F_U64, REQUIRED, struct osd_counters, op_r),
	FIELD("osd.op_r_out_bytes", F_U64, REQUIRED, struct osd_counters, op_r_out_bytes),
};

struct osd_top {
	u32 schema;
};

static const struct json_field top_fields[] = {
	FIELD("schema", F_U32, REQUIRED, struct osd_top, schema),
	FIELD_ONLY("phases", F_ARRAY, REQUIRED),
};

struct osd_phase {
	char name[NAME_LEN];
};

static const struct json_field phase_fields[] = {
	FIELD("name", F_NAME, REQUIRED, struct osd_phase, name),
	FIELD_ONLY("before", F_OBJECT, REQUIRED),
	FIELD_ONLY("after", F_OBJECT, REQUIRED),
};

#define TABLE(where, fields)                                                                       \
	{                                                                                          \
		where, fields, ARRAY_SIZE(fields)                                                  \
	}
const struct json_table osd_tables[] = {
	TABLE("", top_fields),
	TABLE("phases[].", phase_fields),
	TABLE("phases[].before.NAME.", counter_fields),
};
const size_t n_osd_tables = ARRAY_SIZE(osd_tables);

/* A member whose name, an OSD's, may have a dot in it. */
static int osd_of(const struct json_node *n, const char *osd, struct osd_counters *c, struct err *e)
{
	struct json_node sub = {.value = json_object_get(n->value, osd), .file = n->file};

	snprintf(sub.place, sizeof(sub.place), "%.90s.%.40s", n->place, osd);
	if (!json_is_object(sub.value))
		return json_fail(&sub, e, "expected an object");
	return json_fields(&sub, counter_fields, ARRAY_SIZE(counter_fields), c, e);
}

static int add_difference(const struct json_node *n, const char *osd, const char *counter,
			  u64 before, u64 after, u64 *sum, struct err *e)
{
	if (after < before)
		return json_fail(n, e, "%s's %s is %llu, less than %llu before: it was restarted",
				 osd, counter, (unsigned long long)after,
				 (unsigned long long)before);
	if (__builtin_add_overflow(*sum, after - before, sum))
		return json_fail(n, e, "the sum of %s over OSDs is too large", counter);
	return 0;
}

/* An OSD goes on counting where it was after the phase before this, @earlier; NULL: the first. */
static int follows(const struct json_node *n, const struct json_node *earlier, const char *osd,
		   const struct osd_counters *now, struct err *e)
{
	struct osd_counters then = {0};
	u64 ignored = 0;
	int ret;

	if (!earlier->value)
		return 0;
	if (!json_object_get(earlier->value, osd))
		return json_fail(n, e, "%.40s is not in the phase before", osd);
	ret = osd_of(earlier, osd, &then, e);
	if (!ret)
		ret = add_difference(n, osd, "op_r", then.op_r, now->op_r, &ignored, e);
	ignored = 0;
	if (!ret)
		ret = add_difference(n, osd, "op_r_out_bytes", then.op_r_out_bytes,
				     now->op_r_out_bytes, &ignored, e);
	return ret;
}

/* @earlier: the counters after the phase before this, and on return those after this one. */
static int load_phase(const struct json_node *n, struct capture *c, struct phase_info *p,
		      struct json_node *earlier, struct err *e)
{
	struct osd_counters b = {0}, a = {0};
	struct json_node before, after;
	struct osd_phase x = {0};
	const char *osd;
	json_t *value;
	int ret;

	ret = json_fields(n, phase_fields, ARRAY_SIZE(phase_fields), &x, e);
	if (ret)
		return ret;
	if (strcmp(x.name, p->name))
		return json_fail(n, e, "name: found '%s', but " CAPTURE_JSON " has '%s' there",
				 x.name, p->name);
	ret = json_child(n, "before", JSON_OBJECT, REQUIRED, &before, e);
	if (ret > 0)
		ret = json_child(n, "after", JSON_OBJECT, REQUIRED, &after, e);
	if (ret < 0)
		return ret;
	if (!json_object_size(before.value) || json_object_size(before.value) > OSDS_MAX ||
	    json_object_size(before.value) != json_object_size(after.value))
		return json_fail(
			n, e, "expected the same 1 to %d OSDs before and after, found %zu and %zu",
			OSDS_MAX, json_object_size(before.value), json_object_size(after.value));
	/* one that is left out is one whose bytes are not in the sum */
	if (earlier->value && json_object_size(before.value) != c->osds)
		return json_fail(n, e, "found %zu OSD%s, but %u in the phase before",
				 json_object_size(before.value),
				 json_object_size(before.value) == 1 ? "" : "s", c->osds);
	c->osds = (u32)json_object_size(before.value);
	json_object_foreach(before.value, osd, value)
	{
		ret = osd_of(&before, osd, &b, e);
		if (!ret)
			ret = follows(n, earlier, osd, &b, e);
		if (!ret)
			ret = osd_of(&after, osd, &a, e);
		if (!ret)
			ret = add_difference(n, osd, "op_r", b.op_r, a.op_r, &p->osd_reads, e);
		if (!ret)
			ret = add_difference(n, osd, "op_r_out_bytes", b.op_r_out_bytes,
					     a.op_r_out_bytes, &p->osd_read_bytes, e);
		if (ret)
			return ret;
	}
	p->osd_known = true;
	*earlier = after;
	return 0;
}

int osd_json_load(struct capture *c, struct err *e)
{
	json_t *root __cleanup_json = NULL;
	struct json_node top = {.file = c->osd}, list, n, earlier = {.value = NULL};
	struct osd_top x = {0};
	int ret;

	ret = json_load_object(c->osd, &root, e);
	if (ret)
		return ret;
	top.value = root;
	ret = json_fields(&top, top_fields, ARRAY_SIZE(top_fields), &x, e);
	if (ret)
		return ret;
	if (x.schema != RUN_SCHEMA)
		return json_fail(&top, e, "schema is %u, this verify reads %d", x.schema,
				 RUN_SCHEMA);
	ret = json_child(&top, "phases", JSON_ARRAY, REQUIRED, &list, e);
	if (ret < 0)
		return ret;
	if (json_array_size(list.value) != c->n_phases)
		return json_fail(&list, e, "expected %u elements as in " CAPTURE_JSON ", found %zu",
				 c->n_phases, json_array_size(list.value));
	for (unsigned int i = 0; i < c->n_phases; i++) {
		ret = json_element(&list, i, JSON_OBJECT, &n, e);
		if (!ret)
			ret = load_phase(&n, c, &c->phases[i], &earlier, e);
		if (ret)
			return ret;
	}
	return 0;
}
