// SPDX-License-Identifier: GPL-2.0-only
/* Where touches fall: nothing here needs a guest. */
#include <errno.h>
#include <unistd.h>

#include "guest/touch.h"

u64 touch_page_bytes(void)
{
	return (u64)sysconf(_SC_PAGESIZE);
}

int touch_range(const struct workload *w, unsigned int index, u64 pages, u64 *off, u64 *len)
{
	u64 page = touch_page_bytes(), start = w->start - w->start % page;

	*len = (w->file_size - start) / w->phase->threads / page * page;
	*off = start + index * *len;
	return *len / page < pages ? -ERANGE : 0;
}

u64 touch_random(u64 seed, u64 k, u64 n)
{
	/* touch_offset() draws multiples of 8 */
	return touch_offset(seed, k, 0, n * 8, 8) / 8;
}
