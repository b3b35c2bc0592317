// SPDX-License-Identifier: GPL-2.0-only
#include "host/console.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>

#define PANIC "Kernel panic - not syncing"
#define TAIL_BYTES 8192
#define LOGIN " login: "

/* ECMA-48: ESC and one character, or ESC [ with parameters up to a letter or the like */
enum { ESCAPE_NONE, ESCAPE_FIRST, ESCAPE_CSI };

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

/* Does @ch belong to an escape code?  systemd colours its lines with them. */
static bool in_escape(struct console *c, unsigned char ch)
{
	switch (c->escape) {
	case ESCAPE_FIRST:
		c->escape = ch == '[' ? ESCAPE_CSI : ESCAPE_NONE;
		return true;
	case ESCAPE_CSI:
		if (ch >= 0x40 && ch <= 0x7e)
			c->escape = ESCAPE_NONE;
		/* a line that ends in the middle of one was cut */
		if (ch != '\n')
			return true;
		c->escape = ESCAPE_NONE;
		return false;
	default:
		if (ch == '\033')
			c->escape = ESCAPE_FIRST;
		return ch == '\033';
	}
}

bool console_at_login(const struct console *c)
{
	size_t n = strlen(LOGIN);

	return c->len > n && !memcmp(c->line + c->len - n, LOGIN, n);
}

void console_take(struct console *c, const char *data, size_t len)
{
	size_t i;

	c->bytes += len;
	for (i = 0; i < len; i++) {
		if (in_escape(c, (unsigned char)data[i]))
			continue;
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
