// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "host/qemu_args.h"

static const struct {
	const char *value, *want;
} quoting[] = {
	{ "/a/b.img", "q -drive file=/a/b.img" },
	{ "/a,b.img", "q -drive file=/a,,b.img" },
	{ ",", "q -drive file=,," },
	{ "a,,b", "q -drive file=a,,,,b" },
	{ "a b", "q -drive 'file=a b'" },
	{ "it's", "q -drive 'file=it'\\''s'" },
	{ "a=b", "q -drive file=a=b" },
	{ "$HOME", "q -drive 'file=$HOME'" },
};

static void test_quoting(void **state __unused_arg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(quoting); i++) {
		struct qemu_args a;
		struct err e;
		char *text;

		qemu_args_init(&a, "q");
		qemu_list(&a, "drive", NULL);
		qemu_key(&a, "file", quoting[i].value);
		assert_int_equal(qemu_args_done(&a, &e), 0);
		text = qemu_args_text(&a);
		assert_string_equal(text, quoting[i].want);
		free(text);
		qemu_args_free(&a);
	}
}

static const struct {
	const char *flag, *first, *key, *value, *want;
} rejections[] = {
	{ "drive", NULL, "fi,le", "x", "key 'fi,le' is not a word" },
	{ "drive", NULL, "", "x", "key '' is not a word" },
	{ "drive", NULL, "file=x", "x", "key 'file=x' is not a word" },
	{ "drive", NULL, "file", "", "key file: an empty value" },
	{ "drive", NULL, "file", "a\nb", "key file: a control character" },
	{ "drive", NULL, "file", "a\x7f", "key file: a control character" },
	{ "drive", "a,b", "file", "x", "list value 'a,b' is not a word" },
	{ "-drive", NULL, "file", "x", "option '-drive' is not a word" },
};

static void test_rejections(void **state __unused_arg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rejections); i++) {
		struct qemu_args a;
		struct err e = { .msg = "" };

		qemu_args_init(&a, "q");
		qemu_list(&a, rejections[i].flag, rejections[i].first);
		qemu_key(&a, rejections[i].key, rejections[i].value);
		assert_int_equal(qemu_args_done(&a, &e), -EINVAL);
		if (!strstr(e.msg, rejections[i].want))
			fail_msg("'%s' lacks '%s'", e.msg, rejections[i].want);
		qemu_args_free(&a);
	}
}

static const struct qemu_guest guest = {
	.arch = ARCH_DEFAULT,
	.accel = "tcg", .cpus = 2, .memory = 2ull << 30, .kernel = "/k/bzImage",
	.initrd = "/i", .append = "console=ttyS0 panic=-1", .console = "/c", .port_fd = 7,
	.disk = "/cache/a,b.img", .disk_read_only = true, .disk_direct = true, .log = "/l",
};

static void check_guest(const struct qemu_guest *g, const char *has, const char *lacks)
{
	struct qemu_args a;
	struct err e;
	char *text;

	assert_int_equal(qemu_guest_args(&a, g, &e), 0);
	text = qemu_args_text(&a);
	if (!strstr(text, has))
		fail_msg("'%s' lacks '%s'", text, has);
	if (strstr(text, lacks))
		fail_msg("'%s' has '%s'", text, lacks);
	free(text);
	qemu_args_free(&a);
}

static void test_guest(void **state __unused_arg)
{
	struct qemu_guest g = guest;

	check_guest(&g, "qemu-system-x86_64 -nodefaults -no-user-config -no-reboot -display none",
		    "kvm");
	check_guest(&g, "-accel tcg,thread=multi -cpu max,erms=off,fsrm=off -smp cpus=2 -m size=2048 ", "host");
	check_guest(&g, "-append 'console=ttyS0 panic=-1' ", "snapshot");
	check_guest(&g, "readonly=on,cache=none,aio=threads,file=/cache/a,,b.img ", "writeback");
	check_guest(&g, "serial=blkproof-test,num-queues=2,queue-size=256 ", "append=");
	check_guest(&g, "-chardev socket,id=agent,fd=7 ", "server");
	g.disk_read_only = false;
	g.disk_direct = false;
	g.queue_size = 64;
	check_guest(&g, "snapshot=on,cache=writeback,", "readonly");
	check_guest(&g, "queue-size=64 ", "256");
	check_guest(&g, "-trace virtqueue_pop ", "virtio-net");
	g.net = true;
	check_guest(&g, "-netdev user,id=net,net=10.0.2.0/24,host=10.0.2.2 "
			"-device virtio-net-pci,netdev=net,romfile= ", "hostfwd");
	check_guest(&g, "-device virtio-net", "plan");
	g.plan = "/a,b.plan";
	/* behind the test disk */
	check_guest(&g, "queue-size=64 -drive if=none,id=plan,format=raw,readonly=on,"
			"file=/a,,b.plan -device virtio-blk-pci,drive=plan,serial=blkproof-plan ",
		    "queue-size=256");
	g.plan = NULL;
	g.root = "/root,1.img";
	/* behind the test disk, whose device the log is about */
	check_guest(&g, "queue-size=64 -drive if=none,id=root,format=raw,snapshot=on,"
			"file=/root,,1.img -device virtio-blk-pci,drive=root,serial=blkproof-root,"
			"num-queues=2,queue-size=64 ",
		    "readonly=on");
	g.root = NULL;
	g.disk_scratch = true;
	g.disk_sector = 4096;
	check_guest(&g, "discard=unmap,cache.no-flush=on", "snapshot=on");
	check_guest(&g, "queue-size=64,logical_block_size=4096,physical_block_size=4096 ",
		    "readonly");
	g.disk_scratch = false;
	g.disk_sector = 0;
	g.disk = NULL;
	check_guest(&g, "virtio-net", "virtio-blk");
	check_guest(&g, "-D /l ", "virtqueue_pop");
	g.accel = "kvm";
	check_guest(&g, "-accel kvm -cpu host ", "tcg");
}

static void test_arm64_guest(void **state __unused_arg)
{
	struct qemu_guest g = guest;
	struct err e;

	g.arch = arch_find("arm64-64k", &e);
	check_guest(&g, "qemu-system-aarch64 -nodefaults ", "q35");
	check_guest(&g, "-machine virt,gic-version=max -accel tcg,thread=multi -cpu max -smp ",
		    "erms");
	check_guest(&g, "-device virtio-blk-pci,drive=test,", "ccw");
	check_guest(&g, "-serial chardev:console ", "isa");
	g.accel = "kvm";
	check_guest(&g, "-accel kvm -cpu host ", "tcg");
}

static void reject_guest(const struct qemu_guest *g, const char *want)
{
	struct qemu_args a;
	struct err e = { .msg = "" };

	assert_int_equal(qemu_guest_args(&a, g, &e), -EINVAL);
	if (!strstr(e.msg, want))
		fail_msg("'%s' lacks '%s'", e.msg, want);
	qemu_args_free(&a);
}

static void test_guest_rejections(void **state __unused_arg)
{
	struct qemu_guest g = guest;

	g.accel = "hvf";
	reject_guest(&g, "accelerator 'hvf' is neither");
	g = guest;
	g.memory += 4096;
	reject_guest(&g, "multiple of 1 MiB");
	g = guest;
	g.queue_size = 100;
	reject_guest(&g, "power of two from 4 to 1024");
	g = guest;
	g.queue_size = 2048;
	reject_guest(&g, "power of two from 4 to 1024");
	g = guest;
	g.append = "a\nb";
	reject_guest(&g, "-append: a control character");
	g = guest;
	g.kernel = "";
	reject_guest(&g, "-kernel: an empty value");
	g = guest;
	g.disk = "";
	reject_guest(&g, "key file: an empty value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quoting),
		cmocka_unit_test(test_rejections),
		cmocka_unit_test(test_guest), cmocka_unit_test(test_arm64_guest),
		cmocka_unit_test(test_guest_rejections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
