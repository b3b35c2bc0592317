// SPDX-License-Identifier: GPL-2.0-only
/* capture.json of a phase that replayed block requests: "block_replay". */
#include <string.h>

#include "verify/rundir.h"

struct block_extra {
	char timing[16];
};

const struct json_field block_replay_fields[BLOCK_REPLAY_FIELDS] = {
	FIELD("speed", F_U32, REQUIRED, struct block_info, speed),
	FIELD_ONLY("dependencies", F_BOOL, OPTIONAL),
	FIELD("depth", F_U32, OPTIONAL, struct block_info, depth),
	FIELD("issued", F_U64, REQUIRED, struct block_info, issued),
	FIELD_ONLY("by_op.read", F_U64, OPTIONAL),
	FIELD_ONLY("by_op.write", F_U64, OPTIONAL),
	FIELD_ONLY("by_op.flush", F_U64, OPTIONAL),
	FIELD_ONLY("by_op.discard", F_U64, OPTIONAL),
	FIELD_ONLY("by_op.write-zeroes", F_U64, OPTIONAL),
	FIELD("failed", F_U64, REQUIRED, struct block_info, failed),
	FIELD_ONLY("first_failed.request", F_U64, OPTIONAL),
	FIELD("first_failed.errno", F_U32, OPTIONAL, struct block_info, first_errno),
	FIELD("start_ns", F_U64, REQUIRED, struct block_info, start_ns),
	FIELD("elapsed_ns", F_U64, REQUIRED, struct block_info, elapsed_ns),
	FIELD("in_flight_max", F_U64, OPTIONAL, struct block_info, in_flight_max),
	FIELD_ONLY("lateness.max_ns", F_U64, OPTIONAL),
	FIELD_ONLY("lateness.last_ns", F_S64, OPTIONAL),
	FIELD("lateness.held", F_U64, OPTIONAL, struct block_info, held),
	FIELD("lateness.held_ns", F_U64, OPTIONAL, struct block_info, held_ns),
	FIELD("lateness.last_held_ns", F_U64, OPTIONAL, struct block_info, last_held_ns),
	FIELD("device_before.reads", F_U64, REQUIRED, struct block_info, before[0]),
	FIELD("device_before.writes", F_U64, REQUIRED, struct block_info, before[1]),
	FIELD("device_before.flushes", F_U64, REQUIRED, struct block_info, before[2]),
	FIELD_ONLY("device_before.discards", F_U64, OPTIONAL),
	FIELD("device_after.reads", F_U64, REQUIRED, struct block_info, after[0]),
	FIELD("device_after.writes", F_U64, REQUIRED, struct block_info, after[1]),
	FIELD("device_after.flushes", F_U64, REQUIRED, struct block_info, after[2]),
	FIELD_ONLY("device_after.discards", F_U64, OPTIONAL),
};

const struct json_field block_timing_fields[1] = {
	FIELD("timing", F_NAME, REQUIRED, struct block_extra, timing),
};

int block_replay_load_phase(const struct json_node *phase, struct phase_info *p, struct err *e)
{
	struct block_extra x = {.timing = ""};
	struct json_node n;
	int ret = json_child(phase, "block_replay", JSON_OBJECT, OPTIONAL, &n, e);

	if (ret <= 0)
		return ret;
	ret = json_fields(&n, block_replay_fields, ARRAY_SIZE(block_replay_fields), &p->block, e);
	if (!ret)
		ret = json_fields(&n, block_timing_fields, ARRAY_SIZE(block_timing_fields), &x, e);
	if (ret)
		return ret;
	p->block.recorded = !strcmp(x.timing, replay_timing_names[REPLAY_RECORDED]);
	if (p->block.recorded && !p->block.speed)
		return json_fail(&n, e, "speed is 0");
	p->block.known = true;
	return 0;
}
