// SPDX-License-Identifier: GPL-2.0-only
#include "verify/input/format_text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

bool format_head(const char *text, size_t len, char *name, size_t size, unsigned int *id)
{
	const char *end = text + len, *p;
	size_t n;

	if (len < 6 || memcmp(text, "name: ", 6))
		return false;
	p = memchr(text, '\n', len);
	if (!p)
		return false;
	n = (size_t)(p - text) - 6;
	if (!n || n >= size)
		return false;
	memcpy(name, text + 6, n);
	name[n] = '\0';
	p++;
	if (end - p < 5 || memcmp(p, "ID: ", 4))
		return false;
	*id = 0;
	for (p += 4; p < end && isdigit((unsigned char)*p); p++) {
		*id = *id * 10 + (unsigned int)(*p - '0');
		if (*id > FORMAT_ID_MAX)
			return false;
	}
	return p < end && *p == '\n';
}

/* "KEY:N;" behind blanks. */
static bool parse_key(const char **at, const char *end, const char *key, u32 *value)
{
	const char *p = *at;
	size_t len = strlen(key);
	bool any = false;

	while (p < end && (*p == '\t' || *p == ' '))
		p++;
	if ((size_t)(end - p) < len || memcmp(p, key, len))
		return false;
	for (p += len, *value = 0; p < end && isdigit((unsigned char)*p); p++, any = true) {
		*value = *value * 10 + (u32)(*p - '0');
		if (*value > UINT16_MAX)
			return false;
	}
	if (!any || p == end || *p != ';')
		return false;
	*at = p + 1;
	return true;
}

/* "field:TYPE NAME[ARRAY];\toffset:N;\tsize:N;\tsigned:N;" */
static bool parse_field(const char *line, const char *end, struct text_field *f)
{
	const char *semicolon = memchr(line, ';', (size_t)(end - line)), *p = semicolon;
	u32 offset, sign = 0;

	if (!p)
		return false;
	if (p > line && p[-1] == ']') {
		while (p > line && *p != '[')
			p--;
	}
	f->name = p;
	while (f->name > line && (isalnum((unsigned char)f->name[-1]) || f->name[-1] == '_'))
		f->name--;
	f->name_len = (size_t)(p - f->name);
	f->dynamic = end - line > 10 &&
		     (!memcmp(line, "__data_loc", 10) || !memcmp(line, "__rel_loc ", 10));
	p = semicolon + 1;
	/* kernels before 2.6.31 do not say "signed" */
	if (!f->name_len || !parse_key(&p, end, "offset:", &offset) ||
	    !parse_key(&p, end, "size:", &f->size) ||
	    (p < end && !parse_key(&p, end, "signed:", &sign)))
		return false;
	f->field = (struct field){(u16)offset, (u8)MIN(f->size, 255u), sign != 0};
	return true;
}

int format_field(const char *text, size_t len, const char *name, struct text_field *f,
		 struct err *e)
{
	static const char start[] = "\tfield:";
	const char *end = text + len, *eol;

	for (; text < end; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		eol = eol ? eol : end;
		if ((size_t)(eol - text) < strlen(start) || memcmp(text, start, strlen(start)))
			continue;
		if (!parse_field(text + strlen(start), eol, f))
			return err_set(
				e, -EBADMSG,
				"expected \"field:TYPE NAME; offset:N; size:N; signed:N;\", found \"%.*s\"",
				(int)MIN(eol - text, (ptrdiff_t)80), text);
		if (f->name_len == strlen(name) && !memcmp(f->name, name, f->name_len))
			return 1;
	}
	return 0;
}
