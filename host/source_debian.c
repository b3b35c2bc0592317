// SPDX-License-Identifier: GPL-2.0-only
/*
 * The default source: linux-source-X.Y from the machine's own Debian mirror,
 * through an apt configuration of our own, so that neither root nor a change of
 * the machine's is needed.  apt verifies it: the suite's InRelease by the Debian
 * archive keyring, the package lists by InRelease, the package by the lists.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "host/cache.h"
#include "host/hash.h"
#include "host/progress.h"
#include "host/source.h"
#include "host/spawn.h"
#include "lib/fileio.h"

#define KEYRING "/usr/share/keyrings/debian-archive-keyring.gpg"
#define KEY_PREFIX "linux-source-"
/* measured for 7.3.4: package 167 MB, tar in it as much again, unpacked 1.9 GB */
#define UNPACK_BYTES 2400000000ull
#define APT_ARGS 40

static const char *const suites[] = {"trixie-backports", "sid", "experimental"};

/* ---- apt with a configuration of its own ---- */

struct apt {
	char *dir;
	char *options[12];
	size_t n_options;
	struct meter *meter;
	char error[512]; /* first "E:" or "Err:" line */
};

static void apt_free(struct apt *a)
{
	size_t i;

	if (a->dir)
		remove_tree(a->dir);
	for (i = 0; i < a->n_options; i++)
		free(a->options[i]);
	free(a->dir);
}

static int apt_setup(struct apt *a, const char *root, const char *mirror, struct err *e)
{
	char *list __cleanup_free = NULL;
	char *text __cleanup_free = xstrdup("");
	size_t i;
	int ret;

	a->dir = xasprintf("%s/apt", root);
	list = xasprintf("%s/sources.list", a->dir);
	remove_tree(a->dir);
	for (i = 0; i < 2; i++) {
		char *dir __cleanup_free =
			xasprintf("%s/%s/partial", a->dir, i ? "archives" : "lists");

		ret = make_dirs(dir, e);
		if (ret)
			return ret;
	}
	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		char *more = xasprintf("%sdeb [signed-by=" KEYRING "] %s %s main\n", text, mirror,
				       suites[i]);

		free(text);
		text = more;
	}
	ret = file_write_atomic(list, text, strlen(text), e);
	if (ret)
		return ret;
	a->options[a->n_options++] = xasprintf("-oDir::Etc::sourcelist=%s", list);
	a->options[a->n_options++] = xstrdup("-oDir::Etc::sourceparts=-");
	a->options[a->n_options++] = xasprintf("-oDir::State::Lists=%s/lists", a->dir);
	a->options[a->n_options++] = xasprintf("-oDir::Cache::archives=%s/archives", a->dir);
	a->options[a->n_options++] = xstrdup("-oDir::Cache::pkgcache=");
	a->options[a->n_options++] = xstrdup("-oDir::Cache::srcpkgcache=");
	a->options[a->n_options++] = xstrdup("-oAcquire::Languages=none");
	/* whatever the machine's configuration allows */
	a->options[a->n_options++] = xstrdup("-oAPT::Get::AllowUnauthenticated=false");
	a->options[a->n_options++] = xstrdup("-oAcquire::AllowInsecureRepositories=false");
	/* the cache belongs to the user, where apt's own user has no access */
	a->options[a->n_options++] = xstrdup("-oAPT::Sandbox::User=");
	a->options[a->n_options++] = xstrdup("-oAPT::Status-Fd=1");
	return 0;
}

static void apt_line(void *ctx, char *line)
{
	struct apt *a = ctx;
	const char *p;
	double percent;

	p = str_after(line, "dlstatus:");
	p = p ? strchr(p, ':') : NULL;
	if (p && sscanf(p + 1, "%lf:", &percent) == 1 && a->meter)
		meter_update(a->meter, "%.0f %%", percent);
	if ((str_after(line, "E: ") || str_after(line, "Err:")) && !*a->error)
		snprintf(a->error, sizeof(a->error), "%s", line);
}

/* Runs apt-get or apt-cache with our options and @args.  Returns the wait status or -errno. */
static int apt_run(struct apt *a, const char *program, const char *const args[], bool verbose,
		   const char *out_path, struct err *e)
{
	const char *argv[APT_ARGS] = {program};
	struct run r = {.argv = argv,
			.line = apt_line,
			.ctx = a,
			.echo = verbose,
			.opt = {.cwd = a->dir, .clean_env = true},
			.log_path = out_path};
	size_t n = 1, i;

	for (i = 0; i < a->n_options; i++)
		argv[n++] = a->options[i];
	for (i = 0; args[i] && n + 1 < APT_ARGS; i++)
		argv[n++] = args[i];
	a->error[0] = '\0';
	return run_program(&r, e);
}

static int find_mirror(char **mirror, struct err *e)
{
	static const char *const argv[] = {"apt-get", "indextargets", "--format",
					   "$(SITE)|$(CODENAME)|$(ORIGIN)", NULL};
	char *out __cleanup_free = NULL;
	int ret = run_output(argv, NULL, &out, e);

	if (ret)
		return err_prefix(e, ret, "cannot find this machine's Debian mirror");
	*mirror = debian_pick_mirror(out);
	if (!*mirror)
		return err_set(e, -ENOENT,
			       "apt knows no Debian mirror on this machine: give a "
			       "kernel tree with KDIR=");
	if (access(KEYRING, R_OK))
		return err_set(e, -ENOENT, KEYRING " is missing (package debian-archive-keyring)");
	return 0;
}

/* What the mirror has: `apt-cache madison` for all linux-source-X.Y. */
static int list_packages(struct apt *a, char **madison, struct err *e)
{
	static const char *const names_args[] = {"pkgnames", KEY_PREFIX, NULL};
	const char *args[APT_ARGS / 2] = {"madison"};
	char *names_path __cleanup_free = xasprintf("%s/names", a->dir);
	char *path __cleanup_free = xasprintf("%s/madison", a->dir);
	char *names __cleanup_free = NULL;
	char *name, *save;
	size_t n = 1;
	int ret;

	ret = apt_run(a, "apt-cache", names_args, false, names_path, e);
	if (!ret)
		ret = file_read(names_path, 1 << 20, &names, NULL, e);
	if (ret)
		return ret < 0 ? ret : err_set(e, -EIO, "apt-cache pkgnames failed");
	for (name = strtok_r(names, "\n", &save); name; name = strtok_r(NULL, "\n", &save))
		if (n + 1 < ARRAY_SIZE(args))
			args[n++] = name;
	*madison = xstrdup("");
	if (n == 1)
		return 0;
	ret = apt_run(a, "apt-cache", args, false, path, e);
	if (ret)
		return ret < 0 ? ret : err_set(e, -EIO, "apt-cache madison failed");
	free(*madison);
	*madison = NULL;
	return file_read(path, 1 << 20, madison, NULL, e);
}

static int find_package(struct apt *a, bool verbose, char **package, char **version, struct err *e)
{
	static const char *const update[] = {"update", "-q", NULL};
	char *madison __cleanup_free = NULL;
	struct meter m;
	char problem[sizeof(a->error)];
	int ret;

	meter_start(&m, "fetching package lists");
	m.silent = verbose;
	a->meter = &m;
	ret = apt_run(a, "apt-get", update, verbose, NULL, e);
	meter_clear(&m);
	a->meter = NULL;
	if (ret < 0)
		return ret;
	/* a mirror that lacks one of the suites is no reason to give up */
	snprintf(problem, sizeof(problem), "%s", a->error);
	ret = list_packages(a, &madison, e);
	if (ret)
		return ret;
	if (debian_pick_source(madison, package, version))
		return 0;
	if (*problem)
		return err_set(e, -EIO,
			       "cannot fetch a kernel source from this machine's mirror "
			       "(or give a kernel tree with KDIR=): %s",
			       problem);
	return err_set(e, -ENOENT,
		       "the machine's mirror has no linux-source-%d.%d or newer: give a "
		       "kernel tree with KDIR=",
		       SOURCE_OLDEST_MAJOR, SOURCE_OLDEST_MINOR);
}

/* ---- download and unpack ---- */

static int wanted_file(const char *dir, const char *start, const char *end, char **path)
{
	DIR *d = opendir(dir);
	struct dirent *ent;

	*path = NULL;
	while (d && !*path && (ent = readdir(d))) {
		size_t n = strlen(ent->d_name), m = strlen(end);

		if (str_after(ent->d_name, start) && n > m && !strcmp(ent->d_name + n - m, end))
			*path = xasprintf("%s/%s", dir, ent->d_name);
	}
	if (d)
		closedir(d);
	return *path ? 0 : -ENOENT;
}

static int download(struct apt *a, const char *package, const char *version, bool verbose,
		    char **deb, struct err *e)
{
	char *what __cleanup_free = xasprintf("%s=%s", package, version);
	char *label __cleanup_free = xasprintf("downloading %s %s", package, version);
	const char *args[] = {"download", "-q", what, NULL};
	struct meter m;
	int ret;

	meter_start(&m, label);
	m.silent = verbose;
	a->meter = &m;
	ret = apt_run(a, "apt-get", args, verbose, NULL, e);
	a->meter = NULL;
	meter_clear(&m);
	if (ret < 0)
		return ret;
	if (ret || wanted_file(a->dir, package, ".deb", deb))
		return err_set(e, -EIO, "%s %s cannot be downloaded: %s", package, version,
			       *a->error ? a->error : "apt-get failed");
	meter_end(&m, "done");
	return 0;
}

static void unpack_tick(void *ctx)
{
	meter_update(ctx, "running");
}

static int step(const char *const argv[], struct meter *m, struct err *e)
{
	struct run r = {.argv = argv, .opt = {.clean_env = true}, .tick = unpack_tick, .ctx = m};
	char buf[STATUS_TEXT_MAX];
	int ret = run_program(&r, e);

	return ret > 0 ? err_set(e, -EIO, "%s: %s", argv[0], status_text(ret, buf)) : ret;
}

/* Unpacks into @dir/tree. */
static int unpack(struct apt *a, const char *deb, const char *package, const char *dir,
		  struct err *e)
{
	char *x __cleanup_free = xasprintf("%s/deb", a->dir);
	char *usr_src __cleanup_free = xasprintf("%s/usr/src", x);
	char *tree __cleanup_free = xasprintf("%s/tree", dir);
	char *label __cleanup_free = xasprintf("unpacking %s", package);
	const char *extract[] = {"dpkg-deb", "-x", deb, x, NULL};
	char *tar __cleanup_free = NULL;
	struct meter m;
	int ret;

	meter_start(&m, label);
	ret = make_dirs(tree, e);
	if (!ret)
		ret = step(extract, &m, e);
	unlink(deb);
	if (!ret && wanted_file(usr_src, KEY_PREFIX, ".tar.xz", &tar))
		ret = err_set(e, -EIO, "%s: holds no /usr/src/" KEY_PREFIX "*.tar.xz", deb);
	if (!ret) {
		const char *untar[] = {
			"tar", "-x", "--no-same-owner", "--strip-components=1", "-C", tree, "-f",
			tar,   NULL};

		ret = step(untar, &m, e);
	}
	meter_clear(&m);
	if (!ret)
		meter_end(&m, "done");
	return ret;
}

static int fetch(struct apt *a, const char *root, const char *package, const char *version,
		 bool verbose, struct kernel_source *src, struct err *e)
{
	char *key __cleanup_free = xasprintf("%s_%s", package, version);
	char *dir __cleanup_free = source_dir(root, key);
	char *tmp __cleanup_free = xasprintf("%s/sources/.new", root);
	char *tree __cleanup_free = xasprintf("%s/tree", tmp);
	char *deb __cleanup_free = NULL;
	char identity[HASH_HEX];
	int ret;

	ret = cache_need_space(root, UNPACK_BYTES, "the kernel source", e);
	if (!ret)
		ret = download(a, package, version, verbose, &deb, e);
	if (!ret)
		ret = hash_file(deb, identity, e);
	remove_tree(tmp);
	if (!ret)
		ret = unpack(a, deb, package, tmp, e);
	if (!ret) {
		src->key = xstrdup(key);
		src->name = xasprintf("%s %s", package, version);
		src->identity = xstrdup(identity);
		src->version = source_version(tree);
		if (!src->version)
			ret = err_set(e, -EIO, "%s holds no kernel source", package);
	}
	if (!ret)
		ret = source_save(tmp, src, e);
	if (!ret) {
		ret = source_remove(root, key, e);
		if (!ret && rename(tmp, dir))
			ret = err_errno(e, -errno, "%s", dir);
	}
	if (ret) {
		remove_tree(tmp);
		source_reset(src);
	}
	return ret;
}

/* ---- what the cache has ---- */

/* The key of the newest Debian source, or NULL. */
static char *newest_cached(const char *root)
{
	char *sources __cleanup_free = xasprintf("%s/sources", root);
	DIR *d = opendir(sources);
	struct dirent *ent;
	char *best = NULL;

	while (d && (ent = readdir(d))) {
		const char *v = str_after(ent->d_name, KEY_PREFIX);

		v = v ? strchr(v, '_') : NULL;
		if (!v || (best && debian_version_cmp(v + 1, strchr(best, '_') + 1) <= 0))
			continue;
		free(best);
		best = xstrdup(ent->d_name);
	}
	if (d)
		closedir(d);
	return best;
}

static int remove_others(const char *root, const char *keep, struct err *e)
{
	char *sources __cleanup_free = xasprintf("%s/sources", root);
	DIR *d = opendir(sources);
	struct dirent *ent;
	int ret = 0;

	while (d && !ret && (ent = readdir(d)))
		if (str_after(ent->d_name, KEY_PREFIX) && strcmp(ent->d_name, keep))
			ret = source_remove(root, ent->d_name, e);
	if (d)
		closedir(d);
	return ret;
}

int source_debian_cached(const char *root, struct kernel_source *src, struct err *e)
{
	char *cached __cleanup_free = newest_cached(root);
	char *dir __cleanup_free = cached ? source_dir(root, cached) : NULL;

	return cached ? source_load(dir, src, e) : -ENOENT;
}

int source_debian_open(const char *root, bool refresh, bool verbose, struct kernel_source *src,
		       struct err *e)
{
	char *cached __cleanup_free = newest_cached(root);
	char *cached_dir __cleanup_free = cached ? source_dir(root, cached) : NULL;
	char *mirror __cleanup_free = NULL;
	char *package __cleanup_free = NULL;
	char *version __cleanup_free = NULL;
	char *key __cleanup_free = NULL;
	struct apt a = {0};
	int ret;

	if (cached && !refresh)
		return source_load(cached_dir, src, e);
	ret = find_mirror(&mirror, e);
	if (!ret)
		ret = apt_setup(&a, root, mirror, e);
	if (!ret)
		ret = find_package(&a, verbose, &package, &version, e);
	if (!ret) {
		key = xasprintf("%s_%s", package, version);
		if (cached && !strcmp(cached, key))
			ret = source_load(cached_dir, src, e);
		else
			ret = fetch(&a, root, package, version, verbose, src, e);
	}
	if (!ret)
		ret = remove_others(root, src->key, e);
	apt_free(&a);
	return ret;
}
