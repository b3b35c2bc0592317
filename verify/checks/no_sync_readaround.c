// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>

#include "verify/model/judge.h"

enum { LIMIT_FIRST_PIECES };

struct no_sync_readaround_state {
	u64 windows; /* of the test file */
	u64 around;  /* read-arounds */
	u64 allowed; /* ... in a stream's first pieces */
	u64 stray;   /* ... of tasks without a stream or before its first piece */
	u64 jumped;  /* ... of streams whose pieces do not follow one another */
};

/*
 * A fault that leads straight to a window of order 0.  Where it begins is the
 * tested kernel's choice, and another thread may have changed the shared state.
 */
static bool is_readaround(const struct window *w)
{
	return w->cause == RA_READAROUND || (w->cause == RA_UNKNOWN && w->has_access && !w->order);
}

static const char *place(const struct judge *j, const struct window *w)
{
	u64 at = w->access << j->model->page_shift, page = 1ull << j->model->page_shift;
	const struct stream *s = w->stream;
	u64 end = s->piece_offset + s->piece_length;

	if (at + page <= s->piece_offset || at >= end)
		return "outside of";
	if (at <= s->piece_offset)
		return "at the start of";
	if (at + page >= end)
		return "at the end of";
	return "within";
}

static void no_sync_readaround_window(struct judge *j, const struct window *w)
{
	struct no_sync_readaround_state *st = j->state;
	struct finding f;

	st->windows++;
	if (!is_readaround(w))
		return;
	st->around++;
	if (!w->stream || !w->piece) {
		st->stray++;
		return;
	}
	if (w->stream->jumps) {
		st->jumped++;
		return;
	}
	if (w->piece <= j->limit[LIMIT_FIRST_PIECES]) {
		st->allowed++;
		return;
	}
	f = finding_at(j->model, w->ts, w->seq, w->cpu, w->pid, w->access);
	f.weight = (double)(w->size - MIN(w->cached, w->size));
	if (w->stream->inferred)
		snprintf(f.text, sizeof(f.text),
			 "fault after %llu contiguous pages of stream %u read around %llu pages of "
			 "order %u, %llu already cached",
			 (unsigned long long)(w->stream->length >> j->model->page_shift),
			 w->stream->number, (unsigned long long)w->size, w->order,
			 (unsigned long long)w->cached);
	else
		snprintf(f.text, sizeof(f.text),
			 "fault %s piece %u of stream %u read around %llu pages of order %u, "
			 "%llu already cached",
			 place(j, w), w->piece, w->stream->number, (unsigned long long)w->size,
			 w->order, (unsigned long long)w->cached);
	judge_violation(j, &f);
}

static void no_sync_readaround_finish(struct judge *j)
{
	const struct no_sync_readaround_state *st = j->state;
	u64 later = 0, sequential = 0;

	assert(st->windows == j->phase->shown_windows);
	if (judge_no_streams(j))
		return;
	for (u32 i = 0; i < j->phase->n_streams; i++) {
		const struct stream *s = &j->phase->streams[i];

		/* one that jumped after some sequential pieces counts for what it did before */
		sequential += !s->jumps;
		if (!s->jumps && s->pieces > j->limit[LIMIT_FIRST_PIECES])
			later += s->pieces - (u32)j->limit[LIMIT_FIRST_PIECES];
	}
	if (!sequential && !j->result.violations) {
		judge_undecided(j, WHY_NONE, "the pieces of no stream follow one another");
		return;
	}
	later = MAX(later, j->result.violations);
	/* a phase that read nothing ahead did not try the code */
	if (!st->windows) {
		judge_detail(j, "the phase has no readahead at all");
		return;
	}
	if (!j->phase->stats.faults) {
		judge_detail(j, "no fault on the test file");
		return;
	}
	/*
	 * A read-around that the trace does not show leaves its folios.  A few among
	 * 100000 are healthy: threads change the shared state while it is traced.
	 */
	if (j->phase->untraced_folios > j->phase->shown_folios / 100 && !j->result.violations) {
		judge_undecided(
			j, WHY_NOT_MEASURABLE,
			"not measurable: %llu of %llu folios were added by no readahead that "
			"the trace shows",
			(unsigned long long)j->phase->untraced_folios,
			(unsigned long long)j->phase->shown_folios);
		return;
	}
	/* what can't be given to a marked stream may be what is looked for */
	if (j->phase->stream_markers && st->stray + st->jumped && !j->result.violations) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: %llu read-arounds without markers of a stream and "
				"a piece, %llu in streams whose pieces do not follow one another",
				(unsigned long long)st->stray, (unsigned long long)st->jumped);
		return;
	}
	if (judge_unclear_streams(j, st->around, j->limit[LIMIT_FIRST_PIECES]))
		return;
	j->result.examined = later;
	judge_detail(
		j,
		"%llu read-around%s in %llu later piece%s of %u stream%s%s, %llu in the first %g",
		(unsigned long long)j->result.violations, PLURAL(j->result.violations),
		(unsigned long long)later, PLURAL(later), j->phase->n_streams,
		PLURAL(j->phase->n_streams),
		j->phase->stream_markers ? "" : " (by task and contiguity)",
		(unsigned long long)st->allowed, j->limit[LIMIT_FIRST_PIECES]);
}

static const struct check_ops no_sync_readaround_ops = {
	.state_size = sizeof(struct no_sync_readaround_state),
	.window = no_sync_readaround_window,
	.finish = no_sync_readaround_finish,
};

const struct check check_no_sync_readaround = {
	.name = "no-sync-readaround-per-piece",
	.summary = "sequential copies don't fall back to read-around",
	.explain =
		"A thread that copies its range of a file mapping piece by piece is a sequential\n"
		"reader, whatever the order in which one copy touches its piece.  Its first\n"
		"faults find nothing cached, so the kernel reads around them synchronously\n"
		"(do_sync_mmap_readahead()): a window of ra_pages pages of order 0 with the fault\n"
		"in its middle.  From then on the markers in those windows must keep readahead\n"
		"going ahead of the reader.  If later pieces still begin with a read-around, the\n"
		"reader waits for the disk once per piece and gets nothing but small folios.\n"
		"\n"
		"A finding is a page_cache_ra_order event that follows mm_filemap_fault in the\n"
		"same task, with no page_cache_sync_ra or page_cache_async_ra between them, in a\n"
		"stream that has begun more than first-pieces pieces (\"piece\" markers), each of\n"
		"which began where the one before ended.\n"
		"Where there are no markers, a stream is a task that touches nearly all pages of a\n"
		"stretch of two windows (ra_pages) or more, in any order but never going further\n"
		"than one window at a time; its pieces are stretches of ra_pages.  Other tasks are\n"
		"not looked at, and without a stream the check does not apply.\n"
		"\"Already cached\" counts the pages of that window that earlier events of the\n"
		"phase had added.  What is examined: the pieces after the first ones.\n"
		"\n"
		"A window smaller than the piece fails on every kernel: then the end of each piece\n"
		"is always beyond what was read ahead.  That is the truth, not noise.\n"
		"\n"
		"Look further: trace-cmd report trace.dat | grep -E 'ra_order|filemap_fault', and the\n"
		"finding's task (NAME-PID) around its time.\n",
	.needs = EV_BIT(EV_FAULT) | EV_BIT(EV_RA_ORDER) | EV_BIT(EV_RA_ASYNC) | EV_BIT(EV_RA_SYNC),
	.needs_cold = true,
	.limits = {[LIMIT_FIRST_PIECES] = {"first-pieces", 2,
					   "pieces of each stream that may read around"}},
	.ops = &no_sync_readaround_ops,
};
