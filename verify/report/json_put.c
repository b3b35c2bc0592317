// SPDX-License-Identifier: GPL-2.0-only
#include "verify/report/json_put.h"

#include <math.h>

#include "verify/report/out.h"

void put(json_t *o, const char *name, json_t *value)
{
	/* fails only when memory is out, as json_*() below do */
	if (!value || json_object_set_new(o, name, value)) {
		fputs("out of memory\n", stderr);
		exit(2);
	}
}

/* File names and task names are bytes; JSON is UTF-8. */
void put_text(json_t *o, const char *name, const char *s)
{
	char *text __cleanup_free = NULL;
	json_t *v = json_string(s);

	if (!v) {
		text = printable(s);
		v = json_string(text);
	}
	put(o, name, v);
}

void put_number(json_t *o, const char *name, u64 n)
{
	/* JSON integers here are signed; beyond that only a nonsense time or size can be */
	put(o, name, json_integer((json_int_t)MIN(n, (u64)INT64_MAX)));
}

void put_real(json_t *o, const char *name, double d)
{
	put(o, name, isfinite(d) ? json_real(d) : json_null());
}

json_t *list_of(json_t *o, const char *name)
{
	json_t *list = json_array();

	put(o, name, list);
	return list;
}

json_t *object_of(json_t *o, const char *name)
{
	json_t *object = json_object();

	put(o, name, object);
	return object;
}

json_t *new_element(json_t *list)
{
	json_t *o = json_object();

	if (!o || json_array_append_new(list, o)) {
		fputs("out of memory\n", stderr);
		exit(2);
	}
	return o;
}
