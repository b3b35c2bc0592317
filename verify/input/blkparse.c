// SPDX-License-Identifier: GPL-2.0-only
/*
 * The default text of blkparse(1):
 *
 *	  8,52   3        1     0.000843237   276  D  RA 983947432 + 64 [cat]
 *	  dev   cpu sequence seconds.ns        pid act rwbs  rest
 *
 *	rest	SECTOR + SECTORS [NAME]		Q G I D M F R S ...
 *		SECTOR + SECTORS [ERROR]	C
 *		SECTOR + SECTORS <- (DEV) SECTOR	A
 *		SECTOR / SECTOR [NAME]		X
 *		BYTES (HEX ...) [NAME]		requests that come from no file system
 *		[NAME] or [NAME] NUMBER		P, U; requests without a sector
 *		text				m: a message, numbered 0
 *
 * A summary may follow ("CPU0 (name):"), whose "Skips:" counts what blkparse
 * missed.  Lines become records as in blktrace's files, so that numbers that
 * are missing and lines that are out of order are treated the same way.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "verify/input/blktrace.h"
#include "verify/input/rwbs.h"

#define LINE_MAX_LEN 4096
#define WINDOW (64u << 10)
#define READ_AHEAD (16u << 10) /* lines */

struct blkparse {
	struct infile f;
	char *win; /* with room for a NUL */
	u64 win_off, pos;
	size_t win_len;
	u64 end; /* of the last good line, once all were looked at */
	bool summary;
	u64 skipped; /* as the summary says */
	struct blk_queue queue;
	struct blk_counters counters;
	bool consume, told;
	u64 last_time;
};

/* Actions by the letters that blkparse prints; enum blktrace_act. */
static const struct {
	char letters[3];
	u8 act;
} actions[] = {{"Q", 1},  {"M", 2},  {"F", 3},	{"G", 4},  {"S", 5},   {"R", 6},
	       {"D", 7},  {"C", 8},  {"P", 9},	{"U", 10}, {"UT", 11}, {"I", 12},
	       {"X", 13}, {"B", 14}, {"A", 15}, {"a", 16}};

/* Categories that give the flags back through blk_flags(); blkparse's rwbs to bits. */
static u64 categories(const char *rwbs, size_t len)
{
	static const struct {
		u32 flag;
		u32 category;
	} map[] = {{RQ_READ, 1 << 0},	       {RQ_WRITE, 1 << 1},	 {RQ_FLUSH, 1 << 2},
		   {RQ_SYNC, 1 << 3},	       {RQ_PASSTHROUGH, 1 << 9}, {RQ_AHEAD, 1 << 11},
		   {RQ_META, 1 << 12},	       {RQ_DISCARD, 1 << 13},	 {RQ_FUA, 1 << 15},
		   {RQ_WRITE_ZEROES, 1 << 22}, {RQ_ZONE, 31 << 17}};
	u32 flags = rwbs_flags(rwbs, len);
	u64 category = 0;

	if (len && rwbs[0] == 'F' && len > 1 && rwbs[1] == 'N') /* an empty flush */
		flags &= ~(u32)RQ_PASSTHROUGH;
	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		category |= flags & map[i].flag ? map[i].category : 0;
	return category;
}

/* ---- one line ---- */

struct scan {
	const char *p, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && *s->p == ' ')
		s->p++;
}

static bool number(struct scan *s, u64 max, u64 *v)
{
	const char *from = s->p;

	for (*v = 0; s->p < s->end && isdigit((unsigned char)*s->p); s->p++) {
		u64 digit = (u64)(*s->p - '0');

		if (*v > (max - digit) / 10)
			return false;
		*v = *v * 10 + digit;
	}
	return s->p > from;
}

static bool literal(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static size_t word(struct scan *s, const char **from)
{
	skip_blanks(s);
	*from = s->p;
	while (s->p < s->end && *s->p != ' ')
		s->p++;
	return (size_t)(s->p - *from);
}

/* What stands in the last pair of brackets; false if there is none. */
static bool brackets(const struct scan *s, const char **from, size_t *len)
{
	const char *open = memchr(s->p, '[', (size_t)(s->end - s->p));
	const char *close = open ? memrchr(open, ']', (size_t)(s->end - open)) : NULL;

	if (!close)
		return false;
	*from = open + 1;
	*len = (size_t)(close - open - 1);
	return true;
}

/* Everything up to rwbs; *@act is 0 for a message. */
static bool parse_head(struct scan *s, struct blk_record *r, unsigned int *act)
{
	const char *from, *rwbs;
	u64 major, minor, cpu, sequence, sec, ns, pid;
	size_t n, n_rwbs;

	skip_blanks(s);
	if (!number(s, 0xfff, &major) || !literal(s, ',') || !number(s, 0xfffff, &minor))
		return false;
	skip_blanks(s);
	if (!number(s, BLK_CPUS_MAX - 1, &cpu))
		return false;
	skip_blanks(s);
	if (!number(s, UINT32_MAX, &sequence))
		return false;
	skip_blanks(s);
	if (!number(s, UINT64_MAX / NSEC_PER_SEC - 1, &sec) || !literal(s, '.'))
		return false;
	from = s->p;
	if (!number(s, NSEC_PER_SEC - 1, &ns) || s->p - from != 9)
		return false;
	skip_blanks(s);
	if (!number(s, UINT32_MAX, &pid))
		return false;
	n = word(s, &from);
	n_rwbs = word(s, &rwbs);
	if (!n || !n_rwbs)
		return false;
	*r = (struct blk_record){.time = sec * NSEC_PER_SEC + ns,
				 .sequence = (u32)sequence,
				 .pid = (u32)pid,
				 .device = DEV(major, minor),
				 .cpu = (u32)cpu};
	*act = 0;
	if (n == 1 && *from == 'm') {
		r->action = (u64)BLK_TC_NOTIFY << 16 | BLK_NOTE_MESSAGE;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (strlen(actions[i].letters) == n && !memcmp(actions[i].letters, from, n))
			*act = actions[i].act;
	}
	r->action = categories(rwbs, n_rwbs) << 16 | *act;
	return *act;
}

static bool parse_rest(struct scan *s, unsigned int act, struct blk_record *r, struct comms *comms)
{
	struct scan t = *s;
	const char *text;
	u64 a, b;
	size_t n;

	skip_blanks(&t);
	if (number(&t, UINT64_MAX, &a)) {
		skip_blanks(&t);
		if (literal(&t, '+')) {
			skip_blanks(&t);
			if (!number(&t, UINT32_MAX / SECTOR_SIZE, &b))
				return false;
			r->sector = a;
			r->bytes = (u32)b * SECTOR_SIZE;
		} else if (t.p < t.end && *t.p == '(') {
			if (a > UINT32_MAX)
				return false;
			r->bytes = (u32)a;
		} else {
			r->sector = a; /* "SECTOR / SECTOR", "SECTOR [ERROR]" */
		}
	}
	if (!brackets(&t, &text, &n))
		return act == 15; /* a remap has no name */
	if (act != 8) {
		if (comms)
			comms_set(comms, (s32)r->pid, text, n);
		return true;
	}
	t = (struct scan){text, text + n};
	literal(&t, '-');
	if (!number(&t, UINT16_MAX, &a) || t.p != t.end)
		return false;
	r->error = (u16)(*text == '-' ? -a : a);
	return true;
}

static bool parse_line(const char *line, size_t len, struct blk_record *r, struct comms *comms)
{
	struct scan s = {line, line + len};
	unsigned int act;

	return parse_head(&s, r, &act) && (!act || parse_rest(&s, act, r, comms));
}

static bool blkparse_probe(const u8 *head, size_t len)
{
	const char *text = (const char *)head;
	const char *eol = memchr(text, '\n', len);
	struct blk_record r;

	return parse_line(text, eol ? (size_t)(eol - text) : len, &r, NULL);
}

/* ---- lines of the file ---- */

/* 1 with a line that is valid until the next call, 0 at the end, or an error. */
static int next_line(struct blkparse *b, u64 end, const char **line, size_t *len, struct err *e)
{
	const char *from, *eol;
	size_t have;
	int ret;

	if (b->pos >= end)
		return 0;
	for (int tries = 0;; tries++) {
		from = b->win + (b->pos - b->win_off);
		have = b->win_len - (size_t)(b->pos - b->win_off);
		eol = have ? memchr(from, '\n', have) : NULL;
		if (eol || tries)
			break;
		b->win_len = 0;
		have = (size_t)MIN((u64)WINDOW, end - b->pos);
		ret = infile_read(&b->f, b->pos, b->win, have, "lines", e);
		if (ret)
			return ret;
		b->win_off = b->pos;
		b->win_len = have;
	}
	if (!eol && have < WINDOW)
		return damage_at(
			&b->f, b->pos, e,
			"expected a line that ends with a newline, the file ends at byte %ju (truncated?)",
			(uintmax_t)b->f.size);
	if (!eol || eol - from >= LINE_MAX_LEN)
		return damage_at(&b->f, b->pos, e, "expected a line of fewer than %d characters",
				 LINE_MAX_LEN);
	*line = from;
	*len = (size_t)(eol - from);
	b->pos += *len + 1;
	return 1;
}

static bool is_summary(const char *line, size_t len)
{
	static const char *const starts[] = {"CPU", "Total (", "Throughput (", "Events (",
					     "Skips: "};

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		if (len >= strlen(starts[i]) && !memcmp(line, starts[i], strlen(starts[i])))
			return true;
	}
	return !len;
}

/* "Skips: N forward (EVENTS -   0.0%)" */
static void summary_line(struct blkparse *b, const char *line, size_t len)
{
	unsigned long long n;
	char copy[128];

	snprintf(copy, sizeof(copy), "%.*s", (int)MIN(len, sizeof(copy) - 1), line);
	if (sscanf(copy, "Skips: %*u forward (%llu", &n) == 1)
		b->skipped = n;
}

/* Looks at every line once: what is damaged is told before anything is judged. */
static int scan_lines(struct trace *t, struct blkparse *b, struct err *e)
{
	struct blk_record r;
	const char *line;
	size_t len;
	int ret;
	u64 at;

	while (at = b->pos, (ret = next_line(b, b->f.size, &line, &len, e)) == 1) {
		b->summary |= is_summary(line, len);
		if (b->summary) {
			summary_line(b, line, len);
			continue;
		}
		if (!parse_line(line, len, &r, NULL)) {
			ret = damage_at(&b->f, at, e, "expected a line of blkparse, found \"%.*s\"",
					(int)MIN(len, (size_t)60), line);
			break;
		}
		t->info.event_types |= 1ull << blk_event_type(r.action);
		t->info.cpus = MAX(t->info.cpus, r.cpu + 1);
		b->end = b->pos;
	}
	b->pos = b->win_off = b->win_len = 0;
	return ret < 0 ? trace_damaged(t, ret, e) : 0;
}

static int blkparse_open(struct trace *t, struct err *e)
{
	struct blkparse *b = xcalloc(1, sizeof(*b));
	int ret;

	t->priv = b;
	b->f.fd = -1;
	ret = infile_open(&b->f, t->path, e);
	if (ret)
		return ret;
	b->win = xmalloc(WINDOW);
	ret = scan_lines(t, b, e);
	if (ret)
		return ret;
	t->info.kind = KIND_BLKPARSE_TEXT;
	if (b->skipped)
		trace_loss(t, 0)->dropped = b->skipped;
	snprintf(t->format, sizeof(t->format), "blkparse text");
	return 0;
}

static int read_ahead(struct trace *t, struct blkparse *b, struct err *e)
{
	struct blk_record r;
	const char *line;
	size_t len;
	int ret;
	u64 at;

	while (b->queue.n < READ_AHEAD) {
		at = b->pos;
		ret = next_line(b, b->end, &line, &len, e);
		if (ret <= 0)
			return ret;
		if (!parse_line(line, len, &r, &t->comms))
			return damage_at(&b->f, at, e, "expected the line that was here before");
		r.off = at;
		if (!blk_count(&b->counters, 0, &r))
			return damage_at(&b->f, at, e, "expected lines of fewer devices and CPUs");
		blk_queue_push(&b->queue, &r);
	}
	return 0;
}

static int blkparse_next(struct trace *t, struct event *ev, struct err *e)
{
	struct blkparse *b = t->priv;
	struct blk_record *r;
	int ret;

	if (b->consume)
		blk_queue_pop(&b->queue);
	b->consume = false;
	ret = read_ahead(t, b, e);
	if (ret)
		return ret;
	r = blk_queue_head(&b->queue);
	if (!r) {
		if (!b->skipped || b->told)
			return 0;
		b->told = true; /* nobody says where */
		*ev = (struct event){.type = EV_LOST, .ts = b->last_time, .pid = -1};
		ev->lost.count = b->skipped;
		return 1;
	}
	return blk_emit(t, &b->f, r, "line", READ_AHEAD, &b->last_time, &b->consume, ev, e);
}

static void blkparse_close(struct trace *t)
{
	struct blkparse *b = t->priv;

	if (!b)
		return;
	infile_close(&b->f);
	blk_queue_free(&b->queue);
	blk_counters_free(&b->counters);
	free(b->win);
	free(b);
}

const struct reader reader_blkparse = {
	.name = "blkparse text",
	.probe = blkparse_probe,
	.open = blkparse_open,
	.next = blkparse_next,
	.close = blkparse_close,
};
