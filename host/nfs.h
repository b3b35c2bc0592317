/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A root file system over NFS: nfs-ganesha, NFSv4 only, which needs no portmapper,
 * within the namespaces of netns_run_as_root().
 */
#ifndef BP_NFS_H
#define BP_NFS_H

#include "lib/err.h"

struct nfs;

/* "4.3" of the installed server; -ENOPKG and a line without one.  The caller frees it. */
int nfs_version(char **version, struct err *e) __must_check;

/*
 * May this process serve?  -EPERM and a line if not: it takes the machine's own
 * root, or at least CAP_DAC_READ_SEARCH in the first user namespace.
 */
int nfs_may_serve(struct err *e) __must_check;

/* Memory that the exported tree takes, in bytes: it is in there as a whole. */
#define NFS_MEMORY (1ull << 30)

/*
 * Unpacks the archive @tar into a tmpfs below @dir, which it makes, so that each
 * boot has a tree of its own to write into, and serves it as GUEST_NFS_EXPORT.
 * Call it within netns_run_as_root().  Returns 0; on error a negative errno and a line,
 * and nfs_stop() is still to be called.
 */
int nfs_start(struct nfs **out, const char *tar, const char *dir, struct err *e) __must_check;

/* Does the server still run?  -ECHILD and a line if not. */
int nfs_check(struct nfs *n, struct err *e) __must_check;

/* Ends the server and frees everything; NULL is allowed. */
void nfs_stop(struct nfs *n);

#endif
