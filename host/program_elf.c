// SPDX-License-Identifier: GPL-2.0-only
#include "host/program_elf.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/*
 *   Elf64_Ehdr | e_phoff: e_phnum Elf64_Phdr | ...
 *     PT_INTERP   the interpreter's path, with NUL
 *     PT_DYNAMIC  Elf64_Dyn {tag, value} up to DT_NULL; strings are offsets into
 *                 the table at address DT_STRTAB, which a PT_LOAD maps
 */
struct reader {
	const u8 *data;
	size_t len;
	Elf64_Ehdr h;
	struct err *e;
};

static int damaged(const struct reader *r, const char *what)
{
	return err_set(r->e, -ENOEXEC, "a damaged ELF file: %s lies outside of it", what);
}

static int header(const struct reader *r, u32 i, Elf64_Phdr *p)
{
	if (!range_ok(r->h.e_phoff, (u64)(i + 1) * sizeof(*p), r->len))
		return damaged(r, "a program header");
	memcpy(p, r->data + r->h.e_phoff + (size_t)i * sizeof(*p), sizeof(*p));
	return 0;
}

/* The string at @at, which must end before @end. */
static const char *string_at(const struct reader *r, u64 at, u64 end)
{
	if (at >= end || end > r->len || !memchr(r->data + at, '\0', end - at))
		return NULL;
	return (const char *)r->data + at;
}

/* Where the byte at address @va is in the file; UINT64_MAX if nowhere. */
static u64 file_offset(const struct reader *r, u64 va)
{
	Elf64_Phdr p;

	for (u32 i = 0; i < r->h.e_phnum; i++)
		if (!header(r, i, &p) && p.p_type == PT_LOAD && va >= p.p_vaddr &&
		    va - p.p_vaddr < p.p_filesz && range_ok(p.p_offset, p.p_filesz, r->len))
			return p.p_offset + (va - p.p_vaddr);
	return UINT64_MAX;
}

static int read_dynamic(struct elf_info *info, const struct reader *r, const Elf64_Phdr *p)
{
	u64 strings = UINT64_MAX, size = 0;
	size_t n = p->p_filesz / sizeof(Elf64_Dyn);
	const char *s;
	Elf64_Dyn d;

	if (!range_ok(p->p_offset, p->p_filesz, r->len))
		return damaged(r, "the dynamic section");
	for (size_t i = 0; i < n; i++) {
		memcpy(&d, r->data + p->p_offset + i * sizeof(d), sizeof(d));
		if (d.d_tag == DT_NULL)
			n = i;
		else if (d.d_tag == DT_STRTAB)
			strings = file_offset(r, d.d_un.d_ptr);
		else if (d.d_tag == DT_STRSZ)
			size = d.d_un.d_val;
	}
	if (strings == UINT64_MAX || !range_ok(strings, size, r->len))
		return damaged(r, "the table of strings");
	for (size_t i = 0; i < n; i++) {
		memcpy(&d, r->data + p->p_offset + i * sizeof(d), sizeof(d));
		if (d.d_tag != DT_NEEDED && d.d_tag != DT_RPATH && d.d_tag != DT_RUNPATH)
			continue;
		s = d.d_un.d_val < size ? string_at(r, strings + d.d_un.d_val, strings + size)
					: NULL;
		if (!s)
			return damaged(r, "the name of a library");
		if (d.d_tag == DT_RPATH)
			info->rpath = s;
		else if (d.d_tag == DT_RUNPATH)
			info->runpath = s;
		else if (info->n_needed == ELF_NEEDED_MAX)
			return err_set(r->e, -ENOEXEC, "more than %d libraries", ELF_NEEDED_MAX);
		else
			info->needed[info->n_needed++] = s;
	}
	return 0;
}

int elf_read(struct elf_info *info, const void *data, size_t len, struct err *e)
{
	struct reader r = {.data = data, .len = len, .e = e};
	Elf64_Phdr p;
	int ret = 0;

	memset(info, 0, sizeof(*info));
	if (len >= 2 && !memcmp(data, "#!", 2))
		return err_set(e, -ENOEXEC, "a script: the guest has no interpreter for it");
	if (len < sizeof(r.h) || memcmp(data, ELFMAG, SELFMAG))
		return err_set(e, -ENOEXEC, "not an ELF program");
	memcpy(&r.h, data, sizeof(r.h));
	if (r.h.e_ident[EI_CLASS] != ELFCLASS64 || r.h.e_ident[EI_DATA] != ELFDATA2LSB ||
	    r.h.e_phentsize != sizeof(p))
		return err_set(e, -ENOEXEC, "not a 64-bit little-endian program");
	info->machine = r.h.e_machine;
	for (u32 i = 0; i < r.h.e_phnum && !ret; i++) {
		ret = header(&r, i, &p);
		if (!ret && p.p_type == PT_INTERP) {
			info->interpreter =
				range_ok(p.p_offset, p.p_filesz, len)
					? string_at(&r, p.p_offset, p.p_offset + p.p_filesz)
					: NULL;
			if (!info->interpreter)
				ret = damaged(&r, "the interpreter's name");
		}
		if (!ret && p.p_type == PT_DYNAMIC)
			ret = read_dynamic(info, &r, &p);
	}
	info->executable = r.h.e_type == ET_EXEC || (r.h.e_type == ET_DYN && r.h.e_entry);
	return ret;
}
