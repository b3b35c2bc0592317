// SPDX-License-Identifier: GPL-2.0-only
/* What a patch says: its subject, its trailers, the files it touches. */
#include "host/patch.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define FILES_MAX 10000

/* ---- text around the diff ---- */

static bool is_header(const char *line)
{
	const char *p = line;

	while (isalnum((unsigned char)*p) || *p == '-')
		p++;
	return p > line && p[0] == ':' && (p[1] == ' ' || p[1] == '\t');
}

bool patch_is_mail(const char *text)
{
	if (str_after(text, "From "))
		return true;
	/* "Index: file" starts a bare diff of quilt, CVS or Subversion */
	return is_header(text) && !str_after(text, "Index: ");
}

char *patch_subject(const char *subject, unsigned int *number, unsigned int *total)
{
	const char *p = subject, *q, *end;
	unsigned int n, m;

	*number = *total = 0;
	for (;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (*p != '[')
			break;
		end = strchr(p, ']');
		if (!end)
			break;
		for (q = p; q < end; q++)
			if ((q[-(q > p)] == ' ' || q[-(q > p)] == '[') &&
			    sscanf(q, "%4u/%4u", &n, &m) == 2) {
				*number = n;
				*total = m;
			}
		p = end + 1;
	}
	return xstrdup(p);
}

char *patch_trailer(const char *text, const char *name)
{
	const char *line = text, *p, *end;
	char *value = NULL;

	for (; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		p = str_after(line, name);
		if (!p || *p++ != ':')
			continue;
		while (*p == ' ')
			p++;
		for (end = p; isalnum((unsigned char)*end) || (*end && strchr("._-", *end)); end++)
			;
		if (end == p || !strchr(" \r\n", *end))
			continue;
		free(value);
		value = xstrndup(p, (size_t)(end - p));
	}
	return value;
}

/* ---- the diff ---- */

struct scan {
	struct patch *p;
	const char *at;	   /* the line */
	unsigned int line; /* its number, from 1 */
	struct err *e;
};

static size_t line_len(const char *s)
{
	return strcspn(s, "\n");
}

static void next_line(struct scan *s)
{
	s->at += line_len(s->at);
	if (*s->at)
		s->at++;
	s->line++;
}

static bool path_ok(const char *p)
{
	const char *c;

	if (!*p || *p == '/' || *p == '"')
		return false;
	for (c = p; c; c = strchr(c, '/'), c = c ? c + 1 : NULL) {
		size_t n = strcspn(c, "/");

		if (!n || (n == 1 && c[0] == '.') || (n == 2 && c[0] == '.' && c[1] == '.'))
			return false;
	}
	return true;
}

/* The path after "--- " and the like, @strip components less; NULL for /dev/null. */
static int get_path(struct scan *s, const char *text, unsigned int strip, char **path)
{
	char *name __cleanup_free = xstrndup(text, strcspn(text, "\t\n"));
	const char *p = name;

	free(*path);
	*path = NULL;
	if (!strcmp(name, "/dev/null"))
		return 0;
	while (strip--) {
		p = strchr(p, '/');
		if (!p)
			return err_set(s->e, -EINVAL,
				       "%s: line %u of the diff: path '%s' has no "
				       "leading directory to strip (made with --no-prefix?)",
				       s->p->file, s->line, name);
		p++;
	}
	if (!path_ok(p))
		return err_set(s->e, -EINVAL, "%s: line %u of the diff: path '%s' is not usable",
			       s->p->file, s->line, name);
	*path = xstrdup(p);
	return 0;
}

static const char *file_name(const struct patch_file *f)
{
	return f->new_path ? f->new_path : f->old_path ? f->old_path : "?";
}

static unsigned long number_at(const char **p)
{
	char *end;
	unsigned long v = strtoul(*p, &end, 10);

	*p = end;
	return v;
}

/* "@@ -a,b +c,d @@": the counts b and d; a missing one is 1. */
static bool hunk_counts(const char *line, unsigned long *old, unsigned long *new)
{
	const char *p = str_after(line, "@@ -");

	if (!p || !isdigit((unsigned char)*p))
		return false;
	number_at(&p);
	*old = *p == ',' ? (p++, number_at(&p)) : 1;
	if (!str_after(p, " +") || !isdigit((unsigned char)p[2]))
		return false;
	p += 2;
	number_at(&p);
	*new = *p == ',' ? (p++, number_at(&p)) : 1;
	return str_after(p, " @@") != NULL;
}

/* At a "@@" line: skips the hunk, counting its lines. */
static int skip_hunk(struct scan *s, struct patch_file *f)
{
	unsigned int first = s->line, leading = 0, trailing = 0, context;
	unsigned long old, new;
	bool changed = false;

	f->hunks++;
	if (!hunk_counts(s->at, &old, &new))
		return err_set(s->e, -EINVAL,
			       "%s: line %u of the diff: hunk %u of %s has a damaged "
			       "header",
			       s->p->file, s->line, f->hunks, file_name(f));
	next_line(s);
	while (old || new) {
		char c = *s->at;

		if (!c)
			return err_set(s->e, -EINVAL,
				       "%s: ends within hunk %u of %s (line %u of "
				       "the diff): is the file cut off?",
				       s->p->file, f->hunks, file_name(f), first);
		/* mail clients strip the blank of an empty context line */
		if (c == '\n')
			c = ' ';
		if ((c != ' ' && c != '-' && c != '+' && c != '\\') ||
		    (c != '+' && c != '\\' && !old) || (c != '-' && c != '\\' && !new))
			return err_set(s->e, -EINVAL,
				       "%s: line %u of the diff: hunk %u of %s is "
				       "damaged (wrapped by a mail client?)",
				       s->p->file, s->line, f->hunks, file_name(f));
		changed |= c == '-' || c == '+';
		leading += c == ' ' && !changed;
		trailing = c == ' ' ? trailing + 1 : c == '\\' ? trailing : 0;
		old -= c == ' ' || c == '-';
		new -= c == ' ' || c == '+';
		next_line(s);
	}
	/* patch(1) takes fuzz off the longer side; one line of it has to match */
	context = MAX(leading, trailing);
	s->p->max_fuzz = MIN(s->p->max_fuzz, context ? context - 1 : 0);
	return 0;
}

static struct patch_file *add_file(struct patch *p)
{
	p->files = xrealloc(p->files, p->n_files + 1, sizeof(*p->files));
	memset(&p->files[p->n_files], 0, sizeof(*p->files));
	return &p->files[p->n_files++];
}

/* "diff --git a/x b/x" up to the first "---" or the next file. */
static int git_header(struct scan *s, struct patch_file **cur)
{
	struct patch_file *f = *cur;
	const char *p;

	p = str_after(s->at, "rename from ");
	p = p ? p : str_after(s->at, "copy from ");
	if (p)
		return get_path(s, p, 0, &f->old_path);
	p = str_after(s->at, "rename to ");
	p = p ? p : str_after(s->at, "copy to ");
	if (p)
		return get_path(s, p, 0, &f->new_path);
	if (str_after(s->at, "GIT binary patch") || str_after(s->at, "Binary files "))
		return err_set(s->e, -EINVAL,
			       "%s: line %u of the diff: binary changes can't be applied",
			       s->p->file, s->line);
	return 0;
}

/* "diff --git a/X b/X" where both are X: the only source of the name if nothing but the
 * mode changes, or an empty file comes or goes. */
static void git_names(struct patch_file *f, const char *line)
{
	const char *p = str_after(line, "diff --git a/");
	size_t n = p ? line_len(p) : 0;

	/* "X b/X" is 2 * |X| + 3 bytes */
	if (n < 5 || (n - 3) % 2)
		return;
	n = (n - 3) / 2;
	if (strncmp(p + n, " b/", 3) || strncmp(p, p + n + 3, n))
		return;
	f->old_path = xstrndup(p, n);
	f->new_path = xstrndup(p, n);
}

static int scan_line(struct scan *s, struct patch_file **cur)
{
	const char *next = s->at + line_len(s->at);
	int ret;

	if (str_after(s->at, "diff --git ")) {
		*cur = add_file(s->p);
		git_names(*cur, s->at);
	} else if (*cur && !(*cur)->hunks && str_after(s->at, "new file mode ")) {
		free((*cur)->old_path);
		(*cur)->old_path = NULL;
	} else if (*cur && !(*cur)->hunks && str_after(s->at, "deleted file mode ")) {
		free((*cur)->new_path);
		(*cur)->new_path = NULL;
	} else if (str_after(s->at, "--- ") && *next && str_after(next + 1, "+++ ")) {
		if (!*cur || (*cur)->hunks) {
			*cur = add_file(s->p);
			(*cur)->bare = s->at;
		}
		ret = get_path(s, s->at + 4, 1, &(*cur)->old_path);
		next_line(s);
		return ret ? ret : get_path(s, s->at + 4, 1, &(*cur)->new_path);
	} else if (*cur && str_after(s->at, "@@ -")) {
		return skip_hunk(s, *cur) ?: 1;
	} else if (*cur && !(*cur)->hunks) {
		return git_header(s, cur);
	}
	return 0;
}

int patch_parse_files(struct patch *p, struct err *e)
{
	struct scan s = {.p = p, .at = p->diff, .line = 1, .e = e};
	struct patch_file *cur = NULL;
	size_t i;
	int ret;

	p->max_fuzz = 2; /* what patch -F2 and so most people's tools allow */
	while (*s.at) {
		ret = scan_line(&s, &cur);
		if (ret < 0)
			return ret;
		if (p->n_files > FILES_MAX)
			return err_set(e, -EINVAL, "%s: touches more than %d files", p->file,
				       FILES_MAX);
		if (!ret) /* a hunk leaves us on the line after it */
			next_line(&s);
	}
	for (i = 0; i < p->n_files; i++) {
		const struct patch_file *f = &p->files[i];

		if ((f->old_path && !path_ok(f->old_path)) ||
		    (f->new_path && !path_ok(f->new_path)) || (!f->old_path && !f->new_path))
			return err_set(e, -EINVAL, "%s: file %zu of the diff has no usable path",
				       p->file, i + 1);
	}
	if (!p->n_files)
		return err_set(e, -ENODATA, "%s: no patch in it", p->file);
	return 0;
}

/* ---- what patch(1) says ---- */

void apply_report_line(struct apply_report *r, const char *line)
{
	unsigned int hunk, fuzz;
	unsigned long at;
	const char *p;

	if (*line)
		snprintf(r->last, sizeof(r->last), "%s", line);
	p = str_after(line, "patching file ");
	if (p) {
		/* "x (renamed from y)", and quotes around odd names */
		snprintf(r->current, sizeof(r->current), "%.*s", (int)strcspn(p, " "), p);
	} else if (sscanf(line, "Hunk #%u FAILED at %lu", &hunk, &at) == 2) {
		if (!r->failed++) {
			r->hunk = hunk;
			r->line = at;
			snprintf(r->file, sizeof(r->file), "%s", r->current);
		}
	} else if (sscanf(line, "Hunk #%u succeeded at %lu with fuzz %u", &hunk, &at, &fuzz) == 3) {
		r->fuzz = MAX(r->fuzz, fuzz);
	}
}
