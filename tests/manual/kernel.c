// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds kernels without a runner, to try the builder by hand:
 *
 *   kernel [-k KDIR] [-p PATCH] [-v] [-r] [-l] [-c] [base] [patched]
 *
 * -r fetches the newest source, -l lists the cache, -c empties it.  The exit
 * status is the enum kernel_result.
 */
#include <string.h>

#include "host/cache.h"
#include "host/kernel.h"
#include "host/spawn.h"

static int end(enum kernel_result res, const struct err *e)
{
	if (res != KERNEL_OK)
		fprintf(stderr, "kernel: %s\n", e->msg);
	return (int)res;
}

static void print_image(const char *name, const struct kernel_image *img)
{
	size_t i;

	printf("%s: %s\n  %s\n  config %.12s, image %.12s, %s in %.1f s\n", name, img->path,
	       img->source, img->config_hash, img->sha256, img->built ? "built" : "was built",
	       img->build_seconds);
	for (i = 0; i < img->n_patches; i++)
		printf("  patch %s\n    id %s base %s change %s fuzz %u\n", img->patches[i].subject,
		       img->patches[i].id, img->patches[i].base_commit ?: "-",
		       img->patches[i].change_id ?: "-", img->patches[i].fuzz);
}

int main(int argc, char **argv)
{
	struct kernel_request req = { .arch = ARCH_DEFAULT, .data_dir = "." };
	struct kernel_spec spec[8] = { 0 };
	struct kernel_source *src;
	const char *kdir = NULL;
	enum kernel_result res = KERNEL_OK;
	struct err e = { "" };
	int c, i, n = 0;

	interrupt_setup();
	while ((c = getopt(argc, argv, "k:p:vrlc")) != -1) {
		if (c == 'k')
			kdir = optarg;
		else if (c == 'p')
			req.patch_override = optarg;
		else if (c == 'v')
			req.verbose = true;
		else if (c == 'l')
			return cache_list(stdout, &e) ? end(KERNEL_CACHE_FAILED, &e) : 0;
		else if (c == 'c')
			return cache_clean(stdout, &e) ? end(KERNEL_CACHE_FAILED, &e) : 0;
		else if (c == 'r')
			return end(kernel_source_refresh(req.verbose, &e), &e);
		else
			return 2;
	}
	for (i = optind; i < argc && n < 8; i++, n++) {
		snprintf(spec[n].name, sizeof(spec[n].name), "%s", argv[i]);
		if (strcmp(argv[i], "base"))
			snprintf(spec[n].patches, sizeof(spec[n].patches), "patches");
	}
	for (i = 0; i < n && res == KERNEL_OK; i++) {
		req.spec = &spec[i];
		res = kernel_check(&req, &e);
	}
	if (res == KERNEL_OK)
		res = kernel_source_open(kdir, req.verbose, &src, &e);
	if (res != KERNEL_OK)
		return end(res, &e);
	for (i = 0; i < n && res == KERNEL_OK; i++) {
		req.spec = &spec[i];
		res = kernel_check_apply(src, &req, &e);
	}
	for (i = 0; i < n && res == KERNEL_OK; i++) {
		struct kernel_image *img;

		req.spec = &spec[i];
		res = kernel_get(src, &req, &img, &e);
		if (res == KERNEL_OK) {
			print_image(spec[i].name, img);
			kernel_image_free(img);
		}
	}
	kernel_source_close(src);
	return end(res, &e);
}
