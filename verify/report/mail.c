// SPDX-License-Identifier: GPL-2.0-only
/*
 * verify --mail: between the "---" of a patch mail and its diff, git am and
 * patch(1) look for the first line that could begin a diff, and mailboxes are cut at "From ".
 * Most of a report's lines begin with words of ours; names of kernels and phases,
 * paths and subjects may begin others, since lines are wrapped.
 */
#include <ctype.h>
#include <string.h>

#include "lib/version.h"
#include "verify/report/report.h"

/* What git's mailinfo.c and apply.c and patch(1)'s pch.c take for a beginning. */
static const char *const beginnings[] = {
	"---",		"+++",
	"***",		"===",
	"@@",		"diff",
	"Index:",	"Prereq:",
	"From ",	">From ",
	"-- ",		"GIT binary",
	"Binary files", "Only in ",
	"deleted file", "new file",
	"old mode",	"new mode",
	"rename ",	"copy ",
	"similarity ",	"dissimilarity ",
	"index ",
};

/* "12a", "3,4c5": the commands of ed and of old diffs */
static bool is_ed_command(const char *line, size_t n)
{
	size_t digits = 0, letters = 0;

	for (size_t i = 0; i < n; i++) {
		digits += isdigit((unsigned char)line[i]) != 0;
		letters += strchr("acdis", line[i]) != NULL;
		if (!strchr("0123456789,acdis", line[i]))
			return false;
	}
	return digits && letters == 1;
}

bool mail_line_unsafe(const char *line, size_t n)
{
	/* patch(1) takes indented diffs too */
	while (n && *line == ' ') {
		line++;
		n--;
	}
	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(line, beginnings[i], strlen(beginnings[i])))
			return true;
	return (n == 2 && !strncmp(line, "--", 2)) || is_ed_command(line, n);
}

void mail_wrap(struct out *to, const char *text)
{
	out_line(to, 2, "Tested with blkproof " BLKPROOF_VERSION ":");
	out_line(to, 0, "%s", "");
	for (const char *p = text; p && *p;) {
		size_t n = strcspn(p, "\n");
		char *line __cleanup_free =
			xasprintf("%s%.*s\n", mail_line_unsafe(p, n) ? MAIL_GUARD : "", (int)n, p);

		out_raw(to, line);
		p += n + (p[n] == '\n');
	}
}
