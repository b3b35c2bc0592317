// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commits of a user's kernel tree.  A repository in the cache has the user's objects
 * as its alternates, and HEAD, index and worktree of its own: a worktree that the
 * user's repository knows nothing of.  From there it goes the way of any KDIR, into
 * the same copy, so that make rebuilds only what depends on what differs.
 */
#include <errno.h>
#include <string.h>

#include "host/cache.h"
#include "host/hash.h"
#include "host/source.h"
#include "host/source_commit.h"
#include "host/spawn.h"
#include "lib/fileio.h"

#define CHECKOUT_BYTES 2200000000ull
#define MBOX_MAX (64u << 20)

/* Neither the user's configuration nor locks of the user's repository. */
static const char *const git_env[] = {"GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_GLOBAL=/dev/null",
				      "GIT_CONFIG_NOSYSTEM=1", NULL};

/* git in the user's tree, where it may only read; its output, without the last newline. */
static int ask_git(const char *kdir, const char *const args[], char **out, struct err *e)
{
	const char *argv[24] = {"env", git_env[0],	   git_env[1], git_env[2], "git",
				"-c",  "safe.directory=*", "-C",       kdir};
	size_t n = 9, len;
	int ret;

	for (size_t i = 0; args[i]; i++)
		argv[n++] = args[i];
	argv[n] = NULL;
	ret = run_output(argv, NULL, out, e);
	if (ret)
		return ret;
	len = strlen(*out);
	while (len && (*out)[len - 1] == '\n')
		(*out)[--len] = '\0';
	return 0;
}

static int resolve(const char *kdir, const char *name, char **sha, struct err *e)
{
	char *commit __cleanup_free = xasprintf("%s^{commit}", name);
	const char *const args[] = {"rev-parse",	"--verify", "--quiet",
				    "--end-of-options", commit,	    NULL};
	char *out __cleanup_free = NULL;
	struct err ignored;
	int ret = ask_git(kdir, args, &out, &ignored);

	if (ret == -EINTR)
		return err_set(e, ret, "interrupted");
	if (ret || !out || strlen(out) < 40)
		return err_set(e, -EINVAL, "KDIR=%s has no commit '%s'", kdir, name);
	*sha = xstrdup(out);
	return 0;
}

/* The series from base to tip; of a history with merges its sum, as one patch. */
static int write_series(const char *kdir, struct commits *c, struct err *e)
{
	char *range __cleanup_free = xasprintf("%s..%s", c->base, c->tip);
	char *base __cleanup_free = xasprintf("--base=%s", c->base);
	const char *const merges[] = {"rev-list", "--merges", "--count", range, NULL};
	const char *const ancestor[] = {"merge-base", "--is-ancestor", c->base, c->tip, NULL};
	const char *const series[] = {"format-patch",
				      "--stdout",
				      "--no-signature",
				      "--no-renames",
				      "--no-cover-letter",
				      "--no-attach",
				      "--no-thread",
				      base,
				      range,
				      NULL};
	const char *const sum[] = {
		"diff", "--no-renames", "--no-ext-diff", "--no-color", c->base, c->tip, NULL};
	char *count __cleanup_free = NULL;
	char *text __cleanup_free = NULL;
	char *mbox __cleanup_free = NULL;
	struct err ignored;
	bool linear;
	int ret = ask_git(kdir, merges, &count, e);

	if (ret)
		return ret;
	linear = !strcmp(count, "0") && !ask_git(kdir, ancestor, &text, &ignored);
	free(text);
	text = NULL;
	ret = ask_git(kdir, linear ? series : sum, &text, e);
	if (ret)
		return err_prefix(e, ret, "COMMITS=%s", c->text);
	if (!*text)
		return err_set(e, -EINVAL, "COMMITS=%s: no change between the two", c->text);
	mbox = linear ? xasprintf("%s\n", text)
		      : xasprintf("From: git <>\nSubject: [PATCH] the sum of %s\n\n"
				  "base-commit: %s\n---\n%s\n",
				  c->text, c->base, text);
	if (strlen(mbox) > MBOX_MAX)
		return err_set(e, -EFBIG, "COMMITS=%s: more than 64 MiB of changes", c->text);
	return file_write_atomic(c->mbox, mbox, strlen(mbox), e);
}

int commits_resolve(struct commits *c, const char *kdir, const char *text, struct err *e)
{
	const char *dots = strstr(text, "..");
	char *base __cleanup_free = NULL;
	const char *tmp = getenv("TMPDIR");
	int ret;

	memset(c, 0, sizeof(*c));
	c->text = xstrdup(text);
	if (dots && (dots == text || dots[2] == '.' || !dots[2]))
		return err_set(e, -EINVAL, "COMMITS='%s': expected BASE..TIP or one commit", text);
	base = dots ? xstrndup(text, (size_t)(dots - text)) : xasprintf("%s^", text);
	ret = resolve(kdir, dots ? dots + 2 : text, &c->tip, e);
	if (!ret)
		ret = resolve(kdir, base, &c->base, e);
	if (!ret && !strcmp(c->base, c->tip))
		ret = err_set(e, -EINVAL, "COMMITS='%s': base and tip are the same commit", text);
	if (ret)
		return ret;
	c->dir = xasprintf("%s/blkproof-commits-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(c->dir)) {
		ret = err_errno(e, -errno, "%s", c->dir);
		free(c->dir);
		c->dir = NULL;
		return ret;
	}
	c->mbox = xasprintf("%s/%.12s..%.12s.mbox", c->dir, c->base, c->tip);
	return write_series(kdir, c, e);
}

void commits_free(struct commits *c)
{
	if (c->dir)
		remove_tree(c->dir);
	free(c->text);
	free(c->base);
	free(c->tip);
	free(c->dir);
	free(c->mbox);
	memset(c, 0, sizeof(*c));
}

/* ---- the worktree ---- */

/* git in the cache's worktree below @dir. */
static int run_git(const char *dir, const char *const args[], struct err *e)
{
	char *tree __cleanup_free = xasprintf("%s/tree", dir);
	char *log __cleanup_free = xasprintf("%s/git.log", dir);
	const char *argv[16] = {"git", "-c", "core.hooksPath=/dev/null", "-c",
				"core.fsmonitor=false"};
	struct run r = {.argv = argv,
			.log_path = log,
			.opt = {.clean_env = true, .env = git_env, .cwd = tree}};
	char buf[STATUS_TEXT_MAX];
	char *said __cleanup_free = NULL;
	struct err ignored;
	size_t n = 5;
	int ret;

	for (size_t i = 0; args[i]; i++)
		argv[n++] = args[i];
	unlink(log);
	ret = run_program(&r, e);
	if (ret <= 0)
		return ret;
	if (file_read(log, 1u << 16, &said, NULL, &ignored))
		said = xstrdup("");
	said[strcspn(said, "\n")] = '\0';
	return err_set(e, -EIO, "git %s: %s: %s", args[0], status_text(ret, buf), said);
}

/* A repository with the user's objects as its alternates, and nothing else of theirs. */
static int make_repository(const char *dir, const char *kdir, struct err *e)
{
	static const char *const ask[] = {"rev-parse", "--path-format=absolute", "--git-path",
					  "objects", NULL};
	char *git __cleanup_free = xasprintf("--separate-git-dir=%s/git", dir);
	char *alternates __cleanup_free = xasprintf("%s/git/objects/info/alternates", dir);
	char *tree __cleanup_free = xasprintf("%s/tree", dir);
	const char *const init[] = {"init", "-q", "--template=", git, NULL};
	char *objects __cleanup_free = NULL;
	char *line __cleanup_free = NULL;
	int ret = ask_git(kdir, ask, &objects, e);

	if (!ret)
		ret = make_dirs(tree, e);
	if (!ret)
		ret = run_git(dir, init, e);
	if (ret)
		return ret;
	*strrchr(alternates, '/') = '\0';
	ret = make_dirs(alternates, e);
	alternates[strlen(alternates)] = '/';
	if (ret)
		return ret;
	line = xasprintf("%s\n", objects);
	return file_write_atomic(alternates, line, strlen(line), e);
}

/* Checks @commit out below @dir; git writes only the files that differ. */
static int check_out(const char *dir, const char *kdir, const char *commit, struct err *e)
{
	char *at __cleanup_free = xasprintf("%s/checked-out", dir);
	char *lock __cleanup_free = xasprintf("%s/git/index.lock", dir);
	const char *const checkout[] = {"checkout", "-q", "-f", "--detach", commit, NULL};
	char *now __cleanup_free = NULL;
	struct err ignored;
	int ret;

	/* that file is missing while git is at work: then nothing is known of the tree */
	if (!file_read(at, 128, &now, NULL, &ignored)) {
		if (!strcmp(now, commit))
			return 0;
	} else {
		ret = remove_tree(dir);
		if (ret && ret != -ENOENT)
			return err_errno(e, ret, "%s: cannot be removed", dir);
		ret = make_dirs(dir, e);
		if (!ret)
			ret = cache_need_space(dir, CHECKOUT_BYTES, "a checkout of the commit", e);
		if (ret)
			return ret;
	}
	/* anew each time: the user's repository may have moved its objects */
	ret = make_repository(dir, kdir, e);
	if (ret)
		return ret;
	unlink(at);
	unlink(lock);
	ret = run_git(dir, checkout, e);
	return ret ? ret : file_write_atomic(at, commit, strlen(commit), e);
}

int source_commit_sync(const char *root, const char *kdir, const char *key, const char *commit,
		       char hex[HASH_HEX], struct err *e)
{
	char *dir __cleanup_free = xasprintf("%s/sources/%s.commits", root, key);
	char *tree __cleanup_free = xasprintf("%s/tree", dir);
	int ret = check_out(dir, kdir, commit, e);

	return ret ? ret : source_kdir_sync(root, tree, key, hex, e);
}

int source_commit_open(const char *root, const char *kdir, const char *commit,
		       struct kernel_source *src, struct err *e)
{
	const char *const describe[] = {"describe",    "--always", "--tags",
					"--abbrev=12", commit,	   NULL};
	char *real __cleanup_free = realpath(kdir, NULL);
	char *name __cleanup_free = NULL;
	char *tree __cleanup_free = NULL;
	char *dir __cleanup_free = NULL;
	char hex[HASH_HEX];
	int ret;

	memset(src, 0, sizeof(*src));
	if (!real)
		return err_errno(e, -errno, "KDIR=%s", kdir);
	ret = ask_git(real, describe, &name, e);
	if (ret)
		return ret;
	/* the same copy as without COMMITS, so that one object tree serves both */
	src->key = source_kdir_key(real);
	dir = source_dir(root, src->key);
	tree = source_tree(root, src->key);
	ret = make_dirs(dir, e);
	if (!ret)
		ret = source_commit_sync(root, real, src->key, commit, hex, e);
	if (!ret) {
		src->version = source_version(tree);
		if (!src->version)
			ret = err_set(e, -EINVAL, "KDIR=%s: commit %.12s is not a kernel's", kdir,
				      commit);
	}
	if (!ret) {
		src->identity = xstrdup(hex);
		src->kdir = xstrdup(real);
		src->commit = xstrdup(commit);
		src->name = xasprintf("KDIR %s commit %s", real, name);
		ret = source_save(dir, src, e);
	}
	if (ret)
		source_reset(src);
	return ret;
}
