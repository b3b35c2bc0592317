// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function for GNU make (info make, "Loading Dynamic Objects"): $(exec-instead TEXT)
 * runs TEXT in a shell in place of make itself.
 *
 * git bisect run takes 0 for good, 125 for a commit that can't be judged, and 1 to
 * 127 otherwise for bad.  make ends with 2 whatever its recipe's status was, so a
 * commit that does not build would be called bad.  Only a process that is no longer
 * make can end with another status.
 */
#include <gnumake.h>
#include <stdio.h>
#include <unistd.h>

int plugin_is_GPL_compatible;

int make_exec_gmk_setup(void);

static char *exec_instead(const char *name, unsigned int argc, char **argv)
{
	(void)argc;
	execl("/bin/sh", "sh", "-c", argv[0], (char *)NULL);
	perror(name);
	/* not a status that git would take for a verdict */
	_exit(128);
}

int make_exec_gmk_setup(void)
{
	gmk_add_function("exec-instead", exec_instead, 1, 1, GMK_FUNC_DEFAULT);
	return 1;
}
