// SPDX-License-Identifier: GPL-2.0-only
#include "guest/copy.h"

#include <string.h>

/*
 * A volatile access is neither merged, nor reordered, nor made into memcpy by
 * the compiler; may_alias and packed since source and size are of any alignment.
 */
typedef struct {
	u64 v;
} __attribute__((packed, may_alias)) word;

static inline u64 load(const u8 *p)
{
	return ((const volatile word *)p)->v;
}

static inline void store(u8 *p, u64 v)
{
	((volatile word *)p)->v = v;
}

static void copy_forward(u8 *dst, const u8 *src, size_t len)
{
	size_t i;

	for (i = 0; i + 32 <= len; i += 32) {
		store(dst + i, load(src + i));
		store(dst + i + 8, load(src + i + 8));
		store(dst + i + 16, load(src + i + 16));
		store(dst + i + 24, load(src + i + 24));
	}
	for (; i + 8 <= len; i += 8)
		store(dst + i, load(src + i));
	for (; i < len; i++)
		*(volatile u8 *)(dst + i) = *(const volatile u8 *)(src + i);
}

static void copy_backward(u8 *dst, const u8 *src, size_t len)
{
	size_t i;

	for (i = len; i >= 8; i -= 8)
		store(dst + i - 8, load(src + i - 8));
	for (; i; i--)
		*(volatile u8 *)(dst + i - 1) = *(const volatile u8 *)(src + i - 1);
}

static void touch_tail(const u8 *src, size_t len)
{
	if (len >= 8)
		load(src + len - 8);
	else if (len)
		(void)*(const volatile u8 *)(src + len - 1);
}

void copy_ordered(void *dst, const void *src, size_t len, enum copy_order order)
{
	switch (order) {
	case ORDER_TAIL_FIRST:
		touch_tail(src, len);
		copy_forward(dst, src, len);
		return;
	case ORDER_FORWARD:
		copy_forward(dst, src, len);
		return;
	case ORDER_BACKWARD:
		copy_backward(dst, src, len);
		return;
	case ORDER_MEMCPY:
		memcpy(dst, src, len);
		return;
	}
}
