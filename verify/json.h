/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading JSON that others wrote: tables of members that are fetched, typed
 * and range-checked, with messages such as
 *
 *   base-1/capture.json: phases[2].bytes_asked: expected a whole number, found a string
 */
#ifndef BP_JSON_H
#define BP_JSON_H

#include <jansson.h>

#include "lib/err.h"

#define JSON_FILE_MAX (16u << 20) /* bytes; a capture of 256 phases is below 1 MiB */

enum field_type {
	F_U32,
	F_U64,
	F_S64,
	F_NAME,	  /* text; an error when it is too long for its place */
	F_TEXT,	  /* text for people; cut with "..." when it is too long */
	F_OBJECT, /* only checked to be one */
	F_ARRAY,
	F_BOOL, /* only checked to be one */
};

enum field_need {
	REQUIRED,
	OPTIONAL, /* may be missing or null; its place is left as it is */
};

struct json_field {
	const char *name; /* "ino", or with dots "test_file.ino" */
	enum field_type type;
	enum field_need need;
	size_t offset; /* in the structure that is filled in; FIELD_CHECKED: only checked */
	size_t size;   /* F_NAME, F_TEXT: bytes there, with NUL */
};

#define FIELD_CHECKED SIZE_MAX
#define FIELD(name, type, need, st, member)                                                        \
	{                                                                                          \
		name, type, need, offsetof(st, member), sizeof(((st *)0)->member)                  \
	}
#define FIELD_ONLY(name, type, need)                                                               \
	{                                                                                          \
		name, type, need, FIELD_CHECKED, 0                                                 \
	}

/* A value and where it stands, for messages. */
struct json_node {
	json_t *value;
	const char *file;
	char place[160]; /* "phases[2].clock"; "" at the top */
};

/*
 * Reads @path, at most JSON_FILE_MAX bytes, which must hold one object.  Nesting is
 * bounded by jansson.  The caller ends with json_decref(*root).
 */
int json_load_object(const char *path, json_t **root, struct err *e) __must_check;

/* Fills in the members of object @n by @fields; -EINVAL and a line. */
int json_fields(const struct json_node *n, const struct json_field *fields, size_t n_fields,
		void *base, struct err *e) __must_check;

/*
 * Member @name (dots go down) of object @n, which must have JSON type @type.
 * Returns 1 and *child, 0 when it is OPTIONAL and missing or null, or -EINVAL
 * and a line.
 */
int json_child(const struct json_node *n, const char *name, json_type type, enum field_need need,
	       struct json_node *child, struct err *e) __must_check;

/* Element @i of array @n, of type @type. */
int json_element(const struct json_node *n, size_t i, json_type type, struct json_node *child,
		 struct err *e) __must_check;

/* "FILE: place: @fmt"; -EINVAL */
int json_fail(const struct json_node *n, struct err *e, const char *fmt, ...) __printf_like(3, 4);

static inline void cleanup_json(json_t **j)
{
	json_decref(*j);
}
#define __cleanup_json __cleanup(cleanup_json)

#endif
