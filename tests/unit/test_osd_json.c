// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fileio.h"
#include "verify/rundir.h"

static char path[] = "/tmp/blkproof-test-osd-XXXXXX";

/* op_r and op_r_out_bytes of one OSD; what else there is does not matter */
#define OSD(name, reads, bytes)                                                                    \
	"\"" name "\": {\"osd\": {\"op_r\": " reads ", \"op_r_out_bytes\": " bytes                    \
	", \"op_w\": \"x\"}, \"bluefs\": {}}"
#define PHASE(name, before, after)                                                                 \
	"{\"name\": \"" name "\", \"before\": {" before "}, \"after\": {" after "}}"
#define FILE_OF(phases) "{\"schema\": 1, \"phases\": [" phases "]}"

#define ALL_THREE                                                                                  \
	OSD("osd.0", "11", "1100") "," OSD("osd.1", "7", "0") "," OSD("osd.2", "4", "5001")
#define TWO PHASE("two", OSD("osd.0", "5", "500"), OSD("osd.0", "5", "500"))

static const struct {
	const char *text, *says;
} bad[] = {
	{"", "ends too early"},
	{"[]", "expected an object at the top"},
	{"{\"phases\": []}", "schema"},
	{"{\"schema\": 2, \"phases\": []}", "schema is 2, this verify reads 1"},
	{"{\"schema\": 1}", "phases"},
	{FILE_OF(TWO), "phases: expected 2 elements as in capture.json, found 1"},
	{FILE_OF(TWO "," TWO), "phases[0]: name: found 'two', but capture.json has 'one' there"},
	{FILE_OF("7," TWO), "phases[0]: expected an object"},
	{FILE_OF(PHASE("one", "", "") "," TWO), "expected the same 1 to 1024 OSDs"},
	{FILE_OF(PHASE("one", OSD("osd.0", "1", "1"), "") "," TWO), "found 1 and 0"},
	{FILE_OF(PHASE("one", OSD("osd.0", "1", "1"), OSD("osd.1", "1", "1")) "," TWO),
	 "phases[0].after.osd.0: expected an object"},
	{FILE_OF(PHASE("one", "\"osd.0\": {}", "\"osd.0\": {}") "," TWO), "osd.0.osd: missing"},
	{FILE_OF(PHASE("one", OSD("osd.0", "1", "\"1\""), OSD("osd.0", "1", "1")) "," TWO),
	 "osd.op_r_out_bytes: expected a whole number, found a string"},
	{FILE_OF(PHASE("one", OSD("osd.0", "1", "-1"), OSD("osd.0", "1", "1")) "," TWO),
	 "osd.op_r_out_bytes"},
	{FILE_OF(PHASE("one", OSD("osd.0", "1", "9"), OSD("osd.0", "1", "8")) "," TWO),
	 "osd.0's op_r_out_bytes is 8, less than 9 before: it was restarted"},
	{FILE_OF(PHASE("one", OSD("osd.0", "2", "9"), OSD("osd.0", "1", "9")) "," TWO),
	 "osd.0's op_r is 1, less than 2 before"},
	/* each phase has the OSDs of the one before it, which go on counting */
	{FILE_OF(PHASE("one", OSD("osd.0", "1", "1") "," OSD("osd.1", "1", "1"),
		       OSD("osd.0", "1", "1") "," OSD("osd.1", "1", "1")) "," TWO),
	 "phases[1]: found 1 OSD, but 2 in the phase before"},
	{FILE_OF(PHASE("one", OSD("osd.1", "1", "1"), OSD("osd.1", "1", "1")) "," TWO),
	 "phases[1]: osd.0 is not in the phase before"},
	{FILE_OF(PHASE("one", OSD("osd.0", "1", "1"), OSD("osd.0", "1", "501")) "," TWO),
	 "phases[1]: osd.0's op_r_out_bytes is 500, less than 501 before: it was restarted"},
	{FILE_OF(PHASE("one", OSD("osd.0", "1", "1"), OSD("osd.0", "6", "1")) "," TWO),
	 "phases[1]: osd.0's op_r is 5, less than 6 before: it was restarted"},
};

static int load(const char *text, struct phase_info *phases, struct capture *c, struct err *e)
{
	*c = (struct capture){.phases = phases, .n_phases = 2, .osd = path};
	memset(phases, 0, 2 * sizeof(*phases));
	strcpy(phases[0].name, "one");
	strcpy(phases[1].name, "two");
	if (file_write_atomic(path, text, strlen(text), e))
		fail_msg("%s", e->msg);
	return osd_json_load(c, e);
}

static void test_bad(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct phase_info phases[2];
		struct err e = {""};
		struct capture c;

		if (!load(bad[i].text, phases, &c, &e))
			fail_msg("%zu is taken", i);
		if (!strstr(e.msg, bad[i].says) || !strstr(e.msg, path))
			fail_msg("%zu: '%s' does not say '%s'", i, e.msg, bad[i].says);
	}
}

static void test_sums(void **state __unused_arg)
{
	static const char text[] = FILE_OF(
		PHASE("one",
		      OSD("osd.0", "10", "1000") "," OSD("osd.1", "7", "0") "," OSD("osd.2", "0", "1"),
		      OSD("osd.2", "4", "5001") "," OSD("osd.0", "11", "1100") ","
			      OSD("osd.1", "7", "0")) ","
		PHASE("two", ALL_THREE, ALL_THREE));
	struct phase_info phases[2];
	struct err e = {""};
	struct capture c;

	if (load(text, phases, &c, &e))
		fail_msg("%s", e.msg);
	assert_true(phases[0].osd_known && phases[1].osd_known);
	assert_int_equal(phases[0].osd_reads, 1 + 0 + 4);
	assert_int_equal(phases[0].osd_read_bytes, 100 + 0 + 5000);
	assert_int_equal(phases[1].osd_reads, 0);
	assert_int_equal(phases[1].osd_read_bytes, 0);
}

/* Sums that no number holds. */
static void test_overflow(void **state __unused_arg)
{
	static const char text[] = FILE_OF(
		PHASE("one",
		      OSD("a", "0", "0") "," OSD("b", "0", "0") "," OSD("c", "0", "0"),
		      OSD("a", "0", "9223372036854775807") "," OSD("b", "0", "9223372036854775807") ","
			      OSD("c", "0", "9223372036854775807")) "," TWO);
	struct phase_info phases[2];
	struct err e = {""};
	struct capture c;

	assert_int_equal(load(text, phases, &c, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "the sum of op_r_out_bytes over OSDs is too large"));
}

static int setup(void **state __unused_arg)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state __unused_arg)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
