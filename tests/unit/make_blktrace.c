// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/make_blktrace.h"

#include <fcntl.h>
#include <string.h>

#include "lib/fileio.h"

struct blktrace_builder {
	unsigned int flags;
	u8 *data;
	size_t len, size;
	u64 *ends;
	unsigned int n;
	u32 sequence;
};

struct blktrace_builder *bb_new(unsigned int flags)
{
	struct blktrace_builder *bb = xcalloc(1, sizeof(*bb));

	bb->flags = flags;
	return bb;
}

void bb_free(struct blktrace_builder *bb)
{
	free(bb->data);
	free(bb->ends);
	free(bb);
}

void bb_raw(struct blktrace_builder *bb, const void *data, size_t len)
{
	if (bb->len + len > bb->size) {
		bb->size = 2 * (bb->len + len);
		bb->data = xrealloc(bb->data, bb->size, 1);
	}
	memcpy(bb->data + bb->len, data, len);
	bb->len += len;
}

static void put(struct blktrace_builder *bb, u64 value, unsigned int size)
{
	u8 b[8];

	for (unsigned int i = 0; i < size; i++)
		b[bb->flags & BB_BIG_ENDIAN ? size - 1 - i : i] = (u8)(value >> 8 * i);
	bb_raw(bb, b, size);
}

void bb_add(struct blktrace_builder *bb, struct bb_record r)
{
	bool v8 = bb->flags & BB_V8;
	u64 action = (u64)r.category << 16 | r.act | (r.cgroup ? 0x100 : 0);
	static const u8 pad[12];

	if (!r.sequence && !(r.category & BB_NOTIFY))
		r.sequence = ++bb->sequence;
	put(bb, 0x65617400 | (v8 ? 8 : 7), 4);
	put(bb, r.sequence, 4);
	put(bb, r.time, 8);
	put(bb, r.sector, 8);
	put(bb, r.bytes, 4);
	if (v8) {
		put(bb, r.pid, 4);
		put(bb, action, 8);
	} else {
		put(bb, action, 4);
		put(bb, r.pid, 4);
	}
	put(bb, r.device, 4);
	put(bb, r.cpu, 4);
	put(bb, (u16)r.error, 2);
	put(bb, r.pdu_len + (r.cgroup ? 8 : 0), 2);
	if (v8)
		bb_raw(bb, pad, sizeof(pad));
	if (r.cgroup)
		put(bb, r.cgroup, 8);
	if (r.pdu_len)
		bb_raw(bb, r.pdu, r.pdu_len);
	/* doubled, since under ASan each larger block is a new mapping */
	if (!(bb->n & (bb->n - 1)))
		bb->ends = xrealloc(bb->ends, bb->n ? 2 * (size_t)bb->n : 1, sizeof(*bb->ends));
	bb->ends[bb->n++] = bb->len;
}

void bb_process(struct blktrace_builder *bb, u64 time, u32 pid, const char *name)
{
	char comm[16] = "";

	memcpy(comm, name, MIN(strlen(name), sizeof(comm) - 1));
	bb_add(bb, (struct bb_record){ .time = time, .pid = pid, .category = BB_NOTIFY,
				       .pdu = comm, .pdu_len = sizeof(comm) });
}

const u8 *bb_data(const struct blktrace_builder *bb, size_t *len)
{
	*len = bb->len;
	return bb->data;
}

const u64 *bb_ends(const struct blktrace_builder *bb, unsigned int *n)
{
	*n = bb->n;
	return bb->ends;
}

void bb_write(const struct blktrace_builder *bb, const char *path)
{
	int fd __cleanup_close = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || fd_write_all(fd, bb->data, bb->len)) {
		perror(path);
		abort();
	}
}
