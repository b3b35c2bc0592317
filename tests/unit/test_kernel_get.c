// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole builder on a source tree of one file whose Makefile behaves like
 * kbuild's: what is built and when, what fails and how, and what is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "host/cache.h"
#include "host/kernel.h"
#include "host/spawn.h"
#include "lib/fileio.h"

static char dir[64];

/* The pid of whoever builds is in "pid", next to the cache, for the signals below. */
static const char makefile[] =
	"VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\nEXTRAVERSION =\n"
	"allnoconfig:\n\t@grep -v CONFIG_DROPPED $(KCONFIG_ALLCONFIG) > $(O)/.config\n"
	"bzImage: $(O)/arch/x86/boot/bzImage\n"
	"$(O)/arch/x86/boot/bzImage: $(O)/x.o\n"
	"\t@mkdir -p $(@D); echo '  LD      vmlinux'; cp $< $@\n"
	"Image: $(O)/arch/arm64/boot/Image\n"
	"$(O)/arch/arm64/boot/Image: $(O)/x.o\n"
	"\t@mkdir -p $(@D); echo '$(ARCH) $(CROSS_COMPILE) $(CC)' >$@\n"
	"$(O)/x.o: mm/x.c\n"
	"\t@echo '  CC      mm/x.o'; echo >> $(O)/../../../compiled\n"
	"\t@if grep -q INTERRUPT $<; then kill -INT $$(cat $(O)/../../../pid); sleep 1000; fi\n"
	"\t@if grep -q DIE $<; then kill -KILL $$(cat $(O)/../../../pid); sleep 2; fi\n"
	"\t@$(CC) -c -o $@ $<\n";

#define PATCH(line) "Subject: [PATCH] x: change\n\n---\n--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1,2 +1,2 @@\n" \
	" /* x */\n-int x;\n+" line "\n"

static void put(const char *name, const char *text)
{
	char *path __cleanup_free = xasprintf("%s/%s", dir, name);
	char *parent __cleanup_free = xstrdup(path);
	struct err e;

	*strrchr(parent, '/') = '\0';
	assert_int_equal(make_dirs(parent, &e), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), &e), 0);
}

static int make_dir(void **state __unused_arg)
{
	char *cache;

	snprintf(dir, sizeof(dir), "/tmp/test_kernel_get.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	cache = xasprintf("%s/cache", dir);
	setenv("XDG_CACHE_HOME", cache, 1);
	free(cache);
	put("k/Makefile", makefile);
	/* a cross compiler, as far as this kernel can tell */
	put("bin/aarch64-linux-gnu-gcc",
	    "#!/bin/sh\n[ $# = 1 ] && echo cross gcc || exec gcc \"$@\"\n");
	put("bin/aarch64-linux-gnu-ld", "#!/bin/sh\necho cross ld\n");
	put("k/Kbuild", "");
	put("k/mm/x.c", "/* x */\nint x;\n");
	put("data/kconfigs/base.config", "CONFIG_A=y\n");
	put("data/kconfigs/dropped.config", "# what for\nCONFIG_DROPPED=y\n");
	put("data/patches/one.patch", PATCH("int x = 1;"));
	put("data/patches/two.patch", PATCH("int x = 2;"));
	put("data/patches/broken.patch", PATCH("int x = ;"));
	put("data/patches/misfit.patch", "--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1,2 +1,2 @@\n /* y */\n"
	    "-int y;\n+int z;\n");
	put("data/patches/interrupt.patch", PATCH("int x = 3; /* INTERRUPT */"));
	put("data/patches/die.patch", PATCH("int x = 4; /* DIE */"));
	interrupt_setup();
	return 0;
}

static int drop_dir(void **state __unused_arg)
{
	return remove_tree(dir);
}

/* How often the compiler ran since the last time this was asked. */
static size_t compiled(void)
{
	char *path __cleanup_free = xasprintf("%s/cache/compiled", dir);
	char *text __cleanup_free = NULL;
	struct err e;

	if (file_read(path, 1 << 16, &text, NULL, &e))
		return 0;
	unlink(path);
	return strlen(text);
}

static void assert_tree_unpatched(const struct kernel_source *src)
{
	char *path __cleanup_free =
		xasprintf("%s/cache/blkproof/sources/%s/tree/mm/x.c", dir, src->key);
	char *text __cleanup_free = NULL;
	struct err e;

	assert_int_equal(file_read(path, 4096, &text, NULL, &e), 0);
	assert_string_equal(text, "/* x */\nint x;\n");
}

static struct kernel_source *open_source(void)
{
	char *kdir __cleanup_free = xasprintf("%s/k", dir);
	struct kernel_source *src;
	struct err e = { "" };

	if (kernel_source_open(kdir, false, &src, &e))
		fail_msg("%s", e.msg);
	return src;
}

static enum kernel_result get_for(const struct arch *arch, struct kernel_source *src,
				  const char *patch, const char *config, struct kernel_image **img,
				  struct err *e)
{
	struct kernel_spec spec = { .name = "test" };
	char *data __cleanup_free = xasprintf("%s/data", dir);
	struct kernel_request req = { .spec = &spec, .arch = arch, .data_dir = data };

	if (patch)
		snprintf(spec.patches, sizeof(spec.patches), "patches/%s.patch", patch);
	if (config)
		snprintf(spec.config[spec.n_config++], NAME_LEN, "%s", config);
	return kernel_get(src, &req, img, e);
}

static enum kernel_result get(struct kernel_source *src, const char *patch, const char *config,
			      struct kernel_image **img, struct err *e)
{
	return get_for(ARCH_DEFAULT, src, patch, config, img, e);
}

/* Cross-compiled, in object trees and images of its own; and the page sizes are two of them. */
static void test_arm64(void **state __unused_arg)
{
	char *path __cleanup_free = xasprintf("%s/bin", dir);
	char *old __cleanup_free = xstrdup(getenv("PATH"));
	char *new __cleanup_free = xasprintf("%s:%s", path, old);
	static const char *const archs_of[] = { "arm64", "arm64-64k" };
	struct kernel_source *src = open_source();
	struct err e = { "" };

	for (size_t i = 0; i < 2; i++) {
		char *gcc __cleanup_free = xasprintf("%s/aarch64-linux-gnu-gcc", path);
		char *ld __cleanup_free = xasprintf("%s/aarch64-linux-gnu-ld", path);

		assert_int_equal(chmod(gcc, 0755) | chmod(ld, 0755), 0);
	}
	setenv("PATH", new, 1);
	for (size_t i = 0; i < 4; i++) {
		const struct arch *arch = arch_find(archs_of[i % 2], &e);
		struct kernel_image *img = NULL;
		char *text __cleanup_free = NULL;

		compiled();
		if (get_for(arch, src, NULL, NULL, &img, &e))
			fail_msg("%s: %s", arch->name, e.msg);
		assert_int_equal(img->built, i < 2);
		assert_int_equal(compiled(), i < 2);
		assert_string_equal(img->compiler, "cross gcc; cross ld");
		assert_string_equal(strrchr(img->path, '/'), "/Image");
		assert_int_equal(file_read(img->path, 4096, &text, NULL, &e), 0);
		if (!str_after(text, "arm64 aarch64-linux-gnu- ") ||
		    !strstr(text, "aarch64-linux-gnu-gcc\n"))
			fail_msg("make got '%s'", text);
		kernel_image_free(img);
	}
	setenv("PATH", old, 1);
	kernel_source_close(src);
}

static void test_build_and_cache(void **state __unused_arg)
{
	static const struct {
		const char *patch;
		bool built;
		size_t compiled;
	} tests[] = {
		{ NULL, true, 1 },  { NULL, false, 0 },	 { "one", true, 1 }, { "one", false, 0 },
		{ NULL, false, 0 }, { "two", true, 1 },	 { "one", false, 0 },
	};
	struct kernel_source *src = open_source();
	char *sums[ARRAY_SIZE(tests)];
	size_t i;

	compiled();
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		struct kernel_image *img = NULL;
		struct err e = { "" };

		if (get(src, tests[i].patch, NULL, &img, &e))
			fail_msg("%zu: %s", i, e.msg);
		assert_int_equal(img->built, tests[i].built);
		assert_int_equal(compiled(), tests[i].compiled);
		assert_int_equal(img->n_patches, tests[i].patch ? 1 : 0);
		assert_string_equal(img->version, "7.4.0");
		assert_int_equal(access(img->path, R_OK), 0);
		assert_tree_unpatched(src);
		sums[i] = xstrdup(img->sha256);
		kernel_image_free(img);
	}
	assert_string_equal(sums[0], sums[4]);
	assert_string_equal(sums[2], sums[6]);
	assert_string_not_equal(sums[0], sums[2]);
	assert_string_not_equal(sums[2], sums[5]);
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		free(sums[i]);
	kernel_source_close(src);
}

static void test_failures(void **state __unused_arg)
{
	static const struct {
		const char *patch, *config;
		enum kernel_result result;
		const char *msg;
	} tests[] = {
		{ "broken", NULL, KERNEL_BUILD_FAILED, ": mm/x.c:2:" },
		{ "broken", NULL, KERNEL_BUILD_FAILED, "error: expected expression before" },
		{ "broken", NULL, KERNEL_BUILD_FAILED, "/build.log)" },
		{ "misfit", NULL, KERNEL_PATCH_FAILED, "hunk 1 of mm/x.c, expected at line 1" },
		{ "misfit", NULL, KERNEL_PATCH_FAILED, "does not apply to Linux 7.4.0" },
		{ NULL, "dropped", KERNEL_CONFIG_FAILED,
		  "kconfigs/dropped.config:2: asked for CONFIG_DROPPED=y" },
		{ "none", NULL, KERNEL_BAD_REQUEST, "none.patch: No such file" },
		{ NULL, "none", KERNEL_BAD_REQUEST, "kconfigs/none.config: No such file" },
	};
	struct kernel_source *src = open_source();
	struct kernel_image *img = NULL;
	struct err e = { "" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		assert_int_equal(get(src, tests[i].patch, tests[i].config, &img, &e),
				 tests[i].result);
		assert_null(img);
		if (!strstr(e.msg, tests[i].msg))
			fail_msg("%zu: '%s'", i, e.msg);
		assert_tree_unpatched(src);
	}
	/* and the next build is none the worse for it */
	put("data/patches/good.patch", PATCH("int x = 5;"));
	if (get(src, "good", NULL, &img, &e))
		fail_msg("%s", e.msg);
	assert_true(img->built);
	kernel_image_free(img);
	kernel_source_close(src);
}

/* An image is the same for equal content; what it says of its source is of this request. */
static void test_equal_tree_elsewhere(void **state __unused_arg)
{
	char *copy __cleanup_free = xasprintf("cp -a %s/k %s/twin", dir, dir);
	char *twin __cleanup_free = xasprintf("%s/twin", dir);
	struct kernel_source *src = open_source(), *other = NULL;
	struct kernel_image *img = NULL;
	struct err e = { "" };

	assert_int_equal(get(src, NULL, NULL, &img, &e), KERNEL_OK);
	kernel_image_free(img);
	kernel_source_close(src);
	assert_int_equal(system(copy), 0);
	assert_int_equal(kernel_source_open(twin, false, &other, &e), KERNEL_OK);
	assert_int_equal(get(other, NULL, NULL, &img, &e), KERNEL_OK);
	assert_false(img->built);
	assert_non_null(strstr(img->source, twin));
	kernel_image_free(img);
	kernel_source_close(other);
}

/* All kernels of a run come from one source. */
static void test_kdir_changes(void **state __unused_arg)
{
	struct kernel_source *src = open_source();
	struct kernel_image *img = NULL;
	struct err e = { "" };

	put("k/mm/x.c", "/* x */\nlong x;\n");
	put("data/patches/late.patch", PATCH("int x = 6;"));
	assert_int_equal(get(src, "late", NULL, &img, &e), KERNEL_SOURCE_FAILED);
	assert_non_null(strstr(e.msg, "was changed while the kernels were being built"));
	put("k/mm/x.c", "/* x */\nint x;\n");
	kernel_source_close(src);
}

static void write_pid(void)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)getpid());
	put("cache/pid", text);
}

/* Whoever builds is killed: the next one waits for what is left of it (the sleep), and
 * finds a tree that it can trust. */
static void test_killed(void **state __unused_arg)
{
	struct kernel_source *src = open_source();
	struct kernel_image *img = NULL;
	struct err e = { "" };
	int status;
	pid_t pid = fork();

	if (!pid) {
		write_pid();
		get(src, "die", NULL, &img, &e);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	put("data/patches/after.patch", PATCH("int x = 7;"));
	if (get(src, "after", NULL, &img, &e))
		fail_msg("%s", e.msg);
	assert_tree_unpatched(src);
	kernel_image_free(img);
	kernel_source_close(src);
}

/* Last, since the flag stays set. */
static void test_interrupted(void **state __unused_arg)
{
	struct kernel_source *src = open_source();
	struct kernel_image *img = NULL;
	struct err e = { "" };

	write_pid();
	assert_int_equal(get(src, "interrupt", NULL, &img, &e), KERNEL_INTERRUPTED);
	assert_null(img);
	assert_tree_unpatched(src);
	kernel_source_close(src);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build_and_cache), cmocka_unit_test(test_failures),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_equal_tree_elsewhere),
		cmocka_unit_test(test_kdir_changes),	cmocka_unit_test(test_killed),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
