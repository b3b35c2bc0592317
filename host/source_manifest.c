// SPDX-License-Identifier: GPL-2.0-only
#include "host/source_manifest.h"

#include <errno.h>
#include <string.h>

#include "lib/fileio.h"

#define MANIFEST_MAX (256u << 20)

void manifest_free(struct manifest *m)
{
	free(m->entries);
	free(m->text);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

struct entry *manifest_find(const struct manifest *m, const char *path)
{
	struct entry key = {.path = path};

	return m->n ? bsearch(&key, m->entries, m->n, sizeof(key), by_path) : NULL;
}

int manifest_load(const char *path, struct manifest *m, struct err *e)
{
	char *line, *save;
	int ret;

	memset(m, 0, sizeof(*m));
	if (access(path, F_OK))
		return 0;
	ret = file_read(path, MANIFEST_MAX, &m->text, NULL, e);
	if (ret)
		return ret;
	for (line = strtok_r(m->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct entry en = {0};
		unsigned long long size, ino;
		long long mtime, ctime;
		int end = 0;

		if (sscanf(line, "%64[0-9a-f] %o %llu %llu %lld %lld %n", en.sha, &en.mode, &size,
			   &ino, &mtime, &ctime, &end) != 6 ||
		    !end)
			return err_set(e, -EIO,
				       "%s: damaged (`make clean-cache` empties the cache)", path);
		en.size = size;
		en.ino = ino;
		en.mtime = mtime;
		en.ctime = ctime;
		en.path = line + end;
		if (!(m->n & (m->n - 1)))
			m->entries = xrealloc(m->entries, m->n ? 2 * m->n : 1, sizeof(en));
		m->entries[m->n++] = en;
	}
	return 0;
}

int manifest_save(const char *path, const struct manifest *m, struct err *e)
{
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);
	int ret;

	for (i = 0; f && i < m->n; i++) {
		const struct entry *en = &m->entries[i];

		fprintf(f, "%s %o %llu %llu %lld %lld %s\n", en->sha, en->mode,
			(unsigned long long)en->size, (unsigned long long)en->ino,
			(long long)en->mtime, (long long)en->ctime, en->path);
	}
	if (!f || fclose(f))
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	ret = file_write_atomic(path, text, len, e);
	free(text);
	return ret;
}

void manifest_identity(const struct manifest *m, char hex[HASH_HEX])
{
	struct hash *h = hash_new();
	char mode[16];
	size_t i;

	for (i = 0; i < m->n; i++) {
		snprintf(mode, sizeof(mode), "%o", m->entries[i].mode);
		hash_text(h, m->entries[i].path, m->entries[i].sha);
		hash_text(h, "mode", mode);
	}
	hash_end(h, hex);
}
