// SPDX-License-Identifier: GPL-2.0-only
/* Sequences of events, and the windows, causes and hits that they mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixture.h"

/* ---- a recorder in place of the checks ---- */

static char log_text[8192];

static void __printf_like(1, 2) note(const char *fmt, ...)
{
	size_t n = strlen(log_text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(log_text + n, sizeof(log_text) - n, fmt, ap);
	va_end(ap);
}

static void recorder_window_end(struct judge *j, const struct window *w)
{
	(void)j;
	note("%s %llu+%llu o%u", ra_cause_name(w->cause), (unsigned long long)w->start,
	     (unsigned long long)w->size, w->order);
	if (w->folios)
		note(" %llu/%llu", (unsigned long long)w->folios, (unsigned long long)w->pages);
	if (w->max_order != ORDER_UNKNOWN)
		note(" max%u", w->max_order);
	if (w->cached)
		note(" cached%llu", (unsigned long long)w->cached);
	if (w->piece)
		note(" p%u", w->piece);
	note("; ");
}

static void recorder_marker_hit(struct judge *j, const struct marker_hit *h)
{
	(void)j;
	note(h->followed ? "hit %llu; " : "idle %llu; ", (unsigned long long)h->index);
}

static const struct check_ops recorder_ops = {
	.window_end = recorder_window_end,
	.marker_hit = recorder_marker_hit,
};
static const struct check recorder = {.name = "recorder", .ops = &recorder_ops};
static const char *const no_checks[] = {"none"};

static void record(struct fixture *fx)
{
	struct model_phase *p;

	log_text[0] = '\0';
	fx_init(fx, 1);
	fx->opt.checks = no_checks;
	fx->opt.n_checks = 1;
	fx->m = model_new(&fx->capture, &fx->opt, &fx->info, NULL);
	p = &fx->m->phases[0];
	assert_int_equal(p->n_judges, 0);
	p->judges[0] = (struct judge){.check = &recorder, .model = fx->m, .phase = p};
	p->n_judges = 1;
	fx_marker(fx, 1, "phase begin one");
}

/* ---- sequences: op(task, page, ...) ---- */

struct step {
	enum { END, FAULT, MAP, PAGES, SYNC, ASYNC, WIN, UNB, ADD, FILL, DEL, RQ, LOST, PIECE } op;
	s32 pid;
	u64 index, n; /* WIN: size */
	u32 order, async;
};

static void play(struct fixture *fx, const struct step *s)
{
	for (; s->op != END; s++) {
		switch (s->op) {
		case FAULT:
			fx_fault(fx, s->pid, s->index);
			break;
		case MAP:
			fx_map(fx, s->pid, s->index);
			break;
		case PAGES:
			fx_pages(fx, s->pid, s->index, s->index + s->n);
			break;
		case SYNC:
			fx_sync(fx, s->pid, s->index, s->n);
			break;
		case ASYNC:
			fx_async(fx, s->pid, s->index);
			break;
		case WIN:
			fx_order(fx, s->pid, s->index, s->order, (u32)s->n, s->async);
			break;
		case UNB:
			fx_unbounded(fx, s->pid, s->index, s->n, s->async);
			break;
		case ADD:
			fx_add(fx, s->pid, s->index, s->order);
			break;
		case FILL:
			fx_fill(fx, s->pid, s->index, s->n, s->order);
			break;
		case DEL:
			fx_event(fx, (struct event){
					     .type = EV_FOLIO_DELETE,
					     .pid = s->pid,
					     .ino = FX_INO,
					     .folio = {.index = s->index, .order = (u8)s->order}});
			break;
		case RQ:
			fx_request(fx, s->pid, s->index * 8, 4096);
			break;
		case LOST:
			fx_lost(fx, 0, fx->ts - 10);
			break;
		case PIECE:
			fx_marker(fx, s->pid, "stream 0 0 1048576");
			fx_marker(fx, s->pid, "piece 0 0 8192");
			break;
		default:
			break;
		}
	}
}

static const struct {
	const char *what;
	struct step steps[16];
	const char *expect;
} cases[] = {
	{"read-around in the middle of the file",
	 {{FAULT, 7, 5000, 0, 0, 0},
	  {WIN, 7, 3976, 2048, 0, 512},
	  {FILL, 7, 3976, 2048, 0, 0},
	  {FAULT, 7, 5000, 0, 0, 0}},
	 "read-around 3976+2048 o0 2048/2048 max0; "},
	{"read-around that is cut off at the start",
	 {{FAULT, 7, 100, 0, 0, 0}, {WIN, 7, 0, 2048, 0, 512}},
	 "read-around 0+2048 o0; "},
	{"read-around of page 0",
	 {{FAULT, 7, 0, 0, 0, 0}, {WIN, 7, 0, 2048, 0, 512}},
	 "read-around 0+2048 o0; "},
	{"read-around whose event shows an order that another thread has just set",
	 {{FAULT, 7, 5000, 0, 0, 0}, {WIN, 7, 3976, 2048, 4, 2048}},
	 "read-around 3976+2048 o4; "},
	{"read-around over what is cached: the rest comes from the fallback",
	 {{FILL, 8, 3976, 1024, 0, 0},
	  {FAULT, 7, 5000, 0, 0, 0},
	  {WIN, 7, 3976, 2048, 0, 512},
	  {UNB, 7, 3976, 2048, 0, 512},
	  {FILL, 7, 5000, 1024, 0, 0},
	  {MAP, 7, 5000, 0, 0, 0}},
	 "read-around 3976+2048 o0 1024/1024 max0 cached1024; "},
	{"evicted pages are not cached any more",
	 {{FILL, 8, 3976, 1024, 2, 0},
	  {DEL, 9, 3976, 0, 2, 0},
	  {FAULT, 7, 5000, 0, 0, 0},
	  {WIN, 7, 3976, 2048, 0, 512}},
	 "read-around 3976+2048 o0 cached1020; "},
	{"VM_HUGEPAGE: two huge folios, or one with VM_RAND_READ",
	 {{FAULT, 7, 5000, 0, 0, 0},
	  {WIN, 7, 4608, 1024, 9, 512},
	  {FILL, 7, 4608, 1024, 9, 0},
	  {FAULT, 7, 9000, 0, 0, 0},
	  {WIN, 7, 8704, 512, 9, 512}},
	 "hugepage-fault 4608+1024 o9 2/1024 max9; hugepage-fault 8704+512 o9; "},
	{"VM_EXEC: forwards, no marker",
	 {{FAULT, 7, 5000, 0, 0, 0},
	  {WIN, 7, 5000, 2048, 0, 0},
	  {FAULT, 7, 9003, 0, 0, 0},
	  {WIN, 7, 9000, 2048, 2, 0}},
	 "exec-fault 5000+2048 o0; exec-fault 9000+2048 o2; "},
	{"a fault and a window that have nothing to do with each other",
	 {{FAULT, 7, 5000, 0, 0, 0}, {WIN, 7, 100000, 2048, 3, 512}},
	 "unknown 100000+2048 o3; "},
	{"VM_SEQ_READ: the fault goes through page_cache_sync_ra()",
	 {{FAULT, 7, 5000, 0, 0, 0}, {SYNC, 7, 5000, 2048, 0, 0}, {WIN, 7, 5000, 2048, 0, 1024}},
	 "sequential-fault 5000+2048 o0; "},
	{"read: the access is traced after its readahead",
	 {{SYNC, 7, 0, 32, 0, 0},
	  {WIN, 7, 0, 128, 0, 96},
	  {FILL, 7, 0, 128, 0, 0},
	  {PAGES, 7, 0, 31, 0, 0},
	  {ASYNC, 7, 32, 0, 0, 0},
	  {WIN, 7, 128, 256, 2, 256},
	  {FILL, 7, 128, 256, 2, 0},
	  {PAGES, 7, 32, 31, 0, 0}},
	 "sync-read 0+128 o0 128/128 max0; hit 32; marker-hit 128+256 o2 64/256 max2; "},
	{"a read after a fault elsewhere is no fault",
	 {{FAULT, 7, 9, 0, 0, 0}, {SYNC, 7, 5000, 2048, 0, 0}, {WIN, 7, 5000, 2048, 0, 1024}},
	 "sync-read 5000+2048 o0; "},
	{"a small random read skips page_cache_ra_order()",
	 {{SYNC, 7, 5000, 2, 0, 0},
	  {UNB, 7, 5000, 2, 0, 0},
	  {FILL, 7, 5000, 2, 0, 0},
	  {PAGES, 7, 5000, 1, 0, 0}},
	 "sync-read 5000+2 o0 2/2 max0; "},
	{"forced: 2 MiB chunks of fadvise(2)",
	 {{UNB, 7, 0, 512, 0, 0},
	  {FILL, 7, 0, 512, 0, 0},
	  {UNB, 7, 512, 512, 0, 0},
	  {FILL, 7, 512, 512, 0, 0}},
	 "forced 0+512 o0 512/512 max0; forced 512+512 o0 512/512 max0; "},
	{"forced after a read: not the read's",
	 {{PAGES, 7, 5000, 1, 0, 0}, {UNB, 7, 0, 512, 0, 0}},
	 "forced 0+512 o0; "},
	{"a window that nothing led to",
	 {{MAP, 7, 5000, 0, 0, 0}, {WIN, 7, 0, 2048, 0, 512}},
	 "unknown 0+2048 o0; "},
	{"marker hit, followed",
	 {{FAULT, 7, 5536, 0, 0, 0},
	  {ASYNC, 7, 5536, 0, 0, 0},
	  {WIN, 7, 6024, 2048, 2, 2048},
	  {FILL, 7, 6024, 2048, 2, 0}},
	 "hit 5536; marker-hit 6024+2048 o2 512/2048 max2; "},
	{"marker hit, idle: the next access tells",
	 {{FAULT, 7, 5536, 0, 0, 0}, {ASYNC, 7, 5536, 0, 0, 0}, {MAP, 7, 5537, 0, 0, 0}},
	 "idle 5536; "},
	{"marker hit, idle: then a read-around",
	 {{FAULT, 7, 5536, 0, 0, 0},
	  {ASYNC, 7, 5536, 0, 0, 0},
	  {FAULT, 7, 8192, 0, 0, 0},
	  {WIN, 7, 7168, 2048, 0, 512}},
	 "idle 5536; read-around 7168+2048 o0; "},
	{"two hits in a row, and one that the phase's end leaves idle",
	 {{ASYNC, 7, 1, 0, 0, 0}, {ASYNC, 7, 2, 0, 0, 0}},
	 "idle 1; idle 2; "},
	{"hit and window of different tasks",
	 {{ASYNC, 7, 5536, 0, 0, 0},
	  {FAULT, 8, 9000, 0, 0, 0},
	  {WIN, 8, 7976, 2048, 0, 512},
	  {MAP, 7, 5537, 0, 0, 0},
	  {MAP, 8, 5537, 0, 0, 0}},
	 "idle 5536; read-around 7976+2048 o0; "},
	{"requests that complete in the task's context are not its own events",
	 {{FAULT, 7, 5000, 0, 0, 0},
	  {RQ, 7, 1, 0, 0, 0},
	  {WIN, 7, 3976, 2048, 0, 512},
	  {RQ, 7, 2, 0, 0, 0},
	  {FILL, 7, 3976, 16, 4, 0}},
	 "read-around 3976+2048 o0 1/16 max4; "},
	{"folios of other tasks and beside the window are not the window's",
	 {{FAULT, 7, 5000, 0, 0, 0},
	  {WIN, 7, 3976, 2048, 0, 512},
	  {ADD, 8, 4000, 0, 0, 0},
	  {ADD, 7, 3976, 0, 0, 0},
	  {ADD, 7, 6024, 0, 0, 0},
	  {ADD, 7, 3977, 0, 0, 0}},
	 "read-around 3976+2048 o0 1/1 max0; "},
	{"a minimum folio size begins before the window",
	 {{FAULT, 7, 5001, 0, 0, 0}, {WIN, 7, 3977, 2048, 0, 512}, {ADD, 7, 3976, 0, 2, 0}},
	 "read-around 3977+2048 o0 1/4 max2; "},
	{"a fault without readahead (mmap_miss) adds its page itself",
	 {{FAULT, 7, 5000, 0, 0, 0}, {ADD, 7, 5000, 0, 0, 0}, {FAULT, 7, 5000, 0, 0, 0}},
	 ""},
	{"events lost: what a task was in the middle of is forgotten",
	 {{ASYNC, 7, 5536, 0, 0, 0},
	  {LOST, 0, 0, 0, 0, 0},
	  {MAP, 7, 5537, 0, 0, 0},
	  {WIN, 7, 0, 2048, 0, 512}},
	 "unknown 0+2048 o0; "},
	{"what is open when a piece begins belongs to the piece before",
	 {{PIECE, 7, 0, 0, 0, 0},
	  {FAULT, 7, 5000, 0, 0, 0},
	  {WIN, 7, 3976, 2048, 0, 512},
	  {PIECE, 7, 0, 0, 0, 0},
	  {FAULT, 7, 9000, 0, 0, 0},
	  {WIN, 7, 7976, 2048, 0, 512}},
	 "read-around 3976+2048 o0 p1; read-around 7976+2048 o0 p2; "},
	{"a window at the end of the 64-bit range",
	 {{FAULT, 7, UINT64_MAX, 0, 0, 0},
	  {WIN, 7, UINT64_MAX - 1024, 2048, 0, 512},
	  {ADD, 7, UINT64_MAX, 0, 9, 0},
	  {ADD, 7, 0, 0, 9, 0}},
	 "read-around 18446744073709550591+2048 o0 1/512 max9; "},
};

static void test_windows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static struct fixture fx;

		record(&fx);
		play(&fx, cases[i].steps);
		fx_marker(&fx, 1, "phase end one");
		if (strcmp(log_text, cases[i].expect))
			fail_msg("%s:\n  got      %s\n  expected %s", cases[i].what, log_text,
				 cases[i].expect);
		fx_finish(&fx);
		fx_free(&fx);
	}
}

static void test_stats(void **state)
{
	static struct fixture fx;
	const struct phase_stats *st;

	(void)state;
	fx_init(&fx, 2);
	fx_phase_base(&fx, "one", 1, 4);
	fx_phase_patched(&fx, "two", 2, 4);
	fx_finish(&fx);
	assert_int_equal(fx.m->n_phases, 2);
	st = &fx.m->phases[0].stats;
	assert_int_equal(st->windows[RA_READAROUND], 5);
	assert_int_equal(st->windows[RA_MARKER], 0);
	assert_int_equal(st->marker_hits, 4);
	assert_int_equal(st->marker_hits_idle, 4);
	assert_int_equal(st->pieces, 4);
	assert_int_equal(st->streams, 1);
	/* 5 windows; the first two overlap by a page */
	assert_int_equal(st->folios[0], 5 * FX_PIECE - 1);
	assert_int_equal(st->pages_added, 5 * FX_PIECE - 1);
	st = &fx.m->phases[1].stats;
	assert_int_equal(st->windows[RA_READAROUND], 4);
	assert_int_equal(st->windows[RA_MARKER], 8);
	assert_int_equal(st->marker_hits_idle, 0);
	assert_int_equal(st->streams, 2);
	assert_true(st->begin_ns < st->end_ns);
	fx_free(&fx);
}

/* A trace without phases is one; with phases, what stands outside of them is nobody's. */
static void test_bare_phases(void **state)
{
	static struct fixture fx;

	(void)state;
	fx_init(&fx, 0);
	fx_readaround(&fx, 100, 5000);
	fx_finish(&fx);
	assert_int_equal(fx.m->n_phases, 1);
	assert_string_equal(fx.m->phases[0].stats.name, "");
	assert_int_equal(fx.m->phases[0].stats.windows[RA_READAROUND], 1);
	fx_free(&fx);

	fx_init(&fx, 0);
	fx_readaround(&fx, 100, 5000);
	fx_phase_base(&fx, "a", 1, 3);
	fx_readaround(&fx, 100, 500000);
	fx_phase_base(&fx, "b", 1, 4);
	fx_finish(&fx);
	assert_int_equal(fx.m->n_phases, 2);
	assert_int_equal(fx.m->phases[0].stats.windows[RA_READAROUND], 4);
	assert_string_equal(fx.m->phases[1].stats.name, "b");
	assert_int_equal(fx.m->phases[1].stats.windows[RA_READAROUND], 5);
	fx_free(&fx);
}

/* Other files are not the test file's. */
static void test_other_file(void **state)
{
	static struct fixture fx;

	(void)state;
	record(&fx);
	fx.capture.file_ino = FX_INO + 1;
	fx_readaround(&fx, 100, 5000);
	fx_async(&fx, 100, 5536);
	fx_map(&fx, 100, 5537);
	assert_string_equal(log_text, "");
	assert_int_equal(fx.m->phases[0].stats.pages_added, 0);
	fx_free(&fx);
}

static void test_limits(void **state)
{
	static struct fixture fx;

	(void)state;
	fx_init(&fx, 0);
	for (s32 pid = 0; pid < (s32)MODEL_MAX_TASKS + 10; pid++)
		fx_map(&fx, pid, 1);
	assert_true(fx.m->overflow);
	fx_finish(&fx);
	assert_int_equal(fx_result(&fx, "trace-complete", "")->reason, WHY_NOT_MEASURABLE);
	fx_free(&fx);

	fx_init(&fx, 0);
	for (unsigned int i = 0; i < MODEL_MAX_PHASES + 2; i++)
		fx_marker(&fx, 1, "phase begin %u", i);
	assert_int_equal(fx.m->n_phases, MODEL_MAX_PHASES);
	assert_true(fx.m->overflow);
	fx_finish(&fx);
	fx_free(&fx);

	fx_init(&fx, 0);
	fx_marker(&fx, 1, "phase begin x");
	for (unsigned int i = 0; i < MODEL_MAX_STREAMS + 2; i++)
		fx_marker(&fx, 1, "stream %u 0 1", i);
	assert_true(fx.m->overflow);
	fx_finish(&fx);
	fx_free(&fx);
}

static u64 seed;

static u64 rnd(u64 n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % n;
}

static u64 rnd_page(void)
{
	/* mostly near each other, so that things meet; some at the ends of the range */
	return rnd(20) ? rnd(1u << 14) : UINT64_MAX - rnd(3000);
}

/* Whatever events a file has: nothing breaks, and the checks saw what the model counted. */
static void test_random(void **state)
{
	static const char *const markers[] = {
		"phase begin one",    "phase end one",	    "phase begin two",
		"phase end two",      "stream 0 0 1048576", "stream 7 0 9",
		"piece 0 0 8192",     "piece 0 8192 8192",  "piece 7 99999999999 1",
		"piece 4294967296 1", "stream 1 2",	    "",
	};

	(void)state;
	for (unsigned int run = 0; run < 40; run++) {
		static struct fixture fx;

		seed = run;
		fx_init(&fx, run & 1 ? 2 : 0);
		fx.opt.stats = run % 8 == 2;
		fx.opt.chain = (struct chain_where){run & 4 ? CHAIN_OFFSET : CHAIN_EVENT,
						    run & 4 ? 4096 : run * 50, ""};
		for (unsigned int i = 0; i < 4000; i++) {
			struct event ev = {.type = (u8)rnd(EV_TYPES), .pid = (s32)rnd(6) + 98};

			if (!rnd(30))
				ev.type = EV_MARKER;
			else if (ev.type == EV_LOST && rnd(200))
				ev.type = EV_FOLIO_ADD;
			ev.ino = rnd(10) ? FX_INO : 99;
			switch (ev.type) {
			case EV_MARKER:
				ev.marker.text = markers[rnd(ARRAY_SIZE(markers))];
				break;
			case EV_LOST:
				ev.lost.from = fx.ts - rnd(100000);
				break;
			case EV_FOLIO_ADD:
			case EV_FOLIO_DELETE:
				ev.folio.index = rnd_page();
				ev.folio.order = (u8)(rnd(10) ? rnd(10) : rnd(256));
				break;
			case EV_FAULT:
			case EV_GET_PAGES:
			case EV_MAP_PAGES:
				ev.access.index = rnd_page();
				ev.access.last = rnd_page();
				break;
			case EV_RA_SYNC:
			case EV_RA_ASYNC:
			case EV_RA_ORDER:
			case EV_RA_UNBOUNDED:
				ev.ra.index = rnd_page();
				ev.ra.req_count = rnd_page();
				ev.ra.size = (u32)(rnd(10) ? rnd(4096) : UINT32_MAX - rnd(2));
				ev.ra.async_size = (u32)rnd(4096);
				ev.ra.ra_pages = (u32)(rnd(10) ? 2048 : UINT32_MAX - rnd(2));
				ev.ra.order = (u8)(rnd(10) ? rnd(12) : rnd(256));
				break;
			default:
				ev.sector = rnd(100);
				ev.rq.bytes = (u32)rnd(3) * 4096;
				ev.rq.flags = (u32)rnd(2048);
			}
			fx_event(&fx, ev);
		}
		fx_finish(&fx);
		fx_free(&fx);
	}
}

static void test_page_set(void **state)
{
	struct page_pool pool = {.left = 2};
	struct page_set *s = page_set_new(NULL), *to = page_set_new(NULL);

	(void)state;
	assert_int_equal(page_set_hole(s, 1, 2, 100, 50), 100);
	page_set_add(s, 1, 2, 60, 8192);
	assert_int_equal(page_set_count(s, 1, 2, 0, 100000), 8192);
	assert_int_equal(page_set_count(s, 1, 3, 0, 100000), 0);
	assert_int_equal(page_set_count(s, 2, 2, 0, 100000), 0);
	assert_int_equal(page_set_hole(s, 1, 2, 60, 8192), 60 + 8192);
	assert_int_equal(page_set_hole(s, 1, 2, 60, 8193), 60 + 8192);
	assert_int_equal(page_set_hole(s, 1, 2, 59, 10), 59);
	page_set_remove(s, 1, 2, 4096, 1);
	assert_int_equal(page_set_hole(s, 1, 2, 60, 8192), 4096);
	assert_int_equal(page_set_count(s, 1, 2, 4095, 3), 2);
	page_set_add(s, 1, 2, UINT64_MAX - 3, 100);
	assert_int_equal(page_set_count(s, 1, 2, UINT64_MAX - 3, 100), 3);
	assert_int_equal(page_set_next(s, 1, 2, 0, 100000), 60);
	assert_int_equal(page_set_next(s, 1, 2, 4096, 100), 4097);
	assert_int_equal(page_set_next(s, 1, 2, 60 + 8192, 1 << 20), 60 + 8192 + (1 << 20));
	assert_int_equal(page_set_next(s, 1, 2, 0, UINT64_MAX), 60);
	assert_int_equal(page_set_remove(s, 1, 2, 0, 100000), 8191);
	assert_int_equal(page_set_next(s, 1, 2, 0, 100000), 100000);
	assert_int_equal(page_set_add(s, 1, 2, 4000, 200), 200);
	assert_int_equal(page_set_add(s, 1, 2, 3990, 20), 10);
	assert_int_equal(page_set_count(s, 1, 2, 0, PAGE_SET_CHUNK_PAGES), 106);
	assert_int_equal(page_set_move(s, to, 1, 2, 4090, 10), 10);
	assert_int_equal(page_set_move(s, to, 1, 2, 4090, 10), 0);
	assert_int_equal(page_set_count(s, 1, 2, 0, 100000), 200);
	assert_int_equal(page_set_count(to, 1, 2, 4090, 10), 10);
	assert_int_equal(page_set_count(to, 1, 2, 0, 100000), 10);
	page_set_free(to);
	page_set_clear(s);
	assert_int_equal(page_set_count(s, 1, 2, 0, 100000), 0);
	for (u64 i = 0; i <= PAGE_SET_CHUNKS; i++)
		page_set_add(s, 1, 2, i * PAGE_SET_CHUNK_PAGES, 1);
	assert_true(page_set_full(s));
	page_set_free(s);
	/* two chunks for both sets; what one has had stays its own */
	s = page_set_new(&pool);
	to = page_set_new(&pool);
	page_set_add(s, 1, 2, 0, 1);
	page_set_add(to, 1, 2, 0, 1);
	assert_false(page_set_full(s));
	assert_int_equal(page_set_add(s, 1, 2, PAGE_SET_CHUNK_PAGES, 1), 0);
	assert_true(page_set_full(s));
	page_set_clear(s);
	assert_int_equal(page_set_add(s, 1, 2, PAGE_SET_CHUNK_PAGES, 1), 1);
	page_set_free(s);
	page_set_free(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),	    cmocka_unit_test(test_stats),
		cmocka_unit_test(test_bare_phases), cmocka_unit_test(test_other_file),
		cmocka_unit_test(test_limits),	    cmocka_unit_test(test_random),
		cmocka_unit_test(test_page_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
