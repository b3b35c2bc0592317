/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blktrace's binary format, version 7, as include/uapi/linux/blktrace_api.h of
 * the kernel lays it down: 48-byte records, each followed by @pdu_len bytes.
 *
 *     0         4         8                 16                24
 *     +---------+---------+-----------------+-----------------+
 *     | magic   | seq     | time, ns        | sector          |
 *     +---------+---------+--------+--------+--------+--------+
 *     | bytes   | action  | pid    | device | cpu    |err|pdu | pdu...
 *     +---------+---------+--------+--------+--------+--------+
 */
#ifndef BP_BLKTRACE_FORMAT_H
#define BP_BLKTRACE_FORMAT_H

#include "lib/util.h"

#define BT_MAGIC 0x65617400u /* the lowest byte is the version */
#define BT_VERSION 7u

struct bt_record {
	u32 magic;
	u32 sequence; /* of events from 1; notifications have none */
	u64 time;
	u64 sector; /* 512 bytes */
	u32 bytes;
	u32 action; /* BT_ACT(), or BT_NOTIFY */
	u32 pid;
	u32 device; /* major << 20 | minor */
	u32 cpu;
	u16 error; /* completion: errno */
	u16 pdu_len;
};

_Static_assert(sizeof(struct bt_record) == 48, "struct bt_record is a file format");

/* low half of the action */
enum bt_act {
	BT_QUEUE = 1,
	BT_BACKMERGE,
	BT_FRONTMERGE,
	BT_GETRQ,
	BT_SLEEPRQ,
	BT_REQUEUE,
	BT_ISSUE,
	BT_COMPLETE,
	BT_PLUG,
	BT_UNPLUG_IO,
	BT_UNPLUG_TIMER,
	BT_INSERT,
	BT_SPLIT,
	BT_BOUNCE,
	BT_REMAP,
};

/* high half of the action: categories */
enum bt_category {
	BT_C_READ = 1u << 0,
	BT_C_WRITE = 1u << 1,
	BT_C_FLUSH = 1u << 2,
	BT_C_SYNC = 1u << 3,
	BT_C_QUEUE = 1u << 4,
	BT_C_REQUEUE = 1u << 5,
	BT_C_ISSUE = 1u << 6,
	BT_C_COMPLETE = 1u << 7,
	BT_C_FS = 1u << 8,
	BT_C_PC = 1u << 9,
	BT_C_NOTIFY = 1u << 10,
	BT_C_AHEAD = 1u << 11,
	BT_C_META = 1u << 12,
	BT_C_DISCARD = 1u << 13,
	BT_C_DRV_DATA = 1u << 14,
	BT_C_FUA = 1u << 15,
};

/* BT_C_NOTIFY records: low half of the action, and what the pdu is */
enum bt_notify {
	BT_N_PROCESS = 0,   /* the name of the record's pid */
	BT_N_TIMESTAMP = 1, /* u32 seconds, u32 ns: the wall clock at the record's time */
	BT_N_MESSAGE = 2,   /* text */
};

#define BT_ACT(act, categories) ((u32)(act) | (u32)(categories) << 16)

#endif
