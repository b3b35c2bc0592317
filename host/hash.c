// SPDX-License-Identifier: GPL-2.0-only
#include "host/hash.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <openssl/evp.h>

struct hash {
	EVP_MD_CTX *ctx;
};

struct hash *hash_new(void)
{
	struct hash *h = xmalloc(sizeof(*h));

	h->ctx = EVP_MD_CTX_new();
	/* SHA-256 is always there; only memory can be missing */
	if (!h->ctx || !EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL))
		abort();
	return h;
}

static void add_counted(struct hash *h, const void *data, size_t len)
{
	u64 n = htole64(len);

	EVP_DigestUpdate(h->ctx, &n, sizeof(n));
	EVP_DigestUpdate(h->ctx, data, len);
}

void hash_add(struct hash *h, const char *name, const void *data, size_t len)
{
	add_counted(h, name, strlen(name));
	add_counted(h, data, len);
}

void hash_text(struct hash *h, const char *name, const char *text)
{
	hash_add(h, name, text, strlen(text));
}

void hash_end(struct hash *h, char hex[HASH_HEX])
{
	unsigned char d[EVP_MAX_MD_SIZE];
	unsigned int n = 0, i;

	EVP_DigestFinal_ex(h->ctx, d, &n);
	for (i = 0; i < n && 2 * i + 2 < HASH_HEX; i++)
		snprintf(hex + 2 * i, 3, "%02x", d[i]);
	EVP_MD_CTX_free(h->ctx);
	free(h);
}

int hash_file(const char *path, char hex[HASH_HEX], struct err *e)
{
	int fd __cleanup_close = open(path, O_RDONLY | O_CLOEXEC);
	char *buf __cleanup_free = xmalloc(1 << 18);
	struct hash *h;
	int ret = 0;
	ssize_t n;

	if (fd < 0)
		return err_errno(e, -errno, "%s", path);
	h = hash_new();
	while ((n = read(fd, buf, 1 << 18)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			ret = err_errno(e, -errno, "%s", path);
			break;
		}
		EVP_DigestUpdate(h->ctx, buf, (size_t)n);
	}
	hash_end(h, hex);
	return ret;
}

void hash_bytes(const void *data, size_t len, char hex[HASH_HEX])
{
	struct hash *h = hash_new();

	EVP_DigestUpdate(h->ctx, data, len);
	hash_end(h, hex);
}
