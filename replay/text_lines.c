// SPDX-License-Identifier: GPL-2.0-only
#include "replay/text_lines.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int text_lines_open(struct text_lines *t, const char *path, bool partial, struct err *e)
{
	*t = (struct text_lines){.path = path, .partial = partial};
	t->f = fopen(path, "re");
	if (!t->f)
		return err_errno(e, -errno, "%s", path);
	t->buf = xmalloc(TEXT_LINE_MAX);
	return 0;
}

void text_lines_close(struct text_lines *t)
{
	if (t->f)
		fclose(t->f);
	free(t->buf);
	*t = (struct text_lines){0};
}

int text_lines_bad(const struct text_lines *t, struct err *e, const char *fmt, ...)
{
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, -EBADMSG, "%s:%llu: %s", t->path, (unsigned long long)t->number, text);
}

int text_lines_next(struct text_lines *t, char **line, struct err *e)
{
	size_t len;

	/* getline() would take as much memory as a line without an end asks for */
	if (!fgets(t->buf, TEXT_LINE_MAX, t->f))
		return ferror(t->f) ? err_errno(e, -EIO, "%s", t->path) : 0;
	t->number++;
	len = strlen(t->buf);
	if (len && t->buf[len - 1] == '\n') {
		t->buf[len - 1] = '\0';
		*line = t->buf;
		return 1;
	}
	if (len == TEXT_LINE_MAX - 1)
		return text_lines_bad(t, e, "expected a line below %u bytes", TEXT_LINE_MAX);
	if (!feof(t->f))
		return text_lines_bad(t, e, "expected text, found a NUL byte");
	if (!t->partial)
		return text_lines_bad(t, e,
				      "expected the line's end: the file was cut off here "
				      "(--partial takes what stands before)");
	t->cut = true;
	return 0;
}

u64 text_hash(const char *text, size_t len)
{
	u64 h = 0xcbf29ce484222325ull; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (u8)text[i]) * 0x100000001b3ull;
	return h;
}
