// SPDX-License-Identifier: GPL-2.0-only
#include "guest/counters.h"

#include <errno.h>
#include <string.h>

#include "guest/sys.h"

const char *const vmstat_names[] = {
	"pgfault",
	"pgmajfault",
	"pgpgin",
	"pgpgout",
	"pswpin",
	"pswpout",
	"pgfree",
	"pgactivate",
	"pgsteal_kswapd",
	"pgsteal_direct",
	"pgscan_kswapd",
	"pgscan_direct",
	"workingset_refault_file",
	"drop_pagecache",
	"drop_slab",
	"thp_fault_alloc",
	"thp_file_alloc",
	"thp_file_mapped",
	"nr_file_pages",
	"nr_free_pages",
	"oom_kill",
};
const unsigned int n_vmstat_names = ARRAY_SIZE(vmstat_names);

_Static_assert(ARRAY_SIZE(vmstat_names) <= VMSTAT_MAX, "VMSTAT_MAX is too small");

/* Decimal digits up to the end of the line; moves *p there. */
static int line_number(const char **p, u64 *value)
{
	const char *s = *p;
	u64 v = 0;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*s - '0'), &v))
			return -EINVAL;
	if (*s && *s != '\n')
		return -EINVAL;
	*p = s;
	*value = v;
	return 0;
}

static int name_index(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < n_vmstat_names; i++)
		if (strlen(vmstat_names[i]) == len && !memcmp(vmstat_names[i], name, len))
			return (int)i;
	return -1;
}

int vmstat_parse(struct vmstat *v, const char *text)
{
	const char *line, *p;
	int i;

	memset(v, 0, sizeof(*v));
	for (line = text; *line; line = p + !!*p) {
		p = line + strcspn(line, " \n");
		i = *p == ' ' ? name_index(line, (size_t)(p - line)) : -1;
		if (i >= 0) {
			p++;
			if (line_number(&p, &v->value[i]))
				return -EINVAL;
			v->known[i] = true;
		}
		p += strcspn(p, "\n");
	}
	/* the two that every verdict on faults rests on */
	return v->known[0] && v->known[1] ? 0 : -EINVAL;
}

int vmstat_read(struct vmstat *v)
{
	static char text[32 << 10];
	ssize_t n;

	n = sys_read(text, sizeof(text), "/proc/vmstat");
	if (n < 0)
		return (int)n;
	return vmstat_parse(v, text);
}

static int stats_number(const char *text, const char *name, u64 *value)
{
	size_t len = strlen(name);
	const char *p;

	for (p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, name, len) || strncmp(p + len, ": ", 2))
			continue;
		p += len + 2;
		return line_number(&p, value);
	}
	return -EINVAL;
}

int ring_stats_parse(struct ring_stats *s, const char *text)
{
	if (stats_number(text, "entries", &s->entries) ||
	    stats_number(text, "overrun", &s->overrun) ||
	    stats_number(text, "commit overrun", &s->commit_overrun) ||
	    stats_number(text, "dropped events", &s->dropped) ||
	    stats_number(text, "read events", &s->read))
		return -EINVAL;
	return 0;
}

void ring_stats_text(const struct ring_stats *s, char *buf, size_t size)
{
	snprintf(buf, size,
		 "entries: %llu\noverrun: %llu\ncommit overrun: %llu\n"
		 "dropped events: %llu\nread events: %llu\n",
		 (unsigned long long)s->entries, (unsigned long long)s->overrun,
		 (unsigned long long)s->commit_overrun, (unsigned long long)s->dropped,
		 (unsigned long long)s->read);
}
