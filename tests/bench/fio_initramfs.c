// SPDX-License-Identifier: GPL-2.0-only
/*
 * fio_initramfs OUT INIT IOLOG PLAN: an initramfs with fio, its libraries and what
 * it replays: the iolog, and the same requests as blktrace has them.
 */
#include <elf.h>
#include <sys/stat.h>

#include "host/program.h"
#include "lib/blktrace_format.h"
#include "lib/block_plan.h"
#include "lib/fileio.h"

/* The plan's requests as Q records of /dev/vda; fio reads no others. */
static int blktrace(const char *path, struct cpio_entry *out, struct err *e)
{
	struct block_cursor c = {0};
	struct bt_record *records;
	struct block_plan p;
	struct plan_reader r;
	struct block_line l;
	u32 n = 0;
	int ret = plan_open(&r, path, false, e);

	if (!ret)
		ret = block_plan_header(&r, &p, e);
	if (ret)
		return ret;
	records = xcalloc(p.requests, sizeof(*records));
	while ((ret = block_plan_next(&r, &p, &c, &l, e)) == 1) {
		u32 category = l.op == BLOCK_READ ? BT_C_READ : BT_C_WRITE;

		records[n] = (struct bt_record){.magic = BT_MAGIC | BT_VERSION,
						.sequence = n + 1,
						.time = l.ns,
						.sector = l.sector,
						.bytes = (u32)l.sectors * SECTOR_SIZE,
						.action = BT_ACT(BT_QUEUE, BT_C_QUEUE | category),
						.pid = 1,
						.device = 254u << 20};
		n++;
	}
	plan_close(&r);
	block_plan_free(&p);
	*out = (struct cpio_entry){.name = "trace.blktrace.0",
				   .mode = S_IFREG | 0644,
				   .data = records,
				   .len = n * sizeof(*records)};
	return ret;
}

int main(int argc, char **argv)
{
	static const struct program_target target = {.machine = EM_X86_64};
	struct cpio_entry iolog = {.name = "iolog", .mode = S_IFREG | 0644};
	struct program_files f = {.n = 0};
	struct err e = {.msg = ""};
	char *data = NULL;
	int ret;

	if (argc != 5) {
		fprintf(stderr, "usage: fio_initramfs OUT INIT IOLOG PLAN\n");
		return 2;
	}
	ret = program_add(&f, "/usr/bin/fio", &target, &e);
	if (!ret)
		ret = file_read(argv[3], 1u << 30, &data, &iolog.len, &e);
	if (!ret) {
		iolog.data = data;
		f.entries = xrealloc(f.entries, f.n + 2, sizeof(*f.entries));
		f.entries[f.n] = iolog;
		ret = blktrace(argv[4], &f.entries[f.n + 1], &e);
	}
	if (!ret) {
		ret = initramfs_write(argv[1], argv[2], EM_X86_64, "", f.entries, f.n + 2, &e);
	}
	if (ret)
		fprintf(stderr, "fio_initramfs: %s\n", e.msg);
	return ret ? 1 : 0;
}
