// SPDX-License-Identifier: GPL-2.0-only
/* Where touches fall: nothing here needs a guest. */
#include <errno.h>

#include "guest/touch.h"

int touch_range(const struct workload *w, unsigned int index, u64 pages, u64 *off, u64 *len)
{
	u64 start = w->start - w->start % TOUCH_PAGE;

	*len = (w->file_size - start) / w->phase->threads / TOUCH_PAGE * TOUCH_PAGE;
	*off = start + index * *len;
	return *len / TOUCH_PAGE < pages ? -ERANGE : 0;
}

u64 touch_random(u64 seed, u64 k, u64 n)
{
	/* touch_offset() draws multiples of 8 */
	return touch_offset(seed, k, 0, n * 8, 8) / 8;
}
