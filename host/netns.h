/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A place for servers that a guest needs: user, network, mount and PID
 * namespaces of our own.  No privilege is needed for them, no port of the
 * machine's is taken, and all that was started in them ends with them, however
 * that comes about.
 */
#ifndef BP_NETNS_H
#define BP_NETNS_H

#include "lib/contract.h"
#include "lib/err.h"

/*
 * Where servers listen: an address of the namespace's loopback device.  Not in
 * 127.0.0.0/8, so that a guest can ask for it by the same address over QEMU's
 * user network, whose gateway hands it on: servers that tell their clients an
 * address, as Ceph's monitors do, must tell one that both can use.
 */
#define NETNS_ADDRESS HOST_ADDRESS

/*
 * Runs @fn(@arg) in a child that is PID 1 of the new namespaces and that is
 * root in there, and waits for it.  Returns what @fn returned, from 0 to 255,
 * with its line in @e; or a negative errno and a line if it could not run or
 * did not come to its end: -EPERM (namespaces are forbidden, with the setting
 * that forbids them), -EINTR.  What @fn changes in memory is lost; files stay.
 *
 * SIGINT, SIGTERM and SIGHUP reach @fn, too: interrupt_signal() is set there.
 */
int netns_run(int (*fn)(void *arg, struct err *e), void *arg, struct err *e) __must_check;

/*
 * The same without a user namespace, for what a kernel lets only the machine's
 * own root do, such as opening files by their handles.  The caller must be root.
 */
int netns_run_as_root(int (*fn)(void *arg, struct err *e), void *arg, struct err *e) __must_check;

#endif
