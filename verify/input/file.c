// SPDX-License-Identifier: GPL-2.0-only
#include "verify/input/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

int infile_open(struct infile *f, const char *path, struct err *e)
{
	struct stat st;

	f->path = path;
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return err_errno(e, -errno, "%s", path);
	if (fstat(f->fd, &st))
		return err_errno(e, -errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "%s: not a regular file", path);
	f->size = (u64)st.st_size;
	return 0;
}

void infile_close(struct infile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

int damage_at(const struct infile *f, u64 off, struct err *e, const char *fmt, ...)
{
	char text[sizeof(e->msg) / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, -EBADMSG, "%s: at byte %ju: %s", f->path, (uintmax_t)off, text);
}

int infile_read(const struct infile *f, u64 off, void *buf, size_t len, const char *what,
		struct err *e)
{
	size_t done = 0;
	ssize_t n;

	if (!range_ok(off, len, f->size))
		return damage_at(f, off, e,
				 "expected %zu bytes of %s, the file ends at byte %ju (truncated?)",
				 len, what, (uintmax_t)f->size);
	while (done < len) {
		n = pread(f->fd, (u8 *)buf + done, len - done, (off_t)(off + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, -errno, "%s: reading %s at byte %ju", f->path, what,
					 (uintmax_t)off);
		if (!n)
			return damage_at(f, off + done, e,
					 "expected %zu bytes of %s, the file has shrunk",
					 len - done, what);
		done += (size_t)n;
	}
	return 0;
}

int cursor_damage(const struct cursor *c, struct err *e, const char *fmt, ...)
{
	char text[sizeof(e->msg) / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!c->mem)
		return damage_at(c->f, c->pos, e, "%s", text);
	return damage_at(c->f, c->origin, e, "byte %ju of the decompressed section: %s",
			 (uintmax_t)c->pos, text);
}

static int cursor_want(const struct cursor *c, u64 len, const char *what, struct err *e)
{
	if (range_ok(c->pos, len, c->end))
		return 0;
	if (c->mem || c->end < c->f->size)
		return cursor_damage(c, e, "expected %ju bytes of %s, %ju are left in the section",
				     (uintmax_t)len, what, (uintmax_t)(c->end - c->pos));
	return cursor_damage(c, e,
			     "expected %ju bytes of %s, the file ends at byte %ju (truncated?)",
			     (uintmax_t)len, what, (uintmax_t)c->end);
}

int cursor_read(struct cursor *c, void *buf, u64 len, const char *what, struct err *e)
{
	int ret = cursor_want(c, len, what, e);

	if (ret)
		return ret;
	if (c->mem)
		memcpy(buf, c->mem + c->pos, len);
	else
		ret = infile_read(c->f, c->pos, buf, len, what, e);
	if (!ret)
		c->pos += len;
	return ret;
}

int cursor_skip(struct cursor *c, u64 len, const char *what, struct err *e)
{
	int ret = cursor_want(c, len, what, e);

	if (!ret)
		c->pos += len;
	return ret;
}

int cursor_u16(struct cursor *c, u16 *v, const char *what, struct err *e)
{
	int ret = cursor_read(c, v, sizeof(*v), what, e);

	if (!ret)
		*v = swap16(*v, c->swap);
	return ret;
}

int cursor_u32(struct cursor *c, u32 *v, const char *what, struct err *e)
{
	int ret = cursor_read(c, v, sizeof(*v), what, e);

	if (!ret)
		*v = swap32(*v, c->swap);
	return ret;
}

int cursor_u64(struct cursor *c, u64 *v, const char *what, struct err *e)
{
	int ret = cursor_read(c, v, sizeof(*v), what, e);

	if (!ret)
		*v = swap64(*v, c->swap);
	return ret;
}

int cursor_string(struct cursor *c, char *buf, size_t size, const char *what, struct err *e)
{
	struct cursor ahead = *c;
	size_t n = (size_t)MIN(c->end - c->pos, (u64)size);
	const char *nul;
	int ret;

	ret = cursor_read(&ahead, buf, n, what, e);
	if (ret)
		return ret;
	nul = memchr(buf, '\0', n);
	if (!nul && n == size)
		return cursor_damage(c, e, "expected %s of fewer than %zu bytes", what, size);
	if (!nul)
		return cursor_damage(c, e, "expected %s, the file or section ends within it", what);
	c->pos += (u64)(nul - buf) + 1;
	return 0;
}
