// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>

#include "verify/model/judge.h"

struct past_eof_state {
	u64 folios;
	u64 ino, last_page; /* of the file; folios may not reach beyond it */
	bool known;
};

/*
 * With blocks larger than a page, the page cache has no folio smaller than a
 * block, so the last one may reach beyond the last page.
 */
static void past_eof_init(const struct judge *j, struct past_eof_state *st, u64 ino)
{
	const struct capture *c = j->model->capture;
	u64 unit = 1ull << j->model->page_shift;

	if (!c->has_json || !c->file_size)
		return;
	if (c->run && c->run->exp && c->run->exp->block_size > unit)
		unit = c->run->exp->block_size;
	st->ino = ino;
	st->last_page =
		(((capture_file_size(c, ino) - 1) / unit + 1) * unit - 1) >> j->model->page_shift;
	st->known = true;
}

static void past_eof_folio(struct judge *j, const struct event *ev)
{
	struct past_eof_state *st = j->state;
	u64 last = ev->folio.index + order_pages(ev->folio.order) - 1;
	struct finding f;

	if (!st->folios++ || st->ino != ev->ino)
		past_eof_init(j, st, ev->ino);
	if (!st->known || (last <= st->last_page && last >= ev->folio.index))
		return;
	f = finding_at(j->model, ev->ts, ev->seq, ev->cpu, ev->pid, ev->folio.index);
	f.weight = (double)(last - st->last_page);
	snprintf(f.text, sizeof(f.text),
		 "folio of pages %llu to %llu was added; the file's last page is %llu",
		 (unsigned long long)ev->folio.index, (unsigned long long)last,
		 (unsigned long long)st->last_page);
	judge_violation(j, &f);
}

static void past_eof_finish(struct judge *j)
{
	const struct past_eof_state *st = j->state;

	assert(st->folios == j->phase->shown_folios);
	if (st->folios && !st->known) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: capture.json does not say how large the file is");
		return;
	}
	/* where a folio ends is not known without its order */
	if (j->phase->stats.folios_unknown_order && !j->result.violations) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: mm_filemap_add_to_page_cache has no order field");
		return;
	}
	j->result.examined = st->folios;
	judge_detail(j, "%llu folio%s added, %llu beyond the last page of the file",
		     (unsigned long long)st->folios, PLURAL(st->folios),
		     (unsigned long long)j->result.violations);
}

static const struct check_ops no_readahead_past_eof_ops = {
	.state_size = sizeof(struct past_eof_state),
	.folio = past_eof_folio,
	.finish = past_eof_finish,
};

const struct check check_no_readahead_past_eof = {
	.name = "no-readahead-past-eof",
	.summary = "no folio is added beyond the end of the file",
	.explain =
		"Pages beyond the last byte of a file hold nothing that anyone may read.  A folio\n"
		"there wastes memory at best; at worst it shows stale data once the file grows,\n"
		"and a read of blocks that are not the file's.  Large folios make this easy to get\n"
		"wrong: the last one must be cut to what is left of the file.\n"
		"\n"
		"Each mm_filemap_add_to_page_cache event of the test file is compared with the\n"
		"file's last page (file_size in capture.json): its index, and the last page of\n"
		"the folio; where the event has no order, only a violation can be told.  On a file\n"
		"system with blocks larger than a page, folios may reach to the end of the last\n"
		"block.  The size of a page_cache_ra_order event is no evidence: a window may reach\n"
		"beyond the end, the kernel cuts it while it adds folios.\n"
		"\n"
		"Look further: ofs= and order= of the finding's event in trace-cmd report, and the\n"
		"page_cache_ra_order before it in the same task.\n"
		"There are no limits to set.\n",
	.needs = EV_BIT(EV_FOLIO_ADD),
	.needs_json = true,
	.ops = &no_readahead_past_eof_ops,
};
