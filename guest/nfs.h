/* SPDX-License-Identifier: GPL-2.0-only */
/* A root file system over NFS, as the guest's client has it. */
#ifndef BP_GUEST_NFS_H
#define BP_GUEST_NFS_H

#include "lib/err.h"

/*
 * Brings the network up and mounts the server's export at @point, with the
 * readahead window @read_ahead_kb, which is read back.  Returns 0, or a negative
 * errno and a line.
 */
int nfs_mount(const char *point, u64 read_ahead_kb, struct err *e) __must_check;

/* READ calls that the server has answered, and the bytes of files in them. */
struct nfs_reads {
	u64 calls, bytes;
};

/* Of PID 1's NFS mount, since it was mounted.  Allocates nothing; faults nothing in. */
int nfs_reads(struct nfs_reads *r) __must_check;

/* The same from the text of /proc/PID/mountstats; -ENOENT without an NFS mount. */
int nfs_reads_parse(const char *text, struct nfs_reads *r) __must_check;

#endif
