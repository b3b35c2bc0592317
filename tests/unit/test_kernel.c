// SPDX-License-Identifier: GPL-2.0-only
/* The kernel builder's parts that need no source and no compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cache.h"
#include "host/kernel_build.h"
#include "host/kernel_image.h"
#include "host/source.h"
#include "lib/fileio.h"

static char dir[64];

static int make_dir(void **state __unused_arg)
{
	snprintf(dir, sizeof(dir), "/tmp/test_kernel.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state __unused_arg)
{
	return remove_tree(dir);
}

static char *put(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	char *parent __cleanup_free = xstrdup(path);
	struct err e;

	*strrchr(parent, '/') = '\0';
	assert_int_equal(make_dirs(parent, &e), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), &e), 0);
	return path;
}

/* ---- Debian ---- */

static int sign(int v)
{
	return v < 0 ? -1 : v > 0;
}

static void test_version_cmp(void **state __unused_arg)
{
	static const struct {
		const char *a, *b;
		int order;
	} tests[] = {
		{ "7.3.4-1", "7.3.4-1", 0 },
		{ "7.3.4-1~bpo13+1", "7.3.4-1", -1 },
		{ "7.3.4-1", "7.3.13-1", -1 },
		{ "7.3~rc7-1~exp1", "7.3.1-1", -1 },
		{ "7.3~rc7-1", "7.3-1", -1 },
		{ "7.10-1", "7.9-1", 1 },
		{ "1:1-1", "2-1", 1 },
		{ "7.3-1", "7.3-1+b1", -1 },
		{ "7.03-1", "7.3-1", 0 },
		{ "1.0a", "1.0+", -1 },
		{ "1.0", "1.0-0", 0 },
		{ "1.0-1-2", "1.0-1-10", -1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		assert_int_equal(sign(debian_version_cmp(tests[i].a, tests[i].b)), tests[i].order);
		assert_int_equal(sign(debian_version_cmp(tests[i].b, tests[i].a)), -tests[i].order);
	}
}

static void test_pick_source(void **state __unused_arg)
{
	static const struct {
		const char *madison, *package, *version;
	} tests[] = {
		{ "linux-source-7.3 | 7.3.4-1~bpo13+1 | http://m/debian trixie-backports/main amd64 Packages\n"
		  "linux-source-7.3 | 7.3~rc7-1~exp1 | http://m/debian experimental/main amd64 Packages\n"
		  "linux-source-7.2 |   7.2.13-1 | http://m/debian sid/main amd64 Packages\n"
		  "linux-source | 9.9-1 | http://m/debian sid/main amd64 Packages\n",
		  "linux-source-7.3", "7.3.4-1~bpo13+1" },
		/* a release before a newer candidate */
		{ "linux-source-7.4 | 7.4~rc2-1~exp1 | x\nlinux-source-7.3 | 7.3.9-1 | x\n",
		  "linux-source-7.3", "7.3.9-1" },
		{ "linux-source-7.3 | 7.3.9-1 | x\nlinux-source-7.4 | 7.4~rc2-1~exp1 | x\n",
		  "linux-source-7.3", "7.3.9-1" },
		/* but a candidate before nothing */
		{ "linux-source-7.4 | 7.4~rc2-1~exp1 | x\nlinux-source-7.4 | 7.4~rc10-1~exp1 | x\n",
		  "linux-source-7.4", "7.4~rc10-1~exp1" },
		{ "linux-source-10.0 | 10.0.1-1 | x\nlinux-source-7.9 | 7.9-1 | x\n",
		  "linux-source-10.0", "10.0.1-1" },
		{ "linux-source-7.1 | 7.1.9-1 | x\nlinux-source-6.12 | 6.12-1 | x\n", NULL, NULL },
		{ "linux-source-7.2-rt | 7.2.9-1 | x\n", NULL, NULL },
		{ "", NULL, NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		char *p __cleanup_free = NULL;
		char *v __cleanup_free = NULL;

		assert_int_equal(debian_pick_source(tests[i].madison, &p, &v), !!tests[i].package);
		if (tests[i].package) {
			assert_string_equal(p, tests[i].package);
			assert_string_equal(v, tests[i].version);
		}
	}
}

static void test_pick_mirror(void **state __unused_arg)
{
	static const struct {
		const char *targets, *mirror;
	} tests[] = {
		{ "http://m/debian-security|bookworm-security|Debian\nhttp://m/debian|bookworm|Debian\n",
		  "http://m/debian" },
		{ "http://docker/x|bookworm|Docker\nhttp://m/debian|bookworm|Debian\n",
		  "http://m/debian" },
		/* before the first apt-get update no origin is known */
		{ "http://m/debian|bookworm|\n", "http://m/debian" },
		{ "http://docker/x|bookworm|Docker\n", NULL },
		{ "http://m/security|x|Debian\n", NULL },
		{ "\n", NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		char *m __cleanup_free = debian_pick_mirror(tests[i].targets);

		if (tests[i].mirror)
			assert_string_equal(m, tests[i].mirror);
		else
			assert_null(m);
	}
}

/* ---- configuration ---- */

static void test_config(void **state __unused_arg)
{
	static const struct {
		const char *base, *more, *result;
		const char *msg; /* NULL: all is well */
	} tests[] = {
		{ "CONFIG_SMP=y\n", "", "CONFIG_SMP=y\n", NULL },
		{ "CONFIG_SMP=y\nCONFIG_NR_CPUS=32\n", "", "CONFIG_SMP=y\nCONFIG_NR_CPUS=8\n",
		  "kconfigs/base.config:2: asked for CONFIG_NR_CPUS=32, but Linux 0 has CONFIG_NR_CPUS=8" },
		{ "CONFIG_SMP=y\n", "# net\nCONFIG_NET=y\n", "CONFIG_SMP=y\n# CONFIG_NET is not set\n",
		  "kconfigs/more.config:2: asked for CONFIG_NET=y, but Linux 0 has CONFIG_NET=n" },
		{ "CONFIG_NET=y\n", "", "CONFIG_NETFILTER=y\n", "CONFIG_NET=n" },
		{ "# CONFIG_SLUB_TINY is not set\n", "", "CONFIG_SLUB_TINY=y\n",
		  "base.config:1: asked for CONFIG_SLUB_TINY=n" },
		{ "# CONFIG_SLUB_TINY is not set\n", "", "", NULL },
		/* the later fragment wins */
		{ "CONFIG_X=y\n", "# CONFIG_X is not set\n", "", NULL },
		{ "CONFIG_X=n\n", "CONFIG_X=y\n", "", "more.config:1: asked for CONFIG_X=y" },
		{ "#? CONFIG_OLD=y\n", "", "", NULL },
		{ "CONFIG_S=\"a b\"\n", "", "CONFIG_S=\"a b\"\n", NULL },
		{ "# a comment on CONFIG_X\n#\n\n", "", "", NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		struct config c = { 0 };
		struct err e = { "" };
		int ret;

		assert_int_equal(config_parse(&c, tests[i].base, "kconfigs/base.config", &e), 0);
		assert_int_equal(config_parse(&c, tests[i].more, "kconfigs/more.config", &e), 0);
		ret = config_check(&c, tests[i].result, "Linux 0", &e);
		assert_int_equal(ret, tests[i].msg ? -EINVAL : 0);
		if (tests[i].msg && !strstr(e.msg, tests[i].msg))
			fail_msg("%zu: '%s'", i, e.msg);
		config_free(&c);
	}
}

static void test_config_errors(void **state __unused_arg)
{
	static const char *const bad[] = { "SMP=y\n", "CONFIG_SMP\n", "CONFIG_=y\n", "CONFIG_SMP=\n",
					   "#? SMP=y\n" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct config c = { 0 };
		struct err e = { "" };
		char *text __cleanup_free = xasprintf("CONFIG_A=y\n%s", bad[i]);

		assert_int_equal(config_parse(&c, text, "x.config", &e), -EINVAL);
		assert_non_null(strstr(e.msg, "x.config:2: '"));
		config_free(&c);
	}
}

/* Kconfig gets what counts: optional lines without their mark. */
static void test_config_text(void **state __unused_arg)
{
	struct config c = { 0 };
	struct err e;

	assert_int_equal(config_parse(&c, "# x\nCONFIG_A=y \n#? CONFIG_B=y\n# CONFIG_C is not set\n",
				      "x", &e), 0);
	assert_string_equal(c.text, "CONFIG_A=y\nCONFIG_B=y\n# CONFIG_C is not set\n");
	config_free(&c);
}

/* "#@ NAME..." up to the next empty line; what the default gets does not depend on the others. */
static void test_config_archs(void **state __unused_arg)
{
	static const char text[] = "CONFIG_A=y\n#@ x86_64\nCONFIG_B=y\n# CONFIG_C is not set\n\n"
				   "#@ arm64 arm64-64k\nCONFIG_D=y\n\n# x\nCONFIG_E=y\n"
				   "#@ arm64-64k\n#? CONFIG_F=y\n\nCONFIG_G=y\n";
	static const struct {
		const char *arch, *text;
	} tests[] = {
		{ NULL, "CONFIG_A=y\nCONFIG_B=y\n# CONFIG_C is not set\nCONFIG_E=y\nCONFIG_G=y\n" },
		{ "x86_64",
		  "CONFIG_A=y\nCONFIG_B=y\n# CONFIG_C is not set\nCONFIG_E=y\nCONFIG_G=y\n" },
		{ "arm64", "CONFIG_A=y\nCONFIG_D=y\nCONFIG_E=y\nCONFIG_G=y\n" },
		{ "arm64-64k", "CONFIG_A=y\nCONFIG_D=y\nCONFIG_E=y\nCONFIG_F=y\nCONFIG_G=y\n" },
	};
	struct err e = { "" };

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		struct config c = { .n = 0 };

		if (tests[i].arch)
			c.arch = arch_find(tests[i].arch, &e);
		assert_int_equal(config_parse(&c, text, "x", &e), 0);
		assert_string_equal(c.text, tests[i].text);
		/* lines are counted whoever they are for */
		assert_string_equal(c.options[c.n - 1].where, "x:14");
		config_free(&c);
	}
	struct config c = { .n = 0 };

	assert_int_equal(config_parse(&c, "\n#@ arm64 arm\nCONFIG_A=y\n", "x", &e), -EINVAL);
	assert_string_equal(e.msg, "x:2: 'arm' is no architecture");
	config_free(&c);
}

/* ---- make's output ---- */

static void test_is_step(void **state __unused_arg)
{
	static const struct {
		const char *line;
		bool step;
	} tests[] = {
		{ "  CC      mm/readahead.o", true },
		{ "  HOSTCC  scripts/basic/fixdep", true },
		{ "  CC [M]  fs/ceph/addr.o", true },
		{ "  AR      built-in.a", true },
		{ "  LD      vmlinux", true },
		{ "make[1]: Entering directory 'x'", false },
		{ "mm/readahead.c:1:2: error: x", false },
		{ "  660 |         rcu_read_lockx();", false },
		{ "      |         ^~~~", false },
		{ "  Kernel: arch/x86/boot/bzImage is ready", false },
		{ "  CC", false },
		{ "", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		if (build_is_step(tests[i].line) != tests[i].step)
			fail_msg("'%s'", tests[i].line);
}

static void test_error_rank(void **state __unused_arg)
{
	static const struct {
		const char *line;
		int rank;
	} tests[] = {
		{ "mm/readahead.c:660:2: error: expected ';' before 'x'", 3 },
		{ "mm/x.c:1:10: fatal error: none.h: No such file or directory", 3 },
		{ "/tmp/x.s:12: Error: no such instruction", 3 },
		{ "ld: mm/readahead.o: in function `f': undefined reference to `g'", 2 },
		{ "make[3]: *** [scripts/Makefile.build:243: mm/readahead.o] Error 1", 1 },
		{ "mm/readahead.c:660:2: warning: unused variable 'error'", 0 },
		{ "  CC      lib/errname.o", 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		assert_int_equal(build_error_rank(tests[i].line), tests[i].rank);
}

/* ---- the cache ---- */

static void key_of(const char *identity, const char *config, const char *diff, const char *compiler,
		   char key[HASH_HEX])
{
	struct patch p = { .diff = (char *)diff };
	struct series s = { .patches = &p, .n = diff ? 1 : 0 };
	struct config c = { .text = (char *)config };

	image_key(identity, &c, &s, compiler, key);
}

static void test_key(void **state __unused_arg)
{
	static const char *const inputs[][4] = {
		{ "id", "CONFIG_A=y\n", "diff", "gcc" }, { "ie", "CONFIG_A=y\n", "diff", "gcc" },
		{ "id", "CONFIG_A=n\n", "diff", "gcc" }, { "id", "CONFIG_A=y\n", "dift", "gcc" },
		{ "id", "CONFIG_A=y\n", "diff", "gcd" }, { "id", "CONFIG_A=y\n", NULL, "gcc" },
		{ "id", "CONFIG_A=y\n", "", "gcc" },	 { "idC", "ONFIG_A=y\n", "diff", "gcc" },
	};
	char keys[ARRAY_SIZE(inputs)][HASH_HEX], again[HASH_HEX];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(inputs); i++) {
		key_of(inputs[i][0], inputs[i][1], inputs[i][2], inputs[i][3], keys[i]);
		key_of(inputs[i][0], inputs[i][1], inputs[i][2], inputs[i][3], again);
		assert_string_equal(keys[i], again);
		assert_int_equal(strlen(keys[i]), 64);
		for (j = 0; j < i; j++)
			assert_string_not_equal(keys[i], keys[j]);
	}
}

/* Architectures never share an image, and the default's keys are what they always were. */
static void test_key_archs(void **state __unused_arg)
{
	struct series s = { .n = 0 };
	char text[] = "CONFIG_A=y\n", none[HASH_HEX], key[HASH_HEX], other[HASH_HEX];
	struct config c = { .text = text };
	struct err e;

	image_key("id", &c, &s, "gcc", none);
	c.arch = ARCH_DEFAULT;
	image_key("id", &c, &s, "gcc", key);
	assert_string_equal(key, none);
	c.arch = arch_find("arm64", &e);
	image_key("id", &c, &s, "gcc", key);
	c.arch = arch_find("arm64-64k", &e);
	image_key("id", &c, &s, "gcc", other);
	assert_string_not_equal(key, none);
	assert_string_not_equal(key, other);
	assert_string_not_equal(other, none);
}

static void test_hash_file(void **state __unused_arg)
{
	char *path __cleanup_free = put("abc", "abc");
	char hex[HASH_HEX];
	struct err e;

	/* FIPS 180-2, appendix B.1 */
	assert_int_equal(hash_file(path, hex, &e), 0);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_image(void **state __unused_arg)
{
	char *bz __cleanup_free = put("obj/arch/x86/boot/bzImage", "kernel");
	char *config __cleanup_free = put("obj/.config", "CONFIG_A=y\n");
	char *objects __cleanup_free = xasprintf("%s/obj", dir);
	char file[] = "f", subject[] = "s\xff", id[] = "i", diff[] = "d";
	struct patch p = { .file = file, .subject = subject, .id = id, .fuzz = 2, .diff = diff };
	struct series s = { .patches = &p, .n = 1 };
	struct kernel_image *img = xcalloc(1, sizeof(*img)), *got = NULL;
	struct err e = { "" };
	FILE *f;

	assert_int_equal(image_load(dir, "key", ARCH_DEFAULT, &s, &got, &e), -ENOENT);
	img->version = xstrdup("7.3.4");
	img->source = xstrdup("linux-source-7.3 7.3.4-1");
	img->source_identity = xstrdup("id");
	img->compiler = xstrdup("gcc");
	image_set_patches(img, &s);
	assert_int_equal(image_publish(dir, "key", ARCH_DEFAULT, objects, "patched", img, &e), 0);
	kernel_image_free(img);

	p.fuzz = 0;
	assert_int_equal(image_load(dir, "key", ARCH_DEFAULT, &s, &got, &e), 0);
	assert_string_equal(got->version, "7.3.4");
	assert_false(got->built);
	assert_int_equal(got->n_patches, 1);
	assert_int_equal(got->patches[0].fuzz, 2);
	/* an image that is not what was published is none */
	f = fopen(got->path, "a");
	assert_non_null(f);
	fputc('x', f);
	fclose(f);
	kernel_image_free(got);
	assert_int_equal(image_load(dir, "key", ARCH_DEFAULT, &s, &got, &e), -ENOENT);
}

static void test_space(void **state __unused_arg)
{
	struct err e = { "" };

	assert_int_equal(cache_need_space(dir, 1, "x", &e), 0);
	assert_int_equal(cache_need_space(dir, 1ull << 62, "unpacking", &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "not enough disk space for unpacking: "));
}

static void test_texts(void **state __unused_arg)
{
	static const struct {
		u64 v;
		const char *usage, *age;
	} tests[] = {
		{ 0, "0 B", "0 s" },	       { 1, "1 B", "1 s" },
		{ 999, "999 B", "16 min" },    { 1500, "1.5 kB", "25 min" },
		{ 86400, "86 kB", "1 day" },   { 200000, "200 kB", "2 days" },
		{ 1850000000, "1.9 GB", "21412 days" },
	};
	char buf[24];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		assert_string_equal(usage_text(tests[i].v, buf), tests[i].usage);
		assert_string_equal(age_text((s64)tests[i].v, buf), tests[i].age);
	}
}

/* ---- a user's tree ---- */

static void test_version(void **state __unused_arg)
{
	char *makefile __cleanup_free = put("v/Makefile",
		"# SPDX\nVERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\nEXTRAVERSION = -rc2\nNAME = x\n");
	char *tree __cleanup_free = xasprintf("%s/v", dir);
	char *none = source_version(tree);
	char *kbuild __cleanup_free = NULL;
	char *version __cleanup_free = NULL;

	assert_null(none); /* some other project's Makefile */
	kbuild = put("v/Kbuild", "");
	version = source_version(tree);
	assert_string_equal(version, "7.4.0-rc2");
}

static void test_kdir(void **state __unused_arg)
{
	char *kdir __cleanup_free = xasprintf("%s/k", dir);
	char *a __cleanup_free = put("k/Makefile", "VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\n");
	char *b __cleanup_free = put("k/Kbuild", "");
	char *c __cleanup_free = put("k/mm/x.c", "int x;\n");
	/* as in Debian's source package; what a build left is known all the same */
	char *ignore __cleanup_free = put("k/.gitignore", "/*\n");
	char *object __cleanup_free = put("k/mm/x.o", "built");
	char *bc __cleanup_free = put("k/kernel/time/timeconst.bc", "source, for once");
	char *sources __cleanup_free = put("sources/.keep", "");
	struct kernel_source one, two;
	struct err e = { "" };
	struct stat before, after;

	if (source_kdir_open(dir, kdir, &one, &e))
		fail_msg("%s", e.msg);
	{
		char *copy __cleanup_free = xasprintf("%s/sources/%s/tree/mm/x.c", dir, one.key);
		char *built __cleanup_free = xasprintf("%s/sources/%s/tree/mm/x.o", dir, one.key);
		char *kept __cleanup_free = xasprintf("%s/sources/%s/tree/Kbuild", dir, one.key);
		char *bc_copy __cleanup_free =
			xasprintf("%s/sources/%s/tree/kernel/time/timeconst.bc", dir, one.key);
		char *d = NULL;

		assert_int_equal(access(bc_copy, F_OK), 0);
		assert_int_equal(access(copy, F_OK), 0);
		assert_int_not_equal(access(built, F_OK), 0);
		assert_int_equal(stat(kept, &before), 0);
		/* the same content is the same source, and nothing is written */
		assert_int_equal(source_kdir_open(dir, kdir, &two, &e), 0);
		assert_string_equal(one.identity, two.identity);
		assert_string_equal(one.key, two.key);
		source_reset(&two);
		/* one file changes, one comes, one goes */
		free(put("k/mm/x.c", "int y;\n"));
		d = put("k/mm/new.c", "");
		assert_int_equal(source_kdir_open(dir, kdir, &two, &e), 0);
		assert_string_not_equal(one.identity, two.identity);
		source_reset(&two);
		free(d);
		d = NULL;
		assert_int_equal(file_read(copy, 100, &d, NULL, &e), 0);
		assert_string_equal(d, "int y;\n");
		free(d);
		assert_int_equal(stat(kept, &after), 0);
		assert_int_equal(before.st_ino, after.st_ino);
		/* and back again: the identity is one of content */
		free(put("k/mm/x.c", "int x;\n"));
		d = xasprintf("%s/mm/new.c", kdir);
		unlink(d);
		free(d);
		assert_int_equal(source_kdir_open(dir, kdir, &two, &e), 0);
		assert_string_equal(one.identity, two.identity);
		source_reset(&two);
	}
	source_reset(&one);
	assert_int_equal(source_kdir_open(dir, dir, &two, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "not a kernel tree"));
}

/* git knows what belongs to a tree of its own: new and modified files, too. */
static void test_kdir_git(void **state __unused_arg)
{
	char *kdir __cleanup_free = xasprintf("%s/g", dir);
	char *a __cleanup_free = put("g/Makefile", "VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\n");
	char *b __cleanup_free = put("g/Kbuild", "");
	char *ignore __cleanup_free = put("g/.gitignore", "*.o\n");
	char *object __cleanup_free = put("g/x.o", "built");
	char *index __cleanup_free = xasprintf("%s/.git/index", kdir);
	const char *commit[] = { "sh", "-c", "git init -q . && git add . && "
				 "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm x && "
				 "git tag v7.4 && echo >new.c", NULL };
	struct kernel_source src;
	struct stat before, after;
	struct err e = { "" };
	char *out __cleanup_free = NULL;

	if (run_output(commit, kdir, &out, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(stat(index, &before), 0);
	if (source_kdir_open(dir, kdir, &src, &e))
		fail_msg("%s", e.msg);
	{
		char *added __cleanup_free = xasprintf("%s/sources/%s/tree/new.c", dir, src.key);
		char *built __cleanup_free = xasprintf("%s/sources/%s/tree/x.o", dir, src.key);
		char *name __cleanup_free = xasprintf("KDIR %s v7.4 (modified)", kdir);

		assert_int_equal(access(added, F_OK), 0);
		assert_int_not_equal(access(built, F_OK), 0);
		assert_string_equal(src.name, name);
	}
	/* the user's tree was not written to */
	assert_int_equal(stat(index, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_true(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
	source_reset(&src);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_cmp), cmocka_unit_test(test_pick_source),
		cmocka_unit_test(test_pick_mirror), cmocka_unit_test(test_config),
		cmocka_unit_test(test_config_errors), cmocka_unit_test(test_config_text),
		cmocka_unit_test(test_config_archs),
		cmocka_unit_test(test_is_step),	    cmocka_unit_test(test_error_rank),
		cmocka_unit_test(test_key),	    cmocka_unit_test(test_key_archs),
		cmocka_unit_test(test_hash_file),
		cmocka_unit_test(test_image),	    cmocka_unit_test(test_space),
		cmocka_unit_test(test_texts),	    cmocka_unit_test(test_version),
		cmocka_unit_test(test_kdir),
		cmocka_unit_test(test_kdir_git),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
