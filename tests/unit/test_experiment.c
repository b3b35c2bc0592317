// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/experiment.h"
#include "lib/fileio.h"
#include "lib/size.h"

#define KERNEL "[kernel base]\n"
#define ROOT "[experiment]\nroot = virtio-blk\n"
#define PHASE "[phase a]\npattern = piece-copy\n"

/* Each must be refused, with these words. */
static const struct {
	const char *text, *words;
} bad[] = {
	{"", "x.ini: no [phase NAME] section"},
	{PHASE, "x.ini: no [kernel NAME] section"},
	{KERNEL "[phase a]\n", "x.ini:2: phase 'a' has no pattern"},
	{"key = 1\n", "x.ini:1: key 'key' stands before the first [section]"},
	{"[experimant]\n", "x.ini:1: unknown section 'experimant'; did you mean 'experiment'?"},
	{"[zzzzzzzzzzzz]\n", "x.ini:1: unknown section 'zzzzzzzzzzzz'"},
	{"[experiment]\nfilesize = 1G\n",
	 "x.ini:2: unknown key 'filesize'; did you mean 'file_size'?"},
	{KERNEL PHASE "thread = 8\n", "x.ini:4: unknown key 'thread'; did you mean 'threads'?"},
	{"[experiment]\n\n# c\nfile_size = 1Q\n", "x.ini:4: file_size '1Q' is not a size"},
	{"[experiment]\nfile_size = 17179869184G\n",
	 "x.ini:2: file_size '17179869184G' is too large"},
	{"[experiment]\nfile_size = 32T\n",
	 "x.ini:2: file_size '32T' is out of range: 1 B to 16 TiB"},
	{KERNEL PHASE PHASE, "x.ini:4: phase 'a' is there twice, first in line 2"},
	{KERNEL KERNEL, "x.ini:2: kernel 'base' is there twice"},
	{KERNEL PHASE "threads = 0\n", "x.ini:4: threads '0' is not a number from 1 to 1024"},
	{KERNEL PHASE "threads = -1\n", "x.ini:4: threads '-1' is not a number"},
	{KERNEL PHASE "order = sideways\n", "x.ini:4: order 'sideways' is not one of forward"},
	{KERNEL PHASE "start = 9/8\n", "x.ini:4: start '9/8' is not a place in the file"},
	{KERNEL PHASE "start = 2G\n", "x.ini:2: phase 'a' starts past the end of the file"},
	{KERNEL PHASE "unaffected = maybe\n", "x.ini:4: unaffected 'maybe' is neither yes nor no"},
	{KERNEL PHASE "checks =\n", "x.ini:4: checks is empty"},
	{KERNEL PHASE "[expect base]\nx = never\n", "x.ini:5: x 'never' is not one of holds"},
	{KERNEL PHASE "[expect other]\nx = holds\n", "x.ini: [expect other]: no such kernel"},
	{KERNEL PHASE "[expect base b]\nx = holds\n", "x.ini: [expect base b]: no such phase"},
	{"[phase a/b]\n", "x.ini:1: phase 'a/b' is not a name"},
	{"[phase \n", "x.ini:1: expected ']'"},
	{KERNEL PHASE "[limits c]\nratio = nan\n", "x.ini:5: ratio 'nan' is not a number"},
	{KERNEL PHASE "  threads = 2\n", "x.ini:4: the line starts with a blank"},
	{KERNEL "[phase a]\npattern = root-boot\n", "x.ini:2: phase 'a' needs 'root' in"},
	{ROOT KERNEL "[phase a]\npattern = root-session\n",
	 "x.ini:4: phase 'a' needs a phase with pattern root-boot before it"},
	{ROOT KERNEL "[phase b]\npattern = root-boot\n" PHASE,
	 "x.ini:6: phase 'a' comes after one of the root file system"},
	{ROOT KERNEL "[phase b]\npattern = root-boot\n[phase c]\npattern = root-boot\n",
	 "x.ini:6: phase 'c' boots the root file system again"},
	{"[experiment]\nroot = nfs\nfilesystem = ceph\n" KERNEL "[phase b]\npattern = root-boot\n",
	 "x.ini:5: phase 'b' with root = nfs: the test file cannot be on ceph"},
	{"[experiment]\nroot = floppy\n",
	 "x.ini:2: root 'floppy' is not one of none, virtio-blk, nfs"},
	{KERNEL PHASE "advice = maybe\n", "x.ini:4: advice 'maybe' is not one of none, random"},
	{KERNEL PHASE "fault_around_bytes = 12K\n",
	 "x.ini:4: fault_around_bytes '12K' is not a power of two"},
	{"[experiment]\nfault_around_bytes = 1K\n",
	 "x.ini:2: fault_around_bytes '1K' is out of range: 4 KiB to 2 MiB"},
	{"[experiment]\ntransparent_hugepage = off\n",
	 "x.ini:2: transparent_hugepage 'off' is not one of always, madvise, never"},
	{KERNEL PHASE "placement = scattered\n",
	 "x.ini:4: placement 'scattered' is not one of interleaved, blocked"},
	{"[experiment]\nosd_objectstore = filestore\n",
	 "x.ini:2: osd_objectstore 'filestore' is not one of memstore, bluestore"},
	{"[experiment]\nosds = 2\nosd_replicas = 3\n" KERNEL PHASE,
	 "x.ini: osd_replicas is 3, more than osds, which is 2"},
	{KERNEL PHASE "threads = 2\nclients = 2\n",
	 "x.ini:2: phase 'a': more than one client needs filesystem = ceph"},
	{KERNEL PHASE "lazyio = yes\n", "x.ini:2: phase 'a': lazyio needs filesystem = ceph"},
	{"[experiment]\nfilesystem = ceph\n" KERNEL PHASE "threads = 2\nclients = 3\n",
	 "x.ini:4: phase 'a' has 3 clients, but only 2 threads"},
	{KERNEL PHASE "nonsense\n", "x.ini:4: expected [section], key = value or a comment"},
};

static void test_bad(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct experiment *exp;
		struct err e;

		assert_int_not_equal(experiment_parse(bad[i].text, "x.ini", &exp, &e), 0);
		if (!strstr(e.msg, bad[i].words))
			fail_msg("%zu: expected \"%s\", got \"%s\"", i, bad[i].words, e.msg);
	}
}

static const char good[] =
	"; the kinds of things there are\n"
	"[experiment]\nfault_around_bytes = 4K\ntransparent_hugepage = never\n"
	"root = virtio-blk\nroot_packages = systemd-sysv git\nsummary = s\nfile_size = 64M\nread_ahead_kb = 60\nqueue_size = 128\n"
	"[kernel base]\n"
	"[kernel patched]\npatches = p.patch\ncmdline = a=b c\nconfig = ceph nfs\n"
	"[phase one]\npattern = piece-copy\nstart = 1/8\nthreads = 3\norder = backward\n"
	"checks = cold-cache, data-intact\nunaffected = yes\n"
	"pages = 2\ncluster = 64K\nstreams = 8\nown_file = yes\nadvice = fadvise-willneed\n"
	"fault_around_bytes = 64K\n"
	"[phase two]\npattern = random-touch\nstart = 12K\nseed = 18446744073709551615\nmode = m\n"
	"[expect base]\nc = violated\n"
	"[expect base two]\nc = any\n"
	"[limits c]\nmax-ratio = 1.25\n";

static void check_good(const struct experiment *exp)
{
	const struct phase *one = &exp->phases[0], *two = &exp->phases[1];

	assert_int_equal(exp->file_size, 64 << 20);
	assert_int_equal(exp->read_ahead_kb, 60);
	assert_int_equal(exp->queue_size, 128);
	assert_int_equal(exp->n_kernels, 2);
	assert_string_equal(exp->kernels[0].name, "base");
	assert_string_equal(exp->kernels[1].cmdline, "a=b c");
	assert_string_equal(exp->kernels[1].config[1], "nfs");
	assert_int_equal(exp->n_phases, 2);
	assert_int_equal(position_bytes(&one->start, exp->file_size, 4096), 8 << 20);
	assert_int_equal(one->threads, 3);
	assert_int_equal(one->order, ORDER_BACKWARD);
	assert_true(one->unaffected);
	assert_int_equal(exp->fault_around_bytes, 4096);
	assert_int_equal(exp->root, ROOT_VIRTIO_BLK);
	assert_string_equal(exp->root_packages, "systemd-sysv git");
	assert_string_equal(exp->transparent_hugepage, "never");
	assert_int_equal(one->pages, 2);
	assert_int_equal(one->cluster, 65536);
	assert_int_equal(one->streams, 8);
	assert_true(one->own_file);
	assert_int_equal(one->advice, ADVICE_FADVISE_WILLNEED);
	assert_int_equal(one->fault_around_bytes, 65536);
	assert_int_equal(two->fault_around_bytes, 0);
	assert_true(phase_judges(one, "data-intact"));
	assert_false(phase_judges(one, "c"));
	assert_true(phase_judges(two, "c"));
	assert_int_equal(position_bytes(&two->start, exp->file_size, 8192), 8192);
	assert_true(two->seed == UINT64_MAX);
	assert_int_equal(experiment_expects(exp, "base", "one", "c"), EXPECT_VIOLATED);
	assert_int_equal(experiment_expects(exp, "base", "two", "c"), EXPECT_ANY);
	assert_int_equal(experiment_expects(exp, "patched", "two", "c"), EXPECT_HOLDS);
	assert_int_equal(exp->n_limits, 1);
	assert_true(exp->limits[0].value == 1.25);
}

/* One key at a time, as from the command line. */
static void test_set(void **state __unused_arg)
{
	static const struct {
		const char *key, *value, *words; /* NULL: taken */
	} cases[] = {
		{"read_ahead_kb", "512", NULL},
		{"scheduler", "none", NULL},
		{"readahead_kb", "512",
		 "unknown key 'readahead_kb'; did you mean 'read_ahead_kb'?"},
		{"cpus", "0", "[experiment]: cpus '0' is not a number from 1 to 32"},
		{"file_size", "1Q", "file_size '1Q' is not a size"},
		{"summary", "a\nb", "summary: a control character"},
	};
	struct experiment *exp;
	struct err e;

	assert_int_equal(experiment_parse(KERNEL PHASE, "x.ini", &exp, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret = experiment_set(exp, cases[i].key, cases[i].value, &e);

		assert_int_equal(!ret, !cases[i].words);
		if (ret && !strstr(e.msg, cases[i].words))
			fail_msg("expected \"%s\", got \"%s\"", cases[i].words, e.msg);
	}
	assert_int_equal(exp->read_ahead_kb, 512);
	assert_string_equal(exp->scheduler, "none");
	experiment_free(exp);
}

/* The program's phase replaces all others; what is said of kernels stays. */
static void test_program(void **state __unused_arg)
{
	struct experiment *exp, *again;
	struct err e = {""};
	char *text;

	assert_int_equal(experiment_parse(KERNEL PHASE "[phase b]\npattern = seq-read\n"
						       "[expect base]\nc = violated\n"
						       "[expect base b]\nd = violated\n",
					  "x.ini", &exp, &e),
			 0);
	assert_true(experiment_run_program(exp, "./p", "a ;b", &e) < 0);
	assert_int_equal(experiment_run_program(exp, "./p", "FILE 'a b' 8", &e), 0);
	assert_int_equal(exp->n_phases, 1);
	assert_int_equal(exp->n_expects, 1);
	text = experiment_text(exp);
	if (experiment_parse(text, "x.ini", &again, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(again->phases[0].program, "./p");
	assert_string_equal(again->phases[0].args, "FILE 'a b' 8");
	assert_int_equal(experiment_expects(again, "base", "program", "c"), EXPECT_VIOLATED);
	free(text);
	experiment_free(exp);
	experiment_free(again);
}

static void test_good_and_back(void **state __unused_arg)
{
	struct experiment *exp, *again;
	struct err e = {""};
	char *text, *text2;

	if (experiment_parse(good, "dir/name.ini", &exp, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(exp->name, "name");
	check_good(exp);
	text = experiment_text(exp);
	if (experiment_parse(text, "name.ini", &again, &e))
		fail_msg("%s in:\n%s", e.msg, text);
	check_good(again);
	text2 = experiment_text(again);
	assert_string_equal(text, text2);
	free(text);
	free(text2);
	experiment_free(exp);
	experiment_free(again);
}

static void test_resize(void **state __unused_arg)
{
	static const struct {
		u64 file_size, buffer, memory; /* MiB */
	} tests[] = {
		{1024, 64, 2048},
		{512, 64, 2048},
		{1025, 128, 2048 + 1 + 128},
		{4096, 256, 2048 + 3072 + 384},
		{16384, 1024, 2048 + 15360 + 1920},
		{1u << 20, 4096, 1u << 20},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		struct experiment *exp, *again;
		struct err e = {""};
		char *text;

		if (experiment_parse(KERNEL PHASE, "x.ini", &exp, &e))
			fail_msg("%s", e.msg);
		experiment_resize(exp, tests[i].file_size << 20);
		if (exp->file_size >> 20 != tests[i].file_size ||
		    exp->trace_buffer >> 20 != tests[i].buffer ||
		    exp->memory >> 20 != tests[i].memory)
			fail_msg("%zu: %llu %llu", i, (unsigned long long)exp->trace_buffer >> 20,
				 (unsigned long long)exp->memory >> 20);
		text = experiment_text(exp);
		if (experiment_parse(text, "x.ini", &again, &e))
			fail_msg("%zu: %s", i, e.msg);
		experiment_free(again);
		experiment_free(exp);
		free(text);
	}
}

static void test_shipped(void **state __unused_arg)
{
	struct experiment *exp;
	struct err e = {""};

	if (experiment_load("experiments/piece-copy.ini", &exp, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(exp->n_phases, 6);
	experiment_free(exp);
}

static const struct {
	const char *text;
	u64 bytes;
	int ret;
} sizes[] = {
	{"0", 0, 0},
	{"4096", 4096, 0},
	{"4k", 4096, 0},
	{"8M", 8 << 20, 0},
	{"1GiB", 1 << 30, 0},
	{"2TB", 2ull << 40, 0},
	{"47008B", 47008, 0},
	{"", 0, -EINVAL},
	{"M", 0, -EINVAL},
	{"-1", 0, -EINVAL},
	{"1.5G", 0, -EINVAL},
	{"0x10", 0, -EINVAL},
	{" 1", 0, -EINVAL},
	{"1 M", 0, -EINVAL},
	{"1MX", 0, -EINVAL},
	{"99999999999999999999", 0, -ERANGE},
	{"16777216T", 0, -ERANGE},
};

static void test_sizes(void **state __unused_arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct err e = {""};
		u64 v = 0;

		if (size_parse(sizes[i].text, "size", &v, &e) != sizes[i].ret ||
		    v != sizes[i].bytes)
			fail_msg("'%s': %llu %s", sizes[i].text, (unsigned long long)v, e.msg);
	}
}

/* Is ".It Cm @key" in the man page's part about [@section]? */
static bool documented(const char *page, const char *section, const char *key)
{
	char *head __cleanup_free = xasprintf("\n.Ss [%s", section);
	char *item __cleanup_free = xasprintf("\n.It Cm %s\n", key);
	const char *part = strstr(page, head), *end, *at;

	assert_non_null(part);
	for (end = part + 1; (end = strstr(end, "\n.S")); end++)
		if (end[3] == 's' || end[3] == 'h')
			break;
	assert_non_null(end);
	at = strstr(part, item);
	return at && at < end;
}

static void test_man_page_has_every_key(void **state __unused_arg)
{
	const char *section, *key;
	char *page __cleanup_free = NULL;
	size_t n = 0, items = 0;
	struct err e = {""};

	assert_int_equal(file_read("docs/blkproof-experiment.5", 1 << 20, &page, NULL, &e), 0);
	for (; (key = experiment_key(n, &section)); n++)
		if (!documented(page, section, key))
			fail_msg("docs/blkproof-experiment.5: [%s] %s is missing", section, key);
	/* and no key that does not exist: both sides have the same number */
	strstr(page, "\n.Sh PATTERNS")[0] = '\0';
	for (const char *p = page; (p = strstr(p, "\n.It Cm ")); p++)
		items++;
	assert_true(n > 0);
	assert_int_equal(items, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad),	cmocka_unit_test(test_set),
		cmocka_unit_test(test_program), cmocka_unit_test(test_good_and_back),
		cmocka_unit_test(test_resize),	cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_sizes),	cmocka_unit_test(test_man_page_has_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
