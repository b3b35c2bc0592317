// SPDX-License-Identifier: GPL-2.0-only
/* The disk with the plan, and the files that the plan is about. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "guest/replay.h"
#include "guest/sys.h"

#define EXTENTS_MAX 1024u

static struct replay *the_replay;

int plan_disk(char *path, size_t size, struct err *e)
{
	struct dirent *d;
	char serial[64];
	DIR *dir = opendir("/sys/block");
	bool found = false;

	while (dir && !found && (d = readdir(dir))) {
		if (strncmp(d->d_name, "vd", 2) ||
		    sys_read_line(serial, sizeof(serial), "/sys/block/%s/serial", d->d_name) ||
		    strcmp(serial, PLAN_DISK_SERIAL))
			continue;
		snprintf(path, size, "/dev/%.16s", d->d_name);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found ? 0
		     : err_set(e, -ENODEV, "no disk with serial '%s': a replay needs a plan",
			       PLAN_DISK_SERIAL);
}

static int open_file(struct replay *r, u32 i, const char *first, struct err *e)
{
	struct replay_file *f = &r->files[i];
	char path[96];
	struct stat st;

	snprintf(path, sizeof(path), i ? "%s.%u" : "%s", first, i);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0 || fstat(f->fd, &st))
		return err_errno(e, -errno, "%s", path);
	f->size = (u64)st.st_size;
	f->ino = st.st_ino;
	if (f->size != r->plan.files[i].size)
		return err_set(e, -EINVAL, "%s: %llu bytes, the plan has %llu", path,
			       (unsigned long long)f->size,
			       (unsigned long long)r->plan.files[i].size);
	return 0;
}

int replay_setup(struct agent *a, struct err *e)
{
	/* each task may open each file, and PID 1 may have as many as the kernel allows */
	struct rlimit limit = {1u << 20, 1u << 20};
	static char path[64];
	struct replay *r;
	bool wanted = false;
	int ret;

	for (unsigned int i = 0; i < a->exp->n_phases; i++)
		wanted |= !strcmp(a->exp->phases[i].pattern, "replay-access");
	if (!wanted)
		return 0;
	a->step = "read the plan";
	ret = plan_disk(path, sizeof(path), e);
	if (ret)
		return ret;
	r = xcalloc(1, sizeof(*r));
	ret = plan_open(&r->reader, path, true, e);
	if (!ret)
		ret = access_plan_header(&r->reader, &r->plan, e);
	if (ret)
		return ret;
	r->at_phase = UINT32_MAX;
	r->files = xcalloc(r->plan.n_files, sizeof(*r->files));
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	for (u32 i = 0; i < r->plan.n_files && !ret; i++)
		ret = open_file(r, i, a->file.path, e);
	the_replay = r;
	return ret;
}

struct replay *replay_get(void)
{
	return the_replay;
}

/*
 * Where a file is on the disk, as [sector, sectors] in the file's order: requests
 * are told apart by it.  NULL if the file system does not say, or has more pieces
 * than are worth it.
 */
static json_t *extents_json(int fd)
{
	size_t size = sizeof(struct fiemap) + EXTENTS_MAX * sizeof(struct fiemap_extent);
	struct fiemap *map __cleanup_free = xcalloc(1, size);
	json_t *list;

	map->fm_length = FIEMAP_MAX_OFFSET;
	map->fm_extent_count = EXTENTS_MAX;
	if (ioctl(fd, FS_IOC_FIEMAP, map) || !map->fm_mapped_extents ||
	    !(map->fm_extents[map->fm_mapped_extents - 1].fe_flags & FIEMAP_EXTENT_LAST))
		return NULL;
	list = json_array();
	for (u32 i = 0; i < map->fm_mapped_extents; i++)
		json_array_append_new(
			list, json_pack("[I, I]",
					(json_int_t)(map->fm_extents[i].fe_physical / SECTOR_SIZE),
					(json_int_t)(map->fm_extents[i].fe_length / SECTOR_SIZE)));
	return list;
}

json_t *replay_files_json(void)
{
	json_t *list = the_replay ? json_array() : NULL, *file, *extents;

	for (u32 i = 0; list && i < the_replay->plan.n_files; i++) {
		const struct replay_file *f = &the_replay->files[i];

		file = json_pack("{s:I, s:I}", "ino", (json_int_t)f->ino, "size",
				 (json_int_t)f->size);
		extents = extents_json(f->fd);
		if (extents)
			json_object_set_new(file, "extents", extents);
		json_array_append_new(list, file);
	}
	return list;
}
