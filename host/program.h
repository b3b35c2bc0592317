/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program of the user's, with what it needs to run in a guest that has nothing:
 * its ELF interpreter, and the shared libraries that it and they name (DT_NEEDED),
 * found as ld.so(8) finds them.  Nothing is executed to find out.  What a program
 * loads later with dlopen() is not known.
 */
#ifndef BP_PROGRAM_H
#define BP_PROGRAM_H

#include "host/initramfs.h"

/* Files and the directories that they need, as entries of an initramfs. */
struct program_files {
	struct cpio_entry *entries; /* parents first; names and data are owned */
	size_t n;
	u64 bytes;
};

/* An ELF machine, EM_X86_64 or EM_AARCH64. */
struct program_target {
	unsigned int machine;
	const char *extra_dirs; /* searched last, separated by ':'; or NULL */
};

/*
 * Adds the program @path, as PROGRAM_DIR/NAME, and its libraries to @f.  -ENOEXEC and
 * a line for what the guest can't run: a script, another machine's program; -ENOENT for
 * a library that is not there.
 */
int program_add(struct program_files *f, const char *path, const struct program_target *t,
		struct err *e) __must_check;
void program_free(struct program_files *f);

/* Where the program @path is in the guest; the caller frees it. */
char *program_guest_path(const char *path) __must_check;

#endif
