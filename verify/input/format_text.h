/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of tracefs' events/SYSTEM/EVENT/format:
 *
 *	name: EVENT
 *	ID: N
 *	format:
 *		field:TYPE NAME;	offset:N;	size:N;	signed:N;
 *		...
 *	print fmt: ...
 */
#ifndef BP_FORMAT_TEXT_H
#define BP_FORMAT_TEXT_H

#include "lib/err.h"

#define FORMAT_ID_MAX 65535

/* Where a field lies in a record; size 0: the format has no such field. */
struct field {
	u16 off;
	u8 size;
	bool is_signed;
};

/* One line; the name is borrowed from the text. */
struct text_field {
	const char *name;
	size_t name_len;
	bool dynamic; /* the record has its place and length, not its content */
	struct field field;
	u32 size; /* may be more than field.size can hold */
};

/* The event's name (in @size bytes) and number; false if the text does not begin so. */
bool format_head(const char *text, size_t len, char *name, size_t size, unsigned int *id);

/*
 * Looks for field @name in @text.  Returns 1 with *@f, 0 if there is none, or
 * -EBADMSG for a line that is no field.
 */
int format_field(const char *text, size_t len, const char *name, struct text_field *f,
		 struct err *e) __must_check;

#endif
