// SPDX-License-Identifier: GPL-2.0-only
/* The configuration inside of a bzImage or an Image, however it is packed; images that lie. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "host/image_config.h"
#include "lib/fileio.h"

#define SETUP_SECTS 2u
#define START ((SETUP_SECTS + 1) * 512)

static const char config[] = "CONFIG_64BIT=y\nCONFIG_BLK_DEV_INITRD=y\nCONFIG_BINFMT_ELF=y\n"
			     "CONFIG_FUTEX=y\nCONFIG_PROC_FS=y\nCONFIG_SYSFS=y\n"
			     "CONFIG_DEVTMPFS=y\nCONFIG_PCI=y\nCONFIG_VIRTIO_PCI=y\n"
			     "CONFIG_VIRTIO_CONSOLE=y\nCONFIG_VIRTIO_BLK=y\n"
			     "CONFIG_EVENT_TRACING=y\nCONFIG_VM_EVENT_COUNTERS=y\n"
			     "CONFIG_EXT4_FS=y\nCONFIG_XFS_FS=m\n";

static char dir[] = "/tmp/blkproof-image-test-XXXXXX";

static size_t gzip(const void *in, size_t len, u8 *out, size_t size)
{
	z_stream z = {.next_in = (u8 *)(uintptr_t)in,
		      .avail_in = (uInt)len,
		      .next_out = out,
		      .avail_out = (uInt)size};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, 0), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return size - z.avail_out;
}

/* What the kernel is once it is unpacked: some code, the marks, some more. */
static size_t make_kernel(u8 *out, size_t size)
{
	size_t n = 3000;

	memset(out, 0x90, n);
	memcpy(out + n, "IKCFG_ST", 8);
	n += 8;
	n += gzip(config, sizeof(config) - 1, out + n, size - n);
	memcpy(out + n, "IKCFG_ED", 8);
	return n + 8;
}

static char *write_image(const char *name, const void *payload, size_t len)
{
	char *path = xasprintf("%s/%s", dir, name);
	u8 *image = xcalloc(1, START + 100 + len);
	u32 at = 100, n = (u32)len;
	struct err e;

	image[0x1f1] = SETUP_SECTS;
	memcpy(image + 0x202, "HdrS\x0f\x02", 6);
	memcpy(image + 0x248, &at, 4);
	memcpy(image + 0x24c, &n, 4);
	memcpy(image + START + 100, payload, len);
	assert_int_equal(file_write_atomic(path, (char *)image, START + 100 + len, &e), 0);
	free(image);
	return path;
}

static void found(const char *name, const void *payload, size_t len)
{
	char *path = write_image(name, payload, len), *text = NULL;
	struct err e = {""};

	if (image_config(path, &text, &e) != 1)
		fail_msg("%s: no configuration: %s", name, e.msg);
	assert_string_equal(text, config);
	free(text);
	free(path);
}

static void test_packed(void **state __unused_arg)
{
	u8 kernel[8192], packed[16384];
	size_t n = make_kernel(kernel, sizeof(kernel)), len;
	char *raw = xasprintf("%s/raw", dir), *xz = NULL, *command;
	struct err e;

	len = gzip(kernel, n, packed, sizeof(packed) - 4);
	memset(packed + len, 0, 4);
	found("gzip", packed, len + 4); /* the unpacked size stands behind it */
	len = ZSTD_compress(packed, sizeof(packed) - 4, kernel, n, 19);
	assert_false(ZSTD_isError(len));
	memset(packed + len, 0, 4);
	found("zstd", packed, len + 4);
	assert_int_equal(file_write_atomic(raw, (char *)kernel, n, &e), 0);
	command = xasprintf("xz -zk --check=crc32 %s && printf 1234 >>%s.xz", raw, raw);
	if (!system(command)) {
		char *path = xasprintf("%s.xz", raw);

		assert_int_equal(file_read(path, 1 << 20, &xz, &len, &e), 0);
		found("xz", xz, len);
		free(path);
		free(xz);
	}
	free(command);
	free(raw);
}

/* arm64's Image, and the same in one gzip. */
static void test_arm64(void **state __unused_arg)
{
	static const char banner[] = "Linux version 7.3.4 (blkproof@blkproof) #1";
	u8 kernel[8192], packed[16384];
	size_t n = make_kernel(kernel, sizeof(kernel)), len;
	char *path = xasprintf("%s/Image", dir), *text;
	struct err e = {""};

	memcpy(kernel + 200, banner, sizeof(banner));
	for (int gz = 0; gz < 2; gz++) {
		/* the magic is what makes it one */
		memset(kernel + 56, 0, 4);
		len = gzip(kernel, n, packed, sizeof(packed));
		assert_int_equal(file_write_atomic(path, (char *)(gz ? packed : kernel),
						   gz ? len : n, &e), 0);
		assert_int_equal(image_config(path, &text, &e), 0);
		assert_int_equal(image_arm64_version(path, &text, &e), -ENOEXEC);
		assert_non_null(strstr(e.msg, "Image is no arm64 kernel"));
		memcpy(kernel + 56, "ARM\x64", 4);
		len = gzip(kernel, n, packed, sizeof(packed));
		assert_int_equal(file_write_atomic(path, (char *)(gz ? packed : kernel),
						   gz ? len : n, &e), 0);
		assert_int_equal(image_config(path, &text, &e), 1);
		assert_string_equal(text, config);
		free(text);
		assert_int_equal(image_arm64_version(path, &text, &e), 0);
		assert_string_equal(text, "7.3.4");
		free(text);
	}
	/* no banner, or one that never ends */
	memset(kernel + 200, 0x90, sizeof(banner));
	assert_int_equal(file_write_atomic(path, (char *)kernel, n, &e), 0);
	assert_int_equal(image_arm64_version(path, &text, &e), 0);
	assert_string_equal(text, "unknown");
	free(text);
	memcpy(kernel + n - 16, "Linux version 7", 15);
	assert_int_equal(file_write_atomic(path, (char *)kernel, n, &e), 0);
	assert_int_equal(image_arm64_version(path, &text, &e), 0);
	assert_string_equal(text, "unknown");
	free(text);
	assert_int_equal(file_write_atomic(path, (char *)kernel, 57, &e), 0);
	assert_int_equal(image_arm64_version(path, &text, &e), -ENOEXEC);
	free(path);
}

/* Cut, damaged, without the mark, packed by something else: no configuration, no crash. */
static void test_none(void **state __unused_arg)
{
	u8 kernel[8192], packed[16384];
	size_t n = make_kernel(kernel, sizeof(kernel)), len;
	char *path, *text = NULL, *data;
	struct err e = {""};

	len = gzip(kernel, n, packed, sizeof(packed));
	path = write_image("cut", packed, len);
	assert_int_equal(file_read(path, 1 << 20, &data, &n, &e), 0);
	for (size_t cut = n - 1; cut > 0; cut -= MIN(cut, (size_t)97)) {
		assert_int_equal(file_write_atomic(path, data, cut, &e), 0);
		assert_int_equal(image_config(path, &text, &e), 0);
	}
	for (size_t i = 0; i < len; i += 7) {
		data[START + 100 + i] ^= 0x55;
		assert_int_equal(file_write_atomic(path, data, n, &e), 0);
		if (image_config(path, &text, &e) == 1)
			free(text);
		data[START + 100 + i] ^= 0x55;
	}
	free(data);
	free(path);
	path = write_image("unknown", "BZh91AY....", 11);
	assert_int_equal(image_config(path, &text, &e), 0);
	free(path);
	len = gzip("nothing in here", 15, packed, sizeof(packed));
	path = write_image("plain", packed, len);
	assert_int_equal(image_config(path, &text, &e), 0);
	free(path);
	assert_int_equal(image_config("/nonexistent", &text, &e), -ENOENT);
}

static void test_needs(void **state __unused_arg)
{
	struct experiment exp = {.filesystem = "ext4"};
	char *less = xstrdup(config), *at;
	struct err e = {""};

	assert_int_equal(image_config_check("i", config, &exp, &e), 0);
	strcpy(exp.filesystem, "xfs");
	assert_int_equal(image_config_check("i", config, &exp, &e), -EINVAL);
	assert_string_equal(e.msg,
			    "image i lacks CONFIG_XFS_FS=y, which the test file's file system "
			    "needs: it has CONFIG_XFS_FS=m, and the guest loads no modules");
	strcpy(exp.filesystem, "ext4");
	strcpy(exp.scheduler, "bfq");
	assert_int_equal(image_config_check("i", config, &exp, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "CONFIG_IOSCHED_BFQ"));
	exp.scheduler[0] = '\0';
	at = strstr(less, "CONFIG_VIRTIO_BLK=y");
	at[0] = '#';
	assert_int_equal(image_config_check("i", less, &exp, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "lacks CONFIG_VIRTIO_BLK=y, which the test disk needs"));
	free(less);
}

static int setup(void **state __unused_arg)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state __unused_arg)
{
	return remove_tree(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_needs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
