// SPDX-License-Identifier: GPL-2.0-only
/* What of two captures is not the same, and may be why their figures are not. */
#include <string.h>

#include "verify/checks/check.h"
#include "verify/report/compare.h"

typedef void (*setting_fn)(const struct subject *s, char *buf, size_t size);

static void set_kernel(const struct subject *s, char *buf, size_t size)
{
	if (s->k)
		snprintf(buf, size, "%s from %s", s->k->version, s->k->source);
	else
		snprintf(buf, size, "%s", s->c->has_json ? s->c->uname : s->cr->guest.uname);
}

static void set_config(const struct subject *s, char *buf, size_t size)
{
	if (s->k)
		snprintf(buf, size, "%.12s", s->k->config_hash);
}

static void set_patches(const struct subject *s, char *buf, size_t size)
{
	if (!s->k)
		return;
	snprintf(buf, size, "%s", s->k->n_patches ? "" : "none");
	for (unsigned int i = 0; i < s->k->n_patches; i++) {
		size_t n = strlen(buf);

		snprintf(buf + n, size - n, "%s%.12s", i ? ", " : "", s->k->patches[i].id);
	}
}

static void set_accel(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->has_json ? accel_name(s->c->accel) : "");
}

static void set_cpu(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->cpu_model);
}

static void set_cpus(const struct subject *s, char *buf, size_t size)
{
	u32 n = s->c->has_json ? s->c->cpus : s->cr->guest.cpus;

	if (n)
		snprintf(buf, size, "%u", n);
}

static void set_memory(const struct subject *s, char *buf, size_t size)
{
	if (s->c->memory)
		snprintf(buf, size, "%llu", (unsigned long long)(s->c->memory >> 20));
}

static void set_page(const struct subject *s, char *buf, size_t size)
{
	u32 n = s->c->has_json ? s->c->page_size : s->cr->guest.page_size;

	if (n)
		snprintf(buf, size, "%u", n);
}

static void set_libc(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->libc);
}

static void set_filesystem(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->filesystem);
}

static void set_number(char *buf, size_t size, u64 n)
{
	if (n)
		snprintf(buf, size, "%llu", (unsigned long long)n);
}

static void set_file(const struct subject *s, char *buf, size_t size)
{
	set_number(buf, size, s->c->file_size);
}

static void set_ra(const struct subject *s, char *buf, size_t size)
{
	/* 0 is a setting, not a blank */
	if (s->c->has_json)
		snprintf(buf, size, "%llu", (unsigned long long)s->c->read_ahead_kb);
}

static void set_queue(const struct subject *s, char *buf, size_t size)
{
	set_number(buf, size, s->c->queue_size);
}

static void set_segments(const struct subject *s, char *buf, size_t size)
{
	set_number(buf, size, s->c->seg_max);
}

static void set_block(const struct subject *s, char *buf, size_t size)
{
	set_number(buf, size, s->c->block_size);
}

static void set_mounted(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->mount_options);
}

static void set_scheduler(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->scheduler);
}

static void set_tags(const struct subject *s, char *buf, size_t size)
{
	set_number(buf, size, s->c->nr_tags);
}

static void set_hugepage(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->hugepage);
}

static void set_fault_around(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->fault_around);
}

static void set_cmdline(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->c->cmdline);
}

static void set_clock(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->cr->guest.clock);
}

/* Events that one side alone records make figures that only look different. */
static void set_events(const struct subject *s, char *buf, size_t size)
{
	u64 ours = s->cr->guest.event_types;

	for (unsigned int i = 0; i < EV_TYPES; i++) {
		/* of those that checks and figures need */
		static const u64 needed = EV_BIT(EV_FAULT) | EV_BIT(EV_GET_PAGES) |
					  EV_BIT(EV_MAP_PAGES) | EV_BIT(EV_FOLIO_ADD) |
					  EV_BIT(EV_RA_SYNC) | EV_BIT(EV_RA_ASYNC) |
					  EV_BIT(EV_RA_ORDER) | EV_BIT(EV_RA_UNBOUNDED) |
					  EV_BIT(EV_RQ_ISSUE) | EV_BIT(EV_RQ_COMPLETE);
		static const char *const names[EV_TYPES] = {
			[EV_FAULT] = "fault",	      [EV_GET_PAGES] = "get_pages",
			[EV_MAP_PAGES] = "map_pages", [EV_FOLIO_ADD] = "add_to_page_cache",
			[EV_RA_SYNC] = "sync_ra",     [EV_RA_ASYNC] = "async_ra",
			[EV_RA_ORDER] = "ra_order",   [EV_RA_UNBOUNDED] = "ra_unbounded",
			[EV_RQ_ISSUE] = "rq_issue",   [EV_RQ_COMPLETE] = "rq_complete",
		};
		size_t n = strlen(buf);

		if (needed & EV_BIT(i) && !(ours & EV_BIT(i)))
			snprintf(buf + n, size - n, "%s%s", n ? ", " : "no ", names[i]);
	}
	if (!*buf)
		snprintf(buf, size, "all");
}

/* A request that the guest issued may be another than the device was asked for. */
static void set_witness(const struct subject *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", requests_witness(s->c));
}

static const struct {
	const char *name;
	setting_fn text;
} all_settings[] = {
	{"kernel", set_kernel},
	{"config", set_config},
	{"patches", set_patches},
	{"command line", set_cmdline},
	{"accelerator", set_accel},
	{"CPU model", set_cpu},
	{"CPUs", set_cpus},
	{"memory, MiB", set_memory},
	{"page size", set_page},
	{"libc", set_libc},
	{"file system", set_filesystem},
	{"block size", set_block},
	{"mounted", set_mounted},
	{"test file, bytes", set_file},
	{"read_ahead_kb", set_ra},
	{"transparent_hugepage", set_hugepage},
	{"fault_around_bytes", set_fault_around},
	{"scheduler", set_scheduler},
	{"tags", set_tags},
	{"queue size", set_queue},
	{"seg_max", set_segments},
	{"requests and bytes are those of", set_witness},
	{"trace clock", set_clock},
	{"events recorded", set_events},
};

void compare_settings(struct comparison *c, const struct subject *a, const struct subject *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_settings); i++) {
		struct setting s = {.name = all_settings[i].name};
		bool seen = false;

		all_settings[i].text(a, s.a, sizeof(s.a));
		all_settings[i].text(b, s.b, sizeof(s.b));
		if (!strcmp(s.a, s.b))
			continue;
		for (unsigned int k = 0; k < c->n_settings; k++)
			seen |= c->settings[k].name == s.name && !strcmp(c->settings[k].a, s.a) &&
				!strcmp(c->settings[k].b, s.b);
		if (seen)
			continue;
		c->settings = xrealloc(c->settings, c->n_settings + 1, sizeof(*c->settings));
		c->settings[c->n_settings++] = s;
	}
}
