// SPDX-License-Identifier: GPL-2.0-only
/* The report for programs; docs/blkproof-json.5 lists every member. */
#include <math.h>
#include <string.h>

#include "lib/version.h"
#include "verify/checks/check.h"
#include "verify/report/json_put.h"
#include "verify/report/path.h"
#include "verify/report/report.h"

static json_t *put_loss(json_t *o, const struct phase_loss *l)
{
	json_t *loss = json_object();

	put(o, "loss", loss);
	put_number(loss, "overrun", l->overrun);
	put_number(loss, "commit_overrun", l->commit_overrun);
	put_number(loss, "dropped", l->dropped);
	put_number(loss, "unread", l->unread);
	return loss;
}

static void put_trace(json_t *o, const char *name, const char *path, const struct trace_summary *t)
{
	json_t *trace = json_object(), *holes;

	if (!path) {
		put(o, name, json_null());
		json_decref(trace);
		return;
	}
	put(o, name, trace);
	put_text(trace, "path", path);
	put_text(trace, "format", t->format);
	put_text(trace, "clock", t->clock);
	put_text(trace, "uname", t->uname);
	put_number(trace, "cpus", t->cpus);
	put_number(trace, "page_size", t->page_size);
	put_number(trace, "events", t->events);
	put_number(trace, "lost_spans", t->lost_spans);
	put_number(put_loss(trace, &t->loss), "absent", t->loss.absent);
	holes = list_of(trace, "holes");
	for (u64 i = 0; i < MIN(t->lost_spans, (u64)SPANS_KEPT); i++) {
		json_t *e = new_element(holes);

		put_number(e, "cpu", t->spans[i].cpu);
		put_number(e, "from_ns", t->spans[i].from);
		put_number(e, "to_ns", t->spans[i].to);
		put_number(e, "events", t->spans[i].count);
	}
	put_text(trace, "damage", t->damage);
}

static void put_finding(json_t *list, const struct finding *f)
{
	json_t *o = new_element(list);

	put_number(o, "time_ns", f->ts);
	put_number(o, "event", f->seq);
	put_number(o, "cpu", f->cpu);
	put(o, "pid", json_integer(f->pid));
	put_text(o, "comm", f->comm);
	put(o, "offset",
	    f->has_offset ? json_integer((json_int_t)MIN(f->offset, (u64)INT64_MAX)) : json_null());
	put_text(o, "text", f->text);
	put_real(o, "weight", f->weight);
}

static void put_results(json_t *o, const struct result *results, unsigned int n)
{
	json_t *list = list_of(o, "results");

	for (unsigned int i = 0; i < n; i++) {
		const struct result *r = &results[i];
		json_t *e = new_element(list), *findings;

		put_text(e, "check", r->check->name);
		put_text(e, "phase", r->phase);
		put_text(e, "verdict", verdict_name(result_verdict(r)));
		put_text(e, "reason",
			 result_reason(r) == WHY_NONE ? "" : reason_id(result_reason(r)));
		put_text(e, "detail", r->detail);
		put_text(e, "expected", expectation_name(r->expected));
		put_text(e, "outcome", outcome_name(result_outcome(r)));
		put_number(e, "examined", r->examined);
		put_number(e, "violations", r->violations);
		findings = list_of(e, "findings");
		for (unsigned int k = 0; k < r->n_findings; k++)
			put_finding(findings, &r->findings[k]);
	}
}

static void put_phase(json_t *list, const struct phase_stats *s, const struct phase_info *p,
		      const struct options *opt)
{
	json_t *e = new_element(list), *windows, *folios;

	put_text(e, "name", s->name);
	put_number(e, "events", s->events);
	put_number(e, "begin_ns", s->begin_ns);
	put_number(e, "end_ns", s->end_ns);
	put_number(e, "faults", s->faults);
	put_number(e, "marker_hits", s->marker_hits);
	put_number(e, "marker_hits_idle", s->marker_hits_idle);
	put_number(e, "pages_added", s->pages_added);
	put_number(e, "folios_unknown_order", s->folios_unknown_order);
	put_number(e, "guest_requests", s->guest_requests);
	put_number(e, "guest_bytes", s->guest_bytes);
	put_number(e, "guest_write_requests", s->guest_write_requests);
	put_number(e, "guest_write_bytes", s->guest_write_bytes);
	put_number(e, "host_requests", s->host_requests);
	put_number(e, "host_bytes", s->host_bytes);
	put_number(e, "host_write_requests", s->host_write_requests);
	put_number(e, "host_write_bytes", s->host_write_bytes);
	put_number(e, "pieces", s->pieces);
	put_number(e, "streams", s->streams);
	put_number(e, "lost_spans", s->lost_spans);
	folios = list_of(e, "folios_by_order");
	for (unsigned int i = 0; i < ORDERS_MAX; i++)
		if (json_array_append_new(folios, json_integer((json_int_t)s->folios[i])))
			exit(2);
	windows = list_of(e, "windows");
	for (unsigned int i = 0; i < RA_CAUSES; i++) {
		json_t *w = new_element(windows);

		put_text(w, "cause", ra_cause_name(i));
		put_number(w, "windows", s->windows[i]);
		put_number(w, "pages", s->window_pages[i]);
	}
	if (s->figures && opt && opt->stats)
		put(e, "stats", json_stats(s, opt->by));
	if (!p)
		return;
	put_text(e, "pattern", p->pattern);
	put_number(e, "bytes_asked", p->bytes_asked);
	put_number(e, "elapsed_ns", p->elapsed_ns);
	put_number(e, "user_ns", p->user_ns);
	put_number(e, "system_ns", p->system_ns);
	put_number(e, "pgfault", p->pgfault);
	put_number(e, "pgmajfault", p->pgmajfault);
	put_number(e, "pgpgin_kb", p->pgpgin_kb);
	put(e, "cached_after_pages",
	    p->cached_after_known ? json_integer((json_int_t)MIN(p->cached_after, (u64)INT64_MAX))
				  : json_null());
	put(e, "memory_taken_pages",
	    p->memory_known ? json_integer((json_int_t)p->memory_pages) : json_null());
	put_loss(e, &p->loss);
}

static void put_capture(json_t *list, const struct capture_result *cr, const struct options *opt)
{
	const struct capture *c = cr->capture;
	json_t *e = new_element(list), *phases;

	put_text(e, "path", c->path);
	put_trace(e, "guest_trace", c->trace, &cr->guest);
	put_trace(e, "host_trace", c->blktrace, &cr->host);
	if (c->has_json) {
		put_text(e, "kernel", c->kernel);
		put_number(e, "repeat", c->repeat);
		put_text(e, "accelerator", c->accel);
		put_text(e, "uname", c->uname);
		put_text(e, "cmdline", c->cmdline);
		put_text(e, "cpu_model", c->cpu_model);
		put_text(e, "libc", c->libc);
		put_number(e, "cpus", c->cpus);
		put_number(e, "memory_bytes", c->memory);
		put_number(e, "page_size", c->page_size);
		put_number(e, "file_size", c->file_size);
		put_text(e, "filesystem", c->filesystem);
		put_number(e, "read_ahead_kb", c->read_ahead_kb);
		put_number(e, "queue_size", c->queue_size);
		put_number(e, "seg_max", c->seg_max);
	}
	phases = list_of(e, "phases");
	for (unsigned int i = 0; i < cr->n_phases; i++)
		put_phase(phases, &cr->phases[i],
			  c->has_json ? phase_info_of(c, cr->phases[i].name) : NULL, opt);
	put_results(e, cr->results, cr->n_results);
}

static void put_kernels(json_t *o, const struct run *run)
{
	json_t *list = list_of(o, "kernels");

	for (unsigned int i = 0; i < run->n_kernels; i++) {
		const struct kernel_info *k = &run->kernels[i];
		json_t *e = new_element(list), *patches;

		put_text(e, "name", k->name);
		put_text(e, "version", k->version);
		put_text(e, "source", k->source);
		put_text(e, "config_hash", k->config_hash);
		patches = list_of(e, "patches");
		for (unsigned int j = 0; j < k->n_patches; j++) {
			json_t *p = new_element(patches);

			put_text(p, "file", k->patches[j].file);
			put_text(p, "id", k->patches[j].id);
			put_text(p, "subject", k->patches[j].subject);
			json_object_set_new(p, "fuzz", json_integer(k->patches[j].fuzz));
			put_text(p, "base_commit", k->patches[j].base_commit);
			put_text(p, "change_id", k->patches[j].change_id);
		}
	}
}

static void put_run(json_t *o, const struct run *run)
{
	json_t *e = json_object();

	put(o, "run", e);
	put_text(e, "experiment", run->exp ? run->exp->name : "");
	put_text(e, "summary", run->exp ? run->exp->summary : "");
	put_text(e, "date", run->date);
	put_text(e, "command", run->command);
	put_text(e, "qemu_version", run->qemu_version);
	put_text(e, "ceph_version", run->ceph_version);
	put_text(e, "nfs_version", run->nfs_version);
	put_text(e, "accelerator", run->accel);
	put_text(e, "accelerator_reason", run->accel_reason);
	put_text(e, "host_cpu", run->host_cpu);
	put_text(e, "host_uname", run->host_uname);
	put_kernels(e, run);
}

static void put_figure(json_t *o, const struct figure *f)
{
	put_real(o, "mean", f->mean);
	put_real(o, "stdev", f->stdev);
	put_number(o, "n", f->n);
}

static void put_test(json_t *o, const struct summary *s)
{
	json_t *e = object_of(o, "difference_test");

	put_text(e, "name", NOISE_TEST);
	put_real(e, "level", NOISE_LEVEL);
	put_number(e, "comparisons", s->n_tests);
}

static void put_figures(json_t *o, const struct summary *s)
{
	json_t *list = list_of(o, "figures");

	for (unsigned int m = 0; m < METRICS; m++) {
		for (unsigned int p = 0; p < s->n_phases; p++) {
			for (unsigned int k = 0; k < s->n_kernels; k++) {
				const struct figure *f = summary_figure(s, m, p, k);
				unsigned int ref = summary_reference(s, k);
				double corrected = summary_p(s, m, p, k);
				json_t *e;

				if (!f->n)
					continue;
				e = new_element(list);
				put_text(e, "metric", metrics[m].id);
				put_text(e, "phase", s->phases[p]);
				put_text(e, "kernel", s->kernels[k]);
				put_figure(e, f);
				put(e, "lossy", json_boolean(summary_lossy(s, m, p, k)));
				if (ref == k || !summary_figure(s, m, p, ref)->n)
					continue;
				put_text(e, "reference", s->kernels[ref]);
				put_real(e, "change", f->mean - summary_figure(s, m, p, ref)->mean);
				put_real(e, "p", corrected);
				put(e, "differs",
				    isnan(corrected) ? json_null()
						     : json_boolean(summary_differs(s, m, p, k)));
			}
		}
	}
}

static void put_path(json_t *o, const struct summary *s)
{
	json_t *e = object_of(o, "changed_path"), *list;
	struct path p;

	path_find(&p, s);
	put(e, "known", json_boolean(p.known));
	put_number(e, "unnamed_hunks", p.unnamed_hunks);
	list = list_of(e, "functions");
	for (unsigned int i = 0; i < p.n; i++) {
		const struct path_function *f = &p.functions[i];
		json_t *one = new_element(list), *counts;

		put_text(one, "file", f->touched->file);
		put_text(one, "function", f->touched->function);
		put(one, "added", json_boolean(f->touched->added));
		put_text(one, "called_from", f->touched->called_from);
		put(one, "has_event", json_boolean(f->has_event));
		put(one, "recorded", json_boolean(f->recorded));
		put(one, "upper_bound", json_boolean(f->shared));
		counts = list_of(one, "events");
		for (unsigned int k = 0; f->recorded && k < s->n_kernels; k++) {
			json_t *count = new_element(counts);

			put_text(count, "kernel", s->kernels[k]);
			put_figure(count, &f->counts[k]);
		}
	}
	path_free(&p);
}

static void put_limits(json_t *o, const struct analysis *a)
{
	struct changed_limit *limits __cleanup_free;
	unsigned int n = analysis_limits(a, &limits);
	json_t *list = list_of(o, "limits");

	for (unsigned int i = 0; i < n; i++) {
		json_t *e = new_element(list);

		put_text(e, "check", limits[i].check->name);
		put_text(e, "limit", limits[i].limit->name);
		put_real(e, "value", limits[i].value);
		put_real(e, "default", limits[i].limit->value);
	}
}

void put_input(json_t *list, const struct verified *v, const struct options *opt)
{
	const struct analysis *a = v->analysis;
	json_t *e = new_element(list), *tally, *captures, *between;
	struct summary *s;
	char words[256];

	put_text(e, "path", v->path);
	put_number(e, "status", v->status);
	if (!a) {
		put_text(e, "error", v->error.msg);
		return;
	}
	put_text(e, "verdict", status_words(&v->tally, words, sizeof(words)));
	tally = json_object();
	put(e, "outcomes", tally);
	for (unsigned int i = 0; i < OUTCOMES; i++)
		put_number(tally, outcome_name(i), v->tally.of[i]);
	put_number(e, "captures_unlike_the_first", v->tally.unlike);
	if (a->run->has_json)
		put_run(e, a->run);
	put_limits(e, a);
	captures = list_of(e, "captures");
	for (unsigned int i = 0; i < a->n_captures; i++)
		put_capture(captures, &a->captures[i], opt);
	between = json_object();
	put(e, "between_kernels", between);
	put_results(between, a->run_results, a->n_run_results);
	s = summary_new(a);
	put_test(e, s);
	put_figures(e, s);
	put_path(e, s);
	summary_free(s);
}

json_t *new_report(int exit_status)
{
	json_t *root = json_object();

	put_number(root, "schema", REPORT_JSON_SCHEMA);
	put_text(root, "program", "blkproof verify " BLKPROOF_VERSION);
	put_number(root, "exit_status", (u64)exit_status);
	return root;
}

void print_report(struct out *o, json_t *root)
{
	/* ASCII, so that nothing in a name can talk to a terminal */
	char *text = json_dumps(root, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));

	json_decref(root);
	if (!text) {
		fputs("out of memory\n", stderr);
		exit(2);
	}
	out_raw(o, text);
	out_raw(o, "\n");
	free(text);
}

void report_json(struct out *o, const struct verified *v, unsigned int n, int exit_status,
		 const struct options *opt)
{
	json_t *root = new_report(exit_status), *inputs = list_of(root, "inputs");

	for (unsigned int i = 0; i < n; i++)
		put_input(inputs, &v[i], opt);
	print_report(o, root);
}
