// SPDX-License-Identifier: GPL-2.0-only
/* Writes seeds for the fuzz drivers: make_seeds DIR makes DIR/tracedat, DIR/blktrace, ... */
#include <string.h>

#include "lib/contract.h"
#include "lib/fileio.h"
#include "tests/unit/make_blktrace.h"
#include "tests/unit/make_trace.h"
#include "verify/event.h"

static const unsigned int layouts[] = {
	TB_V7, TB_V7 | TB_ZSTD,	      TB_V7 | TB_ZLIB,	 TB_V7 | TB_BIG_ENDIAN | TB_LONG32,
	TB_V6, TB_V6 | TB_BIG_ENDIAN, TB_V6 | TB_LONG32, TB_V7 | TB_NO_ORDER | TB_LONG_INO,
};

static void put(const char *path, const char *data, size_t len)
{
	struct err e;

	if (file_write_atomic(path, data, len, &e))
		fprintf(stderr, "%s\n", e.msg);
}

static void tracedat(const char *dir, unsigned int i)
{
	static const char shift[] = "\1\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0"
				    "\0\0\0\0\0\0\0\0\xd0\7\0\0\0\0\0\0"
				    "\0\0\0\0\0\0\0\0\x64\0\0\0\0\0\0\0"
				    "\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
				    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	struct tb_ra ra = {.index = 8,
			   .req_count = 3,
			   .order = 2,
			   .size = 64,
			   .async_size = 16,
			   .ra_pages = 2048};
	char *path __cleanup_free = xasprintf("%s/tracedat/%u", dir, i);
	struct trace_builder *tb = tb_new(layouts[i]);

	tb_comm(tb, 42, "cat");
	tb_marker(tb, 0, 1000, 42, "blkproof: phase begin one");
	tb_fault(tb, 1, 1001, 42, 12, 3);
	tb_ra_order(tb, 0, 1002, 42, 12, ra);
	tb_ra_async(tb, 0, 1003, 42, 12, ra);
	tb_add_folio(tb, 0, 1004, 42, 12, 8, 2);
	tb_discarded(tb, 0, 1005);
	tb_rq_issue(tb, 0, 1006, 42, 2048, 4096, "RA");
	tb_missed(tb, 0, 3);
	tb_rq_complete(tb, 0, 1ull << 40, 42, 2048, 4096, "RA", -5);
	tb_absolute(tb, 1, 1ull << 40);
	tb_other(tb, 1, (1ull << 40) + 1, 42);
	tb_stats(tb, 1, 1, 2, 3, 4);
	if (i & 1) {
		tb_instance(tb, "other");
		tb_get_pages(tb, 0, 1001, 42, 12, 3, 4);
	}
	if (i & 2) {
		tb_option(tb, 14, "\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 16);
		tb_option(tb, 12, shift, sizeof(shift));
		tb_option(tb, 7, "500", 4);
	}
	tb_write(tb, path);
	tb_free(tb);
}

static void blktrace(const char *dir, unsigned int i)
{
	char *path __cleanup_free = xasprintf("%s/blktrace/%u", dir, i);
	struct blktrace_builder *bb = bb_new(i);

	bb_process(bb, 1, 42, "cat");
	bb_add(bb, (struct bb_record){10, 2048, 4096, BB_READ | BB_AHEAD | BB_QUEUE, 1, 42, 1, 0, 0,
				      0, 77, "pdu", 3});
	bb_add(bb, (struct bb_record){30, 2048, 4096, BB_READ | BB_ISSUE, 7, 42, 1, 1, 5, 0, 0,
				      NULL, 0});
	bb_add(bb, (struct bb_record){20, 2048, 4096, BB_READ | BB_COMPLETE, 8, 0, 1, 0, 0, -5, 0,
				      NULL, 0});
	bb_write(bb, path);
	bb_free(bb);
}

static void blkparse(const char *dir)
{
	static const char text[] =
		"  8,52   3        1     0.000000237   276  A  RA 2060 + 8 <- (259,1) 2392\n"
		"  8,52   3        2     0.000000238   276  Q  RA 2048 + 8 [cat]\n"
		"  8,52   3        3     0.000000238   276  X   R 2048 / 2056 [cat]\n"
		"  8,52   3        0     0.000000239   276  m   N text\n"
		"  8,52   3        5     0.000000237   276  D   R 36 (12 00) [sg]\n"
		"  8,52   3        6     0.000000240   276  U   N [cat] 1\n"
		"  8,52   3        7     0.000000241     0  C  FN 0 [65531]\n"
		"CPU3 (sda):\n Reads Queued: 0\nSkips: 1 forward (17 -   9.0%)\n";
	char *path __cleanup_free = xasprintf("%s/blkparse/0", dir);

	put(path, text, sizeof(text) - 1);
}

/* The example's JSON files, behind the byte that says which of the two it is. */
static void run_json(const char *dir)
{
	static const char *const from[] = {"traces/example/base-1/" CAPTURE_JSON,
					   "traces/example/" RUN_JSON};

	for (unsigned int i = 0; i < ARRAY_SIZE(from); i++) {
		char *path __cleanup_free = xasprintf("%s/run_json/%u", dir, i);
		char *text = NULL, *all __cleanup_free = NULL;
		size_t len;
		struct err e;

		if (file_read(from[i], 1u << 20, &text, &len, &e)) {
			fprintf(stderr, "%s\n", e.msg);
			continue;
		}
		all = xcalloc(1, len + 1);
		all[0] = (char)('0' + i);
		memcpy(all + 1, text, len);
		put(path, all, len + 1);
		free(text);
	}
}

static size_t frame(char *out, u32 type, u32 seq, const void *payload, size_t len)
{
	struct frame_header h = {FRAME_MAGIC, type, seq, 0, len};

	memcpy(out, &h, sizeof(h));
	memcpy(out + sizeof(h), payload, len);
	return sizeof(h) + len;
}

static void frames(const char *dir)
{
	static const char file[] = "events/header_page\0\tfield: u64 timestamp;\toffset:0;";
	static const char phase[] = "{\"name\": \"one\", \"begin_ns\": 1, \"end_ns\": 2}";
	static const char hello[] = "{\"uname\": \"Linux 7.3\", \"page_size\": 4096}";
	static const char error[] = "{\"step\": \"mount\", \"reason\": \"no\", \"errno\": 5}";
	static const u8 page[4096];
	const struct progress progress = {0, 2, 4096, 8192};
	char *path __cleanup_free = xasprintf("%s/frames/0", dir);
	char *b __cleanup_free = xcalloc(1, 16384);
	size_t n = 0;

	n += frame(b + n, FRAME_ALIVE, 0, "", 0);
	n += frame(b + n, FRAME_HELLO, 1, hello, sizeof(hello) - 1);
	n += frame(b + n, FRAME_FILE, 2, file, sizeof(file) - 1);
	n += frame(b + n, FRAME_PROGRESS, 3, &progress, sizeof(progress));
	n += frame(b + n, FRAME_PAGES, 4, page, sizeof(page));
	n += frame(b + n, FRAME_PHASE, 5, phase, sizeof(phase) - 1);
	n += frame(b + n, FRAME_ERROR, 6, error, sizeof(error) - 1);
	n += frame(b + n, FRAME_DONE, 7, "", 0);
	put(path, b, n);
}

static void reqlog(const char *dir)
{
	static const char text[] =
		"7@1700000000.000001:virtqueue_pop vq 0x1 elem 0x55 in_num 2 out_num 1\n"
		"7@1700000000.000002:virtio_blk_handle_read vdev 0x1 req 0x55 sector 8 nsectors 8\n"
		"7@1700000000.000009:virtio_blk_rw_complete vdev 0x1 req 0x55 ret 0\n"
		"7@1700000000.000010:virtio_blk_req_complete vdev 0x1 req 0x55 status 0\n"
		"7@1700000000.000011:virtqueue_pop vq 0x1 elem 0x56 in_num 1 out_num 1\n"
		"7@1700000000.000012:virtio_blk_handle_write vdev 0x1 req 0x57 sector 8 nsectors 8\n"
		"7@1700000000.000013:virtio_blk_req_complete vdev 0x1 req 0x56 status 1\n";
	char *path __cleanup_free = xasprintf("%s/reqlog/0", dir);

	put(path, text, sizeof(text) - 1);
}

/* Events by number, as fuzz_model.c reads them: a phase, read-around, a folio, a request. */
static void model(const char *dir)
{
	for (unsigned int i = 0; i < 8; i++) {
		static const u8 events[][16] = {
			{EV_MARKER, 0, 10, 0},
			{EV_FAULT, 1, 10, 0, 8},
			{EV_RA_ORDER, 1, 10, 0, 4, 0, 0, 0, 32, 0, 8, 0, 32},
			{EV_FOLIO_ADD, 1, 10, 0, 4},
			{EV_RQ_QUEUE, 1, 10, 0, 64, 0, 8, 0x21},
			{EV_RQ_ISSUE, 1, 10, 0, 64, 0, 8, 0x21},
			{EV_RQ_QUEUE, 1, 10, 0, 64, 0, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0x80},
			{EV_RQ_COMPLETE, 1, 20, 0, 64, 0, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0x80},
			{EV_RQ_COMPLETE, 1, 20, 0, 64, 0, 8, 1},
			{EV_RA_ASYNC, 1, 10, 0, 28, 0, 0, 0, 32, 0, 8, 0, 32},
			{EV_RA_UNBOUNDED, 2, 10, 1, 99, 0, 4, 0, 0, 0, 1, 0, 32},
			{EV_GET_PAGES, 2, 10, 1, 99, 0, 3},
			{EV_MARKER, 0, 10, 1},
			{EV_LOST, 0, 10, 3, 9},
		};
		char *path __cleanup_free = xasprintf("%s/model/%u", dir, i);
		char all[1 + sizeof(events)];

		all[0] = (char)i;
		memcpy(all + 1, events, sizeof(events));
		put(path, all, sizeof(all));
	}
}

static void block_plan(const char *dir)
{
	static const char *const texts[] = {
		"blkproof-plan 1 block\nsource x\naction D\nsector-size 512\nsectors 2048\n"
		"requests 3 reads 1 writes 1 fua 1 preflush 1 flushes 1 discards 0 write-zeroes 0\n"
		"largest 4096\nduration 100\nfolded 0\ndependencies yes\n"
		"device 8,0 base 0 sectors 16 requests 3\nnote a b\nbegin\nR 0 0 8\nC 9 0\n"
		"FWF 10 8 8\nF 100\nend 4\n",
		"fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 4096 8192\n"
		"/dev/sda wait 100 0\n/dev/sda write 0 512\n/dev/sda sync 0 0\n"
		"/dev/sdb trim 8192 4096\n/dev/sda close\n",
		"fio version 3 iolog\n5 a add\n7 a read 0 512\n9 b datasync 0 0\n",
		"8,0 0 1 0.000001000 7 Q R 108 + 8 [a]\n8,0 0 2 0.000001001 7 Q R 116 + 8 [a]\n"
		"8,0 0 3 0.000001002 7 D R 108 + 16 [a]\n8,0 0 4 0.000001003 7 R R 108 + 16 [0]\n"
		"8,0 0 5 0.000001004 7 D R 108 + 16 [a]\n8,16 0 1 0.000001005 7 D FWFS 8 + 8 [a]\n"
		"8,0 0 6 0.000001006 7 C R 108 + 16 [0]\n8,0 0 7 0.000001007 7 D DS 8 + 64 [a]\n",
	};
	struct err e;

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		char *path __cleanup_free = xasprintf("%s/block_plan/%u", dir, i);

		if (file_write_atomic(path, texts[i], strlen(texts[i]), &e))
			fprintf(stderr, "%s\n", e.msg);
	}
}

static void texts(const char *dir, const char *kind, const char *const *list, size_t n)
{
	struct err e;

	for (size_t i = 0; i < n; i++) {
		char *path __cleanup_free = xasprintf("%s/%s/%zu", dir, kind, i);

		if (file_write_atomic(path, list[i], strlen(list[i]), &e))
			fprintf(stderr, "%s\n", e.msg);
	}
}

static void access_plans(const char *dir)
{
	static const char *const plans[] = {
		"blkproof-plan 1 access\nsource x\npage_size 4096\nread_ahead_kb 128\nnote n\n"
		"file 0 8192 exact 8:1 12\nfile 1 1 least 0:0 0\nphase a 3 2 9 8192\nphase b 0 0 0 0\n"
		"begin\nphase a\n1 0 read 0 0 8192\n2 1 touch 0 0 8192 4096\n3 0 random 1 0 0\n"
		"phase b\nend 5\n",
	};
	static const char *const iologs[] = {
		"fio version 2 iolog\n/a add\n/a open\n/a read 0 4096\n/a wait 500 0\n"
		"/a write 0 4096\n/a close\n",
		"fio version 3 iolog\n0 /a add\n1 /a read 4096 4096\n9 /b read 0 1\n",
	};
	static const char *const straces[] = {
		"7 1.000000 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3</a>\n"
		"7 1.000001 read(3</a>, \"\\177\\\"\"..., 832) = 832\n"
		"7 1.000002 clone(child_stack=NULL, flags=CLONE_FILES <unfinished ...>\n"
		"8 1.000003 pread64(3,  <unfinished ...>\n7 1.000004 <... clone resumed>) = 8\n"
		"8 1.000005 <... pread64 resumed>\"\"..., 4, 8) = 4\n"
		"8 1.000006 fadvise64(3, 0, 0, POSIX_FADV_RANDOM) = 0\n"
		"8 1.000007 dup2(3, 9) = 9\n8 1.000008 lseek(9, 1, SEEK_SET) = 1\n"
		"8 1.000009 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f0\n"
		"8 1.000010 close(3) = 0\n8 1.000011 +++ exited with 0 +++\n",
		"[pid  7] 1.000000 open(\"/a\", O_RDONLY) = 3\n"
		"[pid  7] 1.000001 readv(3, [{iov_base=\"\", iov_len=4}], 1) = 4 <0.000010>\n",
	};

	texts(dir, "access_plan", plans, ARRAY_SIZE(plans));
	texts(dir, "access_iolog", iologs, ARRAY_SIZE(iologs));
	texts(dir, "access_strace", straces, ARRAY_SIZE(straces));
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"tracedat", "blktrace", "blkparse", "block_plan",
					     "access_plan", "access_iolog",
					     "access_strace",
					    "run_json", "frames",   "reqlog",	"model"};
	struct err e;

	if (argc != 2) {
		fprintf(stderr, "usage: make_seeds DIR\n");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *dir __cleanup_free = xasprintf("%s/%s", argv[1], names[i]);

		if (make_dirs(dir, &e)) {
			fprintf(stderr, "%s\n", e.msg);
			return 1;
		}
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(layouts); i++)
		tracedat(argv[1], i);
	for (unsigned int i = 0; i < 4; i++)
		blktrace(argv[1], i);
	blkparse(argv[1]);
	block_plan(argv[1]);
	access_plans(argv[1]);
	run_json(argv[1]);
	frames(argv[1]);
	reqlog(argv[1]);
	model(argv[1]);
	return 0;
}
