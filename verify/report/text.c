// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report for people: at most REPORT_WIDTH columns of plain ASCII, so that
 * it can go below the "---" of a patch as it is.
 */
#include <string.h>
#include <strings.h>

#include "lib/size.h"
#include "verify/checks/check.h"
#include "verify/report/report.h"

void text_heading(struct out *o, const char *text)
{
	out_line(o, 0, "%s", "");
	out_line(o, 0, "%s", text);
}

static void patch_lines(struct out *o, const struct kernel_info *k)
{
	if (!k->n_patches)
		out_line(o, 4, "    no patches");
	for (unsigned int i = 0; i < k->n_patches; i++) {
		const struct patch_info *p = &k->patches[i];

		out_line(o, 6, "    + %s", p->subject[0] ? p->subject : p->file);
		out_line(o, 6, "      patch id %.12s%s%.12s%s%s", p->id,
			 p->base_commit[0] ? ", base-commit " : "", p->base_commit,
			 p->change_id[0] ? ", change-id " : "", p->change_id);
		if (p->fuzz)
			out_line(o, 6, "      applied with fuzz %u: made for another version",
				 p->fuzz);
	}
}

static void kernel_lines(struct out *o, const struct run *run)
{
	for (unsigned int i = 0; i < run->n_kernels; i++) {
		const struct kernel_info *k = &run->kernels[i];

		out_line(o, 4, "  %s: Linux %s from %s%s%.12s", k->name, k->version, k->source,
			 k->config_hash[0] ? ", config " : "", k->config_hash);
		patch_lines(o, k);
	}
}

const char *accel_name(const char *accel)
{
	if (!strcasecmp(accel, "tcg"))
		return "TCG";
	return !strcasecmp(accel, "kvm") ? "KVM" : accel;
}

static void machine_lines(struct out *o, const struct run *run, const struct capture *c)
{
	char size[SIZE_TEXT_MAX], pages[SIZE_TEXT_MAX + 16] = "";

	if (run->has_json)
		out_line(o, 4, "  host: %s; %s", run->host_cpu, run->host_uname);
	if (c->page_size != 4096)
		snprintf(pages, sizeof(pages), ", pages of %s", size_text(c->page_size, size));
	out_line(o, 4, "  guest: %s%s%s%s, %u CPUs, %llu MiB%s%s%s", run->has_json ? "QEMU " : "",
		 run->qemu_version, run->has_json ? " with " : "", accel_name(c->accel), c->cpus,
		 (unsigned long long)(c->memory >> 20), pages, c->cpu_model[0] ? ", " : "",
		 c->cpu_model);
	if (run->accel_reason[0])
		out_line(o, 4, "  why %s: %s", accel_name(c->accel), run->accel_reason);
	if (c->libc[0])
		out_line(o, 4, "  libc: %s", c->libc);
}

/* "none" of "[none] mq-deadline": the scheduler that is in use; "" if nothing is said. */
static const char *scheduler_in_use(const struct capture *c, char *buf, size_t size)
{
	const char *from = strchr(c->scheduler, '[');
	size_t len = from ? strcspn(from + 1, "]") : strlen(c->scheduler);

	snprintf(buf, size, "%.*s", (int)len, from ? from + 1 : c->scheduler);
	return buf;
}

/* What was replayed to a scratch disk, and how; times are judged, and so shown, by replay-timing.
 */
static void block_replay_lines(struct out *o, const struct analysis *a)
{
	const struct capture *first = a->captures[0].capture;
	char size[SIZE_TEXT_MAX], speed[48];

	if (a->run->exp)
		out_line(o, 4, "  replayed to: a scratch disk of %s",
			 size_text(a->run->exp->file_size, size));
	for (unsigned int i = 0; i < first->n_phases; i++) {
		const struct block_info *b = &first->phases[i].block;

		if (!b->known)
			continue;
		snprintf(speed, sizeof(speed), "at recorded times, speed %u %%", b->speed);
		out_line(o, 4, "  %s: %llu requests %s; up to %llu of %u in flight",
			 first->phases[i].name, (unsigned long long)b->issued,
			 b->recorded ? speed : "as fast as possible",
			 (unsigned long long)b->in_flight_max, b->depth);
	}
}

/* Knobs are printed as read back, from every capture that differs from the first. */
static void disk_lines(struct out *o, const struct analysis *a)
{
	const struct capture *first = a->captures[0].capture;
	char size[SIZE_TEXT_MAX], scheduler[64], other[64], blocks[32] = "", tags[32] = "";

	if (first->block_size)
		snprintf(blocks, sizeof(blocks), " in blocks of %u", first->block_size);
	if (first->nr_tags)
		snprintf(tags, sizeof(tags), ", %u tags", first->nr_tags);
	if (!strcmp(first->filesystem, FILESYSTEM_NONE))
		block_replay_lines(o, a);
	else
		out_line(o, 4, "  test file: %s%s%s%s, read_ahead_kb %llu as read back",
			 size_text(first->file_size, size), first->filesystem[0] ? " on " : "",
			 first->filesystem, blocks, (unsigned long long)first->read_ahead_kb);
	if (first->mount_options[0] && strcmp(first->filesystem, FILESYSTEM_NONE))
		out_line(o, 4, "  mounted: %s", first->mount_options);
	scheduler_in_use(first, scheduler, sizeof(scheduler));
	for (unsigned int i = 1; i < a->n_captures; i++) {
		const struct capture *c = a->captures[i].capture;

		scheduler_in_use(c, other, sizeof(other));
		if (c->read_ahead_kb != first->read_ahead_kb || c->file_size != first->file_size ||
		    c->cpus != first->cpus || strcmp(c->filesystem, first->filesystem))
			out_line(o, 4,
				 "  NOT THE SAME in %s-%u: file %s on %s, read_ahead_kb %llu, "
				 "CPUs %u",
				 c->kernel, c->repeat, size_text(c->file_size, size), c->filesystem,
				 (unsigned long long)c->read_ahead_kb, c->cpus);
		if (c->block_size != first->block_size || c->nr_tags != first->nr_tags ||
		    c->page_size != first->page_size || strcmp(scheduler, other) ||
		    strcmp(c->mount_options, first->mount_options))
			out_line(o, 4,
				 "  NOT THE SAME in %s-%u: pages of %u, blocks of %u, %u tags, "
				 "scheduler %s, mounted %s",
				 c->kernel, c->repeat, c->page_size, c->block_size, c->nr_tags,
				 other, c->mount_options);
	}
	if (first->osd && a->run->exp)
		out_line(o, 4, "  Ceph%s%s: %u OSD%s on %s, %u cop%s of each object",
			 a->run->ceph_version[0] ? " " : "", a->run->ceph_version, first->osds,
			 first->osds == 1 ? "" : "s", osd_store_names[a->run->exp->osd_objectstore],
			 a->run->exp->osd_replicas, a->run->exp->osd_replicas == 1 ? "y" : "ies");
	if (a->run->nfs_version[0])
		out_line(o, 4, "  root file system: NFSv4.1 from nfs-ganesha %s, over TCP",
			 a->run->nfs_version);
	if (first->queue_size)
		out_line(o, 4, "  disk: virtio-blk, queue size %u%s, seg_max %u%s%s",
			 first->queue_size, tags, first->seg_max,
			 scheduler[0] ? ", scheduler " : "", scheduler);
}

static void span_lines(struct out *o, const struct trace_summary *t)
{
	for (u64 i = 0; i < MIN(t->lost_spans, (u64)SPANS_KEPT); i++) {
		const struct lost_span *l = &t->spans[i];
		char count[48] = "it is not known how many", from[40] = "the beginning";

		if (l->count)
			snprintf(count, sizeof(count), "%llu events", (unsigned long long)l->count);
		if (l->from)
			snprintf(from, sizeof(from), "%llu.%09llu",
				 (unsigned long long)(l->from / NSEC_PER_SEC),
				 (unsigned long long)(l->from % NSEC_PER_SEC));
		out_line(o, 8, "      hole on CPU %u: %s to %llu.%09llu s, %s", l->cpu, from,
			 (unsigned long long)(l->to / NSEC_PER_SEC),
			 (unsigned long long)(l->to % NSEC_PER_SEC), count);
	}
	if (t->lost_spans > SPANS_KEPT)
		out_line(o, 8, "      and %llu more holes",
			 (unsigned long long)(t->lost_spans - SPANS_KEPT));
}

static void trace_lines(struct out *o, const char *path, const struct trace_summary *t)
{
	const struct phase_loss *l = &t->loss;
	bool lost = l->overrun || l->commit_overrun || l->dropped || l->absent || t->lost_spans;

	if (!path)
		return;
	out_line(o, 4, "  %s", path);
	if (!t->format[0])
		return;
	out_line(o, 6, "    %s, %u CPUs, clock %s%s, %s", t->format, t->cpus,
		 t->clock[0] ? t->clock : "not said",
		 t->clock_counts ? " (its counts stand where times are)" : "",
		 t->uname[0] ? t->uname : "kernel not said");
	if (lost)
		out_line(o, 6,
			 "    %llu events; LOST: overrun %llu, commit overrun %llu, dropped %llu, "
			 "absent %llu, holes %llu",
			 (unsigned long long)t->events, (unsigned long long)l->overrun,
			 (unsigned long long)l->commit_overrun, (unsigned long long)l->dropped,
			 (unsigned long long)l->absent, (unsigned long long)t->lost_spans);
	else
		out_line(o, 6, "    %llu events, none known to be lost",
			 (unsigned long long)t->events);
	span_lines(o, t);
	if (t->damage[0])
		out_line(o, 6, "    DAMAGED: %s", t->damage);
}

/* What only the trace knows: holes in it, and damage (with --partial). */
static bool hole_lines(struct out *o, const struct capture *c, const char *name,
		       const struct trace_summary *t)
{
	if (t->lost_spans)
		out_line(o, 4, "  LOST in %s-%u: events of %s, holes: %llu", c->kernel, c->repeat,
			 name, (unsigned long long)t->lost_spans);
	span_lines(o, t);
	if (t->damage[0])
		out_line(o, 4, "  DAMAGED: %s", t->damage);
	return t->lost_spans || t->damage[0];
}

static void loss_lines(struct out *o, const struct analysis *a)
{
	bool lost = false;

	for (unsigned int i = 0; i < a->n_captures; i++) {
		const struct capture *c = a->captures[i].capture;

		lost |= hole_lines(o, c, CAPTURE_TRACE, &a->captures[i].guest);
		lost |= hole_lines(o, c, CAPTURE_BLKTRACE, &a->captures[i].host);
		for (unsigned int j = 0; j < c->n_phases; j++) {
			const struct phase_loss *l = &c->phases[j].loss;

			if (!l->overrun && !l->commit_overrun && !l->dropped && !l->unread)
				continue;
			lost = true;
			out_line(o, 4,
				 "  LOST in %s-%u, %s: overrun %llu, commit overrun %llu, dropped "
				 "%llu, unread %llu",
				 c->kernel, c->repeat, c->phases[j].name,
				 (unsigned long long)l->overrun,
				 (unsigned long long)l->commit_overrun,
				 (unsigned long long)l->dropped, (unsigned long long)l->unread);
		}
	}
	if (!lost)
		out_line(o, 4, "  events lost: none");
}

void text_what_ran(struct out *o, const struct analysis *a)
{
	const struct run *run = a->run;
	const struct capture_result *c = &a->captures[0];

	if (run->has_json && run->exp) {
		out_line(o, 2, "%s: %s", run->exp->name, run->exp->summary);
		text_heading(o, "What ran where");
		kernel_lines(o, run);
	} else {
		out_line(o, 2, "%s", run->path);
		text_heading(o, c->capture->has_json ? "What ran where" : "What this is");
	}
	if (!c->capture->has_json) {
		trace_lines(o, c->capture->trace, &c->guest);
		trace_lines(o, c->capture->blktrace, &c->host);
		return;
	}
	if (!run->has_json)
		out_line(o, 4, "  %s: %s", c->capture->kernel, c->capture->uname);
	machine_lines(o, run, c->capture);
	disk_lines(o, a);
	loss_lines(o, a);
	if (run->has_json)
		out_line(o, 4, "  boots: %u in all, %s", a->n_captures, run->date);
}

/* A verdict under other limits is another verdict: whoever reads it must see them. */
void text_limits(struct out *o, const struct analysis *a)
{
	struct changed_limit *limits __cleanup_free;
	unsigned int n = analysis_limits(a, &limits);

	if (n)
		text_heading(o, "Limits that are not the default");
	for (unsigned int i = 0; i < n; i++)
		out_line(o, 4, "  %s: %s = %g instead of %g", limits[i].check->name,
			 limits[i].limit->name, limits[i].value, limits[i].limit->value);
}

static void whole(struct out *o, const struct analysis *a)
{
	struct summary *s = summary_new(a);

	text_what_ran(o, a);
	text_figures(o, s);
	text_replay(o, s);
	text_mmap(o, s);
	text_matrix(o, a);
	text_limits(o, a);
	text_findings(o, a);
	text_path_hit(o, s);
	text_between_kernels(o, s);
	text_costs(o, s);
	text_reproduce(o, a);
	summary_free(s);
}

static void brief(struct out *o, const struct analysis *a)
{
	struct summary *s = summary_new(a);

	text_matrix(o, a);
	text_limits(o, a);
	text_between_kernels(o, s);
	summary_free(s);
}

static void one_input(struct out *o, const struct verified *v, int exit_status,
		      const struct options *opt)
{
	char words[256];

	if (!v->analysis) {
		out_line(o, 2, "%s", v->path);
		out_line(o, 0, "%s", "");
		out_line(o, 2, "verdict: none: %s (exit status %d)", v->error.msg, exit_status);
		return;
	}
	if (opt && (opt->stats || opt->chain.what != CHAIN_NONE)) {
		if (opt->chain.what != CHAIN_NONE) {
			text_chains(o, v->analysis);
		} else {
			text_what_ran(o, v->analysis);
			text_stats(o, v->analysis, opt->by);
		}
	} else if (opt && opt->brief) {
		brief(o, v->analysis);
	} else {
		whole(o, v->analysis);
	}
	out_line(o, 0, "%s", "");
	out_line(o, 2, "verdict: %s (exit status %d)",
		 status_words(&v->tally, words, sizeof(words)), exit_status);
}

void report_text(struct out *o, const struct verified *v, unsigned int n, int exit_status,
		 const struct options *opt)
{
	for (unsigned int i = 0; i < n; i++) {
		if (i)
			out_line(o, 0, "%s", "");
		one_input(o, &v[i], n == 1 ? exit_status : (int)v[i].status, opt);
	}
	if (n > 1) {
		out_line(o, 0, "%s", "");
		out_line(o, 2, "verdict of all %u inputs: the worst counts (exit status %d)", n,
			 exit_status);
	}
}
