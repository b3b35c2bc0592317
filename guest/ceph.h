/* SPDX-License-Identifier: GPL-2.0-only */
/* The test file on CephFS. */
#ifndef BP_GUEST_CEPH_H
#define BP_GUEST_CEPH_H

#include "guest/agent.h"

/* Brings up the network, and writes the test file through a mount that is then gone. */
int ceph_setup(struct agent *a, struct err *e) __must_check;

/*
 * Mounts the file system once for each client of @phase and points a->files at
 * the test file in each.  *@counted: client instances that the kernel has.
 */
int ceph_mount_clients(struct agent *a, const struct phase *phase, unsigned int *counted,
		       struct err *e) __must_check;
int ceph_unmount_clients(struct agent *a, struct err *e) __must_check;

/* Requests to OSDs that no client has an answer to yet; -errno if the kernel does not say. */
int ceph_in_flight(void);

#endif
