// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses from the page cache's events.
 *
 * mm_filemap_get_pages comes once per batch of folios that a read(2) copies
 * from: the range that is left of the call.  mm_filemap_fault is a touch of a
 * page that was not mapped, and comes a second time when the fault had to wait
 * for I/O.  mm_filemap_map_pages is the range that fault-around mapped because
 * of a touch somewhere in it; if it did not map the touched page itself,
 * mm_filemap_fault follows.  A touch of a page that is mapped already is no
 * event.  (filemap_get_pages(), filemap_fault(), do_fault_around() in Linux.)
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "replay/access.h"
#include "replay/calls.h"
#include "verify/input/input.h"

struct reading {
	struct access_builder *b;
	const struct capture *capture;
	u32 shift;
	u64 page; /* bytes */
	bool markers;
	u64 ra_min, ra_max;  /* pages of a readahead window; 0: none was seen */
	bool sequential;     /* an open file was advised to be, which doubles its window */
	struct calls *calls; /* system calls, where the trace has them */
	u64 other_files, holes, outside;
	u64 touches, unknown_touches, reads;
};

static bool of_capture(const struct reading *r, u32 dev, u64 ino)
{
	const struct capture *c = r->capture;

	return !c->has_json || !c->file_ino ||
	       (ino == c->file_ino && (!c->file_dev || dev == c->file_dev));
}

static struct draft_file *file_of(struct reading *r, const struct event *ev)
{
	struct draft_file *f = access_file(r->b, ev->dev, ev->ino);

	if (f && r->capture->has_json && r->capture->file_size && !f->exact) {
		f->size = r->capture->file_size;
		f->exact = true;
	}
	return f;
}

static u64 bytes_of(const struct reading *r, u64 page)
{
	return page < ACCESS_FILE_MAX >> r->shift ? page << r->shift : ACCESS_FILE_MAX;
}

static void on_fault(struct reading *r, const struct event *ev, struct draft_task *t,
		     struct draft_file *f)
{
	u64 at = bytes_of(r, ev->access.index);
	struct draft *d = access_same(r->b, t, f, ACCESS_TOUCH);

	if (d && d->a.at == at)
		return; /* the retry after I/O */
	if (d && d->a.at == ACCESS_AT_UNKNOWN && at >= d->a.offset &&
	    at - d->a.offset < d->a.length) {
		/* fault-around came first and could not map this page */
		d->a.at = at;
		r->unknown_touches--;
		return;
	}
	d = access_add(r->b, t, f, ACCESS_TOUCH, ev->ts, at, r->page);
	if (!d)
		return;
	d->a.at = at;
	r->touches++;
}

static void on_map(struct reading *r, const struct event *ev, struct draft_task *t,
		   struct draft_file *f)
{
	u64 from = bytes_of(r, ev->access.index), to = bytes_of(r, ev->access.last + 1);
	struct draft *d = access_same(r->b, t, f, ACCESS_TOUCH);

	if (to <= from)
		return;
	if (d && !d->mapped && d->a.at >= from && d->a.at < to) {
		/* the retry after I/O found the page, and mapped those around it */
		d->a.offset = from;
		d->a.length = to - from;
		d->mapped = true;
		return;
	}
	d = access_add(r->b, t, f, ACCESS_TOUCH, ev->ts, from, to - from);
	if (!d)
		return;
	d->mapped = true;
	r->touches++;
	r->unknown_touches++;
}

static void on_read(struct reading *r, const struct event *ev, struct draft_task *t,
		    struct draft_file *f)
{
	u64 from = bytes_of(r, ev->access.index), length;
	struct draft *d = access_same(r->b, t, f, ACCESS_READ);
	int call;

	if (ev->access.last < ev->access.index)
		return;
	length = bytes_of(r, ev->access.last + 1) - from;
	call = calls_read(r->calls, ev, f, r->shift, &from, &length);
	if (call == 2)
		return;
	if (!call && d && d->last == ev->access.last && ev->access.index > d->page) {
		d->page = ev->access.index; /* the next batch of the same call */
		return;
	}
	d = access_add(r->b, t, f, ACCESS_READ, ev->ts, from, length);
	if (!d)
		return;
	d->page = ev->access.index;
	d->last = ev->access.last;
	r->reads++;
}

static void on_access(struct reading *r, const struct event *ev)
{
	struct draft_file *f;
	struct draft_task *t;

	if (!of_capture(r, ev->dev, ev->ino)) {
		r->other_files++;
		return;
	}
	if (!r->b->in_phase) {
		/* without markers the whole trace is one phase */
		if (r->markers || r->capture->has_json || !access_phase(r->b, "replay", ev->ts)) {
			r->outside++;
			return;
		}
	}
	t = access_task(r->b, (u32)ev->pid);
	f = t ? file_of(r, ev) : NULL;
	if (!f) {
		r->b->over_files += t != NULL;
		return;
	}
	/* an access beyond what a file of a plan can have is left out, and says nothing */
	if (ev->access.index < ACCESS_FILE_MAX >> r->shift)
		access_size(f, bytes_of(r, ev->access.index + 1));
	if (ev->type == EV_FAULT)
		on_fault(r, ev, t, f);
	else if (ev->type == EV_MAP_PAGES)
		on_map(r, ev, t, f);
	else
		on_read(r, ev, t, f);
}

/* What of a call is an access of its own stands at its end. */
static void on_call_exit(struct reading *r, const struct event *ev)
{
	struct draft_file *f;
	struct draft_task *t;
	enum access_op op;
	u64 offset, length;

	if (!calls_exit(r->calls, ev, r->shift, &f, &op, &offset, &length) || !r->b->in_phase)
		return;
	t = access_task(r->b, (u32)ev->pid);
	if (t && access_add(r->b, t, f, op, ev->ts, offset, length))
		r->sequential |= op == ACCESS_SEQUENTIAL;
}

/*
 * The device's readahead window: the largest that was seen, unless that is one which
 * the replay's own advice makes of it again.
 */
static u64 read_ahead_kb(const struct reading *r)
{
	u64 pages = r->sequential && r->ra_max == 2 * r->ra_min ? r->ra_min : r->ra_max;

	return MIN(pages << r->shift >> 10, 1u << 20);
}

static void on_readahead(struct reading *r, const struct event *ev)
{
	struct draft_file *f =
		of_capture(r, ev->dev, ev->ino) ? access_file(r->b, ev->dev, ev->ino) : NULL;

	if (f)
		calls_readahead(r->calls, ev, f);
}

static void on_folio(struct reading *r, const struct event *ev)
{
	struct draft_file *f;
	u64 pages = ev->folio.order < 32 ? 1ull << ev->folio.order : 1;

	/* what is in the page cache is in the file, as far as whole folios tell */
	if (!of_capture(r, ev->dev, ev->ino) || ev->folio.index >= ACCESS_FILE_MAX >> r->shift)
		return;
	f = file_of(r, ev);
	if (f)
		access_size(f, bytes_of(r, ev->folio.index + pages));
}

/* "N OFFSET LENGTH": of a thread of our own agent, about the test file. */
static void on_stream(struct reading *r, const struct event *ev, const char *numbers,
		      enum access_op op)
{
	u64 number, offset, length;
	struct draft_task *t;

	if (!r->b->in_phase || !r->capture->has_json ||
	    sscanf(numbers, "%" SCNu64 " %" SCNu64 " %" SCNu64, &number, &offset, &length) != 3)
		return;
	t = access_task(r->b, (u32)ev->pid);
	if (t)
		access_add(r->b, t, access_file(r->b, r->capture->file_dev, r->capture->file_ino),
			   op, ev->ts, offset, length);
}

static void on_marker(struct reading *r, const struct event *ev)
{
	const char *name = str_after(ev->marker.text, MARKER_PHASE_BEGIN);
	const char *stream = str_after(ev->marker.text, MARKER_STREAM);
	const char *piece = str_after(ev->marker.text, MARKER_PIECE);

	if (stream || piece)
		on_stream(r, ev, stream ? stream : piece, stream ? ACCESS_STREAM : ACCESS_PIECE);

	if (name) {
		r->markers = true;
		access_phase(r->b, name, ev->ts);
	} else if (str_after(ev->marker.text, MARKER_PHASE_END)) {
		access_phase_end(r->b);
	}
}

static void on_event(struct reading *r, const struct event *ev)
{
	switch (ev->type) {
	case EV_FAULT:
	case EV_MAP_PAGES:
	case EV_GET_PAGES:
		on_access(r, ev);
		break;
	case EV_FOLIO_ADD:
		on_folio(r, ev);
		break;
	case EV_RA_SYNC:
	case EV_RA_ASYNC:
	case EV_RA_ORDER:
		if (ev->ra.ra_pages && (!r->ra_min || ev->ra.ra_pages < r->ra_min))
			r->ra_min = ev->ra.ra_pages;
		r->ra_max = MAX(r->ra_max, (u64)ev->ra.ra_pages);
		break;
	case EV_RA_UNBOUNDED:
		on_readahead(r, ev);
		break;
	case EV_CALL:
		calls_enter(r->calls, ev);
		break;
	case EV_CALL_EXIT:
		on_call_exit(r, ev);
		break;
	case EV_MARKER:
		on_marker(r, ev);
		break;
	case EV_LOST:
		r->holes++;
		break;
	default:
		break;
	}
}

/* What the events can't tell stands in the plan, in words. */
static void add_notes(struct reading *r, const struct trace_info *info)
{
	struct access_builder *b = r->b;

	if (r->touches) {
		access_note(b, "touches: a touch of a page that is mapped already is no event; "
			       "how many bytes of a mapping were used is not known");
		access_note(b,
			    "touches: %" PRIu64 " of %" PRIu64 " have only the range that "
			    "fault-around mapped; which page of it was touched is not known",
			    r->unknown_touches, r->touches);
	}
	if (r->reads > calls_count(r->calls)->exact)
		access_note(b,
			    "reads: whole pages; where in them %" PRIu64 " reads began and ended "
			    "is not known",
			    r->reads - calls_count(r->calls)->exact);
	if (calls_count(r->calls)->exact)
		access_note(b,
			    "reads: %" PRIu64 " as their system calls say; where in its page a "
			    "read(2) began that followed no other is not known",
			    calls_count(r->calls)->exact);
	if (calls_count(r->calls)->mappings)
		access_note(b,
			    "touches: %" PRIu64
			    " calls of mmap(2) are no access; what was touched of "
			    "their mappings is there as far as faults tell",
			    calls_count(r->calls)->mappings);
	if (calls_count(r->calls)->nowhere)
		access_note(b, "left out: %" PRIu64 " calls of advice on a file that is not known",
			    calls_count(r->calls)->nowhere);
	if (r->holes)
		access_note(b,
			    "lost events: %" PRIu64 " holes in the trace; what was accessed "
			    "there is missing",
			    r->holes);
	if (r->other_files)
		access_note(b, "left out: %" PRIu64 " accesses of files other than the test file",
			    r->other_files);
	if (r->outside)
		access_note(b, "left out: %" PRIu64 " accesses outside of the phases", r->outside);
	if (info->damage)
		access_note(b, "damaged: the trace was read up to its damage");
	if (!(info->event_types & 1ull << EV_GET_PAGES))
		access_note(b, "reads: the trace has no mm_filemap_get_pages; read(2) is missing");
	if (!(info->event_types & 1ull << EV_FAULT))
		access_note(b, "touches: the trace has no mm_filemap_fault; faults are missing");
	if (!(info->event_types & 1ull << EV_MAP_PAGES))
		access_note(b, "touches: the trace has no mm_filemap_map_pages; touches of pages "
			       "that were cached are missing");
}

static int finish(struct reading *r, const struct trace_info *info, struct err *e)
{
	const u64 accesses = 1ull << EV_GET_PAGES | 1ull << EV_FAULT | 1ull << EV_MAP_PAGES;
	char source[160];

	if (!(info->event_types & accesses))
		return err_set(e, -ENODATA,
			       "%s: the trace has no events mm_filemap_fault, "
			       "mm_filemap_map_pages or mm_filemap_get_pages (record "
			       "with trace-cmd record -e filemap)",
			       info->path);
	if (!r->b->records)
		return err_set(e, -ENODATA, "%s: none of its events is an access of a file",
			       info->path);
	r->b->plan.page_size = r->page;
	if (r->capture->has_json)
		r->b->plan.read_ahead_kb = r->capture->read_ahead_kb;
	else
		r->b->plan.read_ahead_kb = read_ahead_kb(r);
	add_notes(r, info);
	snprintf(source, sizeof(source), "%s, %u CPUs", info->format, info->cpus);
	return access_finish(r->b, source, e);
}

int access_from_trace(const struct source *s, const struct replay_options *o,
		      struct access_builder *b, struct err *e)
{
	struct reading r = {.b = b, .capture = s->capture};
	struct trace *t;
	struct event ev;
	u32 page;
	int ret = trace_open(&t, s->capture->trace, o->partial ? INPUT_PARTIAL : 0, e);

	if (ret)
		return ret;
	page = s->capture->has_json ? s->capture->page_size : trace_info(t)->page_size;
	/* a power of two; without a word about it, what most machines have */
	r.page = page >= 4096 && page <= 65536 ? page : 4096;
	r.shift = (u32)__builtin_ctzll(r.page);
	r.calls = calls_new();
	while ((ret = trace_next(t, &ev, e)) > 0)
		on_event(&r, &ev);
	if (!ret)
		ret = finish(&r, trace_info(t), e);
	calls_free(r.calls);
	trace_close(t);
	return ret;
}
