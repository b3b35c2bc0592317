// SPDX-License-Identifier: GPL-2.0-only
/* The command line of verify; and its man page and --help, which must say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fileio.h"
#include "verify/checks/check.h"
#include "verify/options.h"
#include "verify/report/out.h"

#define ARGS_MAX 8
#define LETTERS "abcdefghijklmnopqrstuvwxyz-"

struct parsed {
	struct options o;
	struct err e;
	int ret;
};

/* The caller calls options_free(). */
static void parse(struct parsed *p, const char *const *args)
{
	char *argv[ARGS_MAX + 2] = {(char *)"verify"};
	int argc = 1;

	for (; args[argc - 1]; argc++)
		argv[argc] = (char *)args[argc - 1];
	p->e.msg[0] = '\0';
	p->ret = options_parse(&p->o, argc, argv, &p->e);
}

static void test_errors(void **state __unused_arg)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *msg;
		bool bisect;
	} cases[] = {
		{{NULL},
		 "nothing to verify: name a run, a capture or a trace file (see --help)",
		 0},
		{{"--bisect"},
		 "nothing to verify: name a run, a capture or a trace file (see --help)",
		 1},
		{{"--fromat", "x", "--bisect"},
		 "unknown option '--fromat'; did you mean '--format'?",
		 1},
		{{"--zzzzzzzzzz"}, "unknown option '--zzzzzzzzzz'; --help lists them", 0},
		{{"-z"}, "unknown option '-z'; --help lists them", 0},
		{{"--format"}, "--format needs an argument: FORMAT", 0},
		{{"-f"}, "-f needs an argument: FORMAT", 0},
		{{"--format", "jso", "x"}, "unknown format 'jso'; did you mean 'json'?", 0},
		{{"--format=", "x"}, "unknown format ''; expected text, ktap or json", 0},
		{{"--bisect=1", "x"}, "--bisect takes no argument", 0},
		{{"--check", "cold-cash", "x"},
		 "unknown check 'cold-cash'; did you mean 'cold-cache'?",
		 0},
		{{"--check", "cold-cache,", "x"}, "unknown check ''; --list-checks lists them", 0},
		{{"--explain", "cold-cach"},
		 "unknown check 'cold-cach'; did you mean 'cold-cache'?",
		 0},
		{{"--explain", "cold-cache", "x"}, "--explain takes no path, found 'x'", 0},
		{{"--list-checks", "x"}, "--list-checks takes no path, found 'x'", 0},
		{{"--list-checks", "--version"},
		 "only one of --events, --list-checks, --explain, --reproducer and --version at a time",
		 0},
		{{"--set", "max-ratio", "x"},
		 "--set 'max-ratio': expected check.limit=value or limit=value",
		 0},
		{{"--set", "=1", "x"}, "--set '=1': expected check.limit=value or limit=value", 0},
		{{"--set", "max-ration=1", "x"},
		 "unknown limit of any check 'max-ration'; did you mean 'max-ratio'?",
		 0},
		{{"--set", "trace-complete.max-ratio=1", "x"},
		 "unknown limit of trace-complete 'max-ratio'; --list-checks lists them",
		 0},
		{{"--set", "max-ratio=1x", "x"},
		 "--set max-ratio: '1x' is not a number of at least 0",
		 0},
		{{"--set", "max-ratio=", "x"},
		 "--set max-ratio: '' is not a number of at least 0",
		 0},
		{{"--set", "max-ratio=-1", "x"},
		 "--set max-ratio: '-1' is not a number of at least 0",
		 0},
		{{"--set", "max-ratio=nan", "x"},
		 "--set max-ratio: 'nan' is not a number of at least 0",
		 0},
		{{"--set", "max-ratio=inf", "x"},
		 "--set max-ratio: 'inf' is not a number of at least 0",
		 0},
		{{"--by", "fil", "x"}, "unknown --by 'fil'; did you mean 'file'?", 0},
		{{"--stats", "-fktap", "x"}, "--stats has no ktap format: text or json", 0},
		{{"--chain", "4", "x"},
		 "--chain '4': expected event=NUMBER or offset=BYTES, then perhaps ,phase=NAME",
		 0},
		{{"--chain", "event=1,phas=a", "x"},
		 "--chain 'event=1,phas=a': expected event=NUMBER or offset=BYTES, then perhaps "
		 ",phase=NAME",
		 0},
		{{"--chain", "event=1,phase=", "x"},
		 "--chain 'event=1,phase=': no phase can have that name",
		 0},
		{{"--chain", "offset=1", "-fjson", "x"},
		 "--chain prints text alone, and no statistics",
		 0},
		{{"--events"}, "--events: name a run, a capture or a trace file", 0},
		{{"--events", "x", "-oy"}, "--events writes to standard output, not to a file", 0},
		{{"--output=", "x"}, "--output: the name of the file is empty", 0},
	};
	struct parsed p;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(&p, cases[i].args);
		assert_string_equal(p.e.msg, cases[i].msg);
		assert_true(p.ret < 0);
		assert_int_equal(p.o.bisect, cases[i].bisect);
		options_free(&p.o);
	}
}

static void test_good(void **state __unused_arg)
{
	struct parsed p;

	parse(&p, (const char *const[]){"--format=json", "-o", "out", "a", "--partial", "--", "-b",
					NULL});
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.o.format, FORMAT_JSON);
	assert_string_equal(p.o.output, "out");
	assert_true(p.o.partial);
	assert_false(p.o.bisect);
	assert_int_equal(p.o.n_paths, 2);
	assert_string_equal(p.o.paths[0], "a");
	assert_string_equal(p.o.paths[1], "-b");
	options_free(&p.o);

	parse(&p, (const char *const[]){"-ccold-cache,trace-complete", "--check", "data-intact",
					"--set", "device-bytes-near-requested.max-ratio=1.5",
					"--set=max-ratio=2", "x", NULL});
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.o.n_checks, 3);
	assert_string_equal(p.o.checks[1], "trace-complete");
	assert_string_equal(p.o.checks[2], "data-intact");
	assert_int_equal(p.o.n_limits, 2);
	assert_string_equal(p.o.limits[0].check, "device-bytes-near-requested");
	assert_string_equal(p.o.limits[0].name, "max-ratio");
	assert_true(p.o.limits[0].value == 1.5);
	assert_string_equal(p.o.limits[1].check, "");
	options_free(&p.o);

	parse(&p, (const char *const[]){"--explain", "cold-cache", NULL});
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.o.action, ACTION_EXPLAIN);
	assert_ptr_equal(p.o.explain, check_find("cold-cache"));
	options_free(&p.o);

	parse(&p, (const char *const[]){"--version", "--help", NULL});
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.o.action, ACTION_HELP);
	options_free(&p.o);
}

static bool known_option(const char *name, size_t len)
{
	for (unsigned int i = 0; i < n_option_table; i++)
		if (strlen(option_table[i].name) == len &&
		    !strncmp(option_table[i].name, name, len))
			return true;
	return false;
}

/* Every "--name" in @text is an option of the table, and every option is in it. */
static void check_words(const char *where, const char *text)
{
	for (unsigned int i = 0; i < n_option_table; i++) {
		const char *name = option_table[i].name, *p = text;
		bool found = false;

		while (!found && (p = strstr(p, "--"))) {
			p += 2;
			found = !strncmp(p, name, strlen(name)) &&
				!strchr(LETTERS, p[strlen(name)]);
		}
		if (!found)
			fail_msg("%s lacks --%s", where, name);
	}
	for (const char *p = text; (p = strstr(p, "--")); p += 2) {
		size_t len = strspn(p + 2, LETTERS);

		if (len && !known_option(p + 2, len))
			fail_msg("%s has --%.*s, which is no option", where, (int)len, p + 2);
	}
}

static void test_chain(void **state __unused_arg)
{
	static const struct {
		const char *arg;
		struct chain_where where;
	} cases[] = {
		{"event=4253", {CHAIN_EVENT, 4253, ""}},
		{"offset=0", {CHAIN_OFFSET, 0, ""}},
		{"offset=150990848,phase=one-thread", {CHAIN_OFFSET, 150990848, "one-thread"}},
	};
	struct parsed p;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(&p, (const char *const[]){"--chain", cases[i].arg, "x", NULL});
		assert_int_equal(p.ret, 0);
		assert_int_equal(p.o.chain.what, cases[i].where.what);
		assert_int_equal(p.o.chain.value, cases[i].where.value);
		assert_string_equal(p.o.chain.phase, cases[i].where.phase);
		options_free(&p.o);
	}
	parse(&p, (const char *const[]){"--by", "task", "--by=file", "x", NULL});
	assert_int_equal(p.ret, 0);
	assert_true(p.o.stats);
	assert_int_equal(p.o.by, STATS_BY_FILE | STATS_BY_TASK);
	options_free(&p.o);
}

static void test_docs(void **state __unused_arg)
{
	char *page __cleanup_free = NULL;
	struct out help = {0};
	struct err e;
	char *to;

	options_help(&help);
	check_words("--help", help.text);
	out_free(&help);
	if (file_read("docs/verify.1", 1 << 20, &page, NULL, &e))
		fail_msg("%s", e.msg);
	/* man pages write a hyphen that is to be copied as \- */
	to = page;
	for (const char *from = page; *from; from++)
		if (from[0] != '\\' || from[1] != '-')
			*to++ = *from;
	*to = '\0';
	check_words("docs/verify.1", page);
}

static void test_help_width(void **state __unused_arg)
{
	struct out help = {.width = REPORT_WIDTH};

	options_help(&help);
	for (const char *p = help.text; *p; p += strcspn(p, "\n") + 1)
		if (strcspn(p, "\n") > REPORT_WIDTH)
			fail_msg("too long: %.80s", p);
	out_free(&help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),	   cmocka_unit_test(test_good),
		cmocka_unit_test(test_chain),	   cmocka_unit_test(test_docs),
		cmocka_unit_test(test_help_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
