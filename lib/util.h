/* SPDX-License-Identifier: GPL-2.0-only */
/* Small things that every room needs: attributes, scope cleanup, range checks. */
#ifndef BP_UTIL_H
#define BP_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define __must_check __attribute__((warn_unused_result))
#define __printf_like(f, a) __attribute__((format(printf, f, a)))
#define __cleanup(fn) __attribute__((cleanup(fn)))
#define __unused_arg __attribute__((unused))

/* The end of a noun: "%u stream%s" */
#define PLURAL(n) ((n) == 1 ? "" : "s")
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define NSEC_PER_SEC 1000000000ull
#define SECTOR_SIZE 512u
#define SECTOR_SHIFT 9

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define __cleanup_free __cleanup(cleanup_free)
#define __cleanup_close __cleanup(cleanup_close)
#define __cleanup_fclose __cleanup(cleanup_fclose)

/*
 * The one check that every offset and length from a file goes through:
 * does [off, off + len) lie within [0, size)?  Never overflows.
 */
static inline bool range_ok(u64 off, u64 len, u64 size)
{
	return off <= size && len <= size - off;
}

/*
 * Allocation that ends the program with a message when memory is out; a tool
 * that ran out of memory has nothing left to clean up that exit does not.
 * Never pass a size that comes from an input file unchecked.
 */
void *xmalloc(size_t size) __must_check;
void *xcalloc(size_t n, size_t size) __must_check;
void *xrealloc(void *p, size_t n, size_t size) __must_check;
char *xstrdup(const char *s) __must_check;
char *xstrndup(const char *s, size_t n) __must_check;
char *xasprintf(const char *fmt, ...) __printf_like(1, 2) __must_check;

/* @s with what is not printable ASCII as \xNN; the caller frees it. */
char *printable(const char *s) __must_check;

/* Does @s start with @prefix?  Returns the rest, or NULL. */
const char *str_after(const char *s, const char *prefix);

#endif
