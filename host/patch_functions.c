// SPDX-License-Identifier: GPL-2.0-only
#include "host/patch_functions.h"

#include <ctype.h>
#include <string.h>

#define FUNCTIONS_MAX 4096 /* what verify reads; more say nothing to a reader either */

struct scan {
	struct patch_functions *f;
	char *file;	/* NULL: not a C file */
	char *function; /* that the line is in; NULL: none, or nobody knows */
	bool new_one;	/* ... and its definition is a line of the patch */
	bool body;	/* its "{" was seen, or the hunk began in it */
	bool pending;	/* something of it was changed before that */
	bool declared;	/* ... and it turns out to be a declaration only */
	bool in_hunk;
	bool named, unnamed; /* what was changed in this hunk */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The word before the first "(" of @line (@n bytes), or NULL. */
static char *name_before_paren(const char *line, size_t n)
{
	const char *paren = memchr(line, '(', n), *end = paren, *p;

	if (!paren)
		return NULL;
	while (end > line && end[-1] == ' ')
		end--;
	for (p = end; p > line && is_word(p[-1]); p--)
		;
	if (p == end || isdigit((unsigned char)*p))
		return NULL;
	return xstrndup(p, (size_t)(end - p));
}

/* Kernel style: what stands in the first column is no statement. */
static bool starts_definition(const char *line, size_t n)
{
	static const char *const others[] = {"struct ",	 "union ", "enum ",
					     "typedef ", "case ",  "default"};

	if (!n || !(isalpha((unsigned char)*line) || *line == '_') || !memchr(line, '(', n))
		return false;
	if (line[n - 1] == ';' || line[n - 1] == ':')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (str_after(line, others[i]) && memchr(line, '{', n))
			return false;
	/* "x = y(" is an initialiser, which goes on with ";" somewhere */
	return !memchr(line, '=', (size_t)((const char *)memchr(line, '(', n) - line));
}

static void set_function(struct scan *s, char *name, bool new_one, bool body)
{
	free(s->function);
	s->declared = false;
	s->function = name;
	s->new_one = new_one;
	s->body = body;
}

static void touch(struct scan *s)
{
	struct patch_functions *f = s->f;

	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->list[i].name, s->function) && !strcmp(f->list[i].file, s->file))
			return;
	if (f->n == FUNCTIONS_MAX)
		return;
	f->list = xrealloc(f->list, f->n + 1, sizeof(*f->list));
	f->list[f->n++] = (struct patch_function){
		.file = xstrdup(s->file),
		.name = xstrdup(s->function),
		.added = s->new_one,
	};
}

/* Says nothing about what the code does: blanks, comments, exports, includes. */
static bool is_silent(const char *line, size_t n)
{
	size_t blank = 0;

	while (blank < n && isspace((unsigned char)line[blank]))
		blank++;
	line += blank;
	return blank == n || str_after(line, "/*") || *line == '*' || str_after(line, "//") ||
	       str_after(line, "EXPORT_SYMBOL") || str_after(line, "#include");
}

/* Of a definition that has not begun its body: it may be a declaration after all. */
static void settle(struct scan *s, bool is_function)
{
	if (s->pending && is_function)
		touch(s);
	s->named |= s->pending && is_function;
	s->unnamed |= s->pending && !is_function;
	s->pending = false;
}

/* Where in a definition the line is. */
static void follow(struct scan *s, const char *text, size_t len, bool added)
{
	if (!len || *text == '#') /* a macro or a condition, wherever it stands */
		return;
	if (starts_definition(text, len)) {
		settle(s, true);
		set_function(s, name_before_paren(text, len), added, false);
	}
	if (!s->function || s->body)
		return;
	if (text[len - 1] == '{') {
		s->body = true;
		settle(s, true);
	} else if (text[len - 1] == ';') {
		s->declared = true;
	}
}

static void hunk_line(struct scan *s, const char *line, size_t n)
{
	bool changed = *line == '+' || *line == '-';
	const char *text = line + 1;
	size_t len = n - 1;

	if (len && text[len - 1] == '\r')
		len--;
	follow(s, text, len, *line == '+');
	if (changed && !is_silent(text, len)) {
		if (s->function && !s->body) {
			s->pending = true;
		} else {
			if (s->function)
				touch(s);
			s->named |= s->function != NULL;
			s->unnamed |= !s->function;
		}
	}
	if (s->declared || (len && *text == '}')) {
		settle(s, !s->declared);
		set_function(s, NULL, false, false);
	}
}

static void hunk_end(struct scan *s)
{
	settle(s, true);
	/* a declaration that changes beside a function says nothing new */
	if (s->in_hunk && s->unnamed && !s->named)
		s->f->unnamed_hunks++;
	s->in_hunk = s->named = s->unnamed = false;
	set_function(s, NULL, false, false);
}

static void hunk_begin(struct scan *s, const char *line, size_t n)
{
	const char *p = memmem(line + 3, n - 3, " @@", 3);

	hunk_end(s);
	s->in_hunk = true;
	/* without a "(" it is a struct or the like */
	if (p)
		set_function(s, name_before_paren(p + 3, n - (size_t)(p + 3 - line)), false, true);
}

static void new_file(struct scan *s, const char *path, size_t n)
{
	size_t len = strcspn(path, "\t\n");

	hunk_end(s);
	free(s->file);
	s->file = NULL;
	len = MIN(len, n);
	/* "b/mm/readahead.c" */
	for (; len && *path != '/'; path++, len--)
		;
	if (len < 4 || path[len - 2] != '.' || !strchr("ch", path[len - 1]))
		return;
	s->file = xstrndup(path + 1, len - 1);
}

/* The counts of "@@ -a,b +c,d @@"; the patch was parsed, so they are there. */
static void counts(const char *line, unsigned long *old, unsigned long *new)
{
	unsigned long a, c;
	int n = 0;

	*old = *new = 1;
	if (sscanf(line, "@@ -%lu,%lu%n", &a, old, &n) != 2)
		sscanf(line, "@@ -%lu%n", &a, &n);
	if (sscanf(line + n, " +%lu,%lu", &c, new) != 2)
		*new = 1;
}

/* Does @line hold a call of @name? */
static bool calls(const char *line, size_t n, const char *name)
{
	size_t len = strlen(name);
	const char *p = line;

	while ((p = memmem(p, n - (size_t)(p - line), name, len))) {
		if (!is_word(p[-1]) && p + len < line + n && p[len] == '(')
			return true;
		p += len;
	}
	return false;
}

static void find_calls(struct scan *s, const char *line, size_t n)
{
	for (size_t i = 0; i < s->f->n; i++) {
		struct patch_function *f = &s->f->list[i];

		if (f->added && !f->called_from && strcmp(f->name, s->function) &&
		    calls(line, n, f->name))
			f->called_from = xstrdup(s->function);
	}
}

/* With @callers the added functions are known, and lines that call them are looked for. */
static void scan_diff(struct scan *s, const char *diff, bool callers)
{
	unsigned long old = 0, new = 0;

	for (const char *p = diff; *p;) {
		size_t n = strcspn(p, "\n");

		if (old || new) {
			/* mail clients strip the blank of an empty context line */
			char c = n ? *p : ' ';

			old -= old && (c == ' ' || c == '-');
			new -= new && (c == ' ' || c == '+');
			if (s->file && n)
				hunk_line(s, p, n);
			if (callers && n && c == '+' && s->function)
				find_calls(s, p, n);
		} else if (str_after(p, "+++ ")) {
			new_file(s, p + 4, n - 4);
		} else if (str_after(p, "@@ -")) {
			counts(p, &old, &new);
			hunk_begin(s, p, n);
		}
		p += n + (p[n] == '\n');
	}
	hunk_end(s);
	free(s->file);
	s->file = NULL;
}

void patch_functions_find(struct patch_functions *f, const char *diff)
{
	struct scan s = {.f = f};
	unsigned int unnamed;

	*f = (struct patch_functions){0};
	scan_diff(&s, diff, false);
	unnamed = f->unnamed_hunks;
	scan_diff(&s, diff, true);
	f->unnamed_hunks = unnamed;
}

void patch_functions_free(struct patch_functions *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->list[i].file);
		free(f->list[i].name);
		free(f->list[i].called_from);
	}
	free(f->list);
	*f = (struct patch_functions){0};
}
