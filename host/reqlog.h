/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU's request log to blktrace.  The log has one line per trace event,
 *
 *   PID@SECONDS.MICROS:virtqueue_pop vq 0x… elem 0xE in_num I out_num O
 *   PID@SECONDS.MICROS:virtio_blk_handle_read vdev 0x… req 0xE sector S nsectors N
 *   PID@SECONDS.MICROS:virtio_blk_rw_complete vdev 0x… req 0xE ret R
 *   PID@SECONDS.MICROS:virtio_blk_req_complete vdev 0x… req 0xE status T
 *
 * with the host's wall clock (-msg timestamp=on).  An element is the first
 * member of a request, so E is the same pointer throughout.  A request that no
 * handle_* line announces is told from its buffers: a flush has a header and a
 * status byte (O 1, I 1), a request for the disk's serial has a data buffer
 * too (O 1, I 2).  Requests of other devices than the first are left out: the
 * test disk is the first on the bus, and the kernel reads its first sector while
 * it probes it.
 *
 * All records are in memory until they are written, since they are sorted by time:
 * 144 bytes for a request, and up to as much again while the array grows.
 */
#ifndef BP_REQLOG_H
#define BP_REQLOG_H

#include "lib/blktrace_format.h"
#include "lib/err.h"

struct reqlog_request; /* in flight */

struct reqlog {
	/* in the log's order until reqlog_finish(); time is absolute, ns */
	struct bt_record *records;
	size_t n, size;
	struct reqlog_request *flight;
	size_t n_flight, flight_size;
	u64 start_ns; /* wall clock of the first record; time 0 of the file */
	u32 pid;
	u64 vdev;    /* the device that the log is about: the first one that the guest reads */
	u64 foreign; /* lines of other devices, such as the disk with a plan */
	u64 reads, writes, flushes, others, failed;
	u64 no_handle; /* completions of requests that were never seen: log damage */
	u64 ignored;   /* lines that are no event of ours, QEMU's own messages say */
};

/*
 * Takes one line, without its newline.  Returns 0, or -EBADMSG and a line for an
 * event of ours that can't be parsed: a log with a hole proves nothing.
 */
int reqlog_line(struct reqlog *l, const char *line, u64 number, struct err *e) __must_check;

/* All lines of @path. */
int reqlog_read(struct reqlog *l, const char *path, struct err *e) __must_check;

/*
 * Writes the records as blktrace version 7, for device @dev (major << 20 |
 * minor): a timestamp notification with the wall clock of time 0 and the name
 * of QEMU's pid first, then Q when QEMU took the request from the queue, D when
 * it handled it, C when it completed it; in order of time.
 */
int reqlog_write(struct reqlog *l, const char *path, u32 dev, struct err *e) __must_check;

void reqlog_free(struct reqlog *l);

#endif
