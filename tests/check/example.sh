#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# traces/example is what a newcomer meets first: small, readable, and with the verdicts that README
# promises.  On it, each row of verify's exit status table, and other readers of the same files.
. tests/lib.sh

size=$(find traces/example -type f -exec cat {} + | wc -c)
[ "$size" -lt 300000 ] && [ "$size" -gt 10000 ] || complain "traces/example has $size bytes"

expect 0 bin/verify traces/example
says "FAIL 2/2 expected"
says "verdict: every expectation is met"
long=$(expand "$work/out" | awk 'length($0) > 72' | head -n 1)
[ -z "$long" ] || complain "wider than 72 columns: $long"
grep -q "$(printf '\t')" "$work/out" && complain "tabs in the report"

# alone, a capture is expected to hold every check
expect 1 bin/verify traces/example/base-1
expect 0 bin/verify traces/example/patched-1
expect 1 bin/verify --bisect traces/example/base-1
expect 0 bin/verify --bisect traces/example/patched-1
expect 1 bin/verify traces/example/base-1/trace.dat
# no marker was hit in random-touch, and without an experiment nobody says that none had to be
expect 3 bin/verify traces/example/patched-1/trace.dat
says "nothing to check"

# the worst of several counts
expect 1 bin/verify traces/example traces/example/base-1
expect 2 bin/verify traces/example traces/none
says "traces/none"

# a limit that nothing can keep, and one that everything keeps
expect 1 bin/verify --set device-bytes-near-requested.max-ratio=0.5 \
	--set device-bytes-near-requested.slack-windows=0 traces/example
expect 3 bin/verify --set major-faults-bounded.extra=1000 traces/example

# unreadable: cut, gone, not there
cp -r traces/example "$work/run"
head -c 50000 traces/example/base-1/trace.dat >"$work/run/base-1/trace.dat"
expect 2 bin/verify "$work/run"
says "base-1/trace.dat: the file ends at byte 50000"
expect 125 bin/verify --bisect "$work/run"
expect 2 bin/verify "$work/run/base-1/trace.dat"
expect 3 bin/verify --partial "$work/run/base-1/trace.dat"
rm "$work/run/base-1/trace.dat"
expect 2 bin/verify "$work/run"
says "base-1/trace.dat"
expect 2 bin/verify --formart text traces/example
says "did you mean '--format'"
expect 125 bin/verify --bisect
expect 2 bin/verify --explain no-such-check

# a patched kernel that does not show the fix, a base that does not show the problem
cp -r traces/example "$work/same"
rm -r "$work/same/base-1"
cp -r traces/example/patched-1 "$work/same/base-1"
sed -i 's/"kernel": "patched"/"kernel": "base"/' "$work/same/base-1/capture.json"
expect 3 bin/verify "$work/same"
says "the problem is not shown"

# a capture from another experiment among them
cp -r traces/example "$work/mixed"
sed -i 's/"read_ahead_kb": 1024/"read_ahead_kb": 512/' "$work/mixed/patched-1/capture.json"
expect 3 bin/verify "$work/mixed"
says "1 capture has other settings than the first"
says "NOT THE SAME in patched-1"

for check in $(bin/verify --list-checks | sed -n 's/^\([a-z][a-z-]*\)$/\1/p'); do
	expect 0 bin/verify --explain "$check"
	[ "$(wc -l <"$work/out")" -ge 5 ] || complain "--explain $check says hardly anything"
done

if command -v trace-cmd >/dev/null; then
	for capture in base-1 patched-1; do
		theirs=$(trace-cmd report "traces/example/$capture/trace.dat" 2>/dev/null |
			grep -cE '^ *[^ ].*-[0-9]+ +\[')
		ours=$(bin/verify --format json "traces/example/$capture" |
			grep -o '"events": [0-9]*' | head -n 1 | grep -o '[0-9]*')
		[ "$theirs" = "$ours" ] && [ "${ours:-0}" -gt 1000 ] ||
			complain "$capture: trace-cmd lists $theirs events, verify ${ours:-none}"
	done
fi
exit $bad
