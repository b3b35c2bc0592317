#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What real trace-cmd and blktrace record in a guest, verify reads as trace-cmd report and blkparse
# do: trace.dat of both versions, compressed and not, with instances, of other clocks, with losses
# and of a host and its guest; blktrace's files of one and two devices, and records of version 8.
# Then cuts of them: never a PASS, never silence.
. tests/vm/lib.sh
. tests/tracers/lib.sh
. tests/tracers/compare.sh
need qemu-system-x86_64 trace-cmd blktrace blkparse busybox debugfs

tracers_kernel || exit 1
root_with trace-cmd blktrace
cc -O2 -static -o "$work/root/blktrace-v2" tests/tracers/blktrace_v2.c || exit 1
cc -O2 -static -o "$work/root/calls" tests/tracers/calls.c || exit 1
pack_root && make_disks || exit 1
record_in_guest qemu-system-x86_64 -accel tcg -M pc -cpu max -m 768M -kernel "$image" \
	-serial stdio -append "console=ttyS0 no_timer_check panic=-1 quiet" || exit 1
compare_all
exit $bad
