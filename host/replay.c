// SPDX-License-Identifier: GPL-2.0-only
#include "host/replay.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/size.h"

#define PATTERN_ACCESS "replay-access"
/*
 * Buffers of all tasks together.  A read that is longer than its buffer goes into
 * the same bytes again, and not all of it can be compared.
 */
#define BUFFERS (512ull << 20)
#define BUFFER_MIN (64ull << 10)
#define BUFFER_MAX (64ull << 20)
/* Of the guest: for the records that wait to be replayed, and for a large page cache. */
#define MEMORY_RECORDS (256ull << 20)
#define MEMORY_FILES_MAX (16ull << 30)
#define MEMORY_ROUND (64ull << 20)
/* Events of a trace, of which the ring buffer of each CPU must hold a phase. */
#define BYTES_PER_RECORD 512u
#define TRACE_BUFFER_MAX (1ull << 30)

int replay_load(struct replay *r, const char *path, struct err *e)
{
	struct plan_reader reader;
	struct stat st;
	int ret;

	*r = (struct replay){.path = path};
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL,
			       "%s: expected a plan in a file: it is read for each boot", path);
	ret = plan_open(&reader, path, false, e);
	r->kind = reader.kind;
	if (!ret && r->kind == PLAN_ACCESS) {
		ret = access_plan_header(&reader, &r->access, e);
		r->n_sizes = ret ? 0 : r->access.n_files;
		r->sizes = xcalloc(r->n_sizes, sizeof(*r->sizes));
		for (u32 i = 0; i < r->n_sizes; i++)
			r->sizes[i] = r->access.files[i].size;
		/* all of it, before minutes go into kernels and boots */
		if (!ret)
			ret = access_plan_check(&reader, &r->access, e);
	} else if (!ret) {
		ret = block_plan_header(&reader, &r->block, e);
		if (!ret)
			ret = block_plan_check(&reader, &r->block, e);
	}
	plan_close(&reader);
	return ret;
}

void replay_free(struct replay *r)
{
	access_plan_free(&r->access);
	block_plan_free(&r->block);
	free(r->sizes);
	*r = (struct replay){0};
}

int replay_validate(const struct replay *r, const struct experiment *exp, struct err *e)
{
	u64 size = r->kind == PLAN_BLOCK ? r->block.sectors * SECTOR_SIZE : r->sizes[0];

	if (exp->file_size != size)
		return err_set(e, -EINVAL, "file_size: a replay's files have the plan's sizes");
	if (r->kind == PLAN_BLOCK)
		return replay_block_validate(r, exp, e);
	return 0;
}

/*
 * The trace is read after a phase, so its ring buffer must hold all of it: a plan
 * that is too long for that ends in lost events, which is better known before.
 */
void replay_warn(const struct replay *r, const struct experiment *exp)
{
	char need[SIZE_TEXT_MAX], have[SIZE_TEXT_MAX];

	if (r->trace_buffer <= exp->trace_buffer)
		return;
	fprintf(stderr,
		"boot-and-trace: warning: the events of this plan need about %s of trace for each "
		"CPU, and trace_buffer is %s: events will be lost, and what depends on them will be "
		"INCONCLUSIVE (SET=trace_buffer=SIZE, up to 4G, or a shorter plan)\n",
		size_text(r->trace_buffer >> 20 << 20, need), size_text(exp->trace_buffer, have));
}

static u64 round_up(u64 v, u64 to)
{
	return (v + to - 1) / to * to;
}

static struct phase phase_of(const struct access_phase *ph, const struct phase *template)
{
	struct phase p = *template;
	u32 tasks = MAX(ph->tasks, 1u);

	snprintf(p.name, sizeof(p.name), "%s", ph->name);
	p.threads = tasks;
	p.length = MAX(BUFFER_MIN, MIN(MIN(ph->longest, BUFFERS / tasks), BUFFER_MAX));
	/* at recorded times the guest may have nothing to do for long */
	if (p.timing == REPLAY_RECORDED)
		p.timeout_s = (unsigned int)MIN(p.timeout_s + ph->ns / p.speed * 100 / NSEC_PER_SEC,
						86400u);
	return p;
}

static void set_sizes(struct replay *r, struct experiment *exp)
{
	u64 files = 0, records = 0, reads = 0, buffer;

	for (u32 i = 0; i < r->n_sizes; i++)
		files += MIN(r->sizes[i], MEMORY_FILES_MAX);
	for (u32 i = 0; i < r->access.n_phases; i++)
		records = MAX(records, r->access.phases[i].records);
	for (unsigned int i = 0; i < exp->n_phases; i++)
		reads = MAX(reads, exp->phases[i].length * exp->phases[i].threads);
	exp->file_size = r->sizes[0];
	if (!exp->read_ahead_set && r->access.read_ahead_kb)
		exp->read_ahead_kb = r->access.read_ahead_kb;
	/* what must not be lost: the events of accesses, and of the folios that they bring in */
	buffer = MIN(records, TRACE_BUFFER_MAX) * BYTES_PER_RECORD / exp->cpus;
	r->trace_buffer = buffer;
	buffer = MIN(MAX(exp->trace_buffer, round_up(buffer, 1u << 20)), TRACE_BUFFER_MAX);
	exp->memory += (buffer - MIN(buffer, exp->trace_buffer)) * exp->cpus;
	exp->memory =
		round_up(exp->memory + MEMORY_RECORDS + 2 * reads + MIN(files, MEMORY_FILES_MAX),
			 MEMORY_ROUND);
	exp->trace_buffer = buffer;
}

int replay_experiment(struct replay *r, struct experiment *exp, struct err *e)
{
	const struct access_plan *p = &r->access;
	struct phase template = {.threads = 0};

	if (r->kind == PLAN_BLOCK)
		return replay_block_experiment(r, exp, e);
	for (unsigned int i = 0; i < exp->n_phases && !template.threads; i++)
		if (!strcmp(exp->phases[i].pattern, PATTERN_ACCESS))
			template = exp->phases[i];
	if (!template.threads)
		return err_set(e, -EINVAL,
			       "experiment %s has no phase of the pattern " PATTERN_ACCESS
			       ", so it can't replay %s",
			       exp->name, r->path);
	free(exp->phases);
	exp->phases = xcalloc(p->n_phases, sizeof(*exp->phases));
	exp->n_phases = p->n_phases;
	for (u32 i = 0; i < p->n_phases; i++)
		exp->phases[i] = phase_of(&p->phases[i], &template);
	set_sizes(r, exp);
	return 0;
}
