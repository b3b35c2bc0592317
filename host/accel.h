/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM or TCG.  /dev/kvm can open, make a VM and even run code in it, and still
 * no Linux guest ever boots (seen under nested virtualisation), so the only
 * proof that is accepted is a guest that says so before a deadline.
 */
#ifndef BP_ACCEL_H
#define BP_ACCEL_H

#include "lib/err.h"

enum accel_asked { ACCEL_AUTO, ACCEL_KVM, ACCEL_TCG };
extern const char *const accel_names[]; /* by enum accel_asked; NULL-terminated */

struct accel {
	enum accel_asked asked;
	const char *use;  /* "kvm" or "tcg" */
	char reason[256]; /* why; for people, and for run.json */
	bool proved;	  /* a guest has booted with it in this run */
};

/* How long a guest under KVM may take until the agent's first frame. */
#define ACCEL_KVM_TIMEOUT_S 10

/*
 * Chooses; guests that are not @native to this machine run on TCG.  With ACCEL_AUTO, what an
 * earlier run found since this machine was booted is believed; @cache holds it.  Returns 0, or with
 * ACCEL_KVM -ENODEV and a line if /dev/kvm can't be opened, or runs no such guests.
 */
int accel_choose(struct accel *a, enum accel_asked asked, bool native, const char *cache,
		 struct err *e) __must_check;

/*
 * A guest did not boot under a->use, for the reason @why.  Returns true if it makes sense to try
 * again, with a->use and a->reason changed: KVM was only tried, and it is the
 * first boot.  Remembers it in @cache.
 */
bool accel_fall_back(struct accel *a, const char *cache, const char *why);

/* For tests: the same with other files for /dev/kvm and the boot's id. */
int accel_choose_from(struct accel *a, enum accel_asked asked, bool native, const char *cache,
		      const char *kvm, const char *boot_id, struct err *e) __must_check;
bool accel_fall_back_from(struct accel *a, const char *cache, const char *boot_id, const char *why);

#endif
