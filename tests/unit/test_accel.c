// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "host/accel.h"
#include "lib/fileio.h"

static char cache[] = "/tmp/blkproof-accel-XXXXXX";

static int setup(void **state __unused_arg)
{
	return mkdtemp(cache) ? 0 : -1;
}

static int teardown(void **state __unused_arg)
{
	return remove_tree(cache);
}

static void choose(enum accel_asked asked, const char *kvm, const char *id, int ret,
		   const char *use, const char *reason)
{
	char *boot_id __cleanup_free = xasprintf("%s/id", cache);
	struct err e = { .msg = "" };
	struct accel a;

	assert_int_equal(file_write_atomic(boot_id, id, strlen(id), &e), 0);
	assert_int_equal(accel_choose_from(&a, asked, true, cache, kvm, boot_id, &e), ret);
	if (!ret && (strcmp(a.use, use) || !strstr(a.reason, reason)))
		fail_msg("%s, '%s' instead of %s, '%s'", a.use, a.reason, use, reason);
	if (ret && !strstr(e.msg, reason))
		fail_msg("'%s' lacks '%s'", e.msg, reason);
}

/* Guests of another architecture never get KVM, whatever the device says. */
static void test_foreign(void **state __unused_arg)
{
	char *boot_id __cleanup_free = xasprintf("%s/id", cache);
	struct err e = { .msg = "" };
	struct accel a;

	assert_int_equal(accel_choose_from(&a, ACCEL_AUTO, false, cache, "/dev/null", boot_id, &e),
			 0);
	assert_string_equal(a.use, "tcg");
	assert_string_equal(a.reason, "the guest is of another architecture");
	assert_int_equal(accel_choose_from(&a, ACCEL_TCG, false, cache, "/dev/null", boot_id, &e),
			 0);
	assert_string_equal(a.reason, "asked for");
	assert_int_equal(accel_choose_from(&a, ACCEL_KVM, false, cache, "/dev/null", boot_id, &e),
			 -ENODEV);
	assert_non_null(strstr(e.msg, "only guests of this machine's own architecture"));
}

static void test_choose(void **state __unused_arg)
{
	char *boot_id __cleanup_free = xasprintf("%s/id", cache);
	struct accel a;
	struct err e;

	choose(ACCEL_TCG, "/dev/null", "1", 0, "tcg", "asked for");
	choose(ACCEL_KVM, "/dev/null", "1", 0, "kvm", "asked for");
	choose(ACCEL_KVM, "/nonexistent", "1", -ENODEV, NULL, "/nonexistent: No such file");
	choose(ACCEL_AUTO, "/nonexistent", "1", 0, "tcg", "/nonexistent: No such file");
	choose(ACCEL_AUTO, "/dev/null", "1", 0, "kvm", "");

	/* no guest boots: fall back, and remember it until this machine is booted again */
	assert_int_equal(accel_choose_from(&a, ACCEL_AUTO, true, cache, "/dev/null", boot_id, &e),
			 0);
	assert_true(accel_fall_back_from(&a, cache, boot_id, "it said nothing"));
	assert_string_equal(a.use, "tcg");
	assert_non_null(strstr(a.reason, "it said nothing"));
	assert_false(accel_fall_back_from(&a, cache, boot_id, "again"));
	choose(ACCEL_AUTO, "/dev/null", "1", 0, "tcg", "since this machine was started");
	choose(ACCEL_KVM, "/dev/null", "1", 0, "kvm", "asked for");
	choose(ACCEL_AUTO, "/dev/null", "2", 0, "kvm", "");
}

/* What was asked for is never replaced, nor what a guest has proved. */
static void test_no_fall_back(void **state __unused_arg)
{
	struct accel kvm = { .asked = ACCEL_KVM, .use = "kvm" };
	struct accel tcg = { .asked = ACCEL_AUTO, .use = "tcg" };
	struct accel proved = { .asked = ACCEL_AUTO, .use = "kvm", .proved = true };

	assert_false(accel_fall_back_from(&kvm, cache, "/nonexistent", ""));
	assert_false(accel_fall_back_from(&tcg, cache, "/nonexistent", ""));
	assert_false(accel_fall_back_from(&proved, cache, "/nonexistent", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choose), cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_no_fall_back),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
