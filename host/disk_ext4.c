// SPDX-License-Identifier: GPL-2.0-only
#include "host/disk_ext4.h"

#include <errno.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "host/spawn.h"
#include "lib/contract.h"

/* fixed, so that two machines make the same image: nothing depends on its being unique */
#define IMAGE_UUID "6d0a3c1e-2b5f-4f0e-9a67-626c6b70726f"
#define IMAGE_TIME 1700000000
#define LAST_LINE 256

static void keep_line(void *ctx, char *line)
{
	char *last = ctx;

	if (*line)
		snprintf(last, LAST_LINE, "%s", line);
}

int ext4_make(const char *image, u64 block_size, u32 files, struct err *e)
{
	char block[24], inodes[16], status[STATUS_TEXT_MAX];
	char last[LAST_LINE] = "";
	/*
	 * No journal and no reserve: the disk is only read, and nothing may be
	 * written behind a phase's back.  One flexible group for all metadata and no
	 * backup superblocks: the file's extents are as long as ext4 has them.  All
	 * features are named here, since /etc/mke2fs.conf differs between machines.
	 */
	const char *const argv[] = {
		"mke2fs",
		"-q",
		"-F",
		"-b",
		block,
		"-m",
		"0",
		"-N",
		inodes,
		"-I",
		"256",
		"-L",
		"blkproof",
		"-U",
		IMAGE_UUID,
		"-G",
		"65536",
		"-O",
		"none,ext_attr,dir_index,sparse_super2,filetype,extent,64bit,flex_bg,"
		"large_file,huge_file,dir_nlink,extra_isize,metadata_csum",
		"-E",
		"lazy_itable_init=0,nodiscard,num_backup_sb=0,hash_seed=" IMAGE_UUID,
		image,
		NULL,
	};
	const char *const env[] = {"E2FSPROGS_FAKE_TIME=1700000000", "MKE2FS_CONFIG=/dev/null",
				   NULL};
	struct run r = {.argv = argv, .opt = {.env = env}, .line = keep_line, .ctx = last};
	int ret;

	snprintf(inodes, sizeof(inodes), "%u", files + 63);
	snprintf(block, sizeof(block), "%llu", (unsigned long long)block_size);
	ret = run_program(&r, e);
	if (ret < 0)
		return ret;
	if (ret)
		return err_set(e, -EIO, "mke2fs failed on %s, %s: %s", image,
			       status_text(ret, status), last);
	return 0;
}

static int collect(ext2_filsys fs, ext2_ino_t ino, struct disk_extents *x)
{
	struct ext2fs_extent ext;
	ext2_extent_handle_t h;
	errcode_t err;
	int op = EXT2_EXTENT_ROOT;

	err = ext2fs_extent_open(fs, ino, &h);
	if (err)
		return -EIO;
	while (!(err = ext2fs_extent_get(h, op, &ext))) {
		op = EXT2_EXTENT_NEXT;
		if (!(ext.e_flags & EXT2_EXTENT_FLAGS_LEAF))
			continue;
		x->e = xrealloc(x->e, x->n + 1, sizeof(*x->e));
		x->e[x->n++] = (struct disk_extent){
			.file = ext.e_lblk * fs->blocksize,
			.disk = ext.e_pblk * fs->blocksize,
			.length = (u64)ext.e_len * fs->blocksize,
		};
	}
	ext2fs_extent_free(h);
	return err == EXT2_ET_EXTENT_NO_NEXT ? 0 : -EIO;
}

static errcode_t link_file(ext2_filsys fs, u32 index, ext2_ino_t ino)
{
	char name[sizeof(TEST_FILE_NAME) + 12];
	errcode_t err;

	snprintf(name, sizeof(name), index ? TEST_FILE_NAME ".%u" : TEST_FILE_NAME, index);
	err = ext2fs_link(fs, EXT2_ROOT_INO, name, ino, EXT2_FT_REG_FILE);
	if (err != EXT2_ET_DIR_NO_SPACE)
		return err;
	err = ext2fs_expand_dir(fs, EXT2_ROOT_INO);
	return err ? err : ext2fs_link(fs, EXT2_ROOT_INO, name, ino, EXT2_FT_REG_FILE);
}

static errcode_t add_file(ext2_filsys fs, u32 index, u64 size, ext2_ino_t *ino)
{
	struct ext2_inode inode = {
		.i_mode = LINUX_S_IFREG | 0644,
		.i_links_count = 1,
		.i_flags = EXT4_EXTENTS_FL,
		.i_atime = IMAGE_TIME,
		.i_ctime = IMAGE_TIME,
		.i_mtime = IMAGE_TIME,
	};
	u64 blocks = (size + fs->blocksize - 1) / fs->blocksize;
	errcode_t err;

	err = ext2fs_new_inode(fs, EXT2_ROOT_INO, inode.i_mode, NULL, ino);
	if (!err)
		err = ext2fs_inode_size_set(fs, &inode, (ext2_off64_t)size);
	if (!err)
		err = ext2fs_write_new_inode(fs, *ino, &inode);
	if (err)
		return err;
	ext2fs_inode_alloc_stats2(fs, *ino, +1, 0);
	err = ext2fs_fallocate(fs, EXT2_FALLOCATE_FORCE_INIT, *ino, NULL, ~0ull, 0, blocks);
	if (!err)
		err = link_file(fs, index, *ino);
	return err;
}

int ext4_add_files(const char *image, const u64 *sizes, u32 n, struct disk_extents *x,
		   struct err *e)
{
	ext2_filsys fs = NULL;
	ext2_ino_t ino = 0;
	errcode_t err;
	int ret = 0;

	memset(x, 0, n * sizeof(*x));
	err = ext2fs_open(image, EXT2_FLAG_RW | EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs);
	if (!err) {
		fs->now = IMAGE_TIME;
		err = ext2fs_read_bitmaps(fs);
	}
	for (u32 i = 0; i < n && !err && !ret; i++) {
		err = add_file(fs, i, sizes[i], &ino);
		if (!err)
			ret = collect(fs, ino, &x[i]);
	}
	if (fs && !err)
		err = ext2fs_close_free(&fs);
	else if (fs)
		ext2fs_free(fs);
	if (err == EXT2_ET_BLOCK_ALLOC_FAIL)
		return err_set(e, -ENOSPC, "%s: the files do not fit into their own image", image);
	if (err)
		return err_set(e, -EIO, "%s: %s", image, error_message(err));
	if (ret)
		return err_set(e, ret, "%s: the files' extents can't be read", image);
	return 0;
}
