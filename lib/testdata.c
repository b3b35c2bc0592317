// SPDX-License-Identifier: GPL-2.0-only
#include "lib/testdata.h"

#include <endian.h>
#include <string.h>

/* What testdata_word() grows by from one word to the next. */
#define WORD_STEP (8 * 0x9e3779b97f4a7c15ull)
#define BLOCK_WORDS 8

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

/*
 * The number of bytes, whole blocks of words, that are right from @p on;
 * @offset is a multiple of 8.  An addition per word instead of a multiplication and a
 * branch per block instead of per word: guests under TCG check gigabytes.
 */
static size_t good_blocks(const u8 *p, u64 offset, size_t len)
{
	u64 expected = testdata_word(offset), word, diff;
	size_t done;
	unsigned int i;

	for (done = 0; len - done >= BLOCK_WORDS * 8; done += BLOCK_WORDS * 8) {
		diff = 0;
		for (i = 0; i < BLOCK_WORDS; i++) {
			memcpy(&word, p + done + 8 * i, 8);
			diff |= le64toh(word) ^ (expected + i * WORD_STEP);
		}
		if (diff)
			break;
		expected += BLOCK_WORDS * WORD_STEP;
	}
	return done;
}

u64 testdata_check(const void *buf, u64 offset, size_t len, u64 *first_bad)
{
	const u8 *p = buf;
	u64 bad = 0, at = 0;
	size_t n;

	while (len) {
		size_t from = offset & 7;

		n = from ? 0 : good_blocks(p, offset, len);
		if (!n) {
			n = MIN(8 - from, len);
			if (!partial_ok(p, offset - from, from, n)) {
				if (!bad)
					at = offset - from;
				bad += n;
			}
		}
		p += n;
		offset += n;
		len -= n;
	}
	if (bad && first_bad)
		*first_bad = at;
	return bad;
}
