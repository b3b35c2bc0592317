// SPDX-License-Identifier: GPL-2.0-only
#include "guest/frame.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

static u8 *put32(u8 *p, u32 v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static u8 *put64(u8 *p, u64 v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

void frame_encode(u8 out[FRAME_HEADER_SIZE], enum frame_type type, u32 seq, u32 cpu, u64 len)
{
	u8 *p = out;

	p = put32(p, FRAME_MAGIC);
	p = put32(p, type);
	p = put32(p, seq);
	p = put32(p, cpu);
	put64(p, len);
}

void progress_encode(u8 out[PROGRESS_SIZE], const struct progress *progress)
{
	u8 *p = out;

	p = put32(p, progress->phase);
	p = put32(p, progress->phases);
	p = put64(p, progress->done);
	put64(p, progress->total);
}
