/* SPDX-License-Identifier: GPL-2.0-only */
/* A command line as text: split into words, with the test file's path put in. */
#ifndef BP_WORDS_H
#define BP_WORDS_H

#include "lib/err.h"

#define WORDS_MAX 256

/*
 * Splits @text at blanks; '...' and "..." keep blanks in a word, and a backslash
 * outside of '...' takes the next character as it is.  No shell: nothing else has
 * a meaning.  Returns the words, NULL-terminated, in one block that the caller frees
 * with words_free(), and their number in *@n; NULL and a line for an open quote or
 * more than WORDS_MAX words.
 */
char **words_split(const char *text, size_t *n, struct err *e) __must_check;
void words_free(char **words);

/*
 * @word with every FILE that stands alone (no letter, digit or '_' beside it)
 * replaced by @path.  The caller frees it.
 */
char *word_with_file(const char *word, const char *path) __must_check;

#endif
