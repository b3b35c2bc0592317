/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Ceph cluster of the run's own: a monitor, OSDs and a metadata server, the
 * real programs, for one boot.  It must be started within netns_run().
 */
#ifndef BP_CEPH_H
#define BP_CEPH_H

#include <jansson.h>

#include "lib/experiment.h"

struct ceph_spec {
	unsigned int osds, replicas;
	enum osd_store store;
	u64 file_size; /* bytes of the one file that it must hold */
};

struct ceph_spec ceph_spec_of(const struct experiment *exp);

/*
 * Are the programs there?  *@version is Ceph's ("16.2.15"), for the caller to
 * free.  -ENOPKG and a line that names what is missing and its package.
 */
int ceph_version(char **version, struct err *e) __must_check;

/* Memory that the daemons may take together, and the objects with a memstore; bytes. */
u64 ceph_memory(const struct ceph_spec *s);

/* ceph.conf's text, which the caller frees; paths in it are relative to the cluster's directory. */
char *ceph_conf(const struct ceph_spec *s, const char *fsid) __must_check;

/*
 * The last lines of a daemon's log as one line, "" if it said nothing; the caller frees it.
 * Lines about what we ask over its admin socket are left out.
 */
char *ceph_log_tail(const char *path) __must_check;

struct ceph;

/*
 * Starts the daemons in the new directory @dir and waits until the file system
 * can be mounted.  Returns 0, or a negative errno and a line that quotes the
 * log of the daemon that is to blame.  ceph_stop() in either case.
 */
int ceph_start(struct ceph **c, const struct ceph_spec *s, const char *dir,
	       struct err *e) __must_check;

/* Do all daemons run?  If not, -ECHILD and a line with the end of the log. */
int ceph_check(struct ceph *c, struct err *e) __must_check;

/* "perf dump" of every OSD, as {"osd.0": {...}, ...}; the caller owns it. */
int ceph_counters(struct ceph *c, json_t **out, struct err *e) __must_check;

/* Ends the daemons and removes the directory; safe on NULL. */
void ceph_stop(struct ceph *c);

#endif
