// SPDX-License-Identifier: GPL-2.0-only
/*
 * verify --reproducer: for every pattern and order, a program of under 60 lines
 * that compiles without a warning, runs, and touches what the agent would.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "guest/patterns/list.h"
#include "lib/fileio.h"
#include "lib/layout.h"
#include "verify/report/report.h"

/* pattern_piece_copy, ...: the list as text */
#define PATTERN_NAME(p, pieces) #p,
static const char *const pattern_names[] = {FOR_EACH_PATTERN(PATTERN_NAME)};

#define FILE_SIZE (3u << 20)

static char dir[] = "/tmp/test_reproducer.XXXXXX";

static void make_pattern(struct phase *p, const char *identifier)
{
	snprintf(p->pattern, sizeof(p->pattern), "%s", str_after(identifier, "pattern_"));
	for (char *c = p->pattern; *c; c++)
		if (*c == '_')
			*c = '-';
}

static void make_experiment(struct experiment *exp, struct phase *p)
{
	*exp = (struct experiment){.file_size = FILE_SIZE, .read_ahead_kb = 128};
	snprintf(exp->name, sizeof(exp->name), "*/ int x?\?/");
	*p = (struct phase){.threads = 3,
			    .start = {.num = 1, .den = 8},
			    .piece = 100000,
			    .count = 77,
			    .length = 24,
			    .pages = 2,
			    .cluster = 65536,
			    .streams = 3,
			    .seed = 5};
	snprintf(p->name, sizeof(p->name), "one */ \\");
	exp->phases = p;
	exp->n_phases = 1;
}

/* Runs @fmt by the shell; what it printed, at most 4 KiB. */
static int run(char *out, size_t size, const char *fmt, ...)
{
	char *command __cleanup_free = NULL;
	va_list ap;
	FILE *f;
	size_t n;
	int status;

	va_start(ap, fmt);
	if (vasprintf(&command, fmt, ap) < 0)
		fail();
	va_end(ap);
	f = popen(command, "r");
	assert_non_null(f);
	n = fread(out, 1, size - 1, f);
	out[n] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static unsigned int count_lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++) {
		n += *text == '\n';
		assert_true(*text == '\n' || *text == '\t' || (*text >= ' ' && *text <= '~'));
	}
	return n;
}

static void build_and_run(struct experiment *exp, const char *what)
{
	struct out o = {0};
	char text[4096], *source __cleanup_free = xasprintf("%s/r.c", dir);
	unsigned long faults;
	struct err e;
	int end = 0;

	if (report_reproducer(&o, exp, exp->phases[0].name, &e))
		fail_msg("%s: %s", what, e.msg);
	if (count_lines(o.text) >= 60)
		fail_msg("%s: %u lines:\n%s", what, count_lines(o.text), o.text);
	assert_int_equal(file_write_atomic(source, o.text, o.len, &e), 0);
	if (run(text, sizeof(text),
		"cd %s && cc -O1 -Wall -Wextra -Werror -pthread -o r r.c 2>&1 && ./r file %s 2>&1",
		dir, exp->phases[0].clients > 1 ? "file" : ""))
		fail_msg("%s: %s\n%s", what, text, o.text);
	/* it says nothing of a network file system */
	if (exp->phases[0].clients ? *text : 0)
		fail_msg("%s: printed '%s'", what, text);
	if (!exp->phases[0].clients &&
	    (sscanf(text, "%lu major faults%n", &faults, &end) != 1 || strcmp(text + end, "\n")))
		fail_msg("%s: printed '%s'", what, text);
	/* and without its argument it says so, and fails */
	assert_int_equal(run(text, sizeof(text), "cd %s && ./r 2>/dev/null", dir), 1);
	out_free(&o);
}

static void test_all(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(pattern_names); i++) {
		for (int order = ORDER_FORWARD; order <= ORDER_MEMCPY; order++) {
			for (int chunk = 0; chunk < 2; chunk++) {
				struct experiment exp;
				struct phase p;
				char *what __cleanup_free = NULL;

				make_experiment(&exp, &p);
				make_pattern(&p, pattern_names[i]);
				/* that is its own */
				if (!strcmp(p.pattern, "program"))
					continue;
				p.order = (enum copy_order)order;
				p.chunk = chunk ? 250000 : 0;
				what = xasprintf("%s, order %d, chunk %d", p.pattern, order, chunk);
				/* what a plan says is no program of 60 lines */
				if (!strncmp(p.pattern, "replay-", 7)) {
					struct out o = {0};
					struct err e;

					assert_int_equal(report_reproducer(&o, &exp, p.name, &e),
							 -EINVAL);
					assert_non_null(strstr(e.msg, "no reproducer is known"));
					continue;
				}
				/* only a mapping has an order */
				/* two mounts of one file, which is the same file here */
				if (!strncmp(p.pattern, "ior-", 4)) {
					p.clients = 1 + chunk;
					p.placement = order ? PLACE_BLOCKED : PLACE_INTERLEAVED;
				}
				if ((order || chunk) && !strstr(p.pattern, "copy") &&
				    (order > 1 || strncmp(p.pattern, "ior-", 4)) &&
				    !(chunk && !order && !strcmp(p.pattern, "seq-read")))
					continue;
				build_and_run(&exp, what);
			}
		}
	}
}

/*
 * What the program reads, in order, against lib/layout.h, from which the agent
 * takes its offsets: the program's reads are seen by a pread() of our own.
 */
static void test_offsets(void **state __unused_arg)
{
	static const char spy[] =
		"#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n"
		"#include <unistd.h>\n"
		"ssize_t pread(int f, void *b, size_t n, off_t o)\n{\n"
		"\tprintf(\"%ld %zu\\n\", (long)o, n);\n"
		"\treturn ((ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "
		"\"pread\"))(f, b, n, o);\n}\n";
	char *spy_path __cleanup_free = xasprintf("%s/spy.c", dir);
	struct err e;

	assert_int_equal(file_write_atomic(spy_path, spy, strlen(spy), &e), 0);
	for (int chunk = 0; chunk < 2; chunk++) {
		struct experiment exp;
		struct layout l;
		struct phase p;
		struct out o = {0};
		char *source __cleanup_free = xasprintf("%s/r.c", dir);
		static char text[1 << 16];
		char want[1 << 12] = "";
		struct cursor c = {0};
		u64 off, len;

		make_experiment(&exp, &p);
		snprintf(p.pattern, sizeof(p.pattern), "pread-copy");
		p.chunk = chunk ? 250000 : 0;
		p.threads = 1;
		assert_int_equal(report_reproducer(&o, &exp, p.name, &e), 0);
		assert_int_equal(file_write_atomic(source, o.text, o.len, &e), 0);
		if (run(text, sizeof(text),
			"cd %s && cc -shared -fPIC -o spy.so spy.c -ldl && cc -O1 -pthread -o r r.c && "
			"LD_PRELOAD=./spy.so ./r file 2>&1",
			dir))
			fail_msg("%s", text);
		assert_int_equal(layout_init(&l, FILE_SIZE,
					     position_bytes(&p.start, FILE_SIZE, 4096), p.piece,
					     p.chunk, p.threads),
				 0);
		while (layout_next(&l, 0, &c, &off, &len))
			snprintf(want + strlen(want), sizeof(want) - strlen(want), "%llu %llu\n",
				 (unsigned long long)off, (unsigned long long)len);
		assert_true(strlen(want) > 100);
		if (strncmp(text, want, strlen(want)) || !str_after(text + strlen(want), "0 major"))
			fail_msg("chunk %d:\n%s instead of\n%s", chunk, text, want);
		out_free(&o);
	}
}

/* LAZYIO is CephFS's alone: here the program is built, and says that it can't have it. */
static void test_lazyio(void **state __unused_arg)
{
	static const char *const patterns[] = {"ior-hard-read", "ior-easy-read",
					       "ior-rnd4K-easy-read"};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(patterns); i++) {
		char text[4096], *source __cleanup_free = xasprintf("%s/r.c", dir);
		struct experiment exp;
		struct phase p;
		struct out o = {0};
		struct err e;

		make_experiment(&exp, &p);
		snprintf(p.pattern, sizeof(p.pattern), "%s", patterns[i / 2]);
		p.chunk = i % 2 ? 250000 : 0;
		p.clients = 4;
		p.lazyio = true;
		assert_int_equal(report_reproducer(&o, &exp, p.name, &e), 0);
		if (count_lines(o.text) >= 60)
			fail_msg("%s: %u lines", p.pattern, count_lines(o.text));
		assert_int_equal(file_write_atomic(source, o.text, o.len, &e), 0);
		assert_int_equal(run(text, sizeof(text),
				     "cd %s && cc -O1 -Wall -Wextra -Werror -pthread -o r r.c && "
				     "./r file file file file 2>&1",
				     dir),
				 1);
		assert_non_null(strstr(text, "LAZYIO: "));
		out_free(&o);
	}
}

static void test_errors(void **state __unused_arg)
{
	struct experiment exp;
	struct phase p;
	struct out o = {0};
	struct err e;

	make_experiment(&exp, &p);
	snprintf(p.name, sizeof(p.name), "one-thread");
	snprintf(p.pattern, sizeof(p.pattern), "piece-copy");
	assert_true(report_reproducer(&o, &exp, "one-threat", &e) < 0);
	assert_non_null(strstr(e.msg, "did you mean 'one-thread'"));
	p.piece = 0;
	assert_true(report_reproducer(&o, &exp, "one-thread", &e) < 0);
	snprintf(p.pattern, sizeof(p.pattern), "unheard-of");
	assert_true(report_reproducer(&o, &exp, "one-thread", &e) < 0);
	assert_non_null(strstr(e.msg, "'unheard-of'"));
	out_free(&o);
}

static int setup(void **state __unused_arg)
{
	char *path __cleanup_free = NULL;
	FILE *f;

	if (!mkdtemp(dir))
		return -1;
	path = xasprintf("%s/file", dir);
	f = fopen(path, "we");
	if (!f || fseek(f, FILE_SIZE - 1, SEEK_SET) || fputc('x', f) == EOF || fclose(f))
		return -1;
	return 0;
}

static int teardown(void **state __unused_arg)
{
	return remove_tree(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_lazyio),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
