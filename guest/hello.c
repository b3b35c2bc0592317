// SPDX-License-Identifier: GPL-2.0-only
/* What the guest is: FRAME_HELLO. */
#include <errno.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "guest/agent.h"
#include "guest/knobs.h"
#include "guest/replay.h"
#include "guest/sys.h"

#define INT(v) ((json_int_t)(v))

/* A line of a file as a JSON string, or null: not every kernel has every knob. */
static json_t *line_json(const char *path)
{
	char line[4096];
	json_t *j = NULL;

	if (!sys_read_line(line, sizeof(line), "%s", path))
		j = json_string(line); /* NULL if it is not UTF-8 */
	return j ? j : json_null();
}

/* "CPU part" of /proc/cpuinfo's first CPU: its value; NULL if it has none. */
static char *cpu_field(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	p = p ? strchr(p, ':') : NULL;
	if (!p)
		return NULL;
	p += 1 + strspn(p + 1, " ");
	return xstrndup(p, strcspn(p, "\n"));
}

static json_t *cpu_model_json(void)
{
	static char text[1 << 20];
	char *model __cleanup_free = NULL;
	char *maker __cleanup_free = NULL;
	char *part __cleanup_free = NULL;
	struct utsname uts;

	if (sys_read(text, sizeof(text), "/proc/cpuinfo") < 0)
		return json_null();
	model = cpu_field(text, "model name");
	if (model)
		return json_string(model);
	/* arm64 has numbers instead: MIDR_EL1's fields */
	maker = cpu_field(text, "CPU implementer");
	part = cpu_field(text, "CPU part");
	if (!maker || !part || uname(&uts))
		return json_null();
	return json_sprintf("%s, implementer %s, part %s", uts.machine, maker, part);
}

static json_t *queue_number(const struct agent *a, const char *name)
{
	u64 v;

	if (sys_read_number(&v, "/sys/block/%s/queue/%s", a->disk, name))
		return json_null();
	return json_integer(INT(v));
}

static json_t *device_json(const struct agent *a)
{
	unsigned int major = 0, minor = 0;
	char line[256];
	u64 sectors = 0, tags;
	json_t *scheduler = json_null(), *nr_tags = json_null();

	if (!sys_read_line(line, sizeof(line), "/sys/block/%s/dev", a->disk))
		sscanf(line, "%u:%u", &major, &minor);
	sys_read_number(&sectors, "/sys/block/%s/size", a->disk);
	if (!sys_read_line(line, sizeof(line), "/sys/block/%s/queue/scheduler", a->disk))
		scheduler = json_string(line);
	/* requests that the device can have at a time, whatever the scheduler keeps on top */
	if (!sys_read_number(&tags, "/sys/block/%s/mq/0/nr_tags", a->disk))
		nr_tags = json_integer(INT(tags));
	return json_pack(
		"{s:s, s:i, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "name", a->disk, "major",
		(int)major, "minor", (int)minor, "size_bytes", INT(sectors * SECTOR_SIZE),
		"logical_block_size", queue_number(a, "logical_block_size"), "max_sectors_kb",
		queue_number(a, "max_sectors_kb"), "max_segments", queue_number(a, "max_segments"),
		"nr_requests", queue_number(a, "nr_requests"), "nr_tags", nr_tags, "scheduler",
		scheduler);
}

static json_t *file_json(const struct agent *a)
{
	const struct test_file *f = &a->file;

	return json_pack("{s:s, s:i, s:i, s:I, s:I, s:s, s:I}", "path", f->path, "major",
			 (int)f->major, "minor", (int)f->minor, "ino", INT(f->ino), "size",
			 INT(f->size), "filesystem", a->exp->filesystem, "block_size",
			 INT(f->block_size));
}

static json_t *events_json(const struct agent *a, bool enabled)
{
	const struct tracer_event *ev;
	json_t *j = json_array();
	unsigned int i, n;

	ev = tracer_events(a->tracer, &n);
	for (i = 0; i < n; i++)
		if (ev[i].enabled == enabled)
			json_array_append_new(j, json_sprintf("%s:%s", ev[i].system, ev[i].name));
	return j;
}

int hello_json(const struct agent *a, json_t **out, struct err *e)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	struct sysinfo mem;
	struct utsname uts;
	json_t *files, *j;

	if (uname(&uts) || sysinfo(&mem))
		return err_errno(e, -errno, "uname and sysinfo");
	j = json_pack("{s:s, s:o, s:o, s:o, s:s?, s:I, s:I, s:I, s:s, s:o}", "uname", uts.release,
		      "cmdline", line_json("/proc/cmdline"), "cpu_model", cpu_model_json(), "libc",
		      json_sprintf("glibc %s", gnu_get_libc_version()), "tunables", tunables,
		      "cpus", INT(sysconf(_SC_NPROCESSORS_ONLN)), "page_size",
		      INT(sysconf(_SC_PAGESIZE)), "memory_bytes", INT(mem.totalram) * mem.mem_unit,
		      "trace_clock", TRACER_CLOCK, "test_file", file_json(a));
	if (a->disk[0])
		json_object_set_new(j, "test_device", device_json(a));
	json_object_set_new(
		j, "knobs",
		json_pack("{s:I, s:o, s:o, s:o, s:o}", "read_ahead_kb", INT(a->read_ahead_kb),
			  "transparent_hugepage", line_json(KNOB_HUGEPAGE), "fault_around_bytes",
			  line_json(KNOB_FAULT_AROUND), "mmap_readahead", line_json(KNOB_VARIANT),
			  "mount_options",
			  json_string(a->ceph ? a->exp->mount_options : a->mount_options)));
	files = replay_files_json();
	if (files)
		json_object_set_new(j, "test_files", files);
	json_object_set_new(j, "events", events_json(a, true));
	json_object_set_new(j, "events_missing", events_json(a, false));
	*out = j;
	return 0;
}
