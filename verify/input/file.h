/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading binary files whose every number may be a lie: positioned reads that
 * know the file's size, and a cursor that walks through fields of any byte
 * order and says what it expected where.
 */
#ifndef BP_INPUT_FILE_H
#define BP_INPUT_FILE_H

#include "lib/err.h"

struct infile {
	int fd;
	u64 size;
	const char *path; /* owned by the caller */
};

/* Regular files only, since offsets must mean something. */
int infile_open(struct infile *f, const char *path, struct err *e) __must_check;
void infile_close(struct infile *f);

/* Reads exactly @len bytes at @off; @what ("CPU 3's pages") is for the message. */
int infile_read(const struct infile *f, u64 off, void *buf, size_t len, const char *what,
		struct err *e) __must_check;

/* "PATH: at byte N: ..."; returns -EBADMSG, what every damage returns. */
int damage_at(const struct infile *f, u64 off, struct err *e, const char *fmt, ...)
	__printf_like(4, 5);

static inline u16 swap16(u16 v, bool swap)
{
	return swap ? __builtin_bswap16(v) : v;
}

static inline u32 swap32(u32 v, bool swap)
{
	return swap ? __builtin_bswap32(v) : v;
}

static inline u64 swap64(u64 v, bool swap)
{
	return swap ? __builtin_bswap64(v) : v;
}

/* Unaligned loads. */
static inline u16 load16(const u8 *p, bool swap)
{
	u16 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return swap16(v, swap);
}

static inline u32 load32(const u8 *p, bool swap)
{
	u32 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return swap32(v, swap);
}

static inline u64 load64(const u8 *p, bool swap)
{
	u64 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return swap64(v, swap);
}

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/*
 * A cursor over [pos, end) of the file, or over decompressed bytes that came
 * from @origin in the file.
 */
struct cursor {
	const struct infile *f;
	const u8 *mem; /* NULL: the file itself */
	u64 pos, end;
	u64 origin;
	bool swap;
};

int cursor_read(struct cursor *c, void *buf, u64 len, const char *what, struct err *e) __must_check;
int cursor_skip(struct cursor *c, u64 len, const char *what, struct err *e) __must_check;
int cursor_u16(struct cursor *c, u16 *v, const char *what, struct err *e) __must_check;
int cursor_u32(struct cursor *c, u32 *v, const char *what, struct err *e) __must_check;
int cursor_u64(struct cursor *c, u64 *v, const char *what, struct err *e) __must_check;
/* A NUL-terminated string of fewer than @size bytes. */
int cursor_string(struct cursor *c, char *buf, size_t size, const char *what,
		  struct err *e) __must_check;
/* damage_at() the cursor's position. */
int cursor_damage(const struct cursor *c, struct err *e, const char *fmt, ...) __printf_like(3, 4);

#endif
