// SPDX-License-Identifier: GPL-2.0-only
/*
 * fio's iolog (fio(1), TRACE FILE FORMAT) to requests of a plan:
 *
 *	fio version 2 iolog			fio version 3 iolog
 *	FILE add|open|close			USEC FILE add|open|close
 *	FILE ACTION OFFSET LENGTH		USEC FILE ACTION OFFSET LENGTH
 *	FILE wait USEC 0
 *
 * ACTION is read, write, trim, sync or datasync; offsets and lengths are bytes.
 * Version 3's times count from the job's start, and so do version 2's waits.
 * Each file becomes a device "file-N", in the order in which they appear: names
 * are not kept.  A log knows nothing of completions.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/size.h"
#include "replay/block_trace.h"

#define LINE_BYTES 4096
#define USEC_MAX (BLOCK_NS_MAX / 1000)

struct iolog {
	const char *path;
	struct block_maker *m;
	unsigned int version;
	u64 line, usec;
	char *files[BLOCK_DEVICES_MAX];
	u32 n_files;
};

static int bad(const struct iolog *log, struct err *e, const char *what, const char *found)
{
	return err_set(e, -EBADMSG, "%s:%" PRIu64 ": expected %s, found '%.60s'", log->path,
		       log->line, what, found ? found : "");
}

static int number(const struct iolog *log, char **at, const char *what, u64 max, u64 *value,
		  struct err *e)
{
	const char *word = strsep(at, " ");
	struct err ignored;

	if (!word || number_parse(word, what, 0, max, value, &ignored))
		return bad(log, e, what, word);
	return 0;
}

static int device_of(struct iolog *log, const char *file, struct err *e)
{
	char name[32];
	u32 i;

	for (i = 0; i < log->n_files; i++)
		if (!strcmp(log->files[i], file))
			break;
	if (i == BLOCK_DEVICES_MAX)
		return bad(log, e, "at most 64 files", file);
	if (i == log->n_files)
		log->files[log->n_files++] = xstrdup(file);
	snprintf(name, sizeof(name), "file-%u", i);
	return block_maker_device(log->m, name, e);
}

static int take_io(struct iolog *log, const char *file, enum block_op op, char **at, struct err *e)
{
	struct block_request r = {.ns = log->usec * 1000, .where = log->line, .op = op};
	u64 offset = 0, seq;
	int device, ret = 0;

	/* fio writes an offset and a length, which mean nothing, for syncs as well */
	if (op != BLOCK_FLUSH) {
		ret = number(log, at, "an offset in bytes", INT64_MAX, &offset, e);
		if (!ret)
			ret = number(log, at, "a length in bytes", INT64_MAX, &r.bytes, e);
		if (!ret && offset % SECTOR_SIZE)
			return err_set(e, -EINVAL,
				       "%s:%" PRIu64 ": offset %" PRIu64 " is no multiple of a "
				       "sector of %u bytes",
				       log->path, log->line, offset, SECTOR_SIZE);
		r.sector = offset / SECTOR_SIZE;
	}
	if (ret)
		return ret;
	device = device_of(log, file, e);
	if (device == -ENODEV) {
		block_maker_skip(log->m, SKIP_OTHER_DEVICE);
		return 0;
	}
	if (device < 0)
		return device;
	if (op != BLOCK_FLUSH && !r.bytes) {
		block_maker_skip(log->m, SKIP_NO_BYTES);
		return 0;
	}
	ret = block_maker_request(log->m, device, &r, &seq, e);
	return ret ? err_prefix(e, ret, "%s", log->path) : 0;
}

static int take_line(struct iolog *log, char *line, struct err *e)
{
	static const struct {
		const char *name;
		enum block_op op;
	} ios[] = {{"read", BLOCK_READ},
		   {"write", BLOCK_WRITE},
		   {"trim", BLOCK_DISCARD},
		   {"sync", BLOCK_FLUSH},
		   {"datasync", BLOCK_FLUSH}};
	char *at = line, *file, *action;
	u64 usec;
	int ret;

	if (log->version == 3) {
		ret = number(log, &at, "a time in microseconds", USEC_MAX, &usec, e);
		if (ret)
			return ret;
		if (usec < log->usec)
			return err_set(e, -EBADMSG,
				       "%s:%" PRIu64 ": %" PRIu64 " us is before the line above: "
				       "times go backwards",
				       log->path, log->line, usec);
		log->usec = usec;
	}
	file = strsep(&at, " ");
	action = strsep(&at, " ");
	if (!action)
		return bad(log, e, "a file's name and an action", line);
	if (!strcmp(action, "add") || !strcmp(action, "open") || !strcmp(action, "close"))
		return 0;
	if (!strcmp(action, "wait") && log->version == 2) {
		ret = number(log, &at, "microseconds", USEC_MAX, &usec, e);
		if (!ret && usec > USEC_MAX - log->usec)
			ret = bad(log, e, "waits of less than 146 years", action);
		if (!ret)
			log->usec += usec;
		return ret;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ios); i++)
		if (!strcmp(action, ios[i].name))
			return take_io(log, file, ios[i].op, &at, e);
	return bad(log, e,
		   "add, open, close, read, write, sync, datasync or trim, or wait in "
		   "version 2",
		   action);
}

static int first_line(struct iolog *log, const char *line, struct err *e)
{
	if (!strcmp(line, "fio version 2 iolog"))
		log->version = 2;
	else if (!strcmp(line, "fio version 3 iolog"))
		log->version = 3;
	else
		return bad(log, e, "\"fio version 2 iolog\" or 3", line);
	return 0;
}

static int pass(struct iolog *log, struct err *e)
{
	FILE *f __cleanup_fclose = fopen(log->path, "re");
	char line[LINE_BYTES];
	size_t len;
	int ret = 0;

	if (!f)
		return err_errno(e, -errno, "%s", log->path);
	log->line = log->usec = 0;
	while (!ret && fgets(line, sizeof(line), f)) {
		log->line++;
		len = strlen(line);
		if (!len || line[len - 1] != '\n')
			return err_set(e, -EBADMSG,
				       "%s:%" PRIu64
				       ": expected a line of fewer than %d bytes that "
				       "ends with a newline (truncated?)",
				       log->path, log->line, LINE_BYTES);
		line[len - 1] = '\0';
		ret = log->line == 1 ? first_line(log, line, e) : take_line(log, line, e);
	}
	if (!ret && ferror(f))
		ret = err_errno(e, -EIO, "%s", log->path);
	if (!ret && !log->line)
		ret = err_set(e, -EBADMSG, "%s: expected a fio iolog, the file is empty",
			      log->path);
	return ret;
}

int block_plan_of_iolog(const char *path, const struct block_options *o, struct plan_writer *w,
			struct block_plan *p, struct err *e)
{
	struct iolog log = {.path = path};
	struct block_maker *m = block_maker_new(o, w, "line"), *measure = NULL;
	int ret = 0;

	*p = (struct block_plan){.source = NULL};
	if (o->action != ACTION_AUTO)
		ret = err_set(e, -EINVAL, "%s: --action: a fio iolog has neither Q nor D events",
			      path);
	if (!ret && o->dependencies)
		ret = err_set(
			e, -EINVAL,
			"%s: --dependencies: a fio iolog does not tell when requests completed",
			path);
	if (!ret && o->end_to_end) {
		log.m = measure = block_maker_new(o, NULL, "line");
		ret = pass(&log, e);
		if (!ret)
			ret = block_maker_layout(m, measure, e);
		block_maker_free(measure);
	}
	log.m = m;
	if (!ret)
		ret = pass(&log, e);
	if (!ret) {
		ret = block_maker_finish(m, p, e);
		if (ret)
			err_prefix(e, ret, "%s", path);
	}
	block_maker_free(m);
	p->source = xasprintf("fio iolog version %u", log.version);
	snprintf(p->action, sizeof(p->action), "log");
	for (u32 i = 0; i < log.n_files; i++)
		free(log.files[i]);
	return ret;
}
