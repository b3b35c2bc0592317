// SPDX-License-Identifier: GPL-2.0-only
/* Which files of a kernel tree are its source, by git; and what git calls it. */
#include <errno.h>
#include <string.h>

#include "host/source.h"
#include "host/spawn.h"
#include "lib/fileio.h"

#define LISTING_MAX (256u << 20)

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int run_git(const char *const argv[], const char *cwd, const char *out_path, struct err *e)
{
	static const char *const env[] = {"GIT_OPTIONAL_LOCKS=0", NULL};
	struct run r = {.argv = argv,
			.log_path = out_path,
			.opt = {.cwd = cwd, .clean_env = true, .env = env}};
	char buf[STATUS_TEXT_MAX];
	int ret = run_program(&r, e);

	return ret > 0 ? err_set(e, -EIO, "git: %s", status_text(ret, buf)) : ret;
}

/*
 * A tree without .git: an empty repository elsewhere, with the tree as its work
 * tree, lists what our own patterns leave.  The tree's .gitignore can't be
 * used: Debian's source package, for one, ignores all of it there.
 */
static const char build_products[] =
	"*.o\n*.o.d\n*.a\n*.ko\n*.mod\n*.mod.c\n*.order\n*.symvers\n*.cmd\n.*.d\n*.so\n"
	"*.so.dbg\n*.elf\n*.bc\n*.lex.c\n*.tab.[ch]\n*.asn1.[ch]\n.tmp_*\n/vmlinux*\n"
	"/System.map\n/.config*\n/.version\n/.git/\n/include/config/\n/include/generated/\n"
	"/arch/*/include/generated/\n/arch/*/boot/bzImage\n!/kernel/time/timeconst.bc\n";

static int list_plain(const char *root, const char *kdir, const char *out, struct err *e)
{
	char *repo __cleanup_free = xasprintf("%s/sources/.empty.git", root);
	char *patterns __cleanup_free = xasprintf("%s/sources/.patterns", root);
	char *git_dir __cleanup_free = xasprintf("--git-dir=%s", repo);
	char *work_tree __cleanup_free = xasprintf("--work-tree=%s", kdir);
	char *exclude __cleanup_free = xasprintf("--exclude-from=%s", patterns);
	const char *init[] = {"git", "init", "-q", "--bare", repo, NULL};
	const char *list[] = {"git", git_dir,	 work_tree, "ls-files",
			      "-z",  "--others", exclude,   NULL};
	int ret;

	remove_tree(repo);
	ret = file_write_atomic(patterns, build_products, strlen(build_products), e);
	if (!ret)
		ret = run_git(init, root, NULL, e);
	if (!ret)
		ret = run_git(list, kdir, out, e);
	remove_tree(repo);
	unlink(patterns);
	return ret;
}

static int list_git(const char *kdir, const char *out, struct err *e)
{
	static const char *const list[] = {
		"git",		 "-c", "safe.directory=*", "-c",       "core.fsmonitor=false",
		"ls-files",	 "-z", "--cached",	   "--others", "--exclude-standard",
		"--deduplicate", NULL};

	return run_git(list, kdir, out, e);
}

static bool is_git(const char *kdir)
{
	char *git __cleanup_free = xasprintf("%s/.git", kdir);

	return !access(git, F_OK);
}

int source_kdir_list(const char *root, const char *kdir, char **text, char ***paths, size_t *n,
		     struct err *e)
{
	char *out __cleanup_free = xasprintf("%s/sources/.list", root);
	size_t len, at;
	int ret;

	*text = NULL;
	*paths = NULL;
	*n = 0;
	unlink(out);
	ret = is_git(kdir) ? list_git(kdir, out, e) : list_plain(root, kdir, out, e);
	if (!ret)
		ret = file_read(out, LISTING_MAX, text, &len, e);
	unlink(out);
	if (ret)
		return err_prefix(e, ret, "%s", kdir);
	for (at = 0; at < len; at += strlen(*text + at) + 1) {
		if (!(*n & (*n - 1)))
			*paths = xrealloc(*paths, *n ? 2 * *n : 1, sizeof(**paths));
		(*paths)[(*n)++] = *text + at;
	}
	if (*n)
		qsort(*paths, *n, sizeof(**paths), by_name);
	return 0;
}

/* "KDIR path v7.3-5-gabcdef012345 (modified)" */
char *source_kdir_describe(const char *kdir)
{
	static const char *const desc[] = {"git",      "-c",	 "safe.directory=*", "describe",
					   "--always", "--tags", "--abbrev=12",	     NULL};
	static const char *const status[] = {
		"git",	  "--no-optional-locks", "-c", "safe.directory=*",
		"status", "--porcelain",	 NULL};
	char *what __cleanup_free = NULL;
	char *changes __cleanup_free = NULL;
	struct err ignored;

	if (!is_git(kdir) || run_output(desc, kdir, &what, &ignored))
		return xasprintf("KDIR %s", kdir);
	what[strcspn(what, "\n")] = '\0';
	if (run_output(status, kdir, &changes, &ignored) && !*changes) {
		free(changes);
		changes = xstrdup("?"); /* not known to be clean */
	}
	return xasprintf("KDIR %s %s%s", kdir, what, changes && *changes ? " (modified)" : "");
}
