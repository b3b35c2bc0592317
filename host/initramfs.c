// SPDX-License-Identifier: GPL-2.0-only
#include "host/initramfs.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/contract.h"
#include "lib/fileio.h"

#define AGENT_MAX (64u << 20)

static int put(FILE *f, const void *data, size_t len)
{
	errno = 0;
	if (fwrite(data, 1, len, f) == len)
		return 0;
	return errno ? -errno : -EIO;
}

static int pad4(FILE *f, size_t written)
{
	static const char zero[4];

	return put(f, zero, -written & 3);
}

/* Fields: ino mode uid gid nlink mtime filesize major minor rmajor rminor namesize check.
 * The time is 0, so that the same content makes the same archive. */
static int entry_write(FILE *f, u32 ino, const struct cpio_entry *c)
{
	size_t name = strlen(c->name) + 1;
	char header[111];
	int ret;

	if (c->len > UINT32_MAX)
		return -EFBIG;
	snprintf(header, sizeof(header),
		 "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", ino, c->mode, 0, 0,
		 S_ISDIR(c->mode) ? 2 : 1, 0, (u32)c->len, 0, 0, c->major, c->minor, (u32)name, 0);
	ret = put(f, header, 110);
	if (!ret)
		ret = put(f, c->name, name);
	if (!ret)
		ret = pad4(f, 110 + name);
	if (!ret && c->len)
		ret = put(f, c->data, c->len);
	return ret ? ret : pad4(f, c->len);
}

int cpio_write(FILE *f, const struct cpio_entry *entries, size_t n)
{
	static const struct cpio_entry trailer = {.name = "TRAILER!!!"};
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = entry_write(f, (u32)i + 1, &entries[i]);
		if (ret)
			return ret;
	}
	return entry_write(f, 0, &trailer);
}

/* The guest has no dynamic loader: PT_INTERP would end in a panic without a word why. */
static int agent_check(const char *path, unsigned int machine, const char *data, size_t len,
		       struct err *e)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	u32 i;

	if (len < sizeof(h))
		return err_set(e, -ENOEXEC, "%s: not a program", path);
	memcpy(&h, data, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_machine != machine || h.e_phentsize != sizeof(p))
		return err_set(e, -ENOEXEC, "%s: not a 64-bit program of the guest's machine",
			       path);
	for (i = 0; i < h.e_phnum; i++) {
		if (!range_ok(h.e_phoff, (u64)(i + 1) * sizeof(p), len))
			return err_set(e, -ENOEXEC, "%s: truncated", path);
		memcpy(&p, data + h.e_phoff + i * sizeof(p), sizeof(p));
		if (p.p_type == PT_INTERP)
			return err_set(e, -ENOEXEC, "%s: must be linked statically", path);
	}
	return 0;
}

int initramfs_write(const char *path, const char *agent, unsigned int machine,
		    const char *experiment, const struct cpio_entry *more, size_t n, struct err *e)
{
	struct cpio_entry *entries __cleanup_free = NULL;
	char *program __cleanup_free = NULL;
	FILE *f;
	size_t len;
	int ret;

	ret = file_read(agent, AGENT_MAX, &program, &len, e);
	if (ret == -ENOENT)
		return err_set(e, ret, "%s: the guest's agent is not built", agent);
	if (!ret)
		ret = agent_check(agent, machine, program, len, e);
	if (ret)
		return ret;

	const struct cpio_entry fixed[] = {
		{.name = "dev", .mode = S_IFDIR | 0755},
		{.name = "dev/console", .mode = S_IFCHR | 0600, .major = 5, .minor = 1},
		{.name = "dev/null", .mode = S_IFCHR | 0666, .major = 1, .minor = 3},
		{.name = "proc", .mode = S_IFDIR | 0755},
		{.name = "sys", .mode = S_IFDIR | 0755},
		{.name = &GUEST_MOUNT[1], .mode = S_IFDIR | 0755},
		{.name = &GUEST_EXPERIMENT[1],
		 .mode = S_IFREG | 0644,
		 .data = experiment,
		 .len = strlen(experiment)},
		{.name = "init", .mode = S_IFREG | 0755, .data = program, .len = len},
	};

	entries = xcalloc(ARRAY_SIZE(fixed) + n, sizeof(*entries));
	memcpy(entries, fixed, sizeof(fixed));
	if (n)
		memcpy(entries + ARRAY_SIZE(fixed), more, n * sizeof(*more));
	f = fopen(path, "we");
	if (!f)
		return err_errno(e, -errno, "%s", path);
	ret = cpio_write(f, entries, ARRAY_SIZE(fixed) + n);
	if (fclose(f) && !ret)
		ret = -errno;
	if (ret)
		return err_errno(e, ret, "%s: cannot be written", path);
	return 0;
}
