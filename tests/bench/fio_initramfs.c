// SPDX-License-Identifier: GPL-2.0-only
/* fio_initramfs OUT INIT IOLOG: an initramfs with fio, its libraries and a log that it replays. */
#include <elf.h>
#include <sys/stat.h>

#include "host/program.h"
#include "lib/fileio.h"

int main(int argc, char **argv)
{
	static const struct program_target target = {.machine = EM_X86_64};
	struct cpio_entry iolog = {.name = "iolog", .mode = S_IFREG | 0644};
	struct program_files f = {.n = 0};
	struct err e = {.msg = ""};
	char *data = NULL;
	int ret;

	if (argc != 4) {
		fprintf(stderr, "usage: fio_initramfs OUT INIT IOLOG\n");
		return 2;
	}
	ret = program_add(&f, "/usr/bin/fio", &target, &e);
	if (!ret)
		ret = file_read(argv[3], 1u << 30, &data, &iolog.len, &e);
	if (!ret) {
		iolog.data = data;
		f.entries = xrealloc(f.entries, f.n + 1, sizeof(*f.entries));
		f.entries[f.n] = iolog;
		ret = initramfs_write(argv[1], argv[2], "", f.entries, f.n + 1, &e);
	}
	if (ret)
		fprintf(stderr, "fio_initramfs: %s\n", e.msg);
	return ret ? 1 : 0;
}
