/* SPDX-License-Identifier: GPL-2.0-only */
/* The compression algorithms that a trace.dat version 7 may name. */
#ifndef BP_COMPRESS_H
#define BP_COMPRESS_H

#include "lib/util.h"

struct compression; /* NULL: none */

/*
 * Returns 0 and the algorithm called @name ("none", "zstd" or "zlib"), or
 * -EOPNOTSUPP.
 */
int compression_new(struct compression **c, const char *name) __must_check;
void compression_free(struct compression *c);

/* Exactly @len bytes come out of the @zlen at @z; or -EBADMSG. */
int decompress(struct compression *c, const void *z, size_t zlen, void *out,
	       size_t len) __must_check;

#endif
