/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 over tagged values, the keys of the cache. */
#ifndef BP_HASH_H
#define BP_HASH_H

#include "lib/err.h"

#define HASH_HEX 65 /* with NUL */

struct hash;

struct hash *hash_new(void) __must_check;

/*
 * Adds a value under a name.  Lengths are part of what is hashed, so no two
 * different sequences of values give the same input.
 */
void hash_add(struct hash *h, const char *name, const void *data, size_t len);
void hash_text(struct hash *h, const char *name, const char *text);

/* Writes the digest and frees @h. */
void hash_end(struct hash *h, char hex[HASH_HEX]);

/* The plain SHA-256 of @len bytes. */
void hash_bytes(const void *data, size_t len, char hex[HASH_HEX]);

/* The plain SHA-256 of a file's content; 0 or a negative errno with a line. */
int hash_file(const char *path, char hex[HASH_HEX], struct err *e) __must_check;

#endif
