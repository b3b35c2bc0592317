// SPDX-License-Identifier: GPL-2.0-only
#include "host/accel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/fileio.h"

#define KVM_DEVICE "/dev/kvm"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define REMEMBERED "kvm-does-not-boot" /* in the cache: the id of the boot it was found in */

const char *const accel_names[] = {
	[ACCEL_AUTO] = "auto",
	[ACCEL_KVM] = "kvm",
	[ACCEL_TCG] = "tcg",
	NULL,
};

static bool known_broken(const char *cache, const char *boot_id)
{
	char *path __cleanup_free = xasprintf("%s/" REMEMBERED, cache);
	char *then __cleanup_free = NULL;
	char *now __cleanup_free = NULL;
	struct err ignored;

	return !file_read(path, 4096, &then, NULL, &ignored) &&
	       !file_read(boot_id, 4096, &now, NULL, &ignored) && !strcmp(then, now);
}

int accel_choose_from(struct accel *a, enum accel_asked asked, bool native, const char *cache,
		      const char *kvm, const char *boot_id, struct err *e)
{
	int fd __cleanup_close = -1;

	memset(a, 0, sizeof(*a));
	a->asked = asked;
	a->use = "tcg";
	if (asked == ACCEL_TCG) {
		snprintf(a->reason, sizeof(a->reason), "asked for");
		return 0;
	}
	if (!native && asked == ACCEL_KVM)
		return err_set(e, -ENODEV,
			       "KVM was asked for, but it runs only guests of this machine's own "
			       "architecture");
	if (!native) {
		snprintf(a->reason, sizeof(a->reason), "the guest is of another architecture");
		return 0;
	}
	fd = open(kvm, O_RDWR | O_CLOEXEC);
	if (asked == ACCEL_KVM) {
		if (fd < 0)
			return err_set(e, -ENODEV, "KVM was asked for, but %s: %s", kvm,
				       strerror(errno));
		a->use = "kvm";
		snprintf(a->reason, sizeof(a->reason), "asked for");
		return 0;
	}
	if (fd < 0) {
		snprintf(a->reason, sizeof(a->reason), "%s: %s", kvm, strerror(errno));
	} else if (known_broken(cache, boot_id)) {
		snprintf(a->reason, sizeof(a->reason),
			 "%s opens, but no guest booted on it since this machine was started", kvm);
	} else {
		a->use = "kvm";
		snprintf(a->reason, sizeof(a->reason), "a guest booted on it");
	}
	return 0;
}

bool accel_fall_back_from(struct accel *a, const char *cache, const char *boot_id, const char *why)
{
	char *path __cleanup_free = xasprintf("%s/" REMEMBERED, cache);
	char *id __cleanup_free = NULL;
	struct err ignored;
	size_t len;

	if (a->asked != ACCEL_AUTO || strcmp(a->use, "kvm") || a->proved)
		return false;
	a->use = "tcg";
	snprintf(a->reason, sizeof(a->reason), KVM_DEVICE " opens, but no guest boots on it: %s",
		 why);
	/* only a saving of time: without it, the next run tries again */
	if (file_read(boot_id, 4096, &id, &len, &ignored) ||
	    file_write_atomic(path, id, len, &ignored))
		return true;
	return true;
}

int accel_choose(struct accel *a, enum accel_asked asked, bool native, const char *cache,
		 struct err *e)
{
	return accel_choose_from(a, asked, native, cache, KVM_DEVICE, BOOT_ID, e);
}

bool accel_fall_back(struct accel *a, const char *cache, const char *why)
{
	return accel_fall_back_from(a, cache, BOOT_ID, why);
}
