/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between guests of different architectures; one table. */
#ifndef BP_ARCH_H
#define BP_ARCH_H

#include "lib/err.h"

struct arch {
	const char *name;    /* --arch, and in "#@" lines of kconfigs/ */
	const char *machine; /* uname -m, of the guest; and of a host that can run it on KVM */
	unsigned int elf;    /* EM_ of its programs */
	/* the kernel */
	const char *karch; /* ARCH=; NULL: make's default on an x86 host */
	const char *cross; /* CROSS_COMPILE=, and in front of gcc and ld; "" if none */
	const char *tiny;  /* its part of tinyconfig in the tree, or NULL */
	const char *image; /* make's target, and the image's name in the cache */
	const char *boot;  /* the directory that make leaves it in */
	u32 page_size;	   /* that the kernel is built with, bytes; guests say their own */
	/* the guest */
	const char *qemu, *qemu_package;
	const char *console;  /* its tty */
	const char *set;      /* of host/deps.sh; NULL: run has it all */
	const char *build;    /* agent in build/, the suffix of an installed one; "" */
	const char *lib_dirs; /* libraries of users' programs are there too; or NULL */
};

extern const struct arch archs[];
extern const size_t n_archs;
#define ARCH_DEFAULT (&archs[0])

/* The architecture of that name; NULL, and a line that says which there are. */
const struct arch *arch_find(const char *name, struct err *e) __must_check;

/* Do guests of @a run on the KVM of this machine? */
bool arch_is_host(const struct arch *a);

#endif
