#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Part of make bench: report and comparison of a run of ten boots of each kernel, and pictures of a
# million events.  The run is one of piece-copy, captured once and kept in the cache, whose captures
# are copied, since reading is what is measured.
set -eu
cd "$(dirname "$0")/../.."
rounds=${ROUNDS:-3}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/blkproof/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache"

if [ ! -s "$cache/run/run.json" ]; then
	echo "capturing a run of piece-copy"
	rm -rf "$cache/traces" "$cache/run"
	bin/boot-and-trace --experiment piece-copy --traces "$cache/traces" --run bench >/dev/null
	mv "$cache/traces/bench" "$cache/run"
	rm -rf "$cache/traces"
fi

# ten boots: the files are the same ones, by links; capture.json has the number
ten() {
	mkdir "$1"
	cp "$cache/run/experiment.ini" "$1"
	list=
	for kernel in base patched; do
		for i in 1 2 3 4 5 6 7 8 9 10; do
			mkdir "$1/$kernel-$i"
			ln -s "$cache/run/$kernel-1/"* "$1/$kernel-$i"
			rm "$1/$kernel-$i/capture.json"
			sed "s/^ \"repeat\": 1/ \"repeat\": $i/" "$cache/run/$kernel-1/capture.json" \
				>"$1/$kernel-$i/capture.json"
			list="$list\"$kernel-$i\","
		done
	done
	tr '\n' ' ' <"$cache/run/run.json" |
		sed "s/\"captures\": \[[^]]*\]/\"captures\": [${list%,}]/; s/\"repeat\": 1/\"repeat\": 10/" \
			>"$1/run.json"
}

# timed NAME COMMAND...: the median of seconds, seconds of CPU and peak KiB
timed() {
	label=$1
	shift
	: >"$work/times"
	i=0
	while [ $i -lt "$rounds" ]; do
		/usr/bin/time -a -o "$work/times" -f '%e %U %S %M' "$@" >/dev/null
		i=$((i + 1))
	done
	sort -n "$work/times" | awk -v label="$label" '{ e[NR] = $1; c[NR] = $2 + $3; m[NR] = $4 }
		END { k = int((NR + 1) / 2); printf "%-42s %6.2f s %6.2f s CPU %8d KiB\n", label, e[k], c[k], m[k] }'
}

ten "$work/one"
ten "$work/two"
build/make_big_trace 1000000 4 "$work/1M.dat"
build/make_big_trace 1000000 4 "$work/random.dat" random
echo "$(nproc) CPUs, $rounds rounds, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
timed "report of 10 boots of each of 2 kernels" bin/verify "$work/one"
timed "comparison of two such runs" bin/verify --compare "$work/one" "$work/two"
for kind in svg png html; do
	for trace in 1M random; do
		timed "plot of 1 million events, $trace, $kind" \
			bin/plot "$work/$trace.dat" -o "$work/$trace.$kind"
		echo "    $(wc -c <"$work/$trace.$kind") bytes"
	done
done
