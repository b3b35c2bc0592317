// SPDX-License-Identifier: GPL-2.0-only
/* Which functions a patch changes: diffs as git, quilt and diff -u write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "host/patch.h"
#include "host/patch_functions.h"

#define FILE_MM "--- a/mm/filemap.c\n+++ b/mm/filemap.c\n"

static const struct {
	const char *what, *diff;
	const char *functions; /* "name name+ name+<caller", in order */
	unsigned int unnamed;
} cases[] = {
	{"named by the hunk's header",
	 FILE_MM "@@ -10,3 +10,3 @@ vm_fault_t filemap_fault(struct vm_fault *vmf)\n"
		 " \tint a;\n-\tb();\n+\tc();\n \td();\n",
	 "filemap_fault", 0},
	{"the header's function ends before the change",
	 FILE_MM
	 "@@ -10,4 +10,5 @@ void first(void)\n }\n \n int second(int x)\n {\n+\treturn 1;\n",
	 "second", 0},
	{"a new function, and who calls it",
	 FILE_MM
	 "@@ -10,2 +10,7 @@ void first(void)\n }\n \n+static int helper(int x)\n+{\n"
	 "+\treturn x;\n+}\n+\n"
	 "@@ -30,2 +35,2 @@ void third(struct a *b,\n-\told(x);\n+\tnot_helper(x) + helper(x);\n \ty();\n",
	 "helper+<third third", 0},
	{"two lines of a definition, type on a line of its own",
	 FILE_MM "@@ -10,4 +10,5 @@\n static noinline\n int fourth(struct a *a,\n \t\tint b)\n {\n"
		 "+\tx();\n",
	 "fourth", 0},
	{"twice the same",
	 FILE_MM "@@ -10,1 +10,2 @@ int a(void)\n+\tx();\n \ty();\n"
		 "@@ -20,1 +21,2 @@ int a(void)\n+\tx();\n \ty();\n",
	 "a", 0},
	{"no function in the header", FILE_MM "@@ -10,1 +10,2 @@\n+\tx();\n \ty();\n", "", 1},
	{"a struct's member",
	 FILE_MM "@@ -10,1 +10,2 @@ struct file_ra_state {\n+\tint x;\n \tint y;\n", "", 1},
	{"a prototype is no function",
	 "--- a/mm/internal.h\n+++ b/mm/internal.h\n@@ -1,2 +1,4 @@\n \n+int far(int a,\n+\tint b);\n \n",
	 "", 1},
	{"comments, blanks and exports say nothing",
	 FILE_MM
	 "@@ -10,3 +10,7 @@ int a(void)\n }\n+\n+/*\n+ * text of foo(x)\n+ */\n EXPORT_SYMBOL(a);\n \n",
	 "", 0},
	{"a comment inside a function",
	 FILE_MM "@@ -10,1 +10,2 @@ int a(void)\n+\t/* why */\n \tx();\n", "", 0},
	{"a label does not end a function",
	 FILE_MM "@@ -10,3 +10,4 @@ int a(void)\n \tx();\n out:\n+\ty();\n \tz();\n", "a", 0},
	{"a preprocessor line does not either",
	 FILE_MM "@@ -10,2 +10,3 @@ int a(void)\n #if defined(X)\n+\ty();\n \tz();\n", "a", 0},
	{"no C file", "--- a/mm/Kconfig\n+++ b/mm/Kconfig\n@@ -1,1 +1,2 @@ config A(B)\n+\tx\n y\n",
	 "", 0},
	{"a new file",
	 "--- /dev/null\n+++ b/mm/new.c\n@@ -0,0 +1,4 @@\n+int one(void)\n+{\n+\treturn 1;\n+}\n",
	 "one+", 0},
	{"a file that goes", "--- a/mm/old.c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-int one(void)\n-{\n",
	 "", 0},
	{"a removed line that looks like a header",
	 FILE_MM "@@ -10,2 +10,1 @@ int a(void)\n--- a/x\n \ty();\n", "a", 0},
	{"an array with calls is none", FILE_MM "@@ -10,2 +10,3 @@\n int x = f(1,\n+\t2);\n \n", "",
	 1},
	{"empty context lines without their blank",
	 FILE_MM "@@ -10,4 +10,5 @@ int a(void)\n }\n\n int b(void)\n {\n+\tx();\n", "b", 0},
	{"garbage", FILE_MM "@@ -1 +1 @@\n-\n+\n@@ -\n@@ -9,0 +9 @@ (\n+(\n", "", 1},
};

static char *words(const struct patch_functions *f)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < f->n; i++) {
		char *old __cleanup_free = text;
		const struct patch_function *p = &f->list[i];

		text = xasprintf("%s%s%s%s%s%s", old, i ? " " : "", p->name, p->added ? "+" : "",
				 p->called_from ? "<" : "", p->called_from ? p->called_from : "");
	}
	return text;
}

static void test_cases(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct patch_functions f;
		char *got __cleanup_free = NULL;

		patch_functions_find(&f, cases[i].diff);
		got = words(&f);
		if (strcmp(got, cases[i].functions) || f.unnamed_hunks != cases[i].unnamed)
			fail_msg("%s: '%s', %u unnamed", cases[i].what, got, f.unnamed_hunks);
		patch_functions_free(&f);
	}
}

static void test_own_patch(void **state __unused_arg)
{
	struct patch_functions f;
	char *got __cleanup_free = NULL;
	struct series s;
	struct err e;

	if (series_load("patches/0001-mm-readahead-look-two-windows-ahead.patch", &s, &e))
		fail_msg("%s", e.msg);
	patch_functions_find(&f, s.patches[0].diff);
	got = words(&f);
	assert_string_equal(got, "ra_first_hole+<page_cache_async_ra page_cache_async_ra");
	assert_string_equal(f.list[1].file, "mm/readahead.c");
	assert_int_equal(f.unnamed_hunks, 0);
	patch_functions_free(&f);
	series_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_own_patch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
