// SPDX-License-Identifier: GPL-2.0-only
/* Commits of a small tree that looks like a kernel's; its repository must not notice. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "host/patch.h"
#include "host/source.h"
#include "host/source_commit.h"
#include "lib/fileio.h"

static char dir[] = "/tmp/blkproof-commits-test-XXXXXX";
static char *root, *kdir;

/* The output of a shell command in the tree; the caller frees it. */
static char *sh(const char *command)
{
	char *out = xasprintf("%s/out", dir), *text = NULL;
	char *line = xasprintf("cd %s && export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=A "
			       "GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A "
			       "GIT_COMMITTER_EMAIL=a@example.org && { %s\n} >%s 2>&1",
			       kdir, command, out);
	struct err e;

	if (system(line))
		fail_msg("%s", line);
	assert_int_equal(file_read(out, 1 << 20, &text, NULL, &e), 0);
	free(line);
	free(out);
	return text;
}

static char *state(void)
{
	return sh("git status --porcelain; git rev-parse HEAD; git branch -a; git worktree list; "
		  "git stash list; sha256sum .git/index; find .git -newer .git/marker");
}

static char *content(const char *key, const char *name)
{
	char *tree = source_tree(root, key), *path = xasprintf("%s/%s", tree, name), *text = NULL;
	struct err ignored;

	(void)!file_read(path, 1 << 16, &text, NULL, &ignored);
	free(tree);
	free(path);
	return text;
}

static void is(const char *key, const char *name, const char *want)
{
	char *got = content(key, name);

	if (!want)
		assert_null(got);
	else
		assert_string_equal(got, want);
	free(got);
}

static void test_resolve(void **state_arg __unused_arg)
{
	static const struct {
		const char *text, *words; /* NULL: taken */
	} cases[] = {
		{"one..two", NULL},
		{"two", NULL},
		{"none", "has no commit 'none'"},
		{"one", "has no commit 'one^'"}, /* the first one has no parent */
		{"one..none", "has no commit 'none'"},
		{"two..two", "the same commit"},
		{"one...two", "expected BASE..TIP"},
		{"..two", "expected BASE..TIP"},
		{"--output=x", "has no commit"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = {""};
		struct commits c;
		struct series s;
		int ret = commits_resolve(&c, kdir, cases[i].text, &e);

		if (!!ret != !!cases[i].words || (ret && !strstr(e.msg, cases[i].words)))
			fail_msg("%s: '%s'", cases[i].text, ret ? e.msg : "taken");
		if (!ret) {
			assert_int_equal(series_load(c.mbox, &s, &e), 0);
			assert_int_equal(s.n, 1);
			assert_string_equal(s.patches[0].subject, "the second");
			assert_string_equal(s.patches[0].base_commit, c.base);
			series_free(&s);
		}
		commits_free(&c);
	}
}

static void test_sources(void **state_arg __unused_arg)
{
	char *before = state(), *after, *one = sh("git rev-parse one"),
	     *two = sh("git rev-parse two");
	struct kernel_source src, again, work;
	struct err e = {""};

	one[40] = two[40] = '\0';
	if (source_commit_open(root, kdir, one, &src, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(src.version, "7.3.0");
	is(src.key, "mm/a.c", "int a;\n");
	is(src.key, "mm/b.c", NULL);
	if (source_commit_open(root, kdir, two, &again, &e))
		fail_msg("%s", e.msg);
	/* one copy for both, and for the tree itself: one object tree serves them all */
	assert_string_equal(src.key, again.key);
	assert_string_not_equal(src.identity, again.identity);
	is(src.key, "mm/a.c", "int a2;\n");
	is(src.key, "mm/b.c", "int b;\n");
	after = state();
	assert_string_equal(before, after);

	/* what is checked out there now, and with a change, is neither of them */
	if (source_kdir_open(root, kdir, &work, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(work.key, src.key);
	is(src.key, "mm/a.c", "dirty\n");
	source_reset(&work);
	free(sh("git stash -q && git checkout -q one"));
	if (source_kdir_open(root, kdir, &work, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(work.identity, src.identity);
	source_reset(&work);
	source_reset(&src);
	source_reset(&again);
	free(before);
	free(after);
	free(one);
	free(two);
}

static int setup(void **state_arg __unused_arg)
{
	struct err e;

	if (!mkdtemp(dir) || system("git --version >/dev/null"))
		return -1;
	root = xasprintf("%s/cache", dir);
	kdir = xasprintf("%s/linux", dir);
	if (make_dirs(kdir, &e) || make_dirs(root, &e))
		return -1;
	free(sh("git init -q -b main . && mkdir mm &&\n"
		"printf 'VERSION = 7\\nPATCHLEVEL = 3\\nSUBLEVEL = 0\\nEXTRAVERSION =\\n' >Makefile\n"
		"touch Kbuild && echo 'int a;' >mm/a.c && echo '*.o' >.gitignore\n"
		"git add -A && git commit -qm 'the first' && git tag one\n"
		"echo 'int a2;' >mm/a.c && echo 'int b;' >mm/b.c && git add -A\n"
		"git commit -qm 'the second' && git tag two\n"
		"echo dirty >mm/a.c; git status >/dev/null; touch .git/marker"));
	return 0;
}

static int teardown(void **state_arg __unused_arg)
{
	free(root);
	free(kdir);
	return remove_tree(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
