// SPDX-License-Identifier: GPL-2.0-only
#include "host/qemu_args.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "lib/contract.h"

static void add(struct qemu_args *a, char *arg)
{
	a->argv = xrealloc(a->argv, a->n + 2, sizeof(*a->argv));
	a->argv[a->n++] = arg;
	a->argv[a->n] = NULL;
}

void qemu_args_init(struct qemu_args *a, const char *program)
{
	memset(a, 0, sizeof(*a));
	add(a, xstrdup(program));
}

void qemu_args_free(struct qemu_args *a)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		free(a->argv[i]);
	free(a->argv);
	memset(a, 0, sizeof(*a));
}

static void reject(struct qemu_args *a, const char *fmt, const char *what)
{
	if (!a->ret)
		a->ret = err_set(&a->error, -EINVAL, fmt, what);
}

/* Keys and flags are ours: words of letters, digits, '-', '_' and '.'. */
static bool word_ok(const char *s)
{
	if (!s || !isalpha((unsigned char)*s))
		return false;
	while (isalnum((unsigned char)*s) || *s == '-' || *s == '_' || *s == '.')
		s++;
	return !*s;
}

/* A line break would end the line of a command file and of what --verbose prints. */
static bool value_ok(const char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			return false;
	return true;
}

void qemu_arg(struct qemu_args *a, const char *flag, const char *value)
{
	if (!word_ok(flag))
		reject(a, "QEMU option '%s' is not a word", flag ? flag : "");
	if (value && !value_ok(value))
		reject(a, "QEMU option -%s: a control character in its value", flag);
	if (value && !*value)
		reject(a, "QEMU option -%s: an empty value", flag);
	add(a, xasprintf("-%s", flag ? flag : ""));
	if (value)
		add(a, xstrdup(value));
}

static char *comma_quote(const char *s)
{
	char *out = xmalloc(2 * strlen(s) + 1), *p = out;

	for (; *s; s++) {
		if (*s == ',')
			*p++ = ',';
		*p++ = *s;
	}
	*p = '\0';
	return out;
}

void qemu_list(struct qemu_args *a, const char *flag, const char *first)
{
	if (first && !word_ok(first))
		reject(a, "QEMU list value '%s' is not a word", first);
	qemu_arg(a, flag, NULL);
	add(a, xstrdup(first ? first : ""));
}

static void add_key(struct qemu_args *a, const char *key, const char *value)
{
	char *quoted __cleanup_free = comma_quote(value);
	char **last = &a->argv[a->n - 1];
	char *old = *last;

	if (!word_ok(key))
		reject(a, "QEMU key '%s' is not a word", key);
	if (!value_ok(value))
		reject(a, "QEMU key %s: a control character in its value", key);
	*last = xasprintf("%s%s%s=%s", old, *old ? "," : "", key, quoted);
	free(old);
}

void qemu_key(struct qemu_args *a, const char *key, const char *value)
{
	add_key(a, key, value);
	if (!*value)
		reject(a, "QEMU key %s: an empty value", key);
}

void qemu_key_none(struct qemu_args *a, const char *key)
{
	add_key(a, key, "");
}

void qemu_key_num(struct qemu_args *a, const char *key, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	qemu_key(a, key, text);
}

int qemu_args_done(const struct qemu_args *a, struct err *e)
{
	if (a->ret)
		*e = a->error;
	return a->ret;
}

static bool shell_safe(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("-_./=,:+@%", *s))
			return false;
	return true;
}

char *qemu_args_text(const struct qemu_args *a)
{
	char *text = NULL;
	size_t len, i;
	const char *s;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return xstrdup("");
	for (i = 0; i < a->n; i++) {
		if (i)
			putc(' ', f);
		if (shell_safe(a->argv[i])) {
			fputs(a->argv[i], f);
			continue;
		}
		putc('\'', f);
		for (s = a->argv[i]; *s; s++) {
			if (*s == '\'')
				fputs("'\\''", f);
			else
				putc(*s, f);
		}
		putc('\'', f);
	}
	fclose(f);
	return text;
}

/* The events that host/reqlog.c makes requests of. */
static const char *const trace_events[] = {
	"virtqueue_pop",	  "virtio_blk_handle_read",  "virtio_blk_handle_write",
	"virtio_blk_rw_complete", "virtio_blk_req_complete",
};

static void machine_args(struct qemu_args *a, const struct qemu_guest *g)
{
	bool arm = g->arch->elf == EM_AARCH64;

	qemu_arg(a, "nodefaults", NULL);
	qemu_arg(a, "no-user-config", NULL);
	/* with panic=-1 on the kernel's command line, a panic ends QEMU */
	qemu_arg(a, "no-reboot", NULL);
	qemu_arg(a, "display", "none");
	if (arm) {
		qemu_list(a, "machine", "virt");
		/* the newest that the accelerator has: its ITS is what MSI-X of queues needs */
		qemu_key(a, "gic-version", "max");
	} else {
		qemu_arg(a, "machine", "q35");
	}
	qemu_list(a, "accel", g->accel);
	if (!strcmp(g->accel, "tcg"))
		qemu_key(a, "thread", "multi");
	/*
	 * On x86 without the fast-string flags: TCG runs rep movsb byte by byte, and the
	 * kernel's copy_to_user() would take minutes where a loop takes seconds.
	 * It also decides what libc's memcpy does, so it is part of capture.json.
	 */
	if (strcmp(g->accel, "kvm")) {
		qemu_list(a, "cpu", "max");
		if (!arm) {
			qemu_key(a, "erms", "off");
			qemu_key(a, "fsrm", "off");
		}
	} else {
		qemu_arg(a, "cpu", "host");
	}
	qemu_list(a, "smp", NULL);
	qemu_key_num(a, "cpus", g->cpus);
	qemu_list(a, "m", NULL);
	qemu_key_num(a, "size", g->memory >> 20);
	qemu_arg(a, "kernel", g->kernel);
	qemu_arg(a, "initrd", g->initrd);
	qemu_arg(a, "append", g->append);
}

static void port_args(struct qemu_args *a, const struct qemu_guest *g)
{
	qemu_list(a, "chardev", "file");
	qemu_key(a, "id", "console");
	qemu_key(a, "path", g->console);
	qemu_arg(a, "serial", "chardev:console");
	qemu_list(a, "chardev", "socket");
	qemu_key(a, "id", "agent");
	qemu_key_num(a, "fd", (u64)g->port_fd);
	qemu_list(a, "device", "virtio-serial-pci");
	qemu_key_num(a, "max_ports", 2);
	qemu_list(a, "device", "virtserialport");
	qemu_key(a, "chardev", "agent");
	qemu_key(a, "name", GUEST_PORT_NAME);
}

static void disk_args(struct qemu_args *a, const struct qemu_guest *g)
{
	qemu_list(a, "drive", NULL);
	qemu_key(a, "if", "none");
	qemu_key(a, "id", "test");
	qemu_key(a, "format", "raw");
	/* an image that later runs share is never changed, once it is made */
	if (g->disk_scratch) {
		qemu_key(a, "discard", "unmap");
		/* how long the host's disk takes says nothing of the one that was recorded */
		qemu_key(a, "cache.no-flush", "on");
	} else if (!g->disk_write) {
		qemu_key(a, g->disk_read_only ? "readonly" : "snapshot", "on");
	}
	qemu_key(a, "cache", g->disk_direct ? "none" : "writeback");
	qemu_key(a, "aio", "threads");
	qemu_key(a, "file", g->disk);
	qemu_list(a, "device", "virtio-blk-pci");
	qemu_key(a, "drive", "test");
	qemu_key(a, "serial", TEST_DISK_SERIAL);
	qemu_key_num(a, "num-queues", g->cpus);
	qemu_key_num(a, "queue-size", g->queue_size ? g->queue_size : QEMU_QUEUE_SIZE);
	if (g->disk_sector) {
		qemu_key_num(a, "logical_block_size", g->disk_sector);
		qemu_key_num(a, "physical_block_size", g->disk_sector);
	}
}

/* Every boot starts from the same image; behind the test disk, as the plan. */
static void root_args(struct qemu_args *a, const struct qemu_guest *g)
{
	qemu_list(a, "drive", NULL);
	qemu_key(a, "if", "none");
	qemu_key(a, "id", "root");
	qemu_key(a, "format", "raw");
	qemu_key(a, "snapshot", "on");
	qemu_key(a, "file", g->root);
	qemu_list(a, "device", "virtio-blk-pci");
	qemu_key(a, "drive", "root");
	qemu_key(a, "serial", ROOT_DISK_SERIAL);
	qemu_key_num(a, "num-queues", g->cpus);
	qemu_key_num(a, "queue-size", g->queue_size ? g->queue_size : QEMU_QUEUE_SIZE);
}

/*
 * QEMU's own TCP/IP stack: no privilege, no port of the host, and a guest that
 * reaches the host's addresses through the gateway GUEST_NET_GATEWAY.
 */
static void net_args(struct qemu_args *a)
{
	qemu_list(a, "netdev", "user");
	qemu_key(a, "id", "net");
	qemu_key(a, "net", GUEST_NET_PREFIX);
	qemu_key(a, "host", GUEST_NET_GATEWAY);
	qemu_list(a, "device", "virtio-net-pci");
	qemu_key(a, "netdev", "net");
	/* nothing boots from it, and the file is in another package than QEMU */
	qemu_key_none(a, "romfile");
}

/* Behind the test disk, so that the guest finds that one first: host/reqlog.h relies on it. */
static void plan_args(struct qemu_args *a, const struct qemu_guest *g)
{
	qemu_list(a, "drive", NULL);
	qemu_key(a, "if", "none");
	qemu_key(a, "id", "plan");
	qemu_key(a, "format", "raw");
	qemu_key(a, "readonly", "on");
	qemu_key(a, "file", g->plan);
	qemu_list(a, "device", "virtio-blk-pci");
	qemu_key(a, "drive", "plan");
	qemu_key(a, "serial", PLAN_DISK_SERIAL);
}

int qemu_guest_args(struct qemu_args *a, const struct qemu_guest *g, struct err *e)
{
	size_t i;

	qemu_args_init(a, g->arch->qemu);
	if (strcmp(g->accel, "tcg") && strcmp(g->accel, "kvm"))
		reject(a, "accelerator '%s' is neither tcg nor kvm", g->accel);
	if (!g->memory || g->memory & ((1u << 20) - 1))
		reject(a, "guest memory must be a %s", "multiple of 1 MiB");
	if (g->queue_size &&
	    (g->queue_size & (g->queue_size - 1) || g->queue_size > 1024 || g->queue_size < 4))
		reject(a, "queue_size must be a %s", "power of two from 4 to 1024");
	machine_args(a, g);
	port_args(a, g);
	if (g->disk)
		disk_args(a, g);
	if (g->plan)
		plan_args(a, g);
	if (g->root)
		root_args(a, g);
	if (g->net)
		net_args(a);
	qemu_arg(a, "D", g->log);
	qemu_list(a, "msg", NULL);
	qemu_key(a, "timestamp", "on");
	/* without the disk they would only be the queues of other devices */
	for (i = 0; g->disk && i < ARRAY_SIZE(trace_events); i++)
		qemu_arg(a, "trace", trace_events[i]);
	return qemu_args_done(a, e);
}
