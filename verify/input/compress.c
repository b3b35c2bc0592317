// SPDX-License-Identifier: GPL-2.0-only
#include "verify/input/compress.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct compression {
	ZSTD_DCtx *zstd; /* NULL: zlib */
};

int compression_new(struct compression **out, const char *name)
{
	struct compression *c;

	*out = NULL;
	if (!strcmp(name, "none"))
		return 0;
	if (strcmp(name, "zstd") && strcmp(name, "zlib"))
		return -EOPNOTSUPP;
	c = xcalloc(1, sizeof(*c));
	if (!strcmp(name, "zstd")) {
		c->zstd = ZSTD_createDCtx();
		if (!c->zstd)
			abort(); /* out of memory */
	}
	*out = c;
	return 0;
}

void compression_free(struct compression *c)
{
	if (!c)
		return;
	ZSTD_freeDCtx(c->zstd);
	free(c);
}

int decompress(struct compression *c, const void *z, size_t zlen, void *out, size_t len)
{
	uLongf have = len;
	size_t n;

	if (c->zstd) {
		n = ZSTD_decompressDCtx(c->zstd, out, len, z, zlen);
		return ZSTD_isError(n) || n != len ? -EBADMSG : 0;
	}
	return uncompress(out, &have, z, zlen) == Z_OK && have == len ? 0 : -EBADMSG;
}
