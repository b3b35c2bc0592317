// SPDX-License-Identifier: GPL-2.0-only
#include "lib/block_plan.h"

#include <errno.h>
#include <string.h>

#include "lib/size.h"

const char *const block_op_names[] = {"read",	      "write", "flush", "discard",
				      "write-zeroes", "done",  NULL};

/* What a line of the body begins with. */
static const struct {
	char word[4];
	enum block_op op;
	bool fua, preflush;
} words[] = {
	{"R", BLOCK_READ, false, false},    {"W", BLOCK_WRITE, false, false},
	{"WF", BLOCK_WRITE, true, false},   {"FW", BLOCK_WRITE, false, true},
	{"FWF", BLOCK_WRITE, true, true},   {"F", BLOCK_FLUSH, false, false},
	{"D", BLOCK_DISCARD, false, false}, {"Z", BLOCK_WRITE_ZEROES, false, false},
	{"C", BLOCK_DONE, false, false},
};

/* ---- header ---- */

struct header_line {
	struct plan_reader *r;
	struct block_plan *p;
	char *rest;
	struct err *e;
};

static int set_number(struct header_line *h, const char *what, u64 max, u64 *value)
{
	return plan_number(h->r, &h->rest, what, max, value, h->e);
}

static int set_source(struct header_line *h)
{
	free(h->p->source);
	h->p->source = xstrdup(h->rest);
	*(h->rest += strlen(h->rest)) = '\0';
	return 0;
}

static int set_note(struct header_line *h)
{
	if (h->p->n_notes == BLOCK_NOTES_MAX)
		return plan_bad(h->r, h->e, "expected at most %u notes", BLOCK_NOTES_MAX);
	h->p->notes[h->p->n_notes++] = xstrdup(h->rest);
	*(h->rest += strlen(h->rest)) = '\0';
	return 0;
}

static int set_action(struct header_line *h)
{
	const char *word = plan_word(&h->rest);

	if (!word || (strcmp(word, "Q") && strcmp(word, "D") && strcmp(word, "log")))
		return plan_bad(h->r, h->e, "expected action Q, D or log, found '%.20s'",
				word ? word : "");
	snprintf(h->p->action, sizeof(h->p->action), "%s", word);
	return 0;
}

static int set_sector_size(struct header_line *h)
{
	u64 *size = &h->p->sector_size;
	int ret = set_number(h, "sector-size", 4096, size);

	if (!ret && (*size < 512 || *size & (*size - 1)))
		ret = plan_bad(h->r, h->e, "expected a sector-size of 512, 1024, 2048 or 4096");
	return ret;
}

static int set_sectors(struct header_line *h)
{
	return set_number(h, "sectors", BLOCK_SECTORS_MAX, &h->p->sectors);
}

static int set_duration(struct header_line *h)
{
	return set_number(h, "duration", BLOCK_NS_MAX, &h->p->ns);
}

static int set_largest(struct header_line *h)
{
	return set_number(h, "largest", BLOCK_REQUEST_MAX, &h->p->largest);
}

static int set_folded(struct header_line *h)
{
	return set_number(h, "folded", UINT64_MAX, &h->p->folded);
}

static int set_dependencies(struct header_line *h)
{
	const char *word = plan_word(&h->rest);

	if (!word || (strcmp(word, "yes") && strcmp(word, "no")))
		return plan_bad(h->r, h->e, "expected dependencies yes or no");
	h->p->dependencies = !strcmp(word, "yes");
	return 0;
}

/* requests N reads N writes N fua N preflush N flushes N discards N write-zeroes N */
static int set_requests(struct header_line *h)
{
	struct block_plan *p = h->p;
	const struct {
		const char *name;
		u64 *value;
	} parts[] = {{"reads", &p->by_op[BLOCK_READ]},
		     {"writes", &p->by_op[BLOCK_WRITE]},
		     {"fua", &p->fua},
		     {"preflush", &p->preflush},
		     {"flushes", &p->by_op[BLOCK_FLUSH]},
		     {"discards", &p->by_op[BLOCK_DISCARD]},
		     {"write-zeroes", &p->by_op[BLOCK_WRITE_ZEROES]}};
	int ret = set_number(h, "requests", UINT64_MAX, &p->requests);

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !ret; i++) {
		const char *word = plan_word(&h->rest);

		if (!word || strcmp(word, parts[i].name))
			return plan_bad(h->r, h->e, "expected '%s', found '%.20s'", parts[i].name,
					word ? word : "");
		ret = set_number(h, parts[i].name, UINT64_MAX, parts[i].value);
	}
	return ret;
}

/* device NAME base SECTOR sectors N requests N */
static int set_device(struct header_line *h)
{
	struct block_plan *p = h->p;
	static const char *const names[] = {"base", "sectors", "requests"};
	const char *word = plan_word(&h->rest);
	struct block_device d = {.base = 0};
	u64 *const values[] = {&d.base, &d.sectors, &d.requests};
	int ret = 0;

	if (p->n_devices == BLOCK_DEVICES_MAX)
		return plan_bad(h->r, h->e, "expected at most %u devices", BLOCK_DEVICES_MAX);
	if (!word || strlen(word) >= sizeof(d.name))
		return plan_bad(h->r, h->e, "expected a device's name of at most %zu characters",
				sizeof(d.name) - 1);
	snprintf(d.name, sizeof(d.name), "%s", word);
	for (size_t i = 0; i < ARRAY_SIZE(names) && !ret; i++) {
		word = plan_word(&h->rest);
		if (!word || strcmp(word, names[i]))
			return plan_bad(h->r, h->e, "expected '%s', found '%.20s'", names[i],
					word ? word : "");
		ret = set_number(h, names[i], BLOCK_SECTORS_MAX, values[i]);
	}
	if (!ret) {
		p->devices = xrealloc(p->devices, p->n_devices + 1, sizeof(*p->devices));
		p->devices[p->n_devices++] = d;
	}
	return ret;
}

static const struct {
	const char *key;
	int (*set)(struct header_line *h);
	bool many;
} keys[] = {
	{"source", set_source, false},
	{"action", set_action, false},
	{"sector-size", set_sector_size, false},
	{"sectors", set_sectors, false},
	{"requests", set_requests, false},
	{"largest", set_largest, false},
	{"duration", set_duration, false},
	{"folded", set_folded, false},
	{"dependencies", set_dependencies, false},
	{"device", set_device, true},
	{"note", set_note, true},
};

static int header_key(struct header_line *h, u32 *seen)
{
	const char *key = plan_word(&h->rest);
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!key || strcmp(key, keys[i].key))
			continue;
		if (*seen & 1u << i && !keys[i].many)
			return plan_bad(h->r, h->e, "expected '%s' once", key);
		*seen |= 1u << i;
		ret = keys[i].set(h);
		if (!ret && plan_word(&h->rest))
			ret = plan_bad(h->r, h->e, "expected the line's end after '%s'", key);
		return ret;
	}
	return plan_bad(h->r, h->e, "expected a key of the header, found '%.40s'", key ? key : "");
}

int block_plan_header(struct plan_reader *r, struct block_plan *p, struct err *e)
{
	struct header_line h = {.r = r, .p = p, .e = e};
	u64 sum = 0;
	u32 seen = 0;
	int ret;

	*p = (struct block_plan){.source = NULL};
	if (r->kind != PLAN_BLOCK)
		return plan_bad(r, e, "expected a plan of kind block, found %s",
				plan_kind_names[r->kind]);
	while ((ret = plan_next(r, &h.rest, e)) == 1) {
		ret = header_key(&h, &seen);
		if (ret)
			return ret;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys) && !ret; i++)
		if (!(seen & 1u << i) && !keys[i].many)
			ret = plan_bad(r, e, "expected '%s' in the header", keys[i].key);
	for (unsigned int i = 0; i < BLOCK_OPS; i++)
		sum += p->by_op[i];
	if (!ret && (sum != p->requests || p->fua > sum || p->preflush > sum))
		ret = plan_bad(r, e,
			       "expected as many requests as reads, writes, flushes, "
			       "discards and write-zeroes together");
	if (!ret && (!p->requests || !p->sectors || p->sectors % (p->sector_size / SECTOR_SIZE)))
		ret = plan_bad(r, e,
			       "expected at least one request, and a device of whole "
			       "sectors of %llu bytes",
			       (unsigned long long)p->sector_size);
	return ret;
}

void block_plan_free(struct block_plan *p)
{
	free(p->source);
	for (u32 i = 0; i < p->n_notes; i++)
		free(p->notes[i]);
	free(p->devices);
	*p = (struct block_plan){.source = NULL};
}

int block_plan_load(const char *path, struct block_plan *p, struct err *e)
{
	struct plan_reader r;
	int ret;

	*p = (struct block_plan){.source = NULL};
	ret = plan_open(&r, path, false, e);
	if (!ret)
		ret = block_plan_header(&r, p, e);
	plan_close(&r);
	return ret;
}

void block_plan_put_header(struct plan_writer *w, const struct block_plan *p)
{
	FILE *f = w->header;

	fprintf(f, "source %s\naction %s\n", p->source, p->action);
	fprintf(f, "sector-size %llu\nsectors %llu\n", (unsigned long long)p->sector_size,
		(unsigned long long)p->sectors);
	fprintf(f,
		"requests %llu reads %llu writes %llu fua %llu preflush %llu flushes %llu "
		"discards %llu write-zeroes %llu\n",
		(unsigned long long)p->requests, (unsigned long long)p->by_op[BLOCK_READ],
		(unsigned long long)p->by_op[BLOCK_WRITE], (unsigned long long)p->fua,
		(unsigned long long)p->preflush, (unsigned long long)p->by_op[BLOCK_FLUSH],
		(unsigned long long)p->by_op[BLOCK_DISCARD],
		(unsigned long long)p->by_op[BLOCK_WRITE_ZEROES]);
	fprintf(f, "largest %llu\nduration %llu\nfolded %llu\ndependencies %s\n",
		(unsigned long long)p->largest, (unsigned long long)p->ns,
		(unsigned long long)p->folded, p->dependencies ? "yes" : "no");
	for (u32 i = 0; i < p->n_devices; i++)
		fprintf(f, "device %s base %llu sectors %llu requests %llu\n", p->devices[i].name,
			(unsigned long long)p->devices[i].base,
			(unsigned long long)p->devices[i].sectors,
			(unsigned long long)p->devices[i].requests);
	for (u32 i = 0; i < p->n_notes; i++)
		fprintf(f, "note %s\n", p->notes[i]);
}

/* ---- body ---- */

static int check_line(struct plan_reader *r, const struct block_plan *p, const struct block_line *l,
		      struct err *e)
{
	u64 unit = p->sector_size / SECTOR_SIZE;

	if (l->op == BLOCK_FLUSH || l->op == BLOCK_DONE)
		return 0;
	if (!l->sectors || !range_ok(l->sector, l->sectors, p->sectors))
		return plan_bad(r, e, "sector %llu + %llu: the device has %llu",
				(unsigned long long)l->sector, (unsigned long long)l->sectors,
				(unsigned long long)p->sectors);
	if ((l->sector | l->sectors) & (unit - 1))
		return plan_bad(r, e, "sector %llu + %llu: no multiple of the sector size %llu",
				(unsigned long long)l->sector, (unsigned long long)l->sectors,
				(unsigned long long)p->sector_size);
	if (l->op <= BLOCK_WRITE && l->sectors > p->largest / SECTOR_SIZE)
		return plan_bad(r, e, "%llu sectors are more than the header's largest request",
				(unsigned long long)l->sectors);
	return 0;
}

/* At the body's end: the header's counts are its own. */
static int check_counts(struct plan_reader *r, const struct block_plan *p,
			const struct block_cursor *c, struct err *e)
{
	const struct {
		const char *what;
		u64 found, says;
	} counts[] = {{"requests", c->requests, p->requests},
		      {"reads", c->by_op[BLOCK_READ], p->by_op[BLOCK_READ]},
		      {"writes", c->by_op[BLOCK_WRITE], p->by_op[BLOCK_WRITE]},
		      {"fua", c->fua, p->fua},
		      {"preflush", c->preflush, p->preflush},
		      {"flushes", c->by_op[BLOCK_FLUSH], p->by_op[BLOCK_FLUSH]},
		      {"discards", c->by_op[BLOCK_DISCARD], p->by_op[BLOCK_DISCARD]},
		      {"write-zeroes", c->by_op[BLOCK_WRITE_ZEROES], p->by_op[BLOCK_WRITE_ZEROES]}};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (counts[i].found != counts[i].says)
			return plan_bad(r, e, "found %llu %s, the header says %llu",
					(unsigned long long)counts[i].found, counts[i].what,
					(unsigned long long)counts[i].says);
	return 0;
}

int block_plan_next(struct plan_reader *r, const struct block_plan *p, struct block_cursor *c,
		    struct block_line *l, struct err *e)
{
	const char *word;
	char *line;
	size_t i;
	int ret;

	ret = plan_next(r, &line, e);
	if (ret < 0)
		return ret;
	if (!ret)
		return check_counts(r, p, c, e);
	word = plan_word(&line);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (word && !strcmp(word, words[i].word))
			break;
	if (i == ARRAY_SIZE(words))
		return plan_bad(r, e, "expected R, W, WF, FW, FWF, F, D, Z or C, found '%.20s'",
				word ? word : "");
	*l = (struct block_line){
		.op = words[i].op, .fua = words[i].fua, .preflush = words[i].preflush};
	ret = plan_number(r, &line, "a time in ns", p->ns, &l->ns, e);
	if (!ret && l->ns < c->ns)
		ret = plan_bad(r, e, "%llu ns is before the line above", (unsigned long long)l->ns);
	c->ns = l->ns;
	if (!ret && l->op == BLOCK_DONE) {
		ret = plan_number(r, &line, "a request's number", UINT64_MAX, &l->request, e);
		if (!ret &&
		    (l->request >= c->requests || c->requests - l->request > BLOCK_FLIGHT_MAX))
			ret = plan_bad(r, e, "expected one of the last %u requests",
				       BLOCK_FLIGHT_MAX);
	} else if (!ret) {
		c->requests++;
		c->by_op[l->op]++;
		c->fua += l->fua;
		c->preflush += l->preflush;
		if (l->op != BLOCK_FLUSH)
			ret = plan_number(r, &line, "a sector", BLOCK_SECTORS_MAX, &l->sector, e);
		if (!ret && l->op != BLOCK_FLUSH)
			ret = plan_number(r, &line, "sectors", BLOCK_SECTORS_MAX, &l->sectors, e);
	}
	if (!ret && plan_word(&line))
		ret = plan_bad(r, e, "expected the line's end");
	if (!ret)
		ret = check_line(r, p, l, e);
	return ret ? ret : 1;
}

int block_plan_check(struct plan_reader *r, const struct block_plan *p, struct err *e)
{
	struct block_cursor c = {.requests = 0};
	struct block_line l;
	int ret;

	while ((ret = block_plan_next(r, p, &c, &l, e)) == 1)
		;
	return ret ? ret : plan_no_more(r, e);
}

void block_plan_put(struct plan_writer *w, const struct block_line *l)
{
	char *start = plan_room(w), *p = start;
	const char *word;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].op == l->op && words[i].fua == l->fua &&
		    words[i].preflush == l->preflush)
			break;
	for (word = words[i].word; *word; word++)
		*p++ = *word;
	*p++ = ' ';
	p = plan_digits(p, l->ns);
	if (l->op == BLOCK_DONE) {
		*p++ = ' ';
		p = plan_digits(p, l->request);
	} else if (l->op != BLOCK_FLUSH) {
		*p++ = ' ';
		p = plan_digits(p, l->sector);
		*p++ = ' ';
		p = plan_digits(p, l->sectors);
	}
	*p++ = '\n';
	plan_put(w, (size_t)(p - start));
}
