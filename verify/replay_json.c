// SPDX-License-Identifier: GPL-2.0-only
/* capture.json of a replay: which files there were, and how true each phase was to its plan. */
#include <stdlib.h>

#include "verify/rundir.h"

#define FILES_MAX 65536u

const struct json_field test_file_fields[3] = {
	FIELD("ino", F_U64, REQUIRED, struct test_file, ino),
	FIELD("size", F_U64, REQUIRED, struct test_file, size),
	FIELD_ONLY("extents", F_ARRAY, OPTIONAL),
};

const struct json_field replay_fields[9] = {
	FIELD("planned", F_U64, REQUIRED, struct replay_info, planned),
	FIELD("issued", F_U64, REQUIRED, struct replay_info, issued),
	FIELD("beyond_end", F_U64, REQUIRED, struct replay_info, beyond_end),
	FIELD("cut_at_end", F_U64, REQUIRED, struct replay_info, cut_at_end),
	FIELD("split", F_U64, REQUIRED, struct replay_info, split),
	FIELD("out_of_order", F_U64, REQUIRED, struct replay_info, out_of_order),
	FIELD("late_ns.mean", F_U64, OPTIONAL, struct replay_info, late_mean_ns),
	FIELD("late_ns.max", F_U64, OPTIONAL, struct replay_info, late_max_ns),
	FIELD_ONLY("files", F_ARRAY, REQUIRED),
};

const struct json_field replay_file_fields[3] = {
	FIELD("accesses", F_U64, REQUIRED, struct replay_file, accesses),
	FIELD("bytes", F_U64, REQUIRED, struct replay_file, bytes),
	FIELD("major_faults", F_U64, REQUIRED, struct replay_file, major_faults),
};

static int by_ino(const void *a, const void *b)
{
	const struct test_file *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int by_sector(const void *a, const void *b)
{
	const struct file_extent *x = a, *y = b;

	return x->sector < y->sector ? -1 : x->sector > y->sector;
}

/* [[SECTOR, SECTORS], ...] */
static int load_extents(const struct json_node *file, u32 index, struct capture *c, struct err *e)
{
	struct json_node list, pair;
	size_t count;
	int ret = json_child(file, "extents", JSON_ARRAY, OPTIONAL, &list, e);

	if (ret <= 0)
		return ret;
	count = json_array_size(list.value);
	/* the file itself is bounded, hence so is what it can list */
	c->extents = xrealloc(c->extents, c->n_extents + count + 1, sizeof(*c->extents));
	for (size_t i = 0; i < count; i++) {
		json_int_t sector, n;

		ret = json_element(&list, i, JSON_ARRAY, &pair, e);
		if (ret)
			return ret;
		sector = json_integer_value(json_array_get(pair.value, 0));
		n = json_integer_value(json_array_get(pair.value, 1));
		if (json_array_size(pair.value) != 2 || sector < 0 || n <= 0 ||
		    n > INT64_MAX - sector)
			return json_fail(&pair, e, "expected [sector, sectors]");
		c->extents[c->n_extents++] =
			(struct file_extent){(u64)sector, (u64)(sector + n), index};
	}
	return 0;
}

int test_files_load(const struct json_node *top, struct capture *c, struct err *e)
{
	struct json_node list, n;
	size_t count;
	int ret = json_child(top, "test_files", JSON_ARRAY, OPTIONAL, &list, e);

	if (ret <= 0)
		return ret;
	count = json_array_size(list.value);
	if (!count || count > FILES_MAX)
		return json_fail(&list, e, "expected 1 to %u elements, found %zu", FILES_MAX,
				 count);
	c->files = xcalloc(count, sizeof(*c->files));
	for (size_t i = 0; i < count; i++) {
		ret = json_element(&list, i, JSON_OBJECT, &n, e);
		if (!ret)
			ret = json_fields(&n, test_file_fields, ARRAY_SIZE(test_file_fields),
					  &c->files[i], e);
		if (ret)
			return ret;
		c->files[i].index = (u32)i;
		ret = load_extents(&n, (u32)i, c, e);
		if (ret)
			return ret;
	}
	c->n_files = (u32)count;
	qsort(c->files, count, sizeof(*c->files), by_ino);
	if (c->n_extents)
		qsort(c->extents, c->n_extents, sizeof(*c->extents), by_sector);
	return 0;
}

int replay_load_phase(const struct json_node *phase, struct phase_info *p, struct err *e)
{
	struct json_node sub, list, n;
	struct replay_info r = {.late_max_ns = UINT64_MAX};
	size_t count;
	int ret = json_child(phase, "replay", JSON_OBJECT, OPTIONAL, &sub, e);

	if (ret <= 0)
		return ret;
	ret = json_fields(&sub, replay_fields, ARRAY_SIZE(replay_fields), &r, e);
	if (!ret && r.issued > r.planned)
		ret = json_fail(&sub, e, "issued is more than planned");
	if (!ret)
		ret = json_child(&sub, "files", JSON_ARRAY, REQUIRED, &list, e);
	if (ret < 0)
		return ret;
	r.late_known = r.late_max_ns != UINT64_MAX;
	count = json_array_size(list.value);
	if (count > FILES_MAX)
		return json_fail(&list, e, "expected at most %u elements, found %zu", FILES_MAX,
				 count);
	p->replay = xmalloc(sizeof(*p->replay));
	*p->replay = r;
	p->replay->files = xcalloc(count + 1, sizeof(*r.files));
	for (size_t i = 0; i < count; i++) {
		ret = json_element(&list, i, JSON_OBJECT, &n, e);
		if (!ret)
			ret = json_fields(&n, replay_file_fields, ARRAY_SIZE(replay_file_fields),
					  &p->replay->files[i], e);
		if (ret)
			return ret;
		p->replay->n_files++;
	}
	return 0;
}

void capture_json_free(struct capture *c)
{
	for (unsigned int i = 0; i < c->n_phases; i++)
		if (c->phases[i].replay) {
			free(c->phases[i].replay->files);
			free(c->phases[i].replay);
		}
	free(c->phases);
	free(c->files);
	free(c->extents);
}

const struct test_file *capture_file(const struct capture *c, u64 ino)
{
	const struct test_file key = {.ino = ino};

	return bsearch(&key, c->files, c->n_files, sizeof(*c->files), by_ino);
}

u64 capture_file_size(const struct capture *c, u64 ino)
{
	const struct test_file *f = c->n_files ? capture_file(c, ino) : NULL;

	return f ? f->size : c->file_size;
}

const struct file_extent *capture_extent(const struct capture *c, u64 sector)
{
	u32 lo = 0, hi = c->n_extents;

	/* the last that begins at or before it */
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (c->extents[mid].sector <= sector)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && sector < c->extents[lo - 1].end ? &c->extents[lo - 1] : NULL;
}
