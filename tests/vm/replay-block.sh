#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Block replay: requests of every kind, replayed twice and proved; and a replay's own capture,
# replayed, is the capture again.
. tests/vm/lib.sh
need qemu-system-x86_64 blkparse

# replay STATUS RUN OPTION...
replay() {
	status=$1 name=$2
	shift 2
	expect "$status" bin/boot-and-trace --traces "$traces" --run "$name" "$@"
}

cat >"$work/replay.ini" <<END
[experiment]
summary = test of the block replay
filesystem = none
memory = 384M
trace_buffer = 4M

[kernel base]
config = net ceph rootfs filesystems tracing

[phase fast]
pattern = replay-block
timing = fast
checks = trace-complete requests-match-host replay-same-requests replay-timing

[phase recorded]
pattern = replay-block
timing = recorded
speed = 50
checks = trace-complete requests-match-host replay-same-requests replay-timing
END

echo "every kind of request"
plan=$work/all.plan
awk 'BEGIN {
	n = split("R W R WF W R F W D R FWF Z R W FW R", op, " ")
	requests = 16 * n
	print "blkproof-plan 1 block\nsource this test\naction D\nsector-size 512\nsectors 65536"
	print "requests", requests, "reads", 6 * 16, "writes", 7 * 16, "fua", 2 * 16, "preflush", 2 * 16,
		"flushes", 16, "discards", 16, "write-zeroes", 16
	print "largest 1048576\nduration 400000000\nfolded 0\ndependencies no\nbegin"
	for (i = 0; i < requests; i++) {
		o = op[i % n + 1]
		sectors = o == "D" || o == "Z" ? 256 : i % 7 == 3 ? 2048 : i % 7 == 5 ? 1 : 8
		if (o == "F") print o, i * 1500000
		else print o, i * 1500000, i * 776 % 60000, sectors
	}
	print "end", requests
}' >"$plan"
replay 0 first --experiment "$work/replay.ini" --replay "$plan" || exit 1
expect 0 bin/verify -c trace-complete,requests-match-host,replay-same-requests "$traces/first"
says "replay-same-requests PASS 2/2"
cmp "$plan" "$traces/first/replay.plan" || complain "the run has another plan"

echo "its own capture, replayed, is that capture"
log=$traces/first/base-1/virtio-blk.blktrace.0
expect 0 bin/replay-plan --block "$traces/first/base-1" -o "$work/again.plan"
sed '/^\[phase fast\]/,/^$/d' "$work/replay.ini" >"$work/again.ini"
replay 0 swept --experiment "$work/again.ini" --replay "$work/again.plan" \
	--sweep queue_size:128,256
mv "$traces/swept/queue_size=256" "$traces/again" # a run of its own, with its plan
expect 0 bin/verify -c replay-same-requests "$traces/again"
says "replay-same-requests PASS 1/1"
# and by another program: what the device was asked for after what the kernel reads at boot
for which in first again; do
	blkparse -q -i "$traces/$which/base-1/virtio-blk.blktrace.0" -a issue -f '%d %S %n\n' \
		2>/dev/null | grep '^[FRW]' >"$work/$which.requests"
done
[ "$(wc -l <"$work/first.requests")" -gt 300 ] || complain "hardly a request in the log"
tail -n "$(wc -l <"$work/first.requests")" "$work/again.requests" |
	cmp - "$work/first.requests" || complain "the device was asked for something else"

echo "a plan that was changed, or a smaller disk, is noticed"
sed 's/^R 0 0 8$/R 0 8 8/' "$traces/first/replay.plan" >"$work/changed"
cmp -s "$work/changed" "$traces/first/replay.plan" && complain "nothing was changed"
cp "$work/changed" "$traces/first/replay.plan"
expect 1 bin/verify -c replay-same-requests "$traces/first" && says "read of 8 sectors at 8, was not"
replay 1 none --experiment piece-copy-small --replay "$plan" && says "filesystem = none"

exit $bad
