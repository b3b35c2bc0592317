// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/sample.h"

#include <string.h>

#include "verify/checks/check.h"

#define LONG "a-name-that-is-as-long-as-any-name-can-ever-be-x"
#define NASTY "evil \x1b[2J\x07 tab\there, newline\n, caf\xc3\xa9 # SKIP "

static const struct check c_complete = {
	.name = "trace-complete",
	.summary = "no event of the phase is missing",
};
static const struct check c_around = {
	.name = "no-sync-readaround-per-piece",
	.summary = "a stream needs no read-around after its first pieces",
};
static const struct check c_ramp = {
	.name = "folio-order-ramps-up",
	.summary = "a stream's windows grow to the attainable order",
};
static const struct check c_host = {
	.name = "requests-match-host",
	.summary = "each guest request reached the device",
};
static const struct check c_unaffected = {
	.name = "unaffected-pattern",
	.summary = "a phase is the same on every kernel",
};

static const char *const phase_names[] = {"one-thread", "eight-threads", "random-touch"};
#define N_PHASES ARRAY_SIZE(phase_names)

static void set(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}
#define SET(field, text) set(field, sizeof(field), text)

static const char *phase_name(const struct sample_options *opt, unsigned int i)
{
	return opt->ugly && i == 1 ? LONG : phase_names[i];
}

/* The rows of the table of OSD bytes: readers, mounts and LAZYIO, the largest numbers last. */
static void make_ceph(struct experiment *exp)
{
	static const struct phase rows[N_PHASES] = {
		{.pattern = "ior-hard-read", .threads = 16, .clients = 4, .lazyio = true},
		{.pattern = "ior-easy-read", .threads = 1, .clients = 1},
		{.pattern = "ior-rnd4K-easy-read", .threads = 1024, .clients = 64, .lazyio = true},
	};

	SET(exp->name, "ceph-stride");
	SET(exp->filesystem, "ceph");
	exp->osds = 3;
	exp->osd_replicas = 2;
	exp->osd_objectstore = OSD_BLUESTORE;
	for (unsigned int i = 0; i < N_PHASES; i++) {
		SET(exp->phases[i].pattern, rows[i].pattern);
		exp->phases[i].threads = rows[i].threads;
		exp->phases[i].clients = rows[i].clients;
		exp->phases[i].lazyio = rows[i].lazyio;
	}
}

static struct experiment *make_experiment(const struct sample_options *opt)
{
	struct experiment *exp = xcalloc(1, sizeof(*exp));

	SET(exp->name, opt->ugly ? LONG : "piece-copy");
	SET(exp->summary,
	    opt->ugly ? NASTY : "copies out of a file mapping in 8 MiB pieces, tail first");
	exp->n_phases = N_PHASES;
	exp->phases = xcalloc(N_PHASES, sizeof(*exp->phases));
	for (unsigned int i = 0; i < N_PHASES; i++) {
		SET(exp->phases[i].name, phase_name(opt, i));
		SET(exp->phases[i].pattern, "piece-copy");
		exp->phases[i].threads = 1;
		exp->phases[i].piece = 8u << 20;
	}
	exp->phases[2].unaffected = true;
	if (opt->ceph)
		make_ceph(exp);
	if (opt->ugly) {
		exp->n_limits = 1;
		exp->limits = xcalloc(1, sizeof(*exp->limits));
		exp->limits[0] = (struct limit){"marker-hit-starts-readahead", "windows", 1e18};
	}
	return exp;
}

static void kernel_name(const struct sample_options *opt, unsigned int k, char *buf, size_t size)
{
	if (k < 2 && !opt->ugly)
		snprintf(buf, size, "%s", k ? "patched" : "base");
	else
		snprintf(buf, size, "kernel-%u-whose-name-goes-on-and-on-and-on-%u", k, k);
}

static void add_touched(struct patch_info *p, const struct sample_options *opt)
{
	static const struct touched list[] = {
		{"mm/readahead.c", "ra_first_hole", true, "page_cache_async_ra"},
		{"mm/readahead.c", "page_cache_async_ra", false, ""},
		{"mm/filemap.c", "filemap_get_pages", false, ""},
	};

	p->touched_known = true;
	p->n_touched = opt->ugly ? 20 : ARRAY_SIZE(list);
	p->touched = xcalloc(p->n_touched, sizeof(*p->touched));
	for (unsigned int i = 0; i < p->n_touched; i++) {
		p->touched[i] = list[i % ARRAY_SIZE(list)];
		if (!opt->ugly)
			continue;
		snprintf(p->touched[i].file, sizeof(p->touched[i].file), "%u" NASTY LONG LONG, i);
		if (i > 2)
			snprintf(p->touched[i].function, sizeof(p->touched[i].function), "%u" NASTY,
				 i);
	}
	p->unnamed_hunks = opt->ugly;
}

static void make_kernels(struct run *run, const struct sample_options *opt)
{
	run->n_kernels = opt->kernels;
	run->kernels = xcalloc(opt->kernels, sizeof(*run->kernels));
	for (unsigned int i = 0; i < opt->kernels; i++) {
		struct kernel_info *k = &run->kernels[i];

		kernel_name(opt, i, k->name, sizeof(k->name));
		SET(k->version, "7.3.4");
		SET(k->source, opt->ugly ? NASTY NASTY : "linux-source-7.3 7.3.4-1");
		SET(k->config_hash, "0123456789abcdef0123456789abcdef");
		if (!i)
			continue;
		k->n_patches = 1;
		k->patches = xcalloc(1, sizeof(*k->patches));
		SET(k->patches[0].file, "0001-look-ahead.patch");
		SET(k->patches[0].id, "8b47dc1e0f3a5b6c7d8e9f");
		SET(k->patches[0].subject,
		    opt->ugly ? NASTY LONG LONG LONG
			      : "mm/readahead: look two windows ahead on a marker hit");
		SET(k->patches[0].base_commit, "fedcba9876543210fedcba98");
		add_touched(&k->patches[0], opt);
	}
}

static struct capture *make_capture(struct run *run, const struct sample_options *opt,
				    unsigned int k, unsigned int repeat)
{
	struct capture *c = xcalloc(1, sizeof(*c));

	kernel_name(opt, k, c->kernel, sizeof(c->kernel));
	c->path = xasprintf("%s/%s-%u", run->path, c->kernel, repeat);
	c->trace = xasprintf("%s/trace.dat", c->path);
	c->blktrace = xasprintf("%s/virtio-blk.blktrace.0", c->path);
	c->has_json = true;
	c->run = run;
	c->repeat = repeat;
	SET(c->accel, "tcg");
	SET(c->uname, "7.3.4");
	SET(c->cpu_model, opt->ugly ? LONG LONG : "QEMU TCG CPU version 2.5+");
	SET(c->libc, "glibc 2.36");
	SET(c->filesystem, opt->ceph ? "ceph" : "ext4");
	c->page_size = 4096;
	c->file_size = 1ull << 30;
	c->memory = 2ull << 30;
	c->read_ahead_kb = opt->ugly && k ? 128 : 8192;
	c->cpus = 2;
	c->queue_size = opt->ceph ? 0 : 256;
	c->seg_max = opt->ceph ? 0 : 254;
	if (opt->ceph) {
		free(c->blktrace);
		c->blktrace = NULL;
		c->osd = xasprintf("%s/osd.json", c->path);
		c->osds = 3;
	}
	c->n_phases = N_PHASES;
	c->phases = xcalloc(N_PHASES, sizeof(*c->phases));
	for (unsigned int i = 0; i < N_PHASES; i++) {
		struct phase_info *p = &c->phases[i];

		SET(p->name, phase_name(opt, i));
		SET(p->pattern, i == 2 ? "random-touch" : "piece-copy");
		p->bytes_asked = i == 2 ? 1024 * 8 : 1ull << 30;
		p->pgmajfault = i == 2 ? 1019 : k ? 3 + i * 14 : 97 + i * 32 + repeat - 1;
		p->system_known = p->cached_after_known = p->memory_known = true;
		p->system_ns = (k ? 150000000ull : 700000000ull) + repeat * 1000000ull;
		p->cached_after = 262144 - (i == 2 && k ? 131072 : 0);
		p->memory_pages = 264000 + (s64)repeat * 100 * (k ? 3 : -1);
		p->elapsed_ns = (k ? 1200000000ull : 2300000000ull) + repeat * 10000000ull;
		if (opt->undecided && k == 1 && !i)
			p->loss.overrun = 17;
		/* what OSDs sent of the first phase is nearly four times as much on base */
		p->osd_known = opt->ceph;
		p->osd_reads = k ? 1361 : 68;
		p->osd_read_bytes = p->bytes_asked * (k || i ? 1 : 4) + repeat * (1u << 20);
	}
	return c;
}

static void fill_stats(struct phase_stats *s, const struct sample_options *opt, unsigned int phase,
		       unsigned int k)
{
	SET(s->name, phase_name(opt, phase));
	s->events = 200000;
	s->folios[0] = k ? 6146 : 197634;
	if (k) {
		s->folios[2] = 512;
		s->folios[9] = 358;
	}
	s->windows[RA_READAROUND] = k ? 2 : 97;
	s->windows[RA_MARKER] = k ? 96 : 0;
	s->by_type[EV_RA_ASYNC] = phase == 2 ? 0 : 96;
	s->marker_hits = phase == 2 ? 0 : 96;
	s->marker_hits_idle = phase == 2 || k ? 0 : 96;
	s->host_known = true;
	s->guest_requests = s->host_requests = k ? 1210 : 1544;
	s->guest_bytes = s->host_bytes = (1ull << 30) + (k ? 0 : 4096 * 1000);
}

static struct result *add_result(struct capture_result *c, const struct check *check,
				 const char *phase, enum verdict v, const char *detail)
{
	struct result *r;

	c->results = xrealloc(c->results, c->n_results + 1, sizeof(*c->results));
	r = &c->results[c->n_results++];
	memset(r, 0, sizeof(*r));
	r->check = check;
	r->capture = c->capture;
	SET(r->phase, phase);
	r->verdict = v;
	SET(r->detail, detail);
	r->examined = v == VERDICT_PASS || v == VERDICT_FAIL ? 97 : 0;
	return r;
}

static void add_findings(struct result *r, const struct sample_options *opt)
{
	r->violations = 96;
	r->n_findings = opt->ugly ? FINDINGS_KEPT : 2;
	for (unsigned int i = 0; i < r->n_findings; i++) {
		struct finding *f = &r->findings[i];

		f->ts = 12 * NSEC_PER_SEC + 345678901 + i;
		f->seq = 4711 + i;
		f->cpu = 1;
		f->pid = 123;
		f->offset = 8388608ull * (i + 17);
		f->has_offset = true;
		f->weight = 100 - i;
		SET(f->comm, opt->ugly ? "\x1b]0;x\x07" : "agent");
		SET(f->text, opt->ugly ? NASTY LONG LONG
				       : "read-around of 2048 pages in the middle of a stream");
	}
}

static void fill_results(struct capture_result *c, const struct sample_options *opt, unsigned int k)
{
	bool lost = opt->undecided && k == 1;

	for (unsigned int p = 0; p < N_PHASES; p++) {
		const char *phase = phase_name(opt, p);
		struct result *r;
		bool fails = k ? opt->patched_fails : !opt->base_is_fine;

		r = add_result(c, &c_complete, phase,
			       lost && !p ? VERDICT_INCONCLUSIVE : VERDICT_PASS,
			       lost && !p ? "17 events overwritten on CPU 0" : "200000 events");
		if (lost && !p)
			r->reason = WHY_EVENTS_LOST;
		add_result(c, &c_host, phase, VERDICT_PASS, "1210 requests, 1210 on the device");
		if (p == 2)
			continue;
		r = add_result(c, &c_around, phase, fails ? VERDICT_FAIL : VERDICT_PASS,
			       fails ? "96 read-arounds in 97 pieces"
				     : "2 read-arounds in 97 pieces");
		r->expected = k ? EXPECT_HOLDS : EXPECT_VIOLATED;
		if (fails)
			add_findings(r, opt);
		r = add_result(c, &c_ramp, phase, k ? VERDICT_PASS : VERDICT_FAIL,
			       k ? "order 11 reached" : "every window has order 0");
		r->expected = k ? EXPECT_HOLDS : EXPECT_VIOLATED;
		if (!k)
			add_findings(r, opt);
	}
	for (unsigned int i = 0; opt->nothing_applies && i < c->n_results; i++) {
		c->results[i].verdict = VERDICT_NA;
		c->results[i].expected = EXPECT_HOLDS;
	}
}

static struct run *make_run(const struct sample_options *opt)
{
	struct run *run = xcalloc(1, sizeof(*run));

	run->path = xstrdup(opt->ugly ? "traces/" LONG "/" LONG "/\x1b[31m" : "traces/run001");
	run->has_json = true;
	SET(run->date, "2026-01-02T03:04:05Z");
	SET(run->command,
	    opt->ugly ? NASTY LONG LONG : "make boot-and-trace EXPERIMENT=piece-copy");
	SET(run->qemu_version, "7.2.0");
	SET(run->accel, "tcg");
	SET(run->accel_reason, "KVM: no hello from the guest within 20 s");
	SET(run->host_cpu, "Example CPU @ 2.00GHz");
	SET(run->host_uname, "Linux 6.1.0");
	run->exp = make_experiment(opt);
	if (opt->ceph)
		SET(run->ceph_version, "16.2.15");
	make_kernels(run, opt);
	return run;
}

static void finish(struct verified *v)
{
	tally_analysis(&v->tally, v->analysis);
	v->status = status_of(&v->tally);
}

struct verified *sample_run(const struct sample_options *opt)
{
	struct verified *v = xcalloc(1, sizeof(*v));
	struct analysis *a = xcalloc(1, sizeof(*a));
	struct run *run = make_run(opt);
	struct result *r;

	v->path = run->path;
	v->run = run;
	v->analysis = a;
	a->run = run;
	run->n_captures = a->n_captures = opt->kernels * opt->repeats;
	run->captures = xcalloc(run->n_captures, sizeof(struct capture *));
	a->captures = xcalloc(a->n_captures, sizeof(*a->captures));
	for (unsigned int i = 0; i < a->n_captures; i++) {
		unsigned int k = i / opt->repeats;
		struct capture_result *c = &a->captures[i];

		run->captures[i] = make_capture(run, opt, k, i % opt->repeats + 1);
		c->capture = run->captures[i];
		c->guest.event_types = EV_BIT(EV_RA_ASYNC);
		c->n_phases = N_PHASES;
		c->phases = xcalloc(N_PHASES, sizeof(*c->phases));
		for (unsigned int p = 0; p < N_PHASES; p++)
			fill_stats(&c->phases[p], opt, p, k);
		fill_results(c, opt, k);
	}
	if (opt->kernels > 1) {
		a->n_run_results = 1;
		a->run_results = r = xcalloc(1, sizeof(*r));
		r->check = &c_unaffected;
		SET(r->phase, phase_name(opt, 2));
		r->verdict = opt->nothing_applies ? VERDICT_NA : VERDICT_PASS;
		r->examined = 2;
		SET(r->detail, "device bytes differ by 0.4 % (limit 2 %)");
	}
	finish(v);
	return v;
}

struct verified *sample_trace(void)
{
	struct verified *v = xcalloc(1, sizeof(*v));
	struct analysis *a = xcalloc(1, sizeof(*a));
	struct capture_result *cr = xcalloc(1, sizeof(*cr));
	struct run *run = xcalloc(1, sizeof(*run));
	struct capture *c = xcalloc(1, sizeof(*c));

	run->path = xstrdup("/var/tmp/machine/trace.dat");
	run->n_captures = 1;
	run->captures = xcalloc(1, sizeof(struct capture *));
	run->captures[0] = c;
	c->path = xstrdup(run->path);
	c->trace = xstrdup(run->path);
	c->n_phases = 1;
	c->phases = xcalloc(1, sizeof(*c->phases));
	v->path = run->path;
	v->run = run;
	v->analysis = a;
	a->run = run;
	a->captures = cr;
	a->n_captures = 1;
	cr->capture = c;
	SET(cr->guest.format, "trace.dat v7 zstd");
	SET(cr->guest.clock, "mono");
	SET(cr->guest.uname, "Linux 7.1.0 x86_64");
	cr->guest.cpus = 16;
	cr->guest.events = 123456;
	cr->guest.loss.overrun = 3;
	cr->guest.lost_spans = 1;
	cr->guest.spans[0] = (struct lost_span){3, 1234567891, 2345678912, 3};
	cr->n_phases = 1;
	cr->phases = xcalloc(1, sizeof(*cr->phases));
	cr->phases[0].guest_requests = 512;
	cr->phases[0].folios_unknown_order = 4096;
	add_result(cr, &c_complete, "", VERDICT_INCONCLUSIVE, "3 events overwritten")->reason =
		WHY_EVENTS_LOST;
	add_result(cr, &c_host, "", VERDICT_NA, "there is no request log of a host");
	finish(v);
	return v;
}

struct verified *sample_error(void)
{
	struct verified *v = xcalloc(1, sizeof(*v));

	v->path = "traces/gone";
	v->status = STATUS_ERROR;
	SET(v->error.msg, "traces/gone/run.json: ends too early, in line 3: the file is cut short");
	return v;
}

void sample_free(struct verified *v)
{
	for (unsigned int i = 0; v->analysis && i < v->analysis->n_captures; i++) {
		for (unsigned int k = 0; k < v->analysis->captures[i].n_phases; k++)
			phase_figures_free(v->analysis->captures[i].phases[k].figures);
		free(v->analysis->captures[i].phases);
		free(v->analysis->captures[i].results);
	}
	if (v->analysis) {
		free(v->analysis->captures);
		free(v->analysis->run_results);
		free(v->analysis);
	}
	run_close(v->run);
	free(v);
}
