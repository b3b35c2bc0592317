// SPDX-License-Identifier: GPL-2.0-only
#include "verify/json.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/fileio.h"

static const char *const type_words[] = {
	[JSON_OBJECT] = "an object",	[JSON_ARRAY] = "an array",
	[JSON_STRING] = "a string",	[JSON_INTEGER] = "a whole number",
	[JSON_REAL] = "a fraction",	[JSON_TRUE] = "true or false",
	[JSON_FALSE] = "true or false", [JSON_NULL] = "null",
};

static const json_type field_types[] = {
	[F_U32] = JSON_INTEGER, [F_U64] = JSON_INTEGER, [F_S64] = JSON_INTEGER,
	[F_NAME] = JSON_STRING, [F_TEXT] = JSON_STRING, [F_OBJECT] = JSON_OBJECT,
	[F_ARRAY] = JSON_ARRAY, [F_BOOL] = JSON_TRUE,
};

int json_fail(const struct json_node *n, struct err *e, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, -EINVAL, "%s: %s%s%s", n->file, n->place, n->place[0] ? ": " : "", text);
}

int json_load_object(const char *path, json_t **root, struct err *e)
{
	char *text __cleanup_free = NULL;
	json_error_t je;
	size_t len;
	int ret;

	ret = file_read(path, JSON_FILE_MAX, &text, &len, e);
	if (ret)
		return ret;
	*root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
	if (!*root && json_error_code(&je) == json_error_premature_end_of_input)
		return err_set(e, -EINVAL, "%s: ends too early, in line %d: the file is cut short",
			       path, je.line);
	if (!*root)
		return err_set(e, -EINVAL, "%s: line %d, column %d: %s", path, je.line, je.column,
			       je.text);
	if (!json_is_object(*root)) {
		json_decref(*root);
		*root = NULL;
		return err_set(e, -EINVAL, "%s: expected an object at the top", path);
	}
	return 0;
}

static void place_below(struct json_node *child, const struct json_node *n, const char *name)
{
	/* a place that is too long to print is cut; it only serves a message */
	if (snprintf(child->place, sizeof(child->place), "%s%s%s", n->place, n->place[0] ? "." : "",
		     name) >= (int)sizeof(child->place))
		child->place[sizeof(child->place) - 1] = '\0';
	child->file = n->file;
}

static int check_type(const struct json_node *n, json_type type, struct err *e)
{
	if (json_typeof(n->value) == type)
		return 0;
	if (type == JSON_TRUE && json_is_false(n->value))
		return 0;
	return json_fail(n, e, "expected %s, found %s", type_words[type],
			 type_words[json_typeof(n->value)]);
}

int json_child(const struct json_node *n, const char *name, json_type type, enum field_need need,
	       struct json_node *child, struct err *e)
{
	struct json_node parent = *n;
	const char *dot;
	char part[64];
	int ret;

	while ((dot = strchr(name, '.'))) {
		snprintf(part, sizeof(part), "%.*s", (int)(dot - name), name);
		ret = json_child(&parent, part, JSON_OBJECT, need, child, e);
		if (ret <= 0)
			return ret;
		parent = *child;
		name = dot + 1;
	}
	child->value = json_object_get(parent.value, name);
	place_below(child, &parent, name);
	if (!child->value || json_is_null(child->value)) {
		if (need == OPTIONAL)
			return 0;
		return json_fail(child, e, "%s: expected %s", child->value ? "null" : "missing",
				 type_words[type]);
	}
	ret = check_type(child, type, e);
	return ret ? ret : 1;
}

int json_element(const struct json_node *n, size_t i, json_type type, struct json_node *child,
		 struct err *e)
{
	child->value = json_array_get(n->value, i);
	child->file = n->file;
	if (snprintf(child->place, sizeof(child->place), "%s[%zu]", n->place, i) >=
	    (int)sizeof(child->place))
		child->place[sizeof(child->place) - 1] = '\0';
	if (!child->value)
		return json_fail(child, e, "missing: expected %s", type_words[type]);
	return check_type(child, type, e);
}

static int put_number(const struct json_node *n, const struct json_field *f, void *to,
		      struct err *e)
{
	json_int_t v = json_integer_value(n->value);

	if (f->type != F_S64 && v < 0)
		return json_fail(n, e, "%lld is negative", (long long)v);
	if (f->type == F_U32 && v > UINT32_MAX)
		return json_fail(n, e, "%lld is too large: at most %u", (long long)v, UINT32_MAX);
	if (f->offset == FIELD_CHECKED)
		return 0;
	if (f->type == F_U32)
		*(u32 *)to = (u32)v;
	else if (f->type == F_U64)
		*(u64 *)to = (u64)v;
	else
		*(s64 *)to = v;
	return 0;
}

static int put_text(const struct json_node *n, const struct json_field *f, char *to, struct err *e)
{
	const char *s = json_string_value(n->value);
	size_t len = strlen(s);

	if (f->offset == FIELD_CHECKED)
		return 0;
	if (len >= f->size && f->type == F_NAME)
		return json_fail(n, e, "%zu bytes long: at most %zu", len, f->size - 1);
	snprintf(to, f->size, "%s", s);
	if (len >= f->size)
		memcpy(to + f->size - 4, "...", 4);
	return 0;
}

int json_fields(const struct json_node *n, const struct json_field *fields, size_t n_fields,
		void *base, struct err *e)
{
	for (size_t i = 0; i < n_fields; i++) {
		const struct json_field *f = &fields[i];
		char *to = f->offset == FIELD_CHECKED ? NULL : (char *)base + f->offset;
		struct json_node child;
		int ret;

		ret = json_child(n, f->name, field_types[f->type], f->need, &child, e);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		if (f->type <= F_S64)
			ret = put_number(&child, f, to, e);
		else if (f->type <= F_TEXT)
			ret = put_text(&child, f, to, e);
		else
			ret = 0;
		if (ret < 0)
			return ret;
	}
	return 0;
}
