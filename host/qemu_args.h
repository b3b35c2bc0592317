/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds QEMU's argument list.  Options such as -drive take a list of
 * key=value that commas separate; a comma inside a value is written twice.
 * Names that are given a meaning on the way can't be quoted at all, and are
 * refused here instead of becoming a different option in there.
 */
#ifndef BP_QEMU_ARGS_H
#define BP_QEMU_ARGS_H

#include "host/arch.h"

struct qemu_args {
	char **argv; /* NULL-terminated */
	size_t n;
	struct err error; /* the first rejection */
	int ret;
};

void qemu_args_init(struct qemu_args *a, const char *program);
void qemu_args_free(struct qemu_args *a);

/* "-flag" or "-flag" "value"; @flag without the dash, @value may be NULL. */
void qemu_arg(struct qemu_args *a, const char *flag, const char *value);

/* "-flag" with a list: qemu_list(), then one qemu_key() per key, in order. */
void qemu_list(struct qemu_args *a, const char *flag, const char *first);
void qemu_key(struct qemu_args *a, const char *key, const char *value);
/* "key=", for the few keys that mean something by it. */
void qemu_key_none(struct qemu_args *a, const char *key);
void qemu_key_num(struct qemu_args *a, const char *key, u64 value);

/* 0, or the first rejection with its line. */
int qemu_args_done(const struct qemu_args *a, struct err *e) __must_check;

/* The list as one line that a shell takes; the caller frees it. */
char *qemu_args_text(const struct qemu_args *a) __must_check;

struct qemu_guest {
	const struct arch *arch;
	const char *accel; /* "tcg" or "kvm" */
	unsigned int cpus;
	u64 memory; /* bytes, a multiple of 1 MiB */
	const char *kernel, *initrd, *append;
	const char *console; /* file that the serial console goes to */
	int port_fd;	     /* socket for the agent's frames, inherited */
	const char *disk;    /* raw image; NULL: no disk */
	bool disk_read_only;
	bool disk_write;	  /* what the guest writes is kept: it makes the disk */
	bool disk_scratch;	  /* the image is written to, and thrown away after the boot */
	unsigned int disk_sector; /* logical block size, bytes; 0: 512 */
	bool disk_direct;	  /* O_DIRECT works on it */
	const char *plan;	  /* a file that the guest gets as a second disk, or NULL */
	unsigned int queue_size;  /* 0: QEMU's default */
	const char *root;	  /* raw image of the root file system; NULL: none */
	bool net;		  /* a virtio-net device on QEMU's user network */
	const char *log;	  /* request log */
};

/* The whole list for one boot; 0 or a rejection with a line. */
int qemu_guest_args(struct qemu_args *a, const struct qemu_guest *g, struct err *e) __must_check;

/* What queue-size the device gets when the experiment says nothing (virtio-blk's default). */
#define QEMU_QUEUE_SIZE 256

#endif
