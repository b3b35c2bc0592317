/* SPDX-License-Identifier: GPL-2.0-only */
/* kconfigs/ fragments.  Internal to the kernel builder. */
#ifndef BP_KERNEL_CONFIG_H
#define BP_KERNEL_CONFIG_H

#include "host/arch.h"
#include "host/hash.h"
#include "lib/experiment.h"

struct config_option {
	char *name;  /* "CONFIG_SMP" */
	char *value; /* "y", "n" (is not set), "32", "\"text\"" */
	char *where; /* "kconfigs/base.config:6" */
	bool optional;
};

struct config {
	const struct arch *arch;       /* whose lines count; NULL: the default */
	struct config_option *options; /* the last one of a name counts */
	size_t n;
	char *text; /* all fragments, as Kconfig reads them */
};

/* Reads base.config and @spec's fragments for @arch from @data_dir/kconfigs. */
int config_load(const char *data_dir, const struct kernel_spec *spec, const struct arch *arch,
		struct config *c, struct err *e) __must_check;
void config_free(struct config *c);

/* Adds a fragment; @name is what messages call it. */
int config_parse(struct config *c, const char *text, const char *name, struct err *e) __must_check;

/* What a .config @text says of an option; "n" if nothing.  The caller frees it. */
char *config_value(const char *text, const char *name) __must_check;

/* Is all that was asked for in the .config @result?  -EINVAL with a line that names the first
 * option that is not, its fragment, what was asked for and what there is. */
int config_check(const struct config *c, const char *result, const char *kernel,
		 struct err *e) __must_check;

#endif
