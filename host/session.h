/* SPDX-License-Identifier: GPL-2.0-only */
/* One invocation that boots guests: what was asked for, and what was made of it. */
#ifndef BP_SESSION_H
#define BP_SESSION_H

#include "host/accel.h"
#include "host/images.h"
#include "host/options.h"
#include "host/program.h"
#include "host/project.h"
#include "host/replay.h"
#include "host/run_dir.h"
#include "host/source_commit.h"

/* An experiment as it is run: with --sweep there is one for each value, else one. */
struct point {
	char *value; /* of the swept key; NULL: there is none */
	char *name;  /* its directory in the run, "read_ahead_kb=128"; NULL: the run itself */
	char *dir;   /* where its captures go, once the run's directory is open */
	struct experiment *exp;
	char *disk;
};

struct session {
	struct options opt;
	struct project project;
	struct experiment *exp; /* that of the first point */
	struct point *points;
	unsigned int n_points;
	struct program_files programs; /* of the experiment's phases, for the initramfs */
	struct replay replay;	       /* with --replay */
	struct commits commits;	       /* with --commits */
	struct kernel_image **images;  /* by exp->kernels, which all points share */
	struct accel accel;
	struct run_dir dir;
	char *cache, *qemu, *servers, *bisect_traces;
	char *plan;	  /* the run's copy, with --replay */
	char *root;	  /* image of the root file system, which all points share; NULL: none */
	int cache_in_use; /* -1: not yet */
	enum status fill_status; /* of a boot that was to make a test disk, if it failed */
};

/* Looks at what was asked for as a whole, before anything is made. */
enum status session_validate(struct session *s, struct err *e) __must_check;

/* Kernels, test disks, accelerator. */
enum status session_prepare(struct session *s, struct err *e) __must_check;

void session_free(struct session *s);

/* Does a point's file system need servers beside its guests? */
bool session_needs_servers(const struct session *s);
/* And do those need the machine's own root? */
bool session_needs_root(const struct session *s);

/*
 * Boots @kernel (its index in the experiment) once; the capture goes to the
 * point's directory.  @repeat counts from 1.  On failure the console's last
 * lines have been shown.
 */
enum status session_boot(struct session *s, const struct point *p, unsigned int kernel,
			 unsigned int repeat, struct err *e) __must_check;

/* All boots of the run, in turns, so that what drifts on the host meets every kernel. */
enum status session_boot_all(struct session *s, struct err *e) __must_check;

/* Boots the first kernel, which writes the test file of @p into @image; work goes to @dir. */
int session_fill(struct session *s, const struct point *p, const char *image, const char *dir,
		 struct err *e) __must_check;

#endif
