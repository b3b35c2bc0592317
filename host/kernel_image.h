/* SPDX-License-Identifier: GPL-2.0-only */
/* Images in the cache.  Internal to the kernel builder. */
#ifndef BP_KERNEL_IMAGE_H
#define BP_KERNEL_IMAGE_H

#include "host/hash.h"
#include "host/kernel.h"
#include "host/kernel_config.h"
#include "host/patch.h"

/* Changes when the way of building changes, so that older images are not taken for new ones. */
#define BUILDER_FORMAT "1"

/* What makes an image what it is. */
void image_key(const char *source_identity, const struct config *config,
	       const struct series *patches, const char *compiler, char key[HASH_HEX]);

/*
 * The image of that key from the cache, with the patches described as in @s.
 * -ENOENT if there is none; one that is damaged is removed and counts as none.
 */
int image_load(const char *root, const char *key, const struct arch *arch, const struct series *s,
	       struct kernel_image **img, struct err *e) __must_check;

/* Publishes @objects' image and .config under @key; fills in img's path, sha256 and config_*. */
int image_publish(const char *root, const char *key, const struct arch *arch, const char *objects,
		  const char *name, struct kernel_image *img, struct err *e) __must_check;

/* Copies what a report says of each patch. */
void image_set_patches(struct kernel_image *img, const struct series *s);

#endif
