/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kernel image that somebody else has built says of its configuration. */
#ifndef BP_IMAGE_CONFIG_H
#define BP_IMAGE_CONFIG_H

#include "lib/experiment.h"

/*
 * The .config inside of the kernel image @path, a bzImage or arm64's Image or Image.gz,
 * (CONFIG_IKCONFIG).  Returns 1 and the text, which the caller frees; 0 if it carries none, or is
 * compressed with what is not understood here; or a negative errno and a line for a file that can't
 * be read.
 */
int image_config(const char *path, char **text, struct err *e) __must_check;

/*
 * The version that the arm64 kernel at @path, an Image or an Image.gz, says in its banner;
 * -ENOEXEC and a line if it is none.  The caller frees *@version.
 */
int image_arm64_version(const char *path, char **version, struct err *e) __must_check;

/*
 * Does the configuration @text have what the experiment's guests need, built in?
 * -EINVAL and a line that names the first option that is missing, and what needs it.
 */
int image_config_check(const char *path, const char *text, const struct experiment *exp,
		       struct err *e) __must_check;

/* The option that the experiment's I/O scheduler needs; NULL if none. */
const char *scheduler_option(const struct experiment *exp);

#endif
