/* SPDX-License-Identifier: GPL-2.0-only */
/* What an ELF file says of how it is to be loaded.  Internal to host/program.c. */
#ifndef BP_PROGRAM_ELF_H
#define BP_PROGRAM_ELF_H

#include "lib/err.h"

#define ELF_NEEDED_MAX 256

struct elf_info {
	unsigned int machine;
	bool executable; /* a program, not only a library */
	/* into the file's data: NUL-terminated there */
	const char *interpreter;
	const char *needed[ELF_NEEDED_MAX];
	size_t n_needed;
	const char *rpath, *runpath;
};

/*
 * Reads the headers of a 64-bit little-endian ELF file that is in memory as a
 * whole.  Every offset in it is checked.  -ENOEXEC and a line without the file's
 * name if it is none, or is damaged.
 */
int elf_read(struct elf_info *info, const void *data, size_t len, struct err *e) __must_check;

#endif
