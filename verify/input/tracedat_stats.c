// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUSTAT: the texts of per_cpu/cpuN/stats of each buffer, and what of them the
 * file does not have.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/input/tracedat.h"

/* More than a file of 256 CPUs and 256 buffers has. */
#define STATS_MAX (1u << 16)

struct dat_stat {
	u32 buffer; /* number of its name */
	u32 cpu;
	u64 entries, read, events;
	bool has_read;
};

/* The number of @name among the buffers that stats name, from 1; 0 is the top one. */
static u32 buffer_number(struct dat_stats *s, const char *name, size_t len, bool add)
{
	if (!len)
		return 0;
	for (u32 i = 0; i < s->n_names; i++)
		if (!strncmp(s->name[i], name, len) && !s->name[i][len])
			return i + 1;
	if (!add || s->n_names == DAT_BUFFERS_MAX)
		return UINT32_MAX;
	s->name = xrealloc(s->name, s->n_names + 1, sizeof(*s->name));
	s->name[s->n_names++] = xstrndup(name, len);
	return s->n_names;
}

static struct dat_stat *stat_new(struct dat_stats *s, u32 cpu)
{
	if (s->n == STATS_MAX)
		return NULL;
	if (!(s->n & (s->n + 1)))
		s->stat = xrealloc(s->stat, 2 * ((size_t)s->n + 1), sizeof(*s->stat));
	s->stat[s->n] = (struct dat_stat){.buffer = s->buffer, .cpu = cpu};
	return &s->stat[s->n++];
}

void dat_stats_parse(struct trace *t, struct dat_stats *s, const char *text)
{
	struct dat_stat *stat = NULL;
	unsigned long long v;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *name;

		line += *line == '\n';
		name = str_after(line, "Buffer: ");
		if (name) {
			s->buffer = buffer_number(s, name, strcspn(name, "\n"), true);
			stat = NULL;
		}
		if (sscanf(line, "CPU: %llu", &v) == 1 && v < DAT_CPUS_MAX)
			stat = stat_new(s, (u32)v);
		if (!*line)
			break;
		if (!stat)
			continue;
		if (sscanf(line, "entries: %llu", &v) == 1 && v) {
			stat->entries = v;
			trace_loss(t, stat->cpu)->unread += v;
		} else if (sscanf(line, "read events: %llu", &v) == 1) {
			stat->read = v;
			stat->has_read = true;
		} else if (sscanf(line, "overrun: %llu", &v) == 1 && v) {
			trace_loss(t, stat->cpu)->overrun += v;
		} else if (sscanf(line, "commit overrun: %llu", &v) == 1 && v) {
			trace_loss(t, stat->cpu)->commit_overrun += v;
		} else if (sscanf(line, "dropped events: %llu", &v) == 1 && v) {
			trace_loss(t, stat->cpu)->dropped += v;
		}
	}
}

static u64 sum(u64 a, u64 b)
{
	u64 r;

	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

static int by_buffer(const void *a, const void *b)
{
	const struct dat_stat *x = a, *y = b;

	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* A CPU of which a file has two texts. */
static void merge_equal(struct dat_stats *s)
{
	u32 n = 0;

	for (u32 i = 1; i < s->n; i++) {
		struct dat_stat *a = &s->stat[n], *b = &s->stat[i];

		if (by_buffer(a, b)) {
			s->stat[++n] = *b;
			continue;
		}
		a->entries = sum(a->entries, b->entries);
		a->read = sum(a->read, b->read);
		a->has_read |= b->has_read;
	}
	s->n = n + 1;
}

void dat_stats_finish(struct trace *t, struct dat_stats *s, const struct dat_stream *stream,
		      u32 n_streams)
{
	if (!s->n)
		return;
	qsort(s->stat, s->n, sizeof(*s->stat), by_buffer);
	merge_equal(s);
	for (u32 i = 0; i < n_streams; i++) {
		const char *name = stream[i].buffer;
		struct dat_stat key = {.buffer = buffer_number(s, name, strlen(name), false),
				       .cpu = stream[i].cpu};
		struct dat_stat *stat = bsearch(&key, s->stat, s->n, sizeof(*s->stat), by_buffer);

		if (stat)
			stat->events += stream[i].events;
	}
	for (u32 i = 0; i < s->n; i++) {
		const struct dat_stat *stat = &s->stat[i];
		u64 all = sum(stat->entries, stat->read);

		if (!stat->has_read && stat->entries)
			trace_loss(t, stat->cpu)->absent += stat->entries;
		else if (stat->has_read && all > stat->events)
			trace_loss(t, stat->cpu)->absent += all - stat->events;
	}
}

void dat_stats_free(struct dat_stats *s)
{
	for (u32 i = 0; i < s->n_names; i++)
		free(s->name[i]);
	free(s->name);
	free(s->stat);
}
