// SPDX-License-Identifier: GPL-2.0-only
#include "lib/testdata.h"

#include <endian.h>
#include <string.h>

void testdata_fill(void *buf, u64 offset, size_t len)
{
	u64 word;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		word = htole64(testdata_word(offset + i));
		memcpy((char *)buf + i, &word, 8);
	}
}

/* One word of which only @n bytes from byte @from on were read. */
static bool partial_ok(const u8 *p, u64 word_offset, size_t from, size_t n)
{
	u64 word = htole64(testdata_word(word_offset));

	return !memcmp(p, (const u8 *)&word + from, n);
}

u64 testdata_check(const void *buf, u64 offset, size_t len, u64 *first_bad)
{
	const u8 *p = buf;
	u64 bad = 0, at = 0, word;
	size_t n = 0;

	while (len) {
		size_t from = offset & 7;
		bool ok;

		if (!from && len >= 8) {
			memcpy(&word, p, 8);
			n = 8;
			ok = le64toh(word) == testdata_word(offset);
		} else {
			n = MIN(8 - from, len);
			ok = partial_ok(p, offset - from, from, n);
		}
		if (!ok) {
			if (!bad)
				at = offset - from;
			bad += n;
		}
		p += n;
		offset += n;
		len -= n;
	}
	if (bad && first_bad)
		*first_bad = at;
	return bad;
}
