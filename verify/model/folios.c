// SPDX-License-Identifier: GPL-2.0-only
/* Which pages of the page cache are one folio: a fault on one maps them all. */
#include "verify/model/model.h"

void folios_clear(struct model *m)
{
	page_set_clear(m->huge);
	page_set_clear(m->tails);
	m->any_huge = false;
	m->any_large = false;
}

static u64 pages_of(const struct event *ev)
{
	return ev->folio.order == ORDER_UNKNOWN ? 1 : order_pages(ev->folio.order);
}

void folios_add(struct model *m, const struct event *ev)
{
	u64 n = pages_of(ev), index = ev->folio.index;
	u32 shift = huge_shift(m);

	/* what was there before may have gone without an event */
	if (m->any_large)
		page_set_remove(m->tails, ev->dev, ev->ino, index, n);
	if (n == 1)
		return;
	m->any_large = true;
	page_set_add(m->tails, ev->dev, ev->ino, index + 1, n - 1);
	if (n >> shift) {
		m->any_huge = true;
		page_set_add(m->huge, ev->dev, ev->ino, index >> shift, n >> shift);
	}
}

void folios_delete(struct model *m, const struct event *ev)
{
	u64 n = pages_of(ev);
	u32 shift = huge_shift(m);

	if (m->any_large)
		page_set_remove(m->tails, ev->dev, ev->ino, ev->folio.index, n);
	if (m->any_huge && n >> shift)
		page_set_remove(m->huge, ev->dev, ev->ino, ev->folio.index >> shift, n >> shift);
}

void folio_around(const struct model *m, u32 dev, u64 ino, u64 index, u64 *start, u64 *n)
{
	*start = index;
	*n = 1;
	if (!m->any_large)
		return;
	/* folios are aligned to their size, so the first page is the first aligned one that is no
	 * tail */
	for (u32 order = 0; order <= ORDERS_MAX; order++) {
		u64 first = index >> order << order;

		if (page_set_count(m->tails, dev, ino, first, 1))
			continue;
		*start = first;
		*n = page_set_hole(m->tails, dev, ino, first + 1, 1ull << ORDERS_MAX) - first;
		return;
	}
}

void folios_mapped(const struct model *m, const struct event *ev, u64 *start, u64 *n)
{
	u64 first, last = ev->access.last, rest;

	folio_around(m, ev->dev, ev->ino, ev->access.index, start, &rest);
	folio_around(m, ev->dev, ev->ino, last, &first, &rest);
	/* what folios a damaged trace makes of it may not even be in order */
	if (first < *start || first - *start > 1ull << (ORDERS_MAX + 1)) {
		*start = ev->access.index;
		*n = 1;
		return;
	}
	*n = first + rest - *start;
}
