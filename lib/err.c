// SPDX-License-Identifier: GPL-2.0-only
#include "lib/err.h"

#include <stdarg.h>
#include <string.h>

int err_set(struct err *e, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return error;
}

int err_errno(struct err *e, int error, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", strerror(-error));
	return error;
}

int err_prefix(struct err *e, int error, const char *fmt, ...)
{
	char rest[sizeof(e->msg)];
	va_list ap;
	size_t n;

	memcpy(rest, e->msg, sizeof(rest));
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", rest);
	return error;
}
