/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's network. */
#ifndef BP_GUEST_NET_H
#define BP_GUEST_NET_H

#include "lib/err.h"

/*
 * Brings up the loopback device and the one network card, on QEMU's user
 * network, with a route to everything through its gateway.  Waits up to 3 s
 * for the card.  Returns 0, or a negative errno and a line.
 */
int net_setup(struct err *e) __must_check;

#endif
