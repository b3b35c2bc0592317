/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cache, $XDG_CACHE_HOME/blkproof (~/.cache/blkproof):
 *
 *   lock                     held by whoever fetches, builds or cleans
 *   users                    held, shared, by each run from its start to its end
 *   sources/KEY/tree         a kernel source, unpacked or copied
 *   sources/KEY/source.json  what it is
 *   sources/KEY/patched/     which of its files are patched now (host/overlay.h)
 *   objects/KEY-CONFIG/      an object tree
 *   images/KEY/              the image and meta.json
 *   sysroots/                libraries of other architectures' agents (host/sysroot.sh)
 *   disks/                   test disks (host/disk.h), with a lock each
 *   ccache/                  ccache's own
 *
 * Images are published by one rename and never change; they are read without
 * the lock.  Everything else belongs to the holder of the lock.
 */
#ifndef BP_CACHE_H
#define BP_CACHE_H

#include "lib/err.h"

/* The cache's directory, made if missing; the caller frees *@root. */
int cache_open(char **root, struct err *e) __must_check;

/*
 * Takes the lock, waiting for whoever has it (a line on stderr says for whom).
 * Returns a descriptor: it may be handed to children (spawn_options.keep_fds),
 * and the lock lasts until we and they have closed it.  -EINTR on a signal.
 */
int cache_lock(const char *root, struct err *e) __must_check;
void cache_unlock(int fd);

/*
 * A run says that it uses images and disks, which are opened again for each
 * boot; whoever empties the cache waits until nobody does, and takes this lock
 * before cache_lock().  Both return a descriptor for cache_unlock().
 */
int cache_use(const char *root, struct err *e) __must_check;
int cache_lock_unused(const char *root, struct err *e) __must_check;

/* -ENOSPC with a line unless @bytes are free for @what ("unpacking the source"). */
int cache_need_space(const char *root, u64 bytes, const char *what, struct err *e) __must_check;

/* Bytes that a file or a tree occupies on disk. */
u64 disk_usage(const char *path);

/* "3 min", "2 h", "5 days" for an age in seconds; returns @buf of at least 24 bytes. */
char *age_text(s64 seconds, char *buf);

/* "1.8 GB", "12 MB", "3 kB" (powers of 1000, as df -H); returns @buf of at least 24 bytes. */
char *usage_text(u64 bytes, char *buf);

/* Prints what the cache holds: sizes, ages, what each image is. */
int cache_list(FILE *out, struct err *e) __must_check;

/* Empties the cache, under its lock; says how much that freed. */
int cache_clean(FILE *out, struct err *e) __must_check;

#endif
