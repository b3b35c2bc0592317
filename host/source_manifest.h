/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of a user's kernel tree: each file's SHA-256 and what stat()
 * said about it when it was hashed.  Internal to the kernel builder.
 */
#ifndef BP_SOURCE_MANIFEST_H
#define BP_SOURCE_MANIFEST_H

#include "host/hash.h"

struct entry {
	const char *path;
	char sha[HASH_HEX];
	unsigned int mode; /* 0644, 0755 or 0 for a symbolic link */
	u64 size, ino;
	s64 mtime, ctime; /* ns */
	bool change;	  /* must be copied */
};

struct manifest {
	struct entry *entries; /* sorted by path */
	size_t n;
	char *text; /* that the paths point into */
};

/* Reads "SHA MODE SIZE INO MTIME CTIME PATH" lines; a missing file is an empty manifest. */
int manifest_load(const char *path, struct manifest *m, struct err *e) __must_check;
int manifest_save(const char *path, const struct manifest *m, struct err *e) __must_check;
void manifest_free(struct manifest *m);

/* The entry of that path, or NULL. */
struct entry *manifest_find(const struct manifest *m, const char *path);

/* A hash over all paths, modes and contents. */
void manifest_identity(const struct manifest *m, char hex[HASH_HEX]);

#endif
