/* SPDX-License-Identifier: GPL-2.0-only */
/* One boot: QEMU is started, watched and ended. */
#ifndef BP_QEMU_RUN_H
#define BP_QEMU_RUN_H

#include "host/arch.h"
#include "host/initramfs.h"
#include "host/qemu_args.h"
#include "host/recording.h"
#include "host/status.h"

/* Servers on the host that the guest needs. */
struct boot_servers {
	/* Do they still run?  A negative errno and a line if not. */
	int (*check)(void *ctx, struct err *e);
	/* Their counters, for FRAME_COUNTERS; the caller owns them. */
	int (*counters)(void *ctx, json_t **out, struct err *e);
};

struct boot {
	/* in */
	const struct experiment *exp;
	const struct arch *arch;
	const char *label;		    /* "base 1/1", for progress lines */
	const char *image, *cmdline;	    /* kernel; what is added to its command line */
	const char *agent, *disk;	    /* disk NULL: none */
	bool scratch;			    /* @disk is written to */
	unsigned int sector;		    /* its logical block size; 0: 512 */
	const struct boot_servers *servers; /* NULL: none, and no network */
	void *servers_ctx;
	const char *root;		/* image of a root file system, or NULL */
	const char *plan;		/* a file that is replayed, or NULL */
	const char *accel;		/* "tcg" or "kvm" */
	const char *dir;		/* the capture's: the console goes there */
	const char *work;		/* temporary files */
	unsigned int alive_timeout_s;	/* until the agent's first frame */
	const struct cpio_entry *files; /* more for the initramfs: users' programs */
	size_t n_files;
	bool fill; /* no phases: the guest writes the test file to @disk, which is kept */
	bool verbose;
	/* out; freed by boot_free() */
	struct recording rec;
	struct qemu_args args;
	char *log;    /* QEMU's request log, in @work */
	u64 alive_ns; /* from the start of QEMU to the agent's first frame */
	u64 total_ns;
};

#define ALIVE_TIMEOUT_S 60

/*
 * Runs it to its end; nothing that it started is left.  STATUS_OK: the agent
 * has sent everything.  Otherwise a line says what happened and in which phase.
 */
enum status boot_run(struct boot *b, struct err *e) __must_check;
void boot_free(struct boot *b);

/* "8.2.1" of the QEMU for @arch; -ENOPKG and a line if there is none.  The caller frees it. */
int qemu_version(const struct arch *arch, char **version, struct err *e) __must_check;

#endif
