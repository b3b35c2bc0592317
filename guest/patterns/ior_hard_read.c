// SPDX-License-Identifier: GPL-2.0-only
/*
 * IO500's ior-hard-read: processes of several clients read small records of a
 * shared file, each process every n-th record.  The records' size, 47008
 * bytes, is a multiple of neither pages nor objects.
 */
#include <errno.h>

#include "guest/pattern.h"
#include "guest/patterns/list.h"

static int ior_hard_read_validate(const struct workload *w, struct err *e)
{
	const struct phase *p = w->phase;

	if (p->chunk % p->piece)
		return err_set(e, -EINVAL,
			       "ior-hard-read: chunk %llu is not a number of records (piece %llu)",
			       (unsigned long long)p->chunk, (unsigned long long)p->piece);
	return 0;
}

const struct pattern pattern_ior_hard_read = {
	.name = "ior-hard-read",
	.summary = "pread() records of a shared file in turns",
	.own_file = true,
	.piece_markers = true,
	.validate = ior_hard_read_validate,
	.move = stream_pread,
};
