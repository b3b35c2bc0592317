/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel sources in the cache.  Internal to the kernel builder; everything here
 * is called with the cache's lock held.
 */
#ifndef BP_SOURCE_H
#define BP_SOURCE_H

#include "host/hash.h"
#include "host/kernel.h"

/* The oldest linux-source-X.Y that will do. */
#define SOURCE_OLDEST_MAJOR 7
#define SOURCE_OLDEST_MINOR 2

/* Paths of a source in the cache; the caller frees them. */
char *source_dir(const char *root, const char *key) __must_check;
char *source_tree(const char *root, const char *key) __must_check;
char *source_journal(const char *root, const char *key) __must_check;

/* VERSION.PATCHLEVEL.SUBLEVEL and EXTRAVERSION from the tree's Makefile; NULL if it is no
 * kernel's.  The caller frees it. */
char *source_version(const char *tree) __must_check;

/* Reads and writes source.json in @dir. */
int source_load(const char *dir, struct kernel_source *src, struct err *e) __must_check;
int source_save(const char *dir, const struct kernel_source *src, struct err *e) __must_check;

/* Frees the members. */
void source_reset(struct kernel_source *src);

/* Removes a source and the object trees that were built from it. */
int source_remove(const char *root, const char *key, struct err *e) __must_check;

/*
 * The newest Debian source that the cache has, or -ENOENT.  Needs no lock: a
 * source gets its name when it is complete.
 */
int source_debian_cached(const char *root, struct kernel_source *src, struct err *e) __must_check;

/* The newest Debian source, fetched if the cache has none or @refresh is set. */
int source_debian_open(const char *root, bool refresh, bool verbose, struct kernel_source *src,
		       struct err *e) __must_check;

/*
 * Brings the copy @key of @kdir (unpatched first, if need be) up to date; its
 * identity goes to @hex.
 */
int source_kdir_sync(const char *root, const char *kdir, const char *key, char hex[HASH_HEX],
		     struct err *e) __must_check;

/* The name in the cache of the tree at @real, an absolute path; the caller frees it. */
char *source_kdir_key(const char *real) __must_check;

/* The same, and says what it is. */
int source_kdir_open(const char *root, const char *kdir, struct kernel_source *src,
		     struct err *e) __must_check;

/* All files of a kernel tree that belong to its source: @paths NUL-terminated
 * strings one after the other, sorted, *@n of them.  The caller frees both. */
int source_kdir_list(const char *root, const char *kdir, char **text, char ***paths, size_t *n,
		     struct err *e) __must_check;

/* "KDIR path v7.3-5-gabcdef012345 (modified)"; without git only the path.  The caller frees it. */
char *source_kdir_describe(const char *kdir) __must_check;

/* ---- Debian's names and versions ---- */

/* As dpkg --compare-versions: < 0, 0, > 0 (Debian Policy 5.6.12). */
int debian_version_cmp(const char *a, const char *b);

/*
 * Picks from `apt-cache madison` output the linux-source-X.Y with the highest
 * version; a release candidate only if there is nothing else.  False if there
 * is none that is new enough.  The caller frees both strings.
 */
bool debian_pick_source(const char *madison, char **package, char **version);

/*
 * Picks the mirror from "SITE|CODENAME|ORIGIN" lines of apt-get indextargets;
 * NULL if there is none.  The caller frees it.
 */
char *debian_pick_mirror(const char *targets) __must_check;

#endif
