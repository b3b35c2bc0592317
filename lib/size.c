// SPDX-License-Identifier: GPL-2.0-only
#include "lib/size.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

static const char units[] = "KMGT";

/* strtoull() takes signs, blanks and hex; a size in a file is digits only. */
static int digits(const char **p, u64 *value)
{
	const char *s = *p;
	u64 v = 0;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*s - '0'), &v))
			return -ERANGE;
	*p = s;
	*value = v;
	return 0;
}

int size_parse(const char *text, const char *what, u64 *bytes, struct err *e)
{
	const char *p = text, *unit;
	unsigned int shift = 0;
	int ret;
	u64 v;

	ret = digits(&p, &v);
	if (!ret && *p) {
		unit = strchr(units, toupper((unsigned char)*p));
		if (unit) {
			shift = 10 * (unsigned int)(unit - units + 1);
			p++;
			if (!strcasecmp(p, "iB") || !strcasecmp(p, "B"))
				p += strlen(p);
		} else if (!strcasecmp(p, "B")) {
			p++;
		}
		if (*p)
			ret = -EINVAL;
	}
	if (!ret && shift && v > UINT64_MAX >> shift)
		ret = -ERANGE;
	if (ret == -ERANGE)
		return err_set(e, ret, "%s '%s' is too large: at most 16 EiB", what, text);
	if (ret)
		return err_set(e, ret,
			       "%s '%s' is not a size: expected digits, perhaps with K, M, G or T",
			       what, text);
	*bytes = v << shift;
	return 0;
}

int number_parse(const char *text, const char *what, u64 min, u64 max, u64 *value, struct err *e)
{
	const char *p = text;
	u64 v;

	if (digits(&p, &v) || *p || v < min || v > max)
		return err_set(e, -EINVAL, "%s '%s' is not a number from %llu to %llu", what, text,
			       (unsigned long long)min, (unsigned long long)max);
	*value = v;
	return 0;
}

char *size_text(u64 bytes, char *buf)
{
	unsigned int i = 0;
	u64 v = bytes;

	while (i < 4 && v && !(v & 1023)) {
		v >>= 10;
		i++;
	}
	if (i)
		snprintf(buf, SIZE_TEXT_MAX, "%llu %ciB", (unsigned long long)v, units[i - 1]);
	else
		snprintf(buf, SIZE_TEXT_MAX, "%llu B", (unsigned long long)v);
	return buf;
}
