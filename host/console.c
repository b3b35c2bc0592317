// SPDX-License-Identifier: GPL-2.0-only
#include "host/console.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>

#define PANIC "Kernel panic - not syncing"
#define TAIL_BYTES 8192

void console_init(struct console *c)
{
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}

void console_free(struct console *c)
{
	cleanup_close(&c->fd);
	free(c->panic);
	console_init(c);
}

static void end_line(struct console *c)
{
	char *at;

	c->line[c->len] = '\0';
	at = strstr(c->line, PANIC);
	if (at && !c->panic)
		c->panic = xstrdup(at);
	c->len = 0;
}

void console_take(struct console *c, const char *data, size_t len)
{
	size_t i;

	c->bytes += len;
	for (i = 0; i < len; i++) {
		if (data[i] == '\n' || c->len + 1 == sizeof(c->line))
			end_line(c);
		if (!iscntrl((unsigned char)data[i]))
			c->line[c->len++] = data[i];
	}
}

void console_poll(struct console *c, const char *path)
{
	char buf[4096];
	ssize_t n;

	if (c->fd < 0)
		c->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (c->fd < 0)
		return;
	while ((n = read(c->fd, buf, sizeof(buf))) > 0)
		console_take(c, buf, (size_t)n);
}

void console_tail(FILE *out, const char *path, unsigned int lines)
{
	FILE *f __cleanup_fclose = fopen(path, "re");
	char buf[TAIL_BYTES + 1], *p;
	unsigned int n = 0;
	size_t len;

	if (!f)
		return;
	if (fseek(f, -TAIL_BYTES, SEEK_END))
		rewind(f);
	len = fread(buf, 1, TAIL_BYTES, f);
	while (len && isspace((unsigned char)buf[len - 1]))
		len--;
	buf[len] = '\0';
	for (p = buf + len; p > buf; p--)
		if (p[-1] == '\n' && ++n == lines)
			break;
	if (!*p)
		return;
	fputs("  ", out);
	for (; *p; p++) {
		if (*p == '\n')
			fputs("\n  ", out);
		else if (!iscntrl((unsigned char)*p))
			putc(*p, out);
	}
	putc('\n', out);
}
