// SPDX-License-Identifier: GPL-2.0-only
#include "host/images.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "host/hash.h"
#include "host/image_config.h"
#include "host/kernel_config.h"
#include "lib/fileio.h"

/*
 * The kernel's Documentation/arch/x86/boot.rst: "HdrS" at 0x202, and at 0x20e
 * the offset, less 0x200, of a string with the version.
 */
static int bzimage_version(const char *path, char **version, struct err *e)
{
	int fd __cleanup_close = open(path, O_RDONLY | O_CLOEXEC);
	char text[64];
	u8 h[0x210];
	ssize_t n;
	u16 at;

	if (fd < 0)
		return err_errno(e, -errno, "%s", path);
	n = fd_read_full(fd, h, sizeof(h));
	if (n != sizeof(h) || memcmp(h + 0x202, "HdrS", 4))
		return err_set(e, -ENOEXEC, "%s is no bzImage", path);
	at = (u16)(h[0x20e] | h[0x20f] << 8);
	n = at ? pread(fd, text, sizeof(text) - 1, at + 0x200) : 0;
	text[n > 0 ? n : 0] = '\0';
	for (n = 0; isgraph((unsigned char)text[n]); n++)
		;
	text[n] = '\0';
	*version = xstrdup(n ? text : "unknown");
	return 0;
}

int image_version(const char *path, const struct arch *arch, char **version, struct err *e)
{
	return arch == ARCH_DEFAULT ? bzimage_version(path, version, e)
				    : image_arm64_version(path, version, e);
}

static const char * override(const struct options *o, const char *kernel)
{
	unsigned int i;

	for (i = 0; i < o->n_images; i++)
		if (!strcmp(o->images[i].kernel, kernel))
			return o->images[i].path;
	return NULL;
}

static struct kernel_request request(const struct options *o, const struct kernel_spec *spec,
				     const char *data_dir)
{
	return (struct kernel_request){
		.spec = spec,
		.arch = o->arch,
		.data_dir = data_dir,
		.patch_override = o->series ? o->series : o->patch,
		.verbose = o->verbose,
	};
}

static enum status status_of(enum kernel_result r)
{
	switch (r) {
	case KERNEL_OK:
		return STATUS_OK;
	case KERNEL_BAD_REQUEST:
		return STATUS_USAGE;
	case KERNEL_NO_SPACE:
	case KERNEL_TOOLS_MISSING:
		return STATUS_RESOURCES;
	case KERNEL_INTERRUPTED:
		return STATUS_INTERRUPTED;
	default:
		return STATUS_KERNEL;
	}
}

/* An image that carries no configuration is tried: the guest then says what failed. */
static enum status image_check(const char *path, const struct experiment *exp, struct err *e)
{
	char *config __cleanup_free = NULL;
	int ret = image_config(path, &config, e);

	if (ret > 0)
		ret = image_config_check(path, config, exp, e);
	if (ret == -EINTR)
		return STATUS_INTERRUPTED;
	return ret ? STATUS_USAGE : STATUS_OK;
}

/* Of the schedulers, our kernels have only those that the fragments name. */
static int scheduler_check(const struct experiment *exp, const struct kernel_spec *spec,
			   const struct arch *arch, const char *data_dir, struct err *e)
{
	const char *option = scheduler_option(exp);
	struct config c;
	bool has = false;
	int ret;

	if (!option)
		return 0;
	ret = config_load(data_dir, spec, arch, &c, e);
	if (ret)
		return ret;
	for (size_t i = 0; i < c.n; i++)
		if (!strcmp(c.options[i].name, option))
			has = !strcmp(c.options[i].value, "y");
	config_free(&c);
	if (has)
		return 0;
	return err_set(
		e, -EINVAL,
		"scheduler '%s': kernel %s is built without %s; a fragment in kconfigs/ that "
		"its config names can add it",
		exp->scheduler, spec->name, option);
}

enum status images_check(const struct options *o, const struct experiment *exp,
			 const char *data_dir, struct err *e)
{
	struct kernel_request req;
	char *version = NULL;
	unsigned int i, j;
	enum status status;

	for (i = 0; i < o->n_images; i++) {
		for (j = 0; j < exp->n_kernels; j++)
			if (!strcmp(o->images[i].kernel, exp->kernels[j].name))
				break;
		if (j == exp->n_kernels) {
			err_set(e, -EINVAL, "--image: experiment %s has no kernel '%s'", exp->name,
				o->images[i].kernel);
			return STATUS_USAGE;
		}
		if (image_version(o->images[i].path, o->arch, &version, e))
			return STATUS_USAGE;
		free(version);
		status = image_check(o->images[i].path, exp, e);
		if (status)
			return status;
	}
	for (i = 0; i < exp->n_kernels; i++) {
		if (override(o, exp->kernels[i].name))
			continue;
		req = request(o, &exp->kernels[i], data_dir);
		status = status_of(kernel_check(&req, e));
		if (!status && scheduler_check(exp, &exp->kernels[i], o->arch, data_dir, e))
			status = STATUS_USAGE;
		if (status)
			return status;
	}
	return STATUS_OK;
}

/* What is known about a file that somebody else has built. */
static enum status from_file(const char *path, const struct arch *arch, struct kernel_image **img,
			     struct err *e)
{
	struct kernel_image *k = xcalloc(1, sizeof(*k));
	const char *name = strrchr(path, '/');
	char *config __cleanup_free = NULL;

	*img = k;
	k->path = xstrdup(path);
	k->source = xasprintf("image %s", name ? name + 1 : path);
	k->sha256 = xmalloc(HASH_HEX);
	if (image_version(path, arch, &k->version, e) || hash_file(path, k->sha256, e))
		return STATUS_KERNEL;
	if (image_config(path, &config, e) > 0) {
		k->config_hash = xmalloc(HASH_HEX);
		hash_bytes(config, strlen(config), k->config_hash);
	}
	return STATUS_OK;
}

/*
 * A patch of something that this config does not build changes nothing: every
 * difference between the kernels' verdicts would then be chance.
 */
static void warn_same_images(const struct experiment *exp, struct kernel_image **images)
{
	for (unsigned int i = 1; i < exp->n_kernels; i++)
		if (images[i]->sha256 && images[0]->sha256 &&
		    !strcmp(images[i]->sha256, images[0]->sha256) &&
		    !strcmp(exp->kernels[i].cmdline, exp->kernels[0].cmdline))
			fprintf(stderr,
				"boot-and-trace: warning: the images of %s and %s are the same: "
				"the patch changes nothing that this config builds\n",
				exp->kernels[0].name, exp->kernels[i].name);
}

enum status images_get(const struct options *o, const struct experiment *exp, const char *data_dir,
		       struct kernel_image **images, struct err *e)
{
	struct kernel_source *src = NULL;
	struct kernel_request req;
	enum status status = STATUS_OK;
	const char *path;
	unsigned int i;

	/* a patch that does not apply is said before minutes are spent on the other kernel */
	for (i = 0; i < exp->n_kernels && !status; i++) {
		if (override(o, exp->kernels[i].name))
			continue;
		req = request(o, &exp->kernels[i], data_dir);
		if (!src)
			status = status_of(
				o->base_commit ? kernel_source_open_commit(o->kdir, o->base_commit,
									   o->verbose, &src, e)
					       : kernel_source_open(o->kdir, o->verbose, &src, e));
		if (!status)
			status = status_of(kernel_check_apply(src, &req, e));
	}
	for (i = 0; i < exp->n_kernels && !status; i++) {
		path = override(o, exp->kernels[i].name);
		req = request(o, &exp->kernels[i], data_dir);
		status = path ? from_file(path, o->arch, &images[i], e)
			      : status_of(kernel_get(src, &req, &images[i], e));
	}
	if (src)
		kernel_source_close(src);
	if (!status)
		warn_same_images(exp, images);
	return status;
}

enum status images_refresh_source(bool verbose, struct err *e)
{
	return status_of(kernel_source_refresh(verbose, e));
}

void images_free(struct kernel_image **images, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (images[i])
			kernel_image_free(images[i]);
		images[i] = NULL;
	}
}
