/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BP_COMMAND_H
#define BP_COMMAND_H

/*
 * The program without main(), so that tests can run all of it.  The report
 * goes to standard output or --output, messages to standard error; returns
 * the exit status.
 */
int verify_main(int argc, char **argv);

#endif
