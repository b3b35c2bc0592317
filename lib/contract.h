/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What guest/, host/ and verify/ must agree on: the names of files in a run,
 * the markers in the trace, and the frames from the agent to the host.  The
 * JSON members are documented in docs/blkproof-run.5.
 */
#ifndef BP_CONTRACT_H
#define BP_CONTRACT_H

#include "lib/util.h"

/* ---- the run directory ---- */

#define RUN_JSON "run.json"
#define RUN_EXPERIMENT "experiment.ini"
#define RUN_SWEEP "sweep.json" /* of a run that is several: one below it for each value */
#define CAPTURE_JSON "capture.json"
#define CAPTURE_TRACE "trace.dat"
#define CAPTURE_BLKTRACE "virtio-blk.blktrace.0"
#define CAPTURE_CONSOLE "console.log"
#define RUN_PLAN "replay.plan"	     /* what a replay replayed */
#define CAPTURE_OSD "osd.json"	     /* filesystem = ceph only */
#define RUN_SCHEMA 1		     /* "schema" in run.json and capture.json */
#define RUN_PACKAGES "root.packages" /* with a root file system: "name version" lines */

/* ---- markers: text written to trace_marker, so "print" events in the trace ---- */

/*
 *   blkproof: phase begin NAME
 *   blkproof: phase end NAME
 *   blkproof: stream N OFFSET LENGTH      a thread's range, when it starts
 *   blkproof: piece N OFFSET LENGTH       stream N is about to copy this piece
 *
 * OFFSET and LENGTH are decimal bytes in the test file, N a decimal stream
 * number from 0.  The event's own pid is the thread that does it.
 */
#define MARKER_PREFIX "blkproof: "
#define MARKER_PHASE_BEGIN "phase begin "
#define MARKER_PHASE_END "phase end "
#define MARKER_STREAM "stream "
#define MARKER_PIECE "piece "

/* ---- the guest ---- */

#define GUEST_EXPERIMENT "/experiment.ini" /* in the initramfs, as it is run */
#define GUEST_FILL "/fill"		   /* in the initramfs: write the test file, run nothing */
#define PROGRAM_DIR                                                                                \
	"/program" /* in the initramfs: a program of the user's; its libraries in lib/ */
#define GUEST_MOUNT "/mnt"
/* in the root of the test file system; a replay has further ones, TEST_FILE_NAME.N */
#define TEST_FILE_NAME "testfile"	 /* in the root of the test file system */
#define GUEST_PORT_NAME "blkproof.0"	 /* the virtio-serial port */
#define TEST_DISK_SERIAL "blkproof-test" /* the virtio-blk device's serial */
#define PLAN_DISK_SERIAL "blkproof-plan" /* a second one, read-only: the plan that is replayed */
#define GUEST_ROOT "/newroot" /* where the root file system is mounted before it is one */
#define ROOT_DISK_SERIAL "blkproof-root" /* of the disk with the root file system */
#define TRACE_INSTANCE "blkproof"	 /* tracefs instance; trace.dat has it as top */

/*
 * The guest's network, if it has one: QEMU's user network, whose gateway hands
 * on what is sent to the host's own addresses.
 */
#define GUEST_NET_PREFIX "10.0.2.0/24"
#define GUEST_NET_ADDRESS "10.0.2.15"
#define GUEST_NET_MASK "255.255.255.0"
#define GUEST_NFS_EXPORT "/root" /* of the server at HOST_ADDRESS, where root = nfs */
#define GUEST_NET_GATEWAY "10.0.2.2"

/* Where the host serves what a guest needs, and the Ceph monitor in it. */
#define HOST_ADDRESS "10.99.0.1"
#define CEPH_MONITOR HOST_ADDRESS ":6789"

/* ---- frames from the agent to the host ---- */

/*
 * A frame is this header, little endian, then @len bytes of payload.  Frames
 * are numbered from 0; a gap, a wrong magic, or a payload above the maximum
 * ends the capture as failed.
 *
 *     0        4        8        12       16                24
 *     +--------+--------+--------+--------+-----------------+
 *     | magic  | type   | seq    | cpu    | len             |  payload...
 *     +--------+--------+--------+--------+-----------------+
 */
struct frame_header {
	u32 magic;
	u32 type;
	u32 seq;
	u32 cpu; /* FRAME_PAGES: the CPU; else 0 */
	u64 len;
};

#define FRAME_MAGIC 0x31575042u /* "BPW1" */
#define FRAME_MAX_PAYLOAD (16u << 20)

enum frame_type {
	/* JSON: the guest's part of capture.json, sent once it is ready to run phases */
	FRAME_HELLO = 1,
	/* struct progress */
	FRAME_PROGRESS,
	/* JSON: one element of capture.json's "phases", after the phase and its pages */
	FRAME_PHASE,
	/* "NAME\0" then content: a file of tracefs that trace.dat needs (paths below it,
	 * such as "events/header_page", "events/block/block_rq_issue/format",
	 * "saved_cmdlines", "printk_formats", "per_cpu/cpu0/stats") */
	FRAME_FILE,
	/* whole ring buffer pages of one CPU, in order */
	FRAME_PAGES,
	/* JSON: {"step": "...", "reason": "...", "errno": n}; the run has failed */
	FRAME_ERROR,
	/* empty: all phases done, everything sent; the guest powers off */
	FRAME_DONE,
	/* empty: sent first of all, before any device is touched: the kernel boots */
	FRAME_ALIVE,
	/* JSON: {"phase": "...", "when": "before" or "after"}; the host reads the counters
	 * of its servers and answers with one byte */
	FRAME_COUNTERS,
};

/*
 * The other way there are single bytes.  HOST_PROMPT: the console shows the
 * login prompt.  Any byte after the last frame: the host has everything.
 */
#define HOST_PROMPT 'P'

/* Payload of FRAME_PROGRESS, little endian. */
struct progress {
	u32 phase; /* from 0 */
	u32 phases;
	u64 done; /* bytes */
	u64 total;
};

#endif
