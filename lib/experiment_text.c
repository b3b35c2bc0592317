// SPDX-License-Identifier: GPL-2.0-only
/* The way back: an experiment as INI text, for the run directory and the guest. */
#include <inttypes.h>
#include <string.h>

#include "lib/experiment.h"

static void put_size(FILE *f, const char *key, u64 bytes)
{
	unsigned int i = 0;

	for (; i < 4 && bytes && !(bytes & 1023); i++)
		bytes >>= 10;
	fprintf(f, "%s = %" PRIu64 "%.1s\n", key, bytes, &"\0KMGT"[i]);
}

static void put_text(FILE *f, const char *key, const char *value)
{
	if (*value)
		fprintf(f, "%s = %s\n", key, value);
}

static void put_names(FILE *f, const char *key, const char (*list)[NAME_LEN], unsigned int n)
{
	if (!n)
		return;
	fprintf(f, "%s =", key);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, " %s", list[i]);
	fputc('\n', f);
}

static void put_phase(FILE *f, const struct phase *ph)
{
	fprintf(f, "\n[phase %s]\npattern = %s\nthreads = %u\n", ph->name, ph->pattern,
		ph->threads);
	if (ph->start.den)
		fprintf(f, "start = %u/%u\n", ph->start.num, ph->start.den);
	else if (ph->start.bytes)
		put_size(f, "start", ph->start.bytes);
	put_size(f, "piece", ph->piece);
	if (ph->chunk)
		put_size(f, "chunk", ph->chunk);
	fprintf(f, "order = %s\ncount = %" PRIu64 "\n", copy_order_names[ph->order], ph->count);
	put_size(f, "length", ph->length);
	fprintf(f, "seed = %" PRIu64 "\npages = %" PRIu64 "\n", ph->seed, ph->pages);
	put_size(f, "cluster", ph->cluster);
	fprintf(f, "streams = %u\nown_file = %s\nadvice = %s\n", ph->streams,
		ph->own_file ? "yes" : "no", advice_names[ph->advice]);
	if (ph->fault_around_bytes)
		put_size(f, "fault_around_bytes", ph->fault_around_bytes);
	if (!strncmp(ph->pattern, "replay-", 7))
		fprintf(f, "timing = %s\nspeed = %u\n", replay_timing_names[ph->timing], ph->speed);
	if (!strcmp(ph->pattern, "replay-access")) {
		fprintf(f, "touch = %s\nopen = %s\n", replay_touch_names[ph->touch],
			replay_open_names[ph->open]);
	}
	put_text(f, "mode", ph->mode);
	if (ph->clients > 1)
		fprintf(f, "clients = %u\nplacement = %s\n", ph->clients,
			placement_names[ph->placement]);
	if (ph->lazyio)
		fputs("lazyio = yes\n", f);
	put_text(f, "program", ph->program);
	put_text(f, "args", ph->args);
	fprintf(f, "timeout_s = %u\n", ph->timeout_s);
	put_names(f, "checks", ph->checks, ph->n_checks);
	if (ph->unaffected)
		fputs("unaffected = yes\n", f);
}

static void put_expects(FILE *f, const struct experiment *exp)
{
	static const char *const names[] = {"holds", "violated", "any"};

	for (unsigned int i = 0; i < exp->n_expects; i++) {
		const struct expect *x = &exp->expects[i];

		fprintf(f, "\n[expect %s%s%s]\n", x->kernel, *x->phase ? " " : "", x->phase);
		fprintf(f, "%s = %s\n", x->check, names[x->value]);
	}
}

char *experiment_text(const struct experiment *exp)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return xstrdup("");
	fputs("[experiment]\n", f);
	put_text(f, "summary", exp->summary);
	put_size(f, "file_size", exp->file_size);
	put_text(f, "filesystem", exp->filesystem);
	put_size(f, "block_size", exp->block_size);
	put_text(f, "mount_options", exp->mount_options);
	fprintf(f, "read_ahead_kb = %" PRIu64 "\n", exp->read_ahead_kb);
	put_size(f, "memory", exp->memory);
	fprintf(f, "cpus = %u\nqueue_size = %u\n", exp->cpus, exp->queue_size);
	put_text(f, "scheduler", exp->scheduler);
	put_size(f, "trace_buffer", exp->trace_buffer);
	if (exp->fault_around_bytes)
		put_size(f, "fault_around_bytes", exp->fault_around_bytes);
	put_text(f, "transparent_hugepage", exp->transparent_hugepage);
	if (experiment_on_ceph(exp))
		fprintf(f, "osds = %u\nosd_objectstore = %s\nosd_replicas = %u\n", exp->osds,
			osd_store_names[exp->osd_objectstore], exp->osd_replicas);
	if (exp->root)
		put_text(f, "root", root_names[exp->root]);
	put_text(f, "root_packages", exp->root_packages);
	for (unsigned int i = 0; i < exp->n_kernels; i++) {
		const struct kernel_spec *k = &exp->kernels[i];

		fprintf(f, "\n[kernel %s]\n", k->name);
		put_text(f, "patches", k->patches);
		put_text(f, "cmdline", k->cmdline);
		put_names(f, "config", k->config, k->n_config);
	}
	for (unsigned int i = 0; i < exp->n_phases; i++)
		put_phase(f, &exp->phases[i]);
	put_expects(f, exp);
	for (unsigned int i = 0; i < exp->n_limits; i++)
		fprintf(f, "\n[limits %s]\n%s = %.15g\n", exp->limits[i].check, exp->limits[i].name,
			exp->limits[i].value);
	fclose(f);
	return text;
}
