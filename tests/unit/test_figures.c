// SPDX-License-Identifier: GPL-2.0-only
/* verify --stats: every figure from events whose sums are known, and what is not measurable. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixture.h"
#include "verify/model/inflight.h"

/* ---- requests under way ---- */

static void test_inflight(void **state)
{
	static const struct {
		const char *name;
		struct {
			char op; /* b: begin, e: end */
			u64 sector, ts;
			u32 bytes;
		} step[5];
		struct latency want;
		u32 left;
	} cases[] = {
		{"one", {{'b', 8, 100, 4096}, {'e', 8, 350, 4096}}, {1, 250, 250, 250}, 0},
		{"two bios merged into one request",
		 {{'b', 8, 100, 4096}, {'b', 16, 120, 8192}, {'e', 8, 200, 12288}},
		 {2, 180, 80, 100},
		 0},
		{"a request that ends in two parts",
		 {{'b', 8, 100, 8192}, {'e', 8, 200, 4096}, {'e', 16, 400, 4096}},
		 {1, 300, 300, 300},
		 0},
		{"requeued: the later issue counts",
		 {{'b', 8, 100, 4096}, {'b', 8, 500, 4096}, {'e', 8, 600, 4096}},
		 {1, 100, 100, 100},
		 0},
		{"an end that nobody began", {{'e', 8, 100, 4096}}, {0, 0, 0, 0}, 0},
		{"no end", {{'b', 8, 100, 4096}, {'e', 16, 200, 4096}}, {0, 0, 0, 0}, 1},
		{"a time that goes back",
		 {{'b', 8, 100, 4096}, {'e', 8, 50, 4096}},
		 {0, 0, 0, 0},
		 0},
		{"less than a sector",
		 {{'b', 8, 100, 100}, {'e', 8, 150, 100}},
		 {1, 50, 50, 50},
		 0},
	};
	struct inflight *f = inflight_new();
	struct latency l = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct latency got = {0};

		inflight_clear(f);
		for (size_t k = 0; k < 5 && cases[i].step[k].op; k++) {
			if (cases[i].step[k].op == 'b')
				inflight_begin(f, 1, cases[i].step[k].sector,
					       cases[i].step[k].bytes, cases[i].step[k].ts, 0);
			else
				inflight_end(f, 1, cases[i].step[k].sector, cases[i].step[k].bytes,
					     cases[i].step[k].ts, &got);
		}
		if (memcmp(&got, &cases[i].want, sizeof(got)) || inflight_count(f) != cases[i].left)
			fail_msg("%s: n %llu sum %llu, %u left", cases[i].name,
				 (unsigned long long)got.n, (unsigned long long)got.sum,
				 inflight_count(f));
	}
	/* no more than INFLIGHT_MAX are kept, whatever comes, and places are used again */
	inflight_clear(f);
	for (u32 round = 0; round < 2; round++) {
		for (u64 i = 0; i < INFLIGHT_MAX + 10ull; i++)
			inflight_begin(f, 1, i * 8, 4096, 1, 0);
		assert_int_equal(inflight_count(f), INFLIGHT_MAX);
		for (u64 i = 0; i < INFLIGHT_MAX; i++)
			inflight_end(f, 1, i * 8, 4096, 2, &l);
		assert_int_equal(inflight_count(f), 0);
	}
	assert_int_equal(l.n, 2 * INFLIGHT_MAX);
	/* another device's is another */
	inflight_begin(f, 1, 8, 4096, 1, 7);
	assert_int_equal(inflight_end(f, 2, 8, 4096, 2, NULL), 0);
	assert_int_equal(inflight_end(f, 1, 8, 4096, 2, NULL), 7);
	inflight_free(f);
}

/* ---- a phase ---- */

static void start(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->opt.stats = true;
	fx_marker(fx, 1, "phase begin one");
}

static const struct phase_figures *finish(struct fixture *fx)
{
	fx_marker(fx, 1, "phase end one");
	fx_finish(fx);
	return fx->m->phases[0].stats.figures;
}

static void event_at(struct fixture *fx, enum event_type type, s32 pid, u64 sector, u32 bytes)
{
	fx_event(fx, (struct event){.type = type,
				    .pid = pid,
				    .sector = sector,
				    .rq = {.bytes = bytes, .flags = RQ_READ}});
}

static void delete_at(struct fixture *fx, u64 index, unsigned int order)
{
	fx_event(fx, (struct event){.type = EV_FOLIO_DELETE,
				    .pid = 9,
				    .ino = FX_INO,
				    .folio = {.index = index, .order = (u8)order}});
}

#define LAST_PAGE ((16ull << 30) / 4096 - 1)

/*
 * By hand: a read-around of 2048 + 512 that adds 100 pages with one request, a
 * marker hit after the fault on page 1300 with 4 folios of order 4, one that a
 * read comes to and that adds nothing, and a read at the end of the file.
 */
static void test_rows(void **state)
{
	const struct phase_figures *f;
	const struct ra_row *r;
	struct ra_row all;
	struct fixture fx;

	(void)state;
	start(&fx);
	fx_fault(&fx, 100, 5000);
	fx_order(&fx, 100, 3976, 0, 2048, 512);
	fx_fill(&fx, 100, 4950, 100, 0);
	event_at(&fx, EV_RQ_ISSUE, 100, 800, 409600);
	event_at(&fx, EV_RQ_COMPLETE, 0, 800, 409600);
	fx_map(&fx, 100, 5000); /* 5000 to 5015 */
	fx_fault(&fx, 100, 5030);
	fx_async(&fx, 100, 5030);
	fx_order(&fx, 100, 6000, 4, 64, 64);
	fx_fill(&fx, 100, 6000, 64, 4);
	fx_pages(&fx, 100, 5031, 5031);
	fx_async(&fx, 100, 5032);
	fx_order(&fx, 100, 6000, 4, 64, 64); /* all cached: no IO */
	fx_pages(&fx, 100, 5032, 5033);
	fx_sync(&fx, 100, LAST_PAGE - 1, 2);
	fx_order(&fx, 100, LAST_PAGE - 1, 0, 4, 2);
	fx_fill(&fx, 100, LAST_PAGE - 1, 2, 0);
	event_at(&fx, EV_RQ_ISSUE, 77, 9000, 8192); /* a kworker's */
	event_at(&fx, EV_RQ_COMPLETE, 0, 9000, 8192);
	fx_pages(&fx, 100, LAST_PAGE - 1, LAST_PAGE);
	f = finish(&fx);

	r = &f->rows[RA_READAROUND];
	assert_int_equal(r->ra, 1);
	assert_int_equal(r->io, 1);
	assert_int_equal(r->sync, 1);
	assert_int_equal(r->mmap, 1);
	assert_int_equal(r->eof, 0);
	assert_int_equal(r->size, 2048);
	assert_int_equal(r->async_size, 512);
	assert_int_equal(r->pages, 100);
	assert_int_equal(r->requests, 1);
	assert_int_equal(r->request_bytes, 409600);
	r = &f->rows[RA_MARKER];
	assert_int_equal(r->ra, 2);
	assert_int_equal(r->io, 1);
	assert_int_equal(r->sync, 0);
	assert_int_equal(r->mmap, 1); /* the one after the fault; the other has no IO */
	assert_int_equal(r->pages, 64);
	r = &f->rows[RA_SYNC_READ];
	assert_int_equal(r->ra, 1);
	assert_int_equal(r->io, 1);
	assert_int_equal(r->sync, 1);
	assert_int_equal(r->mmap, 0);
	assert_int_equal(r->eof, 1);
	assert_int_equal(r->requests, 0);
	all = ra_total(f);
	assert_int_equal(all.ra, 4);
	assert_int_equal(all.io, 3);

	/* 100 + 64 + 2 came in; read or faulted: 5000, 5030 to 5033 and the last two */
	assert_int_equal(f->usage.pages, 166);
	assert_int_equal(f->usage.used, 7);
	assert_int_equal(f->usage.mapped, 15);
	assert_int_equal(usage_unused(&f->usage), 144);

	assert_int_equal(f->guest.requests, 2);
	assert_int_equal(f->guest.bytes, 409600 + 8192);
	assert_int_equal(f->guest.largest, 409600);
	assert_int_equal(f->guest.by_size[10], 1); /* up to 512 KiB */
	assert_int_equal(f->guest.by_size[4], 1);  /* up to 8 KiB */
	assert_int_equal(f->guest.d2c.n, 2);
	assert_int_equal(f->guest.d2c.sum, 2000);
	assert_int_equal(f->guest.depth_max, 1);
	assert_string_not_equal(f->why[FIG_GUEST_Q2C], "");

	assert_int_equal(f->n_files, 1);
	assert_int_equal(f->files[0].ino, FX_INO);
	assert_int_equal(f->files[0].pages, 166);
	assert_int_equal(f->n_tasks, 2);
	assert_int_equal(f->tasks[0].pid, 100);
	assert_int_equal(f->tasks[0].windows, 4);
	assert_int_equal(f->tasks[0].ios, 3);
	assert_int_equal(f->tasks[1].pid, 77);
	assert_int_equal(f->tasks[1].requests, 1);
	fx_free(&fx);
}

/* ---- which pages were used ---- */

enum { MAX_STEPS = 6 };

static void test_usage(void **state)
{
	static const struct {
		const char *name;
		unsigned int order; /* of the 512 pages from 1024 on */
		struct {
			char op; /* f: fault, m: map 16, r: read of n pages, d: delete, a: add again
				  */
			u64 index, n;
		} step[MAX_STEPS];
		struct page_usage want;
	} cases[] = {
		{"nothing", 0, {{0, 0, 0}}, {512, 0, 0, 0}},
		{"a read", 0, {{'r', 1024, 20}}, {512, 20, 0, 0}},
		{"a read of pages that are not there", 0, {{'r', 1000, 34}}, {512, 10, 0, 0}},
		{"twice is once", 0, {{'r', 1024, 20}, {'r', 1034, 20}}, {512, 30, 0, 0}},
		{"fault-around", 0, {{'m', 1040, 1}}, {512, 0, 16, 0}},
		{"mapped, then faulted", 0, {{'m', 1040, 1}, {'f', 1041, 1}}, {512, 1, 15, 0}},
		{"used, then mapped", 0, {{'f', 1041, 1}, {'m', 1040, 1}}, {512, 1, 15, 0}},
		{"used too late", 0, {{'d', 1040, 1}, {'f', 1040, 1}}, {512, 0, 0, 0}},
		{"used, then deleted", 0, {{'f', 1040, 1}, {'d', 1040, 1}}, {512, 1, 0, 0}},
		{"brought in twice",
		 0,
		 {{'d', 1040, 1}, {'a', 1040, 1}, {'f', 1040, 1}},
		 {513, 1, 0, 0}},
		/* finish_fault(), filemap_map_folio_range(): all of the folio is mapped */
		{"a fault in a large folio", 4, {{'f', 1043, 1}}, {512, 1, 15, 0}},
		{"fault-around in a large folio", 6, {{'m', 1104, 1}}, {512, 0, 64, 0}},
		{"a read in a large folio", 6, {{'r', 1104, 1}}, {512, 1, 0, 0}},
		/* filemap_map_pmd(): no event */
		{"nothing, huge", 9, {{'f', 5, 1}}, {512, 0, 0, 512}},
		{"a fault, huge", 9, {{'f', 1043, 1}}, {512, 1, 511, 0}},
		{"only read, huge", 9, {{'r', 1024, 12}}, {512, 12, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct phase_figures *f;
		struct fixture fx;

		start(&fx);
		fx_async(&fx, 100, 3);
		fx_order(&fx, 100, 1024, cases[i].order, 512, 512);
		fx_fill(&fx, 100, 1024, 512, cases[i].order);
		for (size_t k = 0; k < MAX_STEPS && cases[i].step[k].op; k++) {
			u64 index = cases[i].step[k].index;

			switch (cases[i].step[k].op) {
			case 'f':
				fx_fault(&fx, 100, index);
				break;
			case 'm':
				fx_map(&fx, 100, index);
				break;
			case 'r':
				fx_pages(&fx, 100, index, index + cases[i].step[k].n - 1);
				break;
			case 'd':
				delete_at(&fx, index, cases[i].order);
				break;
			default:
				fx_async(&fx, 100, 3);
				fx_order(&fx, 100, index, 0, 1, 1);
				fx_add(&fx, 100, index, 0);
				break;
			}
		}
		f = finish(&fx);
		if (memcmp(&f->usage, &cases[i].want, sizeof(f->usage)))
			fail_msg("%s: %llu pages, %llu used, %llu mapped, %llu huge", cases[i].name,
				 (unsigned long long)f->usage.pages,
				 (unsigned long long)f->usage.used,
				 (unsigned long long)f->usage.mapped,
				 (unsigned long long)f->usage.huge);
		fx_free(&fx);
	}
}

/* ---- what could not be measured has a reason, and only that ---- */

static void test_why(void **state)
{
	static const struct {
		const char *name;
		u64 without; /* event types */
		u32 caps;
		bool bare, lost;
		u32 why; /* bit per group */
		enum figure_group group;
		const char *word; /* in the reason of @group */
	} cases[] = {
#define ALWAYS (1u << FIG_GUEST_Q2C | 1u << FIG_HOST | 1u << FIG_HOST_Q2C)
		{"all there", 0, CAP_FOLIO_ORDER, false, false, ALWAYS, FIG_HOST, "no log"},
		{"no orders", 0, 0, false, false, ALWAYS | 1u << FIG_ORDERS, FIG_ORDERS,
		 "no order field"},
		{"bare", 0, CAP_FOLIO_ORDER, true, false, ALWAYS | 1u << FIG_EOF | 1u << FIG_ASKED,
		 FIG_EOF, "how large"},
		{"no readahead events", EV_BIT(EV_RA_ORDER), CAP_FOLIO_ORDER, false, false,
		 ALWAYS | 1u << FIG_WINDOWS | 1u << FIG_IO | 1u << FIG_MMAP | 1u << FIG_EOF |
			 1u << FIG_UNUSED | 1u << FIG_CARRIED,
		 FIG_WINDOWS, "page_cache_ra_order"},
		{"no deletes", EV_BIT(EV_FOLIO_DELETE), CAP_FOLIO_ORDER, false, false,
		 ALWAYS | 1u << FIG_UNUSED, FIG_UNUSED, "mm_filemap_delete_from_page_cache"},
		{"no requests", EV_BIT(EV_RQ_ISSUE), CAP_FOLIO_ORDER, false, false,
		 ALWAYS | 1u << FIG_GUEST | 1u << FIG_CARRIED | 1u << FIG_GUEST_D2C, FIG_GUEST,
		 "block_rq_issue"},
		{"events lost", 0, CAP_FOLIO_ORDER, false, true,
		 ALWAYS | 1u << FIG_UNUSED | 1u << FIG_GUEST_D2C, FIG_UNUSED, "missing"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct phase_figures *f;
		struct fixture fx;

		fx_init(&fx, cases[i].bare ? 0 : 1);
		fx.opt.stats = true;
		fx.info.event_types &= ~cases[i].without;
		fx.info.caps = cases[i].caps;
		if (!cases[i].bare)
			fx_marker(&fx, 1, "phase begin one");
		fx_readaround(&fx, 100, 5000);
		event_at(&fx, EV_RQ_ISSUE, 100, 800, 409600);
		event_at(&fx, EV_RQ_COMPLETE, 0, 800, 409600);
		if (cases[i].lost)
			fx_lost(&fx, 0, fx.ts - 10);
		if (!cases[i].bare)
			fx_marker(&fx, 1, "phase end one");
		fx_finish(&fx);
		f = fx.m->phases[0].stats.figures;
		for (unsigned int g = 0; g < FIG_GROUPS; g++)
			if (!f->why[g][0] != !(cases[i].why >> g & 1))
				fail_msg("%s: %s: '%s'", cases[i].name, figure_group_name(g),
					 f->why[g]);
		if (!strstr(f->why[cases[i].group], cases[i].word))
			fail_msg("%s: %s", cases[i].name, f->why[cases[i].group]);
		assert_int_equal(f->lost[0] != '\0', cases[i].lost);
		fx_free(&fx);
	}
}

/* Accesses up to the last page that there can be: found by fuzzing, and it never ended. */
static void test_last_page(void **state)
{
	const struct phase_figures *f;
	struct fixture fx;

	(void)state;
	start(&fx);
	fx_fault(&fx, 100, 5000);
	fx_order(&fx, 100, 3976, 0, 2048, 512);
	fx_add(&fx, 100, 4096, 9);
	fx_fault(&fx, 100, UINT64_MAX);
	fx_pages(&fx, 100, UINT64_MAX - 600, UINT64_MAX);
	fx_map(&fx, 100, UINT64_MAX - 15);
	fx_pages(&fx, 100, 4100, 4103);
	f = finish(&fx);
	assert_int_equal(f->usage.pages, 512);
	assert_int_equal(f->usage.used, 4);
	fx_free(&fx);
}

/* A trace that ends in the middle of a window has the window, and what it added so far. */
static void test_open_end(void **state)
{
	struct fixture fx;

	(void)state;
	fx_init(&fx, 0);
	fx.opt.stats = true;
	fx_fault(&fx, 100, 5000);
	fx_order(&fx, 100, 3976, 0, 2048, 512);
	fx_fill(&fx, 100, 4950, 100, 0);
	fx_finish(&fx);
	assert_int_equal(fx.m->phases[0].stats.figures->rows[RA_READAROUND].pages, 100);
	assert_int_equal(fx.m->phases[0].stats.figures->rows[RA_READAROUND].io, 1);
	fx_free(&fx);
}

/* More files than are kept: the rest is told, not forgotten silently. */
static void test_many_files(void **state)
{
	const struct phase_figures *f;
	struct fixture fx;

	(void)state;
	start(&fx);
	for (u64 i = 0; i < SHARES_MAX + 5ull; i++)
		fx_event(&fx, (struct event){.type = EV_FOLIO_ADD, .pid = 5, .ino = 1000 + i});
	f = finish(&fx);
	assert_int_equal(f->n_files, SHARES_MAX);
	assert_true(f->more_files);
	assert_int_equal(f->n_tasks, 1);
	assert_false(f->more_tasks);
	fx_free(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inflight), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_usage),	 cmocka_unit_test(test_why),
		cmocka_unit_test(test_open_end), cmocka_unit_test(test_many_files),
		cmocka_unit_test(test_last_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
