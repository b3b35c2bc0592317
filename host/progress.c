// SPDX-License-Identifier: GPL-2.0-only
#include "host/progress.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

char *elapsed_text(u64 ns, char *buf)
{
	unsigned long long s = ns / NSEC_PER_SEC;

	if (s >= 3600)
		snprintf(buf, 24, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(buf, 24, "%llu:%02llu", s / 60, s % 60);
	return buf;
}

void meter_start(struct meter *m, const char *label)
{
	memset(m, 0, sizeof(*m));
	m->out = stderr;
	m->tty = isatty(STDERR_FILENO);
	m->interval = m->tty ? NSEC_PER_SEC / 10 : 10 * NSEC_PER_SEC;
	m->start = now_ns();
	/* a step that ends within the interval needs no line before its last one */
	m->last = m->tty ? 0 : m->start;
	snprintf(m->label, sizeof(m->label), "%s", label);
}

u64 meter_elapsed(const struct meter *m)
{
	return now_ns() - m->start;
}

static size_t columns(const struct meter *m)
{
	struct winsize ws;

	if (ioctl(fileno(m->out), TIOCGWINSZ, &ws) || ws.ws_col < 20)
		return 79;
	return ws.ws_col - 1u; /* a full line would scroll */
}

void meter_clear(struct meter *m)
{
	if (m->drawn)
		fprintf(m->out, "\r%*s\r", (int)m->drawn, "");
	m->drawn = 0;
	fflush(m->out);
}

static void draw(struct meter *m, bool last, const char *fmt, va_list ap)
{
	char detail[256], line[512], t[24];
	size_t len, pad;

	vsnprintf(detail, sizeof(detail), fmt, ap);
	snprintf(line, sizeof(line), "%s: %s, %s", m->label, detail,
		 elapsed_text(meter_elapsed(m), t));
	if (!m->tty) {
		fprintf(m->out, "%s\n", line);
	} else {
		if (strlen(line) > columns(m))
			line[columns(m)] = '\0';
		len = strlen(line);
		pad = m->drawn > len ? m->drawn - len : 0;
		fprintf(m->out, "\r%s%*s%s", line, (int)pad, "", last ? "\n" : "");
		m->drawn = last ? 0 : len;
	}
	fflush(m->out);
}

void meter_update(struct meter *m, const char *fmt, ...)
{
	u64 now = now_ns();
	va_list ap;

	if (m->silent || (m->last && now - m->last < m->interval))
		return;
	m->last = now;
	va_start(ap, fmt);
	draw(m, false, fmt, ap);
	va_end(ap);
}

void meter_end(struct meter *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	draw(m, true, fmt, ap);
	va_end(ap);
}
