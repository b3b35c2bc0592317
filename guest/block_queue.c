// SPDX-License-Identifier: GPL-2.0-only
#include "guest/block_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "guest/sys.h"

/*
 * Tags that are left for what else the kernel may do.  Without a free one a
 * submission would be tried again by a kernel thread, out of order, and its bio
 * be traced twice.
 */
#define TAGS_SPARED 4u

#define INT(v) ((json_int_t)(v))

static int queue_read(const char *disk, const char *name, u64 *value, struct err *e)
{
	int ret = sys_read_number(value, "/sys/block/%s/queue/%s", disk, name);

	return ret ? err_errno(e, ret, "/sys/block/%s/queue/%s", disk, name) : 0;
}

static int queue_write(const char *disk, const char *name, const char *text, struct err *e)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", disk, name);
	ret = sys_write(path, text);
	return ret ? err_errno(e, ret, "%s: writing '%s'", path, text) : 0;
}

static int check_device(const char *disk, const struct block_plan *p, struct err *e)
{
	u64 sectors, block;
	int ret;

	ret = sys_read_number(&sectors, "/sys/block/%s/size", disk);
	if (ret)
		return err_errno(e, ret, "/sys/block/%s/size", disk);
	ret = queue_read(disk, "logical_block_size", &block, e);
	if (ret)
		return ret;
	if (sectors < p->sectors)
		return err_set(e, -ENOSPC,
			       "the plan needs a device of %" PRIu64 " sectors, %s has %" PRIu64,
			       p->sectors, disk, sectors);
	if (!block || p->sector_size % block)
		return err_set(e, -EINVAL,
			       "the plan's sectors have %" PRIu64 " bytes, those of %s %" PRIu64,
			       p->sector_size, disk, block);
	return 0;
}

/* Largest request that is not split. */
static int set_largest(const char *disk, const struct block_plan *p, struct err *e)
{
	u64 now, most, need = (p->largest + 1023) / 1024;
	char text[24];
	int ret;

	ret = queue_read(disk, "max_sectors_kb", &now, e);
	if (!ret)
		ret = queue_read(disk, "max_hw_sectors_kb", &most, e);
	if (ret || need <= now)
		return ret;
	if (need > most)
		return err_set(e, -EINVAL,
			       "the plan's largest request has %" PRIu64 " KiB, %s takes %" PRIu64,
			       need, disk, most);
	snprintf(text, sizeof(text), "%" PRIu64, need);
	return queue_write(disk, "max_sectors_kb", text, e);
}

int block_queue_setup(const char *disk, const struct block_plan *p, struct block_queue *q,
		      struct err *e)
{
	char path[64];
	u64 tags, segments;
	int ret;

	ret = check_device(disk, p, e);
	if (!ret && p->action[0] == 'D') {
		ret = queue_write(disk, "scheduler", "none", e);
		if (!ret)
			ret = queue_write(disk, "nomerges", "2", e);
		if (!ret)
			ret = set_largest(disk, p, e);
	}
	if (!ret)
		ret = queue_read(disk, "nr_requests", &tags, e);
	if (!ret)
		ret = queue_read(disk, "max_segments", &segments, e);
	if (ret)
		return ret;
	/* a buffer need not begin with a page */
	q->scattered_max = (MAX(segments, 2u) - 1) * (u64)sysconf(_SC_PAGESIZE);
	q->depth = tags > 2 * TAGS_SPARED ? (unsigned int)MIN(tags, 4096u) - TAGS_SPARED : 2;
	snprintf(path, sizeof(path), "/dev/%s", disk);
	q->fd = open(path, O_RDWR | O_DIRECT | O_EXCL | O_CLOEXEC);
	return q->fd < 0 ? err_errno(e, -errno, "%s", path) : 0;
}

int block_counts_parse(const char *text, struct block_counts *c)
{
	/* Documentation/admin-guide/iostats.rst, fields 1, 5, 12 and 16 */
	*c = (struct block_counts){0};
	if (sscanf(text,
		   "%" SCNu64 " %*u %*u %*u %" SCNu64 " %*u %*u %*u %*u %*u %*u %" SCNu64
		   " %*u %*u %*u %" SCNu64,
		   &c->reads, &c->writes, &c->discards, &c->flushes) < 2)
		return -EINVAL;
	return 0;
}

int block_counts_read(const char *disk, struct block_counts *c, struct err *e)
{
	char line[512];
	int ret = sys_read_line(line, sizeof(line), "/sys/block/%s/stat", disk);

	if (!ret)
		ret = block_counts_parse(line, c);
	return ret ? err_errno(e, ret, "/sys/block/%s/stat", disk) : 0;
}

json_t *block_counts_json(const struct block_counts *c)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "reads", INT(c->reads), "writes", INT(c->writes),
			 "discards", INT(c->discards), "flushes", INT(c->flushes));
}
