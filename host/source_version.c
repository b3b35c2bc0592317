// SPDX-License-Identifier: GPL-2.0-only
/* Debian's versions, and which package to take. */
#include <ctype.h>
#include <string.h>

#include "host/source.h"

/* Sort weight of a character outside numbers: ~ before the end, letters before the rest. */
static int weight(char c)
{
	if (c == '~')
		return -1;
	if (!c || isdigit((unsigned char)c))
		return 0;
	return isalpha((unsigned char)c) ? c : c + 256;
}

/* Compares two upstream versions or two revisions, each of which ends at its @end. */
static int compare_part(const char *a, size_t a_len, const char *b, size_t b_len)
{
	const char *a_end = a + a_len, *b_end = b + b_len;

	while (a < a_end || b < b_end) {
		int first = 0;

		while ((a < a_end && !isdigit((unsigned char)*a)) ||
		       (b < b_end && !isdigit((unsigned char)*b))) {
			int wa = weight(a < a_end ? *a : '\0'), wb = weight(b < b_end ? *b : '\0');

			if (wa != wb)
				return wa - wb;
			a += a < a_end;
			b += b < b_end;
		}
		while (a < a_end && *a == '0')
			a++;
		while (b < b_end && *b == '0')
			b++;
		while (a < a_end && isdigit((unsigned char)*a) && b < b_end &&
		       isdigit((unsigned char)*b)) {
			if (!first)
				first = *a - *b;
			a++;
			b++;
		}
		if (a < a_end && isdigit((unsigned char)*a))
			return 1;
		if (b < b_end && isdigit((unsigned char)*b))
			return -1;
		if (first)
			return first;
	}
	return 0;
}

static unsigned long split(const char *v, const char **upstream, size_t *upstream_len,
			   const char **revision)
{
	const char *colon = strchr(v, ':'), *dash;
	unsigned long epoch = colon ? strtoul(v, NULL, 10) : 0;

	*upstream = colon ? colon + 1 : v;
	dash = strrchr(*upstream, '-');
	*upstream_len = dash ? (size_t)(dash - *upstream) : strlen(*upstream);
	*revision = dash ? dash + 1 : "";
	return epoch;
}

int debian_version_cmp(const char *a, const char *b)
{
	const char *ua, *ub, *ra, *rb;
	size_t la, lb;
	unsigned long ea = split(a, &ua, &la, &ra), eb = split(b, &ub, &lb, &rb);
	int ret;

	if (ea != eb)
		return ea < eb ? -1 : 1;
	ret = compare_part(ua, la, ub, lb);
	return ret ? ret : compare_part(ra, strlen(ra), rb, strlen(rb));
}

static bool new_enough(const char *package)
{
	unsigned int major, minor;
	int end = 0;

	return sscanf(package, "linux-source-%3u.%3u%n", &major, &minor, &end) == 2 && end &&
	       !package[end] &&
	       (major > SOURCE_OLDEST_MAJOR ||
		(major == SOURCE_OLDEST_MAJOR && minor >= SOURCE_OLDEST_MINOR));
}

static bool better(const char *version, const char *best)
{
	bool rc = strstr(version, "~rc"), best_rc;

	if (!best)
		return true;
	best_rc = strstr(best, "~rc");
	if (rc != best_rc)
		return best_rc;
	return debian_version_cmp(version, best) > 0;
}

bool debian_pick_source(const char *madison, char **package, char **version)
{
	const char *line = madison;
	char p[65], v[65];

	*package = *version = NULL;
	for (; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (sscanf(line, " %64[^ |] | %64[^ |] |", p, v) != 2 || !new_enough(p) ||
		    !better(v, *version))
			continue;
		free(*package);
		free(*version);
		*package = xstrdup(p);
		*version = xstrdup(v);
	}
	return *version;
}

char *debian_pick_mirror(const char *targets)
{
	const char *line = targets;
	char *fallback = NULL;
	char site[513], codename[65], origin[65];

	for (; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		int n = sscanf(line, "%512[^|\n]|%64[^|\n]|%64[^|\n]", site, codename, origin);

		/* a Debian mirror may carry the security suites under a name of their own */
		if (n < 2 || strstr(site, "security") || strstr(codename, "security"))
			continue;
		if (n == 3 && !strcmp(origin, "Debian")) {
			free(fallback);
			return xstrdup(site);
		}
		/* no origin before the first apt-get update; another vendor's is none of ours */
		if (n == 2 && !fallback)
			fallback = xstrdup(site);
	}
	return fallback;
}
