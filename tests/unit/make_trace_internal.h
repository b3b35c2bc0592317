/* SPDX-License-Identifier: GPL-2.0-only */
/* What make_trace.c (events, pages) and make_trace_file.c (the file) share. */
#ifndef BP_MAKE_TRACE_INTERNAL_H
#define BP_MAKE_TRACE_INTERNAL_H

#include "tests/unit/make_trace.h"

struct bytes {
	u8 *data;
	size_t len, size;
};

/* The pages of one CPU of one buffer; the last one grows until it is full. */
struct tb_cpu {
	struct bytes pages;
	size_t page;	  /* offset of the open page */
	size_t fill;	  /* bytes of data in it */
	bool open;
	u64 ts;		  /* of the last record in the page */
	bool missed;	  /* the next page gets the flag */
	u64 missed_count; /* 0: not stored */
	u64 events;
};

struct tb_buffer {
	char *name; /* "" is the top buffer */
	struct tb_cpu cpu[TB_CPUS_MAX];
};

#define TB_BUFFERS_MAX 8
#define TB_BOUNDARIES_MAX 512

struct trace_builder {
	unsigned int flags;
	unsigned int long_size;
	size_t page_size;
	struct tb_buffer buffer[TB_BUFFERS_MAX];
	unsigned int n_buffers, current;
	unsigned int cpus;
	struct bytes cmdlines, options;
	char clock[32];
	u64 stats[TB_CPUS_MAX][5]; /* entries, overrun, commit overrun, dropped, read late */
	u64 boundary[TB_BOUNDARIES_MAX];
	unsigned int n_boundaries;
};

void bytes_add(struct bytes *b, const void *data, size_t len);
void bytes_zero(struct bytes *b, size_t len);
/* @size bytes of @value in the builder's byte order, appended or put at @at. */
void tb_put(const struct trace_builder *tb, struct bytes *b, u64 value, unsigned int size);
void tb_put_at(const struct trace_builder *tb, u8 *at, u64 value, unsigned int size);

/* The text of format files, made from the same tables as the records. */
void tb_header_page(const struct trace_builder *tb, struct bytes *b);
unsigned int tb_n_systems(void);
const char *tb_system(unsigned int i);
/* The i'th event format of @system; false when there is none. */
bool tb_format(const struct trace_builder *tb, const char *system, unsigned int i,
	       struct bytes *b);

#endif
