/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BP_RWBS_H
#define BP_RWBS_H

#include "verify/event.h"

/*
 * enum rq_flags of an rwbs text such as "RA" or "FWFS", of at most @len
 * characters.  The letters are those of blk_fill_rwbs() in
 * kernel/trace/blktrace.c: F before the operation is a preflush, behind it
 * FUA.
 */
u32 rwbs_flags(const char *rwbs, size_t len);

/* The other way round, for listings; @buf holds 16 bytes.  Returns @buf. */
char *rwbs_text(u32 flags, char *buf);

#endif
