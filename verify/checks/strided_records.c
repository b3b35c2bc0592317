// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

enum { LIMIT_LEARN_RECORDS, LIMIT_MAX_SYNC };

struct strided_state {
	u64 records;	      /* read after those that are left for detection */
	u64 sync;	      /* of them, those that waited for a read of their own */
	struct finding worst; /* the first of those */
};

struct strided_stream {
	u32 seen;   /* the last record whose read is in the trace */
	u32 synced; /* the last record that was not cached */
};

/* page_cache_sync_ra() and what it led to: a page was neither cached nor in flight. */
static void strided_records_window(struct judge *j, const struct window *w)
{
	struct strided_state *st = j->state;
	struct strided_stream *s;

	if (w->cause != RA_SYNC_READ || !w->stream || w->piece <= j->limit[LIMIT_LEARN_RECORDS])
		return;
	s = judge_stream(j, w->stream);
	if (s->synced == w->piece)
		return;
	s->synced = w->piece;
	if (!st->sync++) {
		st->worst = finding_at(j->model, w->ts, w->seq, w->cpu, w->pid, w->start);
		snprintf(st->worst.text, sizeof(st->worst.text),
			 "record %u of stream %u was not cached: its reader waits for %llu pages",
			 w->piece, w->stream->number, (unsigned long long)w->size);
	}
}

static void strided_records_read(struct judge *j, const struct stream *stream,
				 const struct event *ev __unused_arg)
{
	struct strided_state *st = j->state;
	struct strided_stream *s = judge_stream(j, stream);

	if (stream->pieces <= j->limit[LIMIT_LEARN_RECORDS] || s->seen == stream->pieces)
		return;
	s->seen = stream->pieces;
	st->records++;
}

static void strided_records_finish(struct judge *j)
{
	const struct phase_stats *st = &j->phase->stats;
	const struct strided_state *s = j->state;
	char strided[64] = "the kernel has no event for strided reads";
	u64 later = 0;
	double percent;

	if (!st->pieces && j->phase->n_streams) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: no markers say where a record begins");
		return;
	}
	for (u32 i = 0; i < j->phase->n_streams; i++)
		if (j->phase->streams[i].pieces > j->limit[LIMIT_LEARN_RECORDS])
			later += (u64)(j->phase->streams[i].pieces - j->limit[LIMIT_LEARN_RECORDS]);
	/* a client that may not cache reads each record from the OSDs, without an event here */
	if (s->records < later) {
		judge_undecided(j, WHY_NOT_MEASURABLE,
				"not measurable: %llu of %llu records were not read from the page "
				"cache",
				(unsigned long long)(later - s->records),
				(unsigned long long)later);
		return;
	}
	j->result.examined = s->records;
	if (!s->records)
		return;
	if (st->strided_known)
		snprintf(strided, sizeof(strided), "%llu reads taken as strided",
			 (unsigned long long)st->strided_reads);
	percent = 100 * (double)s->sync / (double)s->records;
	judge_detail(j,
		     "%llu of %llu records after the first %g of a stream waited for a read of "
		     "their own (%.2f %%); %llu netfs requests, %llu expanded; %s",
		     (unsigned long long)s->sync, (unsigned long long)s->records,
		     j->limit[LIMIT_LEARN_RECORDS], percent, (unsigned long long)st->netfs_requests,
		     (unsigned long long)st->netfs_expanded, strided);
	if (percent <= j->limit[LIMIT_MAX_SYNC])
		return;
	for (u64 i = 0; i < s->sync; i++)
		judge_violation(j, &s->worst);
}

static const struct check_ops strided_records_ops = {
	.state_size = sizeof(struct strided_state),
	.stream_size = sizeof(struct strided_stream),
	.window = strided_records_window,
	.read = strided_records_read,
	.finish = strided_records_finish,
};

const struct check check_strided_records = {
	.name = "strided-records-read-ahead",
	.summary = "records of a stride are cached or in flight when read",
	.explain =
		"Reading too much is easy to stop: read each record by itself.  Then each of them\n"
		"is a round trip to a server with the reader waiting, and with one reader per\n"
		"client that is slower than what it replaces.  A file system that knows a stride\n"
		"must have the next records under way before they are asked for.\n"
		"\n"
		"Records are what the markers of the pattern say (\"piece\").  The first\n"
		"learn-records of each stream are left for detection.  A later one must find its\n"
		"pages cached or in flight: between its marker and its mm_filemap_get_pages there\n"
		"is no page_cache_sync_ra of its task, the only way to a read that the task itself\n"
		"starts and waits for.  At most max-sync per cent of them may have one.\n"
		"\n"
		"If reads of any of them went past the page cache, as those of a client do that may\n"
		"not cache the file, nobody saw what they waited for: INCONCLUSIVE.\n"
		"\n"
		"Readahead of whole objects has one for each object, and more where readers come to\n"
		"it at the same time.  The detail counts the requests of the\n"
		"netfs library, those that the file system expanded, and the reads that the kernel\n"
		"took for strided (ceph_strided_read of our patch), where there are such events.\n"
		"\n"
		"Look further: page_cache_sync_ra, netfs_read and ceph_strided_read in trace-cmd\n"
		"report, after the finding's \"piece\" marker in the same task.\n",
	.needs = EV_BIT(EV_GET_PAGES) | EV_BIT(EV_RA_SYNC) | EV_BIT(EV_MARKER),
	.needs_netfs = true,
	.needs_cold = true,
	.limits = {[LIMIT_LEARN_RECORDS] = {"learn-records", 4,
					    "records of each stream that are left for detection"},
		   [LIMIT_MAX_SYNC] = {"max-sync", 1, "of the others may not be cached, per cent"}},
	.ops = &strided_records_ops,
};
