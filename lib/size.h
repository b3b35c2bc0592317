/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BP_SIZE_H
#define BP_SIZE_H

#include "lib/err.h"

/*
 * Parses a size in bytes: decimal digits with an optional suffix K, M, G or T
 * (either case, optionally followed by "iB" or "B"; all are powers of 1024).
 * Returns 0, or -EINVAL/-ERANGE with a line that quotes the text and says what
 * is accepted.  @what names the value in that line ("file_size").
 */
int size_parse(const char *text, const char *what, u64 *bytes, struct err *e) __must_check;

/* Parses a plain decimal number in [min, max].  Errors as above. */
int number_parse(const char *text, const char *what, u64 min, u64 max, u64 *value,
		 struct err *e) __must_check;

/*
 * Writes @bytes in the largest unit that leaves it whole ("8 MiB", "47008 B");
 * returns @buf.  @buf must hold SIZE_TEXT_MAX bytes.
 */
#define SIZE_TEXT_MAX 32
char *size_text(u64 bytes, char *buf);

#endif
