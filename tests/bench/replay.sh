#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Block replay beside fio --read_iolog: the same 100000 requests over 60 s, in the same kernel, on
# the same device, first as fast as possible, then at recorded times.  The instrument is QEMU's log
# of the device, for both.  REQUESTS=N for fewer, at the same rate.
set -eu
cd "$(dirname "$0")/../.."
requests=${REQUESTS:-100000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# reads and writes of 4 to 64 KiB, each with a first sector of its own, gaps of 0.6 ms on average;
# none at sector 0, which the kernel reads by itself to look for partitions
awk -v n="$requests" -v iolog="$work/iolog" 'BEGIN {
	srand(1)
	print "fio version 3 iolog" >iolog
	print "0 /dev/vda add" >iolog
	print "0 /dev/vda open" >iolog
	for (i = 0; i < n; i++) {
		us += int(-600 * log(1 - rand()) + 0.5)
		len = 4096 * 2 ^ int(5 * rand())
		at = (1 + (i * 7919) % n) * 65536
		printf "%.0f /dev/vda %s %.0f %d\n", us, rand() < 0.7 ? "read" : "write", at, len >iolog
	}
	printf "%.0f /dev/vda close\n", us >iolog
}'
bin/replay-plan --block "$work/iolog" -o "$work/plan"
# as issued: the device gets them unmerged from either
sed -i 's/^action log$/action D/' "$work/plan"

cat >"$work/replay.ini" <<END
[experiment]
summary = bench of the block replay
filesystem = none
memory = 768M
trace_buffer = 32M

[kernel base]
config = net ceph rootfs filesystems tracing

[phase fast]
pattern = replay-block
timing = fast
checks = trace-complete replay-same-requests

[phase recorded]
pattern = replay-block
timing = recorded
checks = trace-complete replay-same-requests replay-timing
END
echo "$(nproc) CPUs, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
bin/boot-and-trace --experiment "$work/replay.ini" --replay "$work/plan" --traces "$work/traces" \
	--run ours --accel tcg --verbose >"$work/ours.log" 2>&1 || { cat "$work/ours.log"; exit 1; }
echo "block replay, load $(cut -d ' ' -f 1-3 /proc/loadavg):"
build/replay_error "$work/plan" "$work/traces/ours/base-1/virtio-blk.blktrace.0"
bin/verify "$work/traces/ours" | grep -E 'replay-same-requests|replay-timing|error of|us, final' || true

# the same QEMU command, with fio instead of the agent
build/fio_initramfs "$work/fio.cpio" build/fio_init "$work/iolog" "$work/plan"
truncate -s $(((requests + 1) * 65536)) "$work/fio.img"
kernel=$(grep -o -- '-kernel [^ ]*' "$work/ours.log" | head -n 1 | cut -d ' ' -f 2)
qemu-system-x86_64 -nodefaults -no-user-config -no-reboot -display none -machine q35 \
	-accel tcg,thread=multi -cpu max,erms=off,fsrm=off -smp cpus=2 -m size=768 \
	-kernel "$kernel" -initrd "$work/fio.cpio" -append 'console=ttyS0 panic=-1' \
	-serial "file:$work/fio.console" \
	-drive "if=none,id=test,format=raw,discard=unmap,cache=none,cache.no-flush=on,aio=threads,file=$work/fio.img" \
	-device virtio-blk-pci,drive=test,num-queues=2,queue-size=256 \
	-D "$work/fio.log" -msg timestamp=on -trace virtqueue_pop -trace virtio_blk_handle_read \
	-trace virtio_blk_handle_write -trace virtio_blk_rw_complete -trace virtio_blk_req_complete
[ "$(grep -ac 'fio .*: status 0' "$work/fio.console")" = 3 ] || { tail -n 20 "$work/fio.console"; exit 1; }
echo "fio $(fio --version) --read_iolog, of an iolog twice, then of blktrace, load $(cut -d ' ' -f 1-3 /proc/loadavg):"
build/replay_error "$work/plan" "$work/fio.log"
