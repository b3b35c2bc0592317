#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The experiment once on each file system besides ext4, whose file a guest writes; and knobs,
# each read back, swept over.
. tests/vm/lib.sh
need qemu-system-x86_64 mkfs.xfs mkfs.btrfs mkfs.f2fs

cat >"$work/small.ini" <<'INI'
[experiment]
summary = one kernel, small
file_size = 24M
read_ahead_kb = 1024
memory = 512M
trace_buffer = 8M

[kernel base]
config = net ceph rootfs filesystems tracing

[phase pieces]
pattern = piece-copy
start = 1/8
piece = 1M
order = tail-first

[phase reads]
pattern = pread-copy
piece = 1M
checks = trace-complete cold-cache data-intact requests-match-host device-bytes-near-requested

[expect base pieces]
no-sync-readaround-per-piece = violated
folio-order-ramps-up = violated
marker-hit-starts-readahead = violated
major-faults-bounded = violated
INI

run() {
	bin/boot-and-trace --accel tcg --traces "$traces" --experiment "$work/small.ini" "$@"
}

for fs in xfs btrfs f2fs; do
	echo "$fs: the same problem, all data right, every request accounted for"
	expect 0 run --run $fs --set filesystem=$fs --set scheduler=mq-deadline \
		--set queue_size=64 || continue
	expect 0 bin/verify "$traces/$fs" && says "24 MiB on $fs in blocks of 4096" &&
		says "queue size 64, 64 tags" && says "scheduler mq-deadline"
	for check in trace-complete cold-cache data-intact requests-match-host \
		device-bytes-near-requested; do
		grep -qE "$check +PASS 2/2\$" "$work/out" || complain "$fs: $check is not PASS"
	done
	[ "$bad" = 0 ] || cat "$work/out"
done

echo "a sweep: one table, and each value's run below it"
expect 0 run --run sweep --sweep read_ahead_kb:512,1024 --set cpus=3 --set memory=600M
expect 3 bin/verify "$traces/sweep" && says "read_ahead_kb" && says "512 pieces" &&
	says "1024: every expectation is met"
expect 0 bin/verify "$traces/sweep/read_ahead_kb=1024" && says "3 CPUs" &&
	says "read_ahead_kb 1024 as read back"
expect 3 bin/verify --format ktap "$traces/sweep"
sed -i 's/"value": "512"/"value": 512/' "$traces/sweep/sweep.json"
expect 2 bin/verify "$traces/sweep" && says "runs[0].value"

echo "what cannot be is said before anything is built"
rm -rf "$traces/sweep"
for bad_value in filesystem=zfs block_size=512 cpus=0 queue_size=100 scheduler=cfq \
	read_ahed_kb=1 memory=1000000000; do
	expect 1 run --set $bad_value && says "${bad_value%%=*}"
done
expect 1 run --sweep cpus:1
expect 1 run --sweep cpus:1,1 && says "there twice"
expect 1 run --sweep cpu:1,2 && says "did you mean 'cpus'?"

exit $bad
