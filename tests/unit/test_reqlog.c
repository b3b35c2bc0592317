// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "host/reqlog.h"
#include "lib/fileio.h"

#define T "77@100.00000"
#define POP(us, p, in, out) T us ":virtqueue_pop vq 0x55 elem 0x" p " in_num " in " out_num " out
#define READ(us, p, s, n) \
	T us ":virtio_blk_handle_read vdev 0x1 req 0x" p " sector " s " nsectors " n
#define WRITE(us, p, s, n) \
	T us ":virtio_blk_handle_write vdev 0x1 req 0x" p " sector " s " nsectors " n
#define RW(us, p, ret) T us ":virtio_blk_rw_complete vdev 0x1 req 0x" p " ret " ret
#define DONE(us, p, st) T us ":virtio_blk_req_complete vdev 0x1 req 0x" p " status " st

/* What the records say, as text: action, category, sector+sectors, us, error. */
static void records_text(const struct reqlog *l, char *buf, size_t size)
{
	size_t i, n = 0;

	buf[0] = '\0';
	for (i = 0; i < l->n; i++) {
		const struct bt_record *r = &l->records[i];
		u32 c = r->action >> 16;

		n += (size_t)snprintf(buf + n, size - n, "%c%c%llu+%u@%llu%s ",
				      (r->action & 0xffff) == BT_QUEUE ? 'Q' :
				      (r->action & 0xffff) == BT_ISSUE ? 'D' : 'C',
				      c & BT_C_READ ? 'r' : c & BT_C_WRITE ? 'w' :
				      c & BT_C_FLUSH ? 'f' : '?',
				      (unsigned long long)r->sector, r->bytes / 512,
				      (unsigned long long)(r->time / 1000 - 100000000),
				      r->error == (u16)-EIO ? "!" : r->error ? "?" : "");
		assert_true(n < size);
	}
}

static const struct {
	const char *name;
	const char *lines[12];
	const char *want; /* records in the log's order */
	u64 others, no_handle, ignored;
} good[] = {
	{ "a read", { POP("1", "a", "2", "1"), READ("2", "a", "8", "16"), RW("3", "a", "0"),
		      DONE("4", "a", "0") }, "Qr8+16@1 Dr8+16@2 Cr8+16@4 ", 0, 0, 0 },
	{ "a write", { POP("1", "a", "1", "2"), WRITE("2", "a", "8", "16"), RW("3", "a", "0"),
		       DONE("4", "a", "0") }, "Qw8+16@1 Dw8+16@2 Cw8+16@4 ", 0, 0, 0 },
	{ "no pop", { READ("2", "a", "8", "16"), DONE("4", "a", "0") },
	  "Qr8+16@2 Dr8+16@2 Cr8+16@4 ", 0, 0, 0 },
	{ "two in flight, completed the other way round",
	  { POP("1", "a", "2", "1"), READ("1", "a", "0", "8"), POP("2", "b", "2", "1"),
	    READ("2", "b", "8", "8"), RW("3", "b", "0"), DONE("3", "b", "0"), RW("4", "a", "0"),
	    DONE("4", "a", "0") },
	  "Qr0+8@1 Dr0+8@1 Qr8+8@2 Dr8+8@2 Cr8+8@3 Cr0+8@4 ", 0, 0, 0 },
	{ "a pointer used again", { READ("1", "a", "0", "8"), DONE("2", "a", "0"),
				    READ("3", "a", "8", "8"), DONE("4", "a", "0") },
	  "Qr0+8@1 Dr0+8@1 Cr0+8@2 Qr8+8@3 Dr8+8@3 Cr8+8@4 ", 0, 0, 0 },
	{ "a flush", { POP("1", "a", "1", "1"), DONE("4", "a", "0") }, "Qf0+0@1 Df0+0@1 Cf0+0@4 ",
	  0, 0, 0 },
	{ "a flush that failed", { POP("1", "a", "1", "1"), DONE("4", "a", "1") },
	  "Qf0+0@1 Df0+0@1 Cf0+0@4! ", 0, 0, 0 },
	{ "the serial is asked for", { POP("1", "a", "2", "1"), DONE("4", "a", "0") },
	  "", 1, 0, 0 },
	{ "the port's buffers", { POP("1", "a", "0", "1"), POP("2", "b", "1", "0") }, "", 0, 0, 0 },
	{ "a completion of nothing", { DONE("4", "a", "0") }, "", 0, 1, 0 },
	{ "a read that failed", { READ("1", "a", "0", "8"), RW("2", "a", "-5"),
				  DONE("2", "a", "1") }, "Qr0+8@1 Dr0+8@1 Cr0+8@2! ", 0, 0, 0 },
	{ "refused by its status alone", { READ("1", "a", "99999999", "8"), DONE("2", "a", "1") },
	  "Qr99999999+8@1 Dr99999999+8@1 Cr99999999+8@2! ", 0, 0, 0 },
	{ "never completed", { READ("1", "a", "0", "8") }, "Qr0+8@1 Dr0+8@1 ", 0, 0, 0 },
	{ "another device's requests, a pointer of which ours uses again",
	  { READ("1", "a", "0", "8"), POP("1", "b", "2", "1"),
	    T "2:virtio_blk_handle_read vdev 0x2 req 0xb sector 7 nsectors 8",
	    T "3:virtio_blk_rw_complete vdev 0x2 req 0xb ret 0",
	    T "3:virtio_blk_req_complete vdev 0x2 req 0xb status 0", DONE("4", "a", "0"),
	    POP("5", "b", "2", "1"), READ("5", "b", "8", "8"), DONE("6", "b", "0"),
	    POP("7", "c", "2", "1"), T "8:virtio_blk_req_complete vdev 0x2 req 0xc status 0" },
	  "Qr0+8@1 Dr0+8@1 Cr0+8@4 Qr8+8@5 Dr8+8@5 Cr8+8@6 ", 0, 0, 0 },
	{ "other lines", { "qemu: warning: something", T "1:virtio_blk_reset vdev 0x1", "" }, "", 0,
	  0, 3 },
};

static void test_good(void **state __unused_arg)
{
	char text[512];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct reqlog l = { .n = 0 };
		struct err e = { .msg = "" };

		for (j = 0; good[i].lines[j]; j++)
			if (reqlog_line(&l, good[i].lines[j], j + 1, &e))
				fail_msg("%s: %s", good[i].name, e.msg);
		records_text(&l, text, sizeof(text));
		if (strcmp(text, good[i].want))
			fail_msg("%s: '%s' instead of '%s'", good[i].name, text, good[i].want);
		assert_int_equal(l.others, good[i].others);
		assert_int_equal(l.no_handle, good[i].no_handle);
		assert_int_equal(l.ignored, good[i].ignored);
		reqlog_free(&l);
	}
}

static const char *const bad[] = {
	"virtio_blk_handle_read vdev 0x1 req 0xa sector 0 nsectors 8",
	"77@100:virtio_blk_handle_read vdev 0x1 req 0xa sector 0 nsectors 8",
	"x@100.000001:virtio_blk_handle_read vdev 0x1 req 0xa sector 0 nsectors 8",
	"77@99999999999.000001:virtio_blk_handle_read vdev 0x1 req 0xa sector 0 nsectors 8",
	T "1:virtio_blk_handle_read vdev 0x1 req 0xa sector 0 nsectors",
	T "1:virtio_blk_handle_read vdev 0x1 req 0xa sector 0 nsectors 8x",
	T "1:virtio_blk_handle_read vdev 0x1 req 0xa sector 0 nsectors -8",
	T "1:virtio_blk_handle_read vdev 0x1 req 0xa sector 0 nsectors 8388608",
	T "1:virtio_blk_handle_read vdev 0x1 sector 0 nsectors 8",
	T "1:virtio_blk_rw_complete vdev 0x1 req 0xa",
	T "1:virtio_blk_req_complete vdev 0x1 req 0xa status",
	T "1:virtqueue_pop vq 0x1 elem 0xa in_num 1",
	T "1:virtqueue_pop vq 0x1 elem 0xa in_num -1 out_num 1",
};

static void test_bad(void **state __unused_arg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct reqlog l = { .n = 0 };
		struct err e = { .msg = "" };

		if (reqlog_line(&l, bad[i], 7, &e) != -EBADMSG)
			fail_msg("accepted: %s", bad[i]);
		assert_non_null(strstr(e.msg, "line 7"));
		reqlog_free(&l);
	}
}

static void test_write(void **state __unused_arg)
{
	char path[] = "/tmp/blkproof-reqlog-XXXXXX";
	struct reqlog l = { .n = 0 };
	struct err e = { .msg = "" };
	struct bt_record r;
	char *data;
	size_t len;
	u32 clock[2];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	/* the second line of the log is the earlier one */
	assert_int_equal(reqlog_line(&l, READ("3", "a", "8", "16"), 1, &e), 0);
	assert_int_equal(reqlog_line(&l, READ("2", "b", "0", "8"), 2, &e), 0);
	assert_int_equal(reqlog_write(&l, path, 254u << 20 | 16, &e), 0);
	assert_int_equal(file_read(path, 4096, &data, &len, &e), 0);
	assert_int_equal(len, 6 * 48 + 8 + 16);
	memcpy(&r, data, sizeof(r));
	assert_int_equal(r.magic, 0x65617407);
	assert_int_equal(r.sequence, 0);
	assert_int_equal(r.action, BT_ACT(BT_N_TIMESTAMP, BT_C_NOTIFY));
	assert_int_equal(r.pdu_len, 8);
	memcpy(clock, data + 48, 8);
	assert_int_equal(clock[0], 100);
	assert_int_equal(clock[1], 2000);
	memcpy(&r, data + 48 + 8, sizeof(r));
	assert_int_equal(r.pid, 77);
	assert_string_equal(data + 2 * 48 + 8, "qemu");
	memcpy(&r, data + 2 * 48 + 24, sizeof(r));
	assert_int_equal(r.sequence, 1);
	assert_int_equal(r.time, 0);
	assert_int_equal(r.sector, 0);
	assert_int_equal(r.bytes, 4096);
	assert_int_equal(r.device, 254u << 20 | 16);
	memcpy(&r, data + 5 * 48 + 24, sizeof(r));
	assert_int_equal(r.sequence, 4);
	assert_int_equal(r.time, 1000);
	assert_int_equal(r.sector, 8);
	assert_int_equal(reqlog_write(&l, "/nonexistent/x", 0, &e), -ENOENT);
	if (!access("/dev/full", W_OK)) {
		assert_int_equal(reqlog_write(&l, "/dev/full", 0, &e), -ENOSPC);
		assert_non_null(strstr(e.msg, "No space left"));
	}
	free(data);
	unlink(path);
	reqlog_free(&l);
}

static void test_cut(void **state __unused_arg)
{
	char path[] = "/tmp/blkproof-reqlog-XXXXXX";
	struct reqlog l = { .n = 0 };
	struct err e = { .msg = "" };
	int fd = mkstemp(path);
	static const char text[] = READ("1", "a", "0", "8") "\n" READ("2", "a", "0", "8");

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, sizeof(text) - 1), 0);
	close(fd);
	assert_int_equal(reqlog_read(&l, path, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "line 2: cut off"));
	unlink(path);
	reqlog_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
