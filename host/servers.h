/* SPDX-License-Identifier: GPL-2.0-only */
/* A boot together with the servers on the host that its experiment needs. */
#ifndef BP_SERVERS_H
#define BP_SERVERS_H

#include "host/qemu_run.h"

/* Does the experiment need any?  Then its boots run within netns_run(). */
bool servers_needed(const struct experiment *exp);

/* Only the machine's own root can run them: netns_run_as_root(). */
bool servers_need_root(const struct experiment *exp);

/*
 * Are the programs of the servers there?  *@version (NULL if none are needed)
 * is for the caller to free.  -ENOPKG and a line that names the package;
 * -EPERM and a line that says what they may not do.
 */
int servers_check(const struct experiment *exp, char **version, struct err *e) __must_check;

/* Memory that they take, in bytes. */
u64 servers_memory(const struct experiment *exp);

/* boot_run() with servers that start before it, fresh, and that are gone after it. */
enum status servers_boot(struct boot *b, struct err *e) __must_check;

#endif
