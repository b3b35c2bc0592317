/* SPDX-License-Identifier: GPL-2.0-only */
/* Building JSON; out of memory ends the program with a message. */
#ifndef BP_JSON_PUT_H
#define BP_JSON_PUT_H

#include <jansson.h>

#include "lib/util.h"

/* A member; takes over @value. */
void put(json_t *o, const char *name, json_t *value);
/* File names and task names are bytes: what is no UTF-8 becomes \\xNN. */
void put_text(json_t *o, const char *name, const char *s);
void put_number(json_t *o, const char *name, u64 n);
void put_real(json_t *o, const char *name, double d);
/* A member that is an empty list or object, to be filled. */
json_t *list_of(json_t *o, const char *name);
json_t *object_of(json_t *o, const char *name);
/* An empty object at the end of a list. */
json_t *new_element(json_t *list);

/* ---- json.c ---- */

struct verified;
struct options;
struct out;

/* The head of any report; and its end, which takes over @root. */
json_t *new_report(int exit_status) __must_check;
void print_report(struct out *o, json_t *root);
/* One element of "inputs". */
void put_input(json_t *list, const struct verified *v, const struct options *opt);

#endif
