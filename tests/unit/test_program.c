// SPDX-License-Identifier: GPL-2.0-only
/* Collecting a program and its libraries; ELF headers that lie. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "host/program.h"
#include "host/program_elf.h"
#include "lib/contract.h"
#include "lib/fileio.h"

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#else
#define HOST_MACHINE EM_AARCH64
#endif

static const struct program_target target = {.machine = HOST_MACHINE};

static bool has(const struct program_files *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->entries[i].name, name))
			return true;
	return false;
}

/* This test itself: dynamic, so it needs its interpreter and libc. */
static void test_itself(void **state __unused_arg)
{
	char *path = realpath("/proc/self/exe", NULL);
	struct program_files f = {.n = 0};
	struct err e = {""};
	char *guest = program_guest_path(path);

	if (program_add(&f, path, &target, &e))
		fail_msg("%s", e.msg);
	assert_true(has(&f, guest + 1));
	assert_true(has(&f, "program/lib/libc.so.6"));
	assert_true(has(&f, "program/lib/libcmocka.so.0"));
	/* parents come first, nothing twice */
	for (size_t i = 0; i < f.n; i++) {
		const char *slash = strrchr(f.entries[i].name, '/');
		bool parent = !slash;

		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(f.entries[k].name, f.entries[i].name);
			if (slash && S_ISDIR(f.entries[k].mode)) {
				const char *rest = str_after(f.entries[i].name, f.entries[k].name);

				parent |= rest == slash;
			}
		}
		assert_true(parent);
	}
	program_free(&f);
	free(guest);
	free(path);
}

static void refuse(const char *path, const struct program_target *t, int want, const char *words)
{
	struct program_files f = {.n = 0};
	struct err e = {""};

	assert_int_equal(program_add(&f, path, t, &e), want);
	if (!strstr(e.msg, words) || !strstr(e.msg, path))
		fail_msg("'%s' lacks '%s' or '%s'", e.msg, words, path);
	program_free(&f);
}

static void test_refused(void **state __unused_arg)
{
	static const struct program_target other = {.machine = EM_S390};
	char dir[] = "/tmp/blkproof-program-XXXXXX";
	char *script = NULL, *text = NULL;
	struct err e;

	assert_non_null(mkdtemp(dir));
	script = xasprintf("%s/script", dir);
	text = xasprintf("%s/text", dir);
	assert_int_equal(file_write_atomic(script, "#!/bin/sh\n", 10, &e), 0);
	assert_int_equal(file_write_atomic(text, "hello", 5, &e), 0);
	refuse(script, &target, -ENOEXEC, "a script");
	refuse(text, &target, -ENOEXEC, "not an ELF program");
	refuse(dir, &target, -ENOEXEC, "not a file");
	refuse("/nonexistent", &target, -ENOENT, "No such file");
	refuse("/proc/self/exe", &other, -ENOEXEC, "another machine");
	free(script);
	free(text);
	remove_tree(dir);
}

/* Every header of this test with one byte changed or the end cut: an error or an answer. */
static void test_damaged(void **state __unused_arg)
{
	char *data;
	struct elf_info info;
	struct err e;
	size_t len, kept;

	assert_int_equal(file_read("/proc/self/exe", 256u << 20, &data, &len, &e), 0);
	assert_int_equal(elf_read(&info, data, len, &e), 0);
	assert_true(info.executable && info.interpreter && info.n_needed);
	kept = info.n_needed;
	for (size_t i = EI_NIDENT; i < sizeof(Elf64_Ehdr) + 20 * sizeof(Elf64_Phdr); i++) {
		char old = data[i];

		for (int v = 1; v < 256; v <<= 1) {
			data[i] = (char)(old ^ v);
			if (!elf_read(&info, data, len, &e))
				assert_true(info.n_needed <= ELF_NEEDED_MAX);
		}
		data[i] = old;
	}
	for (size_t cut = 0; cut < MIN(len, (size_t)1 << 16); cut += 61) {
		char *copy = xmalloc(cut + 1); /* so that ASan sees what is read past the end */

		memcpy(copy, data, cut);
		if (!elf_read(&info, copy, cut, &e))
			assert_true(info.n_needed <= kept);
		free(copy);
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_itself),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
