#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The variants of the mmap readahead series of 2009: each does what it is called, and the
# patched kernel without its parameter is the kernel as it is.
. tests/vm/lib.sh
need qemu-system-x86_64

expect 0 make -s boot-and-trace EXPERIMENT=mmap-readahead-small RUN=mmap TRACES="$traces" || exit 1
run=$traces/mmap

echo "verify's verdict"
expect 0 bin/verify "$run"
cp "$work/out" "$work/report"
# today, default, A, B, C
grep -qE '^ +seq-faults +1 +1 +[0-9]{3} +1 +1$' "$work/report" ||
	complain "sequential faults: expected hundreds of major faults on A and 1 on the others"
grep -qE 'PASS seq-faults: default against today: bytes \+0.00 %.*' "$work/report" ||
	complain "the patched kernel without its parameter differs from the kernel as it is"

echo "what decides the figures was set, and read back"
for kernel in A B C default; do
	value=$kernel
	[ "$kernel" = default ] && value=today
	for line in "\"mmap_readahead\": \"$value\"" '"fault_around_bytes": "4096"' \
		'always madvise \[never\]'; do
		grep -q "$line" "$run/$kernel-1/capture.json" || complain "$kernel: no $line"
	done
done

echo "a value that the kernel does not know is one that it does not take"
cat >"$work/bad.ini" <<END
[experiment]
summary = a variant that does not exist
file_size = 32M
memory = 512M
trace_buffer = 1M

[kernel A]
patches = patches/0003-mm-readahead-mmap-variants-of-2009.patch
config = net ceph rootfs filesystems tracing
cmdline = mmap_readahead=D

[phase sparse]
pattern = touch-sparse
count = 10
checks = trace-complete
END
expect 0 bin/boot-and-trace --traces "$traces" --run bad --experiment "$work/bad.ini"
grep -q '"mmap_readahead": "today"' "$traces/bad/A-1/capture.json" ||
	complain "mmap_readahead=D did something"

[ "$bad" = 0 ] || cat "$work/report"
exit $bad
