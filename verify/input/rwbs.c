// SPDX-License-Identifier: GPL-2.0-only
#include "verify/input/rwbs.h"

u32 rwbs_flags(const char *rwbs, size_t len)
{
	const char *p = rwbs, *end = rwbs + len;
	u32 flags = 0;

	if (p < end && *p == 'F') {
		flags |= RQ_FLUSH;
		p++;
	}
	if (p < end) {
		switch (*p++) {
		case 'R':
			flags |= RQ_READ;
			break;
		case 'W':
			flags |= RQ_WRITE;
			if (p < end && *p == 'Z') {
				flags |= RQ_WRITE_ZEROES;
				p++;
			}
			break;
		case 'D':
			flags |= RQ_DISCARD;
			if (p < end && *p == 'E') {
				flags |= RQ_SECURE_ERASE;
				p++;
			}
			break;
		case 'F': /* "FF": a flush that is itself preceded by one */
			flags |= RQ_FLUSH;
			break;
		case 'Z': /* zone append writes; reset, finish, open and close move no data */
			flags |= RQ_ZONE;
			if (p < end && *p == 'A')
				flags |= RQ_WRITE;
			while (p < end &&
			       (*p == 'A' || *p == 'R' || *p == 'F' || *p == 'O' || *p == 'C'))
				p++;
			break;
		case 'N':
			flags |= RQ_PASSTHROUGH;
			break;
		default:
			p--;
		}
	}
	for (; p < end && *p; p++) {
		switch (*p) {
		case 'F':
			flags |= RQ_FUA;
			break;
		case 'A':
			flags |= RQ_AHEAD;
			break;
		case 'S':
			flags |= RQ_SYNC;
			break;
		case 'M':
			flags |= RQ_META;
			break;
		default: /* 'U' atomic, 'B' barrier of old kernels */
			break;
		}
	}
	return flags;
}

char *rwbs_text(u32 flags, char *buf)
{
	static const struct {
		u32 flag;
		char letter;
	} tail[] = {{RQ_FUA, 'F'}, {RQ_AHEAD, 'A'}, {RQ_SYNC, 'S'}, {RQ_META, 'M'}};
	char *p = buf;

	if (flags & RQ_FLUSH)
		*p++ = 'F';
	if (flags & RQ_READ)
		*p++ = 'R';
	if (flags & RQ_WRITE)
		*p++ = 'W';
	if (flags & RQ_WRITE_ZEROES)
		*p++ = 'Z';
	if (flags & RQ_DISCARD)
		*p++ = 'D';
	if (flags & RQ_SECURE_ERASE)
		*p++ = 'E';
	if (p == buf)
		*p++ = 'N';
	for (size_t i = 0; i < ARRAY_SIZE(tail); i++) {
		if (flags & tail[i].flag)
			*p++ = tail[i].letter;
	}
	*p = '\0';
	return buf;
}
