#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A recorded workload again: the example's accesses give the example's verdicts on base and
# patched; reads of several files at their recorded times are true to their plan.
. tests/vm/lib.sh
need qemu-system-x86_64 blkparse

# verdicts RUN: capture, phase, check and verdict of what does not depend on the plan's form
verdicts() {
	bin/verify --format json "$1" | awk '
		/^ *"kernel": / { kernel = $2 }
		/^ *"check": / { check = $2 }
		/^ *"phase": / { phase = $2 }
		/^ *"verdict": / { print kernel, phase, check, $2 }' | tr -d '",' | sort -u
}

echo "the example's accesses"
expect 0 bin/replay-plan traces/example/base-1 -o "$work/plan"
records=$(sed -n 's/^phase one-thread \([0-9]*\) 1 .*/\1/p' "$work/plan")
expect 0 make -s boot-and-trace REPLAY="$work/plan" RUN=replay TRACES="$traces" || exit 1
run=$traces/replay
expect 0 bin/verify "$run" && says "order within each task: kept, in every task" &&
	says "one-thread $records / $records $records / $records"
verdicts traces/example >"$work/original"
verdicts "$run" >"$work/replayed"
# what the original did not judge in a phase, the replay may: its plan has no list of checks
awk 'NR == FNR { seen[$1, $2, $3] = $4; next }
	($1, $2, $3) in seen {
		n++
		if (seen[$1, $2, $3] != $4) print $0, "and not", seen[$1, $2, $3]
	}
	END { if (n < 60) print "only", n, "verdicts to compare" }' \
	"$work/original" "$work/replayed" >"$work/differ"
[ -s "$work/differ" ] && complain "other verdicts than the original's: $(cat "$work/differ")"
grep -q 'base one-thread no-sync-readaround-per-piece FAIL' "$work/replayed" ||
	complain "base does not fail"

echo "several files at recorded times"
cat >"$work/strace" <<'TEXT'
7 1700000000.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3
7 1700000000.000001 openat(AT_FDCWD, "/b", O_RDONLY) = 4
7 1700000000.000002 openat(AT_FDCWD, "/c", O_RDONLY) = 5
7 1700000000.100000 read(3, ""..., 1048576) = 1048576
7 1700000000.200000 pread64(4, ""..., 4096, 8388608) = 100
8 1700000000.250000 openat(AT_FDCWD, "/a", O_RDONLY) = 3
8 1700000000.300000 pread64(3, ""..., 65536, 4194304) = 65536
7 1700000000.400000 readahead(4, 0, 65536) = 0
7 1700000000.500000 fadvise64(5, 0, 0, POSIX_FADV_RANDOM) = 0
7 1700000000.600000 read(5, ""..., 4096) = 77
TEXT
expect 0 bin/replay-plan "$work/strace" -o "$work/files.plan"
sed -e '/^\[kernel patched\]/,/^$/d' -e '/^\[expect patched\]/,$d' \
	-e 's/^timing.*/timing = recorded/' experiments/replay.ini >"$work/recorded.ini"
expect 0 make -s boot-and-trace REPLAY="$work/files.plan" EXPERIMENT="$work/recorded.ini" \
	RUN=files TRACES="$traces" || exit 1
expect 0 bin/verify "$traces/files" && says "replay 6 / 6" &&
	says "late, against the recorded times"
# 1 MiB and 64 KiB of the first, and more read ahead; of the last its one page
says "all files" && says "file 2"
grep -q '"issued": 6' "$traces/files/base-1/capture.json" || complain "not 6 accesses issued"
grep -q '"ino"' "$traces/files/base-1/capture.json" || complain "no test_files"
bin/verify --format json --check data-intact "$traces/files" | grep -q '"verdict": "PASS"' ||
	complain "data-intact is not PASS"

# 100 s of a plan at 100 times their speed.  Of the touches: 1 page of each range or all 16; of
# the read, 16 pages where another task's advice holds for its open file, else readahead's 32.
echo "scaled; pages and ranges; an open file for all and for each"
cat >"$work/scaled.plan" <<'TEXT'
blkproof-plan 1 access
source this test
page_size 4096
read_ahead_kb 1024
file 0 8388608 exact 0:0 0
file 1 8388608 exact 0:0 1
phase replay 5 2 100000000000 65536
begin
phase replay
0 0 touch 0 0 65536 8192
1000 0 touch 0 65536 65536
2000 0 touch 0 4194304 65536 4198400
50000000000 0 random 1 0 0
100000000000 1 read 1 0 65536
end 6
TEXT
# scaled RUN TOUCH OPEN BYTES-OF-TOUCHES DEVICE-BYTES
scaled() {
	sed -e "s/^timing.*/timing = recorded\nspeed = 10000\nopen = $3/" \
		-e "s/^touch.*/touch = $2/" "$work/recorded.ini" >"$work/$1.ini"
	expect 0 bin/boot-and-trace --traces "$traces" --replay "$work/scaled.plan" \
		--experiment "$work/$1.ini" --run "$1"
	cmp "$work/scaled.plan" "$traces/$1/replay.plan" || complain "the run has another plan"
	expect 0 bin/verify "$traces/$1" && says "replay 5 / 5"
	tr -d ' \n' <"$traces/$1/base-1/capture.json" >"$work/json"
	grep -q "\"files\":\[{\"accesses\":3,\"bytes\":$4,.*{\"accesses\":2,\"bytes\":65536," \
		"$work/json" || complain "$1: not $4 bytes touched"
	# neither earlier than scaled, nor at the recorded times
	ns=$(sed -n 's/.*"wall_ns":\([0-9]*\).*/\1/p' "$work/json")
	[ "$ns" -ge 1000000000 ] && [ "$ns" -lt 100000000000 ] || complain "$1: it took $ns ns"
	bytes=$(blkparse -q -i "$traces/$1/base-1/virtio-blk.blktrace.0" -a issue -f '%d %S %n\n' \
		2>/dev/null | awk '$1 ~ /^R/ && $3 > 1 { n = $3 } END { print n * 512 }')
	[ "$bytes" = "$5" ] || complain "$1: the device read $bytes bytes, not $5"
}
scaled pages page shared 12288 65536
scaled ranges range per-task 196608 131072

echo "what can't be replayed"
expect 1 bin/boot-and-trace --traces "$traces" --replay "$work/none" && says "none"
expect 1 bin/boot-and-trace --traces "$traces" --replay "$work/strace" &&
	says "blkproof-plan 1 KIND"
sed '$d' "$work/plan" >"$work/cut"
expect 1 bin/boot-and-trace --traces "$traces" --replay "$work/cut" &&
	says "the plan was cut off"
sed 's/^\([0-9]* 0 touch\) 0 /\1 9 /' "$work/plan" >"$work/file"
expect 1 bin/boot-and-trace --traces "$traces" --replay "$work/file" &&
	says "expected a file, a number from 0 to 0, found '9'"
sed 's/$/\r/' "$work/plan" >"$work/crlf"
expect 1 bin/boot-and-trace --traces "$traces" --replay "$work/crlf" && says "found CR LF"
expect 1 bin/boot-and-trace --traces "$traces" --replay "$work/plan" \
	--experiment piece-copy-small && says "no phase of the pattern replay-access"
sed 's/^file 0 [0-9]*/file 0 8000000000000/' "$work/plan" >"$work/large"
expect 2 bin/boot-and-trace --traces "$traces" --replay "$work/large" --accel tcg
says "the test disk needs" || says "of memory"

exit $bad
