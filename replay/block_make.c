// SPDX-License-Identifier: GPL-2.0-only
#include "replay/block_make.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "lib/size.h"

/* What a device is rounded up to, in sectors: 1 MiB. */
#define ROUND 2048u

struct block_maker {
	struct block_options o;
	struct plan_writer *w;
	const char *what;
	struct block_device devices[BLOCK_DEVICES_MAX];
	u32 n_devices, last_device;
	bool laid_out, several; /* several: more than one has requests, and nothing says how */
	u64 first_ns, last_ns;
	bool begun;
	u64 sectors; /* the device's; 0: grows */
	u64 end;     /* of the last request, sectors */
	u64 skipped[SKIPS];
	struct block_plan plan; /* sums */
};

static const char *const skip_texts[SKIPS] = {
	[SKIP_PASSTHROUGH] = "requests that come from no file system and move no sectors: left out",
	[SKIP_NO_BYTES] =
		"events without an operation or without bytes that are no flush: left out",
	[SKIP_ERASE] =
		"secure erases: left out, no interface asks for one without a device that has it",
	[SKIP_ZONE] = "operations on zones (append, reset, finish, open, close): left out, the device "
		      "that is replayed to has none",
	[SKIP_REISSUED] = "D events of a request that was issued before and had not completed (its "
			  "driver was busy): counted once",
	[SKIP_OTHER_DEVICE] = "requests of devices that were not asked for: left out",
	[SKIP_DONE_UNKNOWN] = "completions of requests that the trace has no issue of: ignored",
	[SKIP_FAILED] = "requests that failed in the source: replayed as all others",
	[SKIP_REMAP] = "remaps (A): the Q event that follows has the sector on the device, and is "
		       "what is replayed",
	[SKIP_MERGED] = "merges (M, F): the requests they made are not seen with action Q",
	[SKIP_LOST] = "places where events are missing in the source: the plan lacks them, too",
	[SKIP_FLIGHT] = "requests that never completed in the source, or long after: nothing waits "
			"for them",
};

struct block_maker *block_maker_new(const struct block_options *o, struct plan_writer *w,
				    const char *what)
{
	struct block_maker *m = xcalloc(1, sizeof(*m));

	m->o = *o;
	if (!m->o.sector_size)
		m->o.sector_size = SECTOR_SIZE;
	m->w = w;
	m->what = what;
	m->sectors = o->device_size / SECTOR_SIZE;
	return m;
}

void block_maker_free(struct block_maker *m)
{
	free(m);
}

void block_maker_skip(struct block_maker *m, enum block_skip why)
{
	m->skipped[why]++;
}

int block_maker_device(struct block_maker *m, const char *name, struct err *e)
{
	struct block_device *d;

	if (m->o.device && strcmp(m->o.device, name))
		return -ENODEV;
	if (m->last_device < m->n_devices && !strcmp(m->devices[m->last_device].name, name))
		return (int)m->last_device;
	for (u32 i = 0; i < m->n_devices; i++)
		if (!strcmp(m->devices[i].name, name))
			return (int)(m->last_device = i);
	if (m->n_devices == BLOCK_DEVICES_MAX)
		return err_set(e, -EBADMSG,
			       "expected requests of at most %u devices; --device picks one",
			       BLOCK_DEVICES_MAX);
	d = &m->devices[m->n_devices];
	snprintf(d->name, sizeof(d->name), "%s", name);
	return (int)(m->last_device = m->n_devices++);
}

static int refuse(const struct block_maker *m, const struct block_device *d,
		  const struct block_request *r, struct err *e, const char *fmt, ...)
	__printf_like(5, 6);

/* "event 12: read of 4096 bytes at sector 8 of 8,16: ..." */
static int refuse(const struct block_maker *m, const struct block_device *d,
		  const struct block_request *r, struct err *e, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, -EINVAL,
		       "%s %" PRIu64 ": %s of %" PRIu64 " bytes at sector %" PRIu64 " of %s: %s",
		       m->what, r->where, block_op_names[r->op], r->bytes, r->sector, d->name,
		       text);
}

/* Where on the device that is replayed to. */
static int place(struct block_maker *m, const struct block_device *d, const struct block_request *r,
		 struct block_line *l, struct err *e)
{
	u64 unit = m->o.sector_size / SECTOR_SIZE, sectors = r->bytes / SECTOR_SIZE;
	u64 size = m->sectors / unit * unit;

	l->sectors = sectors;
	l->sector = d->base + r->sector;
	if (!size || range_ok(l->sector, sectors, size))
		return 0;
	if (!m->o.fold)
		return refuse(m, d, r, e,
			      "beyond the device of %" PRIu64 " sectors: a larger --device-size "
			      "holds it, --fold moves it into the device",
			      size);
	if (sectors > size)
		return refuse(m, d, r, e, "larger than the device of %" PRIu64 " sectors", size);
	/* where a request would reach over the end, it ends there */
	l->sector = MIN(l->sector % size, size - sectors);
	l->sector -= l->sector % unit;
	m->plan.folded++;
	return 0;
}

static int check_request(const struct block_maker *m, const struct block_device *d,
			 const struct block_request *r, struct err *e)
{
	if (r->bytes % SECTOR_SIZE || r->bytes % m->o.sector_size ||
	    r->sector % (m->o.sector_size / SECTOR_SIZE))
		return refuse(m, d, r, e,
			      "no multiple of the device's sectors of %" PRIu64 " bytes",
			      m->o.sector_size);
	if (!range_ok(r->sector, r->bytes / SECTOR_SIZE, BLOCK_SECTORS_MAX / BLOCK_DEVICES_MAX))
		return refuse(m, d, r, e, "beyond what a device can hold (%llu sectors)",
			      BLOCK_SECTORS_MAX / BLOCK_DEVICES_MAX);
	if (r->op <= BLOCK_WRITE && r->bytes > BLOCK_REQUEST_MAX)
		return refuse(m, d, r, e, "more than the %u bytes that one submission can have",
			      BLOCK_REQUEST_MAX);
	return 0;
}

static void count(struct block_maker *m, const struct block_line *l)
{
	struct block_plan *p = &m->plan;

	p->requests++;
	p->by_op[l->op]++;
	p->fua += l->fua;
	p->preflush += l->preflush;
	if (l->op <= BLOCK_WRITE)
		p->largest = MAX(p->largest, l->sectors * SECTOR_SIZE);
	m->end = MAX(m->end, l->sector + l->sectors);
}

/* Nanoseconds of the plan; an event that is not later than the one before is as late as that. */
static u64 plan_ns(struct block_maker *m, u64 ns)
{
	if (!m->begun)
		m->first_ns = m->last_ns = ns;
	m->begun = true;
	m->last_ns = MAX(m->last_ns, ns);
	return MIN(m->last_ns - m->first_ns, BLOCK_NS_MAX);
}

int block_maker_request(struct block_maker *m, int device, const struct block_request *r,
			u64 *number, struct err *e)
{
	struct block_device *d = &m->devices[device];
	struct block_line l = {.op = r->op, .fua = r->fua, .preflush = r->preflush};
	int ret = 0;

	*number = m->plan.requests;
	if (r->op != BLOCK_FLUSH) {
		ret = check_request(m, d, r, e);
		if (ret)
			return ret;
		d->sectors = MAX(d->sectors, r->sector + r->bytes / SECTOR_SIZE);
	}
	d->requests++;
	if (!m->o.end_to_end && !m->several)
		for (u32 i = 0; i < m->n_devices; i++)
			m->several |= &m->devices[i] != d && m->devices[i].requests;
	/* in the first pass, and once it is clear that there will be no plan, devices are counted
	 */
	if (!m->w || m->several) {
		m->plan.requests++;
		return 0;
	}
	if (r->op != BLOCK_FLUSH)
		ret = place(m, d, r, &l, e);
	if (ret)
		return ret;
	l.ns = m->plan.ns = plan_ns(m, r->ns);
	count(m, &l);
	block_plan_put(m->w, &l);
	return 0;
}

void block_maker_done(struct block_maker *m, u64 ns, u64 number)
{
	const struct block_line l = {.op = BLOCK_DONE, .request = number, .ns = plan_ns(m, ns)};

	if (!m->w || m->several || !m->o.dependencies || number >= m->plan.requests ||
	    m->plan.requests - number > BLOCK_FLIGHT_MAX)
		return;
	/* no time of the body is after the last request's: that is when a plan ends */
	m->plan.ns = l.ns;
	block_plan_put(m->w, &l);
}

int block_maker_layout(struct block_maker *m, const struct block_maker *measured, struct err *e)
{
	u64 base = 0;

	m->n_devices = measured->n_devices;
	for (u32 i = 0; i < m->n_devices; i++) {
		struct block_device *d = &m->devices[i];

		*d = (struct block_device){.base = base};
		memcpy(d->name, measured->devices[i].name, sizeof(d->name));
		base += (measured->devices[i].sectors + ROUND - 1) / ROUND * ROUND;
	}
	if (base <= BLOCK_SECTORS_MAX)
		return 0;
	return err_set(e, -EINVAL, "the devices have %" PRIu64 " sectors together, more than %llu",
		       base, BLOCK_SECTORS_MAX);
}

static int list_devices(const struct block_maker *m, struct err *e)
{
	char text[600] = "";
	size_t n = 0;

	for (u32 i = 0; i < m->n_devices && n < sizeof(text) - 80; i++)
		if (m->devices[i].requests)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s (%" PRIu64 ")",
					      n ? ", " : "", m->devices[i].name,
					      m->devices[i].requests);
	return err_set(e, -EINVAL,
		       "requests of several devices: %s; --device NAME takes one of them, "
		       "--end-to-end lays them one behind the other",
		       text);
}

static void add_notes(const struct block_maker *m, struct block_plan *p)
{
	for (unsigned int i = 0; i < SKIPS; i++)
		if (m->skipped[i] && p->n_notes < BLOCK_NOTES_MAX)
			p->notes[p->n_notes++] =
				xasprintf("%" PRIu64 " %s", m->skipped[i], skip_texts[i]);
}

int block_maker_finish(struct block_maker *m, struct block_plan *p, struct err *e)
{
	u64 unit = MAX(ROUND, m->o.sector_size / SECTOR_SIZE);

	if (m->several)
		return list_devices(m, e);
	if (!m->plan.requests && m->o.device && m->skipped[SKIP_OTHER_DEVICE])
		return err_set(e, -ENODATA, "no requests of device %s, %" PRIu64 " of others",
			       m->o.device, m->skipped[SKIP_OTHER_DEVICE]);
	if (!m->plan.requests)
		return err_set(e, -ENODATA, "no requests that could be replayed");
	p->sector_size = m->o.sector_size;
	p->sectors = m->sectors ? m->sectors / (p->sector_size / SECTOR_SIZE) *
					  (p->sector_size / SECTOR_SIZE)
				: MAX(unit, (m->end + unit - 1) / unit * unit);
	p->requests = m->plan.requests;
	memcpy(p->by_op, m->plan.by_op, sizeof(p->by_op));
	p->fua = m->plan.fua;
	p->preflush = m->plan.preflush;
	p->largest = m->plan.largest;
	p->ns = m->plan.ns;
	p->folded = m->plan.folded;
	p->dependencies = m->o.dependencies;
	p->n_devices = 0;
	p->devices = xcalloc(MAX(m->n_devices, 1u), sizeof(*p->devices));
	for (u32 i = 0; i < m->n_devices; i++)
		if (m->devices[i].requests)
			p->devices[p->n_devices++] = m->devices[i];
	add_notes(m, p);
	return 0;
}
