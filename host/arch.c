// SPDX-License-Identifier: GPL-2.0-only
#include "host/arch.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/experiment.h"

/* Debian's cross toolchain has its libraries below /usr/TRIPLET */
#define ARM64                                                                                      \
	.machine = "aarch64", .elf = EM_AARCH64, .karch = "arm64", .cross = "aarch64-linux-gnu-",  \
	.image = "Image", .boot = "arch/arm64/boot", .qemu = "qemu-system-aarch64",                \
	.qemu_package = "qemu-system-arm", .console = "ttyAMA0", .set = "arm64", .build = "arm64", \
	.lib_dirs = "/usr/aarch64-linux-gnu/lib:/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu"

const struct arch archs[] = {
	{
		.name = "x86_64",
		.machine = "x86_64",
		.elf = EM_X86_64,
		.cross = "",
		.tiny = "arch/x86/configs/tiny.config",
		.image = "bzImage",
		.boot = "arch/x86/boot",
		.page_size = 4096,
		.qemu = "qemu-system-x86_64",
		.qemu_package = "qemu-system-x86",
		.console = "ttyS0",
		.build = "",
	},
	{.name = "arm64", .page_size = 4096, ARM64},
	{.name = "arm64-64k", .page_size = 65536, ARM64},
};
const size_t n_archs = ARRAY_SIZE(archs);

const struct arch *arch_find(const char *name, struct err *e)
{
	const char *names[ARRAY_SIZE(archs)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
		names[i] = archs[i].name;
		if (!strcmp(name, archs[i].name))
			return &archs[i];
	}
	near = nearest_word(name, names, ARRAY_SIZE(names));
	err_set(e, -EINVAL, "--arch '%s': expected x86_64, arm64 or arm64-64k%s%s%s", name,
		near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return NULL;
}

bool arch_is_host(const struct arch *a)
{
	struct utsname u;

	return !uname(&u) && !strcmp(u.machine, a->machine);
}
