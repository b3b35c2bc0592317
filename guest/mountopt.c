// SPDX-License-Identifier: GPL-2.0-only
#include "guest/mountopt.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>

static const struct {
	const char *word;
	unsigned long flag;
} flag_words[] = {
	{"defaults", 0},
	{"rw", 0},
	{"ro", MS_RDONLY},
	{"noatime", MS_NOATIME},
	{"nodiratime", MS_NODIRATIME},
	{"relatime", MS_RELATIME},
	{"strictatime", MS_STRICTATIME},
	{"lazytime", MS_LAZYTIME},
	{"nosuid", MS_NOSUID},
	{"nodev", MS_NODEV},
	{"noexec", MS_NOEXEC},
	{"sync", MS_SYNCHRONOUS},
	{"dirsync", MS_DIRSYNC},
};

int mount_options(const char *options, unsigned long *flags, char *data, size_t size)
{
	size_t used = 0, len;
	unsigned int i;
	const char *p;

	*flags = 0;
	data[0] = '\0';
	for (p = options; *p; p += len + !!p[len]) {
		len = strcspn(p, ",");
		for (i = 0; i < ARRAY_SIZE(flag_words); i++)
			if (strlen(flag_words[i].word) == len &&
			    !memcmp(flag_words[i].word, p, len))
				break;
		if (i < ARRAY_SIZE(flag_words)) {
			*flags |= flag_words[i].flag;
			continue;
		}
		if (!len)
			continue;
		if (used + !!used + len + 1 > size)
			return -E2BIG;
		if (used)
			data[used++] = ',';
		memcpy(data + used, p, len);
		used += len;
		data[used] = '\0';
	}
	return 0;
}

void mount_options_writable(const char *options, char *out, size_t size)
{
	const char *p;
	size_t len, used = 0;

	*out = '\0';
	for (p = options; *p; p += len + (p[len] == ',')) {
		len = strcspn(p, ",");
		if ((len == 2 && !memcmp(p, "ro", 2)) || used + len + 2 > size)
			continue;
		if (used)
			out[used++] = ',';
		memcpy(out + used, p, len);
		used += len;
		out[used] = '\0';
	}
}
