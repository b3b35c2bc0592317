/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel images, built from a source, patches and kconfigs/ fragments, or from
 * the cache.
 *
 *   kernel_check()         for each kernel, before anything is fetched or built
 *   kernel_source_open()   once per run
 *   kernel_check_apply()   for each kernel: do the patches apply to that source?
 *   kernel_get()           for each kernel
 */
#ifndef BP_KERNEL_H
#define BP_KERNEL_H

#include "host/arch.h"
#include "host/patch_functions.h"
#include "lib/experiment.h"

/* Why there is no image; main() turns it into an exit status. */
enum kernel_result {
	KERNEL_OK = 0,
	KERNEL_BAD_REQUEST,   /* a patch file or a fragment that can't be read or is none */
	KERNEL_SOURCE_FAILED, /* no source: network, mirror, KDIR */
	KERNEL_NO_SPACE,
	KERNEL_TOOLS_MISSING,
	KERNEL_PATCH_FAILED,  /* does not apply to this source */
	KERNEL_CONFIG_FAILED, /* an option that was asked for is not in the result */
	KERNEL_BUILD_FAILED,
	KERNEL_CACHE_FAILED, /* the cache can't be read or written */
	KERNEL_INTERRUPTED,
};

struct kernel_request {
	const struct kernel_spec *spec;
	const struct arch *arch;
	const char *data_dir;	    /* holds kconfigs/; spec->patches is relative to it */
	const char *patch_override; /* PATCH=: replaces spec->patches if those are set; or NULL */
	bool verbose;		    /* show the build's full output */
};

struct kernel_source {
	char *name;	/* "linux-source-7.3 7.3.4-1~bpo13+1", "KDIR /home/u/linux v7.3-5-gabc
			   (modified)" */
	char *version;	/* "7.3.4" */
	char *identity; /* SHA-256 over what it holds */
	char *key;	/* its name in the cache */
	char *kdir;	/* the user's tree that it is a copy of, or NULL */
	char *commit;	/* of that tree's repository, whatever is checked out there; or NULL */
};

struct kernel_patch {
	char *file;	   /* as given */
	char *subject;	   /* without [PATCH n/m] */
	char *id;	   /* git patch-id --stable */
	char *base_commit; /* NULL if not given */
	char *change_id;   /* NULL if not given */
	unsigned int fuzz; /* context lines ignored to apply it; 0: none */
	struct patch_functions functions;
};

struct kernel_image {
	char *path;    /* in the cache */
	char *version; /* "7.3.4" */
	char *source;  /* kernel_source.name */
	char *source_identity;
	char *compiler;	   /* first line of gcc --version */
	char *config_hash; /* SHA-256 of the final .config */
	char *config_path; /* that .config, next to the image */
	char *sha256;	   /* of the image: equal ones mean that a patch changed nothing */
	struct kernel_patch *patches;
	size_t n_patches;
	bool built;	      /* false: it was in the cache */
	double build_seconds; /* of the build that made it */
};

/* Can the request's patches and fragments be read, and are they what they should be? */
enum kernel_result kernel_check(const struct kernel_request *req, struct err *e) __must_check;

/*
 * Opens the user's tree @kdir (copied into the cache, never written to), or
 * with NULL the Debian source: the newest in the cache, else fetched from the
 * machine's own mirror.  kernel_source_close() frees it.
 */
enum kernel_result kernel_source_open(const char *kdir, bool verbose, struct kernel_source **src,
				      struct err *e) __must_check;

/* The same for commit @commit (a full id) of the user's repository @kdir. */
enum kernel_result kernel_source_open_commit(const char *kdir, const char *commit, bool verbose,
					     struct kernel_source **src,
					     struct err *e) __must_check;
void kernel_source_close(struct kernel_source *src);

/* Fetches the newest Debian source even if the cache has one, and drops older ones. */
enum kernel_result kernel_source_refresh(bool verbose, struct err *e) __must_check;

/* Applies the request's patches to copies of the files they touch. */
enum kernel_result kernel_check_apply(struct kernel_source *src, const struct kernel_request *req,
				      struct err *e) __must_check;

/*
 * The image, from the cache or built now.  Progress goes to stderr.  On
 * KERNEL_BUILD_FAILED the line in @e holds the compiler's first error and the
 * log's path.  kernel_image_free() frees it.
 */
enum kernel_result kernel_get(struct kernel_source *src, const struct kernel_request *req,
			      struct kernel_image **img, struct err *e) __must_check;
void kernel_image_free(struct kernel_image *img);

/* For `make cache` and `make clean-cache`: cache_list() and cache_clean() in host/cache.h. */

#endif
