// SPDX-License-Identifier: GPL-2.0-only
/* Phases and streams, from the markers that the guest wrote into its trace. */
#include <stdlib.h>
#include <string.h>

#include "verify/model/figures.h"
#include "verify/model/judge.h"

static void task_count_open(struct model *m, struct task *t)
{
	if (t->window_open)
		figures_window_end(m, &t->window);
}

static const struct phase *spec_of(const struct model *m, const char *name)
{
	const struct experiment *exp = m->capture->run ? m->capture->run->exp : NULL;

	for (unsigned int i = 0; exp && i < exp->n_phases; i++)
		if (!strcmp(exp->phases[i].name, name))
			return &exp->phases[i];
	return NULL;
}

static struct model_phase *new_phase(struct model *m, const char *name)
{
	struct model_phase *p;

	if (m->n_phases == MODEL_MAX_PHASES) {
		m->overflow = true;
		return NULL;
	}
	/* judges point at their phase, so it must not move */
	if (!m->phases)
		m->phases = xcalloc(MODEL_MAX_PHASES, sizeof(*m->phases));
	p = &m->phases[m->n_phases];
	*p = (struct model_phase){.index = m->n_phases++};
	snprintf(p->stats.name, sizeof(p->stats.name), "%s", name);
	p->spec = spec_of(m, name);
	return p;
}

void phases_init(struct model *m)
{
	const struct capture *c = m->capture;

	for (unsigned int i = 0; c->has_json && i < c->n_phases; i++) {
		struct model_phase *p = new_phase(m, c->phases[i].name);

		if (!p)
			break;
		p->info = &c->phases[i];
		judges_start(m, p);
	}
}

/* capture.json has the times just outside of the markers, in the trace's clock. */
static void place_marker(struct model_phase *p, u64 ts)
{
	if (p->info && (ts < p->info->begin_ns || ts > p->info->end_ns))
		p->misplaced = true;
}

/* @p NULL: the phase that a trace without markers is. */
void phase_start(struct model *m, struct model_phase *p, u64 ts)
{
	bool implicit = !p;

	if (implicit) {
		p = new_phase(m, "");
		if (!p)
			return;
		p->implicit = true;
	}
	if (!p->judges)
		judges_start(m, p);
	p->begun = true;
	p->stats.begin_ns = ts;
	p->stats.end_ns = ts;
	/* each phase begins from a cold cache, or its verdicts say that it did not */
	page_set_clear(m->cached);
	page_set_clear(m->touched);
	folios_clear(m);
	figures_phase_start(m, p);
	m->now = p;
}

void phase_stop(struct model *m, u64 ts)
{
	struct model_phase *p = m->now;

	/* windows that are open have what they have added so far */
	if (m->figures && (p->implicit || !p->ended))
		tasks_each(m, task_count_open);
	/* a trace may end between a marker hit and its window: nobody knows which */
	if (p->implicit || !p->ended)
		tasks_forget(m);
	else
		tasks_each(m, task_settle);
	tasks_forget(m);
	p->stats.end_ns = ts;
	figures_phase_stop(m, p);
	m->now = NULL;
}

static void begin_marker(struct model *m, const struct event *ev, const char *name)
{
	struct model_phase *p = NULL;

	if (!m->markers && m->n_phases && m->phases[0].implicit) {
		/* what stood before the first marker is no phase */
		judges_free(&m->phases[0]);
		free(m->phases[0].streams);
		phase_figures_free(m->phases[0].stats.figures);
		m->n_phases = 0;
		m->now = NULL;
		tasks_forget(m);
	}
	m->markers = true;
	if (m->now)
		phase_stop(m, ev->ts); /* a begin without an end: it stays unfinished */
	for (unsigned int i = 0; i < m->n_phases && m->capture->has_json; i++) {
		if (!m->phases[i].begun && !strcmp(m->phases[i].stats.name, name)) {
			p = &m->phases[i];
			break;
		}
	}
	if (!p && !m->capture->has_json)
		p = new_phase(m, name);
	if (p) {
		place_marker(p, ev->ts);
		phase_start(m, p, ev->ts);
	}
}

static void end_marker(struct model *m, const struct event *ev, const char *name)
{
	if (!m->now || m->now->implicit || strcmp(m->now->stats.name, name))
		return;
	m->now->ended = true;
	place_marker(m->now, ev->ts);
	phase_stop(m, ev->ts);
}

/* Reads up to three decimal numbers separated by blanks; returns how many there are. */
static int numbers(const char *text, u64 *v)
{
	int n;

	for (n = 0; n < 3; n++) {
		char *end;

		while (*text == ' ')
			text++;
		if (*text < '0' || *text > '9')
			break;
		v[n] = strtoull(text, &end, 10);
		text = end;
	}
	return n;
}

static struct stream *stream_of(struct model_phase *p, u64 number)
{
	/* numbers from 0 in order are the usual case */
	if (number < p->n_streams && p->streams[number].number == number &&
	    !p->streams[number].inferred)
		return &p->streams[number];
	for (u32 i = 0; i < p->n_streams; i++)
		if (p->streams[i].number == number && !p->streams[i].inferred)
			return &p->streams[i];
	return NULL;
}

static void task_no_stream(struct model *m, struct task *t)
{
	(void)m;
	t->stream = NULL;
}

static struct stream *new_stream(struct model *m, u64 number, s32 pid)
{
	struct model_phase *p = m->now;
	struct stream *s;

	if (p->n_streams == MODEL_MAX_STREAMS || m->n_streams == MODEL_ALL_STREAMS ||
	    number > UINT32_MAX) {
		m->overflow = true;
		return NULL;
	}
	/* tasks and windows point at streams, so they must not move: most phases need one page */
	if (!p->streams)
		p->streams = xcalloc(MODEL_MAX_STREAMS, sizeof(*s));
	if (!p->stream_markers) {
		/* streams.c's stay as they are */
		tasks_each(m, task_no_stream);
		p->stream_markers = true;
	}
	s = &p->streams[p->n_streams];
	*s = (struct stream){.index = p->n_streams++, .number = number, .pid = pid};
	p->stats.streams++;
	m->n_streams++;
	return s;
}

void phase_marker(struct model *m, const struct event *ev)
{
	const char *text = ev->marker.text, *rest;
	struct stream *s;
	u64 v[3] = {0};

	rest = str_after(text, MARKER_PHASE_BEGIN);
	if (rest) {
		begin_marker(m, ev, rest);
		return;
	}
	rest = str_after(text, MARKER_PHASE_END);
	if (rest) {
		end_marker(m, ev, rest);
		return;
	}
	if (!m->now)
		return;
	rest = str_after(text, MARKER_STREAM);
	if (rest && numbers(rest, v) == 3) {
		struct task *t = task_get(m, ev->pid, ev->cpu);

		task_settle(m, t);
		s = stream_of(m->now, v[0]);
		if (!s)
			s = new_stream(m, v[0], ev->pid);
		if (!s)
			return;
		s->offset = v[1];
		s->length = v[2];
		t->stream = s;
		return;
	}
	rest = str_after(text, MARKER_PIECE);
	if (rest && numbers(rest, v) == 3) {
		struct task *t = task_get(m, ev->pid, ev->cpu);

		/* what is open belongs to the piece before */
		task_settle(m, t);
		if (!t->stream || t->stream->number != v[0])
			return;
		if (t->stream->pieces++ &&
		    v[1] != t->stream->piece_offset + t->stream->piece_length)
			t->stream->jumps++;
		t->stream->piece_offset = v[1];
		t->stream->piece_length = v[2];
		m->now->stats.pieces++;
	}
}

/*
 * What a task was in the middle of may have gone on in the hole.  The phases
 * that the span touches will not be judged.
 */
void phase_lost(struct model *m, const struct event *ev)
{
	struct lost_span span = {ev->cpu, ev->lost.from, ev->ts, ev->lost.count};

	m->lost_total++;
	if (m->n_lost < MODEL_MAX_LOST) {
		if (!m->lost)
			m->lost = xcalloc(MODEL_MAX_LOST, sizeof(*m->lost));
		m->lost[m->n_lost++] = span;
	}
	for (unsigned int i = 0; i < m->n_phases; i++) {
		struct model_phase *p = &m->phases[i];

		if (!p->begun || span.to < p->stats.begin_ns ||
		    (p != m->now && span.from > p->stats.end_ns))
			continue;
		if (!p->stats.lost_spans++)
			p->first_lost = span;
	}
	m->holes++;
}
