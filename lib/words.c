// SPDX-License-Identifier: GPL-2.0-only
#include "lib/words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define FILE_WORD "FILE"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* One word from *@at, which is no blank, to @to; moves *@at past it. */
static int take_word(const char **at, char *to, struct err *e)
{
	const char *p = *at;
	char quote = '\0';

	for (; *p && (quote || !is_blank(*p)); p++) {
		if (*p == '\\' && quote != '\'' && p[1]) {
			*to++ = *++p;
		} else if (quote ? *p == quote : *p == '\'' || *p == '"') {
			quote = quote ? '\0' : *p;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	*at = p;
	return quote ? err_set(e, -EINVAL, "%c is never closed", quote) : 0;
}

char **words_split(const char *text, size_t *n, struct err *e)
{
	char **words = xcalloc(WORDS_MAX + 1, sizeof(*words));
	char *word __cleanup_free = xmalloc(strlen(text) + 1);

	for (*n = 0;;) {
		while (is_blank(*text))
			text++;
		if (!*text)
			return words;
		if (*n == WORDS_MAX) {
			err_set(e, -E2BIG, "more than %d words", WORDS_MAX);
			break;
		}
		if (take_word(&text, word, e))
			break;
		words[(*n)++] = xstrdup(word);
	}
	words_free(words);
	return NULL;
}

void words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

static bool part_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

char *word_with_file(const char *word, const char *path)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	if (!f)
		return xstrdup(word);
	for (const char *p = word; *p;) {
		const char *rest = str_after(p, FILE_WORD);

		if (rest && !part_of_name(*rest) && (p == word || !part_of_name(p[-1]))) {
			fputs(path, f);
			p = rest;
		} else {
			putc(*p++, f);
		}
	}
	fclose(f);
	return out;
}
