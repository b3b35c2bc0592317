// SPDX-License-Identifier: GPL-2.0-only
#include "lib/access_plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

const char *const access_op_names[] = {"read",	   "touch",  "readahead",  "willneed",
				       "dontneed", "normal", "sequential", "random",
				       "stream",   "piece",  NULL};

static int word_index(const char *word, const char *const *words)
{
	for (int i = 0; word && words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	return -1;
}

/* ---- header ---- */

/* file INDEX SIZE exact|least MAJOR:MINOR INODE */
static int take_file(const struct plan_reader *r, char *at, struct access_plan *p, struct err *e)
{
	static const char *const sizes[] = {"exact", "least", NULL};
	struct access_file f = {0};
	unsigned int major, minor;
	const char *word;
	int ret, how, end = -1;
	u64 index = 0;

	ret = plan_number(r, &at, "a file's number", ACCESS_FILES_MAX - 1, &index, e);
	if (!ret && index != p->n_files)
		ret = plan_bad(r, e, "expected file %u, found %" PRIu64, p->n_files, index);
	if (!ret)
		ret = plan_number(r, &at, "the file's size", ACCESS_FILE_MAX, &f.size, e);
	if (ret)
		return ret;
	if (!f.size)
		return plan_bad(r, e, "file %u is empty: nothing of it can be accessed",
				p->n_files);
	word = plan_word(&at);
	how = word_index(word, sizes);
	if (how < 0)
		return plan_bad(r, e, "expected exact or least, found '%.20s'", word ? word : "");
	word = plan_word(&at);
	if (!word || sscanf(word, "%4u:%7u%n", &major, &minor, &end) != 2 || word[end] ||
	    major > 0xfff || minor > 0xfffff)
		return plan_bad(r, e, "expected the file's device as MAJOR:MINOR, found '%.20s'",
				word ? word : "");
	f.least = how;
	f.dev = major << 20 | minor;
	ret = plan_number(r, &at, "the file's inode", UINT64_MAX, &f.ino, e);
	if (ret)
		return ret;
	if (!(p->n_files & (p->n_files - 1)))
		p->files = xrealloc(p->files, p->n_files ? 2 * p->n_files : 1, sizeof(f));
	p->files[p->n_files++] = f;
	return plan_word(&at) ? plan_bad(r, e, "expected no more than five words of a file") : 0;
}

static bool name_ok(const char *s)
{
	size_t n = strlen(s);

	for (; isalnum((unsigned char)*s) || (*s && strchr("-_.", *s)); s++)
		;
	return !*s && n && n < NAME_LEN;
}

/* phase NAME RECORDS TASKS NS LONGEST */
static int take_phase(const struct plan_reader *r, char *at, struct access_plan *p, struct err *e)
{
	struct access_phase ph = {.name = ""};
	const char *name = plan_word(&at);
	u64 tasks = 0;
	int ret;

	if (!name || !name_ok(name) || *name == '-' || *name == '.')
		return plan_bad(r, e, "expected a phase's name, found '%.60s'", name ? name : "");
	snprintf(ph.name, sizeof(ph.name), "%s", name);
	ret = plan_number(r, &at, "the phase's accesses", UINT64_MAX, &ph.records, e);
	if (!ret)
		ret = plan_number(r, &at, "the phase's tasks", ACCESS_TASKS_MAX, &tasks, e);
	if (!ret)
		ret = plan_number(r, &at, "the phase's length in ns", ACCESS_NS_MAX, &ph.ns, e);
	if (!ret)
		ret = plan_number(r, &at, "its longest read", ACCESS_FILE_MAX, &ph.longest, e);
	if (ret)
		return ret;
	ph.tasks = (u32)tasks;
	for (u32 i = 0; i < p->n_phases; i++)
		if (!strcmp(p->phases[i].name, ph.name))
			return plan_bad(r, e, "phase %s is there twice", ph.name);
	if (p->n_phases == ACCESS_PHASES_MAX || plan_word(&at))
		return plan_bad(r, e, "expected at most %u phases of five words",
				ACCESS_PHASES_MAX);
	p->phases = xrealloc(p->phases, p->n_phases + 1, sizeof(ph));
	p->phases[p->n_phases++] = ph;
	return 0;
}

static int take_note(const struct plan_reader *r, char *at, struct access_plan *p, struct err *e)
{
	if (p->n_notes == ACCESS_NOTES_MAX)
		return plan_bad(r, e, "more than %u notes", ACCESS_NOTES_MAX);
	p->notes[p->n_notes++] = xstrdup(at);
	return 0;
}

/* A key that stands there once, and has one number. */
static int take_once(const struct plan_reader *r, char *at, const char *key, u64 *value,
		     struct err *e)
{
	int ret = plan_number(r, &at, key, 1u << 20, value, e);

	if (!ret && (!*value || plan_word(&at)))
		ret = plan_bad(r, e, "expected one number from 1 on after '%s'", key);
	return ret;
}

static int take_line(const struct plan_reader *r, char *line, struct access_plan *p, struct err *e)
{
	const char *key = plan_word(&line);

	if (!key)
		return plan_bad(r, e, "expected a key and its value, found an empty line");
	if (!strcmp(key, "file"))
		return take_file(r, line, p, e);
	if (!strcmp(key, "phase"))
		return take_phase(r, line, p, e);
	if (!strcmp(key, "note"))
		return take_note(r, line, p, e);
	if (!strcmp(key, "source")) {
		if (p->source)
			return plan_bad(r, e, "expected '%s' once", key);
		p->source = xstrdup(line);
		return 0;
	}
	if (!strcmp(key, "page_size"))
		return p->page_size ? plan_bad(r, e, "expected '%s' once", key)
				    : take_once(r, line, key, &p->page_size, e);
	if (!strcmp(key, "read_ahead_kb"))
		return p->read_ahead_kb ? plan_bad(r, e, "expected '%s' once", key)
					: take_once(r, line, key, &p->read_ahead_kb, e);
	return plan_bad(r, e, "unknown key '%.40s' of an access plan", key);
}

int access_plan_header(struct plan_reader *r, struct access_plan *p, struct err *e)
{
	char *line;
	int ret;

	*p = (struct access_plan){.n_files = 0};
	if (r->kind != PLAN_ACCESS)
		return plan_bad(r, e, "expected a plan of kind access, this one is of kind %s",
				plan_kind_names[r->kind]);
	while ((ret = plan_next(r, &line, e)) > 0) {
		ret = take_line(r, line, p, e);
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	if (!p->n_files || !p->n_phases)
		return plan_bad(r, e, "the header names no %s", p->n_files ? "phase" : "file");
	if (!p->page_size)
		p->page_size = 4096;
	if (p->page_size < 512 || p->page_size & (p->page_size - 1))
		return plan_bad(r, e, "page_size %" PRIu64 " is no power of two from 512 on",
				p->page_size);
	return 0;
}

void access_plan_free(struct access_plan *p)
{
	for (u32 i = 0; i < p->n_notes; i++)
		free(p->notes[i]);
	free(p->source);
	free(p->files);
	free(p->phases);
	*p = (struct access_plan){0};
}

int access_plan_load(const char *path, struct access_plan *p, struct err *e)
{
	struct plan_reader r;
	int ret = plan_open(&r, path, false, e);

	*p = (struct access_plan){0};
	if (!ret)
		ret = access_plan_header(&r, p, e);
	plan_close(&r);
	return ret;
}

/* ---- body ---- */

static int begin_phase(const struct plan_reader *r, const struct access_plan *p, const char *name,
		       u32 *phase, struct err *e)
{
	for (u32 i = 0; i < p->n_phases; i++)
		if (name && !strcmp(p->phases[i].name, name)) {
			*phase = i;
			return 2;
		}
	return plan_bad(r, e, "phase '%.60s' is not in the header", name ? name : "");
}

/* NS TASK OP FILE OFFSET LENGTH [AT] */
int access_plan_next(struct plan_reader *r, const struct access_plan *p, u32 *phase,
		     struct access *a, struct err *e)
{
	u64 task = 0, file = 0;
	char *line, *word;
	int ret = plan_next(r, &line, e), op;

	if (ret <= 0)
		return ret;
	if (!strncmp(line, "phase ", 6)) {
		line += 6;
		return begin_phase(r, p, plan_word(&line), phase, e);
	}
	ret = plan_number(r, &line, "a time in ns", ACCESS_NS_MAX, &a->ns, e);
	if (!ret)
		ret = plan_number(r, &line, "a task", ACCESS_TASKS_MAX - 1, &task, e);
	if (ret)
		return ret;
	word = plan_word(&line);
	op = word_index(word, access_op_names);
	if (op < 0)
		return plan_bad(r, e, "expected an access such as read or touch, found '%.20s'",
				word ? word : "");
	ret = plan_number(r, &line, "a file", p->n_files - 1, &file, e);
	if (!ret)
		ret = plan_number(r, &line, "an offset", ACCESS_FILE_MAX, &a->offset, e);
	if (!ret)
		ret = plan_number(r, &line, "a length", ACCESS_FILE_MAX, &a->length, e);
	a->at = ACCESS_AT_UNKNOWN;
	if (!ret && op == ACCESS_TOUCH && line[strspn(line, " ")]) {
		ret = plan_number(r, &line, "the touched byte", ACCESS_FILE_MAX, &a->at, e);
		if (!ret && !(a->at >= a->offset && a->at - a->offset < a->length))
			ret = plan_bad(r, e, "the touched byte is not in the range before it");
	}
	if (ret)
		return ret;
	if (plan_word(&line))
		return plan_bad(r, e, "expected no more words");
	a->task = (u32)task;
	a->file = (u32)file;
	a->op = (enum access_op)op;
	return 1;
}

/* What a phase's header says of its accesses, and what they are. */
static int check_access(const struct plan_reader *r, const struct access_phase *ph,
			const struct access *a, u64 records, u64 ns, struct err *e)
{
	if (records == ph->records)
		return plan_bad(r, e,
				"phase %s has more than the %" PRIu64 " accesses of the header",
				ph->name, ph->records);
	if (a->task >= ph->tasks)
		return plan_bad(r, e, "task %u, and phase %s has %u", a->task, ph->name, ph->tasks);
	if (a->ns < ns || a->ns > ph->ns)
		return plan_bad(r, e, "%" PRIu64 " ns is %s", a->ns,
				a->ns < ns ? "before the line above" : "after the phase's length");
	if (a->op == ACCESS_READ && a->length > ph->longest)
		return plan_bad(r, e, "a read of more than the header's longest, %" PRIu64 " bytes",
				ph->longest);
	return 0;
}

static int check_phase_whole(const struct plan_reader *r, const struct access_phase *ph,
			     u64 records, struct err *e)
{
	return records == ph->records
		       ? 0
		       : plan_bad(r, e,
				  "phase %s has %" PRIu64 " accesses, the header says %" PRIu64,
				  ph->name, records, ph->records);
}

int access_plan_check(struct plan_reader *r, const struct access_plan *p, struct err *e)
{
	const struct access_phase *ph = NULL;
	u32 phase = 0, begun = 0;
	u64 records = 0, ns = 0;
	struct access a;
	int ret;

	while ((ret = access_plan_next(r, p, &phase, &a, e)) > 0) {
		if (ret == 2) {
			ret = ph ? check_phase_whole(r, ph, records, e) : 0;
			if (!ret && phase != begun++)
				ret = plan_bad(r, e, "phase %s is not next in the header",
					       p->phases[phase].name);
			ph = &p->phases[phase];
			records = ns = 0;
		} else if (!ph) {
			ret = plan_bad(r, e, "expected \"phase NAME\" before the first access");
		} else {
			ret = check_access(r, ph, &a, records++, ns, e);
			ns = a.ns;
		}
		if (ret)
			return ret;
	}
	if (!ret && ph)
		ret = check_phase_whole(r, ph, records, e);
	if (!ret && begun != p->n_phases)
		ret = plan_bad(r, e, "phase %s of the header does not begin",
			       p->phases[begun].name);
	return ret ? ret : plan_no_more(r, e);
}

/* ---- writing ---- */

void access_plan_put_header(struct plan_writer *w, const struct access_plan *p)
{
	FILE *f = w->header;

	fprintf(f, "source %s\n", p->source);
	fprintf(f, "page_size %" PRIu64 "\n", p->page_size);
	if (p->read_ahead_kb)
		fprintf(f, "read_ahead_kb %" PRIu64 "\n", p->read_ahead_kb);
	for (u32 i = 0; i < p->n_notes; i++)
		fprintf(f, "note %s\n", p->notes[i]);
	for (u32 i = 0; i < p->n_files; i++)
		fprintf(f, "file %u %" PRIu64 " %s %u:%u %" PRIu64 "\n", i, p->files[i].size,
			p->files[i].least ? "least" : "exact", p->files[i].dev >> 20,
			p->files[i].dev & 0xfffff, p->files[i].ino);
	for (u32 i = 0; i < p->n_phases; i++)
		fprintf(f, "phase %s %" PRIu64 " %u %" PRIu64 " %" PRIu64 "\n", p->phases[i].name,
			p->phases[i].records, p->phases[i].tasks, p->phases[i].ns,
			p->phases[i].longest);
}

void access_plan_put_phase(struct plan_writer *w, const char *name)
{
	plan_put(w, (size_t)snprintf(plan_room(w), PLAN_LINE_MAX, "phase %s\n", name));
}

void access_plan_put(struct plan_writer *w, const struct access *a)
{
	char *start = plan_room(w), *to = plan_digits(start, a->ns);

	*to++ = ' ';
	to = plan_digits(to, a->task);
	*to++ = ' ';
	to = stpcpy(to, access_op_names[a->op]);
	*to++ = ' ';
	to = plan_digits(to, a->file);
	*to++ = ' ';
	to = plan_digits(to, a->offset);
	*to++ = ' ';
	to = plan_digits(to, a->length);
	if (a->at != ACCESS_AT_UNKNOWN) {
		*to++ = ' ';
		to = plan_digits(to, a->at);
	}
	*to++ = '\n';
	plan_put(w, (size_t)(to - start));
}
