// SPDX-License-Identifier: GPL-2.0-only
/* From files, mails and directories to a series of patches. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "host/patch.h"
#include "host/spawn.h"
#include "lib/fileio.h"

#define PATCH_MAX (64u << 20)
#define MESSAGES_MAX 1000

static void patch_free(struct patch *p)
{
	size_t i;

	for (i = 0; i < p->n_files; i++) {
		free(p->files[i].old_path);
		free(p->files[i].new_path);
	}
	free(p->files);
	free(p->file);
	free(p->subject);
	free(p->id);
	free(p->base_commit);
	free(p->change_id);
	free(p->diff);
}

void series_free(struct series *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		patch_free(&s->patches[i]);
	free(s->patches);
	memset(s, 0, sizeof(*s));
}

static void strip_carriage_returns(char *text)
{
	char *in, *out = text;

	for (in = text; *in; in++)
		if (in[0] != '\r' || in[1] != '\n')
			*out++ = *in;
	*out = '\0';
}

/* Reads text; a NUL in it would hide what follows from us, not from patch(1). */
static int read_text(const char *path, char **text, struct err *e)
{
	size_t len;
	int ret = file_read(path, PATCH_MAX, text, &len, e);

	if (!ret && strlen(*text) != len) {
		free(*text);
		*text = NULL;
		return err_set(e, -EINVAL, "%s: not a patch: it holds binary data", path);
	}
	return ret;
}

/* Runs a program of git's on a file; its output is the caller's. */
static int git_filter(const char *const argv[], const char *in, const char *out_path, struct err *e)
{
	struct run r = {
		.argv = argv, .opt = {.clean_env = true, .stdin_path = in}, .log_path = out_path};
	char buf[STATUS_TEXT_MAX];
	int ret = run_program(&r, e);

	if (ret > 0)
		return err_set(e, -EIO, "git %s: %s", argv[1], status_text(ret, buf));
	return ret;
}

/*
 * The diff with a "diff --git" line for each file, which git patch-id needs to
 * see a patch at all; the id is then the one of git's own diff.
 */
static char *git_diff(const struct patch *p)
{
	const char *at = p->diff;
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return xstrdup(p->diff);
	for (i = 0; i < p->n_files; i++) {
		const struct patch_file *pf = &p->files[i];
		const char *name = pf->new_path ? pf->new_path : pf->old_path;

		if (!pf->bare)
			continue;
		fwrite(at, 1, (size_t)(pf->bare - at), f);
		at = pf->bare;
		fprintf(f, "diff --git a/%s b/%s\n", pf->old_path ? pf->old_path : name, name);
		if (!pf->old_path)
			fprintf(f, "new file mode 100644\n");
		if (!pf->new_path)
			fprintf(f, "deleted file mode 100644\n");
	}
	fputs(at, f);
	fclose(f);
	return text;
}

static int patch_id(struct patch *p, const char *dir, struct err *e)
{
	static const char *const argv[] = {"git", "patch-id", "--stable", NULL};
	char *in __cleanup_free = xasprintf("%s/diff", dir);
	char *out __cleanup_free = xasprintf("%s/id", dir);
	char *diff __cleanup_free = git_diff(p);
	char *text __cleanup_free = NULL;
	int ret;

	unlink(out);
	ret = file_write_atomic(in, diff, strlen(diff), e);
	if (!ret)
		ret = git_filter(argv, in, out, e);
	if (!ret)
		ret = file_read(out, 1 << 20, &text, NULL, e);
	if (ret)
		return ret;
	/* a change of modes alone has none */
	p->id = xstrndup(text, strcspn(text, " \n"));
	return 0;
}

struct loader {
	struct series *s;
	const char *dir; /* temporary */
	/* trailers of a cover letter */
	char *base_commit, *change_id;
	struct err *e;
};

/* Adds @p (whose fields it owns) if it has a diff. */
static int add_patch(struct loader *l, struct patch *p, const char *text)
{
	char *base = patch_trailer(text, "base-commit");
	char *change = patch_trailer(text, "change-id");
	int ret = patch_parse_files(p, l->e);

	if (ret == -ENODATA) {
		if (base)
			free(l->base_commit), l->base_commit = xstrdup(base);
		if (change)
			free(l->change_id), l->change_id = xstrdup(change);
		ret = 0;
	} else if (!ret) {
		ret = patch_id(p, l->dir, l->e);
		p->base_commit = base ? xstrdup(base) : NULL;
		p->change_id = change ? xstrdup(change) : NULL;
		if (!base && l->base_commit)
			p->base_commit = xstrdup(l->base_commit);
		if (!change && l->change_id)
			p->change_id = xstrdup(l->change_id);
	}
	free(base);
	free(change);
	if (!ret && p->n_files) {
		l->s->patches = xrealloc(l->s->patches, l->s->n + 1, sizeof(*p));
		l->s->patches[l->s->n++] = *p;
	} else {
		patch_free(p);
	}
	return ret;
}

/* One message that git mailsplit wrote. */
static int load_message(struct loader *l, const char *file, const char *mail)
{
	char *msg_path __cleanup_free = xasprintf("%s/msg", l->dir);
	char *diff_path __cleanup_free = xasprintf("%s/patch", l->dir);
	char *info_path __cleanup_free = xasprintf("%s/info", l->dir);
	const char *argv[] = {"git",	"mailinfo", "-k", "--quoted-cr=strip",
			      msg_path, diff_path,  NULL};
	char *msg __cleanup_free = NULL;
	char *info __cleanup_free = NULL;
	char *all __cleanup_free = NULL;
	struct patch p = {.file = xstrdup(file)};
	const char *subject;
	char *raw __cleanup_free = NULL;
	int ret;

	unlink(info_path);
	ret = git_filter(argv, mail, info_path, l->e);
	if (!ret)
		ret = read_text(msg_path, &msg, l->e);
	if (!ret)
		ret = read_text(diff_path, &p.diff, l->e);
	if (!ret)
		ret = read_text(info_path, &info, l->e);
	if (ret) {
		patch_free(&p);
		return err_prefix(l->e, ret, "%s", file);
	}
	strip_carriage_returns(p.diff);
	subject = strstr(info, "Subject: ");
	raw = subject ? xstrndup(subject + 9, strcspn(subject + 9, "\n")) : xstrdup("(no subject)");
	p.subject = patch_subject(raw, &p.number, &p.total);
	/* base-commit: stands below the diff, change-id: there or in the message */
	all = xasprintf("%s\n%s", msg, p.diff);
	return add_patch(l, &p, all);
}

static int load_mails(struct loader *l, const char *path)
{
	char *out_arg __cleanup_free = xasprintf("-o%s", l->dir);
	const char *argv[] = {"git", "mailsplit", "-b", "-d4", out_arg, "--", path, NULL};
	char *out __cleanup_free = NULL;
	int ret = run_output(argv, NULL, &out, l->e);
	long n, i;

	if (ret)
		return err_prefix(l->e, ret, "%s", path);
	n = strtol(out, NULL, 10);
	if (n > MESSAGES_MAX)
		return err_set(l->e, -E2BIG, "%s: more than %d messages", path, MESSAGES_MAX);
	for (i = 1; i <= n && !ret; i++) {
		char *mail __cleanup_free = xasprintf("%s/%04ld", l->dir, i);

		ret = load_message(l, path, mail);
		unlink(mail);
	}
	return ret;
}

/* A diff without mail headers: the first line of text in front of it is its subject. */
static int load_diff(struct loader *l, const char *path, const char *text)
{
	const char *first = text + strspn(text, " \t\n");
	const char *slash = strrchr(path, '/');
	struct patch p = {.file = xstrdup(path), .diff = xstrdup(text)};
	char *line __cleanup_free = NULL;

	if (str_after(first, "commit ") && strstr(first, "\n    ")) /* git show */
		first = strstr(first, "\n    ") + 5;
	if (str_after(first, "diff ") || str_after(first, "--- ") || str_after(first, "Index: ")) {
		p.subject = xstrdup(slash ? slash + 1 : path);
	} else {
		line = xstrndup(first, strcspn(first, "\n"));
		p.subject = patch_subject(line, &p.number, &p.total);
	}
	return add_patch(l, &p, text);
}

static int load_file(struct loader *l, const char *path)
{
	char *text __cleanup_free = NULL;
	int ret = read_text(path, &text, l->e);

	if (ret)
		return ret;
	strip_carriage_returns(text);
	return patch_is_mail(text) ? load_mails(l, path) : load_diff(l, path, text);
}

/* ---- directories ---- */

static int is_patch_name(const struct dirent *d)
{
	static const char *const ends[] = {".patch", ".diff", ".mbox", ".mbx", ".eml"};
	const char *dot = strrchr(d->d_name, '.');
	size_t i;

	for (i = 0; dot && dot != d->d_name && i < ARRAY_SIZE(ends); i++)
		if (!strcmp(dot, ends[i]))
			return 1;
	return 0;
}

static int load_quilt(struct loader *l, const char *dir, char *names)
{
	char *save, *name;
	int ret = 0;

	for (name = strtok_r(names, "\n", &save); name && !ret;
	     name = strtok_r(NULL, "\n", &save)) {
		char *path __cleanup_free = NULL;

		name[strcspn(name, " \t\r#")] = '\0'; /* "name -p1 # comment" */
		if (!*name)
			continue;
		path = xasprintf("%s/%s", dir, name);
		ret = load_file(l, path);
	}
	return ret;
}

static int load_dir(struct loader *l, const char *dir)
{
	char *quilt __cleanup_free = xasprintf("%s/series", dir);
	char *names __cleanup_free = NULL;
	struct dirent **d;
	int n, i, ret = 0;

	if (!access(quilt, F_OK))
		return read_text(quilt, &names, l->e) ?: load_quilt(l, dir, names);
	n = scandir(dir, &d, is_patch_name, alphasort);
	if (n < 0)
		return err_errno(l->e, -errno, "%s", dir);
	for (i = 0; i < n; i++) {
		char *path __cleanup_free = xasprintf("%s/%s", dir, d[i]->d_name);

		if (!ret)
			ret = load_file(l, path);
		free(d[i]);
	}
	free(d);
	return ret;
}

/* ---- order ---- */

static int by_number(const void *a, const void *b)
{
	const struct patch *p = a, *q = b;

	return p->number < q->number ? -1 : p->number > q->number;
}

/*
 * A mail client saves a thread in any order: if all patches are numbered n/m
 * with one m, they are sorted, and none may be missing.
 */
static int put_in_order(const char *path, struct series *s, struct err *e)
{
	size_t i;

	if (s->n < 2)
		return 0;
	for (i = 0; i < s->n; i++)
		if (!s->patches[i].number || s->patches[i].total != s->patches[0].total)
			return 0;
	qsort(s->patches, s->n, sizeof(*s->patches), by_number);
	for (i = 0; i < s->n; i++)
		if (s->patches[i].number != i + 1)
			return err_set(e, -EINVAL, "%s: patch %zu/%u is missing or there twice",
				       path, i + 1, s->patches[0].total);
	if (s->n != s->patches[0].total)
		return err_set(e, -EINVAL, "%s: has only %zu of %u patches", path, s->n,
			       s->patches[0].total);
	return 0;
}

int series_load(const char *path, struct series *s, struct err *e)
{
	char dir[] = "/tmp/blkproof-patch.XXXXXX";
	struct loader l = {.s = s, .dir = dir, .e = e};
	struct stat st;
	int ret;

	memset(s, 0, sizeof(*s));
	if (stat(path, &st))
		return err_errno(e, -errno, "%s", path);
	if (!mkdtemp(dir))
		return err_errno(e, -errno, "%s", dir);
	ret = S_ISDIR(st.st_mode) ? load_dir(&l, path) : load_file(&l, path);
	if (!ret && !s->n)
		ret = err_set(e, -EINVAL, "%s: no patch in it", path);
	if (!ret)
		ret = put_in_order(path, s, e);
	if (ret)
		series_free(s);
	free(l.base_commit);
	free(l.change_id);
	remove_tree(dir);
	return ret;
}
