#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make bench: verify beside trace-cmd report and blkparse on the same files, in turns in one run;
# medians, ratios and peak memory.  The traces are captured once and kept in the cache: 5 million
# events from our own guest, 50 million by repeating its pages with shifted times.
set -eu
cd "$(dirname "$0")/../.."
rounds=${ROUNDS:-3}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/blkproof/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache"

make_traces() {
	if [ ! -s "$cache/5M.dat" ]; then
		echo "capturing 5 million events in a guest"
		rm -rf "$cache/traces"
		bin/boot-and-trace --experiment tests/bench/bench.ini --traces "$cache/traces" \
			--run bench >/dev/null
		mv "$cache/traces/bench/base-1/trace.dat" "$cache/5M-v7.dat"
		mv "$cache/traces/bench/base-1/virtio-blk.blktrace.0" "$cache/5M.blktrace.0"
		rm -rf "$cache/traces"
		trace-cmd convert --file-version 6 --compression none -i "$cache/5M-v7.dat" \
			-o "$cache/6.dat" >/dev/null
		mv "$cache/6.dat" "$cache/5M.dat"
	fi
	if [ ! -s "$cache/50M.dat" ]; then
		build/repeat_trace "$cache/5M.dat" 10 "$cache/50M.tmp"
		mv "$cache/50M.tmp" "$cache/50M.dat"
	fi
	if [ ! -s "$cache/0.5M.dat" ]; then
		bin/boot-and-trace --experiment tests/bench/small.ini --traces "$cache/traces" \
			--run bench >/dev/null
		trace-cmd convert --file-version 6 --compression none \
			-i "$cache/traces/bench/base-1/trace.dat" -o "$cache/05.dat" >/dev/null
		rm -rf "$cache/traces"
		mv "$cache/05.dat" "$cache/0.5M.dat"
	fi
	[ -s "$cache/2M.blktrace.0" ] || {
		build/make_big_trace 2000000 1 "$cache/2M.tmp" blktrace
		mv "$cache/2M.tmp" "$cache/2M.blktrace.0"
	}
}

# timed NAME COMMAND...: seconds, seconds of CPU and peak KiB, appended to $work/NAME
timed() {
	name=$1
	shift
	/usr/bin/time -o "$work/time" -f '%e %U %S %M' "$@" >/dev/null 2>&1 || true
	tail -n 1 "$work/time" | awk '{ print $1, $2 + $3, $4 }' >>"$work/$name"
}

# median NAME COLUMN
median() {
	sort -n -k "$2,$2" "$work/$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}

# row LABEL NAME EVENTS
row() {
	printf '%-34s %8.2f s %8.2f s CPU %10.0f ev/s %8d KiB\n' "$1" "$(median "$2" 1)" \
		"$(median "$2" 2)" "$(awk -v n="$3" -v s="$(median "$2" 1)" 'BEGIN { print n / (s > 0 ? s : 0.01) }')" \
		"$(median "$2" 3)"
}

ratio() {
	awk -v a="$(median "$1" 1)" -v b="$(median "$2" 1)" -v ca="$(median "$1" 2)" \
		-v cb="$(median "$2" 2)" -v what="$3" \
		'BEGIN { printf "%s: %.1f times as fast (%.1f by CPU time)\n", what, a / b, ca / cb }'
}

events_of() {
	bin/verify --format json "$1" | sed -n 's/^ *"events": \([0-9]*\),*$/\1/p' | head -n 1
}

make_traces
echo "$(nproc) CPUs, $rounds rounds, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
i=0
while [ $i -lt "$rounds" ]; do
	timed cmd5 trace-cmd report "$cache/5M.dat"
	timed verify5 bin/verify "$cache/5M.dat"
	timed zstd5 bin/verify "$cache/5M-v7.dat"
	timed stats5 bin/verify --stats "$cache/5M.dat"
	timed read5 build/read_trace "$cache/5M.dat"
	timed plan5 bin/replay-plan --access "$cache/5M.dat" -o "$work/plan"
	timed verify05 bin/verify "$cache/0.5M.dat"
	timed verify50 bin/verify "$cache/50M.dat"
	timed stats50 bin/verify --stats "$cache/50M.dat"
	timed blkparse sh -c "cd '$cache' && blkparse -i 2M"
	timed blk bin/verify "$cache/2M.blktrace.0"
	i=$((i + 1))
done
n05=$(events_of "$cache/0.5M.dat")
n5=$(events_of "$cache/5M.dat")
n50=$(events_of "$cache/50M.dat")
echo
row "trace-cmd report, $n5 events" cmd5 "$n5"
row "verify, the same file" verify5 "$n5"
row "verify, as v7 with zstd" zstd5 "$n5"
row "verify --stats" stats5 "$n5"
row "reader alone" read5 "$n5"
row "replay-plan, the same file" plan5 "$n5"
ratio cmd5 verify5 "verify beside trace-cmd report"
echo
row "blkparse, 2000000 records" blkparse 2000000
row "verify, the same file" blk 2000000
ratio blkparse blk "verify beside blkparse"
echo
echo "scaling of verify:"
row "$n05 events" verify05 "$n05"
row "$n5 events" verify5 "$n5"
row "$n50 events" verify50 "$n50"
row "$n50 events, --stats" stats50 "$n50"

echo
tests/bench/report.sh

echo
tests/bench/replay.sh
