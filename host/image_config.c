// SPDX-License-Identifier: GPL-2.0-only
#include "host/image_config.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "host/kernel_config.h"
#include "host/spawn.h"
#include "lib/fileio.h"

#define IMAGE_MAX (512u << 20)
#define KERNEL_MAX (1ull << 30) /* unpacked */
#define CONFIG_MAX (8ull << 20)
#define CHUNK (1u << 20)

struct bytes {
	u8 *data;
	size_t len;
};

/* ---- unpacking; 0, or -ENOMSG if it is not what it looks like ---- */

static int grow(struct bytes *out, size_t *size, u64 max)
{
	if (out->len < *size)
		return 0;
	if (*size >= max)
		return -ENOMSG;
	*size = *size ? *size * 2 : CHUNK;
	out->data = xrealloc(out->data, *size, 1);
	return 0;
}

static int unpack_gzip(const u8 *in, size_t len, u64 max, struct bytes *out)
{
	z_stream z = {.next_in = (u8 *)(uintptr_t)in,
		      .avail_in = (uInt)MIN(len, (size_t)UINT32_MAX)};
	size_t size = 0;
	int ret = Z_OK, full = 0;

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return -ENOMSG;
	while (ret == Z_OK && !full) {
		full = grow(out, &size, max);
		if (full)
			break;
		z.next_out = out->data + out->len;
		z.avail_out = (uInt)(size - out->len);
		ret = inflate(&z, Z_NO_FLUSH);
		out->len = size - z.avail_out;
	}
	inflateEnd(&z);
	return ret == Z_STREAM_END ? 0 : -ENOMSG;
}

static int unpack_zstd(const u8 *in, size_t len, u64 max, struct bytes *out)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_inBuffer from = {in, len, 0};
	size_t size = 0, left = 1;

	/* the kernel's windows may be larger than what zstd allows by itself */
	if (z)
		ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 30);
	while (z && left && !ZSTD_isError(left) && !grow(out, &size, max)) {
		ZSTD_outBuffer to = {out->data, size, out->len};
		size_t before = from.pos;

		left = ZSTD_decompressStream(z, &to, &from);
		/* no more input, and no more output from it: cut short */
		if (left && to.pos == out->len && from.pos == before)
			break;
		out->len = to.pos;
	}
	ZSTD_freeDCtx(z);
	return left ? -ENOMSG : 0;
}

/* xz and lzma, by the program that every kernel build needs anyway. */
static int unpack_xz(const u8 *in, size_t len, struct bytes *out)
{
	char from[] = "/tmp/blkproof-image-XXXXXX", to[] = "/tmp/blkproof-kernel-XXXXXX";
	const char *const argv[] = {
		"sh", "-c", "xz -dc --single-stream <\"$0\" >\"$1\" 2>/dev/null", from, to, NULL};
	int a __cleanup_close = mkstemp(from);
	int b __cleanup_close = mkstemp(to);
	struct run r = {.argv = argv};
	struct err ignored;
	int ret = a < 0 || b < 0 ? -EIO : fd_write_all(a, in, len);

	/* what follows the stream, its size, is an error to xz: what counts is what came out */
	if (!ret && run_program(&r, &ignored) == -EINTR)
		ret = -EINTR;
	if (!ret)
		ret = file_read(to, KERNEL_MAX, (char **)&out->data, &out->len, &ignored);
	if (a >= 0)
		unlink(from);
	if (b >= 0)
		unlink(to);
	return ret == -EINTR ? ret : ret || !out->len ? -ENOMSG : 0;
}

/*
 * The kernel's Documentation/arch/x86/boot.rst: 0x1f1 setup_sects, 0x206 version,
 * 0x248 payload_offset and 0x24c payload_length from the protected-mode code on.
 */
static int unpack_payload(const u8 *image, size_t len, struct bytes *out)
{
	u32 offset, length, start;
	const u8 *p;

	if (len < 0x250 || memcmp(image + 0x202, "HdrS", 4) || image[0x207] < 2 ||
	    (image[0x207] == 2 && image[0x206] < 8))
		return -ENOMSG;
	start = ((image[0x1f1] ? image[0x1f1] : 4u) + 1) * 512;
	memcpy(&offset, image + 0x248, sizeof(offset));
	memcpy(&length, image + 0x24c, sizeof(length));
	offset = le32toh(offset);
	length = le32toh(length);
	if (!range_ok((u64)start + offset, length, len) || length < 8)
		return -ENOMSG;
	p = image + start + offset;
	if (p[0] == 0x1f && p[1] == 0x8b)
		return unpack_gzip(p, length, KERNEL_MAX, out);
	if (!memcmp(p, "\x28\xb5\x2f\xfd", 4))
		return unpack_zstd(p, length, KERNEL_MAX, out);
	if (!memcmp(p,
		    "\xfd"
		    "7zXZ",
		    5) ||
	    !memcmp(p, "\x5d\0\0", 3))
		return unpack_xz(p, length, out);
	return -ENOMSG;
}

/* The kernel's Documentation/arch/arm64/booting.rst: magic at 56; as it is, or in one gzip. */
static int unpack_arm64(const u8 *image, size_t len, struct bytes *out)
{
	static const char magic[] = "ARM\x64";

	if (len > 2 && image[0] == 0x1f && image[1] == 0x8b) {
		if (unpack_gzip(image, len, KERNEL_MAX, out))
			return -ENOMSG;
	} else {
		out->data = xmalloc(len + 1);
		memcpy(out->data, image, len);
		out->len = len;
	}
	return out->len >= 64 && !memcmp(out->data + 56, magic, 4) ? 0 : -ENOMSG;
}

int image_arm64_version(const char *path, char **version, struct err *e)
{
	static const char banner[] = "Linux version "; /* init/version.c */
	struct bytes kernel = {.len = 0};
	char *image __cleanup_free = NULL;
	const u8 *at = NULL, *end;
	size_t len;
	int ret = file_read(path, IMAGE_MAX, &image, &len, e);

	if (ret)
		return ret;
	ret = unpack_arm64((const u8 *)image, len, &kernel);
	if (!ret)
		at = memmem(kernel.data, kernel.len, banner, sizeof(banner) - 1);
	if (at) {
		at += sizeof(banner) - 1;
		end = memchr(at, ' ', MIN(kernel.len - (size_t)(at - kernel.data), (size_t)64));
		at = end && end > at ? at : NULL;
	}
	*version = at ? xstrndup((const char *)at, (size_t)(end - at)) : xstrdup("unknown");
	free(kernel.data);
	if (!ret)
		return 0;
	free(*version);
	*version = NULL;
	return err_set(e, -ENOEXEC, "%s is no arm64 kernel (an Image or an Image.gz)", path);
}

int image_config(const char *path, char **text, struct err *e)
{
	static const char mark[] = "IKCFG_ST"; /* kernel/configs.c; a gzip stream follows */
	struct bytes kernel = {.len = 0}, config = {.len = 0};
	char *image __cleanup_free = NULL;
	const u8 *at;
	size_t len;
	int ret = file_read(path, IMAGE_MAX, &image, &len, e);

	if (ret)
		return ret;
	ret = unpack_payload((const u8 *)image, len, &kernel);
	if (ret == -ENOMSG) {
		free(kernel.data);
		kernel = (struct bytes){.len = 0};
		ret = unpack_arm64((const u8 *)image, len, &kernel);
	}
	at = ret ? NULL : memmem(kernel.data, kernel.len, mark, sizeof(mark) - 1);
	if (at) {
		at += sizeof(mark) - 1;
		ret = unpack_gzip(at, kernel.len - (size_t)(at - kernel.data), CONFIG_MAX, &config);
	}
	free(kernel.data);
	if (ret == -EINTR)
		return err_set(e, ret, "interrupted");
	if (!ret && at && config.len && !memchr(config.data, '\0', config.len))
		*text = xstrndup((char *)config.data, config.len);
	else
		at = NULL;
	free(config.data);
	return at != NULL;
}

/* ---- what a guest needs ---- */

static const struct {
	const char *option, *what;
} needs[] = {
	{"CONFIG_64BIT", "the agent"},
	{"CONFIG_BLK_DEV_INITRD", "the agent, which is in an initramfs,"},
	{"CONFIG_BINFMT_ELF", "the agent"},
	{"CONFIG_FUTEX", "the agent's threads"},
	{"CONFIG_PROC_FS", "the agent"},
	{"CONFIG_SYSFS", "the agent"},
	{"CONFIG_DEVTMPFS", "the agent"},
	{"CONFIG_PCI", "the guest's devices"},
	{"CONFIG_VIRTIO_PCI", "the guest's devices"},
	{"CONFIG_VIRTIO_CONSOLE", "the port that the trace comes through"},
	{"CONFIG_VIRTIO_BLK", "the test disk"},
	{"CONFIG_EVENT_TRACING", "the trace"},
	{"CONFIG_VM_EVENT_COUNTERS", "counting page faults"},
};

static const struct {
	const char *name, *option;
} filesystems[] = {
	{"ext4", "CONFIG_EXT4_FS"}, {"xfs", "CONFIG_XFS_FS"},	{"btrfs", "CONFIG_BTRFS_FS"},
	{"f2fs", "CONFIG_F2FS_FS"}, {"ceph", "CONFIG_CEPH_FS"},
};

const char *scheduler_option(const struct experiment *exp)
{
	static const struct {
		const char *name, *option;
	} schedulers[] = {
		{"mq-deadline", "CONFIG_MQ_IOSCHED_DEADLINE"},
		{"kyber", "CONFIG_MQ_IOSCHED_KYBER"},
		{"bfq", "CONFIG_IOSCHED_BFQ"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(schedulers); i++)
		if (!strcmp(schedulers[i].name, exp->scheduler))
			return schedulers[i].option;
	return NULL;
}

static int need(const char *path, const char *text, const char *option, const char *what,
		struct err *e)
{
	char *got __cleanup_free = config_value(text, option);

	if (!strcmp(got, "y"))
		return 0;
	return err_set(e, -EINVAL, "image %s lacks %s=y, which %s needs: it has %s=%s%s", path,
		       option, what, option, got,
		       strcmp(got, "m") ? "" : ", and the guest loads no modules");
}

int image_config_check(const char *path, const char *text, const struct experiment *exp,
		       struct err *e)
{
	const char *scheduler = scheduler_option(exp);
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(needs) && !ret; i++)
		ret = need(path, text, needs[i].option, needs[i].what, e);
	for (size_t i = 0; i < ARRAY_SIZE(filesystems) && !ret; i++)
		if (!strcmp(filesystems[i].name, exp->filesystem))
			ret = need(path, text, filesystems[i].option, "the test file's file system",
				   e);
	if (!ret && scheduler)
		ret = need(path, text, scheduler, "the scheduler", e);
	return ret;
}
