// SPDX-License-Identifier: GPL-2.0-only
/* Event formats as text, records as commented bytes, both byte orders. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "verify/input/format.h"
#include "verify/input/rwbs.h"

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Linux 7.3, 64 bits */
static const char fault[] =
	"name: mm_filemap_fault\nID: 258\nformat:\n" COMMON
	"\tfield:u64 i_ino;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"dev=%d:%d ino=%llx\", ((unsigned int) ((REC->s_dev) >> 20)), 0, REC->i_ino\n";

/* Linux 5.15, 64 bits: no order, i_ino is a long */
static const char add_5_15[] =
	"name: mm_filemap_add_to_page_cache\nID: 258\nformat:\n" COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long i_ino;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:32;\tsize:4;\tsigned:0;\n";

/* Linux 6.8, 32 bits */
static const char add_32[] =
	"name: mm_filemap_add_to_page_cache\nID: 258\nformat:\n" COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long i_ino;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned char order;\toffset:24;\tsize:1;\tsigned:0;\n";

static const char complete[] =
	"name: block_rq_complete\nID: 258\nformat:\n" COMMON
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:__data_loc char[] cmd;\toffset:40;\tsize:4;\tsigned:1;\n";

static const char print[] = "name: print\nID: 258\nformat:\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:1;\n";

/* Linux 7.3, 64 bits; "what" has a byte, and nobody reads it */
static const char netfs[] =
	"name: netfs_read\nID: 258\nformat:\n" COMMON
	"\tfield:unsigned int rreq;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int cookie;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:loff_t i_size;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:loff_t start;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:size_t len;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:enum netfs_read_trace what;\toffset:40;\tsize:1;\tsigned:0;\n"
	"\tfield:u64 netfs_inode;\toffset:48;\tsize:8;\tsigned:0;\n";

/* our patches/0002 */
static const char strided[] =
	"name: ceph_strided_read\nID: 258\nformat:\n" COMMON
	"\tfield:u64 i_ino;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:loff_t pos;\toffset:20;\tsize:8;\tsigned:1;\n"
	"\tfield:size_t len;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:loff_t interval;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:loff_t from;\toffset:40;\tsize:8;\tsigned:1;\n"
	"\tfield:loff_t to;\toffset:48;\tsize:8;\tsigned:1;\n";

static const char plug[] = "name: block_plug\nID: 258\nformat:\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n";

struct test_case {
	const char *name, *system, *format;
	bool big_endian;
	u8 record[64];
	u32 len;
	struct event want;
	const char *marker;
	const char *error;
};

#define LITTLE_42 2, 1, 0, 0, 42, 0, 0, 0 /* type 258, pid 42 */
#define BIG_42 1, 2, 0, 0, 0, 0, 0, 42
#define DEV_LITTLE 1, 0, 0xe0, 0x0f /* 254,1 */
#define DEV_BIG 0x0f, 0xe0, 0, 1

static const struct test_case cases[] = {
	{ "fault, little-endian", "filemap", fault, false,
	  { LITTLE_42, 12, 0, 0, 0, 0, 0, 0, 1, /* i_ino, all 64 bits of it */
	    DEV_LITTLE, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0 }, 32,
	  { .type = EV_FAULT, .pid = 42, .dev = DEV(254, 1), .ino = (1ull << 56) + 12,
	    .access = { 7, 7 } }, NULL, NULL },
	{ "fault, big-endian", "filemap", fault, true,
	  { BIG_42, 1, 0, 0, 0, 0, 0, 0, 12, DEV_BIG, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 }, 32,
	  { .type = EV_FAULT, .pid = 42, .dev = DEV(254, 1), .ino = (1ull << 56) + 12,
	    .access = { 7, 7 } }, NULL, NULL },
	{ "folio without order", "filemap", add_5_15, false,
	  { LITTLE_42, 9, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0,
	    DEV_LITTLE }, 36,
	  { .type = EV_FOLIO_ADD, .pid = 42, .dev = DEV(254, 1), .ino = 12,
	    .folio = { 7, 9, ORDER_UNKNOWN } }, NULL, NULL },
	{ "folio, 32 bits, big-endian", "filemap", add_32, true,
	  { BIG_42, 0, 0, 0, 9, 0, 0, 0, 12, 0, 0, 0, 7, DEV_BIG, 4 }, 28,
	  { .type = EV_FOLIO_ADD, .pid = 42, .dev = DEV(254, 1), .ino = 12, .folio = { 7, 9, 4 } },
	  NULL, NULL },
	{ "completion with an error", "block", complete, false,
	  { LITTLE_42, DEV_LITTLE, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0,
	    0xfb, 0xff, 0xff, 0xff, 'R', 'A', 0, 0, 0, 0, 0, 0, 44, 0, 1, 0 }, 44,
	  { .type = EV_RQ_COMPLETE, .pid = 42, .dev = DEV(254, 1), .sector = 2048,
	    .rq = { 4096, RQ_READ | RQ_AHEAD, -5, 0 } }, NULL, NULL },
	{ "completion, big-endian", "block", complete, true,
	  { BIG_42, DEV_BIG, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 8,
	    0xff, 0xff, 0xff, 0xfb, 'R', 'A', 0, 0, 0, 0, 0, 0, 0, 1, 0, 44 }, 44,
	  { .type = EV_RQ_COMPLETE, .pid = 42, .dev = DEV(254, 1), .sector = 2048,
	    .rq = { 4096, RQ_READ | RQ_AHEAD, -5, 0 } }, NULL, NULL },
	{ "netfs request, little-endian", "netfs", netfs, false,
	  { LITTLE_42, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, /* i_size */
	    0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0xd0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
	    1, 0, 0, 0, 0, 1, 0, 0 }, 56,
	  { .type = EV_NETFS_READ, .pid = 42, .ino = (1ull << 40) + 1,
	    .netfs = { 9, 4096, 0xd000 } }, NULL, NULL },
	{ "netfs request, big-endian", "netfs", netfs, true,
	  { BIG_42, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0xd0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 1, 0, 0, 0, 0, 1 }, 56,
	  { .type = EV_NETFS_READ, .pid = 42, .ino = (1ull << 40) + 1,
	    .netfs = { 9, 4096, 0xd000 } }, NULL, NULL },
	{ "netfs request, cut", "netfs", netfs, false, { LITTLE_42 }, 55, { .type = EV_OTHER },
	  NULL, "expected 56 bytes of event netfs_read, found 55" },
	{ "strided read, little-endian", "ceph", strided, false,
	  { LITTLE_42, 12, 0, 0, 0, 0, 0, 0, 0, DEV_LITTLE, 0, 0x10, 0, 0, 0, 0, 0, 0,
	    0xa0, 0xb7, 0, 0, 0, 0x7a, 0x0b, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	    2, 0, 0, 0, 0, 0, 0, 0 }, 56,
	  { .type = EV_STRIDED_READ, .pid = 42, .dev = DEV(254, 1), .ino = 12,
	    .stride = { 4096, 47008, 752128, 1, 2 } }, NULL, NULL },
	{ "strided read, big-endian", "ceph", strided, true,
	  { BIG_42, 0, 0, 0, 0, 0, 0, 0, 12, DEV_BIG, 0, 0, 0, 0, 0, 0, 0x10, 0,
	    0, 0, 0xb7, 0xa0, 0, 0, 0, 0, 0, 0x0b, 0x7a, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	    0, 0, 0, 0, 0, 0, 0, 2 }, 56,
	  { .type = EV_STRIDED_READ, .pid = 42, .dev = DEV(254, 1), .ino = 12,
	    .stride = { 4096, 47008, 752128, 1, 2 } }, NULL, NULL },
	{ "a marker of ours", "ftrace", print, false,
	  { LITTLE_42, 0, 0, 0, 0, 0, 0, 0, 0, 'b', 'l', 'k', 'p', 'r', 'o', 'o', 'f', ':', ' ',
	    'h', 'i', '\n', 0 }, 32,
	  { .type = EV_MARKER, .pid = 42 }, "hi", NULL },
	{ "a marker that fills its record", "ftrace", print, false,
	  { LITTLE_42, 0, 0, 0, 0, 0, 0, 0, 0, 'b', 'l', 'k', 'p', 'r', 'o', 'o', 'f', ':', ' ',
	    'h', 'i' }, 28,
	  { .type = EV_MARKER, .pid = 42 }, "hi", NULL },
	{ "somebody else's marker", "ftrace", print, false,
	  { LITTLE_42, 0, 0, 0, 0, 0, 0, 0, 0, 'b', 'l', 'k', 0 }, 20,
	  { .type = EV_OTHER, .pid = 42 }, NULL, NULL },
	{ "fields that the event lacks are 0", "block", plug, false, { LITTLE_42, 'c', 'a', 't' }, 24,
	  { .type = EV_RQ_OTHER, .pid = 42 }, NULL, NULL },
	{ "an event of another type", "filemap", fault, false, { 3, 1, 0, 0, 42, 0, 0, 0 }, 8,
	  { .type = EV_OTHER, .pid = 42 }, NULL, NULL },
	{ "a fault that is too short", "filemap", fault, false, { LITTLE_42 }, 28, { 0 }, NULL,
	  "expected 32 bytes of event mm_filemap_fault, found 28" },
	{ "less than a pid", "filemap", fault, false, { LITTLE_42 }, 4, { 0 }, NULL,
	  "expected an event with type and pid, found 4 bytes" },
};

static void test_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct test_case *c = &cases[i];
		struct formats *f = formats_new(c->big_endian);
		struct event ev = { 0 };
		char text[MARKER_TEXT_MAX];
		struct err e;
		int ret;

		print_message("  %s\n", c->name);
		assert_int_equal(formats_add(f, c->system, c->format, strlen(c->format), &e), 0);
		ret = formats_decode(f, c->record, c->len, &ev, text, &e);
		assert_int_equal(ret, c->error ? -EBADMSG : 0);
		if (c->error) {
			assert_string_equal(e.msg, c->error);
			formats_free(f);
			continue;
		}
		if (c->marker) {
			assert_string_equal(ev.marker.text, c->marker);
			ev.marker.text = NULL;
		}
		assert_memory_equal(&ev, &c->want, sizeof(ev));
		formats_free(f);
	}
}

static const struct {
	const char *system, *text;
	u64 types;
	u32 caps;
	const char *error; /* begins the message */
} texts[] = {
	{ "filemap", fault, 1ull << EV_FAULT, 0, NULL },
	{ "filemap", add_5_15, 1ull << EV_FOLIO_ADD, 0, NULL },
	{ "filemap", add_32, 1ull << EV_FOLIO_ADD, CAP_FOLIO_ORDER, NULL },
	/* the name alone does not make it ours */
	{ "mine", fault, 0, 0, NULL },
	/* a field that is needed is missing: the event is there, and of no use */
	{ "filemap", "name: mm_filemap_fault\nID: 5\nformat:\n" COMMON
	  "\tfield:u64 i_ino;\toffset:8;\tsize:8;\tsigned:0;\n", 0, 0, NULL },
	{ "filemap", "name: mm_filemap_fault\nID: 5\nformat:\n" COMMON
	  "\tfield:u64 i_ino;\toffset:8;\tsize:3;\tsigned:0;\n", 0, 0,
	  "event filemap:mm_filemap_fault: expected field \"i_ino\" of 1, 2, 4 or 8 bytes" },
	{ "filemap", "name: mm_filemap_fault\nID: 5\nformat:\n" COMMON
	  "\tfield:u64 i_ino;\toffset:8000;\tsize:8;\tsigned:0;\n", 0, 0,
	  "event filemap:mm_filemap_fault: expected field \"i_ino\" at a fixed offset" },
	{ "filemap", "name: mm_filemap_fault\nID: 5\nformat:\n", 0, 0,
	  "event filemap:mm_filemap_fault: expected" },
	{ "filemap", "name: mm_filemap_fault\nID: 5\nformat:\n" COMMON
	  "\tfield:u64 i_ino;\toffset:8;\tsize:x;\tsigned:0;\n", 0, 0,
	  "event filemap:mm_filemap_fault: expected \"field:TYPE NAME;" },
	{ "filemap", "name: mm_filemap_fault\nID: 5\nformat:\n" COMMON
	  "\tfield:__data_loc char[] i_ino;\toffset:8;\tsize:4;\tsigned:0;\n", 0, 0,
	  "event filemap:mm_filemap_fault: expected field \"i_ino\" at a fixed offset" },
	{ "filemap", "name: mm_filemap_fault\nID: 65536\n", 0, 0, "expected an event format" },
	{ "filemap", "mm_filemap_fault", 0, 0, "expected an event format" },
	{ "filemap", "", 0, 0, "expected an event format" },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct formats *f = formats_new(false);
		struct err e = { "" };
		int ret = formats_add(f, texts[i].system, texts[i].text, strlen(texts[i].text), &e);

		assert_int_equal(ret, texts[i].error ? -EBADMSG : 0);
		assert_int_equal(formats_types(f), texts[i].types);
		assert_int_equal(formats_caps(f), texts[i].caps);
		if (texts[i].error)
			assert_memory_equal(e.msg, texts[i].error, strlen(texts[i].error));
		formats_free(f);
	}
}

static const struct {
	const char *rwbs;
	u32 flags;
} flags[] = {
	{ "R", RQ_READ },
	{ "RA", RQ_READ | RQ_AHEAD },
	{ "RM", RQ_READ | RQ_META },
	{ "WS", RQ_WRITE | RQ_SYNC },
	{ "FWFS", RQ_FLUSH | RQ_WRITE | RQ_FUA | RQ_SYNC },
	{ "WFSM", RQ_WRITE | RQ_FUA | RQ_SYNC | RQ_META },
	{ "FF", RQ_FLUSH },
	{ "FFS", RQ_FLUSH | RQ_SYNC },
	{ "WZ", RQ_WRITE | RQ_WRITE_ZEROES },
	{ "D", RQ_DISCARD },
	{ "DE", RQ_DISCARD | RQ_SECURE_ERASE },
	{ "ZAF", RQ_WRITE | RQ_ZONE },
	{ "ZR", RQ_ZONE },
	{ "N", RQ_PASSTHROUGH },
	{ "", 0 },
};

static void test_rwbs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		char field[8] = "";

		memcpy(field, flags[i].rwbs, strlen(flags[i].rwbs));
		assert_int_equal(rwbs_flags(field, sizeof(field)), flags[i].flags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_records),
					    cmocka_unit_test(test_texts),
					    cmocka_unit_test(test_rwbs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
