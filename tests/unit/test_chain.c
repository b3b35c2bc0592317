// SPDX-License-Identifier: GPL-2.0-only
/* verify --chain: from one event or one place to the whole way, and its page of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fileio.h"
#include "tests/unit/fixture.h"
#include "verify/chain.h"
#include "verify/model/chains.h"
#include "verify/report/report.h"

#define HOST_OFFSET (5000 * NSEC_PER_SEC)

/* Event numbers in way(), for those that the tests name. */
enum {
	EV_BEGIN = 1,
	EV_THE_FAULT,
	EV_DECISION,
	EV_FIRST_FOLIO,
	EV_LAST_FOLIO = EV_FIRST_FOLIO + 3,
	EV_OTHER_FILE,
	EV_ISSUE,
	EV_COMPLETE,
	EV_QUEUED, /* a second request, which a kworker issues */
	EV_BY_OTHER,
	EV_COMPLETE_2,
	EV_TOUCH,
	EV_IDLE_HIT = EV_TOUCH + 2,
	EV_END = EV_IDLE_HIT + 2,
};

static void rq(struct fixture *fx, enum event_type type, s32 pid, u64 sector, u32 bytes)
{
	fx_event(fx, (struct event){.type = type,
				    .pid = pid,
				    .sector = sector,
				    .rq = {.bytes = bytes, .flags = RQ_READ}});
}

/* A read-around of four folios of order 1 for the fault on page 101, with two requests. */
static void way(struct fixture *fx, const char *phase)
{
	fx_marker(fx, 1, "phase begin %s", phase);
	fx_fault(fx, 100, 101);
	fx_order(fx, 100, 0, 0, 2048, 512);
	fx_fill(fx, 100, 100, 8, 1);
	fx_event(fx, (struct event){.type = EV_FOLIO_ADD, .pid = 100, .ino = 99});
	rq(fx, EV_RQ_ISSUE, 100, 5000, 16384);
	rq(fx, EV_RQ_COMPLETE, 0, 5000, 16384);
	rq(fx, EV_RQ_INSERT, 100, 9000, 16384);
	rq(fx, EV_RQ_ISSUE, 77, 9000, 16384);
	rq(fx, EV_RQ_COMPLETE, 0, 9000, 16384);
	fx_map(fx, 100, 102);
	fx_fault(fx, 100, 3000);
	fx_async(fx, 100, 3000);
	fx_map(fx, 100, 3001);
	fx_marker(fx, 1, "phase end %s", phase);
}

static void start(struct fixture *fx, unsigned int phases, struct chain_where where)
{
	fx_init(fx, phases);
	fx->opt.chain = where;
	fx->capture.path = (char *)"run/patched-1";
}

static void test_matches(void **state)
{
	static const struct {
		struct chain_where where;
		u32 n;
		u64 access, lead, decision, folios, requests; /* of the first */
		const char *message;
	} cases[] = {
#define WAY EV_THE_FAULT, 0, EV_DECISION, 4, 2, ""
		{{CHAIN_EVENT, EV_THE_FAULT, ""}, 1, WAY},
		{{CHAIN_EVENT, EV_DECISION, ""}, 1, WAY},
		{{CHAIN_EVENT, EV_FIRST_FOLIO, ""}, 1, WAY},
		{{CHAIN_EVENT, EV_LAST_FOLIO, "one"}, 1, WAY},
		{{CHAIN_EVENT, EV_ISSUE, ""}, 1, WAY},
		{{CHAIN_EVENT, EV_QUEUED, ""}, 1, WAY},
		{{CHAIN_EVENT, EV_COMPLETE, ""}, 0, 0, 0, 0, 0, 0, "name the request's issue"},
		{{CHAIN_EVENT, EV_BEGIN, ""}, 0, 0, 0, 0, 0, 0, "event 1 (marker) is no step"},
		{{CHAIN_EVENT, EV_TOUCH, ""}, 1, EV_TOUCH, 0, 0, 0, 0, ""},
		/* a marker hit that started nothing */
		{{CHAIN_EVENT, EV_IDLE_HIT, ""}, 1, EV_IDLE_HIT - 1, EV_IDLE_HIT, 0, 0, 0, ""},
		{{CHAIN_EVENT, 1000, ""}, 0, 0, 0, 0, 0, 0, "has 36 events"},
		{{CHAIN_OFFSET, 101 * 4096, ""}, 2, WAY},
		{{CHAIN_OFFSET, 107 * 4096 + 4095, "two"},
		 1,
		 EV_END + EV_THE_FAULT,
		 0,
		 EV_END + EV_DECISION,
		 4,
		 2,
		 ""},
		{{CHAIN_OFFSET, 101 * 4096, "three"}, 0, 0, 0, 0, 0, 0, "no folio"},
		{{CHAIN_OFFSET, 108 * 4096, ""}, 0, 0, 0, 0, 0, 0, "no folio with the byte"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct chain_list *l;
		struct fixture fx;

		start(&fx, 2, cases[i].where);
		way(&fx, "one");
		way(&fx, "two");
		fx_finish(&fx);
		l = chains_take(fx.m->chains);
		if (l->n != cases[i].n || !strstr(l->message, cases[i].message))
			fail_msg("row %zu: %u chains, '%s'", i, l->n, l->message);
		if (l->n) {
			const struct chain *c = &l->all[0];

			if (c->access.seq != cases[i].access || c->lead.seq != cases[i].lead ||
			    c->decision.seq != cases[i].decision ||
			    c->folios_all != cases[i].folios || c->n_requests != cases[i].requests)
				fail_msg("row %zu: access %llu, lead %llu, decision %llu, folios "
					 "%llu, requests %u",
					 i, (unsigned long long)c->access.seq,
					 (unsigned long long)c->lead.seq,
					 (unsigned long long)c->decision.seq,
					 (unsigned long long)c->folios_all, c->n_requests);
		}
		chain_list_free(l);
		fx_free(&fx);
	}
}

/* Both requests end where they should, whoever issued them; and what was used. */
static void test_steps(void **state)
{
	const struct chain *c;
	struct chain_list *l;
	struct fixture fx;

	(void)state;
	start(&fx, 1, (struct chain_where){CHAIN_EVENT, EV_DECISION, ""});
	way(&fx, "one");
	fx_finish(&fx);
	l = chains_take(fx.m->chains);
	c = &l->all[0];
	assert_int_equal(c->requests[0].issue.seq, EV_ISSUE);
	assert_int_equal(c->requests[0].complete.seq, EV_COMPLETE);
	assert_int_equal(c->requests[1].queue.seq, EV_QUEUED);
	assert_int_equal(c->requests[1].issue.seq, EV_BY_OTHER);
	assert_int_equal(c->requests[1].issue.pid, 77);
	assert_int_equal(c->requests[1].complete.seq, EV_COMPLETE_2);
	/* 100 and 101 for the fault; 102 to 117 were mapped */
	assert_true(c->folios[0].used);
	for (u32 i = 1; i < 4; i++) {
		assert_false(c->folios[i].used);
		assert_true(c->folios[i].mapped);
	}
	assert_int_equal(c->use.seq, EV_TOUCH);
	assert_int_equal(c->cause, RA_READAROUND);
	chain_list_free(l);
	fx_free(&fx);
}

/* The page of text, with the device's side, at most 72 columns wide. */
static void test_text(void **state)
{
	struct out o = {.width = REPORT_WIDTH};
	char *want __cleanup_free = NULL;
	struct capture_result cr = {0};
	struct analysis a = {.captures = &cr, .n_captures = 1};
	struct fixture fx;
	struct err e;
	u64 t;

	(void)state;
	start(&fx, 1, (struct chain_where){CHAIN_EVENT, EV_DECISION, ""});
	fx.capture.trace = (char *)"t";
	fx.capture.blktrace = (char *)"b";
	way(&fx, "one");
	/* asked 300 ns after each issue, done 400 ns later, 300 ns before its completion */
	t = NSEC_PER_SEC + HOST_OFFSET;
	fx_host(&fx, 5000, 16384, t + EV_ISSUE * 1000 + 300, t + EV_ISSUE * 1000 + 700);
	fx_host(&fx, 9000, 16384, t + EV_BY_OTHER * 1000 + 300, t + EV_BY_OTHER * 1000 + 700);
	fx_finish(&fx);
	cr.capture = &fx.capture;
	cr.chains = chains_take(fx.m->chains);
	text_chains(&o, &a);
	for (const char *p = o.text; *p; p += strcspn(p, "\n") + 1)
		if (strcspn(p, "\n") > REPORT_WIDTH)
			fail_msg("too long: %.80s", p);
	if (getenv("UPDATE_GOLDEN"))
		assert_int_equal(file_write_atomic("tests/golden/chain.txt", o.text, o.len, &e), 0);
	if (file_read("tests/golden/chain.txt", 1 << 20, &want, NULL, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(want, o.text);
	out_free(&o);
	chain_list_free(cr.chains);
	fx_free(&fx);
}

/* More tasks at a time than are followed, and more chains than are kept: it is said. */
static void test_limits(void **state)
{
	struct chain_list *l;
	struct fixture fx;

	(void)state;
	start(&fx, 1, (struct chain_where){CHAIN_EVENT, 999999, ""});
	fx_marker(&fx, 1, "phase begin one");
	for (s32 pid = 100; pid < 100 + (s32)CHAINS_TASKS + 1; pid++)
		fx_fault(&fx, pid, 5);
	fx_finish(&fx);
	l = chains_take(fx.m->chains);
	assert_non_null(strstr(l->message, "not all could be followed"));
	chain_list_free(l);
	fx_free(&fx);

	start(&fx, 1, (struct chain_where){CHAIN_OFFSET, 0, ""});
	fx_marker(&fx, 1, "phase begin one");
	for (u32 i = 0; i < CHAINS_KEPT + 3; i++) {
		fx_sync(&fx, 100, 0, 1);
		fx_order(&fx, 100, 0, 0, 4, 2);
		fx_fill(&fx, 100, 0, 4, 0);
		fx_pages(&fx, 100, 0, 0);
	}
	fx_marker(&fx, 1, "phase end one");
	fx_finish(&fx);
	l = chains_take(fx.m->chains);
	assert_int_equal(l->n, CHAINS_KEPT);
	assert_int_equal(l->more, 3);
	chain_list_free(l);
	fx_free(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
