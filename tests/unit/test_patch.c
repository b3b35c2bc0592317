// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host/overlay.h"
#include "host/patch.h"
#include "lib/fileio.h"

static void test_subject(void **state __unused_arg)
{
	static const struct {
		const char *in, *out;
		unsigned int number, total;
	} tests[] = {
		{ "[PATCH] mm: x", "mm: x", 0, 0 },
		{ "[PATCH v2 2/5] mm: x", "mm: x", 2, 5 },
		{ "[RFC PATCH 02/15]  mm: x", "mm: x", 2, 15 },
		{ "[mm-unstable][PATCH 1/2] mm: [x] y", "mm: [x] y", 1, 2 },
		{ "mm: 1/2 of it", "mm: 1/2 of it", 0, 0 },
		{ "[never closed", "[never closed", 0, 0 },
		{ "", "", 0, 0 },
	};
	unsigned int number, total;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		char *s __cleanup_free = patch_subject(tests[i].in, &number, &total);

		assert_string_equal(s, tests[i].out);
		assert_int_equal(number, tests[i].number);
		assert_int_equal(total, tests[i].total);
	}
}

static void test_trailer(void **state __unused_arg)
{
	static const struct {
		const char *text, *name, *value;
	} tests[] = {
		{ "x\n-- \n2.39\n\nbase-commit: 0123abc\n", "base-commit", "0123abc" },
		{ "base-commit: one\nbase-commit: two\n", "base-commit", "two" },
		{ "change-id: 20240101-mm-ra-1a2b", "change-id", "20240101-mm-ra-1a2b" },
		{ "base-commit: abc\r\n", "base-commit", "abc" },
		{ "> base-commit: quoted\n", "base-commit", NULL },
		{ "base-commit: not/a word\n", "base-commit", NULL },
		{ "base-commits: x\n", "base-commit", NULL },
		{ "base-commit:\n", "base-commit", NULL },
		{ "", "base-commit", NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		char *v __cleanup_free = patch_trailer(tests[i].text, tests[i].name);

		if (tests[i].value)
			assert_string_equal(v, tests[i].value);
		else
			assert_null(v);
	}
}

#define GOOD "--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1,2 +1,2 @@ f(void)\n-old\n+new\n same\n"

static void test_parse_files(void **state __unused_arg)
{
	static const struct {
		const char *diff;
		int ret;
		const char *text; /* of the message, or "old new hunks" of the last file */
	} tests[] = {
		{ GOOD, 0, "mm/x.c mm/x.c 1" },
		{ "diff --git a/mm/x.c b/mm/x.c\nindex 1..2 100644\n" GOOD, 0, "mm/x.c mm/x.c 1" },
		{ "--- a/x\t2024-01-01\n+++ b/x\t2024\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of "
		  "file\n", 0, "x x 1" },
		/* a removed line "-- a" looks like a header and is none */
		{ "--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- a/y\n+++ b/z\n@@ -1,1 +1,1 @@\n-a\n+b\n", -EINVAL,
		  "damaged" },
		{ "--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- a/y\n c\n", 0, "x x 1" },
		{ "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n"
		  "+x\n", 0, "- n 1" },
		{ "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n"
		  "@@ -1 +0,0 @@\n-x\n", 0, "n - 1" },
		{ "diff --git a/n b/n\nnew file mode 100644\nindex 0..e\n", 0, "- n 0" },
		{ "diff --git a/p b/q\nsimilarity index 100%\nrename from p\nrename to q\n", 0,
		  "p q 0" },
		/* a mail client strips the blank of an empty line */
		{ "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n\n", 0, "x x 1" },
		{ "just text\n", -ENODATA, "t.patch: no patch in it" },
		{ "", -ENODATA, "no patch in it" },
		{ "--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1,2 +1,2 @@\n-old\n", -EINVAL,
		  "ends within hunk 1 of mm/x.c" },
		{ "--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1,2 +1,2 @@\n-old\nwrapped\n", -EINVAL,
		  "line 5 of the diff: hunk 1 of mm/x.c is damaged" },
		{ "--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1,x +1,2 @@\n-old\n", -EINVAL, "damaged header" },
		{ "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", -EINVAL, "'a/../x' is not usable" },
		{ "--- a//etc/x\n+++ b//etc/x\n@@ -1 +1 @@\n-a\n+b\n", -EINVAL, "is not usable" },
		{ "--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", -EINVAL, "no leading directory" },
		{ "diff --git a/b b/b\nrename from ../up\nrename to q\n", -EINVAL, "not usable" },
		{ "diff --git a/b b/b\nindex 1..2\nGIT binary patch\n", -EINVAL, "binary" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		struct series s = { .patches = xcalloc(1, sizeof(struct patch)), .n = 1 };
		struct patch *p = s.patches;
		struct err e = { "" };
		char got[128];

		p->file = xstrdup("t.patch");
		p->diff = xstrdup(tests[i].diff);
		assert_int_equal(patch_parse_files(p, &e), tests[i].ret);
		if (tests[i].ret) {
			if (!strstr(e.msg, tests[i].text))
				fail_msg("%zu: '%s' lacks '%s'", i, e.msg, tests[i].text);
		} else {
			const struct patch_file *f = &p->files[p->n_files - 1];

			snprintf(got, sizeof(got), "%s %s %u", f->old_path ? f->old_path : "-",
				 f->new_path ? f->new_path : "-", f->hunks);
			assert_string_equal(got, tests[i].text);
		}
		series_free(&s);
	}
}

/* At least one line of context has to match, whatever patch(1) would do. */
static void test_max_fuzz(void **state __unused_arg)
{
	static const struct {
		const char *hunks;
		unsigned int max_fuzz;
	} tests[] = {
		{"@@ -1,6 +1,7 @@\n a\n b\n c\n+n\n d\n e\n f\n", 2},
		{"@@ -1,8 +1,9 @@\n a\n b\n c\n c\n+n\n d\n d\n e\n f\n", 2},
		{"@@ -1,3 +1,4 @@\n a\n b\n+n\n c\n", 1},
		{"@@ -1,1 +1,2 @@\n a\n+n\n", 0},
		{"@@ -1,1 +1,2 @@\n+n\n a\n", 0},
		{"@@ -1,1 +1,1 @@\n-a\n+n\n", 0},
		{"@@ -1,5 +1,4 @@\n a\n-b\n c\n-d\n+n\n e\n", 0},
		{"@@ -1,4 +1,4 @@\n-a\n+n\n b\n c\n d\n\\ No newline at end of file\n", 2},
		/* the worst of its hunks counts */
		{"@@ -1,6 +1,7 @@\n a\n b\n c\n+n\n d\n e\n f\n@@ -9,1 +9,2 @@\n a\n+n\n", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		char *diff __cleanup_free =
			xasprintf("--- a/x\n+++ b/x\n%s", tests[i].hunks);
		struct patch p = {.file = xstrdup("t.patch"), .diff = diff};
		struct series s = {.patches = xcalloc(1, sizeof(p)), .n = 1};
		struct err e = {""};

		p.diff = xstrdup(diff);
		s.patches[0] = p;
		if (patch_parse_files(&s.patches[0], &e))
			fail_msg("%zu: %s", i, e.msg);
		if (s.patches[0].max_fuzz != tests[i].max_fuzz)
			fail_msg("%zu: %u", i, s.patches[0].max_fuzz);
		series_free(&s);
	}
}

static void test_apply_report(void **state __unused_arg)
{
	static const char *const lines[] = {
		"patching file mm/filemap.c",
		"Hunk #1 succeeded at 697 with fuzz 2 (offset 12 lines).",
		"patching file mm/readahead.c",
		"Hunk #2 FAILED at 729.",
		"Hunk #3 FAILED at 800.",
		"2 out of 3 hunks FAILED",
	};
	struct apply_report r = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		apply_report_line(&r, lines[i]);
	assert_string_equal(r.file, "mm/readahead.c");
	assert_int_equal(r.hunk, 2);
	assert_int_equal(r.line, 729);
	assert_int_equal(r.failed, 2);
	assert_int_equal(r.fuzz, 2);
	assert_string_equal(r.last, "2 out of 3 hunks FAILED");
}

/* ---- from files ---- */

static char dir[64];

static char *put(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	char *parent __cleanup_free = xstrdup(path);
	struct err e;

	*strrchr(parent, '/') = '\0';
	assert_int_equal(make_dirs(parent, &e), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), &e), 0);
	return path;
}

static int make_dir(void **state __unused_arg)
{
	snprintf(dir, sizeof(dir), "/tmp/test_patch.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state __unused_arg)
{
	return remove_tree(dir);
}

#define DIFF1 "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n"
#define DIFF2 "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-zwei\n+deux\n three\n"
#define MAIL(n, m, body, diff) \
	"From 0123 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n" \
	"Subject: [PATCH v3 " n "/" m "] f: part " n "\n\n" body "\n---\n" diff "-- \n2.39.5\n\n"

static void load(const char *path, struct series *s)
{
	struct err e = { "" };

	if (series_load(path, s, &e))
		fail_msg("%s", e.msg);
}

static void test_load_mbox(void **state __unused_arg)
{
	/* out of order, with a cover letter and a reply that quotes a patch */
	char *path __cleanup_free = put("t.mbox",
		MAIL("0", "2", "cover\n\nbase-commit: aaaa\nchange-id: c-1", "")
		MAIL("2", "2", "second", DIFF2)
		MAIL("1", "2", "first\n\nbase-commit: bbbb", DIFF1)
		"From 0123 Mon Sep 17 00:00:00 2001\nFrom: B <b@b.c>\nSubject: Re: [PATCH] f\n\n"
		"> --- a/f\n> +++ b/f\n> @@ -1 +1 @@\n> -a\n> +b\nNo.\n");
	struct series s;

	load(path, &s);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.patches[0].subject, "f: part 1");
	assert_string_equal(s.patches[0].base_commit, "bbbb");
	assert_string_equal(s.patches[0].change_id, "c-1");
	assert_string_equal(s.patches[1].subject, "f: part 2");
	assert_string_equal(s.patches[1].base_commit, "aaaa");
	assert_int_equal(strlen(s.patches[0].id), 40);
	assert_string_not_equal(s.patches[0].id, s.patches[1].id);
	series_free(&s);
}

static void test_load_encodings(void **state __unused_arg)
{
	static const struct {
		const char *name, *text;
	} tests[] = {
		{ "git.diff", "diff --git a/f b/f\nindex 1..2 100644\n" DIFF1 },
		{ "plain.diff", DIFF1 },
		{ "crlf.diff", "--- a/f\r\n+++ b/f\r\n@@ -1,3 +1,3 @@\r\n one\r\n-two\r\n+zwei\r\n three\r\n" },
		{ "qp.eml", "Subject: =?utf-8?q?t=C3=A9?=\nContent-Type: text/plain; charset=utf-8\n"
		  "Content-Transfer-Encoding: quoted-printable\n\nbody\n---\n--- a/f\n+++ b/f\n"
		  "@@ -1,3 +1,3 @@\n one\n-tw=\no\n+zw=65i\n three\n" },
		{ "crlf.eml", "From: A <a@b.c>\r\nSubject: t\r\n\r\nbody\r\n---\r\n--- a/f\r\n+++ b/f\r\n"
		  "@@ -1,3 +1,3 @@\r\n one\r\n-two\r\n+zwei\r\n three\r\n" },
		{ "b64.eml", "Subject: t\nContent-Type: text/plain; charset=utf-8\n"
		  "Content-Transfer-Encoding: base64\n\n"
		  "Ym9keQotLS0KLS0tIGEvZgorKysgYi9mCkBAIC0xLDMgKzEsMyBAQAogb25lCi10d28KK3p3ZWkKIHRocmVlCg==\n" },
		{ "show.diff", "commit 0123456789012345678901234567890123456789\nAuthor: A <a@b.c>\n\n"
		  "    f: subject\n\n" DIFF1 },
	};
	char *first __cleanup_free = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		char *path __cleanup_free = put(tests[i].name, tests[i].text);
		struct series s;

		load(path, &s);
		assert_int_equal(s.n, 1);
		assert_int_equal(s.patches[0].n_files, 1);
		assert_int_equal(strlen(s.patches[0].id), 40);
		if (!first)
			first = xstrdup(s.patches[0].id);
		/* the id is of the change, however it was sent */
		assert_string_equal(s.patches[0].id, first);
		series_free(&s);
	}
}

/* Copied out of an archive's page or a mail client: the text of a mail without its headers. */
static void test_load_saved_mail(void **state __unused_arg)
{
	char *path __cleanup_free =
		put("saved.txt", "[PATCH v2 1/1] f: subject\n\n[A <a@b.c>]\n\ntext\n---\n" DIFF1
				 "\n---\nbase-commit: bbbb\nchange-id: c-2\n");
	struct series s;

	load(path, &s);
	assert_int_equal(s.n, 1);
	assert_string_equal(s.patches[0].subject, "f: subject");
	assert_string_equal(s.patches[0].base_commit, "bbbb");
	assert_string_equal(s.patches[0].change_id, "c-2");
	series_free(&s);
}

static void test_load_directory(void **state __unused_arg)
{
	char *b __cleanup_free = put("d/0002-b.patch", DIFF2);
	char *a __cleanup_free = put("d/0001-a.patch", DIFF1);
	char *readme __cleanup_free = put("d/README", "no patch");
	char *path __cleanup_free = xasprintf("%s/d", dir);
	char *series __cleanup_free = NULL;
	struct series s;

	load(path, &s);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.patches[0].file, a);
	assert_string_equal(s.patches[1].file, b);
	series_free(&s);
	/* quilt's order wins */
	series = put("d/series", "# all\n0002-b.patch -p1\n\n0001-a.patch\n");
	load(path, &s);
	assert_string_equal(s.patches[0].file, b);
	series_free(&s);
}

static void test_load_errors(void **state __unused_arg)
{
	static const struct {
		const char *name, *text, *msg;
	} tests[] = {
		{ "empty.patch", "", "no patch in it" },
		{ "text.patch", "hello\n", "no patch in it" },
		{ "cover.mbox", MAIL("0", "1", "cover", ""), "no patch in it" },
		{ "missing.mbox", MAIL("1", "3", "x", DIFF1) MAIL("3", "3", "y", DIFF2),
		  "patch 2/3 is missing" },
		{ "twice.mbox", MAIL("1", "2", "x", DIFF1) MAIL("1", "2", "y", DIFF2),
		  "patch 2/2 is missing" },
		{ "last.mbox", MAIL("1", "3", "x", DIFF1) MAIL("2", "3", "y", DIFF2),
		  "only 2 of 3 patches" },
	};
	char *none __cleanup_free = xasprintf("%s/none", dir);
	char *fifo __cleanup_free = xasprintf("%s/fifo", dir);
	struct series s;
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		char *path __cleanup_free = put(tests[i].name, tests[i].text);

		assert_int_not_equal(series_load(path, &s, &e), 0);
		if (!strstr(e.msg, tests[i].msg) || !strstr(e.msg, path))
			fail_msg("%s: '%s'", tests[i].name, e.msg);
	}
	assert_int_equal(series_load(none, &s, &e), -ENOENT);
	/* opening one for reading waits for a writer */
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(series_load(fifo, &s, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "not a regular file"));
	unlink(fifo);
}

/* ---- onto a tree ---- */

static void assert_file(const char *name, const char *content)
{
	char *path __cleanup_free = xasprintf("%s/%s", dir, name);
	char *text __cleanup_free = NULL;
	struct err e;

	if (!content) {
		assert_int_not_equal(access(path, F_OK), 0);
		return;
	}
	assert_int_equal(file_read(path, 1 << 20, &text, NULL, &e), 0);
	assert_string_equal(text, content);
}

#define CREATE "diff --git a/sub/new b/sub/new\nnew file mode 100755\n--- /dev/null\n" \
	"+++ b/sub/new\n@@ -0,0 +1 @@\n+made\n"
#define DELETE "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n" \
	"@@ -1 +0,0 @@\n-bye\n"

static void test_overlay(void **state __unused_arg)
{
	char *f __cleanup_free = put("tree/f", "one\ntwo\nthree\n");
	char *gone __cleanup_free = put("tree/gone", "bye\n");
	char *p __cleanup_free = put("o/1.patch", DIFF1 CREATE DELETE);
	char *q __cleanup_free = put("o/2.patch", DIFF2);
	char *patches __cleanup_free = xasprintf("%s/o", dir);
	char *tree __cleanup_free = xasprintf("%s/tree", dir);
	char *work __cleanup_free = xasprintf("%s/work", dir);
	char *journal __cleanup_free = xasprintf("%s/journal", dir);
	struct stat before, after;
	struct overlay o;
	struct series s;
	struct err e = { "" };

	load(patches, &s);
	assert_int_equal(overlay_restore(tree, journal, &e), 0); /* nothing to do */
	assert_int_equal(overlay_prepare(tree, "Linux 0", work, &s, &o, &e), 0);
	assert_int_equal(o.n, 3);
	assert_file("tree/f", "one\ntwo\nthree\n");
	assert_int_equal(overlay_install(&o, tree, journal, &e), 0);
	overlay_free(&o);
	assert_file("tree/f", "one\ndeux\nthree\n");
	assert_file("tree/sub/new", "made\n");
	assert_file("tree/gone", NULL);
	assert_int_equal(stat(f, &before), 0);
	/* as the next program would, if this one died here */
	assert_int_equal(overlay_restore(tree, journal, &e), 0);
	assert_file("tree/f", "one\ntwo\nthree\n");
	assert_file("tree/sub/new", NULL);
	assert_file("tree/sub", NULL);
	assert_file("tree/gone", "bye\n");
	assert_file("journal", NULL);
	assert_file("work", NULL);
	/* make must see that it changed */
	assert_int_equal(stat(f, &after), 0);
	assert_true(after.st_mtim.tv_sec > before.st_mtim.tv_sec ||
		    (after.st_mtim.tv_sec == before.st_mtim.tv_sec &&
		     after.st_mtim.tv_nsec > before.st_mtim.tv_nsec));
	series_free(&s);
}

static void test_overlay_errors(void **state __unused_arg)
{
	static const struct {
		const char *f, *diff, *msg;
	} tests[] = {
		{ "eins\n\n\n", DIFF1, "does not apply to Linux 0: hunk 1 of f, expected at line 1" },
		{ "one\nzwei\nthree\n", DIFF1, "is in Linux 0 already" },
		{ "one\n", "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n", "Linux 0 has no file none" },
		{ "one\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "which is in Linux 0 already" },
	};
	char *tree __cleanup_free = xasprintf("%s/bad", dir);
	char *work __cleanup_free = xasprintf("%s/work", dir);
	struct overlay o;
	struct series s;
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		char *f __cleanup_free = put("bad/f", tests[i].f);
		char *p __cleanup_free = put("bad.diff", tests[i].diff);

		load(p, &s);
		assert_int_equal(overlay_prepare(tree, "Linux 0", work, &s, &o, &e), -EINVAL);
		if (!strstr(e.msg, tests[i].msg) || !strstr(e.msg, p))
			fail_msg("%zu: '%s'", i, e.msg);
		assert_file("work", NULL);
		assert_file("bad/f", tests[i].f);
		series_free(&s);
	}
}

/* A mailbox is one file: its name does not say which of its patches it was. */
static void test_overlay_series_error(void **state __unused_arg)
{
	char *path __cleanup_free =
		put("two.mbox", MAIL("1", "2", "first", DIFF1) MAIL("2", "2", "second", DIFF1));
	char *f __cleanup_free = put("two/f", "one\ntwo\nthree\n");
	char *tree __cleanup_free = xasprintf("%s/two", dir);
	char *work __cleanup_free = xasprintf("%s/work", dir);
	struct overlay o;
	struct series s;
	struct err e;

	load(path, &s);
	assert_int_equal(overlay_prepare(tree, "Linux 0", work, &s, &o, &e), -EINVAL);
	if (!strstr(e.msg, "patch 2 of 2, \"f: part 2\": ") || !strstr(e.msg, path))
		fail_msg("'%s'", e.msg);
	series_free(&s);
}

static void test_overlay_fuzz(void **state __unused_arg)
{
	char *f __cleanup_free = put("fuzz/f", "x\nx\nc\nold\nd\nx\nx\n");
	char *p __cleanup_free = put("fuzz.diff", "--- a/f\n+++ b/f\n@@ -1,7 +1,7 @@\n a\n b\n c\n-old\n"
				     "+new\n d\n e\n f\n");
	char *tree __cleanup_free = xasprintf("%s/fuzz", dir);
	char *work __cleanup_free = xasprintf("%s/work", dir);
	struct overlay o;
	struct series s;
	struct err e = { "" };

	load(p, &s);
	assert_int_equal(overlay_prepare(tree, "Linux 0", work, &s, &o, &e), 0);
	assert_int_equal(s.patches[0].fuzz, 2);
	overlay_free(&o);
	series_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subject),
		cmocka_unit_test(test_load_saved_mail),
		cmocka_unit_test(test_overlay_series_error),
		cmocka_unit_test(test_trailer),
		cmocka_unit_test(test_parse_files),
		cmocka_unit_test(test_max_fuzz),
		cmocka_unit_test(test_apply_report),
		cmocka_unit_test(test_load_mbox),
		cmocka_unit_test(test_load_encodings),
		cmocka_unit_test(test_load_directory),
		cmocka_unit_test(test_load_errors),
		cmocka_unit_test(test_overlay),
		cmocka_unit_test(test_overlay_errors),
		cmocka_unit_test(test_overlay_fuzz),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
